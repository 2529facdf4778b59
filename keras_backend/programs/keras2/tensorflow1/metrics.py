"""`tf.contrib.metrics`: the metrics of `tf.metrics` with the predictions before the labels."""

from typing import Any, Callable

import tensorflow.compat.v1 as tf


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


streaming_accuracy = _streaming(tf.metrics.accuracy)
streaming_auc = _streaming(tf.metrics.auc)
streaming_false_negatives = _streaming(tf.metrics.false_negatives)
streaming_false_positives = _streaming(tf.metrics.false_positives)
streaming_mean_absolute_error = _streaming(tf.metrics.mean_absolute_error)
streaming_mean_cosine_distance = _streaming(tf.metrics.mean_cosine_distance)
streaming_mean_iou = _streaming(tf.metrics.mean_iou)
streaming_mean_relative_error = _streaming(tf.metrics.mean_relative_error)
streaming_mean_squared_error = _streaming(tf.metrics.mean_squared_error)
streaming_precision = _streaming(tf.metrics.precision)
streaming_recall = _streaming(tf.metrics.recall)
streaming_root_mean_squared_error = _streaming(tf.metrics.root_mean_squared_error)
streaming_sensitivity_at_specificity = _streaming(tf.metrics.sensitivity_at_specificity)
streaming_specificity_at_sensitivity = _streaming(tf.metrics.specificity_at_sensitivity)
streaming_true_negatives = _streaming(tf.metrics.true_negatives)
streaming_true_positives = _streaming(tf.metrics.true_positives)


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
