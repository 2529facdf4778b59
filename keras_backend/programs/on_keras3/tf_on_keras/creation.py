"""New tensors and dtypes, by the names and arguments of TensorFlow 2.

Source: its documentation.
"""
# ruff: noqa: A001, A002

from typing import Any

import keras
import numpy as np
from keras import ops

from ....engines.keras3_backend.primitives.elementwise import source
from ....engines.keras3_backend.tensors.sizes import Symbols, is_symbol
from .arguments import K, as_tensor, dtype_of, is_tensor, sizes_of
from .seeds import next_seed


def cast(x: Any, dtype: Any, name: Any = None) -> Any:
    """The elements in another dtype. A size that JAX has a name for stays one in any dtype of integers."""
    kind = dtype_of(dtype, places=True)
    if 'int' in kind and (is_symbol(x) or isinstance(x, Symbols)):
        return x
    return ops.cast(x, kind)


def identity(input: Any, name: Any = None) -> Any:
    """The tensor itself."""
    return as_tensor(input)


def stop_gradient(input: Any, name: Any = None) -> Any:
    """The tensor, as a constant for gradients."""
    return ops.stop_gradient(input)


def zeros_like(input: Any, dtype: Any = None, name: Any = None) -> Any:
    """Zeros in the shape of a tensor."""
    return ops.zeros_like(input, dtype=None if dtype is None else dtype_of(dtype))


def ones_like(input: Any, dtype: Any = None, name: Any = None) -> Any:
    """Ones in the shape of a tensor."""
    return ops.ones_like(input, dtype=None if dtype is None else dtype_of(dtype))


def zeros(shape: Any, dtype: Any = 'float32', name: Any = None) -> Any:
    """Zeros. Sizes may be those that a run fills in."""
    return _filled('zeros', shape, dtype)


def ones(shape: Any, dtype: Any = 'float32', name: Any = None) -> Any:
    """Ones. Sizes may be those that a run fills in."""
    return _filled('ones', shape, dtype)


def _filled(name: str, shape: Any, dtype: Any) -> Any:
    sizes, dtype = sizes_of(shape), dtype_of(dtype, places=True)
    if any(K.is_symbolic(size) for size in sizes):
        return getattr(K, name)(sizes, dtype)
    return getattr(ops, name)(sizes, dtype)


def fill(dims: Any, value: Any, name: Any = None) -> Any:
    """A tensor of one value."""
    dtype = K.dtype(value) if is_tensor(value) else _dtype_of_number(value)
    return ops.cast(ops.multiply(ones(dims, dtype), value), dtype)


def _dtype_of_number(value: Any) -> str:
    kind = np.asarray(value).dtype
    if kind.kind == 'b':
        return 'bool'
    return str(kind) if isinstance(value, (np.ndarray, np.generic)) else 'int32' if kind.kind in 'iu' else 'float32'


def eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = 'float32', name: Any = None
        ) -> Any:  # fmt: skip
    """The identity matrix, one or a batch of them."""
    if is_symbol(num_rows):  # JAX has a name for the size while it infers shapes
        columns = num_rows if num_columns is None else num_columns
        identity = ops.equal(ops.expand_dims(ops.arange(num_rows), 1), ops.arange(columns))
        return ops.broadcast_to(ops.cast(identity, dtype_of(dtype)), (*sizes_of(batch_shape or ()), num_rows, columns))
    rows = int(num_rows)
    identity = ops.eye(rows, rows if num_columns is None else int(num_columns), dtype=dtype_of(dtype))
    if batch_shape is None:
        return identity
    return identity + zeros([*sizes_of(batch_shape), 1, 1], dtype)


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: Any = None) -> Any:
    """Numbers from start to limit. A limit may be a size that a run fills in."""
    ends = [_number(number) for number in (start, limit, delta)]
    if dtype is None:
        whole = all(
            number is None or isinstance(number, (int, np.integer)) or is_symbol(number) or 'int' in K.dtype(number)
            for number in ends
        )
        dtype = 'int32' if whole else 'float32'
    return K.arange(ends[0], ends[1], ends[2], dtype_of(dtype))


def _number(value: Any) -> Any:
    if value is None or isinstance(value, (int, float)) or K.is_symbolic(value):
        return value
    if is_tensor(value):
        value = ops.convert_to_numpy(value)
    return value.item() if isinstance(value, (np.ndarray, np.generic)) else value


def linspace(start: Any, stop: Any, num: Any, name: Any = None, axis: int = 0) -> Any:
    """Numbers in equal steps from start to stop."""
    return ops.linspace(start, stop, int(num), axis=axis)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = None) -> Any:
    """A tensor of a number, a list or an array."""
    tensor = convert_to_tensor(value, dtype)
    if shape is None:
        return tensor
    sizes = sizes_of(shape)
    return ops.broadcast_to(tensor, sizes) if not len(tensor.shape) else ops.reshape(tensor, sizes)


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: Any = None) -> Any:
    """A tensor of a number, a list or an array; a tensor itself."""
    if is_tensor(value):
        return value if dtype is None else ops.cast(value, dtype_of(dtype))
    if isinstance(value, (list, tuple)) and any(is_tensor(element) for element in value):
        return ops.stack([ops.convert_to_tensor(element) for element in value])
    array = np.asarray(value)
    if dtype is None:
        own = isinstance(value, (np.ndarray, np.generic))
        dtype = str(array.dtype) if own else {'f': 'float32', 'i': 'int32', 'b': 'bool'}.get(array.dtype.kind)
    return ops.convert_to_tensor(array, None if dtype is None else dtype_of(dtype))


# -- random tensors ----------------------------------------------------------------------------------------------------
# Random tensors, by the names and arguments of TensorFlow 2's `tf.random`. Keras draws, from the seeds of `seeds`.
#
# Source: its documentation.


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
