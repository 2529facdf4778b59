"""What `K.clear_session()` throws away: names, uids, the learning phase, scopes."""

import threading
from collections import defaultdict
from contextlib import contextmanager

from .tensor import Update
from .updates import composed


class Session:
    """One life of an engine's graph. Tensors hold it;
    it holds none but the learning phase and plain numbers, so that dropped graphs are freed."""

    def __init__(self, engine):
        self.engine = engine
        self.closed = False
        self.uids = defaultdict(int)
        self.learning_phase = None
        self.numbers = {}
        self._names = defaultdict(int)
        self._local = threading.local()

    # -- scopes, per thread --------------------------------------------------------------------------------------
    @property
    def region(self):
        return getattr(self._local, 'region', None)

    @contextmanager
    def inside(self, region):
        """Record into `region`."""
        before = self.region
        self._local.region = region
        try:
            yield region
        finally:
            self._local.region = before

    @contextmanager
    def independent(self, region=None):
        """Record into `region` (None: at the top) and without dependencies, whatever blocks are open."""
        before = self.region, self.deps
        self._local.region, self._local.deps = region, ()
        try:
            yield
        finally:
            self._local.region, self._local.deps = before

    @property
    def deps(self):
        return getattr(self._local, 'deps', ())

    @contextmanager
    def depending_on(self, tensors):
        before = self.deps
        self._local.deps = before + tuple(tensors)
        try:
            yield
        finally:
            self._local.deps = before

    def after_deps(self, x):
        """What stands for `x` in a block that depends on updates: of a variable that they change, the new value."""
        updates = [u for u in self.deps if isinstance(u, Update) and u.variable is x]
        if not updates:
            return x
        with self.independent(self.region):
            return composed(self.engine, updates)[0].new

    @contextmanager
    def name_scope(self, name):
        before = getattr(self._local, 'scope', '')
        self._local.scope = f'{before}{name}/'
        try:
            yield self._local.scope
        finally:
            self._local.scope = before

    def name(self, given, kind):
        """The name of a new tensor: as given, or numbered by its kind."""
        scope = getattr(self._local, 'scope', '')
        if given is None:
            self._names[kind] = number = self._names[kind] + 1
            given = f'{kind}_{number}'
        return scope + given if scope else given
