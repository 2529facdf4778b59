"""Placeholders without a shape, which take values of any rank."""

import numpy as np
import pytest

from ._check import all_close, close, covers, random

RANKS = [(), (3,), (2, 3), (2, 1, 3)]


def values_of(K, outputs, feeds):
    """The values of tensors of which `int_shape` may be None."""
    values = K.function([p for p, _ in feeds], list(outputs))([a for _, a in feeds])
    for tensor, value in zip(outputs, values):
        static = K.int_shape(tensor)
        assert static is None or (len(static) == np.ndim(value) == K.ndim(tensor))
        assert isinstance(value, np.ndarray if np.ndim(value) else np.generic)
        assert K.dtype(tensor) == value.dtype.name
    return values


@covers('placeholder', 'int_shape', 'ndim', 'dtype', 'is_placeholder', 'is_tensor')
def test_what_is_known_of_it(K):
    """A placeholder made without a shape has no rank, and all else that a placeholder has."""
    for tensor in K.placeholder(), K.placeholder(None), K.placeholder(shape=None), K.placeholder(None):
        assert K.int_shape(tensor) is None
        assert K.ndim(tensor) is None
        assert K.dtype(tensor) == 'float32'
        assert K.is_placeholder(tensor)
        assert K.is_tensor(tensor)
        assert not K.is_variable(tensor)
    assert K.dtype(K.placeholder(dtype='int64')) == 'int64'
    assert 'beta' in K.placeholder(name='beta').name
    assert K.int_shape(K.placeholder(shape=())) == K.int_shape(K.placeholder(ndim=0)) == ()
    assert K.int_shape(K.placeholder(sparse=True)) == (None, None)


@covers('placeholder', 'function', 'identity', 'square', 'exp', 'cast', 'clip', 'maximum', 'pow')
def test_element_by_element(K):
    """One function takes values of every rank, one after the other, and gives each its own shape."""
    p = K.placeholder()
    cases = [
        (K.identity(p), lambda a: a),
        (p * 2, lambda a: a * 2),
        (1.0 - p, lambda a: 1 - a),
        (-abs(p), lambda a: -np.abs(a)),
        (K.square(p), np.square),
        (K.exp(p) / (p * p + 1), lambda a: np.exp(a) / (a * a + 1)),
        (K.cast(K.greater(p, 0), 'int32'), lambda a: (a > 0).astype('int32')),
        (K.clip(p, -1, 0.5), lambda a: np.clip(a, -1, 0.5)),
        (K.maximum(p, 0.25), lambda a: np.maximum(a, 0.25)),
        (K.pow(p, 2), lambda a: a**2),
        (K.sigmoid(p) + K.tanh(p), lambda a: 1 / (1 + np.exp(-a)) + np.tanh(a)),
    ]
    call = K.function([p], [tensor for tensor, _ in cases])
    for shape in RANKS + RANKS[::-1]:
        array = random(shape)
        for (tensor, truth), value in zip(cases, call([array])):
            assert isinstance(value, np.ndarray if shape else np.generic)
            assert value.dtype.name == K.dtype(tensor)
            close(value, truth(array), scale=1.0)


@covers('placeholder', 'function')
@pytest.mark.parametrize('dtype', ['float16', 'float64', 'int32', 'bool'])
def test_dtypes(K, dtype):
    """Values of every dtype pass through it, and are the caller's own."""
    p = K.placeholder(dtype=dtype)
    call = K.function([p], [K.identity(p)])
    for shape in RANKS:
        array = np.asarray(random(shape) > 0).astype(dtype)
        (value,) = call([array])
        assert value.dtype.name == dtype
        close(value, array)
        if shape:
            value[...] = 0
            close(call([array])[0], array)


@covers('placeholder', 'sum', 'mean', 'prod', 'max', 'min', 'any', 'all', 'shape', 'std')
@pytest.mark.parametrize('shape', RANKS)
def test_over_all_axes(K, shape):
    """What is reduced over all axes is a scalar, whose rank is known."""
    p, array = K.placeholder(), random(shape)
    names = ['sum', 'mean', 'prod', 'max', 'min']
    tensors = [getattr(K, name)(p) for name in names] + [K.any(p > 0), K.all(p > 0), K.mean(K.square(p))]
    truth = [getattr(np, name)(array) for name in names] + [np.any(array > 0), np.all(array > 0), (array**2).mean()]
    assert all(K.int_shape(tensor) == () for tensor in tensors)
    all_close(values_of(K, tensors, [(p, array)]), truth, scale=1.0)


