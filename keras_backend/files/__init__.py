"""Files of Keras 1, 2 and 3, read without running anything that they contain."""
