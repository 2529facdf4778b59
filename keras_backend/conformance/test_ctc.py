"""CTC compared with the enumeration of all paths."""

import numpy as np
import pytest

from . import truth
from ._check import close, covers, random


def probabilities(samples, steps, classes, seed=0, dtype='float64'):
    y = np.exp(random((samples, steps, classes), seed, low=-2.0, high=2.0))
    return (y / y.sum(-1, keepdims=True)).astype(dtype)


# Labels, input lengths, label lengths. The values beyond a length are arbitrary.
Y = probabilities(7, 5, 3)
LABELS = np.array([[0, 1, 0], [0, 0, 1], [1, 9, 9], [1, 1, 1], [0, 1, 1], [9, -1, 9], [0, 1, 0]])
INPUT_LENGTHS = np.array([[5], [5], [4], [5], [3], [4], [3]])
LABEL_LENGTHS = np.array([[3], [2], [1], [3], [2], [0], [3]])


@covers('ctc_batch_cost')
@pytest.mark.parametrize('label_dtype', ['int32', 'int64', 'float32'])
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_cost(K, check, dtype, label_dtype):
    """Minus log of the sum over all paths, for labels with repetitions, empty ones, and ones that just fit."""
    y = Y.astype(dtype)
    value = check.eval(
        K.ctc_batch_cost, LABELS.astype(label_dtype), y, INPUT_LENGTHS.astype('int32'), LABEL_LENGTHS.astype('int64')
    )
    assert value.dtype.name == dtype
    close(
        value, truth.batch_cost(LABELS, y, INPUT_LENGTHS, LABEL_LENGTHS), tolerance=1e-5 if dtype == 'float32' else None
    )


@covers('ctc_batch_cost')
def test_cost_of_unknown_sizes(K):
    """One function takes any number of samples, steps and labels. The result is (samples, 1)."""
    labels, y = K.placeholder((None, None), dtype='int32'), K.placeholder((None, None, 4))
    n, m = K.placeholder((None, 1), dtype='int32'), K.placeholder((None, 1), dtype='int32')
    cost = K.ctc_batch_cost(labels, y, n, m)
    assert K.ndim(cost) == 2
    assert K.int_shape(cost)[1] in (1, None)
    function = K.function([labels, y, n, m], [cost])
    for samples, steps, width in [(2, 4, 2), (1, 1, 1), (3, 5, 3), (2, 4, 2)]:
        array = probabilities(samples, steps, 4, seed=steps, dtype='float32')
        target = np.random.RandomState(steps).randint(0, 3, (samples, width))
        lengths, widths = np.full((samples, 1), steps), np.arange(samples)[:, None] % (width + 1)
        close(function([target, array, lengths, widths])[0], truth.batch_cost(target, array, lengths, widths))


@covers('ctc_batch_cost', 'gradients')
def test_labels_that_do_not_fit(K, check):
    """A label that is longer than its input costs inf. Its gradient is 0, and the other samples are not affected."""
    y = probabilities(3, 3, 3).astype('float32')
    labels = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 1]])
    lengths, widths = np.array([[3], [3], [2]]), np.array([[3], [2], [3]])
    x = check.placeholder(y)
    cost = K.ctc_batch_cost(
        K.constant(labels, dtype='int32'), x, K.constant(lengths, dtype='int32'), K.constant(widths, dtype='int32')
    )
    value, gradient = check.run([cost, K.gradients(cost, [x])[0]], [(x, y)])
    close(value, truth.batch_cost(labels, y, lengths, widths))
    assert np.isinf(value[[0, 2], 0]).all()
    assert np.isfinite(value[1, 0])
    assert (gradient[[0, 2]] == 0).all()
    assert np.isfinite(gradient).all()
    assert (gradient[1] != 0).any()


