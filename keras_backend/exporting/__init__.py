"""K functions as files that other programs run: `keras_backend.export`."""
