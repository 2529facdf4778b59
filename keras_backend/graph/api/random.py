"""Random tensors: a new draw on every run."""

import numpy as np

from .. import dtypes

K = G = None


def _draw(name, shape, dtype, seed):
    dtype = dtypes.name_of(dtype)
    if seed is None:
        seed = np.random.randint(1 << 31)
    kind = dtype if dtypes.is_float(dtype) else dtypes.name_of(None)
    return getattr(G.F, name)(
        shape if not isinstance(shape, int) else (shape,), dtype=kind, stream=G.kernels.Stream(seed)
    ), dtype


def _scaled(drawn, scale, shift, dtype):
    if not (isinstance(scale, (int, float)) and scale == 1):
        drawn = drawn * scale
    if not (isinstance(shift, (int, float)) and shift == 0):
        drawn = drawn + shift
    return drawn if drawn.dtype == dtype else G.cast(drawn if dtypes.is_float(dtype) else G.F.floor(drawn), dtype)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    drawn, dtype = _draw('random_uniform', shape, dtype, seed)
    return _scaled(drawn, maxval - minval, minval, dtype)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    drawn, dtype = _draw('random_normal', shape, dtype, seed)
    return _scaled(drawn, stddev, mean, dtype)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    drawn, dtype = _draw('truncated_normal', shape, dtype, seed)
    return _scaled(drawn, stddev, mean, dtype)
