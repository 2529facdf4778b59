"""Activations, losses, normalisation, composed, on an eager K: all sizes known, and most of them hidden."""

import math

import numpy as np
import pytest
import scipy.special

from keras_backend.conformance import truth
from keras_backend.conformance.truth import relu as relu_truth
from keras_backend.errors import ShapeError

from .eager_k import RNG, N, close, draw, tensor


@pytest.mark.parametrize('alpha', [0.0, 0.1, 1.0, 2.0, -0.5])
@pytest.mark.parametrize('cap', [None, 0.0, 1.0, 6.0])
@pytest.mark.parametrize('threshold', [0.0, 1.0, 2.0, -1.0])
def test_composed_relu(K, alpha, cap, threshold):
    """relu follows its formula for every mixture of slope, cap and threshold."""
    x = np.array([-7.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 6.0, 9.0])
    close(relu_truth(x, alpha, cap, threshold), K.relu(tensor(x), alpha, cap, threshold))
    if alpha >= 0:
        close(relu_truth(x, alpha, cap, threshold), K.relu(tensor(x), tensor(alpha), cap, threshold))


def test_composed_softmax(K):
    """softmax agrees with SciPy over any axis and does not overflow."""
    x = draw(N, 3, 4) * 300.0
    for axis in (-1, 1, 0):
        close(scipy.special.softmax(np.asarray(x), axis=axis), K.softmax(x, axis=axis))
    close([0.5, 0.5], K.softmax(tensor([3.0, 3.0])))
    with pytest.raises(ValueError, match='axis=3'):
        K.softmax(x, axis=3)


def test_softsign(K):
    """softsign is x / (1 + |x|)."""
    close([-0.75, 0.0, 0.5], K.softsign(tensor([-3.0, 0.0, 1.0])))


def test_composed_dropout(K):
    """A fraction is dropped, the rest scaled, per entry or along the noise shape; impossible levels are refused."""
    x = tensor(np.ones((200, 50)))
    y = np.asarray(K.dropout(x, 0.25, seed=1))
    assert set(np.round(np.unique(y), 12)) == {0.0, round(1 / 0.75, 12)}
    assert abs(np.mean(y) - 1.0) < 0.02
    rows = np.asarray(K.dropout(x, 0.5, noise_shape=(None, 1), seed=2))
    assert np.all(rows == rows[:, :1])
    assert 0 < np.mean(rows[:, 0] == 0) < 1
    close(x, K.dropout(x, 0.0))
    for level in (1.0, -0.1, 2):
        with pytest.raises(ValueError, match='level'):
            K.dropout(x, level)


def test_composed_l2_normalize(K):
    """Vectors get length 1; zeros stay zeros, in half precision too."""
    x = draw(N, 3)
    close(x / np.linalg.norm(x, axis=1, keepdims=True), K.l2_normalize(x, axis=1))
    close(x / np.linalg.norm(x), K.l2_normalize(x))
    close([0.0, 0.0], K.l2_normalize(tensor([0.0, 0.0], 'float16')))


