"""What K functions return: KerasTensors whose operators and indices mean what they mean in K.

They are KerasTensors to Keras. What a layer or a function of `keras.ops` returns is a plain KerasTensor, and its
operators are those of Keras.
"""

from typing import Any, Callable, Iterator

from ... import misuse
from ...graph import ufuncs
from ._private import keras


def _operator(name: str, swap: bool = False) -> Callable[['Tensor', Any], Any]:
    """The method of an operator; swap: the tensor is its right operand."""

    def left(self: 'Tensor', other: Any) -> Any:
        return self.front.binary(name, self, other)

    def right(self: 'Tensor', other: Any) -> Any:
        return self.front.binary(name, other, self)

    return right if swap else left


class Tensor(keras.KerasTensor):
    """A KerasTensor that K has made. `==` and `!=` are those of Keras: they compare element by element."""

    front: Any = None

    __add__, __radd__ = _operator('add'), _operator('add', True)
    __sub__, __rsub__ = _operator('sub'), _operator('sub', True)
    __mul__, __rmul__ = _operator('mul'), _operator('mul', True)
    __truediv__, __rtruediv__ = _operator('div'), _operator('div', True)
    __floordiv__, __rfloordiv__ = _operator('floordiv'), _operator('floordiv', True)
    __mod__, __rmod__ = _operator('mod'), _operator('mod', True)
    __pow__, __rpow__ = _operator('pow'), _operator('pow', True)
    __lt__, __le__ = _operator('less'), _operator('less_equal')
    __gt__, __ge__ = _operator('greater'), _operator('greater_equal')
    __and__, __rand__ = _operator('logical_and'), _operator('logical_and', True)
    __or__, __ror__ = _operator('logical_or'), _operator('logical_or', True)

    def __xor__(self, other: Any) -> Any:
        return self.front.exclusive_or(self, other)

    __rxor__ = __xor__

    def __matmul__(self, other: Any) -> Any:
        return self.front.dot(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.front.dot(self.front.operand(other, keras.backend.standardize_dtype(self.dtype)), self)

    def __neg__(self) -> Any:
        return self.front.negative(self)

    def __abs__(self) -> Any:
        return self.front.abs(self)

    def __invert__(self) -> Any:
        return self.front.equal(self, False)

    def __getitem__(self, item: Any) -> Any:
        return self.front.item(self, item)

    def __len__(self) -> int:
        length = self.shape[0] if self.shape else None
        if length is None:
            raise TypeError(
                f'The length of {self.name} (shape {tuple(self.shape)}) is not known while the model is built. '
                f'{misuse.LENGTH}.'
            )
        return int(length)

    def __iter__(self) -> Iterator[Any]:
        if not self.shape or self.shape[0] is None:
            raise TypeError(
                f'{self.name} (shape {tuple(self.shape)}) cannot be iterated: its length is not known while the model '
                f'is built. {misuse.ITERATION}.'
            )
        return (self[i] for i in range(self.shape[0]))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return ufuncs.apply(self, ufunc, method, inputs, named)

    @property
    def __jax_array__(self) -> Any:
        # JAX then leaves `array * tensor` to the tensor.
        raise AttributeError('a KerasTensor has no value')


def own(x: Any) -> Any:
    """`x` itself, with each KerasTensor in it as one of K's: a tensor, or a list or tuple."""
    if x.__class__ is keras.KerasTensor:
        x.__class__ = Tensor
    elif x.__class__ is list or x.__class__ is tuple:
        for each in x:
            own(each)
    return x
