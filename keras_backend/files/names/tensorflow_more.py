"""More functions of TensorFlow that tf.keras stores as layers, by functions of K, by their names without the module.

Source: the documentation of TensorFlow 2. Functions of images are in `tensorflow_pictures`.
"""
# ruff: noqa: A001, A002

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .counted import axis_of, listed
from .tensorflow_images import check_table

Function = Callable[..., Any]


def tensor(K: Any, value: Any) -> Any:
    """A tensor of a value of a file."""
    return value if K.is_tensor(value) else K.constant(np.asarray(value, 'float32'))


def where(K: Any, condition: Any, x: Any, y: Any) -> Any:
    """The elements of x where the condition holds, and those of y elsewhere. All have the shape of the condition."""
    return K.switch(condition, x, y)


def _spread(K: Any, x: Any, like: Any) -> Any:
    """x in the shape of another tensor; an infinite number stays one."""
    return x + K.zeros_like(like)


# -- one element for each element --------------------------------------------------------------------------------------
def floor(K: Any, x: Any) -> Any:
    rounded = K.round(x)
    return rounded - K.cast(K.greater(rounded, x), K.dtype(x))


def _floormod(K: Any, x: Any, y: Any) -> Any:
    return x - floor(K, x / y) * y


def _divide_no_nan(K: Any, x: Any, y: Any) -> Any:
    x, y = tensor(K, x), tensor(K, y)
    quotient, divisor = x + y, y + K.zeros_like(x)
    none = K.equal(divisor, 0.0)
    safe = where(K, none, K.ones_like(divisor), divisor)
    return where(K, none, K.zeros_like(quotient), _spread(K, x, quotient) / safe)


def _multiply_no_nan(K: Any, x: Any, y: Any) -> Any:
    product = tensor(K, x) * tensor(K, y)
    return where(K, K.equal(_spread(K, tensor(K, y), K.zeros_like(product)), 0.0), K.zeros_like(product), product)


def _is_nan(K: Any, x: Any) -> Any:
    return K.not_equal(x, x)


