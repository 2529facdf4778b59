"""Shapes and indices in graphs. Sizes that are known stay numbers, so that they are known where TensorFlow knows them.

Source: the documentation of tf.raw_ops of TensorFlow 2.
"""

from typing import Any, Dict, List, Sequence

import numpy as np

from ..names.tensorflow_images import Images
from ..names.tensorflow_more import MORE
from .steps import MOST_ELEMENTS, Operation, Sizes, Step, entry_of, is_known, product, sizes_of


# -- shapes ------------------------------------------------------------------------------------------------------------
def _shape(step: Step, inputs: List[Any]) -> Any:
    return sizes_of(step.shape(inputs[0]))


def _reshape(step: Step, inputs: List[Any]) -> Any:
    x, sizes = inputs
    if is_known(sizes):
        lengths = [int(size) for size in sizes.ravel()]
        return x.reshape(lengths) if is_known(x) else step.K.reshape(step.tensor(x), lengths)
    if isinstance(sizes, Sizes):
        entries = [int(size) if isinstance(size, (int, np.integer)) else size for size in sizes.entries]
        unknown = [place for place, size in enumerate(entries) if not isinstance(size, int)]
        if len(unknown) == 1 and -1 not in [size for size in entries if isinstance(size, int)]:
            entries[unknown[0]] = -1
        return step.K.reshape(step.tensor(x), tuple(entries))
    raise step.unknown('a shape')


def _transpose(step: Step, inputs: List[Any]) -> Any:
    order = step.numbers(inputs[1], 'the order of axes')
    return np.transpose(inputs[0], order) if is_known(inputs[0]) else step.K.permute_dimensions(inputs[0], order)


def _expand(step: Step, inputs: List[Any]) -> Any:
    axis = step.axis(step.number(inputs[1], 'the axis'), step.rank(inputs[0]) + 1)
    return np.expand_dims(inputs[0], axis) if is_known(inputs[0]) else step.K.expand_dims(step.tensor(inputs[0]), axis)


def _squeeze(step: Step, inputs: List[Any]) -> Any:
    (x,), node = inputs, step.node
    static = step.static(x)
    axes = node.integers('squeeze_dims') or node.integers('axis')
    places = {step.axis(axis, len(static)) for axis in axes} or {i for i, size in enumerate(static) if size == 1}
    if is_known(x):
        return np.squeeze(x, tuple(places))
    x = step.tensor(x)
    for axis in sorted(places, reverse=True):
        x = step.K.squeeze(x, axis)
    return x


def _pack(step: Step, inputs: List[Any]) -> Any:
    axis = step.node.integer('axis')
    if all([is_known(value) for value in inputs]):
        return np.stack(inputs, axis)
    if 'int' in step.node.dtype('T') and not any([step.rank(value) for value in inputs]):
        return sizes_of([int(value) if is_known(value) else value for value in inputs])
    return step.K.stack(step.tensors(inputs), step.axis(axis, step.rank(inputs[0]) + 1))


def _unpack(step: Step, inputs: List[Any]) -> Any:
    (x,), node = inputs, step.node
    if isinstance(x, Sizes):
        return [entry_of(entry) for entry in x.entries]
    axis = step.axis(node.integer('axis'), step.rank(x))
    size = step.static(x)[axis]
    count = node.integer('num') if size is None else size
    step.budget.spend('entries', count)
    return [x[(slice(None),) * axis + (i,)] for i in range(count)]


def _concat(step: Step, inputs: List[Any]) -> Any:
    *values, last = inputs if step.node.op == 'ConcatV2' else [*inputs[1:], inputs[0]]
    axis = step.number(last, 'the axis')
    if all([is_known(value) for value in values]):
        step.spend([sum([value.size for value in values])], values[0].itemsize)
        return np.concatenate(values, axis)
    if any([isinstance(value, Sizes) for value in values]):
        lists = [value.entries if isinstance(value, Sizes) else list(value) for value in values
                 if isinstance(value, Sizes) or is_known(value)]  # fmt: skip
        if len(lists) == len(values):
            return sizes_of([entry for entries in lists for entry in entries])
    return step.K.concatenate(step.tensors(values), step.axis(axis, step.rank(values[0])))


