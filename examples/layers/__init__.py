"""Layers and losses as people write them, each from its paper, with `import keras_backend as K` only.

Each file stands alone: `python examples/layers/attention.py` shows what its layer does. In the folder of the clone,
`from examples.layers.attention import MultiHeadAttention` imports it.
A layer makes its variables (`weights`) when it is made. It maps tensors to tensors when it is called.
tests/examples/test_layers_in_the_wild.py trains each layer on every engine and compares it with plain NumPy.
"""
