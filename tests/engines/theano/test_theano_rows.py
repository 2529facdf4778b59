"""Updates with the gradient of a lookup on the Theano engine: what the compiled function does and writes into."""

from importlib import import_module

import numpy as np
import pytest

import keras_backend.engines.theano_backend as K  # before Theano, which newer Pythons import by way of it alone
from keras_backend.engines.theano_backend.functions.rewritings import OntoRows
from keras_backend.engines.theano_backend.vendor import NAME, theano

ROWS, WIDTH = 5000, 4


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def lookup():
    """A table, a placeholder of indices, and the gradient of a lookup."""
    table, indices = K.variable(np.ones((ROWS, WIDTH))), K.placeholder((None, 3), dtype='int32')
    return table, indices, K.gradients(K.sum(K.square(K.gather(table, indices))), [table])[0]


def by_norm(g):
    """The gradient with a norm of at most 0.5, as the optimizers of Keras write it."""
    norm = K.sqrt(sum([K.sum(K.square(g))]))
    return K.switch(norm >= 0.5, g * 0.5 / norm, g)


def operations(function):
    return [node.op for node in function.compiled.maker.fgraph.apply_nodes]


def compiled():
    """The mode that compiles, whatever the library is configured for."""
    if NAME == 'Theano':
        modes = import_module('keras_backend.engines.theano_backend.functions.modes')
        return modes._ours(theano.compile.mode.Mode('cvm', 'fast_run')).including('keras_c')
    return import_module('keras_backend.engines.theano_backend.functions.pytensor_modes')._compiled


def rewritten(function, values):
    """The operations on rows of a function; it has no dense gradient."""
    function(values)
    made = operations(function)
    assert not any('scatter_add' in str(op) or 'IncSubtensor' in str(op) for op in made)
    return [op for op in made if isinstance(op, OntoRows)]


def test_a_step_has_no_dense_gradient():
    """Gradient descent and its variants are operations on rows, also where the sum is part of a larger formula."""
    table, indices, g = lookup()
    velocity = K.zeros((ROWS, WIDTH))
    step = 0.75 * velocity - 0.125 * g
    for updates, count in (
        ([(table, table - 0.125 * g)], 1),
        ([K.update_sub(table, 0.125 * K.clip(g, -1.0, 1.0))], 1),
        ([(table, table - 0.125 * by_norm(g))], 1),
        ([(table, K.square(g) * 0.5 + table)], 1),
        ([(velocity, step), (table, table + step)], 1),
        ([(velocity, 0.5 * velocity + K.square(g)), (table, table - g)], 2),
    ):
        assert len(rewritten(K.function([indices], [], updates=updates), [[[1, 2, 1]]])) == count


def test_what_else_needs_the_gradient_has_it():
    """A dense gradient that is an output is the same array as before."""
    table, indices, g = lookup()
    function = K.function([indices], [g], updates=[(table, table - 0.5 * g)])
    (value,) = function([[[7, 2, 7]]])
    expected = np.zeros((ROWS, WIDTH))
    expected[[2, 7]] = [[2.0], [4.0]]
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_array_equal(K.get_value(table), 1 - 0.5 * expected)
    assert len([op for op in operations(function) if isinstance(op, OntoRows)]) == 1


@pytest.mark.skipif(not theano.config.cxx, reason='needs a compiler')
def test_rows_are_written_into_the_variable():
    """A compiled step works in place, after all that can fail."""
    mode = compiled()
    table, indices, g = lookup()
    x = K.placeholder((None,))
    function = K.function(
        [indices, x], [K.gather(x, K.constant([1], 'int32'))], updates=[(table, table - 0.5 * g)], mode=mode
    )
    before = table.container.storage[0]
    with pytest.raises(IndexError):
        function([[[7, 2, 7]], np.ones(1)])
    assert (before == 1).all()
    assert [op.inplace for op in rewritten(function, [[[7, 2, 7]], np.ones(2)])] == [True]
    assert table.container.storage[0] is before
    assert before[7, 0] == -1
    assert before[2, 0] == 0