@covers('placeholder', 'mean', 'function')
@pytest.mark.parametrize('shape', [(), (4, 3), (3,), (4, 1)])
def test_beside_a_tensor_with_a_shape(K, check, shape):
    """Targets of a loss, and factors: beside a tensor of known rank values broadcast as NumPy says."""
    p, x = K.placeholder(None), K.placeholder((None, 3))
    target, output = random(shape, 1), random((4, 3), 2)
    tensors = [
        K.mean(K.square(x - p)),
        x * p,
        K.sum(K.maximum(x, p)),
        K.cast(K.less(p, x), 'int32'),
        K.binary_crossentropy(K.sigmoid(p), K.sigmoid(x)),
    ]
    y, t = 1 / (1 + np.exp(-output)), 1 / (1 + np.exp(-target))
    truth = [
        np.mean((output - target) ** 2),
        output * target,
        np.sum(np.maximum(output, target)),
        (target < output).astype('int32'),
        -(t * np.log(y) + (1 - t) * np.log(1 - y)),
    ]
    all_close(values_of(K, tensors, [(p, target), (x, output)]), truth, scale=1.0, tolerance=1e-5)


@covers('placeholder', 'gradients')
@pytest.mark.parametrize('shape', [(), (4, 3), (3,), (4, 1)])
def test_gradients_beside_a_tensor_with_a_shape(K, shape):
    """The gradient of such a loss with respect to the tensors that have a shape."""
    p, x = K.placeholder(dtype='float64'), K.variable(random((4, 3), 2), dtype='float64')
    target, output = random(shape, 1), random((4, 3), 2)
    slopes = K.gradients(K.mean(K.square(x - p)), x) + K.gradients(K.mean(x) * K.sum(p), x) + K.gradients(x * p, [x])
    assert K.int_shape(slopes[0]) == (4, 3)
    truth = [2 * (output - target) / 12, np.full((4, 3), target.sum() / 12), np.broadcast_to(target, (4, 3))]
    all_close(values_of(K, slopes, [(p, target)]), truth)


@covers('placeholder', 'gradients')
def test_a_factor_of_a_loss(K):
    """beta = K.placeholder(); loss = K.mean(x) * beta: one number, or one for each of several losses."""
    beta, x = K.placeholder(), K.variable(np.ones((2, 5)))
    loss = K.mean(x) * beta
    call = K.function([beta], [loss] + K.gradients(loss, [x]))
    for fed, total in (0.5, 0.5), (np.float32(3), 3), (np.array([1.0, 2.0]), 3), (2, 2):
        value, gradient = call([fed])
        close(value, np.asarray(fed, 'float32'))
        close(gradient, np.full((2, 5), total / 10.0, 'float32'))


@covers('placeholder', 'update', 'update_sub', 'function')
def test_a_rate_of_learning(K, check):
    """A placeholder without a rank is a factor in an update; what does not fit the variable is an error of the run."""
    rate, w = K.placeholder(), K.variable(np.ones((2, 2)))
    train = K.function([rate], [], updates=[K.update(w, w - rate * K.square(w))])
    train([0.5])
    close(K.get_value(w), np.full((2, 2), 0.5, 'float32'))
    train([np.array([1.0, 0.0])])
    close(K.get_value(w), np.array([[0.25, 0.5]] * 2, 'float32'))
    less = K.function([rate], [], updates=[K.update_sub(w, rate * w)])
    less([np.ones((2, 2))])
    close(K.get_value(w), np.zeros((2, 2), 'float32'))
    with check.fails():
        train([np.ones((3, 1, 1))])
    close(K.get_value(w), np.zeros((2, 2), 'float32'))


