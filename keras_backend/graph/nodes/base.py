"""What the tensors of the K graph stand on: the sizes of their axes, the regions they lie in, and sessions."""

import sys
import threading
from collections import defaultdict
from contextlib import contextmanager
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Container,
    DefaultDict,
    Dict,
    Iterable,
    Iterator,
    Optional,
    Sequence,
    Tuple,
    Union,
    cast,
)

from ...basics import shapes
from ...basics.library import Tensor
from ...basics.threads import Scoped, scoped
from ...errors import ShapeError

if TYPE_CHECKING:
    from typing_extensions import Protocol, TypeIs
else:
    Protocol = object

# -- sizes -------------------------------------------------------------------------------------------------------------
# Sizes, and numbers of axes, that are not known while recording.
#
# An unknown size is a `Dim`. Two axes that hold the same `Dim` have the same size in every run. So
# `K.reshape(x, (K.shape(x)[0], -1))` keeps its last dimension, and gradients skip sums that undo a broadcast.
#
# A placeholder without a shape, and what depends on it, has `Unranked` in the place of a tuple.


class Dim:
    """The size of an axis, unknown while recording; equal only to itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return 'None'

    def _unknown(self, other: Any) -> 'Dim':
        return Dim()

    def _add(self, other: Any) -> 'Dim':
        return self if other.__class__ is not Dim and other == 0 else Dim()

    def _multiply(self, other: Any) -> 'Dim':
        return self if other.__class__ is not Dim and other == 1 else Dim()

    __add__ = __radd__ = __sub__ = _add
    __mul__ = __rmul__ = __floordiv__ = __truediv__ = _multiply
    __rsub__ = __mod__ = __rmod__ = __rfloordiv__ = __rtruediv__ = __pow__ = _unknown

    def __neg__(self) -> 'Dim':
        return Dim()


class Unranked:
    """The dims of a tensor whose number of axes is not known; to ask for a size or for their number is an error.

    As a condition it counts as the dims of a tensor with axes, since only a tensor that surely has none is a scalar.

    name: of the placeholder.
    """

    __slots__ = ('name',)

    def __init__(self, name: str) -> None:
        self.name = name

    def _refuse(self, *_args: Any) -> Any:
        raise ShapeError.of_unknown_rank(self.name)

    __len__ = __iter__ = __getitem__ = __add__ = __radd__ = _refuse

    def __bool__(self) -> bool:
        return True

    def __contains__(self, size: Any) -> bool:
        return False

    def __repr__(self) -> str:
        return 'None'


class OfDims(Protocol):
    """An object that has dims: a tensor of the K graph, or an object that stands for one."""

    @property
    def name(self) -> Any: ...

    @property
    def dims(self) -> Any: ...

    @property
    def shape(self) -> Any: ...


Size = Union[int, Dim]
Dims = Tuple[Size, ...]
MaybeSize = Optional[Size]  # None: a size of which nothing is known, not even which other sizes equal it


def known(dim: Any) -> 'TypeIs[int]':
    """Whether `dim` is a number."""
    return dim.__class__ is not Dim and dim is not None


def static(dims: Iterable[MaybeSize]) -> Tuple[Optional[int], ...]:
    """`dims` as the tuple of ints and None that users see."""
    return tuple(d if known(d) else None for d in dims)


def unranked(dims: Any) -> bool:
    """Whether the number of axes is not known."""
    return dims.__class__ is Unranked


def ranked(tensor: OfDims) -> bool:
    """Whether the number of axes of `tensor` is known."""
    return tensor.dims.__class__ is not Unranked


def fill(dims: Tuple[MaybeSize, ...]) -> Dims:
    """`dims` with a new `Dim` in place of each None."""
    if None not in dims:
        return cast(Dims, dims)
    return tuple(Dim() if d is None else d for d in dims)


def product(dims: Iterable[MaybeSize]) -> Optional[int]:
    """The product of `dims`, None where one of them is unknown."""
    total = 1
    for d in dims:
        if not known(d):
            return None
        total *= d
    return total


def same(a: MaybeSize, b: MaybeSize) -> bool:
    """Whether two sizes are certain to be equal."""
    return a is b or (known(a) and known(b) and a == b)


def merge(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The size that both `a` and `b` describe, as far as it is known; None if they contradict each other."""
    if known(a):
        return a if not known(b) or a == b else None
    return b


