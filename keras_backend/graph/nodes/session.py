"""The state that `K.clear_session()` throws away: names, uids, the learning phase, scopes."""

import threading
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, DefaultDict, Dict, Iterator, Optional, Sequence, Tuple

from ...basics.library import Tensor
from ...basics.threads import Scoped, scoped

if TYPE_CHECKING:
    from .region import Region


class _Recording(threading.local):
    """The region that a thread records into.

    The attribute of the class is the value at the top. Asking for a missing attribute would be slow.
    """

    region: Optional['Region'] = None


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
    def region(self) -> Optional['Region']:
        """The inside of a loop or branch that is being recorded, None at the top."""
        return self._local.region

    @contextmanager
    def inside(self, region: Optional['Region']) -> Iterator[Optional['Region']]:
        """Record into `region`."""
        before = self.region
        self._local.region = region
        try:
            yield region
        finally:
            self._local.region = before

    @contextmanager
    def independent(self, region: Optional['Region'] = None) -> Iterator[None]:
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
