"""Optimizers with averages step every row of an embedding, also one that no sample of the batch uses.

The averages of such a row become smaller in each step, and it moves on by what is left of them. So it was in tf.keras,
and so it is on JAX and PyTorch. Keras 3 on TensorFlow leaves these rows and their averages as they are.
"""

import functools
from typing import Any, Callable

from .classes_of_keras import owner

# Without averages, a row that has no gradient stays as it is anyway.
_WITHOUT = ('Adagrad', 'Ftrl')


def gradients_of_rows(keras: Any) -> str:
    """Give optimizers with averages the gradients of all rows of an embedding on TensorFlow."""
    if keras.backend.backend() != 'tensorflow':
        return ''
    made = owner(keras.optimizers.Optimizer, 'apply')
    made.apply = _of_all_rows(made.apply)
    return 'Optimizer.apply'


def _of_all_rows(original: Callable[..., Any]) -> Callable[..., Any]:
    import tensorflow as tf

    def dense(gradient: Any) -> Any:
        return tf.convert_to_tensor(gradient) if isinstance(gradient, tf.IndexedSlices) else gradient

    @functools.wraps(original)
    def apply(optimizer: Any, grads: Any, *args: Any, **kwargs: Any) -> Any:
        if _has_averages(optimizer):
            grads = [dense(each) for each in grads]
        return original(optimizer, grads, *args, **kwargs)

    return apply


def _has_averages(optimizer: Any) -> bool:
    if type(optimizer).__name__ == 'SGD':
        return bool(getattr(optimizer, 'momentum', 0))
    return type(optimizer).__name__ not in _WITHOUT
