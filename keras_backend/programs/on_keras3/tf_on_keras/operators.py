"""Operators between a tensor of TensorFlow and one of Keras on JAX or PyTorch: Keras computes them."""

import functools
from importlib import import_module
from typing import Any, Callable

from .tensors_of_keras import any_of_keras, is_no_stand_in, is_on_another, without_tensorflow

# Those of Python -> those of Keras, which take KerasTensors beside any tensor, as JAX does not.
_NAMES = {
    **{name: name for name in 'add matmul mod'.split()},
    **{'sub': 'subtract', 'mul': 'multiply', 'truediv': 'true_divide', 'floordiv': 'floor_divide', 'pow': 'power'},
}
_COMPARISONS = {
    **{'lt': 'less', 'le': 'less_equal', 'gt': 'greater', 'ge': 'greater_equal'},
    **{'eq': 'equal', 'ne': 'not_equal'},
}


def operators_beside_tensors_of_keras(tensorflow: Any) -> str:
    """Let `tf.constant(2.) * x` be a tensor of Keras where `x` is one, on JAX and PyTorch."""
    if not is_no_stand_in(tensorflow) or not is_on_another():
        return ''
    tensor = tensorflow.Tensor
    ops = import_module('keras.ops')
    for name, of_keras in _NAMES.items():
        function = getattr(ops, of_keras)
        _replace(tensor, f'__{name}__', function)
        _replace(tensor, f'__r{name}__', _swapped(function))
    for name, of_keras in _COMPARISONS.items():
        _replace(tensor, f'__{name}__', getattr(ops, of_keras))
    return 'the operators of tf.Tensor'


def _replace(tensor: Any, name: str, function: Callable[[Any, Any], Any]) -> None:
    original = getattr(tensor, name)

    @functools.wraps(original)
    def operate(x: Any, y: Any) -> Any:
        if type(y).__module__.partition('.')[0] not in _OTHERS and any_of_keras((y,), None):
            from ....engines.keras3_backend.tensors.k_tensor import as_k_tensor
            from .creation import convert_to_tensor

            return as_k_tensor(function(convert_to_tensor(without_tensorflow(x, name)), y))
        return original(x, y)

    setattr(tensor, name, operate)


_OTHERS = 'tensorflow', 'numpy', 'builtins'


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(y, x)
