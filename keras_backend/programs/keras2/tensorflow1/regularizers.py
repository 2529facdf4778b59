"""`tf.contrib.layers.l1_regularizer`, `l2_regularizer` and their like: functions of a tensor that give a loss."""

import numbers
from typing import Any, Callable, Optional, Sequence

import tensorflow.compat.v1 as tf

Regularizer = Callable[[Any], Any]


def _checked(scale: Any, function: str) -> float:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f'{function}(scale={scale!r}): it cannot be an integer; write {float(scale)!r}.')
    if scale < 0:
        raise ValueError(f'{function}(scale={scale!r}): it has to be at least 0; write {-scale!r}.')
    return float(scale)


def l1_regularizer(scale: float, scope: Optional[str] = None) -> Regularizer:
    """`scale` times the sum of the absolute values. With the scale 0 there is no loss."""
    factor = _checked(scale, 'l1_regularizer')

    def loss(weights: Any) -> Any:
        with tf.name_scope(scope, 'l1_regularizer', [weights]) as name:
            return tf.multiply(tf.cast(factor, weights.dtype.base_dtype), tf.reduce_sum(tf.abs(weights)), name=name)

    return loss if factor else _no_loss


def l2_regularizer(scale: float, scope: Optional[str] = None) -> Regularizer:
    """`scale` times half the sum of the squares. With the scale 0 there is no loss."""
    factor = _checked(scale, 'l2_regularizer')

    def loss(weights: Any) -> Any:
        with tf.name_scope(scope, 'l2_regularizer', [weights]) as name:
            return tf.multiply(tf.cast(factor, weights.dtype.base_dtype), tf.nn.l2_loss(weights), name=name)

    return loss if factor else _no_loss


def _no_loss(weights: Any) -> None:
    return None


def l1_l2_regularizer(scale_l1: float = 1.0, scale_l2: float = 1.0, scope: Optional[str] = None) -> Regularizer:
    """The sum of `l1_regularizer(scale_l1)` and `l2_regularizer(scale_l2)`."""
    both = [l1_regularizer(scale_l1), l2_regularizer(scale_l2)]
    return sum_regularizer(both, scope or 'l1_l2_regularizer') or _no_loss


def sum_regularizer(regularizer_list: Sequence[Optional[Regularizer]], scope: Optional[str] = None) -> Any:
    """The sum of regularizers; None if there are none."""
    regularizers = [each for each in regularizer_list if each is not None]
    if not regularizers:
        return None

    def loss(weights: Any) -> Any:
        with tf.name_scope(scope, 'sum_regularizer', [weights]) as name:
            losses = [value for value in (each(weights) for each in regularizers) if value is not None]
            return tf.add_n(losses, name=name) if losses else None

    return loss


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Any:
    """The sum of the losses of variables. It is collected in `tf.GraphKeys.REGULARIZATION_LOSSES`.

    Args:
        regularizer: A function of a tensor that gives a loss.
        weights_list: The variables; without them, those in the collection `tf.GraphKeys.WEIGHTS`.

    Raises:
        ValueError: There are no variables.
    """
    weights = tf.get_collection(tf.GraphKeys.WEIGHTS) if not weights_list else weights_list
    if not weights:
        raise ValueError('apply_regularization: there are no weights; give them in weights_list.')
    with tf.name_scope('get_regularization_penalty', values=weights) as scope:
        losses = [value for value in (regularizer(each) for each in weights) if value is not None]
        total = tf.add_n(losses, name=scope) if losses else tf.constant(0.0, name=scope)
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, total)
        return total
