"""Keras 2, as pip installs it, on our engines."""
