"""Replacements for functions and attributes that arrays, eager tensors and other APIs have, and K does not.

The sentences are the ends of error messages, the same on every engine.
"""

import functools
from typing import Any, Dict, Optional, Tuple

import numpy as np

BOOL = (
    'K.switch(condition, then, otherwise) chooses in the graph, and K.eval(x) gives the value where it needs no input'
)
NUMBER = 'K.eval(x) gives the value where it needs no input, K.function where it does'
ARRAY = (
    'NumPy cannot compute with it: use the function of K, such as K.exp(x); '
    'K.eval(x) or K.function give its value as an array'
)
ITERATION = 'K.map_fn(function, x) goes over the first axis, K.rnn over time, x[0] is one element'
LENGTH = 'K.shape(x)[0] is the length as a tensor'
ASSIGNMENT = (
    'K.set_value(x, array) sets all of a variable, K.update(x, value) does so in K.function, '
    'and K.switch(mask, new, x) changes some elements'
)
PICKLING = 'pickle the values, K.batch_get_value(variables), and build the tensors and functions again'


class OfThisProcess:
    """An object that belongs to the graph of this process: its copy is itself, and it cannot be pickled."""

    name: str

    def __copy__(self) -> 'OfThisProcess':
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f'{self.name} belongs to the graph of this process. To keep it, {PICKLING}.')


@functools.lru_cache(maxsize=None)
def instead(of: str) -> Dict[str, str]:
    """What K has in the place of `of`, by names. It is read where an error needs it.

    'functions': names of Keras 3, TensorFlow and NumPy that people look for in K. 'attributes': those of arrays and of
    eager tensors. (The file also has how programs write primitives; see `run_errors.written`.)
    """
    from .tables import beside

    table: Dict[str, str] = beside(__file__, 'instead.json')[of]
    return table


def function(name: str) -> Optional[str]:
    """The replacement for `K.name`, in words, or None."""
    from ..contract import CONTRACT  # takes milliseconds, and this is an error

    if name in instead('functions'):
        return instead('functions')[name]
    from ..config import nearest

    near = nearest(name, list(CONTRACT))
    return None if near is None else f'K.{near}'


def attribute(name: str) -> Optional[str]:
    """The replacement for `x.name` of a K tensor, in words, or None."""
    from ..contract import CONTRACT

    if name in instead('attributes'):
        return instead('attributes')[name]
    if name.startswith('_') or name not in CONTRACT:
        return None
    others = len(CONTRACT[name].parameters) > 1
    return f'K.{name}(x{", ..." if others else ""})'


def no_attribute(kind: str, name: str) -> str:
    """The message of the AttributeError for `x.name`, where `kind` names the class of x."""
    instead = attribute(name)
    return f'{kind!r} object has no attribute {name!r}' + (f'; write {instead}' if instead else '')


# -- ufuncs of NumPy ---------------------------------------------------------------------------------------------------
# Operators between an array of NumPy and a K tensor: NumPy calls its ufunc, which asks the tensor.
#
# `array * tensor` is `numpy.multiply(array, tensor)`, and becomes `tensor.__rmul__(array)`. All others are refused.


# ufunc -> the method of its left operand, and the method of its right one.
_METHODS: Dict[Any, Tuple[str, str]] = {
    np.add: ('__add__', '__radd__'),
    np.subtract: ('__sub__', '__rsub__'),
    np.multiply: ('__mul__', '__rmul__'),
    np.true_divide: ('__truediv__', '__rtruediv__'),
    np.floor_divide: ('__floordiv__', '__rfloordiv__'),
    np.remainder: ('__mod__', '__rmod__'),
    np.power: ('__pow__', '__rpow__'),
    np.matmul: ('__matmul__', '__rmatmul__'),
    np.less: ('__lt__', '__gt__'),
    np.less_equal: ('__le__', '__ge__'),
    np.greater: ('__gt__', '__lt__'),
    np.greater_equal: ('__ge__', '__le__'),
    np.equal: ('__eq__', '__eq__'),
    np.not_equal: ('__ne__', '__ne__'),
    np.bitwise_and: ('__and__', '__rand__'),
    np.bitwise_or: ('__or__', '__ror__'),
    np.bitwise_xor: ('__xor__', '__rxor__'),
}


def apply_ufunc(tensor: Any, ufunc: Any, method: str, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Any:
    """The result of the ufunc with `tensor` among its inputs; TypeError where K has no operator for it."""
    out = named.pop('out', None)  # of `array += tensor`, which gives a new tensor
    in_place = out is None or (len(out) == 1 and out[0] is inputs[0])
    if method == '__call__' and ufunc in _METHODS and len(inputs) == 2 and in_place and not named:
        of_left, of_right = _METHODS[ufunc]
        if inputs[0] is tensor:
            return getattr(tensor, of_left)(inputs[1])
        return getattr(tensor, of_right)(inputs[0])
    raise TypeError(f'numpy.{ufunc.__name__} cannot take {tensor!r}. {ARRAY}.')
