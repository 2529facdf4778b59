"""A function that is built again runs what was compiled before, where its program has the same structure."""

import gc
import weakref

import numpy as np
import pytest

import keras_backend as K
from keras_backend.engines.jax_backend.compiled_function import CompiledFunction
from keras_backend.errors import ShapeError

X = np.random.RandomState(5).normal(size=(3, 4)).astype('float32')


def compiled(function):
    """What a function runs, once it has run."""
    run = function._run
    assert isinstance(run, CompiledFunction)
    assert run.reason is None
    return run


def ran(tensors, outputs, feeds, updates=()):
    """The results of a new function, and how often JAX has traced it."""
    function = K.function(tensors, outputs, updates)
    results = function(feeds)
    return results, compiled(function).traces


def model(units=4, rate=0.5):
    """A placeholder, a loss of two layers, and the updates of a step of gradient descent."""
    x, w = K.placeholder((None, 4)), K.variable(np.ones((4, units)))
    loss = K.mean(K.square(K.tanh(K.dot(x, w))))
    (gradient,) = K.gradients(loss, [w])
    return x, w, loss, [K.update(w, w - rate * gradient)]


def test_same_tensors_are_compiled_once():
    """Built again over the same tensors, a training function goes on where the first one stopped."""
    x, w, loss, updates = model()
    first, traced = ran([x], [loss], [X], updates)
    assert 1 == traced
    expected = np.ones((4, 4)) - 0.5 * gradient_of(np.ones((4, 4)))
    np.testing.assert_allclose(K.get_value(w), expected, rtol=1e-5)
    second, traced = ran([x], [loss], [X], updates)
    assert 0 == traced
    assert second[0] < first[0]
    np.testing.assert_allclose(K.get_value(w), expected - 0.5 * gradient_of(expected), rtol=1e-4)


def gradient_of(w):
    """The gradient of mean(tanh(X w) ** 2), in float64."""
    t = np.tanh(X.astype('float64') @ w)
    return X.astype('float64').T @ (2 * t * (1 - t**2) / t.size)


def test_same_statements_are_compiled_once():
    """A program that is recorded again, with variables of its own, has its own numbers."""
    K.clear_session()
    ran_of = []
    for scale in 1.0, 3.0:
        x, w, loss, updates = model()
        K.set_value(w, np.full((4, 4), scale))
        ran_of.append((*ran([x], [loss], [X], updates), K.get_value(w), scale))
    assert [1, 0] == [traced for _results, traced, _w, _scale in ran_of]
    for (loss,), _traced, w, scale in ran_of:
        old = np.full((4, 4), scale)
        np.testing.assert_allclose(loss, np.mean(np.tanh(X @ old) ** 2), rtol=1e-5)
        np.testing.assert_allclose(w, old - 0.5 * gradient_of(old), rtol=1e-4)


@pytest.mark.parametrize(
    'make',
    [
        lambda x, n: x * float(n),
        lambda x, n: K.reshape(x, (-1, 2 * n)),
        lambda x, n: x + K.constant(np.full((4,), n, 'float32')),
        lambda x, n: x * K.constant(np.full((3, 4), n, 'float32')),
        lambda x, n: K.sum(x, axis=n - 1),
        lambda x, n: x[n:],
        lambda x, n: x[:, n],
        lambda x, n: K.cast(x, 'int32' if n == 1 else 'float64'),
        lambda x, n: K.one_hot(K.cast(x > 0, 'int32'), n + 1),
        lambda x, n: K.rnn(
            lambda step, states: (step + n * states[0], [step + n * states[0]]),
            K.expand_dims(x, -1),
            [K.zeros_like(x[:, :1])],
            go_backwards=n == 2,
        )[1],
        lambda x, n: K.switch(K.sum(x) > n - 3.0, lambda: x * n, lambda: x - n),
        lambda x, n: K.map_fn(lambda row: row * n, x),
        lambda x, n: K.dropout(x, 0.25 * n, seed=1) * 0 + n,
        lambda x, n: (K.exp if n == 1 else K.square)(x),
        lambda x, n: K.constant(7.0 * n, dtype='float32') * x,
        lambda x, n: K.concatenate([x, x * n] if n == 1 else [x * n, x]),
    ],
)
def test_another_program_is_compiled_anew(make):
    """Programs that differ in a number, an axis, a dtype, an operation or an order do not meet."""
    x = K.placeholder((3, 4))
    for n in 1, 2, 1:
        (found,) = K.function([x], [make(x, n)])([X])
        np.testing.assert_array_equal(found, K.eval(make(K.constant(X), n)))


def test_numbers_of_kinds_that_are_equal_in_python():
    """1, 1.0 and True, and 0.0 and -0.0, are equal, and stand for other programs."""
    x = K.placeholder((3,))
    one, two = [K.function([x], [x * K.constant(zero)])([np.ones(3)])[0] for zero in (0.0, -0.0)]
    assert not np.signbit(one).any()
    assert np.signbit(two).all()


def test_a_wrong_place_is_named_after_its_own_program():
    """The second function of a structure says the names of its own tensors."""
    for name in 'first', 'second':
        table, i = (
            K.variable(np.ones((3, 2)), name=name),
            K.placeholder((None,), dtype='int32', name=f'places_of_{name}'),
        )
        function = K.function([i], [K.gather(table, i + 1)])
        function([[0, 1]])
        with pytest.raises(ShapeError, match=f'(?s)K.gather.*{name}'):
            function([[0, 2]])
        assert ('first' == name) == bool(compiled(function).traces)


def test_draws_are_each_function_s_own():
    """Two functions of one structure draw what they would draw alone."""
    drawn = []
    for seed in 1, 2, 1:
        function = K.function([], [K.random_uniform((5,), seed=seed)])
        drawn.append([function([])[0], function([])[0]])
    np.testing.assert_array_equal(drawn[0], drawn[2])
    assert not np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0][0], drawn[0][1])


def test_another_shape_is_traced_for_the_function_that_is_called():
    """The first function may be gone when JAX traces once more."""
    K.clear_session()
    for rows in 3, 5:
        x, w, loss, updates = model()
        (value,), traced = ran([x], [loss], [np.resize(X, (rows, 4))], updates)
        assert 1 == traced
        np.testing.assert_allclose(value, np.mean(np.tanh(np.resize(X, (rows, 4)) @ np.ones((4, 4))) ** 2), rtol=1e-5)
        del x, w, loss, updates
        gc.collect()


def test_what_is_compiled_keeps_no_variable():
    """The memory of a model goes with the model, though what was compiled for it stays."""
    x, w, loss, updates = model(units=7)
    function = K.function([x], [loss], updates)
    function([X])
    kept = weakref.ref(w)
    del x, w, loss, updates, function
    gc.collect()
    assert kept() is None


def test_a_cleared_session_gives_up_what_was_compiled():
    """After K.clear_session() a function is compiled anew."""
    x, _w, loss, updates = model(units=6)
    assert 1 == ran([x], [loss], [X], updates)[1]
    K.clear_session()
    x, _w, loss, updates = model(units=6)
    assert 1 == ran([x], [loss], [X], updates)[1]
