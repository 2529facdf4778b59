"""Programs for tf.keras on Keras 3: what `python -m keras_backend.keras3` does for them."""
