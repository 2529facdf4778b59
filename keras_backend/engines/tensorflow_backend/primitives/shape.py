"""Primitives that rearrange, cut out and look up."""

from typing import Any, Callable, Dict, Tuple

from ....basics.shapes import product
from ....errors import ShapeError
from ..tensors.graph import describe
from ..tensors.tensors import converted, is_tensor, size_of, sizes, static_shape, wide
from ..vendor import tf


def reshape(x: Any, shape: Any) -> Any:
    target = sizes(shape)
    if not is_tensor(target) and x.shape.rank is not None:
        open_ones = [n for n in target if n == -1]
        if len(open_ones) > 1 or any([n < -1 for n in target]):
            raise ShapeError(f'{target} is no shape; at most one size may be left open (-1 or None).')
        have, count, expected = static_shape(x), product(static_shape(x)), product([n for n in target if n != -1])
        if count is not None and (expected != count if not open_ones else expected == 0 or count % expected):
            raise ShapeError(f'{count} values of {describe(x)} of shape {have} do not fill the shape {target}.')
    return tf.reshape(x, target)


def squeeze(x: Any, *, axis: int) -> Any:
    size = static_shape(x)[axis]
    if size not in (1, None):
        raise ShapeError(
            f'axis {axis} of {describe(x)} of shape {static_shape(x)} cannot be squeezed: its size is {size}, not 1.'
        )
    return tf.squeeze(x, [axis])


def _tiled(x: Any, times: Any) -> Any:
    # TensorFlow has no kernel for uint16.
    return tf.cast(tf.tile(tf.cast(x, tf.int32), times), tf.uint16) if x.dtype == tf.uint16 else tf.tile(x, times)


def repeat(x: Any, *, repeats: int, axis: int) -> Any:
    rank = len(static_shape(x))
    times = [1] * (rank + 1)
    times[axis + 1] = repeats
    target = [size_of(x, i) for i in range(rank)]
    target[axis] = target[axis] * repeats
    return tf.reshape(_tiled(tf.expand_dims(x, axis + 1), times), target)


def getitem(x: Any, *indices: Any, spec: Tuple[Any, ...]) -> Any:
    return x[tuple([slice(*entry[1:]) if isinstance(entry, tuple) else entry for entry in spec])]


def arange(start: Any, stop: Any, step: Any, *, dtype: str) -> Any:
    bounds = [start, stop, step]
    # Counted in full precision: the bounds may be fractions where the dtype of the result is an integer.
    counted = tf.float64 if any([b.dtype.is_floating for b in bounds]) else tf.int32
    start, stop, step = [converted(b, counted) for b in bounds]
    first, last, by = map(tf.get_static_value, (start, stop, step))
    if first is None or last is None or by is None or (last - first) * by < 0:
        # A range that ends before it starts is empty. The kernel refuses it.
        stop = tf.where_v2(step > 0, tf.maximum(start, stop), tf.minimum(start, stop))
    return converted(tf.range(start, stop, step), dtype)


def one_hot(indices: Any, *, num_classes: Any, dtype: str) -> Any:
    if indices.dtype not in (tf.uint8, tf.int8, tf.int32, tf.int64):
        indices = tf.cast(indices, tf.int64)
    return tf.one_hot(indices, num_classes, dtype=dtype)


IN_A_LINE: Dict[str, Callable[..., Any]] = {
    'gather': lambda x, indices: tf.gather(x, wide(indices)),
    'shape': tf.shape,
    'broadcast_to': lambda x, shape: tf.broadcast_to(x, sizes(shape)),
    'transpose': lambda x, *, perm: tf.transpose(x, perm),
    'expand_dims': lambda x, *, axis: tf.expand_dims(x, axis),
    'concatenate': lambda *xs, axis: tf.concat(xs, axis),
    'stack': lambda *xs, axis: tf.stack(xs, axis),
    'tile': lambda x, reps: _tiled(x, sizes(reps)),
    'reverse': lambda x, *, axes: tf.reverse(x, axes),
    'pad': lambda x, *, widths, value: tf.pad(x, widths, constant_values=value),
    'nonzero': lambda x: tf.reshape(tf.where_v2(x), (-1,)),
    'slice_axis': lambda x, start, stop, axis: x[(slice(None),) * axis + (slice(start, stop),)],
}
