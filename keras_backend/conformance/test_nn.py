"""Activations with options, normalisation, bias, dropout, in_top_k."""

import numpy as np
import pytest

from . import truth
from ._check import FLOATS, all_close, close, covers, random
from .truth import in_top_k, softmax

X = random((3, 4), seed=1, low=-3.0, high=5.0)


@covers('elu')
def test_elu(K, check):
    """`alpha` scales the negative part. It may be a tensor."""
    values = check.eval(
        lambda x: (K.elu(x), K.elu(x, 0.5), K.elu(x, alpha=2), K.elu(x, K.constant([1.0, 2.0, 0.0, 3.0]))),
        X.astype('float32'),
    )
    for value, alpha in zip(values, (1.0, 0.5, 2.0, np.array([1.0, 2.0, 0.0, 3.0]))):
        close(value, truth.elu(X, alpha))


@covers('softmax')
@pytest.mark.parametrize(
    ('shape', 'axis'),
    [
        ((3, 4), -1),
        ((3, 4), 0),
        ((2, 3, 4), 1),
        ((2, 3, 4), -3),
        ((2, 3, 4), 2),
        ((5,), -1),
        ((5,), 0),
        ((2, 1), -1),
        ((1, 2, 2, 3), 1),
    ],
    ids=str,
)
def test_softmax(K, check, shape, axis):
    """Softmax along any axis, also of a 1-D tensor."""
    array = random(shape, dtype='float32')
    check.everywhere(
        lambda x: K.softmax(x, axis=axis), [array], softmax(array.astype('float64'), axis), dtype='float32'
    )


