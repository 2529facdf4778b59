"""`train_on_batch` and `test_on_batch` on PyTorch give losses and metrics tensors, as `fit` does.

Keras 3 hands the arrays of the program on. A metric stops at `y_true * y_pred`, or changes the data by `y_true *= 2`.
"""

import functools
from typing import Any, Callable

import numpy as np


def targets_of_batches(keras: Any) -> str:
    """Let metrics of `train_on_batch` and `test_on_batch` be given tensors on PyTorch."""
    if keras.backend.backend() != 'torch':
        return ''
    changed = []
    for name in ('train_on_batch', 'test_on_batch'):
        owner = next(each for each in keras.Model.__mro__ if name in vars(each))
        setattr(owner, name, _with_tensors(vars(owner)[name], keras))
        changed.append(f'Model.{name}')
    return ', '.join(changed)


def _with_tensors(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    def tensor(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in 'biuf':
            return value
        return keras.ops.convert_to_tensor(value, keras.config.floatx() if value.dtype.kind == 'f' else None)

    @functools.wraps(original)
    def call(model: Any, x: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        return original(model, x, keras.tree.map_structure(tensor, y), *args, **kwargs)

    return call
