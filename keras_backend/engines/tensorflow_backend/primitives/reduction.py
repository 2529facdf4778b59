"""Reductions and running values, and products."""

from typing import Any, Callable, List, Tuple

from ....basics.shapes import known, product
from ....errors import ShapeError
from ..tensors.graph import check, describe
from ..tensors.tensors import static_shape, used, widened
from ..vendor import EagerTensor, set_gradient, tf

cumsum = tf.cumsum
softmax, log_softmax = tf.nn.softmax, tf.nn.log_softmax


def _over_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *, axes, keepdims: function(x, axes, keepdims)


sum, max, min = _over_axes(tf.reduce_sum), _over_axes(tf.reduce_max), _over_axes(tf.reduce_min)
any, all = _over_axes(tf.reduce_any), _over_axes(tf.reduce_all)


def mean(x: Any, *, axes: Any, keepdims: bool) -> Any:
    if x.dtype.size > 2:
        return tf.reduce_mean(x, axes, keepdims)
    # The sum that the mean is made of may be larger than half precision holds.
    return tf.cast(tf.reduce_mean(tf.cast(x, tf.float32), axes, keepdims), x.dtype)


def prod(x: Any, *, axes: Any, keepdims: bool) -> Any:
    shape: Any = None if x.shape.rank is None else static_shape(x)
    count = None if shape is None else product([shape[i] for i in axes])
    if not count or not x.dtype.is_floating:
        return tf.reduce_prod(x, axes, keepdims)
    # By halves: the second derivative of TensorFlow's own is NaN where an entry is 0.
    kept = [i for i in range(len(shape)) if i not in axes]
    x = tf.transpose(x, kept + list(axes))
    sizes = tf.shape(x)
    x = tf.reshape(x, tf.concat([sizes[: len(kept)], [count]], 0))
    while count > 1:
        half, odd = divmod(count, 2)
        halves = x[..., :half] * x[..., half : 2 * half]
        x, count = (tf.concat([halves, x[..., -1:]], -1) if odd else halves), half + odd
    x = tf.squeeze(x, [-1])
    for i in axes if keepdims else ():
        x = tf.expand_dims(x, i)
    return x


def cumprod(x: Any, *, axis: int) -> Any:
    y = tf.cumprod(x, axis)
    if y.dtype.is_floating and x.shape.rank is not None and not isinstance(y, EagerTensor):
        set_gradient(y.op, 'KerasBackendRunningProduct')
    return y


@tf.RegisterGradient('KerasBackendRunningProduct')
def _gradient_of_cumprod(op: Any, g: Any) -> List[Any]:
    """That of TensorFlow divides by the entries, and is 0 or NaN where one is 0. This one needs n * n numbers for n."""
    x, axis = op.inputs[0], int(tf.get_static_value(op.inputs[1])) % op.inputs[0].shape.rank
    order = [i for i in range(x.shape.rank) if i != axis] + [axis]
    x, g = tf.transpose(x, order), tf.transpose(g, order)
    indices = tf.range(tf.shape(x)[-1])
    # In row i, 1 stands for entry i: the products of the others.
    own = tf.equal(indices[:, None], indices[None, :])
    others = cumprod(tf.where_v2(own, tf.ones((), x.dtype), x[..., None, :]), axis=x.shape.rank)
    late = tf.cast(indices[:, None] <= indices[None, :], x.dtype)
    total = tf.reduce_sum(others * late * g[..., None, :], -1)
    return [tf.transpose(total, [order.index(i) for i in range(len(order))]), None]


def argmax(x: Any, *, axis: int) -> Any:
    return tf.argmax(_nan_as_extreme(x, 1), axis=axis, output_type=tf.int64)


def argmin(x: Any, *, axis: int) -> Any:
    return tf.argmin(_nan_as_extreme(x, -1), axis=axis, output_type=tf.int64)


def _nan_as_extreme(x: Any, sign: int) -> Any:
    """`x` with NaN as the number beyond all others in the direction of `sign`; the kernels would pass over it."""
    if x.dtype == tf.bool:
        return tf.cast(x, tf.int32)
    if not x.dtype.is_floating:
        return x
    finite = tf.minimum(x, x.dtype.max) if sign > 0 else tf.maximum(x, x.dtype.min)
    return tf.where(tf.is_nan(x), tf.fill(tf.shape(x), tf.constant(sign * float('inf'), x.dtype)), finite)


# -- products ----------------------------------------------------------------------------------------------------------
# Products.


@widened
def tensordot(x: Any, y: Any, *, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Any:
    shape_x, shape_y = static_shape(x), static_shape(y)
    for i, j in zip(axes_x, axes_y):
        if known(shape_x[i]) and known(shape_y[j]) and shape_x[i] != shape_y[j]:
            raise ShapeError(
                f'{describe(x)} of shape {shape_x} and {describe(y)} of shape {shape_y} cannot be multiplied: axis {i} '
                f'of the first has {shape_x[i]} entries, axis {j} of the second {shape_y[j]}.'
            )
    if axes_x == (1,) and axes_y == (0,) and len(shape_x) == len(shape_y) == 2:
        return tf.matmul(x, y)
    return tf.tensordot(x, y, [axes_x, axes_y])


@widened
def matmul(x: Any, y: Any, *, transpose_x: bool, transpose_y: bool) -> Any:
    if known(static_shape(x)[0]) and known(static_shape(y)[0]):
        return tf.matmul(x, y, transpose_a=transpose_x, transpose_b=transpose_y)
    # This kernel does not broadcast: a batch of one beside a larger one is an error.
    return tf.raw_ops.BatchMatMul(x=x, y=y, adj_x=transpose_x, adj_y=transpose_y)


# -- sparse matrices ---------------------------------------------------------------------------------------------------
# Sparse matrices.


def to_dense(x: Any) -> Any:
    check(x)
    # The entries of a tensor that a user feeds or makes may come in any order.
    dense = tf.sparse.to_dense(tf.sparse.reorder(x))
    dense.set_shape(x.shape)
    return dense


def sparse_cast(x: Any, *, dtype: str) -> Any:
    tensor = tf.cast(x, dtype)
    tensor.name = describe(tensor)
    tensor._keras_shape = static_shape(x)
    return tensor


def sparse_dot(x: Any, y: Any, *, transpose: bool) -> Any:
    columns, rows = static_shape(x)[0 if transpose else 1], static_shape(y)[0]
    if None not in (columns, rows) and columns != rows:
        raise ShapeError(
            f'{describe(x)} of shape {static_shape(x)} and {describe(y)} of shape {static_shape(y)} cannot be '
            f'multiplied: {columns} entries beside {rows}.'
        )
    return tf.sparse.sparse_dense_matmul(x, y, adjoint_a=transpose)


def sparse_concatenate(*xs: Any, axis: int) -> Any:
    return tf.sparse.concat(axis, [used(x) for x in xs])
