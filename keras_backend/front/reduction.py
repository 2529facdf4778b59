"""Reductions and running sums."""

from typing import Any

from ..basics import dtypes
from ..basics.library import Axes, Axis, Tensor
from ..basics.shapes import filled_axis, known
from .operands import Operands


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
