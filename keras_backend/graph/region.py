"""Where a node was recorded: outside, in the body of a loop, or in a branch of a switch."""

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

    def __init__(self, kind, parent, what, continues=None):
        self.kind, self.parent, self.what, self.continues, self.owner = kind, parent, what, continues, None
        visible = {self} if parent is None else set(parent.visible) | {self}
        while continues is not None:
            visible.add(continues)
            continues = continues.continues
        self.visible = frozenset(visible)

    def holds(self, other):
        """Whether a node that reads a value of region `other` has to stay in this region."""
        region = self
        while region is not None:
            if region is other:
                return True
            region = region.continues
        return False


def encloses(outer, region):
    """Whether `region` is `outer` or lies inside it (None is the top, which encloses all)."""
    while region is not outer:
        if region is None:
            return False
        region = region.parent
    return True
