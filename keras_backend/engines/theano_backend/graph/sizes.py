"""Sizes and shapes: what is known of them, and tensors of integers for the rest."""

from typing import Any, List

import numpy as np

from ....dtypes import is_integer
from ....errors import ArgumentTypeError, ArgumentValueError
from ....shapes import entries_of, known
from ....shapes import size_of as size_given
from ..library import T, theano
from . import check, describe
from .static import dims_of, value_of, visible
from .tensors import adopt, cast, constant, is_tensor

Tensor = Any


def size_of(x: Tensor, axis: int) -> Any:
    """The size of one axis: an int where it is known, else an int64 scalar."""
    n = dims_of(x)[axis]
    return n if known(n) else theano.compile.ops.Shape_i(axis)(x)


def sizes_of(x: Tensor) -> List[Any]:
    """The size of every axis."""
    return [size_of(x, axis) for axis in range(x.type.ndim)]


def _size(value: Any) -> Any:
    """One size as an int if it is known, else as an int64 scalar; None becomes -1."""
    if value is None:
        return -1
    if not is_tensor(value):
        return size_given(value)
    check(value)
    if value.type.ndim:
        value = T.reshape(value, (), ndim=0)
    static = value_of(value)
    return int(static) if known(static) else cast(value, 'int64')


def items(shape: Any) -> List[Any]:
    """A shape, or another collection of sizes, as a list: ints where known, else int64 scalars."""
    if not is_tensor(shape):
        return [_size(n) for n in entries_of(shape)]
    check(shape)
    if shape.type.ndim != 1 or not is_integer(shape.type.dtype):
        raise ArgumentTypeError(
            f'{describe(shape)} of shape {visible(dims_of(shape))} and dtype {shape.type.dtype} is no vector of '
            'integers.'
        )
    entries = shape.__dict__.get('_keras_items')
    if entries is not None:
        return list(entries)
    static = value_of(shape)
    if not isinstance(static, list):
        (count,) = dims_of(shape)
        if not known(count):
            raise ArgumentValueError(
                f'{describe(shape)} is given as a shape, but how many sizes it holds is not known.'
            )
        static = [None] * count
    return [int(n) if known(n) else cast(shape[i], 'int64') for i, n in enumerate(static)]


def sizes(shape: Any) -> Any:
    """A collection of sizes as a tuple of ints if all are known, else as a vector."""
    entries = items(shape)
    return adopt(vector(entries)) if any([is_tensor(n) for n in entries]) else tuple(entries)


def vector(entries: List[Any], dtype: str = 'int64') -> Tensor:
    """Sizes (ints and scalars) as the vector that Theano reshapes and fills by."""
    if not any([is_tensor(n) for n in entries]):
        return constant(np.array(entries, dtype), dtype)
    made = T.stack(scalars(entries, dtype))
    made._keras_items = tuple(entries)
    return made


def scalars(entries: List[Any], dtype: str = 'int64') -> List[Tensor]:
    """Sizes as scalars."""
    return [cast(n, dtype) if is_tensor(n) else constant(n, dtype) for n in entries]
