"""Blocks that a thread or a task is inside of, a lock that survives a fork, and values that threads remember."""

import os
import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Generic, Hashable, TypeVar

# -- locks -------------------------------------------------------------------------------------------------------------
# A lock that survives a fork.


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


class Remembered:
    """Values by their keys, shared by threads. Of more than `most`, the one that was put in longest ago goes."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """The value of a key, None where there is none."""
        return self._values.get(key)

    def put(self, key: Hashable, value: Any) -> None:
        """Remember a value, as the latest one."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._values.clear()


# -- blocks ------------------------------------------------------------------------------------------------------------
# The `with` blocks that a thread is inside of, or a task of asyncio: tasks of a thread take turns inside of blocks.


try:
    from contextvars import ContextVar, Token
except ImportError:  # Python 3.6 does not tell tasks apart
    ContextVar = None  # type: ignore[assignment,misc]

T = TypeVar('T')


class Scoped(Generic[T]):
    """A value that a block sets for its own thread."""

    def __init__(self, name: str, default: T) -> None:
        self._local, self._default = threading.local(), default

    def get(self) -> T:
        value: T = getattr(self._local, 'value', self._default)
        return value

    def set(self, value: T) -> Any:
        """Set the value; the result is what `reset` takes."""
        before = self.get()
        self._local.value = value
        return before

    def reset(self, before: Any) -> None:
        """Give back what held before."""
        self._local.value = before


class ScopedInTask(Scoped[T]):
    """A value that a block sets for its own task, or its own thread where there are no tasks."""

    def __init__(self, name: str, default: T) -> None:
        self._variable: ContextVar[T] = ContextVar(name, default=default)
        self.get = self._variable.get  # type: ignore[method-assign]

    def set(self, value: T) -> Any:
        """Set the value; the result is what `reset` takes."""
        return self._variable.set(value)

    def reset(self, before: Any) -> None:
        """Give back what held before; also where a block is left in another task than it was entered in."""
        try:
            self._variable.reset(before)
        except ValueError:
            if before.old_value is not Token.MISSING:
                self._variable.set(before.old_value)


def scoped(name: str, default: T) -> Scoped[T]:
    """A value that holds inside of a `with` block, and `default` outside of all."""
    return Scoped(name, default) if ContextVar is None else ScopedInTask(name, default)
