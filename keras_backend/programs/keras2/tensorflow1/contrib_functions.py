"""Functions of `tf.contrib` without weights: initializers, regularizers, metrics, losses."""

import math
import numbers
from typing import Any, Callable, Optional, Sequence

import numpy as np

from ....basics.arguments import Given, taking
from .base import no_such_arguments
from .itself import tf
from .table import NAMES

# -- initializers ------------------------------------------------------------------------------------------------------
# `tf.contrib.layers.xavier_initializer` and `variance_scaling_initializer`.


Initializer = Callable[..., Any]


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = 'FAN_IN', uniform: bool = False, seed: Any = None, dtype: Any = tf.float32
) -> Initializer:
    """Random values whose variance is `factor / n`.

    Args:
        factor: See above; 2 is that of He et al., 2015 (https://arxiv.org/abs/1502.01852).
        mode: What n is: `'FAN_IN'`, `'FAN_OUT'` or `'FAN_AVG'`, their mean.
        uniform: Whether the values are uniform. Otherwise they are normal, without those beyond two deviations.
        seed: The seed.
        dtype: The dtype of the values.

    Returns:
        A function of a shape.

    Raises:
        TypeError: The mode is unknown, or the dtype is one of integers.
    """
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError(f'variance_scaling_initializer(dtype={dtype!r}): it has to be a dtype of floats; leave it out.')
    if mode not in ('FAN_IN', 'FAN_OUT', 'FAN_AVG'):
        raise TypeError(
            f"variance_scaling_initializer(mode={mode!r}): it can be 'FAN_IN', 'FAN_OUT' or 'FAN_AVG'; "
            'leave it out for FAN_IN.'
        )

    def initializer(shape: Sequence[Any], dtype: Any = dtype, partition_info: Any = None) -> Any:
        sizes = [int(size) for size in shape]
        space = int(np.prod(sizes[:-2], dtype=np.int64))
        fan_in = space * (sizes[-2] if len(sizes) > 1 else sizes[-1] if sizes else 1)
        fan_out = space * (sizes[-1] if sizes else 1)
        variance = factor / {'FAN_IN': fan_in, 'FAN_OUT': fan_out, 'FAN_AVG': (fan_in + fan_out) / 2}[mode]
        if uniform:
            limit = math.sqrt(3 * variance)
            return tf.random_uniform(sizes, -limit, limit, dtype, seed=seed)
        # Without values beyond two deviations, 1 / 1.3 of the variance is left.
        return tf.truncated_normal(sizes, 0.0, math.sqrt(1.3 * variance), dtype, seed=seed)

    return initializer


def xavier_initializer(uniform: bool = True, seed: Any = None, dtype: Any = tf.float32) -> Initializer:
    """Random values of Glorot and Bengio, 2010: the variance is 2 / (fan in + fan out).

    Args:
        uniform: Whether the values are uniform. Otherwise they are normal, without those beyond two deviations.
        seed: The seed.
        dtype: The dtype of the values.
    """
    return variance_scaling_initializer(1.0, 'FAN_AVG', uniform, seed, dtype)


# -- regularizers ------------------------------------------------------------------------------------------------------
# `tf.contrib.layers.l1_regularizer`, `l2_regularizer` and their like: functions of a tensor that give a loss.


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
    regularizers = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not regularizers:
        return None

    def loss(weights: Any) -> Any:
        with tf.name_scope(scope, 'sum_regularizer', [weights]) as name:
            losses = [value for value in (regularizer(weights) for regularizer in regularizers) if value is not None]
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
        losses = [value for value in (regularizer(weight) for weight in weights) if value is not None]
        total = tf.add_n(losses, name=scope) if losses else tf.constant(0.0, name=scope)
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, total)
        return total


# -- metrics -----------------------------------------------------------------------------------------------------------
# `tf.contrib.metrics`: the metrics of `tf.metrics` with the predictions before the labels.


def _streaming(function: Callable[..., Any]) -> Callable[..., Any]:
    def metric(predictions: Any, labels: Any, *args: Any, **kwargs: Any) -> Any:
        if not args:
            return function(labels, predictions, **kwargs)
        return function(labels, predictions, *args, **kwargs)

    metric.__name__ = metric.__qualname__ = f'streaming_{function.__name__}'
    metric.__doc__ = (
        f'`tf.metrics.{function.__name__}` with the predictions before the labels. Its result is the value and the '
        'operation that updates it.'
    )
    return metric


_IN_METRICS = NAMES['given']['contrib.metrics']['contrib_functions:'].replace('streaming_', '').split()
globals().update({f'streaming_{name}': _streaming(getattr(tf.metrics, name)) for name in _IN_METRICS})


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: Any = None) -> Any:
    """The share of the predictions that are equal to the labels, in this batch.

    Args:
        predictions: Predictions.
        labels: Labels, of the same dtype.
        weights: A weight for each.
        name: The name scope.

    Raises:
        ValueError: The dtypes differ.
    """
    if predictions.dtype != labels.dtype:
        raise ValueError(
            f'tf.contrib.metrics.accuracy: predictions are {predictions.dtype.name} and labels {labels.dtype.name}; '
            'use tf.cast.'
        )
    with tf.name_scope(name, 'accuracy', [predictions, labels]):
        equal = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(equal)
        factors = tf.cast(weights, tf.float32) + tf.zeros_like(equal)
        return tf.reduce_sum(equal * factors) / tf.reduce_sum(factors)


