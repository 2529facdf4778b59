"""Kernels that reduce or accumulate along axes."""

from operator import methodcaller
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from ..basics.dtypes import highest, lowest
from .common import FLOAT16, FLOAT32, Array, Attrs, DType, Ints, Kernel, Sizes, Special, product, sizes, widened

MaybeAxes = Optional[Ints]  # None: all

# Sums over neighbouring axes of a contiguous array are products with a vector of ones: several times faster in BLAS
# than by NumPy's loops where these are many and short. Long rows stay with NumPy, whose pairwise sum is more accurate.
_SMALL, _FEW_LOOPS, _LONG_LEADING, _LONG_TRAILING, _PART = 1024, 128, 512, 4096, 512


def _is_run(axes: Ints, ndim: int) -> bool:
    """Whether `axes` are neighbours in order, and not all of the axes."""
    return 0 < len(axes) < ndim and axes == tuple(range(axes[0], axes[0] + len(axes)))


def _blocks(shape: Ints, axes: Ints) -> Ints:
    """The sizes before, in and after the run `axes`."""
    return product(shape[: axes[0]]), product(shape[axes[0] : axes[-1] + 1]), product(shape[axes[-1] + 1 :])


def _kept(shape: Ints, axes: Ints, keepdims: bool) -> Ints:
    if keepdims:
        return tuple([1 if i in axes else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in axes])


def _column_sums(x: Array) -> Array:
    """The sums of the columns of a matrix, by parts: fewer numbers are added one by one, which keeps sums exact."""
    ones = np.ones(min(len(x), _PART), x.dtype)
    sums = [ones[: len(x) - start].dot(x[start : start + _PART]) for start in range(0, len(x), _PART)]
    return sums[0] if len(sums) == 1 else np.add.reduce(sums, 0)


def _add_run(x: Array, axes: Ints, keepdims: bool) -> Array:
    """The sum of floats over a run of axes."""
    if x.size > _SMALL and x.flags.c_contiguous:
        before, inside, after = _blocks(x.shape, axes)
        if after == 1:
            if before > _FEW_LOOPS and inside <= _LONG_TRAILING:
                return x.reshape(before, inside).dot(np.ones(inside, x.dtype)).reshape(_kept(x.shape, axes, keepdims))
        elif before * inside > _FEW_LOOPS and after <= _LONG_LEADING:
            total = (
                _column_sums(x.reshape(inside, after))
                if before == 1
                else np.matmul(np.ones(inside, x.dtype), x.reshape(before, inside, after))
            )
            return total.reshape(_kept(x.shape, axes, keepdims))
    return np.add.reduce(x, axes, None, None, keepdims)


def sum_(x: Array, axes: MaybeAxes, keepdims: bool = False) -> Array:
    """The sum, in the dtype of `x`; float16 is added up in float32."""
    char = x.dtype.char
    if char == 'e':
        return np.add.reduce(x, axes, FLOAT32, None, keepdims).astype(FLOAT16)
    if char in 'fd' and axes is not None and _is_run(axes, x.ndim):
        return _add_run(x, axes, keepdims)
    return np.add.reduce(x, axes, x.dtype, None, keepdims)


def mean(x: Array, axes: MaybeAxes, keepdims: bool = False) -> Array:
    """The mean of floats."""
    count = x.size if axes is None else product([x.shape[axis] for axis in axes])
    if x.dtype.char == 'e':
        total = np.add.reduce(x, axes, FLOAT32, None, keepdims)
        return np.true_divide(total, np.array(count, FLOAT32)).astype(FLOAT16)
    return np.true_divide(sum_(x, axes, keepdims), np.array(count, x.dtype))


def prod(x: Array, axes: MaybeAxes, keepdims: bool = False) -> Array:
    """The product, in the dtype of `x`."""
    return np.multiply.reduce(x, axes, x.dtype, None, keepdims)


def _extremum(ufunc: np.ufunc, worst: Callable[[str], Any]) -> Kernel:
    def primitive(x: Array, axes: MaybeAxes, keepdims: bool = False) -> Array:
        # NumPy compares short rows one by one; laid down as columns they are compared many at a time
        if axes == (x.ndim - 1,) and x.size > _SMALL and x.shape[-1] <= 32:
            y = ufunc.reduce(np.array(x.reshape(-1, x.shape[-1]).T, order='C'), 0)
            return y.reshape(_kept(x.shape, axes, keepdims))
        if x.size:
            return ufunc.reduce(x, axes, None, None, keepdims)
        # Of nothing it is what any number would replace.
        return ufunc.reduce(x, axes, None, None, keepdims, worst(x.dtype.name))

    primitive.__name__ = ufunc.__name__
    return primitive


max_, min_ = _extremum(np.maximum, lowest), _extremum(np.minimum, highest)


def any_(x: Array, axes: MaybeAxes, keepdims: bool = False) -> Array:
    """Whether one is not zero."""
    return np.logical_or.reduce(x, axes, None, None, keepdims)


def all_(x: Array, axes: MaybeAxes, keepdims: bool = False) -> Array:
    """Whether none is zero."""
    return np.logical_and.reduce(x, axes, None, None, keepdims)


def argmax(x: Array, axis: int) -> Array:
    """The place of the first of the largest."""
    return np.int64(0) + x.argmax(axis) if _SHORT else x.argmax(axis)


