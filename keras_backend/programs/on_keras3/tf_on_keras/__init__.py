"""`tf.X` of tensors of Keras where TensorFlow cannot compute: on JAX and PyTorch, and while a model is built."""
