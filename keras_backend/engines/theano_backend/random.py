"""Random tensors: a new draw on every run."""

import numpy as np

from ... import dtypes
from ._convert import cast, is_tensor, shape_vector, sizes
from ._draws import draw
from ._library import T
from ._operators import add, mul, sub


def _drawn(kind, shape, dtype, seed, scale, shift):
    dtype = dtypes.name_of(dtype)
    if seed is None:
        seed = np.random.randint(1 << 31)
    made = draw(kind, shape_vector(sizes(shape)), dtype if dtypes.is_float(dtype) else dtypes.name_of(None), int(seed))
    if is_tensor(scale) or scale != 1:
        made = mul(made, scale)
    if is_tensor(shift) or shift != 0:
        made = add(made, shift)
    # A range of integers is that of the floats cut off below.
    return cast(made if dtypes.is_float(dtype) else T.floor(made), dtype)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return _drawn('random_normal', shape, dtype, seed, stddev, mean)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return _drawn('random_uniform', shape, dtype, seed, _span(minval, maxval), minval)


def _span(low, high):
    return sub(high, low) if is_tensor(low) or is_tensor(high) else high - low


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return _drawn('truncated_normal', shape, dtype, seed, stddev, mean)
