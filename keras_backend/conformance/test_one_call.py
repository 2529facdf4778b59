"""A step function is called once. What it makes stays inside."""

import numpy as np
import pytest

from keras_backend.errors import ScopeError, ShapeError

from ._check import close, covers

LOOPS = {
    'map_fn': lambda K, step, x: K.map_fn(step, x),
    'foldl': lambda K, step, x: K.foldl(lambda total, e: total + step(e), x, K.zeros((2,))),
    'foldr': lambda K, step, x: K.foldr(lambda total, e: total + step(e), x, K.zeros((2,))),
    'rnn': lambda K, step, x: K.rnn(lambda e, s: (step(e), [s[0] + step(e)]), K.stack([x, x]), [K.zeros((2, 2))])[0],
}
ROWS = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in LOOPS])
def test_a_step_is_called_once(K, name):
    """However many steps there are, known or not."""
    for x in (K.variable(ROWS), K.placeholder((None, 2))):
        calls = []

        def step(e, calls=calls):
            calls.append(e)
            return K.tanh(e)

        LOOPS[name](K, step, x)
        assert len(calls) == (2 if name == 'rnn' else 1)


@covers('map_fn', 'foldl', 'gradients')
@pytest.mark.parametrize('depth', [3, 20])
def test_loops_in_loops_call_each_step_once(K, depth):
    """At any depth. The value is that of the formula."""
    # Inside Keras 3 what is made of a variable is computed at once: 2 ** depth elements.
    x = K.variable([0.5, 0.25], dtype='float64') if depth < 5 else K.placeholder((2,), dtype='float64')
    calls = []

    def nest(t, level):
        def step(e):
            calls.append(level)
            assert len(calls) <= depth, 'a step is called more than once'  # at a depth of 20 the calls would not end
            inner = K.tanh(e) if level == depth else K.sum(nest(K.stack([e, e * 0.5]), level + 1))
            return inner * 0.75

        return K.map_fn(step, t)

    y = nest(x, 1)
    assert calls == list(range(1, depth + 1))

    # Each level halves an element or leaves it.
    def truth(v, level):
        if level == depth:
            return np.tanh(v) * 0.75
        return 0.75 * (truth(v, level + 1) + truth(v * 0.5, level + 1))

    if depth < 5:
        array = np.array([0.5, 0.25])
        value, gradient = K.function([], [y, K.gradients(K.sum(y), [x])[0]])([])
        close(value, truth(array, 1))
        close(gradient, (truth(array + 1e-6, 1) - truth(array - 1e-6, 1)) / 2e-6, tolerance=1e-6)


def leaked(K, name):
    """A tensor of the inside of a step, and the tensor that the loop gives."""
    inside = []

    def step(e):
        inside.append(e * 2.0)
        return e + 1.0

    y = LOOPS[name](K, step, K.variable(ROWS))
    return inside[0], y


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name, 'function', 'eval')) for name in LOOPS])
def test_a_tensor_of_a_step_stays_inside(K, check, name):
    """Its value outside is an error that says so, and so is that of what is made of it."""
    inside, y = leaked(K, name)
    for use in (
        lambda: K.eval(inside),
        lambda: K.eval(K.tanh(inside)),
        lambda: K.function([], [inside]),
        lambda: K.function([], [y + K.sum(inside)]),
        lambda: K.eval(K.map_fn(lambda e: e + inside, K.variable(ROWS))),
    ):
        with check.rejects('belongs to the inside of', error=ScopeError):
            use()
    K.eval(y)


@covers('map_fn', 'switch', 'eval')
def test_a_tensor_of_a_step_stays_inside_of_a_branch(K, check):
    """A branch cannot return it in place of what the loop gives."""
    x, inside = K.variable(ROWS), []

    def branch():
        K.map_fn(lambda e: inside.append(e * 2.0) or e, x)
        return inside[0]

    with check.rejects('belongs to the inside of', error=ScopeError):
        K.eval(K.switch(K.placeholder((), dtype='bool'), branch, lambda: x[0]))


@covers('map_fn', 'function')
def test_a_function_inside_of_a_step(K, check):
    """It computes what comes from outside, and refuses what belongs to the step."""
    v, results = K.variable([1.0, 2.0]), []

    def step(e):
        results.append(K.function([], [v * 2.0])([])[0])
        with check.rejects('belongs to the inside of', error=ScopeError):
            K.function([], [e * 2.0])
        return e + 1.0

    y = K.map_fn(step, K.variable(ROWS))
    close(results[0], [2.0, 4.0])
    close(K.eval(y), ROWS + 1)


@covers('rnn')
def test_no_steps_in_the_run(K, check):
    """A length of 0 that only the run knows is an error of the same class as one that is known."""
    x = K.placeholder((2, None, 3))
    for options in ({}, {'mask': K.placeholder((2, None))}):
        last, outputs, _ = K.rnn(lambda e, s: (e + s[0], [e]), x, [K.zeros((2, 3))], **options)
        feeds = [x, *options.values()]
        function = K.function(feeds, [last, outputs])
        with check.rejects('needs at least 1 time step', error=ShapeError):
            function([np.zeros((2, 0, 3)), np.zeros((2, 0))][: len(feeds)])
        assert function([np.ones((2, 4, 3)), np.ones((2, 4))][: len(feeds)])[1].shape == (2, 4, 3)


@covers('variable')
def test_an_index_into_an_axis_of_size_0(K, check):
    """The error names the axis, the tensor and its shape."""
    for x in (K.variable(np.zeros((2, 0, 2)), name='table'), K.placeholder((2, 0, 2), name='table')):
        with check.rejects('ndex 0 is out of range', 'axis 1', 'table', '(2, 0, 2)', error=ShapeError):
            x[:, 0]