@covers('placeholder')
def test_nothing_depends_on_it(K):
    """Where nothing depends on it, it takes any value."""
    p, x = K.placeholder(), K.placeholder((2,))
    call = K.function([p, x], [x * 2])
    for shape in RANKS:
        close(call([random(shape), np.ones(2)])[0], np.full(2, 2, 'float32'))


@covers('placeholder', 'permute_dimensions', 'transpose', 'batch_dot', 'rnn', 'squeeze', 'reverse')
def test_where_the_rank_is_needed(K, check):
    """A function that needs the rank says so, and what to type."""
    p = K.placeholder()
    x = K.placeholder((2, 3, 4))
    for build in (
        lambda: K.permute_dimensions(p, (1, 0)),
        lambda: K.transpose(p),
        lambda: K.batch_dot(p, x),
        lambda: K.rnn(lambda x, s: (x, s), p, []),
        lambda: K.squeeze(p * 2, 0),
        lambda: K.reverse(K.exp(p), 0),
        lambda: K.batch_normalization(p, 0.0, 1.0, 0.0, 1.0),
        lambda: K.count_params(p),
    ):
        check.refuses('ndim=', build)


@covers('placeholder', 'sum', 'mean', 'max', 'prod', 'gradients')
@pytest.mark.parametrize('shape', [(3,), (2, 3), (2, 1, 3)])
def test_gradients_with_respect_to_it(K, shape):
    """The gradient with respect to a placeholder without a rank has the shape of its value."""
    p, array = K.placeholder(dtype='float64'), random(shape)
    slopes = [K.gradients(loss, p)[0] for loss in (K.sum(p * p), K.mean(K.exp(p)), K.max(p), K.prod(p), p * 3.0)]
    others = np.array([np.prod(np.delete(array.ravel(), i)) for i in range(array.size)]).reshape(shape)
    truth = [
        2 * array,
        np.exp(array) / array.size,
        (array == array.max()).astype('float64'),
        others,
        np.full(shape, 3.0),
    ]
    all_close(values_of(K, slopes, [(p, array)]), truth)


