"""Masks and sample weights of losses and metrics that have fewer axes than what they weigh.

tf.keras lets a mask of steps count for all that is in a step, and a weight of a sample for all of its steps. Keras 3
stops in both cases. Without a mask it stops, too, or, where a batch has as many samples as steps, it takes the weight
of a sample for that of a step.
"""

import functools
import weakref
from typing import Any, Callable, Dict, Tuple

from .classes_of_keras import owner


def masks_of_losses(keras: Any) -> str:
    """Let losses and metrics take masks of steps for larger outputs, and weights of samples beside a mask."""
    keras.Loss.__call__ = _of_one_rank(keras.Loss.__call__, _rank_of_losses)
    made = owner(keras.metrics.MeanMetricWrapper, 'update_state')
    made.update_state = _of_one_rank(made.update_state, lambda metric, y_true, y_pred: 0)
    return 'Loss.__call__, MeanMetricWrapper.update_state'


def _rank(tensor: Any) -> int:
    """How many axes a tensor has; 0 of what is none, or of a rank that TensorFlow does not know."""
    try:
        return len(tensor.shape)
    except (AttributeError, ValueError):  # no tensor, or one of unknown rank
        return 0


_RANKS: 'weakref.WeakKeyDictionary[Any, Dict[Tuple[int, int], int]]' = weakref.WeakKeyDictionary()


def _rank_of_losses(loss: Any, y_true: Any, y_pred: Any) -> int:
    """How many axes the losses have before they are weighed: a loss of a program may take any mean itself."""
    import keras

    known = _RANKS.setdefault(loss, {})
    ranks = (len(y_true.shape), len(y_pred.shape))
    if ranks not in known:
        pair = [keras.KerasTensor(x.shape, dtype=keras.backend.standardize_dtype(x.dtype)) for x in (y_true, y_pred)]
        try:
            known[ranks] = len(
                keras.layers.Lambda(lambda both: loss.call(*both), name='losses').compute_output_spec(pair).shape
            )
        except Exception:  # noqa: BLE001 - of any library: a loss that cannot be computed for shapes alone
            known[ranks] = len(y_pred.shape) - 1
    return known[ranks]


def _of_one_rank(original: Callable[..., Any], rank_of: Callable[[Any, Any, Any], int]) -> Callable[..., Any]:
    from keras import ops

    from ...engines.keras3_backend.vendor import give_mask, mask_of

    def spread(x: Any, shape: Any) -> Any:
        missing = (1,) * (len(shape) - len(x.shape))
        # A copy: Keras multiplies it in place, and PyTorch refuses that for numbers that share memory.
        return ops.copy(ops.broadcast_to(ops.reshape(x, (*ops.shape(x), *missing)), shape))

    @functools.wraps(original)
    def method(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        mask = mask_of(y_pred) if hasattr(y_pred, 'shape') else None
        if mask is None:
            axes = _rank(sample_weight)
            if 0 < axes < _rank(y_pred) and _rank(y_true):
                missing = max(0, rank_of(self, y_true, y_pred) - axes)
                sample_weight = ops.reshape(sample_weight, (*ops.shape(sample_weight), *(1,) * missing))
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
