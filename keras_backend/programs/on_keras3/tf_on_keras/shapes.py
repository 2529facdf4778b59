"""Shapes, places and parts of tensors, by the names and arguments of TensorFlow 2.

Source: its documentation.
"""
# ruff: noqa: A002

from typing import Any, List, Optional, Sequence

import numpy as np
from keras import ops

from ....engines.keras3_backend.tensors.sizes import Symbols, is_symbol
from .arguments import K, as_tensor, axes_of, dtype_of, is_tensor, paired, sizes_of


def reshape(tensor: Any, shape: Any, name: Any = None) -> Any:
    """The elements in another shape. One size may be -1."""
    return K.reshape(tensor, sizes_of(shape))


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: Any = None) -> Any:
    """The axes in another order, in the reverse one unless it is given."""
    a = ops.conj(a) if conjugate else a
    return ops.transpose(a, None if perm is None else sizes_of(perm))


def expand_dims(input: Any, axis: Any, name: Any = None) -> Any:
    """A new axis of size 1."""
    if is_symbol(input):
        return Symbols([input])
    return ops.expand_dims(input, axes_of(axis))


def squeeze(input: Any, axis: Any = None, name: Any = None) -> Any:
    """The tensor without axes of size 1: those that are given, or all."""
    if axis is None:
        axis = [i for i, size in enumerate(input.shape) if size == 1]
    return ops.squeeze(input, axes_of(axis)) if np.size(axis) else input


def concat(values: Sequence[Any], axis: Any, name: Any = None) -> Any:
    """Tensors one after the other along an axis. Sizes that are ints or names are a vector of sizes."""
    if not any(map(is_tensor, values)) and all(isinstance(vector, (list, tuple, np.ndarray)) for vector in values):
        entries = [size for vector in values for size in vector]
        if all(np.ndim(size) == 0 and not isinstance(size, (float, bool, np.inexact, np.bool_)) for size in entries):
            return K.concatenate(list(values), axis=0)
    return ops.concatenate(_of_one_dtype(values), int(axis))


def stack(values: Sequence[Any], axis: int = 0, name: Any = None) -> Any:
    """Tensors along a new axis. Sizes that a run fills in become a vector of sizes."""
    if all(isinstance(value, (int, np.integer)) for value in values):
        return np.asarray(values, 'int32')
    if all(K.is_symbolic(value) or not is_tensor(value) for value in values) and not any(map(np.ndim, values)):
        return list(values)
    return ops.stack(_of_one_dtype(values), axis)


def _of_one_dtype(values: Sequence[Any]) -> List[Any]:
    known = [value for value in values if is_tensor(value)]
    return [paired(known[0], value)[1] for value in values] if known else list(values)


def unstack(value: Any, num: Optional[int] = None, axis: int = 0, name: Any = None) -> List[Any]:
    """The parts along an axis, which is then gone."""
    return list(ops.unstack(value, num, axis))


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: Any = None) -> List[Any]:
    """Parts along an axis: so many of the same size, or of the sizes that are given. One of these may be -1."""
    axis = int(axis)
    if np.ndim(num_or_size_splits) == 0:
        count, size = int(num_or_size_splits), value.shape[axis]
        if size is not None and size % count:
            raise ValueError(f'tf.split: an axis of size {size} has no {count} equal parts.')
        return list(ops.split(value, count, axis))
    sizes = [int(length) for length in num_or_size_splits]
    if -1 in sizes:
        sizes[sizes.index(-1)] = value.shape[axis] - sum(length for length in sizes if length != -1)
    if value.shape[axis] is not None and sum(sizes) != value.shape[axis]:
        raise ValueError(f'tf.split: the sizes {sizes} have another sum than the axis, {value.shape[axis]}.')
    return list(ops.split(value, [int(end) for end in np.cumsum(sizes)[:-1]], axis))


def tile(input: Any, multiples: Any, name: Any = None) -> Any:
    """The tensor several times along each axis."""
    return K.tile(input, sizes_of(multiples))


def repeat(input: Any, repeats: Any, axis: Any = None, name: Any = None) -> Any:
    """Each element several times along an axis, or of the flat tensor."""
    return ops.repeat(input, repeats, axis)


def slice(input_: Any, begin: Any, size: Any, name: Any = None) -> Any:
    """A part from `begin` on, of a size. The size -1 is all that is left."""
    tensor = as_tensor(input_)
    ends = [_python_slice(start, count) for start, count in zip(sizes_of(begin), sizes_of(size))]
    return K.identity(tensor)[tuple(ends)] if K.is_symbolic(tensor) else tensor[tuple(ends)]


