"""Operators between an array of NumPy and a K tensor: NumPy calls its ufunc, which asks the tensor.

`array * tensor` is `numpy.multiply(array, tensor)`, and becomes `tensor.__rmul__(array)`. All other ufuncs are refused.
"""

from typing import TYPE_CHECKING, Any, Dict, Tuple

import numpy as np

from ...basics import misuse

if TYPE_CHECKING:
    pass


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


def apply(tensor: Any, ufunc: Any, method: str, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Any:
    """The result of the ufunc with `tensor` among its inputs; TypeError where K has no operator for it."""
    out = named.pop('out', None)  # of `array += tensor`, which gives a new tensor
    in_place = out is None or (len(out) == 1 and out[0] is inputs[0])
    if method == '__call__' and ufunc in _METHODS and len(inputs) == 2 and in_place and not named:
        of_left, of_right = _METHODS[ufunc]
        if inputs[0] is tensor:
            return getattr(tensor, of_left)(inputs[1])
        return getattr(tensor, of_right)(inputs[0])
    raise TypeError(f'numpy.{ufunc.__name__} cannot take {tensor!r}. {misuse.ARRAY}.')
