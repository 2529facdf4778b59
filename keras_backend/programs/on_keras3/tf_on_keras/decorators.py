"""`tf.function` and `tf.custom_gradient` of functions that compute with tensors of Keras.

Source: the documentation of TensorFlow 2.
"""

import functools
import sys
from typing import Any, Callable, Tuple

from .tensors_of_keras import any_of_keras, is_no_stand_in, is_on_another


def function(func: Any = None, *args: Any, **options: Any) -> Any:
    """`tf.function` without TensorFlow: the function itself, since Keras compiles what it trains."""
    return (lambda decorated: decorated) if func is None else func


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """`tf.custom_gradient`: `f` returns its result and the function of its gradient."""
    from keras import ops

    def forward(*args: Any) -> Tuple[Any, Callable[..., Any]]:
        result, gradient = f(*args)

        def grad(*given: Any, upstream: Any = None) -> Any:
            return gradient(*(given if upstream is None else (upstream,)))

        return result, grad

    return functools.wraps(f)(ops.custom_gradient(forward))


class _Function:
    """A function that TensorFlow compiles for its graphs alone: a pipeline of `tf.data`."""

    def __init__(self, func: Callable[..., Any], compiled: Any) -> None:
        self._func, self._compiled = func, compiled
        functools.update_wrapper(self, func)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        eager = sys.modules['tensorflow'].executing_eagerly()
        return (self._func if eager else self._compiled)(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)


def decorators(tensorflow: Any) -> str:
    """Let functions under `tf.function` and `tf.custom_gradient` compute with tensors of JAX and PyTorch."""
    if not is_no_stand_in(tensorflow) or not is_on_another():
        return ''
    tensorflow.function = _of_python(tensorflow.function)
    tensorflow.custom_gradient = _of_both(tensorflow.custom_gradient)
    return 'tf.function, tf.custom_gradient'


def _of_python(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def decorate(func: Any = None, *args: Any, **options: Any) -> Any:
        if func is None:
            return functools.partial(decorate, **options)
        return _Function(func, original(func, *args, **options))

    return decorate


def _of_both(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        of_tensorflow, of_keras = original(f), custom_gradient(f)

        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            return (of_keras if any_of_keras(args, kwargs) else of_tensorflow)(*args, **kwargs)

        return call

    return decorate
