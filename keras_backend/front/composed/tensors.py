"""Making tensors and asking about them, random ones among them, said in other K functions."""

from typing import Any, Optional, Tuple

import numpy as np

from ...basics.library import Tensor
from ...basics.shapes import array_shape, product, spatial
from ...errors import ArgumentValueError, ShapeError
from .api import Api


class ComposedTensors(Api):
    def get_variable_shape(self, x: Any) -> Tuple[int, ...]:
        shape: Tuple[int, ...] = self.int_shape(x)
        return shape

    def count_params(self, x: Any) -> int:
        static = self.int_shape(x)
        count = product(static)
        if count is None:
            raise ShapeError(
                f'The elements of a tensor of shape {static} cannot be counted before a run; K.size counts them in one.'
            )
        return int(count)

    def eye(self, size: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        rows, columns = spatial(size, 2, 'size', 0)
        array_shape((rows, columns), 'size')
        return self.variable(np.eye(rows, columns), dtype=dtype, name=name)

    def random_uniform_variable(
        self, shape: Any, low: Any, high: Any, dtype: Any = None, name: Optional[str] = None, seed: Optional[int] = None
    ) -> Tensor:
        low, high = _finite(low, 'low'), _finite(high, 'high')
        return self.variable(_draws(seed).uniform(low, high, array_shape(shape)), dtype=dtype, name=name)

    def random_normal_variable(
        self,
        shape: Any,
        mean: Any,
        scale: Any,
        dtype: Any = None,
        name: Optional[str] = None,
        seed: Optional[int] = None,
    ) -> Tensor:
        mean, scale = _finite(mean, 'mean'), _finite(scale, 'scale')
        if scale < 0:
            raise ArgumentValueError(f'scale has to be at least 0, got {scale!r}.')
        return self.variable(_draws(seed).normal(mean, scale, array_shape(shape)), dtype=dtype, name=name)


def _draws(seed: Optional[int]) -> Any:
    if seed is None:
        return np.random
    if not 0 <= seed < 1 << 32:
        raise ArgumentValueError(f'seed has to be at least 0 and less than 2**32, got {seed!r}.')
    return np.random.RandomState(seed)


def _finite(value: Any, what: str) -> Any:
    if not np.isfinite(float(value)):
        raise ArgumentValueError(f'{what} has to be finite, got {value!r}.')
    return value


# -- random tensors ----------------------------------------------------------------------------------------------------
# Random tensors, said in others.


class ComposedRandom(Api):
    def random_binomial(self, shape: Any, p: Any = 0.0, dtype: Any = None, seed: Optional[int] = None) -> Tensor:
        # Drawn in single precision whatever the result is: half precision would round 1 - p into p.
        draws = self.random_uniform(shape, dtype='float32', seed=seed)
        return self.cast(self.less(draws, p), self.floatx() if dtype is None else dtype)
