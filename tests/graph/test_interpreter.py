"""Statements run one by one give what the printed function gives."""

import numpy as np

import keras_backend.engines.numpy_backend as K
from keras_backend.engines.numpy_backend import library
from keras_backend.graph.run.interpreter import Interpreter
from keras_backend.graph.run.lowering import lowered
from keras_backend.graph.run.program import Program


def interpreted(inputs, outputs, fed):
    """The values of tensors, of an interpreter with the kernels of NumPy."""
    lowering = lowered(Program(inputs, outputs, []), library)
    values = dict(lowering.constants)
    values.update((name, variable.data) for name, variable in lowering.variables.items())
    values.update(zip(lowering.inputs, fed))
    Interpreter(lowering, library).block(lowering.top, values)
    return [values[result.name] for result in lowering.results]


def compared(inputs, outputs, *fed):
    """The values, which the engine gives, too."""
    found = interpreted(inputs, outputs, fed)
    for ours, wanted in zip(found, K.function(inputs, outputs)(list(fed))):
        np.testing.assert_allclose(ours, wanted, rtol=1e-6)
    return found


def test_interpreted_loop_and_its_gradient():
    """Both directions, what is collected, last states, and a sum of products over time."""
    x, w = K.placeholder((None, 5, 2)), K.variable(np.eye(2) * 0.5)

    def step(e, states):
        h = K.tanh(e + K.dot(states[0], w))
        return h, [h]

    last, outputs, _states = K.rnn(step, x, [K.zeros_like(x[:, 0])])
    g = K.gradients(K.sum(last), [w, x])
    value = np.random.RandomState(0).randn(3, 5, 2).astype('float32')
    found = compared([x], [last, outputs, *g], value)
    h = np.zeros((3, 2))
    for t in range(5):
        h = np.tanh(value[:, t] + h @ (np.eye(2) * 0.5))
    np.testing.assert_allclose(found[0], h, rtol=1e-5)


def test_interpreted_choice():
    """Only the branch that is chosen runs, and the gradient takes the same."""
    x = K.placeholder((3,))
    y = K.switch(K.sum(x) > 0, lambda: x * 2.0, lambda: K.square(x))
    g = K.gradients(K.sum(y), [x])[0]
    up, down = np.array([1, 2, 3], 'float32'), np.array([-1, -2, 1], 'float32')
    np.testing.assert_array_equal(compared([x], [y, g], up), [up * 2, [2, 2, 2]])
    np.testing.assert_array_equal(compared([x], [y, g], down), [down**2, down * 2])


def test_interpreted_lists_of_steps_and_items():
    """A map over no entries, and primitives with several results."""
    x, i = K.placeholder((None, 2)), K.placeholder((None,), dtype='int32')
    table = K.variable(np.arange(40000).reshape(10000, 4))
    mapped = K.map_fn(lambda e: e * 3.0, x)
    step = table - 0.5 * K.gradients(K.sum(K.gather(table, i)), [table])[0]
    for rows in 0, 2:
        compared([x, i], [mapped, step], np.ones((rows, 2), 'float32'), np.array([7, 7, 1], 'int32'))
