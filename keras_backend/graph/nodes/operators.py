"""The operators of symbolic tensors: each stands for a function of K."""

from typing import Any, Callable


def _operator(name: str, swap: bool = False) -> Callable[[Any, Any], Any]:
    """The method of an operator of Python; swap: the tensor is its right operand."""

    def left(self: 'Operators', other: Any) -> Any:
        return self._front.binary(name, self, other)

    def right(self: 'Operators', other: Any) -> Any:
        return self._front.binary(name, other, self)

    return right if swap else left


class Operators:
    """The operators that classes of tensors inherit. `_front` has the functions that the operators stand for."""

    _front: Any

    __add__, __radd__ = _operator('add'), _operator('add', True)
    __sub__, __rsub__ = _operator('sub'), _operator('sub', True)
    __mul__, __rmul__ = _operator('mul'), _operator('mul', True)
    __truediv__, __rtruediv__ = _operator('div'), _operator('div', True)
    __floordiv__, __rfloordiv__ = _operator('floordiv'), _operator('floordiv', True)
    __mod__, __rmod__ = _operator('mod'), _operator('mod', True)
    __rpow__ = _operator('pow', True)
    __lt__, __le__ = _operator('less'), _operator('less_equal')
    __gt__, __ge__ = _operator('greater'), _operator('greater_equal')
    __and__, __rand__ = _operator('logical_and'), _operator('logical_and', True)
    __or__, __ror__ = _operator('logical_or'), _operator('logical_or', True)

    def __pow__(self, other: Any) -> Any:
        # K.pow refuses negative powers of integers.
        return self._front.pow(self, other)

    def __xor__(self, other: Any) -> Any:
        return self._front.exclusive_or(self, other)

    __rxor__ = __xor__

    def __matmul__(self, other: Any) -> Any:
        return self._front.dot(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._front.dot(self._front.operand(other, self._front.library.dtype(self)), self)
