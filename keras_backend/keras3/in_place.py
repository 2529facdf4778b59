"""`x *= y` in layers, losses and metrics makes a new tensor, as it did in tf.keras.

PyTorch changes `x` itself. Where `x` is what another layer has made, or what the next metric is given, all of these see
it changed, and no error says so. `program_code` makes the code of a program call `operate`.
"""

import functools
import operator
import threading
from typing import Any, Callable, Set

# The classes of tensors of PyTorch, once Keras is there and runs on it.
TENSORS: Set[type] = set()


class _State(threading.local):
    """Whether a loss or a metric is being computed in this thread."""

    busy = False


_STATE = _State()


def in_a_step() -> bool:
    """Whether a layer, a loss or a metric is being computed."""
    from ..engines.keras3_backend.vendor import call_context

    return _STATE.busy or call_context() is not None


def operate(name: str, x: Any, y: Any) -> Any:
    """`x *= y` for the name 'mul', and so on: a new tensor in a step of a model, else what Python does."""
    is_new = x.__class__ in TENSORS and in_a_step()
    return getattr(operator, name if is_new else 'i' + name)(x, y)


def operators_in_place(keras: Any) -> str:
    """Let `x *= y` make a new tensor in the layers, losses and metrics of a program on PyTorch."""
    if keras.backend.backend() != 'torch':
        return ''
    import torch

    from .program_code import change_main

    TENSORS.update([torch.Tensor, torch.nn.Parameter])
    for name in ('compute_loss', 'compute_metrics'):
        setattr(keras.Model, name, _marked(getattr(keras.Model, name)))
    # A layer and `compile` are given functions of the program.
    keras.layers.Layer.__new__ = staticmethod(_after(change_main, keras.layers.Layer.__new__))
    keras.Model.compile = _after(change_main, keras.Model.compile)
    return 'the code of the program'


def _marked(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def compute(*args: Any, **kwargs: Any) -> Any:
        before, _STATE.busy = _STATE.busy, True
        try:
            return original(*args, **kwargs)
        finally:
            _STATE.busy = before

    return compute


def _after(action: Callable[..., None], original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        action(*args[1:], *kwargs.values())
        return original(*args, **kwargs)

    return call
