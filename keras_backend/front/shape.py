"""Rearranging."""

from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, Union

from ..basics import dtypes
from ..basics.dtypes import plain_number
from ..basics.library import Axis, Tensor
from ..basics.shapes import (
    known,
    normalize_axes,
    normalize_axis,
    one_of,
    pad_widths,
    positive,
    product,
    slice_bounds,
    with_rest,
)
from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError
from .base import Api, Operands, note


class Shape(Operands):
    def concatenate(self, tensors: Iterable[Any], axis: Axis = -1) -> Tensor:
        library, tensors = self.library, self.listed(tensors, 'tensors')
        if not tensors:
            raise ArgumentValueError('tensors has to hold at least one tensor, got an empty list.')
        sparse = [library.is_sparse(t) for t in tensors]
        if all(sparse):
            return self.F.sparse_concatenate(*tensors, axis=normalize_axis(axis, 2))
        if any(sparse):
            tensors = [self.to_dense(t) if library.is_sparse(t) else t for t in tensors]
        tensors = self.together(*tensors)
        if library.rank(tensors[0]) == 0:
            raise ShapeError(f'scalars such as {library.describe(tensors[0])} cannot be joined; use K.stack.')
        return self.F.concatenate(*tensors, axis=self.axis(tensors[0], axis))

    def stack(self, x: Iterable[Any], axis: Axis = 0) -> Tensor:
        tensors = self.listed(x, 'x')
        if not tensors:
            raise ArgumentValueError('x has to hold at least one tensor, got an empty list.')
        tensors = self.together(*tensors)
        return self.F.stack(*tensors, axis=self.axis(tensors[0], axis, 1))

    def reshape(self, x: Any, shape: Any) -> Tensor:
        return self.F.reshape(self.operand(x), self.shape_given(shape))

    def permute_dimensions(self, x: Any, pattern: Union[int, Iterable[int]]) -> Tensor:
        x = self.operand(x)
        rank = len(self.library.dims(x))
        perm = normalize_axes(pattern, rank, 'pattern')
        if len(perm) != rank:
            raise ShapeError(f'pattern={pattern!r} does not name every axis of {self.library.describe(x)}.')
        return self.F.transpose(x, perm=perm)

    def repeat_elements(self, x: Any, rep: int, axis: Axis) -> Tensor:
        x = self.operand(x)
        repeated = self.F.repeat(x, repeats=int(rep), axis=normalize_axis(axis, len(self.library.dims(x))))
        phased = getattr(x, '_uses_learning_phase', False)
        note(repeated, _keras_shape=self.int_shape(repeated), _uses_learning_phase=phased)
        return repeated

    def tile(self, x: Any, n: Any) -> Tensor:
        library, x = self.library, self.operand(x)
        rank = len(library.dims(x))
        # A single number is for the last axis.
        times = library.items([n] if known(n) or (library.is_tensor(n) and not library.dims(n)) else n)
        if any([known(time) and not 0 <= time < 1 << 31 for time in times]):
            raise ShapeError(f'n={times} is not possible; repetitions are 0 or more.')
        for _ in range(len(times) - rank):
            x = self.F.expand_dims(x, axis=0)
        return self.F.tile(x, library.sizes([1] * (rank - len(times)) + times))

    def expand_dims(self, x: Any, axis: Axis = -1) -> Tensor:
        x = self.operand(x)
        return self.F.expand_dims(x, axis=self.axis(x, axis, 1))

    def squeeze(self, x: Any, axis: Axis) -> Tensor:
        x = self.operand(x)
        return self.F.squeeze(x, axis=normalize_axis(axis, len(self.library.dims(x))))

    def one_hot(self, indices: Any, num_classes: Any) -> Tensor:
        library, indices = self.library, self.operand(indices)
        if not dtypes.is_integer(library.dtype(indices)):
            raise ArgumentTypeError(
                f'indices have to be integers, got {library.describe(indices)} of dtype {library.dtype(indices)}; '
                'use K.cast.'
            )
        if library.is_tensor(num_classes):
            expanded = self.expand_dims(self.converted(indices, 'int64'), -1)
            return self.cast(self.equal(expanded, self.arange(num_classes)), self.floatx())
        return self.F.one_hot(indices, num_classes=int(num_classes), dtype=self.floatx())

    def reverse(self, x: Any, axes: Any) -> Tensor:
        x = self.operand(x)
        return self.F.reverse(x, axes=normalize_axes(axes, len(self.library.dims(x)), 'axes'))

    def slice(self, x: Any, start: Any, size: Any) -> Tensor:
        library, x = self.library, self.operand(x)
        dims = library.dims(x)
        starts, sizes = library.items(start), library.items(size)
        if not any([library.is_tensor(d) for d in starts + sizes]):
            bounds = slice_bounds(dims, starts, sizes)
            sliced = self.F.getitem(x, spec=tuple([('slice', first, last, None) for first, last in bounds]))
            return _sized(self, sliced, sizes)
        if len(starts) != len(dims) or len(sizes) != len(dims):
            raise ShapeError(
                f'a start and a size are needed for each of the {len(dims)} axes of {library.describe(x)}, got '
                f'{len(starts)} and {len(sizes)}.'
            )
        for axis, (first, count) in enumerate(zip(starts, sizes)):
            to_the_end = known(count) and count == -1
            last = library.items(self.F.shape(x))[axis] if to_the_end else first + count
            x = self.F.slice_axis(x, first, last, axis)
        return _sized(self, x, sizes)

    def temporal_padding(self, x: Any, padding: Any = (1, 1)) -> Tensor:
        return _padded(self, x, (padding,), 1, 'channels_last')

    def spatial_2d_padding(self, x: Any, padding: Any = ((1, 1), (1, 1)), data_format: Any = None) -> Tensor:
        return _padded(self, x, padding, 2, self.normalize_data_format(data_format))

    def spatial_3d_padding(self, x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: Any = None) -> Tensor:
        return _padded(self, x, padding, 3, self.normalize_data_format(data_format))


def _sized(K: Operands, x: Tensor, sizes: Sequence[Any]) -> Tensor:
    """`x` with the sizes that are known, which a run has to meet: a slice that is cut short is an error."""
    dims = K.library.dims(x)
    if all([known(d) or not known(size) or size == -1 for d, size in zip(dims, sizes)]):
        return x
    shape: List[Any] = [size if known(size) and size != -1 else d for d, size in zip(dims, sizes)]
    unknown = [axis for axis, size in enumerate(shape) if not known(size)]
    if len(unknown) == 1 and 0 not in shape:
        shape[unknown[0]] = -1
    elif unknown:
        run_time = K.library.items(K.F.shape(x))
        shape = [size if known(size) else run_time[axis] for axis, size in enumerate(shape)]
    return K.F.reshape(x, K.library.sizes(shape))


def _padded(K: Operands, x: Any, padding: Any, rank: int, data_format: str) -> Tensor:
    x = K.operand(x)
    if len(K.library.dims(x)) != rank + 2:
        raise ShapeError(f'x has to have {rank + 2} axes, got {K.library.describe(x)}.')
    widths: List[Any] = [(0, 0)] * (rank + 2)
    first = 2 if data_format == 'channels_first' else 1
    widths[first : first + rank] = [tuple(pair) for pair in pad_widths(padding, rank)]
    return K.F.pad(x, widths=tuple(widths), value=0)


# -- said in other K functions -----------------------------------------------------------------------------------------


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
