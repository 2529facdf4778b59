"""`K.function`."""