def broadcast(*tensors: OfDims) -> Tuple[MaybeSize, ...]:
    """The dims of `tensors` broadcast against each other (NumPy's rule)."""
    dims: Tuple[MaybeSize, ...] = tensors[0].dims
    for other in tensors[1:]:
        if dims != other.dims:
            break
    else:
        return dims
    try:
        met: Tuple[MaybeSize, ...] = shapes.broadcast(*[t.dims for t in tensors])
    except ShapeError:
        for t in tensors:
            if not ranked(t):
                unknown: Tuple[MaybeSize, ...] = t.dims
                return unknown
        raise ShapeError(
            f'The shapes of {" and ".join([f"{t.name} {t.shape}" for t in tensors])} do not broadcast against each '
            'other.'
        ) from None
    return met


# -- regions -----------------------------------------------------------------------------------------------------------
# Where a node was recorded: outside, in the body of a loop, or in a branch of a switch.

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
        self._lock = threading.Lock()
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


# -- sessions ----------------------------------------------------------------------------------------------------------
# What `K.clear_session()` throws away: names, uids, the learning phase, scopes.


class _Recording(threading.local):
    """The region that a thread records into.

    The attribute of the class is the value at the top. Asking for a missing attribute would be slow.
    """

    region: Optional[Region] = None


class Session:
    """One life of an engine's graph.

    Tensors hold it. It holds none but the learning phase and plain numbers, so that dropped graphs are freed.
    """

    def __init__(self, graph: Any) -> None:
        # A Graph, or what stands for one in an engine with tensors of its own: Theano's have sessions, too.
        self.engine = graph
        self.closed = False
        self.uids: DefaultDict[str, int] = defaultdict(int)
        self.learning_phase: Any = None  # a placeholder, or the number that it was fixed at
        self.numbers: Dict[Tuple[float, str], Tensor] = {}
        self._names: DefaultDict[str, int] = defaultdict(int)
        self._variables: Dict[str, int] = {}  # names, and the last number that each got
        self._local = _Recording()
        # A step function is recorded in one go. A program may hand over to another task inside of its own blocks.
        self._deps: Scoped[Tuple[Tensor, ...]] = scoped('control dependencies', ())
        self._scope: Scoped[str] = scoped('name scope', '')

    # -- scopes, per thread or task ----------------------------------------------------------------------------------
    @property
    def region(self) -> Optional[Region]:
        """The inside of a loop or branch that is being recorded, None at the top."""
        return self._local.region

    @contextmanager
    def inside(self, region: Optional[Region]) -> Iterator[Optional[Region]]:
        """Record into `region`."""
        before = self.region
        self._local.region = region
        try:
            yield region
        finally:
            self._local.region = before

    @contextmanager
    def independent(self, region: Optional[Region] = None) -> Iterator[None]:
        """Record into `region` (None: at the top) and without dependencies, whatever blocks are open."""
        outside, before = self.region, self._deps.set(())
        self._local.region = region
        try:
            yield
        finally:
            self._local.region = outside
            self._deps.reset(before)

    @property
    def deps(self) -> Tuple[Tensor, ...]:
        """The tensors that have to run before everything that is recorded now."""
        return self._deps.get()

    @contextmanager
    def depending_on(self, tensors: Sequence[Tensor]) -> Iterator[None]:
        """Record nodes that run after `tensors`."""
        before = self._deps.set(self.deps + tuple(tensors))
        try:
            yield
        finally:
            self._deps.reset(before)

    @contextmanager
    def name_scope(self, name: Optional[str]) -> Iterator[str]:
        """Put `name/` in front of the names of new tensors."""
        scope = f'{self._scope.get()}{name}/'
        before = self._scope.set(scope)
        try:
            yield scope
        finally:
            self._scope.reset(before)

    def name(self, given: Optional[str], kind: str) -> str:
        """The name of a new tensor: as given, or numbered by its kind."""
        scope = self._scope.get()
        if given is None:
            self._names[kind] = number = self._names[kind] + 1
            given = f'{kind}_{number}'
        return scope + given if scope else given

    def name_of_variable(self, given: Optional[str]) -> str:
        """The name of a new variable. A name that another variable has gets a number.

        Keras stores weights under their names, and a file takes each name once.
        """
        plain = name = self.name(given, 'variable')
        while name in self._variables:
            self._variables[plain] += 1
            name = f'{plain}_{self._variables[plain]}'
        self._variables[name] = 0
        return name
