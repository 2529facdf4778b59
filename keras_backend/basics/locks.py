"""A lock that survives a fork."""

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

# Python 3.6 tells nobody of a fork, so each lock looks for it.
_UNTOLD = not hasattr(os, 'register_at_fork')
_process = [os.getpid()]
_locks: 'weakref.WeakSet[Any]' = weakref.WeakSet()


# The class of threading.RLock. Since Python 3.9 it can be freed in a child.
_RLock: Any = type(threading.RLock())


class _Wrapped:
    """Python before 3.9: a lock in a lock. Ctrl-C in its methods may leave it held."""

    def __init__(self) -> None:
        self._renew()
        _locks.add(self)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> '_Wrapped':
        if _UNTOLD and os.getpid() != _process[0]:
            _renew_all()
        self._lock.acquire()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._lock.release()


class _Plain(_RLock):
    """Ctrl-C leaves no `with` of it that holds it: no line of Python runs between taking it and the block."""

    def __init__(self) -> None:
        _locks.add(self)

    def _renew(self) -> None:
        self._at_fork_reinit()


if TYPE_CHECKING or not hasattr(_RLock, '_at_fork_reinit'):
    Lock = _Wrapped
else:
    Lock = _Plain
Lock.__doc__ = 'A re-entrant lock. In a forked child it is free: the thread that held it does not exist there.'


def _renew_all() -> None:
    _process[0] = os.getpid()
    for lock in list(_locks):
        lock._renew()


if not _UNTOLD:
    os.register_at_fork(after_in_child=_renew_all)
