"""Masks and sample weights of losses and metrics that have fewer axes than what they weigh.

tf.keras lets a mask of steps count for all that is in a step, and a weight of a sample for all of its steps. Keras 3
stops in both cases. On JAX and PyTorch, weights of samples beside a mask still stop with an error.
"""

import functools
from typing import Any, Callable

from .classes_of_keras import owner


def masks_of_losses(keras: Any) -> str:
    """Let losses and metrics take masks of steps for larger outputs, and weights of samples beside a mask."""
    keras.Loss.__call__ = _of_one_rank(keras.Loss.__call__)
    made = owner(keras.metrics.MeanMetricWrapper, 'update_state')
    made.update_state = _of_one_rank(made.update_state)
    return 'Loss.__call__, MeanMetricWrapper.update_state'


def _of_one_rank(original: Callable[..., Any]) -> Callable[..., Any]:
    from keras import ops

    from ..engines.keras3_backend.vendor import give_mask, mask_of

    @functools.wraps(original)
    def method(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        mask = mask_of(y_pred) if hasattr(y_pred, 'shape') else None
        if mask is None:
            return original(self, y_true, y_pred, sample_weight)
        rank, wide = len(mask.shape), mask
        if rank < len(y_pred.shape) - 1:
            missing = (1,) * (len(y_pred.shape) - 1 - rank)
            wide = ops.reshape(mask, (*ops.shape(mask), *missing))
            wide = ops.broadcast_to(wide, ops.shape(y_pred)[:-1])
        weights = sample_weight
        if weights is not None and 0 < len(weights.shape) < len(wide.shape):
            missing = (1,) * (len(wide.shape) - len(weights.shape))
            weights = ops.broadcast_to(ops.reshape(weights, (*ops.shape(weights), *missing)), ops.shape(wide))
        if wide is mask and weights is sample_weight:
            return original(self, y_true, y_pred, sample_weight)
        if wide is mask:
            return original(self, y_true, y_pred, weights)
        give_mask(y_pred, wide)
        try:
            return original(self, y_true, y_pred, weights)
        finally:
            give_mask(y_pred, mask)

    return method
