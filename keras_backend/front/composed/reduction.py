"""Reductions, said in others."""

from typing import Any, Tuple

import numpy as np

from ...dtypes import is_float
from ...library import Tensor
from ...shapes import filled_axis, normalize_axes, normalize_axis, product
from ..api import Api
from .order import opposite
from .sizes import along, sizes, spread


class ComposedReduction(Api):
    needs = {
        'min': 'all dtype max',
        'mean': 'cast dtype int_shape shape sum',
        'var': 'cast dtype mean square',
        'std': 'equal ones_like sqrt sum switch var',
        'logsumexp': 'abs cast dtype equal exp is_tensor log max maximum stack stop_gradient sum switch zeros_like',
        'any': 'cast dtype greater not_equal sum',
        'all': 'cast dtype less not_equal sum',
        'argmax': 'arange cast dtype equal int_shape max min not_equal reshape shape switch zeros_like',
        'argmin': 'argmax dtype',
        'cumsum': 'cast concatenate dtype expand_dims int_shape ndim permute_dimensions rnn squeeze zeros_like',
        'cumprod': 'cast concatenate dtype expand_dims int_shape ndim ones_like permute_dimensions rnn squeeze',
    }

    def min(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        dtype = self.dtype(x)
        if dtype == 'bool':
            return self.all(x, axis=axis, keepdims=keepdims)
        return opposite(self.max(opposite(x, dtype), axis=axis, keepdims=keepdims), dtype)

    def mean(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        # Not summed in half precision or as integers: many small numbers would overflow.
        dtype, x = _widened(self, x)
        average = self.sum(x, axis=axis, keepdims=keepdims) / _count(self, x, axis)
        return average if self.dtype(average) == dtype else self.cast(average, dtype)

    def var(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        dtype, x = _widened(self, x)
        variance = self.mean(self.square(x - self.mean(x, axis=axis, keepdims=True)), axis=axis, keepdims=keepdims)
        return variance if self.dtype(variance) == dtype else self.cast(variance, dtype)

    def std(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        # Of a single number `switch` would choose lazily, so the axes are kept until the end.
        variance = self.var(x, axis=axis, keepdims=True)
        # The slope of the root is infinite at 0, and NaN once it is multiplied by that of the variance, which is 0. The
        # root of a negative number is 0, and has the slope 0.
        root = self.sqrt(self.switch(self.equal(variance, 0), -self.ones_like(variance), variance))
        return root if keepdims else self.sum(root, axis=axis)

    def logsumexp(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        if isinstance(x, (list, tuple)) and any([self.is_tensor(part) for part in x]):
            x = self.stack(x)
        x = self.floating(self.operand(x))
        if 'float' not in self.dtype(x):
            x = self.cast(x, self.floatx())
        # The shift keeps exp in range; it cancels, so no gradient has to pass through it. An infinite one is not taken:
        # inf - inf is NaN.
        highest = self.stop_gradient(self.max(x, axis=axis, keepdims=True))
        shift = self.switch(self.equal(self.abs(highest), np.inf), self.zeros_like(highest), highest)
        # The sum is at least 1, but 0 where all are -inf: there the slope of log would be infinite. Libraries differ in
        # the slope of a maximum of equal numbers, so the bound is less than 1.
        total = self.maximum(self.sum(self.exp(x - shift), axis=axis, keepdims=True), 0.5)
        total = self.log(total) + highest
        return total if keepdims else self.sum(total, axis=axis)

    def any(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        return self.greater(self.sum(_truth(self, x), axis=axis, keepdims=keepdims), 0)

    def all(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        return self.less(self.sum(1 - _truth(self, x), axis=axis, keepdims=keepdims), 1)

    def argmax(self, x: Any, axis: Any = -1) -> Tensor:
        static = self.int_shape(x)
        axis = filled_axis(axis, static)
        count = sizes(static, self.shape, x)[axis]
        places = self.reshape(self.arange(count), spread(len(static), {axis: -1})) + self.zeros_like(x, dtype='int32')
        highest = self.equal(x, self.max(x, axis=axis, keepdims=True))
        found = self.switch(highest, places, self.zeros_like(places) + count)
        if is_float(self.dtype(x)):
            # The first NaN, which is equal to nothing.
            found = self.switch(self.not_equal(x, x), places, found)
        return self.cast(self.min(found, axis=axis), 'int64')

    def argmin(self, x: Any, axis: Any = -1) -> Tensor:
        return self.argmax(opposite(x, self.dtype(x)), axis=axis)

    def cumsum(self, x: Any, axis: Any = 0) -> Tensor:
        return _running(self, x, axis, self.zeros_like, lambda a, b: a + b)

    def cumprod(self, x: Any, axis: Any = 0) -> Tensor:
        return _running(self, x, axis, self.ones_like, lambda a, b: a * b)


def _widened(K: Api, x: Any) -> Tuple[str, Tensor]:
    """The dtype of an average of `x`, and `x` in the one to compute it in."""
    dtype = K.dtype(x)
    if dtype in ('float16', 'bfloat16'):
        return dtype, K.cast(x, 'float32')
    return (dtype, x) if dtype.startswith('float') else (K.floatx(), K.cast(x, K.floatx()))


def _count(K: Api, x: Any, axis: Any) -> Tensor:
    static = K.int_shape(x)
    axes = normalize_axes(axis, len(static))
    count = product([static[i] for i in axes])
    if count is not None:
        return count
    here = sizes(static, K.shape, x)
    count = 1
    for i in axes:
        count = here[i] * count
    return K.cast(count, K.dtype(x))


def _truth(K: Api, x: Any) -> Tensor:
    return K.cast(x if K.dtype(x) == 'bool' else K.not_equal(x, 0), 'int32')


def _running(K: Api, x: Any, axis: Any, neutral: Any, combine: Any) -> Tensor:
    ndim = K.ndim(x)
    axis = normalize_axis(axis, ndim)
    x = K.cast(x, 'int32') if K.dtype(x) == 'bool' else x
    length = K.int_shape(x)[axis]
    if length is None:
        return _looped(K, x, axis, neutral, combine)
    # Doubling the reach of every element takes as many rounds as the length has binary digits.
    reach = 1
    while reach < length:
        before = neutral(x[along(axis, None, reach)])
        x = combine(x, K.concatenate([before, x[along(axis, None, -reach)]], axis=axis))
        reach *= 2
    return x


def _looped(K: Api, x: Any, axis: Any, neutral: Any, combine: Any) -> Tensor:
    ndim = K.ndim(x)
    order = [axis] + [i for i in range(ndim) if i != axis]
    steps = K.permute_dimensions(x, order)
    for _ in range(ndim, 3):
        steps = K.expand_dims(steps, -1)

    def step(element: Any, states: Any) -> Tensor:
        total = combine(states[0], element)
        return total, [total]

    totals = K.rnn(step, steps, [neutral(steps[0])], time_major=True)[1]
    for _ in range(ndim, 3):
        totals = K.squeeze(totals, -1)
    return K.permute_dimensions(totals, [order.index(i) for i in range(ndim)])
