"""The mask of the predictions in a training step on JAX.

Keras on JAX takes the gradients of a function of arrays, and computes the metrics afterwards. The mask, which Keras
keeps beside a tensor, does not leave this function: metrics of `fit` count the steps that are masked, and those of
`evaluate` do not.
"""

import functools
from typing import Any, Callable, List

from .classes_of_keras import owner


def masks_of_steps(keras: Any) -> str:
    """Let the metrics of `fit` and `train_on_batch` leave masked steps out on JAX, too."""
    if keras.config.backend() != 'jax' or not hasattr(keras.Model, 'compute_loss_and_updates'):
        return ''
    import jax

    jax.tree_util.register_pytree_node(
        _Masked, lambda x: ((x.values, x.masks), None), lambda _, children: _Masked(*children)
    )
    made = owner(keras.Model, 'compute_loss_and_updates')
    made.compute_loss_and_updates = _keeping(made.compute_loss_and_updates)
    made = owner(keras.Model, 'compute_metrics')
    made.compute_metrics = _given_back(made.compute_metrics)
    return 'Model.compute_loss_and_updates, Model.compute_metrics'


class _Masked:
    """Predictions with their masks, which JAX hands on as it does a tuple."""

    def __init__(self, values: Any, masks: List[Any]) -> None:
        self.values, self.masks = values, masks


def _keeping(original: Callable[..., Any]) -> Callable[..., Any]:
    import keras

    from ...engines.keras3_backend.vendor import mask_of

    @functools.wraps(original)
    def compute_loss_and_updates(self: Any, *args: Any, **kwargs: Any) -> Any:
        loss, others = original(self, *args, **kwargs)
        _, predictions, *_ = others
        masks = [mask_of(each) for each in keras.tree.flatten(predictions)]
        if any(mask is not None for mask in masks):
            others = (others[0], _Masked(predictions, masks), *others[2:])
        return loss, others

    return compute_loss_and_updates


def _given_back(original: Callable[..., Any]) -> Callable[..., Any]:
    import keras

    from ...engines.keras3_backend.vendor import give_mask

    @functools.wraps(original)
    def compute_metrics(self: Any, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        if isinstance(y_pred, _Masked):
            for each, mask in zip(keras.tree.flatten(y_pred.values), y_pred.masks):
                give_mask(each, mask)
            y_pred = y_pred.values
        return original(self, x, y, y_pred, sample_weight=sample_weight)

    return compute_metrics
