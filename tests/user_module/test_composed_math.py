"""Element-wise functions, reductions, products, composed, on an eager K: all sizes known, and most of them hidden."""

import math

import numpy as np
import pytest
import scipy.special

from keras_backend.conformance.truth import UNARY, batch_dot
from keras_backend.errors import UnsupportedByEngine

from .eager_k import RNG, N, close, draw, make, tensor

VALUES = np.array([-np.inf, -50.0, -2.5, -1.0, -1e-3, -0.0, 0.0, 1e-3, 0.5, 1.0, 2.5, 50.0, np.inf])


@pytest.mark.parametrize('name', sorted(set(UNARY) - {'exp', 'log', 'sin', 'softsign', 'round'}))
def test_functions_of_one_argument(K, name):
    """Closed forms hold from the smallest to the largest arguments."""
    x = VALUES[1:-1] if name in ('cos', 'square') else VALUES
    x = x[np.isfinite(x) | (name not in ('abs', 'sign'))]
    close(UNARY[name][0](x), getattr(K, name)(tensor(x)), 1e-14)


def test_small_tails_keep_their_digits():
    """sigmoid and softplus far below 0 and elu just below 0 are exact relative to their size."""
    K = make(tanh=np.tanh)
    for name, truth, x in (
        ('sigmoid', scipy.special.expit, [-80.0, -700.0]),
        ('elu', np.expm1, [-1e-9, -1e-3]),
        ('softplus', lambda v: np.log1p(np.exp(v)), [-80.0, -40.0, -30.0, -1.0, 2.0]),
    ):
        np.testing.assert_allclose(np.asarray(getattr(K, name)(tensor(x))), truth(x), rtol=1e-13)


def test_composed_comparisons(K):
    """Comparisons of floats, infinities and NaN answer like NumPy."""
    x, y = [tensor(a.ravel()) for a in np.meshgrid([-1.0, 0.0, np.inf, np.nan], [-1.0, 0.0, np.inf, np.nan])]
    a, b = np.asarray(x), np.asarray(y)
    for name, truth in (
        ('equal', a == b),
        ('not_equal', a != b),
        ('greater', a > b),
        ('less', a < b),
        ('greater_equal', a >= b),
        ('less_equal', a <= b),
    ):
        assert truth.tolist() == getattr(K, name)(x, y).tolist(), name


def test_clip_and_extremes(K):
    """clip accepts missing bounds, and its lower bound wins over a smaller upper one."""
    x = tensor([-2.0, 0.0, 3.0])
    close([-1.0, 0.0, 1.0], K.clip(x, -1.0, 1.0))
    close([1.0, 1.0, 1.0], K.clip(x, 1.0, -1.0))
    close([-2.0, 0.0, 1.0], K.clip(x, None, 1.0))
    close([-1.0, 0.0, 3.0], K.clip(x, -1.0, None))
    close(np.minimum(x, [0.0, 1.0, 2.0]), K.minimum(x, tensor([0.0, 1.0, 2.0])))
    close([4.0, 0.0, 9.0], K.pow(x, 2))
    close([0.0, 0.0, 1.0], K.minimum(x * 0.0 + tensor([0.0, 1.0, 2.0]), tensor([True, False, True])))


def test_reductions_of_nothing(K):
    """Of no elements all are true and none is; bools have a minimum."""
    x = tensor(np.zeros((2, 0)))
    assert [False, False] == K.any(x, axis=1).tolist()
    assert [True, True] == K.all(x, axis=1).tolist()
    assert [False, True] == K.min(tensor([[True, False], [True, True]]), axis=1).tolist()


@pytest.mark.parametrize('axis', [None, 0, -1, [0, 2], (1,)])
@pytest.mark.parametrize('keepdims', [False, True])
def test_reductions(K, axis, keepdims):
    """Every composed reduction agrees with NumPy and SciPy over all kinds of axes."""
    x = draw(N, 3, 2)
    a = np.asarray(x)
    on = tuple(axis) if isinstance(axis, list) else axis
    for name, truth in (
        ('mean', np.mean),
        ('var', np.var),
        ('std', np.std),
        ('min', np.min),
        ('logsumexp', scipy.special.logsumexp),
    ):
        close(truth(a, axis=on, keepdims=keepdims), getattr(K, name)(x, axis=axis, keepdims=keepdims), 1e-12)
    flags = tensor(RNG.uniform(size=(N, 3, 2)) > 0.6)
    for value in (flags, tensor(flags, 'int32')):
        got = K.any(value, axis=axis, keepdims=keepdims), K.all(value, axis=axis, keepdims=keepdims)
        assert np.any(flags, axis=on, keepdims=keepdims).tolist() == got[0].tolist()
        assert np.all(flags, axis=on, keepdims=keepdims).tolist() == got[1].tolist()
        assert 'bool' == K.dtype(got[0])


