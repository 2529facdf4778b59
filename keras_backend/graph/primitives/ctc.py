"""Decoding and sparse tensors: primitives that engines run on concrete arrays."""

from typing import TYPE_CHECKING, List, Tuple

from ...errors import ShapeError
from ..nodes.dims import MaybeSize, known
from ..nodes.op import Gradients, Inferred, Inputs, gradient, gradient_of, op
from ..nodes.tensor import Attrs, Node, Tensor

if TYPE_CHECKING:
    from ..nodes.op import AllPrimitives


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
def gradient_of_sparse_dot(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x = inputs[0]
    return None, F.sparse_dot(x, g, transpose=not attrs['transpose'])


@op(sparse=True, sparse_result=True)
def sparse_concatenate(*xs: Tensor, axis: int) -> Inferred:
    sizes = [x.dims[axis] for x in xs]
    dims: List[MaybeSize] = list(xs[0].dims)
    dims[axis] = sum(sizes) if all(known(s) for s in sizes) else None
    return tuple(dims), xs[0].dtype


@gradient_of('to_dense', 'sparse_cast')
def gradient_of_conversion(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (g,)
