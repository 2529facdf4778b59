"""Branches and steps as parts of a graph: what belongs to them, and the sizes that they read."""

import threading

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K

X = np.arange(24, dtype='float32').reshape(2, 3, 4) / 10


def choice(f):
    """f of a tensor of open sizes and its sizes in a branch: the values for both conditions."""
    x, flag = K.placeholder((None, None, 4)), K.placeholder((), dtype='bool')
    n, m = K.shape(x)[0], K.shape(x)[1]
    function = K.function([x, flag], [K.switch(flag, lambda: f(x, n, m), lambda: f(x, n, m) * 0)])
    assert not np.any(function([X, False])[0])
    return function([X, True])[0]


def steps(f):
    """The same in the steps over axis 1, of which f gets a slice."""
    x = K.placeholder((None, None, 4))
    n, m = K.shape(x)[0], K.shape(x)[1]
    _, outputs, _ = K.rnn(lambda e, states: (f(e, n, m), states), x, [K.zeros_like(x[:, 0])])
    return K.function([x], [outputs])([X])[0]


OF_CHOICES = {
    'reshape': (lambda x, n, m: K.reshape(x, (n, m * 4)), X.reshape(2, 12)),
    'own shape': (lambda x, n, m: K.reshape(x, (K.shape(x)[0], -1)), X.reshape(2, 12)),
    'tile': (lambda x, n, m: K.tile(x[:1, :1], K.stack([n, m, 1])), np.tile(X[:1, :1], (2, 3, 1))),
    'arange': (lambda x, n, m: x[:, :, 0] + K.cast(K.arange(m), 'float32'), X[:, :, 0] + np.arange(3)),
    'slice': (lambda x, n, m: x[:, : m - 1], X[:, :2]),
    'value': (lambda x, n, m: x * K.cast(n * m, 'float32'), X * 6),
    'the size itself': (lambda x, n, m: m + 0, 3),
    'normal': (lambda x, n, m: x + 0 * K.random_normal((n, m, 4)), X),
    'dropout': (lambda x, n, m: K.dropout(x, 0.5) * 0 + x, X),
    'choice': (lambda x, n, m: K.switch(K.sum(x) > 0, lambda: K.reshape(x, (n, m, 4)), lambda: -x), X),
    'map': (lambda x, n, m: K.map_fn(lambda e: K.reshape(e, (m, 4)) * K.cast(n, 'float32'), x), X * 2),
    'steps': (
        lambda x, n, m: K.rnn(
            lambda e, s: (K.switch(K.sum(e) > 0, lambda: K.reshape(e, (n, 4)) * K.cast(m, 'float32'), lambda: e), s),
            x,
            [K.zeros_like(x[:, 0])],
        )[1],
        X * 3,
    ),
}


@pytest.mark.parametrize('name', OF_CHOICES)
def test_sizes_in_a_branch(name):
    """Sizes that only a run knows are numbers in a branch, also under jit."""
    f, truth = OF_CHOICES[name]
    np.testing.assert_allclose(choice(f), truth, rtol=1e-6)


OF_STEPS = {
    'reshape': (lambda e, n, m: K.reshape(K.reshape(e, (n * 4,)), (n, 4)), X),
    'tile': (lambda e, n, m: K.tile(e[:1], K.stack([n, 1])), np.tile(X[:1], (2, 1, 1))),
    'value': (lambda e, n, m: e * K.cast(m, 'float32'), X * 3),
    'normal': (lambda e, n, m: e + 0 * K.random_normal((n, 4)), X),
}


@pytest.mark.parametrize('name', OF_STEPS)
def test_sizes_in_a_step(name):
    """The same of the steps of a loop."""
    f, truth = OF_STEPS[name]
    np.testing.assert_allclose(steps(f), truth, rtol=1e-6)


def test_gradients_through_sizes_in_a_branch():
    """The gradient of a choice whose branches reshape and repeat by sizes of a run."""
    x, flag = K.placeholder((None, None, 4)), K.placeholder((), dtype='bool')
    m = K.shape(x)[1]
    y = K.switch(
        flag, lambda: K.square(K.reshape(x, (-1, m * 4))), lambda: K.reshape(K.tile(x, [1, 1, 1]), (-1, m * 4))
    )
    (gradient,) = K.gradients(K.sum(y), [x])
    np.testing.assert_allclose(K.function([x, flag], [gradient])([X, True])[0], 2 * X, rtol=1e-6)


def drawn_once(dropped, x, flag):
    """Whether the tensor that was dropped before a choice is the same one in a branch and beside it."""
    beside, inside = K.function([x, flag], [dropped, K.switch(flag, lambda: dropped * 1, lambda: dropped * 0)])(
        [np.ones((5, 8)), True]
    )
    np.testing.assert_array_equal(beside, inside)
    assert 0 < np.sum(beside == 0) < beside.size


@pytest.mark.parametrize('clear', [K.clear_session, lambda: keras.utils.clear_session(free_memory=False)])
def test_what_was_made_before_the_session_was_cleared(clear):
    """Numbers in names begin again. A tensor that was there before a branch is still no part of it."""
    inputs, flag = K.placeholder((None, 8)), K.placeholder((), dtype='bool')
    x = inputs
    for _ in range(20):
        x = x * 1.0
    dropped = keras.layers.Dropout(0.5)(x, training=True)
    clear()
    drawn_once(dropped, inputs, flag)


def test_what_another_thread_made():
    """Keras numbers the tensors of each thread."""
    inputs, made = K.placeholder((None, 8)), []

    def elsewhere():
        x = inputs
        for _ in range(200):
            x = x * 1.0
        made.append(keras.layers.Dropout(0.5)(x, training=True))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    drawn_once(made[0], inputs, K.placeholder((), dtype='bool'))


def test_what_is_made_in_a_branch_is_no_part_of_the_rest():
    """A layer that a branch calls runs in that branch alone, whatever else it was called for."""
    x, flag = K.placeholder((None, 8)), K.placeholder((), dtype='bool')
    dense = keras.layers.Dense(8, kernel_initializer='ones')
    before = dense(x)
    outputs = [before, K.switch(flag, lambda: dense(x) * 2, lambda: before * 1)]
    function = K.function([x, flag], outputs)
    for value, factor in ((True, 2.0), (False, 1.0)):
        first, second = function([np.ones((1, 8)), value])
        np.testing.assert_allclose(second, first * factor)


@pytest.mark.parametrize('times_two', [lambda x: x * 2.0, lambda x: keras.ops.multiply(x, 2.0)])
def test_products_with_numbers_are_read_by_branches_and_steps(times_two):
    """They are dense. Keras says that they are sparse, and no model on PyTorch has a sparse input."""
    x, flag = K.placeholder((3, 4)), K.placeholder((), dtype='bool')
    y = times_two(x)
    branch = K.switch(flag, lambda: y + 1.0, lambda: y)
    steps = K.map_fn(lambda e: e + K.sum(y), x)
    for value, result in zip(
        (X[0] * 2 + 1, X[0] + np.sum(X[0] * 2)), K.function([x, flag], [branch, steps])([X[0], True])
    ):
        np.testing.assert_allclose(result, value, rtol=1e-5)
    assert not K.is_sparse(y)


def test_models_that_begin_with_a_product():
    """A model from a tensor of K to another one: the tensor may be a product with a number."""
    x = keras.Input((4,))
    y = K.dot(x, K.constant(np.eye(4))) * 2.0
    model = keras.Model(y, K.exp(y))
    np.testing.assert_allclose(model.predict(X[0], verbose=0), np.exp(X[0]), rtol=1e-5)
