"""Traversal of the graph: what a tensor is made of, at its own level and inside of loops and branches."""

from typing import Dict, List, Optional, Sequence, Tuple, Union

from .region import Region, encloses
from .tensor import Cond, Node, Scan, Tensor, Update

Owner = Union[Scan, Cond]
ById = Dict[int, Tensor]


def roots_inside(owner: Owner) -> List[Tensor]:
    """What the regions of a scan or cond have to deliver."""
    if isinstance(owner, Scan):
        return [new for _initial, _inner, new in owner.states] + [inner for inner, _item in owner.collected.values()]
    return [value for pair in owner.pairs for value in pair]


def regions_of(owner: Owner) -> Sequence[Region]:
    """The body of a scan, or the branches of a cond."""
    return (owner.body,) if isinstance(owner, Scan) else owner.branches


def captures(owner: Owner) -> List[Tensor]:
    """The outside tensors that the inside of a scan or cond reads."""
    outside: ById = {}
    for region in regions_of(owner):
        outside.update(ancestors(roots_inside(owner), region)[1])
    if isinstance(owner, Cond):
        # each branch sees the values of the other one as outside
        for region in owner.branches:
            for key in [k for k, t in outside.items() if encloses(region, t.region)]:
                del outside[key]
    return list(outside.values())


def sources(tensor: Tensor) -> Sequence[Tensor]:
    """The tensors that `tensor` is computed from, at its own level."""
    if isinstance(tensor, (Node, Update)):
        return tensor.inputs
    if isinstance(tensor, Scan):
        return (
            [outer for outer, _inner in tensor.sequences]
            + [initial for initial, _inner, _new in tensor.states]
            + captures(tensor)
        )
    if isinstance(tensor, Cond):
        return [tensor.condition] + captures(tensor)
    return ()


def ancestors(roots: Sequence[Tensor], region: Optional[Region]) -> Tuple[ById, ById]:
    """All that `roots` are computed from: {id: tensor} inside `region` and {id: tensor} just outside of it."""
    inside: ById = {}
    outside: ById = {}
    todo = list(roots)
    while todo:
        tensor = todo.pop()
        if tensor.id in inside or tensor.id in outside:
            continue
        if encloses(region, tensor.region):
            inside[tensor.id] = tensor
            todo.extend(sources(tensor))
        else:
            outside[tensor.id] = tensor
    return inside, outside
