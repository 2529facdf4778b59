"""Random tensors, by the names and arguments of TensorFlow 2's `tf.random`. Keras draws, from the seeds of `seeds`.

Source: its documentation.
"""

from typing import Any

import keras

from ....engines.keras3_backend.primitives.elementwise import source
from .arguments import K, dtype_of, sizes_of
from .seeds import next_seed


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = 'float32', seed: Any = None, name: Any = None
           ) -> Any:  # fmt: skip
    """Normal draws. Sizes may be those that a run fills in."""
    return K.random_normal(tuple(sizes_of(shape)), 0.0, 1.0, dtype_of(dtype), next_seed(seed)) * stddev + mean


def uniform(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = 'float32', seed: Any = None, name: Any = None
            ) -> Any:  # fmt: skip
    """Uniform draws from minval to below maxval, or whole numbers."""
    kind = dtype_of(dtype)
    if 'int' in kind:
        if maxval is None:
            raise ValueError('tf.random.uniform of integers needs maxval.')
        return keras.random.randint(tuple(sizes_of(shape)), minval, maxval, dtype=kind, seed=source(next_seed(seed)))
    most = 1.0 if maxval is None else maxval
    return K.random_uniform(tuple(sizes_of(shape)), 0.0, 1.0, kind, next_seed(seed)) * (most - minval) + minval


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = 'float32', seed: Any = None, name: Any = None
) -> Any:
    """Normal draws within two deviations."""
    return K.truncated_normal(tuple(sizes_of(shape)), 0.0, 1.0, dtype_of(dtype), next_seed(seed)) * stddev + mean


def categorical(logits: Any, num_samples: Any, dtype: Any = 'int64', seed: Any = None, name: Any = None) -> Any:
    """Classes drawn for each row of logarithms of shares."""
    drawn = source(next_seed(seed))
    return keras.random.categorical(logits, int(num_samples), dtype=dtype_of(dtype, places=True), seed=drawn)


def shuffle(value: Any, seed: Any = None, name: Any = None) -> Any:
    """The rows in random order."""
    return keras.random.shuffle(value, axis=0, seed=source(next_seed(seed)))
