"""Functions that rearrange, said in others."""

from typing import Any, Callable, List, Optional, Tuple

from ...basics.arrays import plain_number
from ...basics.library import Tensor
from ...basics.shapes import known, one_of, positive, product, with_rest
from ...errors import ShapeError
from .api import Api

# -- sizes -------------------------------------------------------------------------------------------------------------
# Sizes and indices, without K.


def label(x: Any) -> str:
    """How a message calls `x`."""
    return getattr(x, 'name', None) or 'a tensor'


def sizes(static: Any, shape: Any, x: Any) -> List[Any]:
    """The size of every axis of `x`: an int where the `static` shape knows it, else an element of `shape(x)`."""
    if all(known(size) for size in static):
        return list(static)
    run_time = shape(x)
    return [int(size) if known(size) else run_time[i] for i, size in enumerate(static)]


def along(axis: int, *bounds: Any) -> Tuple[Any, ...]:
    """The index that takes slice(*bounds) of `axis` and all of the axes before it."""
    return (slice(None),) * axis + (slice(*bounds),)


class ComposedShape(Api):
    def flatten(self, x: Any) -> Tensor:
        return self.reshape(x, (-1,))

    def batch_flatten(self, x: Any) -> Tensor:
        static = self.int_shape(x)
        if static is None:
            return self.reshape(x, [self.shape(x)[0], -1])
        if not static:
            return self.reshape(x, [1, 1])
        rest, samples = product(static[1:]), sizes(static[:1], self.shape, x)
        # Not -1, which an empty batch does not settle.
        return self.reshape(
            x, samples + [self.prod(self.shape(x)[1:])] if rest is None else with_rest(samples + [rest])
        )

    def repeat(self, x: Any, n: Any) -> Tensor:
        if self.ndim(x) != 2:
            raise ShapeError(
                f'K.repeat takes a tensor of rank 2 (samples, features), got shape {self.int_shape(x)}; '
                'K.repeat_elements and K.tile take any rank.'
            )
        if not known(n) and self.ndim(n):
            raise ShapeError(f'n has to be an integer or a tensor without axes, got shape {self.int_shape(n)}.')
        rows = self.expand_dims(x, 1)
        return self.repeat_elements(rows, n, 1) if known(n) else self.tile(rows, [1, n, 1])

    def resize_images(
        self, x: Any, height_factor: Any, width_factor: Any, data_format: Optional[str], interpolation: str = 'nearest'
    ) -> Tensor:
        one_of(interpolation, ('nearest', 'bilinear'), 'interpolation')
        factors = _factor(height_factor, 'height_factor'), _factor(width_factor, 'width_factor')
        return _resize(self, x, 4, factors, data_format, _repeat if interpolation == 'nearest' else _interpolate)

    def resize_volumes(
        self, x: Any, depth_factor: Any, height_factor: Any, width_factor: Any, data_format: Optional[str]
    ) -> Tensor:
        factors = (
            _factor(depth_factor, 'depth_factor'),
            _factor(height_factor, 'height_factor'),
            _factor(width_factor, 'width_factor'),
        )
        return _resize(self, x, 5, factors, data_format, _repeat)

    def bias_add(self, x: Any, bias: Any, data_format: Optional[str] = None) -> Tensor:
        return x + bias_along(self, x, bias, data_format)


def bias_along(K: Api, x: Any, bias: Any, data_format: Optional[str]) -> Tensor:
    """A bias, checked, in the shape in which it is added to `x`."""
    data_format = K.normalize_data_format(data_format)
    ndim, shape = K.ndim(x), K.int_shape(bias)
    if not 2 <= ndim <= 5:
        raise ShapeError(f'bias_add takes a tensor of rank 2 to 5, got shape {K.int_shape(x)}.')
    if len(shape) not in (1, ndim - 1):
        raise ShapeError(
            f'A bias of shape {shape} does not fit a tensor of shape {K.int_shape(x)}; it has to be a vector, '
            f'or of rank {ndim - 1}.'
        )
    channels = K.int_shape(x)[1 if data_format == 'channels_first' else -1]
    if None not in (channels, shape[-1]) and channels != shape[-1]:
        raise ShapeError(
            f'A bias of shape {shape} does not fit the {channels} channels of a tensor of shape '
            f'{K.int_shape(x)} (data_format={data_format!r}).'
        )
    if data_format == 'channels_first' and ndim > 2:
        here = sizes(shape, K.shape, bias)
        rest = here[:-1] if len(shape) > 1 else [1] * (ndim - 2)
        bias = K.reshape(bias, with_rest([here[-1]] + rest))
    return bias


def _factor(value: Any, what: Any) -> int:
    value = plain_number(value)
    # A quotient of sizes is a float.
    return positive(int(value) if isinstance(value, float) and value % 1 == 0 else value, what)


def resized_from_centres(K: Api, x: Any, height_factor: Any, width_factor: Any, data_format: Optional[str]) -> Tensor:
    """`resize_images` with 'bilinear' as tf.keras 2 has it: pixels are read from their centres, and are float32."""
    factors = _factor(height_factor, 'height_factor'), _factor(width_factor, 'width_factor')
    return _resize(K, K.cast(x, 'float32'), 4, factors, data_format, interpolated_from_centres)


def _resize(K: Api, x: Any, ndim: int, factors: Any, data_format: Optional[str], grow: Callable[..., Any]) -> Tensor:
    first = 2 if K.normalize_data_format(data_format) == 'channels_first' else 1
    if K.ndim(x) != ndim:
        raise ShapeError(f'This resizing takes a tensor of rank {ndim}, got shape {K.int_shape(x)}.')
    for axis, factor in enumerate(factors, first):
        if factor > 1:
            x = grow(K, x, factor, axis)
    return x


def _repeat(K: Api, x: Any, factor: int, axis: int) -> Tensor:
    return K.repeat_elements(x, factor, axis)


def _interpolate(K: Api, x: Any, factor: int, axis: int) -> Tensor:
    if not K.dtype(x).startswith('float'):
        x = K.cast(x, K.floatx())
    step = _next(K, x, axis) - x
    # The tensor comes first: `x` may be an array, and NumPy 2.5 does not add a tensor of PyTorch to an array.
    return _in_turn(K, x, [x] + [step * (i / float(factor)) + x for i in range(1, factor)], axis)


def interpolated_from_centres(K: Api, x: Any, factor: int, axis: int) -> Tensor:
    """`factor` times as many pixels along an axis, each between the centres of two old ones, or that of the nearest."""
    last = K.concatenate([x[along(axis, None, 1)], x[along(axis, None, -1)]], axis=axis)
    before, after = last - x, _next(K, x, axis) - x
    offsets = [(i + 0.5) / factor - 0.5 for i in range(factor)]
    return _in_turn(K, x, [before * -offset + x if offset < 0 else after * offset + x for offset in offsets], axis)


def _next(K: Api, x: Any, axis: int) -> Tensor:
    """The pixel after each one. The last is its own."""
    return K.concatenate([x[along(axis, 1, None)], x[along(axis, -1, None)]], axis=axis)


def _in_turn(K: Api, x: Any, parts: List[Any], axis: int) -> Tensor:
    """The first entries of all parts along an axis, then the second ones, and so on."""
    here = sizes(K.int_shape(x), K.shape, x)
    here[axis] = here[axis] * len(parts)
    return K.reshape(K.stack(parts, axis=axis + 1), with_rest(here))
