"""Operators between a tensor of TensorFlow and one of Keras on JAX or PyTorch: Keras computes them."""

import functools
import operator
from typing import Any, Callable

from .tensors_of_keras import any_of_keras, is_no_stand_in, is_on_another, without_tensorflow

_NAMES = 'add sub mul truediv floordiv mod pow matmul'.split()
_COMPARISONS = 'lt le gt ge eq ne'.split()


def operators_beside_tensors_of_keras(tensorflow: Any) -> str:
    """Let `tf.constant(2.) * x` be a tensor of Keras where `x` is one, on JAX and PyTorch."""
    if not is_no_stand_in(tensorflow) or not is_on_another():
        return ''
    tensor = tensorflow.Tensor
    for name in _NAMES:
        function = getattr(operator, name)
        _replace(tensor, f'__{name}__', function)
        _replace(tensor, f'__r{name}__', _swapped(function))
    for name in _COMPARISONS:
        _replace(tensor, f'__{name}__', getattr(operator, name))
    return 'the operators of tf.Tensor'


def _replace(tensor: Any, name: str, function: Callable[[Any, Any], Any]) -> None:
    original = getattr(tensor, name)

    @functools.wraps(original)
    def operate(x: Any, y: Any) -> Any:
        if type(y).__module__.partition('.')[0] not in _OTHERS and any_of_keras((y,), None):
            from .creation import convert_to_tensor

            return function(convert_to_tensor(without_tensorflow(x, name)), y)
        return original(x, y)

    setattr(tensor, name, operate)


_OTHERS = 'tensorflow', 'numpy', 'builtins'


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(y, x)
