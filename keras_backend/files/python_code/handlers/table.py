"""The table of handlers, and the ways to enter one."""

from typing import Any, Callable, Dict

from ..instructions import Step
from ..machine import Frame

Handler = Callable[[Frame, Step], None]
HANDLERS: Dict[str, Handler] = {}


def of(*kinds: str) -> Callable[[Handler], Handler]:
    """Enter a function for operations of these kinds."""

    def enter(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(kinds, handler))
        return handler

    return enter


def pushes(kind: str, make: Callable[[Frame, Any], Any]) -> None:
    """Enter an operation that takes nothing and pushes a value made of its argument."""
    HANDLERS[kind] = lambda frame, step: frame.push(make(frame, step.operation.value))


def replaces(kind: str, make: Callable[..., Any]) -> None:
    """Enter an operation that takes its values, the lowest first, and pushes one that is made of them."""

    def handle(frame: Frame, step: Step) -> None:
        frame.push(make(frame, step.operation.value, *frame.take(step.operation.takes)))

    HANDLERS[kind] = handle
