"""Reductions and running sums."""

from typing import Any

import numpy as np

from ..basics import dtypes
from ..basics.library import Axes, Axis, Tensor
from ..basics.shapes import filled_axis, known
from .base import Api, Operands


class Reduction(Operands):
    def max(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _extreme(self, 'max', x, axis, keepdims)

    def min(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _extreme(self, 'min', x, axis, keepdims)

    def sum(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _reduced(self, 'sum', _countable(self, x), axis, keepdims)

    def prod(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _reduced(self, 'prod', _countable(self, x), axis, keepdims)

    def mean(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _reduced(self, 'mean', self.floating(x), axis, keepdims)

    def var(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        x = self.floating(x)
        dtype = self.library.dtype(x)
        # The squares of halves overflow from 256 on.
        x = self.converted(x, 'float32') if dtype in ('float16', 'bfloat16') else x
        away = self.binary('sub', x, _reduced(self, 'mean', x, axis, True))
        return self.converted(_reduced(self, 'mean', self.F.square(away), axis, keepdims), dtype)

    def any(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _reduced(self, 'any', self.converted(self.operand(x), 'bool'), axis, keepdims)

    def all(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _reduced(self, 'all', self.converted(self.operand(x), 'bool'), axis, keepdims)

    def cumsum(self, x: Any, axis: Axis = 0) -> Tensor:
        x = _countable(self, x)
        return self.F.cumsum(x, axis=self.axis(x, axis))

    def cumprod(self, x: Any, axis: Axis = 0) -> Tensor:
        x = _countable(self, x)
        return self.F.cumprod(x, axis=self.axis(x, axis))

    def argmax(self, x: Any, axis: Axis = -1) -> Tensor:
        x = self.operand(x)
        return self.F.argmax(x, axis=_filled_axis(self, x, axis))

    def argmin(self, x: Any, axis: Axis = -1) -> Tensor:
        x = self.operand(x)
        return self.F.argmin(x, axis=_filled_axis(self, x, axis))


def _filled_axis(K: Operands, x: Tensor, axis: Axis) -> int:
    return axis if K.library.rank(x) is None else filled_axis(axis, K.int_shape(x))


def _reduced(K: Operands, name: str, x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    axes = K.axes(x, axis)
    return x if axes == () else getattr(K.F, name)(x, axes=axes, keepdims=bool(keepdims))


def _countable(K: Operands, x: Any) -> Tensor:
    """`x` as a tensor that can be added up."""
    x = K.operand(x)
    return K.converted(x, 'int32') if K.library.dtype(x) == 'bool' else x


def _extreme(K: Operands, name: str, x: Any, axis: Axes, keepdims: bool) -> Tensor:
    x = K.operand(x)
    axes: Any = K.axes(x, axis)  # once, since it may be a generator
    dtype = K.library.dtype(x)
    if dtype == 'bool':
        return _reduced(K, 'any' if name == 'max' else 'all', x, axes, keepdims)
    if (
        axes
        and K.library.rank(x) is not None
        and any([known(K.library.dims(x)[i]) and K.library.dims(x)[i] == 0 for i in axes])
    ):
        # Of nothing it is what any number would replace.
        worst = dtypes.lowest(dtype) if name == 'max' else dtypes.highest(dtype)
        return K.binary('add', _reduced(K, 'sum', x, axes, keepdims), K.library.constant(worst, dtype))
    return _reduced(K, name, x, axes, keepdims)


# -- said in other K functions -----------------------------------------------------------------------------------------


class ComposedReduction(Api):
    def std(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        # Of a single number `switch` would choose lazily, so the axes are kept until the end.
        variance = self.var(x, axis=axis, keepdims=True)
        # The slope of the root is infinite at 0, and NaN once it is multiplied by that of the variance, which is 0. The
        # root of a negative number is 0, and has the slope 0.
        root = self.sqrt(self.switch(self.equal(variance, 0), -self.ones_like(variance), variance))
        return root if keepdims else self.sum(root, axis=axis)

    def logsumexp(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
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