@covers('ctc_batch_cost', 'ctc_decode')
def test_input_lengths_beyond_the_steps(K, check):
    """They count as all steps, in the cost, in both decoders, and where it is decided whether a label fits."""
    y = probabilities(3, 3, 3).astype('float32')
    labels, widths = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1]], 'int32'), np.array([[3], [2], [3]], 'int32')
    steps, beyond = np.array([[3], [3], [3]], 'int32'), np.array([[4], [9], [100]], 'int32')
    value = check.eval(K.ctc_batch_cost, labels, y, beyond, widths)
    close(value, truth.batch_cost(labels, y, steps, widths), tolerance=1e-5)
    assert np.isinf(value[2, 0])
    for greedy in (True, False):
        decoded, expected = [
            K.ctc_decode(K.constant(y), K.constant(lengths[:, 0], dtype='int32'), greedy=greedy)
            for lengths in (beyond, steps)
        ]
        assert (K.eval(expected[0][0]) == K.eval(decoded[0][0])).all()
        close(K.eval(decoded[1]), K.eval(expected[1]))


# Labels of 3 characters and the blank 3, their lengths, and the costs that Keras 2.3.1 gives on TensorFlow 1.15. A cost
# is None if it stops with an error, or if nothing is left of the label (its kernel then writes outside of its memory).
BLANK = 3
BLANKS = [
    ([0, BLANK, BLANK], 3, 4.511011123657227),
    ([0, BLANK, 1], 2, 4.511011123657227),
    ([0, 4, 9], 3, 4.511011123657227),
    ([0, 0, BLANK], 3, 4.787024021148682),
    ([1, 0, BLANK], 3, 3.6530978679656982),
    ([0, 1, 0], 3, 4.692859172821045),
    ([BLANK, BLANK, 1], 2, None),
    ([BLANK, 0, 0], 1, None),
    ([5, 3, 3], 3, None),
    ([BLANK, 0, 0], 2, None),
    ([0, BLANK, 1], 3, None),
    ([0, BLANK, -1], 3, None),
    ([0, -1, BLANK], 3, None),
]


@covers('ctc_batch_cost', 'gradients')
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_a_blank_ends_the_label(K, check, dtype):
    """The first blank, or a number beyond it, ends the label. A character after it costs inf, with a gradient of 0."""
    y = np.random.RandomState(0).uniform(0, 1, (2, 5, 4)).astype('float32')[:1]
    y = np.tile(y / y.sum(-1, keepdims=True), (len(BLANKS), 1, 1)).astype(dtype)
    labels, widths = np.array([label for label, _n, _cost in BLANKS]), np.array([[n] for _label, n, _cost in BLANKS])
    lengths = np.full((len(BLANKS), 1), 5)
    x = check.placeholder(y, (0, 1))
    cost = K.ctc_batch_cost(
        K.constant(labels), x, K.constant(lengths, dtype='int32'), K.constant(widths, dtype='int32')
    )
    value, gradient = check.run([cost, K.gradients(cost, [x])[0]], [(x, y)])
    expected = truth.batch_cost(labels, y, lengths, widths)
    close(value, expected, tolerance=1e-5)
    for (_label, _n, measured), computed in zip(BLANKS, value[:, 0]):
        assert measured is None or abs(computed - measured) < 1e-4
    assert np.isinf(expected[-4:]).all()
    assert np.isfinite(expected[:-4]).all()
    assert np.isfinite(gradient).all()
    assert (gradient[-4:] == 0).all()
    assert (gradient[:-4] != 0).any(axis=(1, 2)).all()


@covers('ctc_batch_cost', 'gradients')
def test_gradient_of_a_label_that_a_blank_ends(K, check):
    """The gradient equals finite differences, also for a label that is only a blank."""
    labels, lengths, widths = [[0, 2, 2], [2, 2, 2], [1, 0, 2]], [[5], [4], [5]], [[3], [1], [3]]

    def build(y):
        return K.ctc_batch_cost(
            *[K.constant(labels, dtype='int32'), y] + [K.constant(v, dtype='int32') for v in (lengths, widths)]
        )

    check.gradients(build, Y[:3], second=False)


