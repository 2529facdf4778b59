"""Keras 1.2.2 on the engines."""
