"""Random tensors, said in others."""

import math

K = None  # the engine's namespace, set by binding.rebind


def random_binomial(shape, p=0.0, dtype=None, seed=None):
    # Drawn in single precision whatever the result is: half precision would round 1 - p into p.
    draws = K.random_uniform(shape, dtype='float32', seed=seed)
    return K.cast(K.less(draws, p), K.floatx() if dtype is None else dtype)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    # Box and Muller (1958). Both uniform numbers come from one draw, so that a seed cannot make them equal.
    dtype = K.floatx() if dtype is None else dtype
    entries = list(shape) if isinstance(shape, (list, tuple)) else [shape[i] for i in range(K.int_shape(shape)[0])]
    draws = K.random_uniform([2] + entries, dtype='float64' if dtype == 'float64' else 'float32', seed=seed)
    radius = K.sqrt(-2.0 * K.log(1.0 - draws[0]))
    return K.cast(mean + stddev * (radius * K.cos(2.0 * math.pi * draws[1])), dtype)
