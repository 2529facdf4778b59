"""Elements of tensors by their places, by the names and arguments of TensorFlow 2.

Source: its documentation.
"""

from typing import Any, List, Optional

import numpy as np
from keras import ops

from .arguments import K, dtype_of, paired, sizes_of


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
    places = indices.shape[1:]
    if None in places:
        raise ValueError(f'tf.gather: the shape {tuple(indices.shape)} of indices is not known but for the samples.')
    tail = params.shape[2:]
    flat = ops.reshape(indices, (-1, int(np.prod(places, dtype=int)), *[1] * len(tail)))
    flat = flat + ops.zeros_like(ops.cast(params[:, :1], 'int32'))
    made = ops.take_along_axis(params, flat, axis=1)
    return ops.reshape(made, (-1, *places, *tail))


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
    made = ops.one_hot(ops.cast(indices, 'int32'), int(depth), axis=-1 if axis is None else int(axis), dtype=dtype)
    if on_value is None and off_value is None:
        return made
    on, off = [default if value is None else value for value, default in ((on_value, 1), (off_value, 0))]
    return ops.cast(made * (on - off) + off, dtype)


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
    made = ops.sort(values, axis)
    return made if _ascending(direction) else ops.flip(made, axis)


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
    flat: List[Any] = [each for each in sorted_sequence.shape if each != 1]
    if len(flat) > 1:
        raise ValueError(f'tf.searchsorted takes one sequence here, not {tuple(sorted_sequence.shape)}.')
    made = ops.searchsorted(ops.reshape(sorted_sequence, (-1,)), ops.reshape(values, (-1,)), side)
    return ops.cast(ops.reshape(made, values.shape), dtype_of(out_type))
