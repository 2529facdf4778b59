"""Tensors as what is fed: `model.fit(x, y, steps_per_epoch=2)` of symbolic tensors."""

import functools
import sys
from types import ModuleType
from typing import Any, Set

from . import keras_cures

_taking: Set[type] = set()


def values_of_tensors(keras: ModuleType) -> str:
    """Let functions of K be fed with tensors and variables: each call feeds the values that they have then."""
    K: Any = sys.modules['keras.backend']
    engine: Any = sys.modules[keras_cures.engine_module()]
    made = K.function
    if hasattr(made, '_feeds_tensors'):
        return ''

    def value(fed: Any) -> Any:
        return engine.eval(fed) if engine.is_tensor(fed) else fed

    def take_tensors(cls: Any) -> None:
        call = cls.__call__

        @functools.wraps(call)
        def __call__(self: Any, inputs: Any) -> Any:
            if isinstance(inputs, (list, tuple)):
                inputs = [value(fed) for fed in inputs]
            return call(self, inputs)

        _taking.add(cls)
        try:
            cls.__call__ = __call__
        except TypeError:  # a function of Python, of an engine of the user's own
            pass

    @functools.wraps(made)
    def function(*args: Any, **kwargs: Any) -> Any:
        result = made(*args, **kwargs)
        if type(result) not in _taking:
            take_tensors(type(result))
        return result

    function._feeds_tensors = True  # type: ignore[attr-defined]
    for module in K, keras_cures.backend_module():
        vars(module).update(function=function)
    return 'K.function'
