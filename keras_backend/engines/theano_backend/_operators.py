"""Arithmetic between tensors and whatever stands beside them, and indexing: what the operators of K tensors mean."""

import numpy as np

from ... import dtypes
from ...shapes import known
from ._broadcast import aligned
from ._convert import cast, floating, is_float, is_tensor, operand, unified
from ._graph import describe
from ._library import T
from ._static import dims_of, value
from ._variables import OPERATORS, adopt


def _pair(x, y):
    if is_tensor(x) and is_tensor(y) and x.dtype == y.dtype:
        return operand(x), operand(y)
    return unified(x, y)


def compared(function):
    """A comparison as a function of any two values."""

    def compare(x, y):
        return function(*aligned(*_pair(x, y)))

    return compare


def extreme(function, comparison):
    """`maximum` or `minimum`, which bools have, too."""

    def choose(x, y):
        x, y = aligned(*_pair(x, y))
        # In C, Theano's own go by way of a double, which has a NaN and not all the digits.
        return T.switch(comparison(x, y), x, y) if x.dtype in ('int64', 'uint64') else function(x, y)

    return choose


def arithmetic(function, whole=True):
    """An operator of two numbers; of bools it computes integers, and floats where the result is not `whole`."""

    def compute(x, y):
        x, y = _pair(x, y)
        if not whole and not is_float(x.dtype):
            x, y = floating(x), floating(y)
        elif x.dtype == 'bool':
            x, y = cast(x, 'int32'), cast(y, 'int32')
        return function(*aligned(x, y))

    return compute


add, sub, mul = arithmetic(T.add), arithmetic(T.sub), arithmetic(T.mul)
truediv, floordiv = arithmetic(T.true_div, whole=False), arithmetic(T.int_div)
mod, power = arithmetic(T.mod), arithmetic(T.pow)


def negative(x):
    x = operand(x)
    return T.neg(cast(x, 'int32') if x.dtype == 'bool' else x)


def absolute(x):
    x = operand(x)
    return x if x.dtype == 'bool' else T.abs_(x)


def getitem(x, item):
    """`x[item]`."""
    x = operand(x)
    items, sizes = list(item) if isinstance(item, tuple) else [item], dims_of(x)
    taking = [i for i in items if i is not None and i is not Ellipsis]
    if len(taking) > len(sizes):
        raise IndexError(
            f'{describe(x)} of shape {tuple([n if known(n) else None for n in sizes])} has fewer axes than the index '
            f'{item!r}.'
        )
    axis, index = 0, []
    for place, i in enumerate(items):
        if i is Ellipsis:
            axis = len(sizes) - len([j for j in items[place + 1 :] if j is not None and j is not Ellipsis])
        elif i is not None:
            i = _entry(x, i, sizes[axis], axis)
            axis += 1
        index.append(i)
    if any([i is None for i in items]) and not any([i is Ellipsis for i in items]):
        # With a new axis Theano wants every other one to be named.
        index += [slice(None)] * (len(sizes) - axis)
    # Theano's own indexing takes it from here; that of K would call itself.
    return T.TensorVariable.__getitem__(x, tuple(index))


def _entry(x, i, size, axis):
    """One entry of an index, with what is known beforehand as plain integers."""
    if isinstance(i, slice):
        return slice(*[_bound(b) for b in (i.start, i.stop, i.step)])
    if isinstance(i, (int, np.integer)) and not isinstance(i, bool):
        if known(size) and not -size <= i < size:
            raise IndexError(f'Axis {axis} of {describe(x)} has no place {i}: its size is {size}.')
        return int(i)
    index = operand(i)
    if not dtypes.is_integer(index.dtype):
        raise TypeError(
            f'{describe(x)} cannot be indexed with {describe(index)} of dtype {index.dtype}; use integers, slices, '
            'None or Ellipsis (K.switch '
            'selects by a condition).'
        )
    return index


def _bound(b):
    if not is_tensor(b):
        return b if b is None else int(b)
    b = operand(b)
    number = value(b) if not b.type.ndim else None
    return int(number) if known(number) else b


def _method(function, swapped=False):
    if swapped:
        return lambda x, y: adopt(function(y, x))
    return lambda *arguments: adopt(function(*arguments))


def _install():
    plain = {
        'abs': absolute,
        'neg': negative,
        'getitem': getitem,
        'lt': compared(T.lt),
        'le': compared(T.le),
        'gt': compared(T.gt),
        'ge': compared(T.ge),
    }
    both = {'add': add, 'sub': sub, 'mul': mul, 'truediv': truediv, 'floordiv': floordiv, 'mod': mod, 'pow': power}
    for name, function in list(plain.items()) + list(both.items()):
        OPERATORS[f'__{name}__'] = _method(function)
    for name, function in both.items():
        OPERATORS[f'__r{name}__'] = _method(function, swapped=True)


_install()
