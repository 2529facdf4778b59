"""Random tensors: a new draw on every run."""

from typing import Any, Optional

import numpy as np

from ..basics import dtypes
from ..basics.library import Tensor
from ..basics.shapes import array_shape
from .base import Api, Operands, check_sizes


class Random(Operands):
    def random_uniform(
        self, shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Optional[int] = None
    ) -> Tensor:
        return _scaled(
            self, 'random_uniform', shape, _number(self, maxval) - _number(self, minval), minval, dtype, seed
        )

    def random_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Optional[int] = None
    ) -> Tensor:
        return _scaled(self, 'random_normal', shape, stddev, mean, dtype, seed)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Optional[int] = None
    ) -> Tensor:
        return _scaled(self, 'truncated_normal', shape, stddev, mean, dtype, seed)


def _number(K: Operands, x: Any) -> Any:
    return x if isinstance(x, (int, float)) else K.operand(x)


def _scaled(K: Operands, name: str, shape: Any, scale: Any, shift: Any, dtype: Any, seed: Optional[int]) -> Tensor:
    """Standard draws, scaled and shifted; of an integer dtype they are rounded down."""
    dtype = K.library.dtype_name(dtype)
    if seed is None:
        # The original's range: NumPy draws again above it, so that what a program draws next depends on it.
        seed = np.random.randint(10**7)
    kind = dtype if dtypes.is_float(dtype) else K.floatx()
    sizes = K.library.sizes(K.shape_given(shape))
    if not K.library.is_tensor(sizes):
        check_sizes(shape, sizes)
        array_shape(sizes)
    drawn = getattr(K.F, name)(sizes, dtype=kind, seed=seed)
    if not (isinstance(scale, (int, float)) and scale == 1):
        drawn = K.binary('mul', drawn, scale)
    if not (isinstance(shift, (int, float)) and shift == 0):
        drawn = K.binary('add', drawn, shift)
    return K.converted(drawn if dtypes.is_float(dtype) else K.F.floor(drawn), dtype)


# -- said in other K functions -----------------------------------------------------------------------------------------


class ComposedRandom(Api):
    def random_binomial(self, shape: Any, p: Any = 0.0, dtype: Any = None, seed: Optional[int] = None) -> Tensor:
        # Drawn in single precision whatever the result is: half precision would round 1 - p into p.
        draws = self.random_uniform(shape, dtype='float32', seed=seed)
        return self.cast(self.less(draws, p), self.floatx() if dtype is None else dtype)
