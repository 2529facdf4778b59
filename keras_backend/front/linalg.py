"""Products and lookups."""

from typing import Any, List, Tuple

from ..basics import dtypes
from ..basics.library import Tensor
from ..basics.shapes import batch_dot_axes, known
from ..errors import ArgumentTypeError, ShapeError
from .base import Operands


class Linalg(Operands):
    def dot(self, x: Any, y: Any) -> Tensor:
        library = self.library
        if library.is_sparse(x):
            return _sparse_dot(self, library.used(x), y)
        x, y = self._factors(x, y)
        dims_x, dims_y = library.dims(x), library.dims(y)
        if not dims_x or not dims_y:
            raise ShapeError(
                f'tensors of at least one axis are needed, got {library.describe(x)} and {library.describe(y)}; '
                'use x * y.'
            )
        return self.F.tensordot(x, y, axes_x=(len(dims_x) - 1,), axes_y=(max(len(dims_y) - 2, 0),))

    def _factors(self, x: Any, y: Any) -> List[Tensor]:
        """Two tensors of one dtype of numbers: products of bools are added up as integers."""
        return [self.converted(t, 'int32') if self.library.dtype(t) == 'bool' else t for t in self.together(x, y)]

    def batch_dot(self, x: Any, y: Any, axes: Any = None) -> Tensor:
        library = self.library
        x, y = self._factors(x, y)
        dims_x, dims_y = library.dims(x), library.dims(y)
        nx, ny = len(dims_x), len(dims_y)
        ax, ay = batch_dot_axes(dims_x, dims_y, axes)
        # (batch, rest of x, summed) times (batch, summed, rest of y)
        rest_x = [i for i in range(1, nx) if i != ax]
        rest_y = [i for i in range(1, ny) if i != ay]
        plain = len(rest_x) == 1 and len(rest_y) == 1
        left, lead = _matrices(self, x, rest_x, ax, ax == nx - 1, plain)
        right, tail = _matrices(self, y, rest_y, ay, ay == ny - 1, plain)
        product = self.F.matmul(left, right, transpose_x=ax != nx - 1, transpose_y=ay == ny - 1)
        if plain:
            return product
        batch = dims_x[0] if known(dims_x[0]) else dims_y[0]
        shape = [batch if known(batch) else -1] + lead + tail
        # Beside a size of 0 nobody could tell what -1 stands for.
        if shape[0] == -1 and not all([isinstance(d, int) and d for d in lead + tail]):
            shape[0] = library.items(self.F.shape(x))[0]
        return self.F.reshape(product, shape + [1] if len(shape) == 1 else shape)

    def masked(self, x: Any, mask: Any) -> Tensor:
        """`x[mask]`: the elements of `x` along its first axes for which `mask`, a tensor of bools, holds."""
        x, mask = self.operand(x), self.operand(mask)
        dims, where = self.library.dims(x), self.library.dims(mask)
        if not 0 < len(where) <= len(dims) or any([known(a) and known(b) and a != b for a, b in zip(dims, where)]):
            raise ShapeError(
                f'{self.library.describe(x)} cannot be indexed with the mask {self.library.describe(mask)}; the '
                'sizes of a mask are those of the first axes.'
            )
        if len(where) > 1:
            rest = self.library.items(self.F.shape(x))[len(where) :]
            mask = self.F.reshape(mask, (-1,))
            # Beside a size of 0 nobody could tell what -1 stands for.
            first = -1 if all([isinstance(d, int) and d for d in rest]) else self.library.items(self.F.shape(mask))[0]
            x = self.F.reshape(x, [first, *rest])
        return self.F.gather(x, self.F.nonzero(mask))

    def transpose(self, x: Any) -> Tensor:
        x = self.operand(x)
        return self.F.transpose(x, perm=tuple(reversed(range(len(self.library.dims(x))))))

    def gather(self, reference: Any, indices: Any) -> Tensor:
        library = self.library
        reference, indices = self.operand(reference), self.operand(indices)
        if library.rank(reference) == 0:
            raise ShapeError(f'the lookup goes along axis 0, but {library.describe(reference)} is a scalar.')
        if not dtypes.is_integer(library.dtype(indices)):
            raise ArgumentTypeError(
                f'indices have to be integers, got {library.describe(indices)} of dtype {library.dtype(indices)}; '
                'use K.cast.'
            )
        return self.F.gather(reference, indices)


def _sparse_dot(K: Operands, x: Tensor, y: Any) -> Tensor:
    library = K.library
    if library.is_sparse(y) or len(library.dims(K.operand(y))) != 2:
        raise ShapeError(
            f'the second factor of the sparse {library.describe(x)} has to be a dense matrix, got '
            f'{library.describe(y) if library.is_tensor(y) else y!r}.'
        )
    return K.F.sparse_dot(x, K.converted(K.operand(y), library.dtype(x)), transpose=False)


def _matrices(
    K: Operands, x: Tensor, rest: List[int], summed: int, last: bool, plain: bool
) -> Tuple[Tensor, List[Any]]:
    """`x` as one matrix per sample, the summed axis last or first, and the sizes of the rest if not `plain`."""
    order = [0, *rest, summed] if last else [0, summed, *rest]
    if order != list(range(len(order))):
        x = K.F.transpose(x, perm=tuple(order))
    if plain:
        return x, []
    sizes = K.library.items(K.F.shape(x))
    kept = sizes[1:-1] if last else sizes[2:]
    if len(rest) != 1:
        flat = 1
        for d in kept:
            flat = d * flat
        x = K.F.reshape(x, [sizes[0], flat, sizes[-1]] if last else [sizes[0], sizes[1], flat])
    return x, kept
