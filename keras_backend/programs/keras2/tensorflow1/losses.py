"""`tf.contrib.losses.metric_learning` and `tf.contrib.seq2seq.sequence_loss`."""

from typing import Any, Callable, Optional

import tensorflow.compat.v1 as tf

from .base import no_such_arguments


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


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
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
    no_such_arguments(
        'tf.contrib.seq2seq.sequence_loss', sum_over_timesteps=sum_over_timesteps, sum_over_batch=sum_over_batch
    )
    logits, targets, weights = (tf.convert_to_tensor(each) for each in (logits, targets, weights))
    if logits.shape.ndims != 3:
        raise ValueError(
            f'sequence_loss: logits need the axes (examples, steps, classes), and they are {logits.shape}; '
            'use tf.expand_dims for one example.'
        )
    with tf.name_scope(name, 'sequence_loss', [logits, targets, weights]):
        labels, rows = tf.reshape(targets, (-1,)), tf.reshape(logits, (-1, tf.shape(logits)[2]))
        entropy = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = tf.reshape(entropy(labels=labels, logits=rows), tf.shape(targets)) * weights
        axes = [axis for axis, wanted in enumerate((average_across_batch, average_across_timesteps)) if wanted]
        if not axes:
            return losses
        # A number that keeps 0 / 0 away, as in TensorFlow 1.
        return tf.reduce_sum(losses, axes) / (tf.reduce_sum(weights, axes) + 1e-12)
