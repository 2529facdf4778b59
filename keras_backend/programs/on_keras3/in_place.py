"""`x *= y` in layers, losses and metrics makes a new tensor, as it did in tf.keras.

PyTorch changes `x` itself. Where `x` is what another layer has made, or what the next metric is given, all of these see
it changed, and no error says so. `program_code` makes the code of a program call `operate`.
"""

import functools
import operator
import threading
from typing import Any, Callable, Set

# The classes of tensors of PyTorch, once Keras is there and runs on it.
TENSORS: Set[Any] = set()


class _State(threading.local):
    """Whether a loss or a metric is being computed in this thread."""

    busy = False


_STATE = _State()


def in_a_step() -> bool:
    """Whether a layer, a loss or a metric is being computed."""
    from ...engines.keras3_backend.vendor import call_context

    return _STATE.busy or call_context() is not None


def operate(name: str, x: Any, y: Any) -> Any:
    """`x *= y` for the name 'mul', and so on: a new tensor in a step of a model, else what Python does."""
    is_new = x.__class__ in TENSORS and in_a_step()
    return getattr(operator, name if is_new else 'i' + name)(x, y)


def mark_steps(keras: Any) -> None:
    """Let losses and metrics of models be known as steps while they are computed."""
    for name in ('compute_loss', 'compute_metrics'):
        setattr(keras.Model, name, _marked(getattr(keras.Model, name)))


def _marked(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def compute(*args: Any, **kwargs: Any) -> Any:
        before, _STATE.busy = _STATE.busy, True
        try:
            return original(*args, **kwargs)
        finally:
            _STATE.busy = before

    return compute
