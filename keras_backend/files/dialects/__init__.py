"""Dialects: configurations of Keras 1, Keras 2, tf.keras and Keras 3, put in the words of Keras 2.3.1."""