def test_composed_in_top_k(K):
    """Ties count as hits; NaN and targets that are no class do not."""
    scores = tensor(
        [[0.1, 0.6, 0.3], [0.5, 0.5, 0.5], [np.nan, 1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [3.0, 1.0, np.inf]]
    )
    assert [False, True, False, False, False, False] == K.in_top_k(scores, tensor([2, 0, 0, 5, -1, 0]), 1).tolist()
    assert [True, True, False, False, False, True] == K.in_top_k(scores, tensor([2, 0, 0, 5, -1, 0]), 2).tolist()
    assert [True, True, False, False, False, True] == K.in_top_k(scores, tensor([2, 0, 0, 5, -1, 0]), 9).tolist()


@pytest.mark.parametrize('axis', [-1, 1, 2])
def test_crossentropies(K, axis):
    """Both categorical cross entropies follow their formulas, from probabilities and from logits."""
    logits = draw(N, 3, 4) * 5.0
    p = scipy.special.softmax(np.asarray(logits), axis=axis)
    scaled = tensor(p * 3.0)
    shape = np.delete(p.shape, axis)
    labels = tensor(RNG.randint(0, p.shape[axis], size=shape))
    soft = scipy.special.softmax(RNG.normal(size=p.shape), axis=axis)
    close(
        truth.categorical(soft, logits, True, axis), K.categorical_crossentropy(tensor(soft), logits, True, axis), 1e-10
    )
    got = K.categorical_crossentropy(tensor(soft), scaled, False, axis)
    close(truth.categorical(soft, p, False, axis), got, 1e-10)
    classes = np.asarray(labels)
    got = K.sparse_categorical_crossentropy(labels, logits, True, axis)
    close(truth.sparse(classes, np.asarray(logits), True, axis), got, 1e-10)
    expected = truth.sparse(classes, p, False, axis)
    for target in (labels, tensor(labels, 'float32'), K.expand_dims(labels, axis), K.expand_dims(labels, -1)):
        close(expected, K.sparse_categorical_crossentropy(target, tensor(p), False, axis), 1e-10)


def test_crossentropies_at_the_edges(K):
    """Probabilities 0 and 1 cost -log eps, huge logits stay exact, a target that is no class costs inf."""
    edge = tensor([[1.0, 0.0, 0.0]])
    close([-math.log(1e-7)], K.categorical_crossentropy(tensor([[0.0, 1.0, 0.0]]), edge), 1e-9)
    for half in ('float16', 'float32', 'float64'):
        value = K.categorical_crossentropy(tensor([[0.0, 1.0, 0.0]], half), tensor(edge, half))
        assert np.all(np.isfinite(np.asarray(value)))
        value = K.binary_crossentropy(tensor([[0.0, 1.0, 0.0]], half), tensor(edge, half))
        assert np.all(np.isfinite(np.asarray(value)))
    close(
        [1.0],
        K.sparse_categorical_crossentropy(tensor([1]), tensor([[1e8, 1e8 - 1.0, -1e8]]), True)
        - math.log1p(math.exp(-1.0)),
        1e-9,
    )
    for from_logits in (True, False):
        assert [np.inf] == K.sparse_categorical_crossentropy(
            tensor([3]), tensor([[0.2, 0.3, 0.5]]), from_logits
        ).tolist()
    with pytest.raises(ShapeError, match='target'):
        K.sparse_categorical_crossentropy(tensor([[1, 2]]), edge)
    with pytest.raises(ValueError, match='axis=2'):
        K.categorical_crossentropy(edge, edge, axis=2)


def test_binary_crossentropy(K):
    """The element-wise loss is the same from probabilities and from logits, and exact far out."""
    z, x = tensor(RNG.uniform(size=(N, 2))), draw(N, 2)
    p = scipy.special.expit(np.asarray(x))
    close(truth.binary(z, np.asarray(x), True), K.binary_crossentropy(z, x, True), 1e-10)
    close(truth.binary(z, p), K.binary_crossentropy(z, tensor(p)), 1e-10)
    z, x = tensor([1.0, 0.0, 1.0, 0.0]), tensor([800.0, 800.0, -800.0, -800.0])
    close([0.0, 800.0, 800.0, 0.0], K.binary_crossentropy(z, x, True))


@pytest.mark.parametrize('axis', [-1, 1, 3])
def test_composed_batch_normalization(K, axis):
    """Statistics lie along the axis; missing beta and gamma change nothing."""
    x = draw(N, 3, 2, 3)
    mean, var, beta, gamma = draw(3), tensor(RNG.uniform(0.5, 2.0, 3)), draw(3), draw(3)
    lay = [1] * 4
    lay[axis] = 3
    m, v, b, g = [np.asarray(a).reshape(lay) for a in (mean, var, beta, gamma)]
    normal = (np.asarray(x) - m) / np.sqrt(v + 0.01)
    close(normal * g + b, K.batch_normalization(x, mean, var, beta, gamma, axis=axis, epsilon=0.01))
    close(normal, K.batch_normalization(x, tensor(m), tensor(v), None, None, axis=axis, epsilon=0.01))
    close(normal * g, K.batch_normalization(x, mean, var, None, gamma, axis=axis, epsilon=0.01))
    close(normal + b, K.batch_normalization(x, mean, var, beta, None, axis=axis, epsilon=0.01))


@pytest.mark.parametrize('axes', [[0, 1, 2], [0], (0, 2, 3), [0, 1, 3]])
def test_composed_normalize_batch_in_training(K, axes):
    """Mean and biased variance of the batch normalise it, and come back without the reduced axes."""
    x = draw(N, 3, 4, 2)
    a = np.asarray(x)
    on = tuple(axes)
    gamma, beta = draw(*np.mean(a, on).shape), draw(*np.mean(a, on).shape)
    kept = np.mean(a, on, keepdims=True).shape
    normal = (a - np.mean(a, on, keepdims=True)) / np.sqrt(np.var(a, on, keepdims=True) + 1e-3)
    y, mean, var = K.normalize_batch_in_training(x, gamma, beta, axes)
    close(normal * np.reshape(gamma, kept) + np.reshape(beta, kept), y)
    close(np.mean(a, on), mean)
    close(np.var(a, on), var)
    close(normal, K.normalize_batch_in_training(x, None, None, axes)[0])
