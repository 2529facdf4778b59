"""A lock that survives a fork."""

import os
import threading
import weakref
from typing import Any

_locks: 'weakref.WeakSet[Lock]' = weakref.WeakSet()


class Lock:
    """A re-entrant lock. In a forked child it is free: the thread that held it does not exist there."""

    def __init__(self) -> None:
        self._renew()
        _locks.add(self)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> 'Lock':
        self._lock.acquire()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._lock.release()


def _renew_all() -> None:
    for lock in list(_locks):
        lock._renew()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_renew_all)
else:
    # Python 3.6 tells of forks by multiprocessing only
    from multiprocessing.util import register_after_fork

    register_after_fork(Lock, lambda _: _renew_all())
