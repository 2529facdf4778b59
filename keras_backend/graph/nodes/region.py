"""Where a node was recorded: outside, in the body of a loop, or in a branch of a switch."""

import sys
from contextlib import contextmanager
from threading import Lock
from typing import Any, Callable, Container, Iterator, Optional, Tuple

LOOP = 'loop'
BRANCH = 'branch'


class Region:
    """The inside of a step function (LOOP) or of one side of a switch (BRANCH).

    parent:     the region around it, None at the top
    depth:      how many regions are around it
    owner:      the Scan or Cond that runs it, set once that node exists
    what:       in the user's words, for errors
    visible:    while the region of a gradient is recorded, the forward regions whose values it may name
    substitute: meanwhile, what gives the inputs that a node there reads in place of those values
    sequences:  while the step of a loop is recorded, what it goes over: {id of an element: (sequence, element)}
    """

    __slots__ = ('_far', 'depth', 'kind', 'owner', 'parent', 'sequences', 'substitute', 'visible', 'what')

    def __init__(self, kind: str, parent: Optional['Region'], what: str) -> None:
        self.kind, self.parent, self.what = kind, parent, what
        self.owner: Any = None
        self.visible: Container[Optional[Region]] = ()
        self.substitute: Optional[Callable[[Tuple[Any, ...]], Tuple[Any, ...]]] = None
        self.sequences: Any = None
        # A region further out. The distances are such that few steps lead to any depth.
        self._far: Region = self
        self.depth = 0
        if parent is not None:
            self.depth = parent.depth + 1
            far = parent._far
            self._far = far._far if parent.depth - far.depth == far.depth - far._far.depth else parent

    def at(self, depth: int) -> 'Region':
        """The region of this depth around this one, or the region itself."""
        region = self
        while region.depth > depth:
            far = region._far
            if far.depth >= depth:
                region = far
            else:
                assert region.parent is not None
                region = region.parent
        return region


def encloses(outer: Optional[Region], region: Optional[Region]) -> bool:
    """Whether `region` is `outer` or lies inside it (None is the top, which encloses all)."""
    if outer is None or outer is region:
        return True
    return region is not None and region.depth > outer.depth and region.at(outer.depth) is outer


def sees(region: Optional[Region], other: Optional[Region]) -> bool:
    """Whether what is recorded in `region` may name a tensor of `other`."""
    if encloses(other, region):
        return True
    return region is not None and other in region.visible


class _Room:
    """How deep Python may nest calls: functions of a user within functions of a user need more than one alone."""

    # Of one level: 10 to 12 are calls of this package, the others are left to the user.
    CALLS = 60
    # More than this is not given, so that a function that calls itself without an end meets an error of Python. Up to
    # Python 3.10, a call of Python takes some of the stack of the system: 14,000 are more than the usual 8 MB hold.
    MOST = 30000 if sys.version_info >= (3, 11) else 12000

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = self._before = self._given = 0

    @contextmanager
    def __call__(self, depth: int, calls: int = CALLS) -> Iterator[None]:
        """Room for `calls` calls of Python on each of `depth` levels: regions, or operations in a row."""
        if not depth:
            yield
            return
        with self._lock:
            limit = sys.getrecursionlimit()
            if not self._users:
                self._before = limit
            self._users += 1
            new_limit = min(self._before + depth * calls, self.MOST)
            if new_limit > limit:
                sys.setrecursionlimit(new_limit)
                self._given = new_limit
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                # what a user has set meanwhile stays
                if not self._users and sys.getrecursionlimit() == self._given:
                    sys.setrecursionlimit(self._before)


# There is one limit for all threads.
make_room = _Room()
