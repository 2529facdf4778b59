"""Element-wise kernels. NumPy's own ufuncs wherever they do what K says."""

from operator import methodcaller
from typing import Any, Dict, Optional, Tuple

import numpy as np

from .common import BITS, Array, Attrs, DType, Ints, Kernel, Special, constant, typed, wide

# below this many elements a branch-free selection does not repay its extra calls
_LARGE = 8192


@typed
def sqrt(dtype: DType) -> Kernel:
    """The square root; 0 of negative numbers."""
    zero = constant(0, dtype)
    return lambda x, out=None: np.sqrt(np.maximum(x, zero, out=out), out=out)


@wide
def sigmoid(dtype: DType) -> Kernel:
    """1 / (1 + exp(-x)), accurate to the last places also where it is tiny."""
    # exp(x) / (1 + exp(x)) keeps the relative accuracy of exp for negative x; from 40 on it is 1 in every dtype
    one, limit = constant(1, dtype), constant(40, dtype)

    def kernel(x: Array, out: Optional[Array] = None) -> Array:
        e = np.minimum(x, limit, out=out)
        e = np.exp(e, e) if e.ndim else np.exp(e)
        d = e + one
        return np.divide(e, d, d if out is None else out) if d.ndim else e / d

    return kernel


@wide
def softplus(dtype: DType) -> Kernel:
    """log(1 + exp(x)) without overflow."""
    zero = constant(0, dtype)

    def kernel(x: Array) -> Array:
        y = np.log1p(np.exp(-np.abs(x)))
        m = np.maximum(x, zero)
        return np.add(y, m, m) if m.ndim else y + m

    return kernel


@typed
def relu(dtype: DType) -> Kernel:
    """max(x, 0)."""
    zero = constant(0, dtype)
    return lambda x, out=None: np.maximum(x, zero, out=out)


def _rounder(ufunc: np.ufunc) -> Kernel:
    def make(dtype: DType) -> Kernel:
        # integers are round already, and NumPy 1 would make floats of them
        return ufunc if dtype.kind == 'f' else lambda x: x.copy()

    make.__name__ = ufunc.__name__
    return typed(make)


@typed
def tanh_grad(dtype: DType) -> Kernel:
    """g * (1 - y * y)."""
    one = constant(1, dtype)

    def kernel(y: Array, g: Array, out: Optional[Array] = None) -> Array:
        d = y * y
        if d.ndim and d.shape == g.shape:
            np.subtract(one, d, d)
            return np.multiply(g, d, d if out is None else out)
        return g * (one - d)

    return kernel


@typed
def sigmoid_grad(dtype: DType) -> Kernel:
    """g * y * (1 - y)."""
    one = constant(1, dtype)

    def kernel(y: Array, g: Array, out: Optional[Array] = None) -> Array:
        d = one - y
        if d.ndim and d.shape == g.shape:
            np.multiply(d, y, d)
            return np.multiply(g, d, d if out is None else out)
        return g * (y * d)

    return kernel


@typed
def relu_grad(dtype: DType) -> Kernel:
    """g where y > 0, else 0."""
    zero = constant(0, dtype)
    return lambda y, g: keep(y > zero, g)


def keep(mask: Array, x: Array) -> Array:
    """`x` where `mask`, else 0. The bits times 0 or 1: NaN and infinity vanish too, and no branch is mispredicted."""
    return np.multiply(x.view(BITS[x.itemsize]), mask).view(x.dtype)


def where(c: Array, x: Array, y: Array) -> Array:
    """x where c, else y."""
    shape = c.shape
    if (
        c.size < _LARGE
        or (x.shape != shape and y.shape != shape)
        or (x.ndim and x.shape != shape)
        or (y.ndim and y.shape != shape)
    ):
        return np.where(c, x, y)
    bits = BITS[x.itemsize]
    other = y.view(bits)
    if not y.ndim and not other:
        return keep(c, x)
    mixed = np.bitwise_xor(x.view(bits), other)
    np.multiply(mixed, c, mixed)
    return np.bitwise_xor(mixed, other, mixed).view(x.dtype)


def cast(x: Array, dtype: DType) -> Array:
    """`x` as `dtype`: to bool means non-zero, float to integer truncates."""
    if dtype == 'uint32' and x.dtype.kind == 'f':
        # A number that the dtype cannot hold becomes one number in the middle of an array and another at its end.
        x = x.astype(np.int64)
    return x.astype(dtype, copy=False) if x.ndim else x.astype(dtype)


def identity(x: Array) -> Array:
    """`x` itself."""
    return x


# kernels; those of `typed` have `of`
PRIMITIVES: Dict[str, Any] = {
    'abs': np.absolute,
    'exp': np.exp,
    'log': np.log,
    'sqrt': sqrt,
    'sin': np.sin,
    'cos': np.cos,
    'tanh': np.tanh,
    'sigmoid': sigmoid,
    'softplus': softplus,
    'round': _rounder(np.rint),
    'floor': _rounder(np.floor),
    'sign': np.sign,
    'neg': np.negative,
    'expm1': np.expm1,
    'log1p': np.log1p,
    'square': np.square,
    'relu': relu,
    'logical_not': np.logical_not,
    'identity': identity,
    'stop_gradient': identity,
    'add': np.add,
    'sub': np.subtract,
    'mul': np.multiply,
    'div': np.true_divide,
    'floordiv': np.floor_divide,
    'mod': np.remainder,
    'pow': np.power,
    'maximum': np.maximum,
    'minimum': np.minimum,
    'equal': np.equal,
    'not_equal': np.not_equal,
    'greater': np.greater,
    'greater_equal': np.greater_equal,
    'less': np.less,
    'less_equal': np.less_equal,
    'logical_and': np.logical_and,
    'logical_or': np.logical_or,
    'where': where,
    'cast': cast,
    'tanh_grad': tanh_grad,
    'sigmoid_grad': sigmoid_grad,
    'relu_grad': relu_grad,
}


# NumPy's functions do all of the work of these, so the result can lie in an operand. There NumPy 1.19 gets sin and cos
# of large float32 numbers wrong.
IN_PLACE = frozenset(
    'abs exp log sqrt tanh sigmoid relu neg expm1 log1p square add sub mul div maximum minimum pow mod '
    'floordiv sign tanh_grad sigmoid_grad'.split()
)


def _specialize_cast(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    dtype = np.dtype(attrs['dtype'])
    if dtypes[0] == dtype:
        return identity
    if dtype == 'uint32':
        return None
    return methodcaller('astype', dtype)


def _specialize_where(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    return np.where if not any(ranks) else None


SPECIAL: Dict[str, Special] = {'cast': _specialize_cast, 'where': _specialize_where}


def _by_dtype(name: str) -> Special:
    return lambda ranks, attrs, dtypes: PRIMITIVES[name].of(np.dtype(dtypes[0]))


for _name in ('sqrt', 'sigmoid', 'softplus', 'round', 'floor', 'relu', 'tanh_grad', 'sigmoid_grad', 'relu_grad'):
    SPECIAL[_name] = _by_dtype(_name)
