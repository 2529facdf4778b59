"""What several kernels share: typed constants, sizes that come as tuples or as arrays, float16 by way of float32."""

from functools import wraps

import numpy as np

FLOAT16, FLOAT32 = np.dtype('float16'), np.dtype('float32')

# one integer type per item size, to select by bit patterns: exact for NaN and infinity, and without branches
BITS = {1: np.dtype('int8'), 2: np.dtype('int16'), 4: np.dtype('int32'), 8: np.dtype('int64')}


def constant(value, dtype):
    """A 0-d array: unlike a Python number it never changes the dtype of a result on NumPy 1."""
    return np.array(value, dtype)


def sizes(shape):
    """A shape given as a tuple of ints or as an integer vector, as a tuple."""
    return shape if shape.__class__ is tuple else tuple(np.asarray(shape).tolist())


def product(numbers):
    """The product of some ints."""
    total = 1
    for n in numbers:
        total *= n
    return total


def typed(make, wide=False):
    """The primitive for all dtypes that `make(dtype)` gives, with its constants bound, for one.

    `wide`: float16 is calculated in float32. The function for one dtype is `primitive.of(dtype)`.
    """
    made = {}

    def of(dtype):
        if dtype not in made:
            made[dtype] = through_float32(make(FLOAT32)) if wide and dtype == FLOAT16 else make(dtype)
        return made[dtype]

    def primitive(x, *others):
        try:
            function = made[x.dtype]
        except KeyError:
            function = of(x.dtype)
        return function(x, *others)

    primitive.of = of
    primitive.__name__, primitive.__doc__ = make.__name__, make.__doc__
    return primitive


def wide(make):
    """As `typed`, with float16 calculated in float32."""
    return typed(make, wide=True)


def through_float32(function):
    """`function` of float16 arrays, calculated in float32 and rounded once."""

    @wraps(function)
    def rounded(*arrays, **attrs):
        arrays = [a.astype(FLOAT32) if getattr(a, 'dtype', None) == FLOAT16 else a for a in arrays]
        return function(*arrays, **attrs).astype(FLOAT16)

    return rounded


def widened(function):
    """`function`, with float16 calculated in float32; the dtype of the first array tells."""
    rounded = through_float32(function)

    @wraps(function)
    def primitive(x, *others, **attrs):
        return (rounded if x.dtype.char == 'e' else function)(x, *others, **attrs)

    primitive.plain = function
    return primitive
