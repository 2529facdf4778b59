"""The truth about a program of K: the program on NumPy arrays of float64, and how far a right engine may be from it.

A `Value` has the dtype that K's rules give it, and its numbers in float64, or in int64 for integers. So the truth says
what dtype a result has, and none of its numbers is rounded to that dtype.

The program itself says how large a difference is allowed. It runs again with noise: every arithmetic result is
multiplied by 1 + u * eps, with eps that of its dtype and u from [-1, 1]. This is a rounding error after each
operation, twice as large as the largest one of IEEE 754, so the results move as those of an engine that rounds may
move. A sum that cancels, a long product or a comparison of nearly equal numbers moves much. A result that moves too
much is not counted: its truth is ill-conditioned. The factors depend on the number of the operation alone. So the
program with noise is as smooth as the program itself, and its differences say how far gradients may move.
"""

import contextlib
import math

import numpy as np
from eager_programs import Eager

# Twice the largest rounding error. Kernels for exp, tanh or pow have errors of a few units more: SAFETY is for these.
EPS = {dtype: float(np.finfo(dtype).eps) for dtype in ('float16', 'float32', 'float64')}
LARGEST = {dtype: float(np.finfo(dtype).max) / 2 for dtype in EPS}
# Below these a result may be flushed to zero. Numbers of float16 lose digits there, one by one.
SMALLEST = {'float16': 0.0, 'float32': 1e-36, 'float64': 1e-300}
QUANTUM = {'float16': 2.0**-24, 'float32': 0.0, 'float64': 0.0}
WIDTHS = ('float16', 'float32', 'float64')

EXACT = {np.negative, np.absolute, np.maximum, np.minimum, np.sign, np.floor, np.rint, np.floor_divide}
MOVES = {np.reshape, np.transpose, np.expand_dims, np.squeeze, np.concatenate, np.stack, np.tile, np.repeat, np.flip}
MOVES |= {np.take, np.pad, np.swapaxes, np.zeros_like, np.ones_like, np.where, np.max, np.min, np.broadcast_to}
TELL = {np.shape, np.ndim, np.size}
# Here each term is rounded, and what cancels leaves its rounding errors.
SUMS = {np.sum, np.mean, np.var, np.std, np.cumsum, np.prod, np.cumprod, np.dot, np.tensordot}


class Uncounted(Exception):
    """What the program does here has no truth that engines could be held to."""


def is_float(dtype):
    return dtype.startswith('float')


def promoted(dtypes, floatx, numbers=()):
    """The dtype in which tensors of `dtypes` and Python's `numbers` meet: docs/semantics.md, Mixed dtypes."""
    floats = [d for d in dtypes if is_float(d)]
    if floats:
        return max(floats, key=WIDTHS.index)
    if any(isinstance(n, float) for n in numbers):
        return floatx
    whole = [d for d in dtypes if d != 'bool']
    return np.result_type(*whole).name if whole else 'int32'


class Run:
    """One run of a program. `noise` is a seed; `stopped` is what K.stop_gradient gave in the run that this varies."""

    def __init__(self, floatx='float32', noise=None, stopped=None):
        self.floatx, self.stopped, self.replays = floatx, [], stopped
        self.rng = None if noise is None else np.random.RandomState(noise)
        self.amplitude = 1.0
        self.without_second_order = False

    @contextlib.contextmanager
    def quiet(self):
        rng, self.rng = self.rng, None
        yield
        self.rng = rng

    def wrap(self, data, dtype, exact=False, scale=1.0):
        """A Value of data in the dtype; not exact: with the noise of one rounding."""
        if dtype == 'bool':
            return Value(np.asarray(data, bool), dtype, self)
        if not is_float(dtype):
            data = np.asarray(data)
            if data.size and (data.max() > np.iinfo(dtype).max or data.min() < np.iinfo(dtype).min):
                raise Uncounted('an integer that does not fit its dtype')
            return Value(data.astype('int64'), dtype, self)
        data = np.asarray(data, 'float64')
        if self.rng is not None and not exact:
            u = self.rng.uniform(-scale, scale, data.shape)
            data = data * (1 + EPS[dtype] * u) + QUANTUM[dtype] * u * (data != 0)
        if not exact and data.size:
            size = np.abs(data)
            if np.any((size > LARGEST[dtype]) & (size < np.inf)):
                raise Uncounted('a number near the end of its dtype')
            if np.any((size < SMALLEST[dtype]) & (size > 0)):
                raise Uncounted('a number near zero')
        return Value(np.asarray(data), dtype, self)


