"""Random tensors."""

import numpy as np

from ._convert import as_dtype, cast, operand, sizes
from ._graph import graph
from ._library import tf


def _seed(seed):
    graph()
    return np.random.randint(2**31 - 1) if seed is None else int(seed)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    dtype = as_dtype(dtype)
    return tf.random.normal(sizes(shape), operand(mean, dtype), operand(stddev, dtype), dtype, _seed(seed))


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    dtype = as_dtype(dtype)
    return tf.random.uniform(sizes(shape), operand(minval, dtype), operand(maxval, dtype), dtype, _seed(seed))


def random_binomial(shape, p=0.0, dtype=None, seed=None):
    # Drawn in single precision whatever the result is: half precision would round 1 - p into p.
    draws = tf.random.uniform(sizes(shape), dtype=tf.float32, seed=_seed(seed))
    return tf.cast(draws < cast(operand(p, tf.float32), tf.float32), as_dtype(dtype))


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    dtype = as_dtype(dtype)
    return tf.random.truncated_normal(sizes(shape), operand(mean, dtype), operand(stddev, dtype), dtype, _seed(seed))
