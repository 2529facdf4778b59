"""Traversal of the graph: the tensors that a tensor is made of, at its own level and inside of loops and branches."""

from typing import Any, Dict, Generator, List, Optional, Sequence, Set, Tuple, Union

from .base import Region, encloses
from .tensor import Absent, Cond, Node, ProductElement, Scan, Tensor, Update

# -- tasks -------------------------------------------------------------------------------------------------------------
# Functions that call each other as deep as a user nests loops and choices, without nesting Python's calls.
#
# Such a function is a generator, a *task*. It yields another task where it would call it, and gets its result:
#
#     def depth(region):
#         return 0 if region is None else 1 + (yield depth(region.parent))
#
#     run(depth(region))


Task = Generator[Any, Any, Any]


def run(task: Task) -> Any:
    """The result of a task."""
    open_tasks: List[Task] = [task]
    value: Any = None
    error: Optional[BaseException] = None
    while True:
        last = open_tasks[-1]
        try:
            further = last.send(value) if error is None else last.throw(error)
        except StopIteration as stop:
            open_tasks.pop()
            if not open_tasks:
                return stop.value
            value, error = stop.value, None
        except BaseException as raised:
            # the task that asked leaves its blocks, too
            open_tasks.pop()
            if not open_tasks:
                raise
            value, error = None, raised
        else:
            open_tasks.append(further)
            value = error = None


# -- traversal ---------------------------------------------------------------------------------------------------------

Owner = Union[Scan, Cond]
Statement = Union[Node, Scan, Cond]
ById = Dict[int, Tensor]


def roots_inside(owner: Owner) -> List[List[Tensor]]:
    """The tensors that each region of a scan or cond has to deliver. A list grows when more are asked for."""
    if isinstance(owner, Scan):
        return [[new for _initial, _inner, new in owner.states] + [inner for inner, _item in owner.collected.values()]]
    return [[pair[side] for pair in owner.pairs] for side in (0, 1)]


def regions_of(owner: Owner) -> Sequence[Region]:
    """The body of a scan, or the branches of a cond."""
    return (owner.body,) if isinstance(owner, Scan) else owner.branches


class _Seen:
    """The tensors that the traversal of one region has found so far."""

    __slots__ = ('inside', 'outside', 'owners', 'roots')

    def __init__(self) -> None:
        self.inside: Set[int] = set()
        self.outside: ById = {}
        self.owners: List[Owner] = []  # the scans and conds inside
        self.roots = 0  # how many roots were followed


class Traversal:
    """It remembers what it found inside of loops and branches, and goes on from there when they have more results."""

    def __init__(self) -> None:
        self._seen: Dict[int, List[_Seen]] = {}  # by the id of a scan or cond, for each of its regions

    def captures(self, owner: Owner) -> List[Tensor]:
        """The outside tensors that the inside of a scan or cond reads."""
        tensors: List[Tensor] = run(self._captures(owner))
        return tensors

    def _captures(self, owner: Owner) -> Task:
        if owner.id not in self._seen:
            self._seen[owner.id] = [_Seen() for _ in regions_of(owner)]
        captured: ById = {}
        for region, seen, roots in zip(regions_of(owner), self._seen[owner.id], roots_inside(owner)):
            todo = roots[seen.roots :]
            seen.roots = len(roots)
            for nested in seen.owners:
                todo.extend((yield self._captures(nested)))
            while todo:
                tensor = todo.pop()
                if tensor.id in seen.inside or tensor.id in seen.outside:
                    continue
                if not encloses(region, tensor.region):
                    if not isinstance(tensor, Absent):
                        seen.outside[tensor.id] = tensor
                    continue
                seen.inside.add(tensor.id)
                if isinstance(tensor, (Scan, Cond)):
                    seen.owners.append(tensor)
                    todo.extend(_given(tensor))
                    todo.extend((yield self._captures(tensor)))
                elif isinstance(tensor, (Node, Update)):
                    todo.extend(tensor.inputs)
            captured.update(seen.outside)
        return list(captured.values())

    def sources(self, tensor: Tensor) -> Sequence[Tensor]:
        """The tensors that `tensor` is computed from, at its own level."""
        if isinstance(tensor, (Node, Update)) or (isinstance(tensor, ProductElement) and tensor.is_open):
            return tensor.inputs
        if isinstance(tensor, (Scan, Cond)):
            return _given(tensor) + self.captures(tensor)
        return ()

    def ancestors(self, roots: Sequence[Tensor], region: Optional[Region]) -> Tuple[ById, ById]:
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
                todo.extend(self.sources(tensor))
            else:
                outside[tensor.id] = tensor
        return inside, outside


def _given(owner: Owner) -> List[Tensor]:
    """The tensors that a scan or cond reads outside of its regions: sequences and initial states, or the condition."""
    if isinstance(owner, Scan):
        return [outer for outer, _inner in owner.sequences] + [initial for initial, _inner, _new in owner.states]
    return [owner.condition]
