"""Programs for Keras 1 and 2 on the engines of K: what `python -m keras_backend.keras2` does for them."""
