"""Layers and losses as people write them, each from its paper, with `import keras_backend as K` only.

The modules are to be imported: `from examples.layers.attention import MultiHeadAttention`, in the folder of the clone.
A layer makes its variables (`weights`) when it is made. It maps tensors to tensors when it is called.
tests/every_engine/test_layers_in_the_wild.py trains each layer on every engine and compares it with plain NumPy.
"""