# -- losses ------------------------------------------------------------------------------------------------------------
# `tf.contrib.losses.metric_learning` and `tf.contrib.seq2seq.sequence_loss`.


def _squared_distances(x: Any) -> Any:
    """The squared distances of all pairs of rows. Those of a row to itself are 0."""
    products = tf.matmul(x, x, transpose_b=True)
    squares = tf.diag_part(products)
    distances = tf.maximum(squares[:, tf.newaxis] - 2 * products + squares[tf.newaxis], 0)
    return tf.matrix_set_diag(distances, tf.zeros_like(squares))


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """The loss of FaceNet (Schroff et al., 2015, https://arxiv.org/abs/1503.03832), with semi-hard negatives.

    For each pair with one label, the negative is the nearest row of another label that is farther away than the pair is
    wide; the farthest row, if there is none. The loss is the mean of max(0, margin + width of the pair - distance of
    the negative), with squared distances.

    Args:
        labels: An integer for each row.
        embeddings: The rows.
        margin: See above.
    """
    embeddings = tf.convert_to_tensor(embeddings)
    labels = tf.reshape(tf.convert_to_tensor(labels), (-1,))
    distances = _squared_distances(embeddings)
    same = tf.equal(labels[:, tf.newaxis], labels[tf.newaxis])
    other = tf.cast(~same, distances.dtype)

    # The first axis is the anchor, the second the positive, the third the negative.
    to_negative = distances[:, tf.newaxis] + tf.zeros_like(distances)[:, :, tf.newaxis]
    farther = tf.logical_and(~same[:, tf.newaxis], to_negative > distances[:, :, tf.newaxis])
    highest = tf.reduce_max(to_negative, 2, keepdims=True) + tf.zeros_like(to_negative)
    nearest = tf.reduce_min(tf.where(farther, to_negative, highest), 2)
    # The distances are not negative, so a product with 0 leaves the others out of a maximum.
    farthest = tf.reduce_max(distances * other, 1, keepdims=True)
    negative = tf.where(tf.reduce_any(farther, 2), nearest, farthest + tf.zeros_like(distances))

    positives = tf.cast(same, distances.dtype) - tf.eye(tf.shape(labels)[0], dtype=distances.dtype)
    losses = tf.maximum((margin + distances - negative) * positives, 0)
    return tf.divide(tf.reduce_sum(losses), tf.reduce_sum(positives), name='triplet_semihard_loss')


def contrastive_loss(labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0) -> Any:
    """The loss of Hadsell et al., 2006: the mean of d^2 for equal pairs and of max(0, margin - d)^2 for others.

    Args:
        labels: 1 for equal pairs, else 0.
        embeddings_anchor: The first of each pair.
        embeddings_positive: The second of each pair.
        margin: See above.
    """
    distances = tf.sqrt(tf.reduce_sum(tf.squared_difference(embeddings_anchor, embeddings_positive), 1))
    labels = tf.cast(labels, distances.dtype)
    losses = labels * tf.square(distances) + (1 - labels) * tf.square(tf.maximum(margin - distances, 0))
    return tf.reduce_mean(losses, name='contrastive_loss')


@taking(
    'logits, targets, weights, average_across_timesteps=True, average_across_batch=True, sum_over_timesteps=False, '
    'sum_over_batch=False, softmax_loss_function=None, name=None'
)
def sequence_loss(given: Given) -> Any:
    """The weighted cross-entropy of sequences.

    Args:
        logits: Of the shape (examples, steps, classes).
        targets: The classes, of the shape (examples, steps).
        weights: The weight of each step of each example.
        average_across_timesteps: Whether the result is the sum over the steps, divided by the sum of the weights.
        average_across_batch: The same over the examples.
        softmax_loss_function: A function of `labels` and `logits` in place of the cross-entropy of a softmax.
        name: The name scope.

    Raises:
        NotImplementedError: `sum_over_timesteps` or `sum_over_batch` is given.
        ValueError: The logits have another number of axes.
    """
    unknown = dict(sum_over_timesteps=given.sum_over_timesteps, sum_over_batch=given.sum_over_batch)
    no_such_arguments('tf.contrib.seq2seq.sequence_loss', **unknown)
    tensors = [tf.convert_to_tensor(values) for values in (given.logits, given.targets, given.weights)]
    logits, targets, weights = tensors
    if logits.shape.ndims != 3:
        raise ValueError(
            f'sequence_loss: logits need the axes (examples, steps, classes), and they are {logits.shape}; '
            'use tf.expand_dims for one example.'
        )
    with tf.name_scope(given.name, 'sequence_loss', tensors):
        labels, rows = tf.reshape(targets, (-1,)), tf.reshape(logits, (-1, tf.shape(logits)[2]))
        entropy = given.softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = tf.reshape(entropy(labels=labels, logits=rows), tf.shape(targets)) * weights
        averages = given.average_across_batch, given.average_across_timesteps
        axes = [axis for axis, averaged in enumerate(averages) if averaged]
        if not axes:
            return losses
        # A number that keeps 0 / 0 away, as in TensorFlow 1.
        return tf.reduce_sum(losses, axes) / (tf.reduce_sum(weights, axes) + 1e-12)