@covers('ctc_batch_cost')
def test_cost_of_certainties(K, check):
    """Probabilities of exactly 0 and 1 give no NaN, by the epsilon at the time of the call."""
    y = np.array([[[0, 0, 1], [1, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]], 'float32')
    labels, lengths, widths = np.array([[0, 1], [0, 1]]), np.array([[3], [3]]), np.array([[2], [2]])
    for eps in (1e-7, 1e-2):
        K.set_epsilon(eps)
        value = check.eval(
            lambda y: K.ctc_batch_cost(
                *[K.constant(labels, dtype='int32'), y] + [K.constant(v, dtype='int32') for v in (lengths, widths)]
            ),
            y,
        )
        close(value, truth.batch_cost(labels, y, lengths, widths, eps), scale=1)


@covers('ctc_batch_cost')
def test_cost_of_a_long_sequence(K, check):
    """Hundreds of steps do not underflow."""
    y = np.full((1, 400, 3), 1 / 3.0, 'float32')
    value = check.eval(
        lambda y: K.ctc_batch_cost(
            *[K.constant([[0, 1]], dtype='int32'), y] + [K.constant(v, dtype='int32') for v in ([[400]], [[2]])]
        ),
        y,
    )
    close(value, [[400 * np.log(3.0) - np.log(_ways(400))]])


def _ways(steps):
    """The exact number of paths of the labelling (0, 1), counted by transitions between its five extended states."""
    counts = [1, 1, 0, 0, 0]
    for _ in range(steps - 1):
        a, b, c, d, e = counts
        counts = [a, a + b, b + c, b + c + d, d + e]
    return float(counts[3] + counts[4])


@covers('ctc_batch_cost', 'gradients')
def test_gradient(K, check):
    """The gradient by the predictions equals finite differences."""

    def build(y):
        return K.ctc_batch_cost(
            K.constant(LABELS[:3], dtype='int32'),
            y,
            K.constant(INPUT_LENGTHS[:3], dtype='int32'),
            K.constant(LABEL_LENGTHS[:3], dtype='int32'),
        )

    check.gradients(build, Y[:3], second=False)


# -- decoding --------------------------------------------------------------------------------------------------------
@covers('ctc_decode')
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_greedy(K, check, dtype):
    """Repeated labels are merged, blanks dropped, paths padded with -1. The scores are negated logs, (samples, 1)."""
    y = probabilities(6, 6, 3, seed=3, dtype=dtype)
    y[0, :, 2] = 5.0  # only blanks
    y[0] /= y[0].sum(-1, keepdims=True)
    lengths = np.array([6, 6, 5, 4, 1, 2], 'int32')
    paths, sums = truth.greedy(y, lengths)
    p, n = check.placeholder(y, (0, 1)), check.placeholder(lengths, (0,))
    decoded, scores = K.ctc_decode(p, n)
    assert isinstance(decoded, list)
    assert len(decoded) == 1
    values = check.run([decoded[0], scores], [(p, y), (n, lengths)])
    assert values[0].dtype.name == 'int64'
    assert values[0].tolist() == paths.tolist()
    assert values[1].dtype.name == dtype
    close(values[1], sums)


@covers('ctc_decode')
def test_greedy_of_blanks_only(K, check):
    """If no sample holds a label, the paths are of length 0."""
    y = np.tile(np.array([0.1, 0.1, 0.8], 'float32'), (2, 3, 1))
    value = check.eval(lambda y, n: K.ctc_decode(y, n, greedy=True)[0][0], y, np.array([3, 2], 'int32'))
    assert value.shape == (2, 0)
    assert value.dtype.name == 'int64'


@covers('ctc_decode')
@pytest.mark.parametrize('merge_repeated', [False, True])
@pytest.mark.parametrize('top_paths', [1, 3])
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_beam(K, check, dtype, top_paths, merge_repeated):
    """A beam that is wide enough finds the most probable labellings with their log probabilities, best first."""
    y = probabilities(5, 4, 3, seed=5, dtype=dtype)
    lengths = np.array([4, 4, 3, 2, 4], 'int32')
    paths, scores = truth.beam(y, lengths, top_paths, merge_repeated)
    p, n = check.placeholder(y, (0, 1)), check.placeholder(lengths, (0,))
    decoded, logs = K.ctc_decode(p, n, greedy=False, beam_width=100, top_paths=top_paths, merge_repeated=merge_repeated)
    assert isinstance(decoded, list)
    assert len(decoded) == top_paths
    values = check.run(decoded + [logs], [(p, y), (n, lengths)])
    for value, expected in zip(values, paths):
        assert value.dtype.name == 'int64'
        assert value.tolist() == expected.tolist()
    assert values[-1].dtype.name == dtype
    close(values[-1], scores)
    assert (np.diff(values[-1], axis=1) <= 0).all()


@covers('ctc_decode')
def test_beam_finds_what_greed_misses(K, check):
    """The beam finds a labelling that is more probable than the one with the best single path."""
    y = np.array([[[0.4, 0.0, 0.6], [0.4, 0.0, 0.6]]], 'float32')  # blank blank: 0.36; label 0 in three ways: 0.64
    lengths = np.array([2], 'int32')
    greedy, beam = check.eval(
        lambda y, n: (K.ctc_decode(y, n)[0][0], K.ctc_decode(y, n, greedy=False, beam_width=4)[0][0]), y, lengths
    )
    assert greedy.tolist() == [[]]
    assert beam.tolist() == [[0]]


@covers('ctc_decode')
def test_fewer_sequences_than_asked_for(K, check):
    """If fewer sequences exist, the rest are empty with probability 0. Other samples keep their sequences."""
    y = probabilities(2, 3, 2, seed=6)
    lengths = np.array([1, 3], 'int32')  # one step has two sequences: the label, or nothing
    p, n = check.placeholder(y), check.placeholder(lengths)
    decoded, logs = K.ctc_decode(p, n, greedy=False, beam_width=10, top_paths=3)
    values = check.run(decoded + [logs], [(p, y), (n, lengths)])
    existing, scores = truth.beam(y[1:], lengths[1:], 3)
    assert np.isneginf(values[-1][0, 2])
    assert (values[2][0] == -1).all()
    close(values[-1][1], scores[0])
    assert [[label for label in v[1] if label >= 0] for v in values[:3]] == [
        [label for label in e[0] if label >= 0] for e in existing
    ]


@covers('ctc_decode')
def test_repeated_labels(K, check):
    """A label, a blank and the label again are two labels in both searches, and one label if merged."""
    y = np.full((1, 3, 2), 0.02, 'float32')
    y[0, [0, 1, 2], [0, 1, 0]] = 0.98
    lengths = np.array([3], 'int32')
    values = check.eval(
        lambda y, n: tuple(
            K.ctc_decode(y, n, **options)[0][0]
            for options in ({}, {'greedy': False}, {'greedy': False, 'merge_repeated': True})
        ),
        y,
        lengths,
    )
    assert [v.tolist() for v in values] == [[[0, 0]], [[0, 0]], [[0]]]


@covers('ctc_decode')
def test_decode_refuses(K, check):
    """More paths than the width of the beam are an error."""
    with check.rejects():
        K.ctc_decode(
            K.placeholder((2, 4, 3)), K.placeholder((2,), dtype='int32'), greedy=False, beam_width=2, top_paths=3
        )


@covers('ctc_label_dense_to_sparse', 'is_sparse', 'to_dense')
def test_dense_to_sparse(K, check):
    """A sparse tensor holds the labels within their lengths.

    A length below zero or of NaN counts no label, one beyond the labels counts all of them. No other sample is touched.
    """
    labels, lengths = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]], 'int32'), np.array([2, 0, 3, 1], 'int32')
    p, n = check.placeholder(labels, (0,)), check.placeholder(lengths, (0,))
    sparse = K.ctc_label_dense_to_sparse(p, n)
    assert K.is_sparse(sparse)
    dense = K.to_dense(sparse)
    value = check.run(dense, [(p, labels), (n, lengths)])
    assert value.tolist() == [[1, 2, 0], [0, 0, 0], [7, 8, 9], [1, 0, 0]]
    for first in -1, -2000000, 4, 2000000:
        lengths[0] = first
        row = [1, 2, 3] if first > 0 else [0, 0, 0]
        value = check.run(dense, [(p, labels), (n, lengths)])
        assert value.tolist() == [row, [0, 0, 0], [7, 8, 9], [1, 0, 0]]
    lengths = np.array([np.nan, 0, 3, 1], 'float32')
    n = check.placeholder(lengths, (0,))
    value = check.run(K.to_dense(K.ctc_label_dense_to_sparse(p, n)), [(p, labels), (n, lengths)])
    assert value.tolist() == [[0, 0, 0], [0, 0, 0], [7, 8, 9], [1, 0, 0]]
