"""Programs for tf.keras on TensorFlow, by the package tf_keras: `python -m keras_backend.keras3` does it there."""
