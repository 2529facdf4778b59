"""`x *= y` in layers, losses and metrics makes a new tensor, as it did in tf.keras.

PyTorch changes `x` itself. Where `x` is what another layer has made, or what the next metric is given, all of these see
it changed, and no error says so.
"""

import functools
import sys
import threading
from typing import Any, Callable

_NAMES = {'iadd': 'add', 'isub': 'sub', 'imul': 'mul', 'itruediv': 'truediv', 'ifloordiv': 'floordiv', 'imod': 'mod'}
# In these a change in place is meant.
_OF_LIBRARIES = frozenset(['torch', 'keras', 'keras_backend'])


class _State(threading.local):
    """Whether a loss or a metric is being computed in this thread."""

    busy = False


_STATE = _State()


def is_busy() -> bool:
    """Whether a loss or a metric is being computed."""
    return _STATE.busy


def operators_in_place(keras: Any) -> str:
    """Let `x *= y` make a new tensor in the layers, losses and metrics of a program on PyTorch."""
    if keras.backend.backend() != 'torch':
        return ''
    import torch

    from ..engines.keras3_backend.vendor import call_context

    for name, plain in _NAMES.items():
        original, other = [getattr(torch.Tensor, f'__{each}__') for each in (name, plain)]
        setattr(torch.Tensor, f'__{name}__', _not_in_place(original, other, call_context))
    for name in ('compute_loss', 'compute_metrics'):
        setattr(keras.Model, name, _marked(getattr(keras.Model, name)))
    return 'torch.Tensor.__imul__ and the like, in the code of the program'


def _not_in_place(original: Callable[..., Any], other: Callable[..., Any], call_context: Callable[[], Any]) -> Any:
    @functools.wraps(original)
    def operate(x: Any, y: Any) -> Any:
        if _STATE.busy or call_context() is not None:
            module = sys._getframe(1).f_globals.get('__name__') or ''
            if module.partition('.')[0] not in _OF_LIBRARIES:
                return other(x, y)
        return original(x, y)

    return operate


def _marked(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def compute(*args: Any, **kwargs: Any) -> Any:
        before, _STATE.busy = _STATE.busy, True
        try:
            return original(*args, **kwargs)
        finally:
            _STATE.busy = before

    return compute