@covers('softmax')
def test_softmax_is_shifted(K, check):
    """Huge scores do not overflow. A row with -inf gives no NaN."""
    array = np.array([[1e4, 1e4, 0.0], [-1e4, -1e4, -1e4], [1e30, -1e30, 0.0], [0.0, -np.inf, 0.0]], 'float32')
    close(check.eval(K.softmax, array), [[0.5, 0.5, 0.0], [1 / 3.0] * 3, [1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])
    with check.rejects():
        K.softmax(K.placeholder((2, 3)), axis=2)


@covers('softmax')
@pytest.mark.parametrize('shape', [(2, 0), (2, None), (None, None)], ids=str)
def test_softmax_of_no_classes(K, check, shape):
    """A row without elements has a softmax without elements, and so has its gradient."""
    x = K.placeholder(shape)
    y = K.softmax(x)
    run = K.function([x], [y, *K.gradients(K.sum(y * y), [x])])
    for result in run([np.zeros((2, 0))]):
        assert result.shape == (2, 0)


@covers('l2_normalize')
def test_l2_normalize(K, check):
    """Normalises along one axis, several or all. Vectors that are too short are divided by 1e-6. Zero stays zero."""
    array = random((2, 3, 4), dtype='float32')
    for axis in (None, 0, 1, -1, (0, 2), [1, 2]):
        squares = (array.astype('float64') ** 2).sum(
            axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=True
        )
        normal = array / np.sqrt(squares)
        check.everywhere(lambda x, n=axis: K.l2_normalize(x, axis=n), [array], normal, dtype='float32', unknown='batch')
    values = check.eval(lambda x: (K.l2_normalize(x, axis=1), K.l2_normalize(x)), np.array([[0.0, 0.0], [3e-8, 4e-8]]))
    for value in values:
        close(value, [[0.0, 0.0], [0.03, 0.04]])


# -- dropout ---------------------------------------------------------------------------------------------------------
@covers('dropout')
@pytest.mark.parametrize('dtype', FLOATS)
def test_dropout(K, check, dtype):
    """Dropout drops elements at the given rate in every phase, scales the others, and draws again in each run."""
    array = np.full((100, 100), 3.0, dtype)
    x = check.placeholder(array, (0,))
    function = K.function([x], [K.dropout(x, 0.25)])
    first, second = function([array])[0], function([array])[0]
    for value in (first, second):
        assert value.dtype.name == dtype
        kept = value != 0
        close(value[kept], np.full(kept.sum(), 4.0))
        assert abs(kept.mean() - 0.75) < 0.03
    assert (first != second).any()
    close(check.run(K.dropout(x, 0.0), [(x, array)]), array)


@covers('dropout')
@pytest.mark.parametrize('noise_shape', [(20, 1, 30), (1, 10, 1), (20, 10, 30)], ids=str)
def test_dropout_noise_shape(K, check, noise_shape):
    """A 1 in the noise shape drops whole slices."""
    array = np.ones((20, 10, 30), 'float32')
    value = check.eval(lambda x: K.dropout(x, 0.5, noise_shape=noise_shape), array)
    mask = value != 0
    for axis, n in enumerate(noise_shape):
        if n == 1:
            assert (mask == mask.take([0], axis=axis)).all()
        else:
            assert (mask != mask.take([0], axis=axis)).any()
    close(value[mask], np.full(mask.sum(), 2.0))


@covers('dropout', 'shape')
def test_dropout_symbolic_noise_shape(K, check):
    """The noise shape may have sizes from K.shape, or be a tensor."""
    array = np.ones((50, 8, 3), 'float32')
    x = check.placeholder(array, (0, 1))
    s = K.shape(x)
    values = check.run(
        [
            K.dropout(x, 0.5, noise_shape=(s[0], 1, 3)),
            K.dropout(x, 0.5, noise_shape=K.stack([s[0], 1 + 0 * s[1], s[2]])),
        ],
        [(x, array)],
    )
    for value in values:
        assert (value == value[:, :1]).all()
        assert (value[:, 0] != value[0, 0]).any()


@covers('dropout')
@pytest.mark.parametrize('level', [1.0, 1, -0.1, 1.5, float('nan')])
def test_dropout_level(K, check, level):
    """A level outside [0, 1) is an error."""
    with check.rejects():
        K.dropout(K.placeholder((2, 3)), level)


@covers('dropout')
def test_dropout_seed(K):
    """Two tensors with one seed have the same stream. Without a seed they differ, and numpy.random.seed decides."""
    x = K.ones((30, 30))

    def masks(**options):
        function = K.function([], [K.dropout(x, 0.5, **options)])
        return [function([])[0], function([])[0]]

    a, b = masks(seed=7), masks(seed=7)
    assert all((p == q).all() for p, q in zip(a, b))
    assert (a[0] != a[1]).any()
    np.random.seed(1)
    c, d = masks(), masks()
    np.random.seed(1)
    e = masks()
    assert (c[0] != d[0]).any()
    assert all((p == q).all() for p, q in zip(c, e))


# -- in_top_k --------------------------------------------------------------------------------------------------------
@covers('in_top_k')
@pytest.mark.parametrize('k', [1, 2, 3, 5])
@pytest.mark.parametrize('dtype', ['int32', 'int64'])
def test_in_top_k(K, check, k, dtype):
    """The result is a bool vector. Ties count as hits; NaN and targets out of range do not."""
    scores = np.array(
        [
            [0.1, 0.7, 0.2, 0.0],
            [0.5, 0.5, 0.5, 0.1],
            [0.4, 0.3, 0.2, 0.1],
            [0.0, np.nan, 1.0, 2.0],
            [0.1, 0.2, 0.3, 0.4],
            [0.1, 0.2, 0.3, 0.4],
            [9.0, 1.0, -9.0, 0.0],
            [0.3, 0.3, 0.1, 0.3],
        ],
        'float32',
    )
    targets = np.array([1, 2, 2, 1, 4, -1, 2, 1], dtype)
    expected = np.array(in_top_k(scores, targets, k))
    x, t = check.placeholder(scores, (0,)), check.placeholder(targets, (0,))
    value = check.run(K.in_top_k(x, t, k), [(x, scores), (t, targets)])
    assert value.dtype.name == 'bool'
    assert value.tolist() == expected.tolist()


# -- batch normalisation ---------------------------------------------------------------------------------------------
@covers('batch_normalization')
@pytest.mark.parametrize(
    ('shape', 'axis'),
    [((3, 4), -1), ((2, 3, 4), -1), ((2, 4, 3), 1), ((2, 4, 3, 3), 1), ((2, 3, 3, 4), 3), ((2, 3, 4), -3 + 2)],
    ids=str,
)
def test_batch_normalization(K, check, shape, axis):
    """1-D statistics lie along the axis."""
    x = random(shape, dtype='float32')
    n = shape[axis]
    mean, var, beta, gamma = (random((n,), seed=i, low=0.5, high=1.5, dtype='float32') for i in range(4))
    lay = [1] * len(shape)
    lay[axis] = n

    def along(v):
        return v.astype('float64').reshape(lay)

    normal = (x - along(mean)) / np.sqrt(along(var) + 1e-3)
    check.everywhere(
        lambda *tensors: K.batch_normalization(*tensors, axis=axis),
        [x, mean, var, beta, gamma],
        normal * along(gamma) + along(beta),
        dtype='float32',
        unknown='batch',
    )
    a, m, v, b, g = feeds = [check.placeholder(value) for value in (x, mean, var, beta, gamma)]
    outputs = [
        K.batch_normalization(a, m, v, None, g, axis=axis),
        K.batch_normalization(a, m, v, b, None, axis=axis),
        K.batch_normalization(a, m, v, None, None, axis=axis),
        K.batch_normalization(a, m, v, b, g, axis, 0.5),
    ]
    truths = [
        normal * along(gamma),
        normal + along(beta),
        normal,
        (x - along(mean)) / np.sqrt(along(var) + 0.5) * along(gamma) + along(beta),
    ]
    all_close(check.run(outputs, list(zip(feeds, (x, mean, var, beta, gamma)))), truths)


@covers('batch_normalization')
def test_batch_normalization_broadcasts(K, check):
    """Statistics that are not 1-D broadcast as they are."""
    x = random((2, 3, 4), dtype='float32')
    mean, var = random((2, 1, 4), 1, dtype='float32'), random((1, 3, 1), 2, low=0.5, dtype='float32')
    beta, gamma = random((1, 1, 4), 3, dtype='float32'), random((2, 3, 4), 4, dtype='float32')
    check.everywhere(
        K.batch_normalization,
        [x, mean, var, beta, gamma],
        (x - mean) / np.sqrt(var.astype('float64') + 1e-3) * gamma + beta,
        unknown='batch',
    )


@covers('normalize_batch_in_training')
@pytest.mark.parametrize(
    ('shape', 'axes'),
    [
        ((5, 4), [0]),
        ((3, 2, 4), [0, 1]),
        ((2, 3, 4, 2), [0, 1, 2]),
        ((2, 4, 3, 3), [0, 2, 3]),
        ((5, 4), (0,)),
        ((3, 2, 4), [1]),
        ((3, 2, 4), [-3, -2]),
    ],
    ids=str,
)
def test_normalize_batch_in_training(K, check, shape, axes):
    """The result is (normalised, mean, biased variance). The statistics lack the reduced axes."""
    x = random(shape, low=1.0, high=5.0, dtype='float32')
    wide, over = x.astype('float64'), tuple(axes)
    kept = [n for i, n in enumerate(shape) if i not in [a % len(shape) for a in axes]]
    mean, var = wide.mean(axis=over), wide.var(axis=over)
    laid = wide.mean(axis=over, keepdims=True).shape
    gamma, beta = random(kept, 1, low=0.5, dtype='float32'), random(kept, 2, dtype='float32')
    for unknown in ((), (0,), range(len(shape) - 1) if len(kept) == 1 and kept[0] == shape[-1] else (0,)):
        p = check.placeholder(x, unknown)
        for g, b in ((gamma, beta), (None, None), (gamma, None), (None, beta)):
            result = K.normalize_batch_in_training(
                p, None if g is None else K.constant(g), None if b is None else K.constant(b), axes
            )
            assert isinstance(result, tuple)
            assert len(result) == 3
            values = check.run(list(result), [(p, x)])
            expected = (wide - mean.reshape(laid)) / np.sqrt(var.reshape(laid) + 1e-3)
            expected = expected * (1.0 if g is None else g.reshape(laid)) + (0.0 if b is None else b.reshape(laid))
            all_close(values, (expected, mean, var))


@covers('normalize_batch_in_training')
def test_normalize_batch_epsilon(K, check):
    """epsilon is an argument. A constant batch becomes beta."""
    x = np.full((4, 2), 7.0, 'float32')
    values = check.eval(
        lambda x: tuple(K.normalize_batch_in_training(x, None, K.constant([1.0, 2.0]), [0], epsilon=1e-5)), x
    )
    all_close(values, ([[1.0, 2.0]] * 4, [7.0, 7.0], [0.0, 0.0]))


# -- bias ------------------------------------------------------------------------------------------------------------
def biased(x, bias, data_format):
    """x + bias. A vector lies along the channels. A bias with one axis less than x is reshaped to the layout of x."""
    first = data_format == 'channels_first'
    if bias.ndim == 1:
        return x + bias.reshape((-1,) + (1,) * (x.ndim - 2) if first else (-1,))
    return x + bias.reshape((bias.shape[-1],) + bias.shape[:-1] if first else bias.shape)


@covers('bias_add')
@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first', None])
@pytest.mark.parametrize('rank', [2, 3, 4, 5])
def test_bias_add(K, check, rank, data_format):
    """A bias for each channel, or for each place and channel, in both data formats and for ranks 2 to 5."""
    spatial = (2, 3, 2)[: rank - 2]
    shape = (2, 4) + spatial if data_format == 'channels_first' else (2,) + spatial + (4,)
    x = random(shape, dtype='float32')
    for bias in (random((4,), 1, dtype='float32'), random(spatial + (4,), 2, dtype='float32')):
        check.everywhere(
            lambda a, b: K.bias_add(a, b, data_format),
            [x, bias],
            biased(x, bias, data_format),
            dtype='float32',
            unknown='batch',
        )


@covers('bias_add')
def test_bias_add_follows_the_setting(K, check):
    """Without a data format, the setting at the time of the call decides."""
    x, bias = random((2, 3, 5), dtype='float32'), random((3,), dtype='float32')
    K.set_image_data_format('channels_first')
    close(check.eval(K.bias_add, x, bias), x + bias[:, None])


@covers('bias_add')
def test_bias_add_refuses(K, check):
    """A wrong data format and a bias of another rank are errors."""
    check.refuses('channels_middle', K.bias_add, K.placeholder((2, 3)), K.placeholder((3,)), 'channels_middle')
    for x_rank, bias_rank in [(4, 2), (5, 2), (5, 3), (3, 3), (4, 0), (1, 1), (6, 1)]:
        with check.rejects():
            K.bias_add(K.placeholder((2,) * x_rank), K.placeholder((2,) * bias_rank))