def test_logsumexp_of_infinities(K):
    """Infinite entries give infinities, never NaN, and large ones do not overflow."""
    x = tensor([[-np.inf, -np.inf], [np.inf, 0.0], [1000.0, 1000.0], [-np.inf, 3.0]])
    close([-np.inf, np.inf, 1000.0 + math.log(2.0), 3.0], K.logsumexp(x, axis=1))


def test_mean_of_integers(K):
    """Averages of integers are floats."""
    close(2.5, K.mean(tensor([1, 2, 3, 4])))
    close(1.25, K.var(tensor([1, 2, 3, 4])))
    close(2.0**31 - 1, K.mean(tensor([2**31 - 1] * 4, 'int32')))
    close(250.0, K.mean(tensor([250] * 4, 'uint8')))


def test_mean_of_many_halves(K):
    """Averages in half precision are right though their sums are beyond it."""
    x = tensor(np.tile([1.0, 3.0], 40000), 'float16')
    assert (2.0, 1.0) == (float(K.mean(x)), float(K.var(x)))
    assert 'float16' == K.dtype(K.mean(x)) == K.dtype(K.var(x))


def test_places_of_extremes(K):
    """argmax and argmin find the first of equals."""
    x = tensor(RNG.randint(0, 3, size=(N, 5)))
    for axis in (0, 1, -1):
        assert np.argmax(x, axis).tolist() == K.argmax(x, axis=axis).tolist()
        assert np.argmin(x, axis).tolist() == K.argmin(x, axis=axis).tolist()
    assert 'int64' == K.dtype(K.argmax(x))


@pytest.mark.parametrize('length', [1, 2, 3, 4])
def test_composed_cumulative(K, length):
    """Running sums and products over either axis agree with NumPy."""
    x = draw(length, 4)
    close(np.cumsum(x, 0), K.cumsum(x))
    close(np.cumprod(x, 1), K.cumprod(x, axis=-1))
    close(np.cumsum(x, 0), K.cumsum(x, axis=-2))
    close([1, 1, 2], K.cumsum(tensor([True, False, True])))


@pytest.mark.parametrize(('shape', 'axis'), [((N,), 0), ((2, N), 1), ((N, 2, 3, 2), 0), ((2, 3, N, 2), -2)])
def test_cumulative_over_an_unknown_length(shape, axis):
    """Where the length is unknown a loop runs, and an engine without loops says so."""
    x = draw(*shape)
    K = make(5, rnn=make().rnn)
    close(np.cumsum(x, axis), K.cumsum(x, axis=axis))
    close(np.cumprod(x, axis), K.cumprod(x, axis=axis))
    with pytest.raises(UnsupportedByEngine, match='no loops'):
        make(5).cumsum(x, axis=axis)


@pytest.mark.parametrize(
    ('shape_x', 'shape_y', 'axes'),
    [
        ((N, 3), (N, 3), None),
        ((N, 3), (N, 3), 1),
        ((N, 2, 3), (N, 3, 4), None),
        ((N, 2, 3), (N, 4, 3), 2),
        ((N, 3), (N, 4, 3), (1, 2)),
        ((N, 2, 3), (N, 3), None),
        ((N, 2, 3, 4), (N, 3, 2), (2, 1)),
        ((N, 2, 3, 4), (N, 5, 4, 2), (-1, -2)),
        ((N, 7, 3), (N, 8, 3), (2, 2)),
    ],
)
def test_composed_batch_dot(K, shape_x, shape_y, axes):
    """batch_dot is the documented loop over samples, for every placement of the axes."""
    x, y = draw(*shape_x), draw(*shape_y)
    close(batch_dot(x, y, axes), K.batch_dot(x, y, axes=axes))


@pytest.mark.parametrize(
    ('shape_x', 'shape_y', 'axes', 'message'),
    [
        ((3,), (3, 3), None, 'rank 2'),
        ((2, 3), (2, 4), 1, 'differ'),
        ((2, 3), (3, 3), 1, 'batch sizes'),
        ((2, 3), (2, 3), 0, 'axis 0'),
        ((2, 3), (2, 3), ((1, 2), 1), 'one axis'),
        ((2, 3), (2, 3), 2, r'axes\[0\]'),
    ],
)
def test_composed_batch_dot_refuses(shape_x, shape_y, axes, message):
    """Ranks, sizes and axes that do not fit are named."""
    with pytest.raises(ValueError, match=message):
        make().batch_dot(draw(*shape_x), draw(*shape_y), axes=axes)


def test_transpose(K):
    """transpose turns the order of the axes around."""
    x = draw(N, 2, 3)
    close(np.transpose(x), K.transpose(x))
