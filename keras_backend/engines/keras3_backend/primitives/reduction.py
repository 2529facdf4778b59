"""Reductions and running sums."""

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from ....shapes import reduce
from ..tensors.dtypes import cast, comparing, keeping, name_of
from ..tensors.operations import registered
from ..tensors.sizes import SizeTensor, items
from ..vendor import BACKEND, is_symbolic, keras
from .wide import of_keras_or_wide as wide

ops = keras.ops
Tensor = Any
_mean_of, _prod_of = wide('mean'), wide('prod')
Axes = Tuple[int, ...]


def _reduction(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduced(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
        return function(x, axis=axes, keepdims=keepdims)

    return reduced


def _prod(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    if isinstance(x, SizeTensor) and x.entries is not None and not keepdims:
        # JAX takes it as a size.
        total = 1
        for size in items(x):
            total = total * size
        return total
    return _prod_of(x, axis=axes if len(axes) > 1 else axes[0], keepdims=keepdims)


@registered
class Extreme(keras.Operation):
    """The largest or smallest elements along axes. Of none it is what loses against everything, as in TensorFlow."""

    def __init__(self, function: str, axes: Axes, keepdims: bool, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.function, self.axes, self.keepdims = function, tuple(axes), keepdims

    def call(self, x: Tensor) -> Tensor:
        if 0 not in tuple(x.shape):
            return getattr(ops, self.function)(x, axis=self.axes, keepdims=self.keepdims)
        dtype = name_of(x)
        if 'float' in dtype:
            least = -np.inf if self.function == 'max' else np.inf
        else:
            least = getattr(np.iinfo(dtype), 'min' if self.function == 'max' else 'max')
        shape = reduce(tuple(ops.shape(x)), self.axes, self.keepdims)
        return ops.full(shape, least, dtype)

    def compute_output_spec(self, x: Tensor) -> Tensor:
        return keras.KerasTensor(reduce(tuple(x.shape), self.axes, self.keepdims), name_of(x))


def _extreme(function: str) -> Callable[..., Tensor]:
    def extreme(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
        if is_symbolic(x):
            return Extreme(function, axes, keepdims)(x)
        return Extreme(function, axes, keepdims).call(x)

    return extreme


def _mean(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    dtype = name_of(x)
    if dtype in ('float16', 'bfloat16'):
        # Sums of halves overflow from 65504 on.
        x = cast(x, 'float32')
    return cast(_mean_of(x, axis=axes, keepdims=keepdims), dtype)


def _place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    wide = comparing(function)

    def place(x: Tensor, axis: int) -> Tensor:
        dtype = name_of(x)
        if BACKEND != 'torch' and 'float' in dtype:
            # There -0 is less than 0.
            x = ops.where(ops.equal(x, 0), ops.zeros((), dtype), x)
        return cast(wide(cast(x, 'int32') if dtype == 'bool' else x, axis=axis), 'int64')

    return place


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {
    'sum': keeping(_reduction(wide('sum'))),
    'prod': keeping(_prod),
    'mean': _mean,
    'max': keeping(_extreme('max')),
    'min': keeping(_extreme('min')),
    'any': _reduction(ops.any),
    'all': _reduction(ops.all),
    'argmax': _place(ops.argmax),
    'argmin': _place(ops.argmin),
    'cumsum': keeping(wide('cumsum')),
    'cumprod': keeping(wide('cumprod')),
    'softmax': keeping(ops.softmax),
    'log_softmax': keeping(ops.log_softmax),
}
