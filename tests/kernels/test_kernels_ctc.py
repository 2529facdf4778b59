"""Decoding NumPy kernels against the enumeration of every alignment."""

import numpy as np
import pytest

from keras_backend.conformance import truth
from keras_backend.kernels import PRIMITIVES

k = PRIMITIVES


def probabilities(batch, time, classes, sharpness=1.0, seed=0):
    y = np.random.RandomState(seed).randn(batch, time, classes) * sharpness
    y = np.exp(y)
    return y / y.sum(-1, keepdims=True)


@pytest.mark.parametrize(('time', 'classes'), [(1, 2), (4, 3), (5, 3), (3, 4), (6, 2)])
@pytest.mark.parametrize('merge_repeated', [False, True])
@pytest.mark.parametrize('seed', [0, 1])
def test_wide_beam_is_exhaustive(time, classes, merge_repeated, seed):
    """A beam that drops nothing finds the best label sequences, with the sums over all their alignments."""
    y = probabilities(3, time, classes, seed=seed)
    lengths = np.array([time, max(time - 1, 1), time])
    found = k['ctc_beam'](np.log(y), lengths, 1000, 2, merge_repeated)
    paths, scores = truth.beam(y, lengths, 2, merge_repeated, eps=0)
    for made, expected in zip(found[:-1], paths):
        assert made.dtype == 'int64'
        np.testing.assert_array_equal(made, expected)
    np.testing.assert_allclose(found[-1], scores, 1e-10)


def test_all_probabilities_add_up():
    """The sums over alignments of every sequence there is: together 1."""
    y = probabilities(1, 5, 3)
    every = len(truth.labellings(y[0], 5, eps=0))
    scores = k['ctc_beam'](np.log(y), np.array([5]), every, every, False)[-1]
    np.testing.assert_allclose(np.exp(scores).sum(), 1, 1e-12)


def test_narrow_beam():
    """A narrow beam finds no more than there is, and finds sharp distributions all the same."""
    y = probabilities(4, 6, 4, sharpness=4)
    lengths = np.array([6, 5, 6, 4])
    wide, narrow = [k['ctc_beam'](np.log(y), lengths, width, 1, False) for width in (10000, 5)]
    np.testing.assert_array_equal(wide[0], narrow[0])
    assert (narrow[1] <= wide[1] + 1e-12).all()
    assert np.allclose(narrow[1], wide[1], atol=0.1)


def test_large_beam_search_of_repeated_labels():
    """Repetitions need a blank between them; without one they are the same label."""
    eps = 1e-12
    certain = np.full((1, 5, 3), eps)
    for t, label in enumerate([0, 0, 2, 0, 1]):
        certain[0, t, label] = 1
    paths, scores = k['ctc_beam'](np.log(certain), np.array([5]), 10, 1, False)
    assert paths.tolist() == [[0, 0, 1]]
    assert abs(scores[0, 0]) < 1e-6
    assert k['ctc_beam'](np.log(certain), np.array([5]), 10, 1, True)[0].tolist() == [[0, 1]]


def test_beam_kernel_finds_fewer_sequences():
    """What does not exist is empty and impossible; a sample of length 0 has the empty sequence for certain."""
    y = np.log(probabilities(2, 1, 2))
    found = k['ctc_beam'](y, np.array([1, 0]), 5, 3, False)
    first, second, third = [[[v for v in row if v >= 0] for row in paths.tolist()] for paths in found[:3]]
    assert sorted([first[0], second[0]]) == [[], [0]]
    assert third[0] == []
    assert first[1] == second[1] == third[1] == []
    assert found[2].shape == (2, 0)
    assert found[3][0, 2] == -np.inf
    assert found[3][1].tolist() == [0, -np.inf, -np.inf]


def test_impossible_input():
    """Probabilities of zero and undefined ones give some answer, not an error."""
    with np.errstate(all='ignore'):
        y = np.full((1, 3, 3), -np.inf)
        assert k['ctc_beam'](y, np.array([3]), 4, 1, False)[1][0, 0] == -np.inf
        k['ctc_beam'](np.full((1, 3, 3), np.nan), np.array([3]), 4, 1, False)


@pytest.mark.parametrize('shape', [(3, 7, 4), (1, 1, 2), (2, 5, 2), (0, 3, 3)])
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_greedy_kernel(shape, dtype):
    """The best class of each time, repetitions and blanks dropped, and the sum of what it costs."""
    y = probabilities(*shape).astype(dtype)
    lengths = np.random.RandomState(0).randint(0, shape[1] + 1, shape[0])
    paths, cost = k['ctc_greedy'](np.log(y), lengths)
    expected, sums = truth.greedy(y, lengths, eps=0)
    assert paths.dtype == 'int64'
    assert cost.dtype == dtype
    assert cost.shape == (shape[0], 1)
    np.testing.assert_array_equal(paths, expected)
    np.testing.assert_allclose(cost, sums.reshape(shape[0], 1), 1e-5)


def test_greedy_repeats_across_a_blank():
    """A label on both sides of a blank counts twice."""
    best = np.log(np.eye(3) * 0.98 + 0.01)[[0, 0, 2, 0, 1, 1]][None]
    assert k['ctc_greedy'](best, np.array([6]))[0].tolist() == [[0, 0, 1]]
    assert k['ctc_greedy'](best, np.array([2]))[0].tolist() == [[0]]
