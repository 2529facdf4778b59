"""`tf.contrib.layers.xavier_initializer` and `variance_scaling_initializer`."""

import math
from typing import Any, Callable, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

Initializer = Callable[..., Any]


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = 'FAN_IN', uniform: bool = False, seed: Any = None, dtype: Any = tf.float32
) -> Initializer:
    """Random values whose variance is `factor / n`.

    Args:
        factor: See above; 2 is that of He et al., 2015 (https://arxiv.org/abs/1502.01852).
        mode: What n is: `'FAN_IN'`, `'FAN_OUT'` or `'FAN_AVG'`, their mean.
        uniform: Whether the values are uniform. Otherwise they are normal, without those beyond two deviations.
        seed: The seed.
        dtype: The dtype of the values.

    Returns:
        A function of a shape.

    Raises:
        TypeError: The mode is unknown, or the dtype is one of integers.
    """
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError(f'variance_scaling_initializer(dtype={dtype!r}): it has to be a dtype of floats; leave it out.')
    if mode not in ('FAN_IN', 'FAN_OUT', 'FAN_AVG'):
        raise TypeError(
            f"variance_scaling_initializer(mode={mode!r}): it can be 'FAN_IN', 'FAN_OUT' or 'FAN_AVG'; "
            'leave it out for FAN_IN.'
        )

    def initializer(shape: Sequence[Any], dtype: Any = dtype, partition_info: Any = None) -> Any:
        sizes = [int(size) for size in shape]
        space = int(np.prod(sizes[:-2], dtype=np.int64))
        fan_in = space * (sizes[-2] if len(sizes) > 1 else sizes[-1] if sizes else 1)
        fan_out = space * (sizes[-1] if sizes else 1)
        variance = factor / {'FAN_IN': fan_in, 'FAN_OUT': fan_out, 'FAN_AVG': (fan_in + fan_out) / 2}[mode]
        if uniform:
            limit = math.sqrt(3 * variance)
            return tf.random_uniform(sizes, -limit, limit, dtype, seed=seed)
        # Without values beyond two deviations, 1 / 1.3 of the variance is left.
        return tf.truncated_normal(sizes, 0.0, math.sqrt(1.3 * variance), dtype, seed=seed)

    return initializer


def xavier_initializer(uniform: bool = True, seed: Any = None, dtype: Any = tf.float32) -> Initializer:
    """Random values of Glorot and Bengio, 2010: the variance is 2 / (fan in + fan out).

    Args:
        uniform: Whether the values are uniform. Otherwise they are normal, without those beyond two deviations.
        seed: The seed.
        dtype: The dtype of the values.
    """
    return variance_scaling_initializer(1.0, 'FAN_AVG', uniform, seed, dtype)
