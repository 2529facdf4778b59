"""Arguments of TensorFlow's functions: dtypes, shapes and axes as Keras takes them, arrays beside tensors."""

from typing import Any, List, Optional, Tuple, Union

import keras
import numpy as np
from keras import ops

from ....engines import keras3_backend
from ....engines.keras3_backend.tensors.sizes import at_once, concrete, is_symbol

# Its functions are put there when it is imported.
K: Any = keras3_backend


def is_tensor(x: Any) -> bool:
    """Whether x is a tensor of Keras: with a value, of a model that is built, or a variable."""
    return isinstance(x, (keras.KerasTensor, keras.Variable)) or bool(ops.is_tensor(x))


def as_tensor(x: Any) -> Any:
    """A tensor itself, or one of a number, a list or an array."""
    return x if is_tensor(x) else ops.convert_to_tensor(x)


def dtype_of(dtype: Any, places: bool = False) -> str:
    """The name of a dtype. places: of an integer that JAX may have in 32 bits alone."""
    name: str = keras.backend.standardize_dtype(getattr(dtype, 'name', dtype))
    if places and name == 'int64' and keras.backend.backend() == 'jax':
        import jax

        return name if jax.config.jax_enable_x64 else 'int32'
    return name


def axes_of(axis: Any) -> Optional[Union[int, Tuple[int, ...]]]:
    """One axis or several, as numbers."""
    if axis is None:
        return None
    axes = np.asarray(axis)
    return int(axes) if axes.ndim == 0 else tuple(int(number) for number in axes)


def sizes_of(shape: Any) -> List[Any]:
    """A shape as a list, whose entries may be tensors that a run fills in."""
    if isinstance(shape, (list, tuple)):
        return [_size(size) for size in shape]
    if isinstance(shape, keras.KerasTensor):
        return [shape[i] for i in range(shape.shape[0])] if len(shape.shape) else [shape]
    return [int(size) for size in np.atleast_1d(ops.convert_to_numpy(shape) if is_tensor(shape) else shape)]


def _size(size: Any) -> Any:
    if size is None or isinstance(size, keras.KerasTensor):
        return size
    if isinstance(size, (int, np.integer)):
        return int(size)
    return concrete(size)


# -- numbers while JAX traces ------------------------------------------------------------------------------------------
# `tf.cast(tf.shape(x)[0], 'int64')` in a layer: JAX traces what it computes, and a traced number is no size.

# A shape has less entries than this.
_MOST = 64


def as_numbers(function: Any, result: Any, args: Any, kwargs: Any) -> Any:
    """A result that JAX traces, as numbers of NumPy where it was computed from numbers alone."""
    import jax

    results = keras.tree.flatten(result)
    if not all([isinstance(x, jax.core.Tracer) and _is_small(x) for x in results]):
        return result
    if not all([_is_known(x) for x in keras.tree.flatten([args, kwargs])]):
        return result
    with at_once():
        known = function(*args, **kwargs)
    return keras.tree.map_structure(lambda x: np.asarray(x)[()], known)


def _is_small(x: Any) -> bool:
    return len(x.shape) < 2 and all([isinstance(size, int) and size < _MOST for size in x.shape])


def _is_known(x: Any) -> bool:
    """Whether x has a value where JAX traces. A variable has none, and a name of a size has none."""
    import jax

    return not (is_symbol(x) or isinstance(x, (keras.KerasTensor, keras.Variable, jax.core.Tracer)))


def paired(x: Any, y: Any) -> Tuple[Any, Any]:
    """Two operands. An array beside a tensor gets the dtype of the tensor, as TensorFlow does."""
    if is_tensor(x) != is_tensor(y):
        if isinstance(y, (np.ndarray, np.generic, list)):
            y = _as(y, K.dtype(x))
        elif isinstance(x, (np.ndarray, np.generic, list)):
            x = _as(x, K.dtype(y))
    elif not is_tensor(x):
        x = ops.convert_to_tensor(x)
    return x, y


def _as(value: Any, dtype: str) -> Any:
    array = np.asarray(value)
    whole = 'int' in dtype or dtype == 'bool'
    if array.dtype.kind in 'fc' and whole:
        return array  # TensorFlow refuses it, Keras computes in floats
    return ops.convert_to_tensor(array.astype('float32') if dtype == 'bfloat16' else array.astype(dtype), dtype)
