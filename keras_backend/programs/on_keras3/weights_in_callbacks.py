"""Weights and rates that a callback reads after a batch on JAX, by other ways than `self.model`.

In a step Keras 3 on JAX takes the values out of the variables, and puts them back when a callback asks for
`self.model`. A callback that reads `optimizer.lr`, or a model that it got elsewhere, finds variables without a value.
"""

import functools
from typing import Any, Callable, List

from .classes_of_programs import prepare_classes

_MOMENTS = [f'on_{work}batch_{end}' for work in ('', 'train_', 'test_', 'predict_') for end in ('begin', 'end')]


def weights_in_callbacks(keras: Any) -> str:
    """Let callbacks of a program, and those of `LambdaCallback`, read weights after each batch on JAX."""
    if keras.backend.backend() != 'jax':
        return ''
    prepare_classes(keras.callbacks.Callback, _prepare)
    made = keras.callbacks.LambdaCallback
    original = made.__init__

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        for name in _of(self):
            function = vars(self)[name]
            setattr(self, name, functools.partial(_with_values(_without_self(function)), self))

    made.__init__ = __init__
    return 'Callback, LambdaCallback'


def _prepare(made: Any) -> None:
    for name in _of(made):
        setattr(made, name, _with_values(vars(made)[name]))


def _of(holder: Any) -> List[str]:
    return [name for name in _MOMENTS if callable(vars(holder).get(name))]


def _without_self(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, *args, **kwargs: function(*args, **kwargs)


def _with_values(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def moment(self: Any, *args: Any, **kwargs: Any) -> Any:
        # Keras puts the values back when it is asked for the model. A callback may lack one.
        getattr(self, 'model', None)
        return original(self, *args, **kwargs)

    return moment
