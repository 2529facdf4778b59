"""The NumPy implementation of batch_dot from the documents of Keras."""

import numpy as np


def batch_axes(x_ndim, y_ndim, axes):
    """`axes` as two non-negative ints. An int means both axes, None means the default of the documents."""
    if axes is None:
        axes = (x_ndim - 1, y_ndim - 1 if y_ndim == 2 else y_ndim - 2)
    elif isinstance(axes, int):
        axes = (axes, axes)
    return axes[0] % x_ndim, axes[1] % y_ndim


def batch_dot(x, y, axes=None):
    """A tensordot for each sample. A result of rank 1 becomes (batch, 1)."""
    a, b = batch_axes(x.ndim, y.ndim, axes)
    result = np.array([np.tensordot(xi, yi, (a - 1, b - 1)) for xi, yi in zip(x, y)])
    return result[:, None] if result.ndim == 1 else result
