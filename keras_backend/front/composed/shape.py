"""Functions that rearrange, said in others."""

from typing import Any, List, Optional

import numpy as np

from ...arrays import plain_number
from ...errors import ShapeError
from ...library import Tensor
from ...shapes import (
    known,
    normalize_axes,
    normalize_axis,
    one_of,
    pad_widths,
    positive,
    product,
    slice_bounds,
    spatial,
)
from ..api import Api
from .sizes import along, at, fill, sizes


class ComposedShape(Api):
    needs = {
        'flatten': 'reshape',
        'batch_flatten': 'int_shape prod reshape shape',
        'expand_dims': 'int_shape reshape shape',
        'squeeze': 'int_shape reshape shape',
        'stack': 'concatenate expand_dims ndim',
        'repeat': 'expand_dims int_shape ndim repeat_elements tile',
        'repeat_elements': 'concatenate expand_dims identity int_shape reshape shape',
        'tile': 'cast constant dtype int_shape ndim ones reshape shape',
        'reverse': 'identity ndim',
        'slice': 'int_shape ndim',
        'one_hot': 'arange cast equal expand_dims',
        'temporal_padding': 'concatenate constant dtype int_shape ndim shape zeros',
        'spatial_2d_padding': 'concatenate constant dtype int_shape ndim shape zeros',
        'spatial_3d_padding': 'concatenate constant dtype int_shape ndim shape zeros',
        'resize_images': 'cast concatenate dtype int_shape ndim repeat_elements reshape shape stack',
        'resize_volumes': 'cast concatenate dtype int_shape ndim repeat_elements reshape shape stack',
        'bias_add': 'int_shape ndim reshape shape',
    }

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
        return self.reshape(x, samples + [self.prod(self.shape(x)[1:])] if rest is None else fill(samples + [rest]))

    def expand_dims(self, x: Any, axis: Any = -1) -> Tensor:
        static = self.int_shape(x)
        axis = normalize_axis(axis, len(static) + 1)
        here = sizes(static, self.shape, x)
        return self.reshape(x, fill(here[:axis] + [1] + here[axis:]))

    def squeeze(self, x: Any, axis: Any) -> Tensor:
        static = self.int_shape(x)
        axis = normalize_axis(axis, len(static))
        if static[axis] not in (1, None):
            raise ShapeError(f'Axis {axis} of shape {static} cannot be squeezed: its size is {static[axis]}, not 1.')
        if static[axis] == 1:
            return x[at(axis, 0)]
        # Every size is said, so that a run in which the axis is longer fails.
        here = sizes(static, self.shape, x)
        return self.reshape(x, here[:axis] + here[axis + 1 :])

    def stack(self, x: Any, axis: Any = 0) -> Tensor:
        if not len(x):
            raise ValueError('K.stack needs at least one tensor.')
        axis = normalize_axis(axis, self.ndim(x[0]) + 1)
        return self.concatenate([self.expand_dims(tensor, axis) for tensor in x], axis=axis)

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

    def repeat_elements(self, x: Any, rep: Any, axis: Any) -> Tensor:
        static = self.int_shape(x)
        axis = normalize_axis(axis, len(static))
        if rep == 1:
            return self.identity(x)
        if rep == 0:
            return x[along(axis, 0, 0)]
        here = sizes(static, self.shape, x)
        copies = self.concatenate([self.expand_dims(x, axis + 1)] * rep, axis=axis + 1)
        return self.reshape(copies, fill(here[:axis] + [here[axis] * rep] + here[axis + 1 :]))

    def tile(self, x: Any, n: Any) -> Tensor:
        here = sizes(self.int_shape(x), self.shape, x)
        times = _times(self, n)
        if len(times) > len(here):
            here = [1] * (len(times) - len(here)) + here
        else:
            times = [1] * (len(here) - len(times)) + times
        inner = [entry for size in here for entry in (1, size)]
        outer = [entry for time in times for entry in (time, 1)]
        dtype = self.dtype(x)
        number = 'int32' if dtype == 'bool' else dtype
        fixed = all(known(time) for time in times)
        ones = self.constant(np.ones(outer), dtype=number) if fixed else self.ones(outer, dtype=number)
        copies = self.reshape(x if number == dtype else self.cast(x, number), inner) * ones
        copies = self.reshape(copies, fill([time * size for time, size in zip(times, here)]))
        return copies if number == dtype else self.cast(copies, dtype)

    def reverse(self, x: Any, axes: Any) -> Tensor:
        axes = normalize_axes(axes, self.ndim(x), 'axes')
        last = max(axes) + 1 if axes else 0
        index = ()
        for axis in range(last):
            index += along(0, None, None, -1 if axis in axes else None)
        return x[index] if index else self.identity(x)

    def slice(self, x: Any, start: Any, size: Any) -> Tensor:
        ndim = self.ndim(x)
        if all(
            isinstance(bounds, (list, tuple, np.ndarray)) and all(known(bound) for bound in bounds)
            for bounds in (start, size)
        ):
            index = ()
            for bounds in slice_bounds(self.int_shape(x), list(start), list(size)):
                index += along(0, *bounds)
            return x[index]
        index = ()
        for i in range(ndim):
            first, count = start[i], size[i]
            index += along(0, first, None if known(count) and count == -1 else first + count)
        return x[index]

    def one_hot(self, indices: Any, num_classes: Any) -> Tensor:
        if known(num_classes):
            num_classes = spatial(num_classes, 1, 'num_classes', 0)[0]
        # Not in 32 bits, where a large number would be a class.
        return self.cast(
            self.equal(self.expand_dims(self.cast(indices, 'int64'), -1), self.arange(num_classes)), self.floatx()
        )

    def temporal_padding(self, x: Any, padding: Any = (1, 1)) -> Tensor:
        return _pad(self, x, 1, pad_widths((padding,), 1))

    def spatial_2d_padding(self, x: Any, padding: Any = ((1, 1), (1, 1)), data_format: Optional[str] = None) -> Tensor:
        first = 2 if self.normalize_data_format(data_format) == 'channels_first' else 1
        return _pad(self, x, first, pad_widths(padding, 2))

    def spatial_3d_padding(
        self, x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: Optional[str] = None
    ) -> Tensor:
        first = 2 if self.normalize_data_format(data_format) == 'channels_first' else 1
        return _pad(self, x, first, pad_widths(padding, 3))

    def resize_images(
        self, x: Any, height_factor: Any, width_factor: Any, data_format: Optional[str], interpolation: str = 'nearest'
    ) -> Tensor:
        one_of(interpolation, ('nearest', 'bilinear'), 'interpolation')
        factors = _factor(height_factor, 'height_factor'), _factor(width_factor, 'width_factor')
        return _resize(self, x, 4, factors, data_format, interpolation)

    def resize_volumes(
        self, x: Any, depth_factor: Any, height_factor: Any, width_factor: Any, data_format: Optional[str]
    ) -> Tensor:
        factors = (
            _factor(depth_factor, 'depth_factor'),
            _factor(height_factor, 'height_factor'),
            _factor(width_factor, 'width_factor'),
        )
        return _resize(self, x, 5, factors, data_format, 'nearest')

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
        bias = K.reshape(bias, fill([here[-1]] + rest))
    return bias


