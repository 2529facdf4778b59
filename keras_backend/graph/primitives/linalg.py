"""Products."""

from typing import TYPE_CHECKING, List

from ...basics import library
from ...errors import ShapeError
from ..nodes.dims import MaybeSize, known, merge
from ..nodes.op import Gradients, Inferred, Inputs, Ints, gradient, op
from ..nodes.tensor import Attrs, Tensor

if TYPE_CHECKING:
    from ..nodes.op import AllPrimitives


def _refuse(x: Tensor, y: Tensor, i: int, j: int) -> None:
    raise ShapeError(
        f'{x.name} of shape {x.shape} and {y.name} of shape {y.shape} cannot be multiplied: axis {i} of the first has '
        f'{x.dims[i]} entries, axis {j} of the second {y.dims[j]}.'
    )


@op()
def tensordot(x: Tensor, y: Tensor, axes_x: Ints, axes_y: Ints) -> Inferred:
    """Sum over pairs of axes; the other axes of x come first, then those of y."""
    for i, j in zip(axes_x, axes_y):
        if known(x.dims[i]) and known(y.dims[j]) and x.dims[i] != y.dims[j]:
            _refuse(x, y, i, j)
    return tuple(
        [d for i, d in enumerate(x.dims) if i not in axes_x] + [d for i, d in enumerate(y.dims) if i not in axes_y]
    ), x.dtype


@gradient
def gradient_of_tensordot(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, y = inputs
    axes_x, axes_y = attrs['axes_x'], attrs['axes_y']
    free_x = [i for i in range(len(x.dims)) if i not in axes_x]
    free_y = [i for i in range(len(y.dims)) if i not in axes_y]
    n = len(free_x)

    def left() -> library.Tensor:
        # the axes of the result: those of x that were kept, then those that were summed in the order of y
        r = F.tensordot(g, y, axes_x=tuple(range(n, n + len(free_y))), axes_y=tuple(free_y))
        summed = [axes_x[axes_y.index(j)] for j in sorted(axes_y)]
        return _ordered(F, r, free_x + summed)

    def right() -> library.Tensor:
        r = F.tensordot(x, g, axes_x=tuple(free_x), axes_y=tuple(range(n)))
        summed = [axes_y[axes_x.index(i)] for i in sorted(axes_x)]
        return _ordered(F, r, summed + free_y)

    return left, right


@op()
def matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Inferred:
    """Matrix products over the last two axes; the axes before them are equal."""
    rows, inner_x = (x.dims[-1], len(x.dims) - 2) if transpose_x else (x.dims[-2], len(x.dims) - 1)
    columns, inner_y = (y.dims[-2], len(y.dims) - 1) if transpose_y else (y.dims[-1], len(y.dims) - 2)
    if known(x.dims[inner_x]) and known(y.dims[inner_y]) and x.dims[inner_x] != y.dims[inner_y]:
        _refuse(x, y, inner_x, inner_y)
    batch: List[MaybeSize] = []
    for i, (a, b) in enumerate(zip(x.dims[:-2], y.dims[:-2])):
        batch.append(merge(a, b))
        if batch[-1] is None:
            raise ShapeError(
                f'{x.name} of shape {x.shape} and {y.name} of shape {y.shape} cannot be multiplied in batches: axis '
                f'{i} differs.'
            )
    return tuple(batch) + (rows, columns), x.dtype


@gradient
def gradient_of_matmul(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, y = inputs
    tx, ty = attrs['transpose_x'], attrs['transpose_y']

    def left() -> library.Tensor:
        if tx:
            return F.matmul(y, g, transpose_x=ty, transpose_y=True)
        return F.matmul(g, y, transpose_x=False, transpose_y=not ty)

    def right() -> library.Tensor:
        if ty:
            return F.matmul(g, x, transpose_x=True, transpose_y=tx)
        return F.matmul(x, g, transpose_x=not tx, transpose_y=False)

    return left, right


def _ordered(F: 'AllPrimitives', x: Tensor, places: List[int]) -> library.Tensor:
    """`x` with axis i moved to places[i]."""
    perm = tuple(places.index(i) for i in range(len(places)))
    return x if perm == tuple(range(len(perm))) else F.transpose(x, perm=perm)
