"""Products, decoding and sparse tensors."""

from typing import Any, List, Optional, Tuple

from ...basics import library
from ...basics.shapes import product
from ...errors import ShapeError
from ..nodes.base import MaybeSize, known, merge
from ..nodes.op import AllPrimitives, Gradients, Inferred, Inputs, Ints, gradient, gradient_of, op
from ..nodes.tensor import Attrs, Node, ProductElement, Tensor


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
def gradient_of_tensordot(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
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
def gradient_of_matmul(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
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


def _ordered(F: AllPrimitives, x: Tensor, places: List[int]) -> library.Tensor:
    """`x` with axis i moved to places[i]."""
    perm = tuple(places.index(i) for i in range(len(places)))
    return x if perm == tuple(range(len(perm))) else F.transpose(x, perm=perm)


# -- products over time ------------------------------------------------------------------------------------------------
# Products of the elements of a sequence: one product over time, outside of the loop, in the place of one a step.
#
# A step of an LSTM multiplies its input x[t] of shape (32, 64) by a kernel of shape (64, 512). Nothing in this product
# waits for the step before, so K takes the whole sequence of shape (50, 32, 64) times the kernel. The loop reads the
# result, (50, 32, 512), as one more sequence. One large product takes less time than 50 small ones. Its gradients are
# products over time as well. A gradient that is taken inside of the step goes through the product of the step.


# The result is kept for all steps: so many times the numbers of the sequence at most.
_MOST = 8


def product_over_time(graph: Any, x: Tensor, y: Tensor, axes_x: Ints, axes_y: Ints) -> Optional[Tensor]:
    """The element of the product of a whole sequence and `y`, where `x` is an element of it; None elsewhere."""
    session = graph.session
    body = session.region
    if body is None or body.sequences is None or session.deps or y.region is body:
        return None
    if x.id not in body.sequences or not _small(y, axes_y):
        return None
    if any([merge(x.dims[i], y.dims[j]) is None for i, j in zip(axes_x, axes_y)]):
        return None  # the product in the step says best which sizes differ
    sequence, _element = body.sequences[x.id]
    graph.usable(y)
    with session.inside(body.parent):
        outer = graph.F.tensordot(sequence, y, axes_x=tuple([i + 1 for i in axes_x]), axes_y=axes_y)
    element = ProductElement(outer, (x, y), {'axes_x': axes_x, 'axes_y': axes_y}, body)
    body.sequences[element.id] = outer, element
    return element


def _small(y: Tensor, axes_y: Ints) -> bool:
    """Whether the product with `y` is small enough to be kept for all steps."""
    summed = product([y.dims[i] for i in axes_y])
    kept = product([d for i, d in enumerate(y.dims) if i not in axes_y])
    return bool(summed is not None and kept is not None and kept <= _MOST * summed)


# -- decoding ----------------------------------------------------------------------------------------------------------
# Decoding and sparse tensors: primitives that engines run on concrete arrays.


def _paths(y: Tensor, n: int) -> Tuple[Inferred, ...]:
    return tuple(((y.dims[0], None), 'int64') for _ in range(n))


@op()
def ctc_greedy(y: Tensor, lengths: Tensor) -> Tuple[Inferred, ...]:
    return _paths(y, 1) + (((y.dims[0], 1), y.dtype),)


@op()
def ctc_beam(y: Tensor, lengths: Tensor, beam_width: int, top_paths: int, merge_repeated: bool) -> Tuple[Inferred, ...]:
    return _paths(y, top_paths) + (((y.dims[0], top_paths), y.dtype),)


@op(has_kernel=False)
def item(x: Node, index: int) -> Inferred:
    """One of the results of a primitive that has several."""
    return x.results[index]


@op(sparse=True, sparse_result=True)
def ctc_sparse(labels: Tensor, lengths: Tensor) -> Inferred:
    return labels.dims, labels.dtype


@op(sparse=True)
def to_dense(x: Tensor) -> Inferred:
    return x.dims, x.dtype


@op(sparse=True, sparse_result=True)
def sparse_cast(x: Tensor, dtype: str) -> Inferred:
    return x.dims, dtype


@op(sparse=True)
def sparse_dot(x: Tensor, y: Tensor, transpose: bool) -> Inferred:
    inner = 0 if transpose else 1
    if known(x.dims[inner]) and known(y.dims[0]) and x.dims[inner] != y.dims[0]:
        raise ShapeError(f'{x.name} of shape {x.shape} and {y.name} of shape {y.shape} cannot be multiplied.')
    return (x.dims[1 - inner],) + y.dims[1:], y.dtype


@gradient
def gradient_of_sparse_dot(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x = inputs[0]
    return None, F.sparse_dot(x, g, transpose=not attrs['transpose'])


@op(sparse=True, sparse_result=True)
def sparse_concatenate(*xs: Tensor, axis: int) -> Inferred:
    sizes = [x.dims[axis] for x in xs]
    dims: List[MaybeSize] = list(xs[0].dims)
    dims[axis] = sum(sizes) if all(known(s) for s in sizes) else None
    return tuple(dims), xs[0].dtype


@gradient_of('to_dense', 'sparse_cast')
def gradient_of_conversion(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (g,)