# -- sums and norms ----------------------------------------------------------------------------------------------------
def _euclidean_norm(K: Any, input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return K.pow(K.sum(K.square(input_tensor), axis=axis, keepdims=bool(keepdims)), 0.5)


def _norm(K: Any, tensor: Any, ord: Any = 'euclidean', axis: Any = None, keepdims: Any = None) -> Any:
    if ord in (1, 1.0):
        return K.sum(K.abs(tensor), axis=axis, keepdims=bool(keepdims))
    if ord not in ('euclidean', 2, 2.0) or (isinstance(axis, (list, tuple)) and len(axis) > 1 and ord != 'euclidean'):
        raise ValueError(f'tf.norm of the order {str(ord)[:60]} has no meaning here.')
    return _euclidean_norm(K, tensor, axis, bool(keepdims))


def _normalize(K: Any, tensor: Any, ord: Any = 'euclidean', axis: Any = None) -> Tuple[Any, Any]:
    norm = _norm(K, tensor, ord, axis, True)
    return tensor / norm, norm


def _clip_by_norm(K: Any, t: Any, clip_norm: Any, axes: Any = None) -> Any:
    return t * clip_norm / K.maximum(_euclidean_norm(K, t, axes, True), clip_norm)


def _count_nonzero(K: Any, input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = None) -> Any:
    return K.sum(K.cast(K.not_equal(input, 0), 'int32'), axis=axis, keepdims=bool(keepdims))


def _zero_fraction(K: Any, value: Any) -> Any:
    return K.mean(K.cast(K.equal(value, 0), 'float32'))


def _size(K: Any, input: Any, out_type: Any = None) -> Any:
    return K.size(input)


# -- order -------------------------------------------------------------------------------------------------------------
def _ranks(K: Any, x: Any) -> Any:
    """The place of each element of the last axis when they are sorted, the greatest first. Of equal ones the first."""
    count = K.int_shape(x)[-1]
    if count is None:
        raise ValueError('it sorts an axis of unknown length, which is not done here')
    check_table(count, count)
    own, other = K.expand_dims(x, -1), K.expand_dims(x, -2)
    before = K.constant(np.tril(np.ones((count, count)), -1))
    ahead = K.cast(K.greater(other, own), 'float32') + K.cast(K.equal(other, own), 'float32') * before
    return K.sum(ahead, axis=-1)


def _sorted(K: Any, x: Any, places: Sequence[int]) -> Tuple[Any, Any]:
    """The elements at some places of the sorted last axis, and where they were."""
    ranks = K.expand_dims(_ranks(K, x), -2)
    chosen = K.equal(ranks, K.constant(np.asarray(places, 'float32').reshape(-1, 1)))
    values = _spread(K, K.expand_dims(x, -2), K.cast(chosen, K.dtype(x)))
    values = K.sum(where(K, chosen, values, K.zeros_like(values)), axis=-1)
    numbers = K.constant(np.arange(K.int_shape(x)[-1], dtype='float32'))
    return values, K.cast(K.sum(K.cast(chosen, 'float32') * numbers, axis=-1), 'int32')


def _top_k(K: Any, input: Any, k: int = 1, sorted: bool = True, index_type: Any = None) -> Tuple[Any, Any]:
    count = K.int_shape(input)[-1]
    if count is not None and k > count:
        raise ValueError(f'it takes the greatest {k} of {count} elements')
    return _sorted(K, input, range(k))


def _in_order(number: int) -> Function:
    """`sort` (0) or `argsort` (1)."""

    def order(K: Any, values: Any, axis: int = -1, direction: str = 'ASCENDING', stable: bool = False) -> Any:
        rank = K.ndim(values)
        axis = axis_of(axis, rank)
        axes = [*[other for other in range(rank) if other != axis], axis]
        x = K.permute_dimensions(values, axes)
        # The first of equal elements comes first in both directions.
        ordered = _sorted(K, x if direction == 'DESCENDING' else -x, range(K.int_shape(x)[-1] or 0))[number]
        ordered = -ordered if direction != 'DESCENDING' and number == 0 else ordered
        return K.permute_dimensions(ordered, [axes.index(other) for other in range(rank)])

    return order


# -- shapes ------------------------------------------------------------------------------------------------------------
def _repeat(K: Any, input: Any, repeats: Any, axis: Optional[int] = None) -> Any:
    if not isinstance(repeats, int) or axis is None:
        raise ValueError('tf.repeat has a meaning for one number and one axis here.')
    return K.repeat_elements(input, repeats, axis_of(axis, K.ndim(input)))


def _roll(K: Any, input: Any, shift: Any, axis: Any) -> Any:
    for count, number in zip(np.ravel(shift).tolist(), np.ravel(axis).tolist()):
        number = axis_of(number, K.ndim(input))
        size = K.int_shape(input)[number]
        if size is None:
            raise ValueError('tf.roll has a meaning for axes of a known length here.')
        ahead, count = (slice(None),) * number, count % size
        if count:
            input = K.concatenate(
                [input[(*ahead, slice(size - count, None))], input[(*ahead, slice(0, size - count))]], number
            )
    return input


def _fill(K: Any, dims: Any, value: Any) -> Any:
    sizes = dims if K.is_tensor(dims) else listed(dims)
    count = K.prod(sizes) if K.is_tensor(dims) else _product(sizes)
    return K.reshape(K.tile(K.reshape(tensor(K, value), (1,)), [count]), sizes)


def _product(sizes: Sequence[Any]) -> Any:
    total: Any = 1
    for size in sizes:
        total = total * size
    return total


def _broadcast_to(K: Any, input: Any, shape: Any) -> Any:
    return input + K.cast(_fill(K, shape, 0.0), K.dtype(input))


def _matrix_transpose(K: Any, a: Any) -> Any:
    rank = K.ndim(a)
    return K.permute_dimensions(a, [*range(rank - 2), rank - 1, rank - 2])


def _sequence_mask(K: Any, lengths: Any, maxlen: Any = None, dtype: Any = None) -> Any:
    if not isinstance(maxlen, int):
        raise ValueError('tf.sequence_mask has a meaning with a number as maxlen here.')
    check_table(maxlen)
    inside = K.less(K.constant(np.arange(maxlen), 'int32'), K.expand_dims(K.cast(lengths, 'int32'), -1))
    return inside if dtype in (None, 'bool') else K.cast(inside, dtype)


def _one_hot(
    K: Any, indices: Any, depth: int, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None
) -> Any:
    if axis not in (None, -1):
        raise ValueError('tf.one_hot has a meaning on the last axis here.')
    check_table(depth)
    ones = K.one_hot(indices, depth)
    on, off = 1.0 if on_value is None else on_value, 0.0 if off_value is None else off_value
    ones = ones if (on, off) == (1.0, 0.0) else ones * (on - off) + off
    return ones if dtype is None else K.cast(ones, dtype)


def _gather(K: Any, params: Any, indices: Any, axis: Any = None, batch_dims: int = 0) -> Any:
    rank, params = K.ndim(params), tensor(K, params)
    axis = axis_of(batch_dims if axis is None else axis, rank)
    if not batch_dims:
        return _gather_on(K, params, indices, axis)
    if (
        batch_dims != 1
        or axis != 1
        or not K.is_tensor(indices)
        or K.ndim(indices) != 2
        or K.int_shape(params)[1] is None
    ):
        raise ValueError('tf.gather with batch_dims has a meaning for the second axis and two axes of indices here.')
    chosen = K.one_hot(K.cast(indices, 'int32'), K.int_shape(params)[1])
    if rank == 2:
        return K.squeeze(K.batch_dot(chosen, K.expand_dims(params, -1), axes=(2, 1)), -1)
    if rank != 3:
        raise ValueError(f'tf.gather with batch_dims of a tensor with {rank} axes has no meaning here.')
    return K.batch_dot(chosen, params, axes=(2, 1))


def _gather_on(K: Any, params: Any, indices: Any, axis: int) -> Any:
    indices = indices if K.is_tensor(indices) else K.constant(np.asarray(indices), 'int32')
    rank, count = K.ndim(params), K.ndim(indices)
    axes = [axis, *[other for other in range(rank) if other != axis]]
    rows = K.gather(K.permute_dimensions(params, axes) if axis else params, indices)
    back = [*range(count, count + axis), *range(count), *range(count + axis, count + rank - 1)]
    return K.permute_dimensions(rows, back) if axis and count else rows


# -- matrices ----------------------------------------------------------------------------------------------------------
def _sides(K: Any, x: Any) -> Tuple[int, int]:
    rows, columns = K.int_shape(x)[-2:]
    if rows is None or columns is None:
        raise ValueError('it needs matrices of a known size')
    check_table(rows, columns)
    return rows, columns


def _band_part(K: Any, input: Any, num_lower: int, num_upper: int) -> Any:
    rows, columns = _sides(K, input)
    far = np.arange(columns)[None] - np.arange(rows)[:, None]
    inside = ((num_lower < 0) | (-far <= num_lower)) & ((num_upper < 0) | (far <= num_upper))
    inside = K.greater(_spread(K, K.constant(inside.astype('float32')), input), 0.0)
    return where(K, inside, input, K.zeros_like(input))


def _diag_part(K: Any, input: Any) -> Any:
    rows, columns = _sides(K, input)
    count = min(rows, columns)
    return K.sum(_band_part(K, input, 0, 0)[..., :count, :], axis=-1)


def _trace(K: Any, x: Any) -> Any:
    return K.sum(_diag_part(K, x), axis=-1)


def _cross(K: Any, a: Any, b: Any) -> Any:
    (p, q, r), (u, v, w) = [[x[..., axis] for axis in range(3)] for x in (a, b)]
    return K.stack([q * w - r * v, r * u - p * w, p * v - q * u], axis=-1)


# -- networks ----------------------------------------------------------------------------------------------------------
def _nhwc(value: Any, rank: int, name: str) -> Tuple[int, ...]:
    """The sizes for the axes of an image, of one number, of these, or of all four."""
    numbers: List[int] = [int(number) for number in np.ravel(1 if value is None else value)]
    if len(numbers) == rank + 2:
        if numbers[0] != 1 or numbers[-1] != 1:
            raise ValueError(f'tf.nn.{name} has a meaning for sizes like [1, 2, 2, 1] here.')
        numbers = numbers[1:-1]
    return tuple(numbers * rank if len(numbers) == 1 else numbers)


def _check_plain(name: str, padding: Any, data_format: Any) -> str:
    if data_format not in (None, 'NHWC', 'NWC') or not isinstance(padding, str):
        raise ValueError(f'tf.nn.{name} has a meaning for NHWC, and for the padding SAME or VALID here.')
    return padding.lower()


def _pool2d(mode: str) -> Function:
    def pool(K: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC') -> Any:
        name = f'{mode}_pool2d'
        side = _check_plain(name, padding, data_format)
        return K.pool2d(input, _nhwc(ksize, 2, name), _nhwc(strides, 2, name), side, 'channels_last', mode)

    return pool


def _convolution(rank: int) -> Function:
    def convolution(
        K: Any, input: Any = None, filters: Any = None, strides: Any = None, padding: Any = None,
        data_format: Any = None, dilations: Any = None, use_cudnn_on_gpu: Any = True, **older: Any,
    ) -> Any:  # fmt: skip
        name = f'conv{rank}d'
        input, strides = older.pop('value', input), older.pop('stride', strides)
        filters = older.pop('filter', filters)
        if older:
            raise TypeError(f'tf.nn.{name}: {str(next(iter(older)))[:60]} has no meaning here.')
        side = _check_plain(name, padding, data_format)
        steps, rates = _nhwc(strides, rank, name), _nhwc(dilations, rank, name)
        one = rank == 1
        arguments = (steps[0] if one else steps, side, 'channels_last', rates[0] if one else rates)
        return getattr(K, name)(input, tensor(K, filters), *arguments)

    return convolution


def _depthwise_conv2d(
    K: Any, input: Any, filter: Any, strides: Any, padding: Any, rate: Any = None, data_format: Any = None,
    dilations: Any = None,
) -> Any:  # fmt: skip
    side = _check_plain('depthwise_conv2d', padding, data_format)
    rates = _nhwc(rate if dilations is None else dilations, 2, 'depthwise_conv2d')
    steps = _nhwc(strides, 2, 'depthwise_conv2d')
    return K.depthwise_conv2d(input, tensor(K, filter), steps, side, 'channels_last', rates)


def _sigmoid_cross_entropy(K: Any, labels: Any = None, logits: Any = None) -> Any:
    return K.relu(logits) - logits * labels + K.softplus(-K.abs(logits))


# Functions by their names. Those of `tf`, `tf.math`, `tf.nn` and `tf.linalg` have no name in common.
MORE: Dict[str, Function] = {
    'floor': floor,
    'ceil': lambda K, x: -floor(K, -x),
    'floormod': _floormod,
    'mod': _floormod,
    'floor_div': lambda K, x, y: floor(K, x / y),
    'floordiv': lambda K, x, y: floor(K, x / y),
    'expm1': lambda K, x: K.exp(x) - 1.0,
    'log1p': lambda K, x: K.log(1.0 + x),
    'log_sigmoid': lambda K, x: -K.softplus(-x),
    'softplus': lambda K, features: K.softplus(features),
    'softsign': lambda K, features: K.softsign(features),
    'tan': lambda K, x: K.sin(x) / K.cos(x),
    'sinh': lambda K, x: (K.exp(x) - K.exp(-x)) / 2.0,
    'cosh': lambda K, x: (K.exp(x) + K.exp(-x)) / 2.0,
    'reciprocal': lambda K, x: 1.0 / x,
    'divide_no_nan': _divide_no_nan,
    'multiply_no_nan': _multiply_no_nan,
    'is_nan': _is_nan,
    'scalar_mul': lambda K, scalar, x: scalar * x,
    'add_n': lambda K, inputs: sum(inputs[1:], inputs[0]),
    'accumulate_n': lambda K, inputs, shape=None, tensor_dtype=None: sum(inputs[1:], inputs[0]),
    'reduce_euclidean_norm': _euclidean_norm,
    'norm': _norm,
    'normalize': _normalize,
    'clip_by_norm': _clip_by_norm,
    'count_nonzero': _count_nonzero,
    'zero_fraction': _zero_fraction,
    'size': _size,
    'top_k': _top_k,
    'sort': _in_order(0),
    'argsort': _in_order(1),
    'repeat': _repeat,
    'roll': _roll,
    'fill': _fill,
    'broadcast_to': _broadcast_to,
    'matrix_transpose': _matrix_transpose,
    'sequence_mask': _sequence_mask,
    'one_hot': _one_hot,
    'gather': _gather,
    'embedding_lookup': lambda K, params, ids, **more: _gather(K, tensor(K, params), ids, 0),
    'band_part': _band_part,
    'diag_part': _diag_part,
    'trace': _trace,
    'cross': _cross,
    'crelu': lambda K, features, axis=-1: K.concatenate([K.relu(features), K.relu(-features)], axis),
    'max_pool2d': _pool2d('max'),
    'avg_pool2d': _pool2d('avg'),
    'conv1d': _convolution(1),
    'conv2d': _convolution(2),
    'depthwise_conv2d': _depthwise_conv2d,
    'sigmoid_cross_entropy_with_logits': _sigmoid_cross_entropy,
}
