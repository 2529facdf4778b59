"""The layers of Keras 2.3.1, computed with K."""
