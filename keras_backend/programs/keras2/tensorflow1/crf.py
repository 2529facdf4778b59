"""`tf.contrib.crf`: linear conditional random fields (Lafferty et al., 2001).

The score of a sequence of tags is the sum of the inputs at its tags and of the transitions between neighbours. An
example ends at its length; the inputs behind it do not count.
"""

from typing import Any, List, Tuple

import numpy as np
import tensorflow.compat.v1 as tf


def _mask(lengths: Any, steps: Any, dtype: Any) -> Any:
    """Ones before the length of each example, zeros behind it."""
    return tf.sequence_mask(tf.maximum(lengths, 0), steps, dtype)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """The sum of the inputs at the tags.

    Args:
        tag_indices: The tags, integers of the shape (examples, steps).
        sequence_lengths: The number of steps of each example.
        inputs: Scores of the shape (examples, steps, tags).

    Returns:
        A score for each example.
    """
    inputs, tags = tf.convert_to_tensor(inputs), tf.convert_to_tensor(tag_indices)
    scores = tf.gather(inputs, tags, axis=2, batch_dims=2)
    return tf.reduce_sum(scores * _mask(sequence_lengths, tf.shape(tags)[1], scores.dtype), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The sum of the transitions between neighbours.

    Args:
        tag_indices: The tags, integers of the shape (examples, steps).
        sequence_lengths: The number of steps of each example.
        transition_params: The scores of all pairs of tags, of the shape (tags, tags).

    Returns:
        A score for each example.
    """
    tags, transitions = tf.convert_to_tensor(tag_indices), tf.convert_to_tensor(transition_params)
    scores = tf.gather_nd(transitions, tf.stack([tags[:, :-1], tags[:, 1:]], -1))
    lengths = tf.convert_to_tensor(sequence_lengths) - 1
    return tf.reduce_sum(scores * _mask(lengths, tf.shape(tags)[1] - 1, scores.dtype), 1)


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The score of a sequence of tags: `crf_unary_score` plus `crf_binary_score`, which have the arguments."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transition_params
    )


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The logarithm of the sum of exp(score) over all sequences of tags.

    Args:
        inputs: Scores of the shape (examples, steps, tags).
        sequence_lengths: The number of steps of each example; 0 gives 0.
        transition_params: The scores of all pairs of tags.

    Returns:
        A number for each example.
    """
    inputs, lengths = tf.convert_to_tensor(inputs), tf.convert_to_tensor(sequence_lengths)
    transitions = tf.convert_to_tensor(transition_params)

    def step(alphas: Any, element: Tuple[Any, Any]) -> Any:
        scores, number = element
        following = tf.reduce_logsumexp(alphas[:, :, tf.newaxis] + transitions, 1) + scores
        return _where(number < lengths, following, alphas)

    alphas = tf.foldl(step, _later(inputs, lengths), inputs[:, 0])
    norm = tf.reduce_logsumexp(alphas, 1)
    return tf.where(lengths > 0, norm, tf.zeros_like(norm))


def _later(inputs: Any, lengths: Any) -> Tuple[Any, Any]:
    """The steps behind the first, with their numbers."""
    steps = tf.transpose(inputs, (1, 0, 2))[1:]
    return steps, tf.range(1, 1 + tf.cast(tf.shape(steps)[0], lengths.dtype), dtype=lengths.dtype)


def _where(condition: Any, true: Any, false: Any) -> Any:
    """Rows of two matrices."""
    return tf.where(condition, true, false)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> Tuple[Any, Any]:
    """The logarithm of the probability of a sequence of tags.

    Args:
        inputs: Scores of the shape (examples, steps, tags).
        tag_indices: The tags.
        sequence_lengths: The number of steps of each example.
        transition_params: The scores of all pairs of tags; without them, a new variable `transitions`.

    Returns:
        A number for each example, and the scores of all pairs.
    """
    tags = inputs.get_shape().as_list()[2]
    if transition_params is None:
        transition_params = tf.get_variable('transitions', [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Tuple[Any, Any]:
    """The sequence of tags with the highest score, by the algorithm of Viterbi.

    Args:
        potentials: Scores of the shape (examples, steps, tags).
        transition_params: The scores of all pairs of tags.
        sequence_length: The number of steps of each example.

    Returns:
        The tags, int32 and 0 behind the length, and the score for each example.
    """
    inputs, lengths = tf.convert_to_tensor(potentials), tf.convert_to_tensor(sequence_length)
    transitions = tf.convert_to_tensor(transition_params)
    tags = tf.shape(inputs)[2]

    def forward(state: Tuple[Any, Any], element: Tuple[Any, Any]) -> Tuple[Any, Any]:
        scores, number = element
        through = state[0][:, :, tf.newaxis] + transitions
        inside = number < lengths
        best = _where(inside, tf.reduce_max(through, 1) + scores, state[0])
        same = tf.zeros_like(state[1]) + tf.range(tags)
        return best, _where(inside, tf.argmax(through, 1, output_type=tf.int32), same)

    first = inputs[:, 0]
    states = tf.scan(forward, _later(inputs, lengths), (first, tf.zeros(tf.shape(first), tf.int32)))
    last = tf.concat([first[tf.newaxis], states[0]], 0)[-1]
    end = tf.argmax(last, 1, output_type=tf.int32)
    before = tf.scan(lambda tag, pointers: tf.gather(pointers, tag, batch_dims=1), states[1], end, reverse=True)
    path = tf.transpose(tf.concat([before, end[tf.newaxis]], 0))
    path *= _mask(tf.maximum(lengths, 1), tf.shape(inputs)[1], tf.int32)
    path.set_shape(inputs.shape[:2])
    return path, tf.reduce_max(last, 1)


def viterbi_decode(score: Any, transition_params: Any) -> Tuple[List[int], Any]:
    """The same as `crf_decode` for arrays of NumPy and one example.

    Args:
        score: Scores of the shape (steps, tags).
        transition_params: The scores of all pairs of tags.

    Returns:
        The tags as a list, and the score.
    """
    best, pointers = np.array(score[0]), []
    for scores in score[1:]:
        through = best[:, np.newaxis] + transition_params
        pointers.append(through.argmax(0))
        best = scores + through.max(0)
    path = [int(best.argmax())]
    for pointer in reversed(pointers):
        path.append(int(pointer[path[-1]]))
    return path[::-1], best.max()