def _python_slice(start: Any, count: Any) -> Any:
    if isinstance(count, int) and count == -1:
        return np.s_[start:]
    return np.s_[start : start + count]


def pad(tensor: Any, paddings: Any, mode: str = 'CONSTANT', constant_values: Any = 0, name: Any = None) -> Any:
    """More elements before and after those of each axis."""
    counts = [[int(count) for count in pair] for pair in paddings]
    if mode.upper() == 'CONSTANT':
        return ops.pad(tensor, counts, 'constant', constant_values)
    if mode.upper() == 'REFLECT':
        return ops.pad(tensor, counts, 'reflect')
    for axis, (before, after) in enumerate(counts):
        leading, size = (np.s_[:],) * axis, tensor.shape[axis]
        first, last = tensor[(*leading, np.s_[:before])], tensor[(*leading, np.s_[size - after :])]
        tensor = ops.concatenate([ops.flip(first, axis), tensor, ops.flip(last, axis)], axis)
    return tensor


def reverse(tensor: Any, axis: Any, name: Any = None) -> Any:
    """The elements in reverse order along axes."""
    return K.reverse(tensor, axes_of(axis))


def roll(input: Any, shift: Any, axis: Any, name: Any = None) -> Any:
    """The elements moved along axes. What leaves one end enters at the other."""
    return ops.roll(input, axes_of(shift), axes_of(axis))


def shape(input: Any, out_type: Any = 'int32', name: Any = None) -> Any:
    """The sizes. Those that are not known while a model is built are tensors that a run fills in."""
    return K.shape(input)


def size(input: Any, out_type: Any = 'int32', name: Any = None) -> Any:
    """The number of elements."""
    return K.size(input)


def rank(input: Any, name: Any = None) -> int:
    """The number of axes."""
    return len(input.shape)


def broadcast_to(input: Any, shape: Any, name: Any = None) -> Any:
    """The tensor spread to a shape."""
    sizes = sizes_of(shape)
    if any(K.is_symbolic(size) for size in sizes):
        return input + K.zeros(sizes, K.dtype(input))
    return ops.broadcast_to(input, sizes)


def ensure_shape(x: Any, shape: Any, name: Any = None) -> Any:
    """The tensor itself, or an error if its shape is another."""
    expected = list(shape)
    if len(expected) != len(x.shape) or any(
        None not in (known, size) and known != size for known, size in zip(x.shape, expected)
    ):
        raise ValueError(f'tf.ensure_shape: the shape {tuple(x.shape)} is not {tuple(expected)}.')
    return x


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: Any = None) -> Any:
    """The elements where a mask is true. How many there are has to be known on JAX and while a model is built."""
    start = 0 if axis is None else int(axis)
    if K.is_symbolic(tensor):
        return K.identity(tensor)[(*(np.s_[:],) * start, mask)]
    covered = len(mask.shape)
    rows = ops.reshape(tensor, (*tensor.shape[:start], -1, *tensor.shape[start + covered :]))
    (kept,) = ops.nonzero(ops.reshape(ops.cast(mask, 'bool'), (-1,)))
    return ops.take(rows, kept, axis=start)


def meshgrid(*args: Any, indexing: str = 'xy', name: Any = None) -> List[Any]:
    """The coordinates of a grid."""
    return list(ops.meshgrid(*args, indexing=indexing))


# -- elements by their places ------------------------------------------------------------------------------------------
# Elements of tensors by their places, by the names and arguments of TensorFlow 2.
#
# Source: its documentation.


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0, name: Any = None
) -> Any:
    """The parts at places along an axis. With batch_dims, each sample has its own places."""
    indices = ops.cast(indices, 'int32')
    batch = int(batch_dims) % (len(indices.shape) + 1)
    axis = batch if axis is None else int(axis) % len(params.shape)
    if not batch:
        return ops.take(params, indices, axis=axis)
    if axis != batch:
        raise ValueError(f'tf.gather: with batch_dims={batch}, axis has to be {batch} here, and {axis} was given.')
    if batch != 1:
        raise ValueError(f'tf.gather: batch_dims is 0 or 1 here, and {batch} was given; put the axes together.')
    return _of_each_sample(params, indices)