def argmin(x: Array, axis: int) -> Array:
    """The place of the first of the smallest."""
    return np.int64(0) + x.argmin(axis) if _SHORT else x.argmin(axis)


# where NumPy counts places in 32 bits
_SHORT = np.dtype(np.intp) != np.int64


def cumsum(x: Array, axis: int) -> Array:
    """The sums up to each place, in the dtype of `x`."""
    if x.dtype.char == 'e':
        return np.add.accumulate(x, axis, FLOAT32).astype(FLOAT16)
    return np.add.accumulate(x, axis, x.dtype)


def cumprod(x: Array, axis: int) -> Array:
    """The products up to each place, in the dtype of `x`."""
    return np.multiply.accumulate(x, axis, x.dtype)


@widened
def softmax(x: Array, axis: int) -> Array:
    """exp(x) over its sum, shifted by the maximum."""
    return _softmax(x, (axis % x.ndim,))


def _softmax(x: Array, axes: Ints) -> Array:
    e = np.exp(x - max_(x, axes, True))
    return np.divide(e, _add_run(e, axes, True), e)


@widened
def log_softmax(x: Array, axis: int) -> Array:
    """The logarithm of the softmax, accurate where the softmax vanishes."""
    return _log_softmax(x, (axis % x.ndim,))


def _log_softmax(x: Array, axes: Ints) -> Array:
    y = x - max_(x, axes, True)
    return np.subtract(y, np.log(_add_run(np.exp(y), axes, True)), y)


def sum_to(x: Array, shape: Sizes) -> Array:
    """`x` summed over the axes along which `shape` is 1, and over those in front that it lacks."""
    shape = sizes(shape)
    if x.ndim != len(shape):
        x = sum_(x, tuple(range(x.ndim - len(shape))))
    axes = tuple([i for i, (n, m) in enumerate(zip(x.shape, shape)) if n != m])
    return sum_(x, axes, True) if axes else x


PRIMITIVES = {
    'sum': sum_,
    'mean': mean,
    'prod': prod,
    'max': max_,
    'min': min_,
    'any': any_,
    'all': all_,
    'argmax': argmax,
    'argmin': argmin,
    'cumsum': cumsum,
    'cumprod': cumprod,
    'softmax': softmax,
    'log_softmax': log_softmax,
    'sum_to': sum_to,
}


# -- with the axes known -----------------------------------------------------------------------------------------
def _whole(ufunc: np.ufunc, axes: Any, keepdims: bool, rank: int, dtype: DType) -> Kernel:
    """A reduction in one call of NumPy."""
    axes = None if len(axes) == rank else axes[0] if len(axes) == 1 else axes
    reduce_ = ufunc.reduce
    return lambda x: reduce_(x, axes, dtype, None, keepdims)


def _specialize_sum(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    axes, keepdims, dtype = tuple(attrs['axes']), attrs['keepdims'], np.dtype(dtypes[0])
    if not axes or dtype == FLOAT16:
        return None
    if dtype.kind == 'f' and _is_run(axes, ranks[0]):
        return lambda x: _add_run(x, axes, keepdims)
    return _whole(np.add, axes, keepdims, ranks[0], dtype)


def _specialize_mean(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    total, dtype, axes = _specialize_sum(ranks, attrs, dtypes), np.dtype(dtypes[0]), attrs['axes']
    if total is None or dtype.kind != 'f':
        return None
    if len(axes) == ranks[0]:
        return lambda x: np.true_divide(total(x), np.array(x.size, dtype))
    if len(axes) == 1:
        axis = axes[0]
        return lambda x: np.true_divide(total(x), np.array(x.shape[axis], dtype))
    return lambda x: np.true_divide(total(x), np.array(product([x.shape[axis] for axis in axes]), dtype))


def _specialize(ufunc: np.ufunc, typed: bool) -> Special:
    def special(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
        axes, dtype = tuple(attrs['axes']), np.dtype(dtypes[0]) if typed else None
        return _whole(ufunc, axes, attrs['keepdims'], ranks[0], dtype) if axes else None

    return special


def _specialize_extremum(primitive: Kernel, ufunc: np.ufunc) -> Special:
    def special(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
        axes, keepdims = tuple(attrs['axes']), attrs['keepdims']
        if axes == (ranks[0] - 1,):
            return lambda x: primitive(x, axes, keepdims)
        whole = _whole(ufunc, axes, keepdims, ranks[0], None) if axes else None
        return whole and (lambda x: whole(x) if x.size else primitive(x, axes, keepdims))

    return special


def _specialize_softmax(kernel: Kernel) -> Special:
    def special(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
        axes = (attrs['axis'] % ranks[0],)
        return None if dtypes[0] == 'float16' else lambda x: kernel(x, axes)

    return special


def _specialize_place(name: str) -> Special:
    return lambda ranks, attrs, dtypes: None if _SHORT else methodcaller(name, attrs['axis'])


SPECIAL: Dict[str, Special] = {
    'softmax': _specialize_softmax(_softmax),
    'log_softmax': _specialize_softmax(_log_softmax),
    'argmax': _specialize_place('argmax'),
    'argmin': _specialize_place('argmin'),
    'sum': _specialize_sum,
    'mean': _specialize_mean,
    'prod': _specialize(np.multiply, True),
    'any': _specialize(np.logical_or, False),
    'all': _specialize(np.logical_and, False),
    'max': _specialize_extremum(max_, np.maximum),
    'min': _specialize_extremum(min_, np.minimum),
}
