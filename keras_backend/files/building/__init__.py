"""Models of files in a Keras that is installed: what is the same for Keras 2 and Keras 3."""
