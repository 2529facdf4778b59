"""The `with` blocks that a thread is inside of, or a task of asyncio: tasks of a thread take turns inside of blocks."""

import threading
from typing import Any, Generic, TypeVar

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
