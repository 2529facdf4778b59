"""Parts that kernels share: typed constants, sizes that come as tuples or as arrays, float16 by way of float32."""

from functools import wraps
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

import numpy as np
from numpy import ndarray as Array

Ints = Tuple[int, ...]
Sizes = Union[Ints, Array]  # a vector where a size was not known before the run
Scalar = Union[int, Array]
DType = Any  # whatever NumPy takes for a dtype
Attrs = Dict[str, Any]
Kernel = Callable[..., Any]  # a function of arrays, with plain values as keyword arguments
# (ranks, attributes, dtypes) -> a function of arrays alone, None where there is no faster one
Special = Callable[[Ints, Attrs, Tuple[str, ...]], Optional[Kernel]]

FLOAT16, FLOAT32 = np.dtype('float16'), np.dtype('float32')

# one integer type per item size, to select by bit patterns: exact for NaN and infinity, and without branches
BITS = {1: np.dtype('int8'), 2: np.dtype('int16'), 4: np.dtype('int32'), 8: np.dtype('int64')}


def constant(value: float, dtype: DType) -> Array:
    """A 0-d array: unlike a Python number it never changes the dtype of a result on NumPy 1."""
    return np.array(value, dtype)


def sizes(shape: Sizes) -> Ints:
    """A shape given as a tuple of ints or as an integer vector, as a tuple."""
    return shape if isinstance(shape, tuple) else tuple(np.asarray(shape).tolist())


def product(numbers: Iterable[int]) -> int:
    """The product of some ints."""
    total = 1
    for n in numbers:
        total *= n
    return total


def typed(make: Callable[[DType], Kernel], wide: bool = False) -> Kernel:
    """The primitive for all dtypes that `make(dtype)` gives, with its constants bound, for one.

    `wide`: float16 is calculated in float32. The function for one dtype is `primitive.of(dtype)`.
    """
    cache: Dict[DType, Kernel] = {}

    def of(dtype: DType) -> Kernel:
        if dtype not in cache:
            cache[dtype] = through_float32(make(FLOAT32)) if wide and dtype == FLOAT16 else make(dtype)
        return cache[dtype]

    def primitive(x: Array, *others: Array, **out: Array) -> Any:
        try:
            function = cache[x.dtype]
        except KeyError:
            function = of(x.dtype)
        return function(x, *others, **out)

    result: Any = primitive
    result.of = of
    result.__name__, result.__doc__ = make.__name__, make.__doc__
    return primitive


def wide(make: Callable[[DType], Kernel]) -> Kernel:
    """As `typed`, with float16 calculated in float32."""
    return typed(make, wide=True)


def through_float32(function: Kernel) -> Kernel:
    """`function` of float16 arrays, calculated in float32 and rounded once."""

    @wraps(function)
    def rounded(*arrays: Any, out: Any = None, **attrs: Any) -> Any:
        # `out` is of no use: steps in between would be rounded
        wider = [a.astype(FLOAT32) if getattr(a, 'dtype', None) == FLOAT16 else a for a in arrays]
        return function(*wider, **attrs).astype(FLOAT16)

    return rounded


def widened(function: Kernel) -> Kernel:
    """`function`, with float16 calculated in float32; the dtype of the first array tells."""
    rounded = through_float32(function)

    @wraps(function)
    def primitive(x: Array, *others: Any, **attrs: Any) -> Any:
        return (rounded if x.dtype.char == 'e' else function)(x, *others, **attrs)

    result: Any = primitive
    result.plain = function
    return primitive