@covers('placeholder', 'sum', 'mean', 'max', 'all', 'argmax', 'logsumexp')
@pytest.mark.parametrize('shape', [(3,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize('keepdims', [False, True])
def test_over_some_axes(K, shape, keepdims):
    """A reduction over an axis that is given, counted from the front or from the end."""
    p, array = K.placeholder(dtype='float64'), random(shape)
    tensors, truth = [], []
    for axis in (0, -1, [-1]):
        along = tuple(axis) if isinstance(axis, list) else axis
        tensors += [getattr(K, name)(p, axis=axis, keepdims=keepdims) for name in ('sum', 'mean', 'max')]
        truth += [getattr(np, name)(array, axis=along, keepdims=keepdims) for name in ('sum', 'mean', 'max')]
        tensors += [K.all(K.greater(p, 0), axis=axis, keepdims=keepdims)]
        truth += [np.all(array > 0, axis=along, keepdims=keepdims)]
    gradients = [K.gradients(K.square(K.mean(p, axis=-1, keepdims=keepdims)), p)[0]]
    gradients += [K.gradients(K.max(p, axis=0, keepdims=keepdims) * 2.0, p)[0]]
    truth += [np.broadcast_to(2 * array.mean(axis=-1, keepdims=True) / 3, shape)]
    truth += [2.0 * (array == array.max(axis=0, keepdims=True))]
    all_close(values_of(K, tensors + gradients, [(p, array)]), truth)


@covers('placeholder', 'mean', 'sum', 'maximum')
def test_two_of_them(K):
    """Two placeholders without a rank meet with values of different ranks."""
    p, q = K.placeholder(), K.placeholder()
    tensors = [p + q, p, K.sum(p * q), K.mean(K.maximum(p, q)), q * 2]
    call = K.function([p, q], tensors)
    for left, right in [((), (3,)), ((3,), ()), ((2, 1), (3,)), ((), ()), ((2, 3), (2, 3))]:
        a, b = random(left, 1), random(right, 2)
        all_close(call([a, b]), [a + b, a, np.sum(a * b), np.mean(np.maximum(a, b)), b * 2], scale=1.0)


@covers('placeholder', 'reshape', 'flatten', 'batch_flatten', 'shape', 'size', 'zeros_like', 'ones_like', 'softmax')
@pytest.mark.parametrize('shape', [(6,), (2, 3), (3, 1, 2)])
def test_given_a_shape(K, shape):
    """What gives it a shape, asks for its shape in a run, or makes a tensor of its shape."""
    p, array = K.placeholder(dtype='float64'), random(shape)
    flat = array.reshape(len(array), -1)
    ones = np.ones((flat.shape[1], 2))
    cases = [
        (K.reshape(p, (2, 3)), array.reshape(2, 3)),
        (K.reshape(p, (-1, 2)), array.reshape(-1, 2)),
        (K.flatten(p), array.ravel()),
        (K.batch_flatten(p), flat),
        (K.dot(K.batch_flatten(p), K.constant(ones, 'float64')), flat.dot(ones)),
        (K.shape(p), np.array(shape, 'int32')),
        (K.shape(p)[0], np.int32(shape[0])),
        (K.size(p), np.int32(6)),
        (K.zeros_like(p), np.zeros(shape)),
        (K.ones_like(p) + p, 1 + array),
        (K.softmax(p), np.exp(array) / np.exp(array).sum(-1, keepdims=True)),
        (K.gradients(K.reshape(p, (3, 2)) * K.constant(np.ones((3, 2)), 'float64'), p)[0], np.ones(shape)),
    ]
    assert K.int_shape(cases[0][0]) == (2, 3)
    assert K.ndim(cases[1][0]) == K.ndim(cases[3][0]) == 2
    values = values_of(K, [tensor for tensor, _ in cases], [(p, array)])
    for value, (_, expected) in zip(values, cases):
        close(value, expected)


@covers('placeholder', 'switch', 'in_train_phase')
@pytest.mark.parametrize('shape', [(), (3,), (2, 3)])
def test_choices(K, shape):
    """Both as a condition and as a value; a choice between values of the same rank, whatever it is."""
    p, array, yes = K.placeholder(dtype='float64'), random(shape), K.placeholder((), dtype='bool')
    tensors = [
        K.switch(p > 0, p, -p),
        K.switch(p > 0, p, K.zeros_like(p)),
        K.switch(K.sum(p) > 0, p * 2, p * 3),
        K.switch(yes, p * 2, p * 3),
        K.switch(yes, lambda: K.sum(p), lambda: K.mean(p)),
    ]
    for fed in True, False:
        truth = [
            np.abs(array),
            np.maximum(array, 0),
            array * (2 if array.sum() > 0 else 3),
            array * (2 if fed else 3),
            array.sum() if fed else array.mean(),
        ]
        all_close(values_of(K, tensors, [(p, array), (yes, fed)]), truth)


@covers('placeholder', 'categorical_crossentropy', 'binary_crossentropy', 'gradients')
def test_targets_of_losses(K):
    """As the target of a loss it needs no rank; the loss has that of the output."""
    p, x = K.placeholder(dtype='float64'), K.placeholder((None, 3), dtype='float64')
    target, scores = np.eye(3)[[0, 2]], random((2, 3))
    output = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    loss = K.categorical_crossentropy(p, K.softmax(x))
    tensors = [loss, K.mean(K.abs(x - p), axis=-1), K.gradients(loss, x)[0]]
    truth = [-np.log(output)[[0, 1], [0, 2]], np.abs(scores - target).mean(-1), output - target]
    all_close(values_of(K, tensors, [(p, target), (x, scores)]), truth, tolerance=1e-6)


@covers('placeholder', 'function', 'eval')
def test_what_is_not_fed(K, check):
    """Where it is needed and not fed, an error names it; what is no number is refused as for any placeholder."""
    p = K.placeholder(name='beta')
    with check.fails():
        K.eval(p * 2)
    with check.fails():
        K.function([], [p * 2])([])
    call = K.function([p], [p * 2])
    for wrong in 'a word', None, p:
        with pytest.raises((ValueError, TypeError)):
            call([wrong])
    with pytest.raises((ValueError, TypeError)):
        call([])
