"""Gradients, and choices between two branches."""

from typing import Any, Callable, List, Sequence

from ....graph.dims import same
from ..library import NullType, T, ifelse, io_toposort, theano
from . import check, describe, engine
from .static import dims_of, set_dims
from .tensors import cast
from .unranked import building

Tensor = Any


def gradients(loss: Tensor, variables: Sequence[Tensor]) -> List[Any]:
    """See `library.Library.gradients`."""
    for x in variables:
        check(x)
    by = {id(x): x for x in variables if x.dtype.startswith('float')}
    loss = engine.front.operand(loss)
    if not by or not loss.dtype.startswith('float'):
        return [None] * len(variables)
    if loss.type.ndim:
        loss = T.sum(loss, dtype=loss.dtype)
    # Theano goes back from what is asked for, a few calls deep for each operation on the way; asked for all that lies
    # on the way, last things first, it is never more than one operation away from what it knows.
    way = [
        x
        for node in reversed(io_toposort([], [loss]))
        for x in node.outputs
        if getattr(x.type, 'dtype', '').startswith('float') and id(x) not in by
    ]
    found = theano.grad(
        loss, way + list(by.values()), disconnected_inputs='ignore', return_disconnected='None', null_gradients='return'
    )
    by_id = {key: None if g is None else _gradient(g, by[key]) for key, g in zip(by, found[len(way) :])}
    return [by_id.get(id(x)) for x in variables]


def _gradient(g: Tensor, x: Tensor) -> Tensor:
    if isinstance(g.type, NullType):
        raise NotImplementedError(
            f'The gradient with respect to {describe(x)} passes an operation without one: {g.type.why_null}'
        )
    g = cast(g, x.dtype)
    # What another tensor of K is already has sizes of its own.
    return g if '_keras_dims' in g.__dict__ else set_dims(g, dims_of(x))


def choice(condition: Tensor, branches: Sequence[Callable[[], List[Any]]]) -> List[Tensor]:
    """See `library.Library.choice`."""
    then, other = [branch() for branch in branches]
    # Each on its own: Theano has no gradient of a choice between several tensors of which some do not matter.
    return [_chosen(condition, *engine.front.together(*pair)) for pair in zip(then, other)]


@building
def _chosen(condition: Tensor, then: Tensor, other: Tensor) -> Tensor:
    pair = _alike(then, other)
    sizes = zip(*[dims_of(x) for x in pair])
    return set_dims(ifelse(cast(condition, 'bool'), *pair), [m if same(m, n) else None for m, n in sizes])


def _alike(*pair: Tensor) -> List[Tensor]:
    """Two values as tensors of one type. A type of Theano has a rank: the lower one gets axes of size 1 in front."""
    rank = max([x.type.ndim for x in pair])
    aligned = [
        x.dimshuffle(['x'] * (rank - x.type.ndim) + list(range(x.type.ndim))) if x.type.ndim < rank else x for x in pair
    ]
    flags = [a and b for a, b in zip(*[x.type.broadcastable for x in aligned])]
    return [T.patternbroadcast(x, flags) for x in aligned]