def raw(x):
    if isinstance(x, Value):
        return x.data
    if isinstance(x, (list, tuple)):
        return type(x)(raw(e) for e in x)
    return x


def values_in(args):
    for x in args:
        if isinstance(x, Value):
            yield x
        elif isinstance(x, (list, tuple)):
            yield from values_in(x)


class Value(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with K's dtype. NumPy's functions take it and give it."""

    __slots__ = 'data', 'dtype', 'run'

    def __init__(self, data, dtype, run):
        self.data, self.dtype, self.run = data, dtype, run

    shape = property(lambda self: self.data.shape)
    ndim = property(lambda self: self.data.ndim)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.data, dtype)

    def __bool__(self):
        return bool(self.data)

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return (self[i] for i in range(len(self.data)))

    def __getitem__(self, item):
        return Value(np.asarray(self.data[raw(item)]), self.dtype, self.run)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != '__call__':
            return NotImplemented
        tensors = [x for x in inputs if isinstance(x, Value)]
        dtype = promoted([x.dtype for x in tensors], self.run.floatx, [x for x in inputs if not isinstance(x, Value)])
        if ufunc in (np.floor_divide, np.remainder) and is_float(dtype):
            if not all(np.all(np.isfinite(raw(x))) for x in inputs):
                raise Uncounted('// or % of numbers that are not finite')
        if ufunc in (np.floor_divide, np.remainder) and not np.all(raw(inputs[1])):
            raise Uncounted('// or % by zero')
        if is_float(dtype):
            # A number of Python takes the dtype of the tensor beside it. 0.3 of float16 is another place to jump at.
            inputs = [x if isinstance(x, Value) else np.asarray(x, dtype).astype('float64') for x in inputs]
        with np.errstate(all='ignore'):
            data = ufunc(*[x.data if isinstance(x, Value) else x for x in inputs], **kwargs)
        if data.dtype == bool:
            return self.run.wrap(data, 'bool')
        if data.dtype.kind == 'f' and not is_float(dtype):
            dtype = self.run.floatx
        return self.run.wrap(data, dtype, ufunc in EXACT)

    def __array_function__(self, func, types, args, kwargs):
        if self.run.rng is not None and func in SUMS:
            args = [self.run.wrap(x.data, x.dtype) if isinstance(x, Value) else x for x in args]
        with np.errstate(all='ignore'):
            data = func(*raw(tuple(args)), **{k: raw(v) for k, v in kwargs.items()})
        if func in TELL:
            return data
        data = np.asarray(data)
        if func in (np.argmax, np.argmin):
            return self.run.wrap(data, 'int64')
        if data.dtype == bool:
            return self.run.wrap(data, 'bool')
        own = [x.dtype for x in values_in(args[1:] if func is np.where else args[:1] if func is np.take else args)]
        dtype = own[0] if len(own) == 1 and own[0] != 'bool' else promoted(own, self.run.floatx)
        if data.dtype.kind == 'f' and not is_float(dtype):
            dtype = self.run.floatx
        # A sum of n terms has n roundings.
        terms = max([np.size(raw(x)) for x in values_in(args)] or [1]) / max(np.size(data), 1)
        return self.run.wrap(data, dtype, func in MOVES, scale=max(1.0, math.sqrt(max(terms, 1.0))))


class Truth(Eager):
    """K on Values."""

    def __init__(self, run):
        super().__init__()
        self.state = run
        self.changes = []

    # -- making and dtypes ---------------------------------------------------------------------------------------
    def constant(self, value, dtype=None):
        dtype = dtype or self.state.floatx
        if is_float(dtype):
            value = np.asarray(value, dtype)
        return self.state.wrap(value, dtype, exact=True)

    def cast(self, x, dtype):
        data = raw(x)
        if dtype == 'bool':
            return self.state.wrap(np.asarray(data) != 0, 'bool')
        if is_float(dtype):
            own = x.dtype if isinstance(x, Value) else 'int32'
            return self.state.wrap(data, dtype, exact=is_float(own) and EPS[own] >= EPS[dtype])
        data = np.asarray(data)
        if data.dtype.kind == 'f':
            if not np.all(np.isfinite(data)) or np.any(data < (0 if dtype[0] == 'u' else -1e9)) or np.any(data > 1e9):
                raise Uncounted('a cast to an integer that cannot hold it')
            data = np.trunc(data)
        return self.state.wrap(data, dtype)

    def change(self, kind, name, variable, value, *momentum):
        """An update. The dtype of the variable is that of its new value."""
        change = (
            self.cast(value, variable.dtype) if isinstance(value, Value) and value.dtype != variable.dtype else value
        )
        self.changes.append((kind, name, change, momentum))

    def changed(self, old):
        """The new values of variables by name."""
        new = {}
        for kind, name, change, momentum in self.changes:
            base = new.get(name, old[name])
            if kind == 'update':
                new[name] = change
            elif kind == 'moving_average_update':
                new[name] = base - (old[name] - change) * (1 - momentum[0])
            else:
                new[name] = base + change if kind == 'update_add' else base - change
        return new

    def identity(self, x):
        return x

    def stop_gradient(self, x):
        run = self.state
        run.stopped.append(x.data)
        if run.replays is None:
            return x
        return Value(run.replays[len(run.stopped) - 1], x.dtype, run)

    # -- element-wise --------------------------------------------------------------------------------------------
    def sqrt(self, x):
        if np.any(raw(x) <= 0):
            self.state.without_second_order = True
        return (
            np.where(np.less(x, 0), np.zeros_like(x), np.sqrt(np.maximum(x, 0))) if np.any(raw(x) < 0) else np.sqrt(x)
        )

    def sigmoid(self, x):
        return np.divide(1.0, 1.0 + np.exp(-x))

    def softplus(self, x):
        return np.logaddexp(0.0, x)

    def relu(self, x, alpha=0.0, max_value=None, threshold=0.0):
        top = x if max_value is None else np.minimum(x, max_value)
        below = alpha * (x - threshold) if alpha else np.zeros_like(x)
        kept = top if max_value is not None or threshold else x
        return np.where(np.less_equal(x, threshold), below, kept)

    def softmax(self, x, axis=-1):
        if not np.all(np.isfinite(raw(x))):
            raise Uncounted('the softmax of numbers that are not finite')
        e = np.exp(x)
        return e / np.sum(e, axis, keepdims=True)

    def elu(self, x, alpha=1.0):
        return np.where(np.greater(x, 0), x, alpha * np.expm1(np.minimum(x, 0)))

    def softsign(self, x):
        return x / (1 + np.abs(x))

    def hard_sigmoid(self, x):
        return self.clip(0.2 * x + 0.5, 0.0, 1.0)

    def clip(self, x, low, high):
        return np.maximum(np.minimum(x, high), low)

    round, sign = np.rint, np.sign
    equal, not_equal, less, less_equal = np.equal, np.not_equal, np.less, np.less_equal
    greater, greater_equal = np.greater, np.greater_equal

    # -- reductions ----------------------------------------------------------------------------------------------
    def _reduction(name):
        def reduce(self, x, axis=None, keepdims=False):
            axis = tuple(axis) if isinstance(axis, list) else axis
            return getattr(np, name)(x, axis=axis, keepdims=keepdims)

        return reduce

    sum, mean, prod, max, min, var, std, any, all = map(_reduction, 'sum mean prod max min var std any all'.split())
    del _reduction

    def argmin(self, x, axis=-1):
        return np.argmin(x, axis)

    def argmax(self, x, axis=-1):
        return np.argmax(x, axis)

    def logsumexp(self, x, axis=None, keepdims=False):
        return np.log(self.sum(np.exp(x), axis, keepdims))

    def l2_normalize(self, x, axis=None):
        return x / np.sqrt(np.maximum(self.sum(np.square(x), axis, True), 1e-12))

    # -- shapes --------------------------------------------------------------------------------------------------
    def flatten(self, x):
        return np.reshape(x, (-1,))

    def batch_flatten(self, x):
        return np.reshape(x, (np.shape(x)[0], -1))

    def repeat(self, x, n):
        return np.repeat(np.expand_dims(x, 1), n, 1)

    def slice(self, x, start, size):
        return x[tuple(slice(a, None if n < 0 else a + n) for a, n in zip(start, size))]

    def concatenate(self, xs, axis=-1):
        return np.concatenate(xs, axis)

    def one_hot(self, x, n):
        return self.state.wrap(np.arange(n) == np.expand_dims(raw(x), -1), self.state.floatx, exact=True)

    def ones_like(self, x):
        return np.ones_like(x)

    def zeros(self, shape, dtype=None):
        return self.constant(np.zeros(shape), dtype)

    def ones(self, shape, dtype=None):
        return self.constant(np.ones(shape), dtype)

    def arange(self, start, stop=None, step=1, dtype='int32'):
        return self.constant(np.arange(start, stop, step), dtype)

    def transpose(self, x):
        return np.transpose(x)

    def spatial_2d_padding(self, x, padding):
        return np.pad(x, ((0, 0),) + padding + ((0, 0),), mode='constant')

    def resize_images(self, x, height, width, data_format):
        return np.repeat(np.repeat(x, height, 1), width, 2)

    def gather(self, x, indices):
        if np.any(raw(indices) < 0):
            raise Uncounted('a negative index')
        return np.take(x, raw(indices), 0)

    # -- nets ----------------------------------------------------------------------------------------------------
    def bias_add(self, x, bias):
        return x + bias

    def batch_normalization(self, x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
        return (x - mean) / np.sqrt(var + epsilon) * gamma + beta

    def categorical_crossentropy(self, target, output):
        return -np.sum(target * np.log(output / np.sum(output, -1, keepdims=True)), -1)

    def conv1d(self, x, kernel, padding, data_format):
        k = np.shape(kernel)[0]
        if padding == 'same':
            x = np.pad(x, ((0, 0), ((k - 1) // 2, k // 2), (0, 0)), mode='constant')
        n = np.shape(x)[1] - k + 1
        return np.stack([np.tensordot(x[:, i : i + k], kernel, 2) for i in range(n)], 1)

    def pool2d(self, x, size, pool_mode, data_format):
        rows, columns = (np.shape(x)[1 + i] // size[i] for i in (0, 1))
        shape = (np.shape(x)[0], rows, size[0], columns, size[1], np.shape(x)[3])
        x = np.reshape(x[:, : rows * size[0], : columns * size[1]], shape)
        return (np.max if pool_mode == 'max' else np.mean)(x, axis=(2, 4))

    def dot(self, x, y):
        if not np.all(np.isfinite(raw(x))) or not np.all(np.isfinite(raw(y))):
            raise Uncounted('a product of matrices that are not finite')  # some BLAS skip zeros: 0 * inf is 0 there
        return np.dot(x, y)

    def grad(self, function, x):
        """Differences. A kink beside x has none."""
        run, step = self.state, 1e-5
        g = np.zeros(x.shape)
        with run.quiet():
            here = float(raw(np.sum(function(x))))
            if not np.isfinite(here) or not np.all(np.isfinite(x.data)):
                raise Uncounted('the gradient of what is not finite')
            for i in np.ndindex(*x.shape):
                moved = []
                for sign in (1, -1):
                    z = x.data.copy()
                    z[i] += sign * step
                    moved.append(float(raw(np.sum(function(Value(z, x.dtype, run))))))
                if abs(moved[0] - 2 * here + moved[1]) > 1e-7 * (1 + abs(here)):
                    raise Uncounted('a kink')
                g[i] = (moved[0] - moved[1]) / (2 * step)
        # A gradient is a sum of many products; the differences themselves have nine digits.
        noise = max(8 * EPS[x.dtype], 1e-8)
        if run.rng is not None:
            g = g + noise * run.rng.uniform(-1, 1, g.shape) * (1 + np.abs(g))
        return run.wrap(g, x.dtype)
