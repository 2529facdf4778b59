"""Products of floats on TensorFlow, with gradients that are right where an entry is 0.

Those of its running product divide by the entries. Its product has them in its second gradient.
"""

from typing import Any, Callable, Tuple

import tensorflow as tf

Tensor = Any
Slope = Callable[[Tensor], Any]


def product(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    """The product of floats along axes."""
    rank = len(x.shape)
    kept = [i for i in range(rank) if i not in axes]
    sizes = tf.gather(tf.shape(x), tf.constant(kept, 'int32'))
    # Not left to the reshape, which cannot find it out where there are no entries.
    count = tf.reduce_prod(tf.gather(tf.shape(x), tf.constant(axes, 'int32')))
    y = _product(tf.reshape(tf.transpose(x, [*kept, *axes]), tf.concat([sizes, [count]], 0)))
    y.set_shape([x.shape[i] for i in kept])
    for i in sorted(axes) if keepdims else ():
        y = tf.expand_dims(y, i)
    return y


@tf.custom_gradient
def _product(x: Tensor) -> Tuple[Tensor, Slope]:
    def slope(g: Tensor) -> Tensor:
        after = tf.reverse(_before(tf.reverse(x, [-1])), [-1])
        return g[..., None] * _before(x) * after

    return tf.reduce_prod(x, -1), slope


def _before(x: Tensor) -> Tensor:
    """For each entry the product of those before it."""
    return _running(tf.concat([tf.ones_like(x[..., :1]), x[..., :-1]], -1))


def running_product(x: Tensor, axis: int) -> Tensor:
    """For each entry of floats the product of those up to it."""
    if axis in (-1, len(x.shape) - 1):
        return _running(x)
    order = [i for i in range(len(x.shape)) if i != axis] + [axis]
    return tf.transpose(_running(tf.transpose(x, order)), [order.index(i) for i in range(len(order))])


@tf.custom_gradient
def _running(x: Tensor) -> Tuple[Tensor, Slope]:
    def slope(g: Tensor) -> Tensor:
        if x.shape[-1] is None:
            return _slope_of_unknown(x, g)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _doubled(x)
        return tape.gradient(y, x, g)

    return tf.math.cumprod(x, -1), slope


def _doubled(x: Tensor) -> Tensor:
    """The running product by multiplications alone, each of twice as many entries as the one before.

    Of a, b, c, d: the first gives a, ab, bc, cd, the second a, ab, abc, abcd.
    """
    reach = 1
    while reach < x.shape[-1]:
        x = tf.concat([x[..., :reach], x[..., reach:] * x[..., :-reach]], -1)
        reach *= 2
    return x


def _slope_of_unknown(x: Tensor, g: Tensor) -> Tensor:
    """The slope where the number of entries n is known in the run alone. It needs n * n numbers."""
    indices = tf.range(tf.shape(x)[-1])
    # In row i, 1 stands for entry i: the products of the others.
    others = _running(tf.where(tf.equal(indices[:, None], indices[None, :]), tf.ones((), x.dtype), x[..., None, :]))
    late = tf.cast(indices[:, None] <= indices[None, :], x.dtype)
    return tf.reduce_sum(others * late * g[..., None, :], -1)
