"""Rearranging."""

from typing import Any, Iterable, List, Sequence, Union

from ..basics import dtypes
from ..basics.library import Axis, Tensor
from ..basics.shapes import known, normalize_axes, normalize_axis, pad_widths, slice_bounds
from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError
from .operands import Operands, note


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
