"""Losses as TensorFlow before 2.11 computed them: the mean of a masked loss divides by all steps."""

import functools
from importlib import import_module
from typing import Any


def means_of_masked_losses(tf_keras: Any) -> str:
    """Let a loss take no notice of the mask of outputs: `compile` makes weights of it, and the mean is of all steps.

    The mask that a loss makes itself, for `ignore_class`, counts as before: its mean is of the steps that are left.
    """
    kind: Any = tf_keras.losses.Loss
    original = kind.__call__
    # Not inside: AutoGraph would ask for the source of what it calls.
    tensorflow: Any = import_module('tensorflow')

    @functools.wraps(original)
    def __call__(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        if isinstance(y_pred, tensorflow.Tensor) and getattr(y_pred, '_keras_mask', None) is not None:
            y_pred = tensorflow.identity(y_pred)  # which has the values and the gradient, and no mask
        return original(self, y_true, y_pred, sample_weight)

    kind.__call__ = __call__
    return 'tf_keras.losses.Loss.__call__'
