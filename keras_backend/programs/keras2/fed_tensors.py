"""Functions of K that are fed with tensors: `model.fit(x, y, steps_per_epoch=2)` of symbolic tensors."""

import functools
import sys
from types import ModuleType
from typing import Any

from ...errors import FeedError
from . import keras_cures


def values_of_tensors(keras: ModuleType) -> str:
    """Let functions of K be fed with tensors and variables: each call feeds the values that they have then."""
    from ...basics.calls import Function  # imports NumPy

    engine: Any = sys.modules[keras_cures.engine_module()]
    call = Function.__call__
    if hasattr(call, '_of_keras2'):
        return ''

    @functools.wraps(call)
    def __call__(self: Any, inputs: Any = ()) -> Any:
        try:
            return call(self, inputs)
        except FeedError:  # before anything has run
            if not isinstance(inputs, (list, tuple)) or not any(engine.is_tensor(fed) for fed in inputs):
                raise
        return call(self, [engine.eval(fed) if engine.is_tensor(fed) else fed for fed in inputs])

    __call__._of_keras2 = True  # type: ignore[attr-defined]
    Function.__call__ = __call__  # type: ignore[method-assign]
    return 'K.function'
