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

    def spread(x: Any, shape: Any) -> Any:
        missing = (1,) * (len(shape) - len(x.shape))
        return ops.broadcast_to(ops.reshape(x, (*ops.shape(x), *missing)), shape)

    @functools.wraps(original)
    def method(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        mask = mask_of(y_pred) if hasattr(y_pred, 'shape') else None
        if mask is None:
            return original(self, y_true, y_pred, sample_weight)
        wide, weights = mask, sample_weight
        if len(mask.shape) < len(y_pred.shape) - 1:
            wide = spread(mask, ops.shape(y_pred)[:-1])
        if weights is not None and 0 < len(weights.shape) < len(wide.shape):
            weights = spread(weights, ops.shape(wide))
        if wide is mask:
            return original(self, y_true, y_pred, weights)
        give_mask(y_pred, wide)
        try:
            return original(self, y_true, y_pred, weights)
        finally:
            give_mask(y_pred, mask)

    return method
