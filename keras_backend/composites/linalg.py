"""Products of matrices, said in other K functions."""

from ..shapes import batch_dot_axes

K = None  # the engine's namespace, set by binding.rebind


def transpose(x):
    return K.permute_dimensions(x, tuple(range(K.ndim(x)))[::-1])


def batch_dot(x, y, axes=None):
    static_x, static_y = K.int_shape(x), K.int_shape(y)
    axis_x, axis_y = batch_dot_axes(static_x, static_y, axes)
    left = [i for i in range(1, len(static_x)) if i != axis_x]
    right = [i for i in range(1, len(static_y)) if i != axis_y]
    if not left and not right:
        return K.sum(x * y, axis=1, keepdims=True)
    # As (batch, left, contracted, right): every engine can multiply and sum; one with a batched product overrules this.
    x = K.permute_dimensions(x, [0] + left + [axis_x])
    y = K.permute_dimensions(y, [0, axis_y] + right)
    for _ in right:
        x = K.expand_dims(x, -1)
    for _ in left:
        y = K.expand_dims(y, 1)
    return K.sum(x * y, axis=1 + len(left))
