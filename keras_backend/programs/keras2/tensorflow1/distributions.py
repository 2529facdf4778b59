"""`tf.contrib.distributions`: what `tf.compat.v1.distributions` lacks; all else is that of TensorFlow Probability."""

from importlib import import_module
from typing import Any, List, Optional, Tuple

import numpy as np

from .itself import tf

tfd: Any = tf.distributions


class MultivariateNormalDiag(tf.distributions.Distribution):
    """A normal distribution of vectors whose elements are independent.

    Args:
        loc: The mean; without it, 0.
        scale_diag: The deviation of each element; without it, 1.
        scale_identity_multiplier: A number that is added to all deviations; alone, it is the deviation.
        validate_args: Whether the deviations are checked.
        allow_nan_stats: As for all distributions.
        name: The name scope.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = 'MultivariateNormalDiag',
    ) -> None:
        parameters = dict(locals())
        if loc is None and scale_diag is None:
            raise ValueError('MultivariateNormalDiag: give loc, the mean, or scale_diag, the deviations.')
        with tf.name_scope(name):
            given = [tf.convert_to_tensor(each) for each in (loc, scale_diag) if each is not None]
            mean = given[0] if loc is not None else tf.zeros_like(given[0])
            if scale_diag is not None:
                deviation = given[-1]
                if scale_identity_multiplier is not None:
                    deviation += tf.convert_to_tensor(scale_identity_multiplier, deviation.dtype)[..., tf.newaxis]
            elif scale_identity_multiplier is not None:
                multiplier = tf.convert_to_tensor(scale_identity_multiplier, mean.dtype)
                deviation = tf.ones_like(mean) * multiplier[..., tf.newaxis]
            else:
                deviation = tf.ones_like(mean)
            if validate_args:
                with tf.control_dependencies([tf.debugging.assert_none_equal(deviation, tf.zeros([], mean.dtype))]):
                    deviation = tf.identity(deviation)
            self.loc = mean + tf.zeros_like(deviation)
            self._deviation = deviation + tf.zeros_like(mean)
        super().__init__(
            dtype=self.loc.dtype,
            reparameterization_type=tfd.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self.loc, self._deviation],
            name=name,
        )

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.loc)[:-1]

    def _batch_shape(self) -> Any:
        return self.loc.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        return tf.shape(self.loc)[-1:]

    def _event_shape(self) -> Any:
        return self.loc.shape[-1:]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        noise = tf.random_normal(tf.concat([[n], tf.shape(self.loc)], 0), dtype=self.dtype, seed=seed)
        return self.loc + self._deviation * noise

    def _log_prob(self, x: Any) -> Any:
        # The sum of the logarithms of the densities of the elements.
        distance = (x - self.loc) / self._deviation
        constant = np.asarray(0.5 * np.log(2 * np.pi), self.dtype.as_numpy_dtype)
        return -tf.reduce_sum(0.5 * tf.square(distance) + constant + tf.log(tf.abs(self._deviation)), -1)

    def _prob(self, x: Any) -> Any:
        return tf.exp(self._log_prob(x))

    def _entropy(self) -> Any:
        constant = np.asarray(0.5 * np.log(2 * np.pi * np.e), self.dtype.as_numpy_dtype)
        return tf.reduce_sum(constant + tf.log(tf.abs(self._deviation)), -1)

    def _mean(self) -> Any:
        return tf.identity(self.loc)

    def _mode(self) -> Any:
        return self._mean()

    def _variance(self) -> Any:
        return tf.square(self._deviation)

    def _stddev(self) -> Any:
        return tf.abs(self._deviation)

    def _covariance(self) -> Any:
        return tf.matrix_diag(self._variance())


@tfd.RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _divergence(a: Any, b: Any, name: Optional[str] = None) -> Any:
    # The sum of the divergences of the elements: of the normal distributions (m, s) and (n, t), this is
    # log(t / s) + (s^2 + (m - n)^2) / (2 t^2) - 1/2.
    with tf.name_scope(name, 'kl_mvn', [a.loc, b.loc]):
        ratio = tf.square(a.stddev() / b.stddev())
        distance = tf.square((a.loc - b.loc) / b.stddev())
        return 0.5 * tf.reduce_sum(ratio + distance - 1 - tf.log(ratio), -1)


class NormalWithSoftplusScale(tf.distributions.Normal):
    """A normal distribution whose deviation is the softplus of `scale`."""

    def __init__(self, loc: Any, scale: Any, name: str = 'NormalWithSoftplusScale', **kwargs: Any) -> None:
        super().__init__(loc, tf.nn.softplus(scale), name=name, **kwargs)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """A normal distribution of vectors whose deviations are the softplus of `scale_diag`."""

    def __init__(
        self, loc: Any, scale_diag: Any, name: str = 'MultivariateNormalDiagWithSoftplusScale', **kwargs: Any
    ) -> None:
        super().__init__(loc, tf.nn.softplus(scale_diag), name=name, **kwargs)


def softplus_inverse(x: Any, name: Optional[str] = None) -> Any:
    """The number whose softplus is x: log(exp(x) - 1)."""
    return tf.identity(x + tf.log(-tf.expm1(-tf.convert_to_tensor(x))), name=name)


def kl_divergence(distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: Any = None) -> Any:
    """The divergence of Kullback and Leibler, also for distributions of TensorFlow Probability."""
    if isinstance(distribution_a, tfd.Distribution):
        return tfd.kl_divergence(distribution_a, distribution_b, allow_nan_stats, name)
    other = import_module('tensorflow_probability').distributions
    return other.kl_divergence(distribution_a, distribution_b, allow_nan_stats, name)


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    interpolation: Optional[str] = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Any:
    """The number that q percent of the numbers do not exceed.

    Args:
        x: Numbers.
        q: A percentage, one number.
        axis: The axes over which to sort, one or several; without it, all.
        interpolation: `'nearest'`, `'lower'` or `'higher'`: the number, if q lies between two; without it, the nearest.
        keep_dims: Whether these axes stay, with the size 1.
        validate_args: Whether q is checked when it runs.
        name: The name scope.

    Raises:
        ValueError: The interpolation is unknown.
    """
    rounding = {None: tf.round, 'nearest': tf.round, 'lower': tf.ceil, 'higher': tf.floor}.get(interpolation)
    if rounding is None:
        raise ValueError(
            f"percentile(interpolation={interpolation!r}): it can be 'nearest', 'lower' or 'higher'; "
            'leave it out for nearest.'
        )
    with tf.name_scope(name, 'percentile', [x, q]):
        x = tf.convert_to_tensor(x)
        rank = x.shape.ndims
        axes = range(rank) if axis is None else [dimension % rank for dimension in np.atleast_1d(axis)]
        rest = [dimension for dimension in range(rank) if dimension not in axes]
        shape = tf.shape(x)
        rows = tf.transpose(x, rest + list(axes))
        rows = tf.reshape(rows, tf.stack([shape[dimension] for dimension in rest] + [-1]))
        count = tf.shape(rows)[-1]
        # TensorFlow 1 counts from the largest number. This matters where q lies in the middle of two.
        share = 1 - tf.cast(tf.convert_to_tensor(q), tf.float64) / 100
        if validate_args:
            with tf.control_dependencies([tf.assert_non_negative(share), tf.assert_non_negative(1 - share)]):
                share = tf.identity(share)
        index = tf.cast(rounding(share * tf.cast(count - 1, tf.float64)), tf.int32)
        index = tf.clip_by_value(index, 0, count - 1)
        result = tf.gather(tf.sort(rows, direction='DESCENDING'), index, axis=-1)
        if keep_dims:
            kept = tf.reduce_sum(tf.one_hot(list(axes), rank, dtype=tf.int32), 0)
            result = tf.reshape(result, tf.where(kept > 0, tf.ones_like(shape), shape))
            result.set_shape([1 if dimension in axes else size for dimension, size in enumerate(x.shape.as_list())])
        return result


# -- conditional random fields -----------------------------------------------------------------------------------------
# `tf.contrib.crf`: linear conditional random fields (Lafferty et al., 2001).
#
# The score of a sequence of tags is the sum of the inputs at its tags and of the transitions between neighbours. An
# example ends at its length; the inputs behind it do not count.


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
