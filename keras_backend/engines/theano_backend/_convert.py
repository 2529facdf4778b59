"""Constants, and tensors of other dtypes."""

from typing import Any, Optional

from ...arrays import plain, private
from ._library import SparseType, T, TensorType, Variable
from ._noted import Noted
from ._variables import KConstant


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor of Theano, dense or sparse, of K or not."""
    return (isinstance(x, Variable) and isinstance(x.type, (TensorType, SparseType))) or isinstance(x, Noted)


def constant(value: Any, dtype: str, name: Optional[str] = None) -> Any:
    """An array, number or nested list as a constant."""
    array = private(plain(value), dtype)
    return KConstant(TensorType(dtype, [n == 1 for n in array.shape]), array, name)


def cast(x: Any, dtype: str) -> Any:
    """The tensor `x` in another dtype, itself if it has it."""
    if x.dtype == dtype:
        return x
    return T.neq(x, constant(0, x.dtype)) if dtype == 'bool' else T.cast(x, dtype)
