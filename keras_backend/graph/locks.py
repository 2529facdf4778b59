"""A lock that survives a fork."""

import os
import threading
import weakref
from typing import Any

# Python 3.6 tells nobody of a fork, so each lock looks for it.
_UNTOLD = not hasattr(os, 'register_at_fork')
_process = [os.getpid()]
_locks: 'weakref.WeakSet[Lock]' = weakref.WeakSet()


class Lock:
    """A re-entrant lock. In a forked child it is free: the thread that held it does not exist there."""

    def __init__(self) -> None:
        self._renew()
        _locks.add(self)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> 'Lock':
        if _UNTOLD and os.getpid() != _process[0]:
            _renew_all()
        self._lock.acquire()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._lock.release()


def _renew_all() -> None:
    _process[0] = os.getpid()
    for lock in list(_locks):
        lock._renew()


if not _UNTOLD:
    os.register_at_fork(after_in_child=_renew_all)
