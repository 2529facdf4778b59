"""`train_on_batch` and `test_on_batch` give losses and metrics what `fit` gives them.

Keras 3 hands the arrays of the program on: on TensorFlow as float64, on PyTorch as arrays. A metric stops at
`y_true * y_pred`, or changes the data by `y_true *= 2`.
"""

import functools
from typing import Any, Callable

import numpy as np

from .classes_of_keras import owner


def targets_of_batches(keras: Any) -> str:
    """Let metrics of `train_on_batch` and `test_on_batch` be given tensors of the usual dtype."""
    changed = []
    for name in ('train_on_batch', 'test_on_batch'):
        made = owner(keras.Model, name)
        setattr(made, name, _with_tensors(vars(made)[name], keras))
        changed.append(f'Model.{name}')
    return ', '.join(changed)


def _with_tensors(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    is_torch = keras.backend.backend() == 'torch'

    def tensor(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in 'biuf':
            return value
        if value.dtype == np.float64:
            value = value.astype(keras.config.floatx() if keras.config.floatx() != 'bfloat16' else 'float32')
        return keras.ops.convert_to_tensor(value) if is_torch else value

    @functools.wraps(original)
    def call(model: Any, x: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        return original(model, x, keras.tree.map_structure(tensor, y), *args, **kwargs)

    return call
