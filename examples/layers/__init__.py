"""Layers and losses as people write them, each from its paper, with `import keras_backend as K` alone.

A layer makes its variables when it is made (`weights`) and maps tensors to tensors when it is called.
tests/every_engine/test_layers_in_the_wild.py runs and trains each on every engine, beside plain NumPy.
"""