def _split(step: Step, inputs: List[Any]) -> Any:
    """Parts of a tensor along an axis: so many equal ones, or of these lengths."""
    by_lengths = step.node.op == 'SplitV'
    x, axis = (inputs[0], inputs[2]) if by_lengths else (inputs[1], inputs[0])
    rank, place = step.rank(x), step.number(axis, 'the axis')
    place = step.axis(place, rank)
    size = step.static(x)[place]
    if size is None:
        raise step.unknown('a size')
    count = step.node.integer('num_split')
    lengths = step.numbers(inputs[1], 'the sizes') if by_lengths else [size // max(count, 1)] * min(count, size)
    if -1 in lengths:
        lengths[lengths.index(-1)] = size - sum(lengths) - 1
    if sum(lengths) != size or min(lengths) < 0:
        raise step.error(f'splits an axis of the size {size} in another number of parts')
    parts, start = [], 0
    for length in lengths:
        parts.append(x[(slice(None),) * place + (slice(start, start + length),)])
        start += length
    return parts


def _tile(step: Step, inputs: List[Any]) -> Any:
    x, counts = inputs[0], step.numbers(inputs[1], 'the numbers of copies')
    if is_known(x):
        step.spend([*x.shape, *counts], x.itemsize)
        return np.tile(x, counts)
    if product([*counts, *[size or 1 for size in step.static(x)]]) > MOST_ELEMENTS:
        raise step.error('repeats a tensor more often than is done here')
    return x if set(counts) == {1} else step.K.tile(step.tensor(x), counts)


def _broadcast(step: Step, inputs: List[Any]) -> Any:
    sizes = step.numbers(inputs[1], 'a shape')
    step.spend(sizes, 8)
    if is_known(inputs[0]):
        return np.broadcast_to(inputs[0], sizes)
    x = step.tensor(inputs[0])
    return step.spread(x, step.tensor(np.zeros(sizes, 'int32')))


def _fill(step: Step, inputs: List[Any]) -> Any:
    sizes, value = inputs
    if is_known(sizes) and is_known(value):
        step.spend(sizes.tolist(), value.itemsize)
        return np.full([int(size) for size in sizes], value)
    if not isinstance(sizes, Sizes):
        raise step.unknown('a shape')
    K, total = step.K, step.tensor(np.array(1, 'int32'))
    for size in sizes.entries:
        total = total * step.tensor(entry_of(size), 'int32')
    step.spend(sizes.entries)
    return K.reshape(K.tile(K.reshape(step.tensor(value), (1,)), K.reshape(total, (1,))), tuple(sizes.entries))


def _range(step: Step, inputs: List[Any]) -> Any:
    start, limit, delta = [step.known(value, 'a range').item() for value in inputs]
    if not delta:
        raise step.error('counts by steps of 0')
    step.spend([max(0, int((limit - start) / delta) + 1)], 8)
    return np.arange(start, limit, delta, dtype=step.node.dtype('Tidx') or 'int32')


def _like(number: int) -> Operation:
    def like(step: Step, inputs: List[Any]) -> Any:
        if is_known(inputs[0]):
            return np.full_like(inputs[0], number)
        return getattr(step.K, 'ones_like' if number else 'zeros_like')(step.tensor(inputs[0]))

    return like


def _pad(step: Step, inputs: List[Any]) -> Any:
    """Numbers around a tensor: zeros, a number, or its own ones in a mirror."""
    K, x, mode = step.K, step.tensor(inputs[0]), step.node.text('mode') or 'CONSTANT'
    pairs = step.known(inputs[1], 'the padding').reshape(-1, 2).tolist()
    static = step.static(x)
    step.spend([(size or 1) + before + after for size, (before, after) in zip(static, pairs)])
    value = 0.0 if len(inputs) < 3 else step.known(inputs[2], 'the number around the tensor').item()
    inner = len(pairs) == 4 and pairs[0] == pairs[3] == [0, 0] and mode == 'CONSTANT' and not value
    if inner and 'float' in K.dtype(x):
        return K.spatial_2d_padding(x, (tuple(pairs[1]), tuple(pairs[2])), 'channels_last')
    return Images(K).pad(x, pairs, mode, constant_values=value)


# -- indices -----------------------------------------------------------------------------------------------------------
def _bit(step: Step, name: str, place: int) -> bool:
    return bool(step.node.integer(name) >> place & 1)


def _index(step: Step, bounds: Sequence[Any]) -> List[Any]:
    """The index that the masks of StridedSlice make of three lists."""
    begin, end, strides = bounds
    index: List[Any] = []
    for place, stride in enumerate(strides):
        if _bit(step, 'ellipsis_mask', place):
            index.append(Ellipsis)
        elif _bit(step, 'new_axis_mask', place):
            index.append(None)
        elif _bit(step, 'shrink_axis_mask', place):
            index.append(_of_size(step, begin[place]))
        else:
            first = None if _bit(step, 'begin_mask', place) else _of_size(step, begin[place])
            last = None if _bit(step, 'end_mask', place) else _of_size(step, end[place])
            index.append(slice(first, last, None if stride == 1 else int(stride)))
    return index


def _of_size(step: Step, value: Any) -> int:
    if not isinstance(value, (int, np.integer)):
        raise step.unknown('an index')
    return int(value)


def _strided(step: Step, inputs: List[Any]) -> Any:
    x, *bounds = inputs
    lists = [bound.entries if isinstance(bound, Sizes) else step.numbers(bound, 'an index') for bound in bounds]
    index = _index(step, lists)
    return _indexed(step, x, tuple(index))


def _indexed(step: Step, x: Any, index: Any) -> Any:
    if not isinstance(x, Sizes):
        return np.asarray(x[index]) if is_known(x) else step.tensor(x)[index]
    if len(index) != 1 or index[0] in (None, Ellipsis):
        return step.tensor(x)[index]
    chosen = x.entries[index[0]]
    return sizes_of(chosen) if isinstance(chosen, list) else entry_of(chosen)


def _slice(step: Step, inputs: List[Any]) -> Any:
    begin, size = [step.numbers(value, 'an index') for value in inputs[1:]]
    index = [slice(start, None if count < 0 else start + count) for start, count in zip(begin, size)]
    return _indexed(step, inputs[0], tuple(index))


def _gather(step: Step, inputs: List[Any]) -> Any:
    x, indices = inputs[:2]
    rank = step.rank(x)
    axis = step.axis(step.number(inputs[2], 'the axis') if len(inputs) > 2 else 0, rank)
    batch = step.node.integer('batch_dims')
    if is_known(indices) and not batch and not isinstance(x, Sizes):
        size = step.static(x)[axis]
        if size is not None and indices.size and not (0 <= indices.min() and indices.max() < size):
            raise step.error(f'takes an index that an axis of the size {size} has not')
        if is_known(x) or not indices.ndim:
            number = indices if is_known(x) else int(indices)
            return (
                np.asarray(x[(slice(None),) * axis + (number,)])
                if is_known(x)
                else x[(slice(None),) * axis + (number,)]
            )
    if isinstance(x, Sizes) and is_known(indices) and indices.ndim < 2:
        chosen = [x.entries[int(number)] for number in indices.ravel()]
        return sizes_of(chosen) if indices.ndim else entry_of(chosen[0])
    return MORE['gather'](step.K, step.tensor(x), step.tensor(indices), axis, batch)


def _gather_nd(step: Step, inputs: List[Any]) -> Any:
    """Parts at places: the last axis of the indices has a place along each of the first axes of the tensor."""
    K, (x, indices) = step.K, inputs
    sizes, depth = list(step.static(x)), step.static(indices)[-1]
    if depth is None or None in sizes[1:]:
        raise step.unknown('a size')
    if depth > len(sizes):
        raise step.error(f'has indices of {depth} axes for a tensor of {len(sizes)}')
    if is_known(indices) and indices.size:
        lengths = [2**31 - 1 if size is None else size for size in sizes[:depth]]
        if indices.min() < 0 or np.any(indices.reshape(-1, depth).max(0) >= lengths):
            raise step.error(f'takes a place that a tensor of the shape {tuple(sizes)} has not')
    if is_known(x) and is_known(indices):
        return np.asarray(x[tuple(np.moveaxis(indices, -1, 0))])
    if not depth:
        raise step.error('has indices of no axis, which has no meaning here')
    places = step.tensor(indices)
    number = is_there = None
    for axis in range(depth):
        place = K.cast(places[..., axis], 'int32')
        number = place if number is None else number * sizes[axis] + place
        if axis:
            fits = K.cast(K.greater_equal(place, 0), 'int32') * K.cast(K.less(place, sizes[axis]), 'int32')
            is_there = fits if is_there is None else is_there * fits
    if is_there is not None:  # a place that is not there is none of another row, but one behind all
        number = number * is_there + (1 - is_there) * (2**31 - 1)
    return K.gather(K.reshape(step.tensor(x), (-1, *sizes[depth:])), number)


def _reverse(step: Step, inputs: List[Any]) -> Any:
    x, rank = inputs[0], step.rank(inputs[0])
    axes = [step.axis(axis, rank) for axis in step.numbers(inputs[1], 'the axes')]
    return np.flip(x, tuple(axes)) if is_known(x) else step.K.reverse(step.tensor(x), axes) if axes else x


def _inverted(step: Step, inputs: List[Any]) -> Any:
    return np.argsort(step.known(inputs[0], 'an order')).astype(inputs[0].dtype)


def _size(step: Step, inputs: List[Any]) -> Any:
    sizes = step.shape(inputs[0])
    if all([isinstance(size, (int, np.integer)) for size in sizes]):
        return np.array(product(sizes), 'int32')
    return step.K.size(step.tensor(inputs[0]))


SHAPES: Dict[str, Operation] = {
    'Shape': _shape,
    'Rank': lambda step, inputs: np.array(step.rank(inputs[0]), 'int32'),
    'Size': _size,
    'Reshape': _reshape,
    'Transpose': _transpose,
    'ExpandDims': _expand,
    'Squeeze': _squeeze,
    'Pack': _pack,
    'Unpack': _unpack,
    **dict.fromkeys(['Concat', 'ConcatV2'], _concat),
    **dict.fromkeys(['Split', 'SplitV'], _split),
    'Tile': _tile,
    'BroadcastTo': _broadcast,
    'Fill': _fill,
    'Range': _range,
    'ZerosLike': _like(0),
    'OnesLike': _like(1),
    **dict.fromkeys(['Pad', 'PadV2', 'MirrorPad'], _pad),
    'StridedSlice': _strided,
    'Slice': _slice,
    **dict.fromkeys(['Gather', 'GatherV2', 'ResourceGather'], _gather),
    'GatherNd': _gather_nd,
    'ReverseV2': _reverse,
    'InvertPermutation': _inverted,
}  # fmt: skip
