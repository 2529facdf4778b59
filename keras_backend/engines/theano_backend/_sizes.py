"""Sizes and shapes: what is known of them, and tensors of integers for the rest."""

from typing import Any, List

import numpy as np

from ...dtypes import is_integer
from ...errors import ArgumentTypeError, ArgumentValueError
from ...shapes import entries_of, known
from ...shapes import size_of as size_given
from ._convert import cast, constant, is_tensor
from ._graph import check, describe
from ._library import T, theano
from ._static import dims_of, visible
from ._static import value as static_value


def size_of(x: Any, axis: int) -> Any:
    """The size of one axis: an int where it is known, else an int64 scalar."""
    n = dims_of(x)[axis]
    return n if known(n) else theano.compile.ops.Shape_i(axis)(x)


def sizes_of(x: Any) -> List[Any]:
    """The size of every axis."""
    return [size_of(x, axis) for axis in range(x.type.ndim)]


def size(value: Any) -> Any:
    """One size as an int if it is known, else as an int64 scalar; None becomes -1."""
    if value is None:
        return -1
    if not is_tensor(value):
        return size_given(value)
    check(value)
    if value.type.ndim:
        value = T.reshape(value, (), ndim=0)
    static = static_value(value)
    return int(static) if known(static) else cast(value, 'int64')


def items(shape: Any) -> List[Any]:
    """A shape, or another collection of sizes, as a list: ints where known, else int64 scalars."""
    if not is_tensor(shape):
        return [size(n) for n in entries_of(shape)]
    check(shape)
    if shape.type.ndim != 1 or not is_integer(shape.type.dtype):
        raise ArgumentTypeError(
            f'{describe(shape)} of shape {visible(dims_of(shape))} and dtype {shape.type.dtype} is no vector of '
            'integers.'
        )
    entries = shape.__dict__.get('_keras_items')
    if entries is not None:
        return list(entries)
    static = static_value(shape)
    if not isinstance(static, list):
        static = [None] * _length(shape)
    return [int(n) if known(n) else cast(shape[i], 'int64') for i, n in enumerate(static)]


def _length(shape: Any) -> int:
    """The number of entries of a vector, which has to be known: it is a rank."""
    (count,) = dims_of(shape)
    if not known(count):
        raise ArgumentValueError(f'{describe(shape)} is given as a shape, but how many sizes it holds is not known.')
    return int(count)


def vector(entries: List[Any]) -> Any:
    """Sizes (ints and int64 scalars) as the vector that Theano reshapes and fills by."""
    if not any([is_tensor(n) for n in entries]):
        return constant(np.array(entries, 'int64'), 'int64')
    made = T.stack(scalars(entries))
    made._keras_items = tuple(entries)
    return made


def scalars(entries: List[Any]) -> List[Any]:
    """Sizes as int64 scalars."""
    return [cast(n, 'int64') if is_tensor(n) else constant(n, 'int64') for n in entries]
