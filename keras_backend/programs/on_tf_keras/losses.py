"""Losses as TensorFlow before 2.11 computed them: the mean of a masked loss divides by all steps."""

import functools
from importlib import import_module
from types import SimpleNamespace
from typing import Any

# The trainer of graphs, which applies masks itself.
_GRAPHS = 'tf_keras.src.engine.training_v1'


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
    trainer: Any = import_module(_GRAPHS)
    utilities = trainer.losses_utils

    def apply_valid_mask(losses: Any, sw: Any, mask: Any, reduction: Any) -> Any:
        return utilities.apply_valid_mask(losses, sw, mask, 'none')  # of all steps, whatever the reduction

    trainer.losses_utils = SimpleNamespace(**{**vars(utilities), 'apply_valid_mask': apply_valid_mask})
    return f'tf_keras.losses.Loss.__call__, {_GRAPHS}'