def _times(K: Api, n: Any) -> List[Any]:
    if known(n):
        return [int(n)]
    if isinstance(n, (list, tuple, np.ndarray)):
        return [int(time) if known(time) else time for time in n]
    return [n[i] for i in range(K.int_shape(n)[0])] if K.ndim(n) else [n]


def _pad(K: Api, x: Any, first: int, widths: Any) -> Tensor:
    ndim = K.ndim(x)
    if ndim != len(widths) + 2:
        raise ShapeError(f'This padding takes a tensor of rank {len(widths) + 2}, got shape {K.int_shape(x)}.')
    for axis, pair in enumerate(widths, first):
        if any(pair):
            shape = sizes(K.int_shape(x), K.shape, x)
            x = K.concatenate(_zeros(K, shape, axis, pair[0], x) + [x] + _zeros(K, shape, axis, pair[1], x), axis=axis)
    return x


def _zeros(K: Api, shape: Any, axis: Any, width: Any, x: Any) -> List[Any]:
    if not width:
        return []
    shape = shape[:axis] + [width] + shape[axis + 1 :]
    if all(known(size) for size in shape):
        return [K.constant(0, dtype=K.dtype(x), shape=shape)]
    return [K.zeros(shape, dtype=K.dtype(x))]


def _factor(value: Any, what: Any) -> int:
    value = plain_number(value)
    # A quotient of sizes is a float.
    return positive(int(value) if isinstance(value, float) and value % 1 == 0 else value, what)


def _resize(K: Api, x: Any, ndim: int, factors: Any, data_format: Optional[str], interpolation: str) -> Tensor:
    first = 2 if K.normalize_data_format(data_format) == 'channels_first' else 1
    if K.ndim(x) != ndim:
        raise ShapeError(f'This resizing takes a tensor of rank {ndim}, got shape {K.int_shape(x)}.')
    for axis, factor in enumerate(factors, first):
        if factor > 1:
            x = K.repeat_elements(x, factor, axis) if interpolation == 'nearest' else _interpolate(K, x, factor, axis)
    return x


def _interpolate(K: Api, x: Any, factor: Any, axis: Any) -> Tensor:
    if not K.dtype(x).startswith('float'):
        x = K.cast(x, K.floatx())
    step = K.concatenate([x[along(axis, 1, None)], x[along(axis, -1, None)]], axis=axis) - x
    parts = [x] + [x + step * (i / float(factor)) for i in range(1, factor)]
    here = sizes(K.int_shape(x), K.shape, x)
    here[axis] = here[axis] * factor
    return K.reshape(K.stack(parts, axis=axis + 1), fill(here))
