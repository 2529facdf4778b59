"""Where a node was recorded: outside, in the body of a loop, or in a branch of a switch."""

from typing import TYPE_CHECKING, FrozenSet, Optional, Set, Union

if TYPE_CHECKING:
    from .tensor import Cond, Scan

LOOP = 'loop'
BRANCH = 'branch'


class Region:
    """The inside of a step function (LOOP) or of one side of a switch (BRANCH).

    parent:     the region around it, None at the top
    continues:  the forward region whose values a gradient region may read
    owner:      the scan or cond node that runs it, set once that node exists
    what:       in the user's words, for errors
    """

    __slots__ = ('continues', 'kind', 'owner', 'parent', 'visible', 'what')

    def __init__(self, kind: str, parent: Optional['Region'], what: str, continues: Optional['Region'] = None) -> None:
        self.kind, self.parent, self.what, self.continues = kind, parent, what, continues
        self.owner: Union[Scan, Cond, None] = None
        visible: Set[Region] = {self} if parent is None else set(parent.visible) | {self}
        while continues is not None:
            visible.add(continues)
            continues = continues.continues
        self.visible: FrozenSet[Region] = frozenset(visible)

    def holds(self, other: Optional['Region']) -> bool:
        """Whether a node that reads a value of region `other` has to stay in this region."""
        region: Optional[Region] = self
        while region is not None:
            if region is other:
                return True
            region = region.continues
        return False


def encloses(outer: Optional[Region], region: Optional[Region]) -> bool:
    """Whether `region` is `outer` or lies inside it (None is the top, which encloses all)."""
    while region is not outer:
        if region is None:
            return False
        region = region.parent
    return True
