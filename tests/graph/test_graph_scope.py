"""What belongs to the inside of a step function or a branch stays there, whichever way it is taken out."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K
from keras_backend.errors import ScopeError


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


@pytest.fixture
def x():
    return K.placeholder((2, 3, 4))


@pytest.fixture
def leaked(x):
    """A tensor of the inside of a step function."""
    inner = []

    def step(e, states):
        inner.append(K.exp(e))
        return inner[0], []

    K.rnn(step, x, [])
    return inner[0]


WAYS = {
    'an operand': lambda x, t: t + 1.0,
    'an output': lambda x, t: K.function([x], [t]),
    'an input': lambda x, t: K.function([x, t], [x + 1.0]),
    'evaluated': lambda x, t: K.eval(t),
    'a dependency': lambda x, t: K.control_dependencies([t]),
    'the loss': lambda x, t: K.gradients(t, [x]),
    'a target of gradients': lambda x, t: K.gradients(K.sum(x), [t]),
    'a branch': lambda x, t: K.switch(K.sum(x) > 0, t, t),
    'returned by a branch': lambda x, t: K.switch(K.sum(x) > 0, lambda: t, lambda: t),
    'a sequence': lambda x, t: K.map_fn(K.exp, t),
    'mapped to': lambda x, t: K.map_fn(lambda e: t, x),
    'an initial state': lambda x, t: K.rnn(lambda e, s: (e, [s[0]]), x, [t]),
    'a new state': lambda x, t: K.rnn(lambda e, s: (e, [t]), x, [x[:, 0]]),
    'a constant of a loop': lambda x, t: K.rnn(lambda e, s: (s[0], []), x, [], constants=[t]),
    'an initializer': lambda x, t: K.foldl(lambda acc, e: acc, x, initializer=t),
    'the new value of an update': lambda x, t: K.function([x], [], updates=[(K.variable(np.zeros((2, 4))), t)]),
}


@pytest.mark.parametrize('way', sorted(WAYS))
def test_inner_tensor_is_refused_outside(x, leaked, way):
    """However a tensor of a step is used outside of it, the error names the tensor and the step."""
    with pytest.raises(ScopeError, match='exp_1 belongs to the inside of the step function of K.rnn'):
        WAYS[way](x, leaked)


def test_inner_condition_is_refused_outside(x):
    """So is a condition that only a step has."""
    inner = []
    K.map_fn(lambda e: inner.append(K.sum(e)) or e, x)
    with pytest.raises(ScopeError, match='K.map_fn'):
        K.switch(inner[0], lambda: x, lambda: x)


def test_tensor_of_a_step_that_failed_is_refused(x):
    """A step that raises leaves nothing behind: recording goes on outside, its tensors stay inside."""
    inner = []

    def step(e, states):
        inner.append(K.exp(e))
        raise KeyError('mine')

    for record in (
        lambda: K.rnn(step, x, []),
        lambda: K.switch(K.sum(x) > 0, lambda: step(x, []), lambda: x),
        lambda: K.map_fn(lambda e: step(e, []), x),
        lambda: K.foldl(step, x),
    ):
        with pytest.raises(KeyError, match='mine'):
            record()
    with pytest.raises(ScopeError):
        K.eval(inner[0])
    assert np.all(2.0 == K.function([x], [x + 1.0])([np.ones((2, 3, 4))])[0])


def test_update_inside_is_refused_where_it_would_run(x):
    """An update runs once per call, so one made inside of a step or branch is an error, however it is asked for."""
    v, made = K.variable(0.0), []

    def branch():
        made.append(K.update(v, K.sum(x)))
        return made[-1]

    y = K.switch(K.sum(x) > 0, branch, lambda: v * 1.0)
    for build in (
        lambda: K.function([x], [y]),
        lambda: K.function([x], [], updates=[made[0]]),
        lambda: K.function([x], [made[0]]),
    ):
        with pytest.raises(ScopeError, match='return the new value from there and update outside'):
            build()
    K.function([x], [], updates=[(v, K.switch(K.sum(x) > 0, lambda: K.sum(x), lambda: v * 1.0))])([np.ones((2, 3, 4))])
    assert 24.0 == float(K.get_value(v))


def test_function_made_inside_of_a_block(x):
    """What K.function records to put updates together belongs to the function, whatever block it is made in."""
    v, w, made = K.variable(1.0), K.variable(0.0), []

    def step(e, states):
        made.append(K.function([], [], updates=updates))
        return e, []

    updates = [K.update_add(v, 2.0), K.moving_average_update(v, 5.0, 0.5)]
    K.rnn(step, x, [])
    with K.control_dependencies([K.update_add(w, 1.0)]):
        step(x, [])
    for function in made:
        K.set_value(v, 1.0)
        function([])
        assert (5.0, 0.0) == (K.get_value(v), K.get_value(w))