def _of_each_sample(params: Any, indices: Any) -> Any:
    """params (samples, n, ...), indices (samples, ...): the parts of each sample at its own places."""
    sizes = indices.shape[1:]
    if None in sizes:
        raise ValueError(f'tf.gather: the shape {tuple(indices.shape)} of indices is not known but for the samples.')
    tail = params.shape[2:]
    flat = ops.reshape(indices, (-1, int(np.prod(sizes, dtype=int)), *[1] * len(tail)))
    flat = flat + ops.zeros_like(ops.cast(params[:, :1], 'int32'))
    gathered = ops.take_along_axis(params, flat, axis=1)
    return ops.reshape(gathered, (-1, *sizes, *tail))


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: Any = None) -> Any:
    """The elements, or parts, at the places that the last axis of indices tells."""
    if batch_dims:
        raise ValueError('tf.gather_nd: batch_dims is not taken here; write tf.gather with batch_dims=1.')
    indices = ops.cast(indices, 'int32')
    deep = indices.shape[-1]
    head, tail = params.shape[:deep], params.shape[deep:]
    if None in head[1:]:
        raise ValueError(f'tf.gather_nd: the sizes {tuple(head)} of params are not known while the model is built.')
    strides = [int(np.prod(head[i + 1 :], dtype=int)) for i in range(deep)]
    flat = ops.sum(indices * ops.convert_to_tensor(np.array(strides, 'int32')), axis=-1)
    return ops.take(ops.reshape(params, (-1, *tail)), flat, axis=0)


def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """Elements of x or y; or, of a condition alone, the places where it holds, one in each row."""
    condition = ops.cast(condition, 'bool')
    if x is None and y is None:
        if K.is_symbolic(condition):
            raise ValueError(
                'tf.where of a condition alone has as many rows as the run tells, which cannot be said while a model '
                'is built; write tf.where(condition, x, y).'
            )
        return ops.stack(list(ops.nonzero(condition)), axis=-1)
    return ops.where(condition, *paired(x, y))


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """A new axis with on_value at the index, and off_value elsewhere, also for an index below 0."""
    dtype = 'float32' if dtype is None else dtype_of(dtype)
    encoded = ops.one_hot(ops.cast(indices, 'int32'), int(depth), axis=-1 if axis is None else int(axis), dtype=dtype)
    if on_value is None and off_value is None:
        return encoded
    on, off = [default if value is None else value for value, default in ((on_value, 1), (off_value, 0))]
    return ops.cast(encoded * (on - off) + off, dtype)


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = 'bool', name: Any = None) -> Any:
    """Whether each step is before the end of its sequence. maxlen has to be known."""
    if maxlen is None:
        if K.is_symbolic(lengths):
            raise ValueError('tf.sequence_mask: type maxlen=N while a model is built, where the lengths are not known.')
        maxlen = int(np.max(ops.convert_to_numpy(lengths)))
    steps = K.arange(sizes_of([maxlen])[0])
    return ops.cast(ops.less(steps, ops.expand_dims(ops.cast(lengths, 'int32'), -1)), dtype_of(dtype))


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """The tensor with other elements at some places."""
    return ops.scatter_update(tensor, ops.cast(indices, 'int32'), paired(tensor, updates)[1])


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """The tensor with something added at some places, more than once where a place is there more than once."""
    shape = [int(size) for size in tensor.shape]
    return tensor + ops.scatter(ops.cast(indices, 'int32'), paired(tensor, updates)[1], shape)


def scatter_nd(indices: Any, updates: Any, shape: Any, name: Any = None) -> Any:
    """Zeros with updates added at their places."""
    return ops.scatter(ops.cast(indices, 'int32'), updates, sizes_of(shape))


def sort(values: Any, axis: int = -1, direction: str = 'ASCENDING', name: Any = None) -> Any:
    """The elements along an axis in order."""
    ordered = ops.sort(values, axis)
    return ordered if _ascending(direction) else ops.flip(ordered, axis)


def argsort(values: Any, axis: int = -1, direction: str = 'ASCENDING', stable: bool = False, name: Any = None) -> Any:
    """The places of the elements along an axis in order."""
    if not _ascending(direction):
        values = -values
    return ops.cast(ops.argsort(values, axis), 'int32')


def _ascending(direction: str) -> bool:
    if direction not in ('ASCENDING', 'DESCENDING'):
        raise ValueError(f"tf.sort: direction is 'ASCENDING' or 'DESCENDING', and {direction!r} was given.")
    return direction == 'ASCENDING'


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = 'left', out_type: Any = 'int32', name: Optional[str] = None
) -> Any:
    """The place of each value in a sorted sequence."""
    flat: List[Any] = [size for size in sorted_sequence.shape if size != 1]
    if len(flat) > 1:
        raise ValueError(f'tf.searchsorted takes one sequence here, not {tuple(sorted_sequence.shape)}.')
    positions = ops.searchsorted(ops.reshape(sorted_sequence, (-1,)), ops.reshape(values, (-1,)), side)
    return ops.cast(ops.reshape(positions, values.shape), dtype_of(out_type))
