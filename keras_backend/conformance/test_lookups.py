"""Updates with the gradient of a lookup. Engines may compute them by rows; the numbers are those of dense tables."""

import numpy as np
import pytest
from hypothesis import strategies as st

from ._check import close, covers, given, random

pytestmark = covers('gather', 'gradients', 'function', 'update')
# more than an engine takes for small
ROWS, WIDTH = 2500, 4
PICKED = np.array([[3, 0, 3, 2499], [7, 3, 0, 11]])
FACTORS = random((2, 4, WIDTH), seed=5)


def scattered(indices, values, rows=ROWS):
    """Zeros with `values` added at `indices`."""
    table = np.zeros((rows,) + values.shape[np.ndim(indices) :])
    np.add.at(table, indices, values)
    return table


GRADIENT = scattered(PICKED, FACTORS)


def lookup(K, dtype='float64', shape=(ROWS, WIDTH)):
    """A table, its start, a placeholder of indices, and the gradient, which is GRADIENT where PICKED are fed."""
    start = random(shape, seed=1, dtype=dtype)
    table, indices = K.variable(start, dtype=dtype), K.placeholder((None, 4), dtype='int32')
    loss = K.sum(K.gather(table, indices) * K.constant(FACTORS, dtype=dtype))
    return table, start.astype('float64'), indices, K.gradients(loss, [table])[0]


def untouched(*indices):
    """The numbers of the rows that are not among `indices`."""
    return np.setdiff1d(np.arange(ROWS), np.concatenate([np.ravel(i) for i in indices]))


def norm(K, g):
    """The norm of a tensor, as the optimizers of Keras write it."""
    return K.sqrt(sum([K.sum(K.square(g))]))


def clipped(g, most):
    """An array, scaled to a norm of at most `most`."""
    n = np.sqrt(np.sum(g * g))
    return g * most / n if n >= most else g


def by_norm(K, g, most, sizes=norm):
    """The same of a tensor, as the optimizers of Keras write it."""
    n = sizes(K, g)
    return K.switch(n >= most, g * most / n, g)


STEPS = {
    'v - r * g': (lambda K, v, g: (v, v - 0.125 * g), lambda v, g: v - 0.125 * g),
    'v - g * r': (lambda K, v, g: (v, v - g * 0.125), lambda v, g: v - 0.125 * g),
    'v + -r * g': (lambda K, v, g: (v, v + -0.125 * g), lambda v, g: v - 0.125 * g),
    '-(r * g) + v': (lambda K, v, g: (v, -(0.125 * g) + v), lambda v, g: v - 0.125 * g),
    'v - g': (lambda K, v, g: (v, v - g), lambda v, g: v - g),
    'v - g / r': (lambda K, v, g: (v, v - g / 8.0), lambda v, g: v - 0.125 * g),
    'v - r * (s * g)': (lambda K, v, g: (v, v - 0.5 * (0.25 * g)), lambda v, g: v - 0.125 * g),
    'r * g - v': (lambda K, v, g: (v, 0.125 * g - v), lambda v, g: 0.125 * g - v),
    'update_add': (lambda K, v, g: K.update_add(v, -0.125 * g), lambda v, g: v - 0.125 * g),
    'update_sub': (lambda K, v, g: K.update_sub(v, 0.125 * g), lambda v, g: v - 0.125 * g),
    'update': (lambda K, v, g: K.update(v, v - 0.125 * g), lambda v, g: v - 0.125 * g),
    'square': (lambda K, v, g: (v, v + 0.5 * K.square(g)), lambda v, g: v + 0.5 * g * g),
    'product': (lambda K, v, g: (v, v - g * g), lambda v, g: v - g * g),
    'clipped': (lambda K, v, g: (v, v - K.clip(g, -0.5, 0.5)), lambda v, g: v - np.clip(g, -0.5, 0.5)),
    'clipped apart from 0': (lambda K, v, g: (v, v - K.clip(g, 0.25, 0.5)), lambda v, g: v - np.clip(g, 0.25, 0.5)),
    'a factor for each column': (
        lambda K, v, g: (v, v - K.constant([1.0, 2.0, 3.0, 4.0], dtype=K.dtype(v)) * g),
        lambda v, g: v - [1.0, 2.0, 3.0, 4.0] * g,
    ),
    'a number more': (lambda K, v, g: (v, v - (g + 0.5)), lambda v, g: v - (g + 0.5)),
    'decay': (lambda K, v, g: (v, 0.75 * v + 0.25 * g), lambda v, g: 0.75 * v + 0.25 * g),
    'decay of squares': (
        lambda K, v, g: (v, 0.75 * v + 0.25 * K.square(g)),
        lambda v, g: 0.75 * v + 0.25 * np.square(g),
    ),
    'penalty': (lambda K, v, g: (v, v - 0.125 * (g + 0.5 * v)), lambda v, g: v - 0.125 * (g + 0.5 * v)),
    'constraint': (lambda K, v, g: (v, K.clip(v - g, -1.0, 1.0)), lambda v, g: np.clip(v - g, -1, 1)),
    'clipped by its norm': (
        lambda K, v, g: (v, v - g * (0.5 / K.sqrt(K.sum(K.square(g))))),
        lambda v, g: v - g * (0.5 / np.sqrt(np.sum(g * g))),
    ),
    'clipped by its norm, which is larger': (
        lambda K, v, g: (v, v - by_norm(K, g, 0.5)),
        lambda v, g: v - clipped(g, 0.5),
    ),
    'clipped by its norm, which is smaller': (lambda K, v, g: (v, v - by_norm(K, g, 99.0)), lambda v, g: v - g),
    'clipped by its norm of powers': (
        lambda K, v, g: (v, v - 0.5 * by_norm(K, g, 0.5, lambda K, g: K.sqrt(K.sum(g**2)))),
        lambda v, g: v - 0.5 * clipped(g, 0.5),
    ),
    'clipped by its norm of products': (
        lambda K, v, g: K.update_sub(v, by_norm(K, g, 0.5, lambda K, g: K.sqrt(K.sum(g * g)))),
        lambda v, g: v - clipped(g, 0.5),
    ),
    'clipped by its norm in a branch': (
        lambda K, v, g: (v, v - K.switch(norm(K, g) >= 0.5, lambda: g * 0.5 / norm(K, g), lambda: g)),
        lambda v, g: v - clipped(g, 0.5),
    ),
    'decay of what is clipped': (
        lambda K, v, g: (v, 0.75 * v - by_norm(K, g, 0.5)),
        lambda v, g: 0.75 * v - clipped(g, 0.5),
    ),
    'one of two that are not alike': (
        lambda K, v, g: (v, v - K.switch(norm(K, g) >= 0.5, g, 0.5 * v)),
        lambda v, g: v - g,
    ),
    'a choice whose sum counts': (
        lambda K, v, g: (v, v - 0.125 * g * K.sum(K.square(by_norm(K, g, 0.5)))),
        lambda v, g: v - 0.125 * g * np.sum(np.square(clipped(g, 0.5))),
    ),
    'a sum of what is not 0 elsewhere': (
        lambda K, v, g: (v, v - 0.125 * g * K.sum(K.maximum(g, 0.25))),
        lambda v, g: v - 0.125 * g * np.sum(np.maximum(g, 0.25)),
    ),
    'a sum of powers of 0': (
        lambda K, v, g: (v, v - 0.125 * g * K.sum(K.pow(g, 0.0))),
        lambda v, g: v - 0.125 * g * g.size,
    ),
    'sums of columns': (
        lambda K, v, g: (v, v - 0.125 * g * K.sum(K.square(g), axis=0)),
        lambda v, g: v - 0.125 * g * np.sum(g * g, axis=0),
    ),
    'a sum that keeps its axes': (
        lambda K, v, g: (v, v - 0.125 * g * K.sum(K.square(g), axis=[0, 1], keepdims=True)),
        lambda v, g: v - 0.125 * g * np.sum(g * g),
    ),
    'twice': (lambda K, v, g: (v, v - 0.5 * g - 0.25 * g), lambda v, g: v - 0.75 * g),
}


@pytest.mark.parametrize('step', sorted(STEPS))
def test_steps_with_the_gradient_of_a_lookup(K, step):
    """Each formula gives what it gives for the dense gradient, in two runs. A row that is read twice counts twice."""
    table, expected, indices, g = lookup(K)
    make, formula = STEPS[step]
    function = K.function([indices], [], updates=[make(K, table, g)])
    for _ in range(2):
        function([PICKED])
        expected = formula(expected, GRADIENT)
        close(K.get_value(table), expected)


@pytest.mark.parametrize('step', ['v - r * g', 'v + -r * g', 'r * g - v', 'update_sub', 'decay'])
@pytest.mark.parametrize('rows', [5, 2048, 2049])
def test_steps_on_tables_of_each_size(K, rows, step):
    """A table of at most 8,192 elements is changed as a whole, a larger one by rows: the formula is the same."""
    table, start, indices, g = lookup(K, shape=(rows, WIDTH))
    make, formula = STEPS[step]
    picked = np.array([[3, 0, 3, rows - 1], [4, 3, 0, 1]])
    K.function([indices], [], updates=[make(K, table, g)])([picked])
    close(K.get_value(table), formula(start, scattered(picked, FACTORS, rows)))


@pytest.mark.parametrize(
    ('shape', 'picked'),
    [(shape, picked) for shape in [(3, 0), (3, 0, 2), (3, 2, 0)] for picked in [(2, 2), (2, 0), (0,), ()]]
    + [(shape, picked) for shape in [(0, 2), (0, 0)] for picked in [(2, 0), (0,)]],
)
def test_steps_on_tables_without_elements(K, shape, picked):
    """The gradient and the new value have the shape of the table, also where other functions read the table."""
    table, indices = K.variable(np.zeros(shape)), K.placeholder(picked, dtype='int32')
    read = K.sum(K.square(K.gather(table, indices)))
    losses = [read, read + K.sum(table), read + K.sum(K.gather(table, indices))]
    for loss in losses:
        (g,) = K.gradients(loss, [table])
        (shown,) = K.function([indices], [g], updates=[(table, table - 0.5 * g)])([np.zeros(picked, 'int32')])
        assert shown.shape == shape
        assert K.get_value(table).shape == shape


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_rows_that_were_not_read_keep_every_bit(K, dtype):
    """A step of gradient descent leaves the other rows exactly as they were, whatever numbers these are."""
    table, start, indices, g = lookup(K, dtype)
    others = untouched(PICKED)
    start[others[:3], 1] = np.inf, -np.inf, np.nan
    K.set_value(table, start)
    before = K.get_value(table)
    K.function([indices], [], updates=[(table, table - 0.125 * g)])([PICKED])
    after = K.get_value(table)
    assert after.dtype.name == dtype
    np.testing.assert_array_equal(after[others], before[others])
    close(after[np.unique(PICKED)], (start - 0.125 * GRADIENT)[np.unique(PICKED)])


@pytest.mark.parametrize('rate', [np.inf, -np.inf, np.nan])
def test_rates_that_are_not_finite(K, rate):
    """The rate times 0 is NaN then, for the rows that were not read, too."""
    table, start, indices, g = lookup(K)
    r = K.variable(rate, dtype='float64')
    K.function([indices], [], updates=[(table, table - r * g)])([PICKED])
    with np.errstate(invalid='ignore'):
        np.testing.assert_array_equal(K.get_value(table), start - rate * GRADIENT)


@pytest.mark.parametrize('factor', [np.inf, np.nan])
def test_sums_that_are_not_finite(K, factor):
    """A sum of a gradient times infinity is NaN, because of the rows that were not read."""
    table, _start, indices, g = lookup(K)
    total = K.sum(K.square(g * K.variable([1.0, factor, 1.0, 1.0], dtype='float64')))
    (shown,) = K.function([indices], [total], updates=[(table, table - g)])([PICKED])
    assert np.isnan(shown)


def test_rates_that_change(K):
    """The rate may be a variable, fed, or computed, and change from run to run."""
    table, expected, indices, g = lookup(K)
    rate, count = K.variable(0.5, dtype='float64'), K.variable(0.0, dtype='float64')
    fed = K.placeholder((), dtype='float64')
    now = rate * fed / (1.0 + count)
    function = K.function([indices, fed], [now], updates=[K.update_add(count, 1.0), K.update_sub(table, now * g)])
    for i, value in enumerate([0.5, -2.0, 0.25]):
        at = 0.5 * value / (1 + i)
        close(function([PICKED, value])[0], at)
        expected = expected - at * GRADIENT
        close(K.get_value(table), expected)


@pytest.mark.parametrize('shape', [(), (3,), (2, 1, 3), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize('tail', [(), (4,), (2, 3)], ids=str)
def test_ranks_of_tables_and_indices(K, shape, tail):
    """Tables may have one axis or several, and indices any number of them. No index at all changes nothing."""
    start, at = random((9000,) + tail, seed=2), np.arange(int(np.prod(shape)), dtype='int32').reshape(shape) * 7 % 5
    table, indices = K.variable(start, dtype='float64'), K.placeholder(shape, dtype='int32')
    factor = random(shape + tail, seed=3)
    g = K.gradients(K.sum(K.gather(table, indices) * K.constant(factor, dtype='float64')), [table])[0]
    K.function([indices], [], updates=[(table, table - 0.5 * g)])([at])
    close(K.get_value(table), start - 0.5 * scattered(at, factor, 9000))


def test_several_lookups_of_one_table(K):
    """The gradients of two lookups add up, before they are squared."""
    for formula in (lambda v, g: v - 0.5 * g, lambda v, g: v + 0.5 * g * g):
        start, other = random((ROWS, WIDTH), seed=1), np.array([3, 5, 5])
        table = K.variable(start, dtype='float64')
        i, j = K.placeholder((2, 4), dtype='int32'), K.placeholder((3,), dtype='int32')
        loss = K.sum(K.gather(table, i) * K.constant(FACTORS, dtype='float64')) - K.sum(K.gather(table, j))
        g = K.gradients(loss, [table])[0]
        K.function([i, j], [], updates=[(table, formula(table, g))])([PICKED, other])
        close(K.get_value(table), formula(start, GRADIENT - scattered(other, np.ones((3, WIDTH)))))


@covers('dot')
def test_a_table_that_is_read_in_two_ways(K):
    """A product with the whole table makes the gradient dense."""
    table, start, indices, _g = lookup(K)
    x = random((3, ROWS), seed=4)
    loss = K.sum(K.dot(K.constant(x, dtype='float64'), table)) + 2.0 * K.sum(K.gather(table, indices))
    g = K.gradients(loss, [table])[0]
    K.function([indices], [], updates=[(table, table - 0.125 * g)])([PICKED])
    dense = x.sum(axis=0)[:, None] + 2 * scattered(PICKED, np.ones((2, 4, WIDTH)))
    close(K.get_value(table), start - 0.125 * dense)


def test_gradient_of_a_lookup_is_a_tensor(K):
    """It has the shape and dtype of the table, takes part in arithmetic, and is an array as an output."""
    table, start, indices, g = lookup(K)
    assert K.int_shape(g) == (ROWS, WIDTH)
    assert K.dtype(g) == 'float64'
    assert K.ndim(g) == 2
    outputs = [g, g * 2.0, g + 1.0, g - table, K.sum(g, axis=0), K.square(g), K.dot(K.transpose(g), g), g[3], -g]
    values = K.function([indices], outputs, updates=[(table, table - 0.125 * g)])([PICKED])
    dense = GRADIENT
    expected = [dense, dense * 2, dense + 1, dense - start, dense.sum(axis=0), dense**2, dense.T.dot(dense), dense[3]]
    for value, truth in zip(values, expected + [-dense]):
        assert isinstance(value, np.ndarray)
        close(value, truth)
    close(K.get_value(table), start - 0.125 * dense)


def test_outputs_and_values_stay_what_they_are(K):
    """Outputs have the values before the update, and no later run changes them, nor what get_value gave."""
    table, start, indices, g = lookup(K)
    function = K.function([indices], [table, K.identity(table), table[1:], g], updates=[(table, table - 0.5 * g)])
    kept = [K.get_value(table)] + K.batch_get_value([table])
    first = function([PICKED])
    after = K.get_value(table)
    second = function([PICKED])
    for value in kept + first[:2]:
        close(value, start)
    close(first[2], start[1:])
    close(first[3], GRADIENT)
    for value in [after] + second[:2]:
        close(value, start - 0.5 * GRADIENT)
    close(K.get_value(table), start - GRADIENT)


def test_momentum_with_lookups(K):
    """Gradient descent with momentum: the velocity changes in all rows, the weights follow the old values."""
    table, p, indices, g = lookup(K)
    velocity, beta = K.zeros((ROWS, WIDTH), dtype='float64'), K.variable(0.75, dtype='float64')
    v = beta * velocity - 0.125 * g
    function = K.function([indices], [K.sum(velocity)], updates=[K.update(velocity, v), K.update(table, table + v)])
    m = np.zeros_like(p)
    for picked in (PICKED, PICKED[::-1], PICKED):
        close(function([picked])[0], m.sum(), scale=10)
        m = 0.75 * m - 0.125 * scattered(picked, FACTORS)
        p = p + m
        close(K.get_value(velocity), m)
        close(K.get_value(table), p)


def test_adam_with_lookups(K):
    """The means of gradients and of their squares, and the weights that follow from them."""
    table, p, indices, g = lookup(K)
    first, second = (K.zeros((ROWS, WIDTH), dtype='float64') for _ in range(2))
    m_t, v_t = 0.75 * first + 0.25 * g, 0.875 * second + 0.125 * K.square(g)
    updates = [(first, m_t), (second, v_t), (table, table - 0.5 * m_t / (K.sqrt(v_t) + 0.25))]
    function = K.function([indices], [], updates=updates)
    m, v = np.zeros_like(p), np.zeros_like(p)
    for _ in range(3):
        function([PICKED])
        m, v = 0.75 * m + 0.25 * GRADIENT, 0.875 * v + 0.125 * GRADIENT**2
        p = p - 0.5 * m / (np.sqrt(v) + 0.25)
        for variable, value in ((first, m), (second, v), (table, p)):
            close(K.get_value(variable), value)


@covers('update_sub', 'update_add')
def test_several_updates_of_one_table(K):
    """Increments add up, an assignment replaces what came before it, and tables that change places read old values."""
    g_values = GRADIENT
    for updates, formula in (
        (lambda K, t, g: [K.update_sub(t, 0.5 * g), K.update_sub(t, 0.25 * g)], lambda v: v - 0.75 * g_values),
        (lambda K, t, g: [K.update_sub(t, 0.5 * g), K.update_add(t, t)], lambda v: 2 * v - 0.5 * g_values),
        (lambda K, t, g: [(t, t * 3.0), K.update_sub(t, 0.5 * g)], lambda v: 3 * v - 0.5 * g_values),
        (lambda K, t, g: [K.update_sub(t, 0.5 * g), (t, t * 3.0)], lambda v: 3 * v),
        (lambda K, t, g: [(t, t - 0.5 * g), (t, t - 0.25 * g)], lambda v: v - 0.25 * g_values),
    ):
        table, start, indices, g = lookup(K)
        K.function([indices], [], updates=updates(K, table, g))([PICKED])
        close(K.get_value(table), formula(start))
    table, start, indices, g = lookup(K)
    other = K.variable(np.ones((ROWS, WIDTH)), dtype='float64')
    updates = [(table, other - 0.5 * g), (other, table - 0.5 * g)]
    K.function([indices], [], updates=updates)([PICKED])
    close(K.get_value(table), 1 - 0.5 * g_values)
    close(K.get_value(other), start - 0.5 * g_values)
    # one new value for two variables
    new = table - 0.5 * g
    K.function([indices], [], updates=[(table, new), (other, new)])([PICKED])
    close(K.get_value(table), 1 - g_values)
    close(K.get_value(other), 1 - g_values)


def test_a_run_that_fails_changes_no_table(K, check):
    """Where an index of one lookup is out of range, the other table and a counter stay as they were, too."""
    tables = [K.variable(random((ROWS, WIDTH), seed=i), dtype='float64') for i in range(2)]
    count, inputs = K.variable(0.0), [K.placeholder((2, 4), dtype='int32') for _ in tables]
    loss = sum(K.sum(K.square(K.gather(t, i))) for t, i in zip(tables, inputs))
    updates = [(t, t - 0.125 * g) for t, g in zip(tables, K.gradients(loss, tables))] + [K.update_add(count, 1.0)]
    function = K.function(inputs, [loss], updates=updates)
    function([PICKED, PICKED])
    before = K.batch_get_value(tables)
    for values in ([PICKED, PICKED + ROWS], [PICKED + ROWS, PICKED]):
        with check.fails():
            function(values)
        for old, new in zip(before, K.batch_get_value(tables)):
            np.testing.assert_array_equal(old, new)
        assert K.get_value(count) == 1


@covers('rnn')
def test_lookups_in_a_loop(K):
    """A step looks a row up by its input. All steps count in the update, also where they read the same row."""
    start, at = random((ROWS, WIDTH), seed=1), np.array([[5, 3, 5], [3, 3, 2499]])
    table, indices = K.variable(start, dtype='float64'), K.placeholder((2, 3, 1), dtype='int32')

    def step(x, states):
        row = K.gather(table, x[:, 0])
        return row * row + states[0], [row * row + states[0]]

    zeros = K.zeros((2, WIDTH), dtype='float64')
    last = K.rnn(step, indices, [zeros])[0]
    g = K.gradients(K.sum(last), [table])[0]
    values = K.function([indices], [g], updates=[(table, table - 0.125 * g)])([at[:, :, None]])
    dense = scattered(at, 2 * start[at])
    close(values[0], dense)
    close(K.get_value(table), start - 0.125 * dense)


UNARY = {
    '-': (lambda K, g: -g, lambda g: -g),
    '0.5 *': (lambda K, g: 0.5 * g, lambda g: 0.5 * g),
    '/ -4': (lambda K, g: g / -4.0, lambda g: g / -4),
    'square': (lambda K, g: K.square(g), np.square),
    'abs': (lambda K, g: K.abs(g), np.abs),
    'clip': (lambda K, g: K.clip(g, -0.75, 1.25), lambda g: np.clip(g, -0.75, 1.25)),
    '+ 1': (lambda K, g: g + 1.0, lambda g: g + 1),
    'maximum': (lambda K, g: K.maximum(g, 0.25), lambda g: np.maximum(g, 0.25)),
    'itself': (lambda K, g: g * g - 0.5 * g, lambda g: g * g - 0.5 * g),
}


@given(
    chain=st.lists(st.sampled_from(sorted(UNARY)), max_size=4),
    indices=st.lists(st.lists(st.sampled_from([0, 1, 2, 1000, 2498, 2499]), max_size=6), min_size=1, max_size=3),
    form=st.sampled_from(['sub', 'add', 'decay']),
    shown=st.booleans(),
)
def test_random_chains_of_lookups(K, chain, indices, form, shown):
    """Any chain of functions of the gradients of several lookups gives what it gives for dense arrays."""
    K.clear_session()
    start = random((ROWS, WIDTH), seed=1)
    table = K.variable(start, dtype='float64')
    inputs = [K.placeholder((None,), dtype='int32') for _ in indices]
    loss = sum([(k + 1.0) * K.sum(K.square(K.gather(table, i))) for k, i in enumerate(inputs)])
    g = K.gradients(loss, [table])[0]
    arrays = [np.array(i, dtype='int32') for i in indices]
    dense = sum([scattered(at, 2 * (k + 1) * start[at]) for k, at in enumerate(arrays)])
    for name in chain:
        g, dense = UNARY[name][0](K, g), UNARY[name][1](dense)
    forms = {'sub': lambda v, g: v - g, 'add': lambda v, g: g + v, 'decay': lambda v, g: 0.5 * v - g}
    outputs = K.function(inputs, [g] if shown else [], updates=[(table, forms[form](table, g))])(arrays)
    for value in outputs:
        close(value, dense)
    close(K.get_value(table), forms[form](start, dense))


def test_a_table_of_numbers_beside_a_matrix(K):
    """The gradient has one axis there, and its rows are the columns of what is computed."""
    table, indices = K.variable(np.zeros(3)), K.placeholder((3,), dtype='int32')
    matrix, value = K.constant(random((3, 3), seed=2)), K.variable(np.zeros((3, 3)))
    factors = np.array([1.0, 10.0, 100.0])
    g = K.gradients(K.sum(K.gather(table, indices) * K.constant(factors)), [table])[0]
    K.function([indices], [], updates=[(value, value - 1.0 * (g * matrix))])([np.array([2, 0, 2])])
    close(K.get_value(value), -scattered([2, 0, 2], factors, rows=3) * random((3, 3), seed=2))


def test_the_gradient_of_a_lookup_that_is_fed(K):
    """Its value is what is fed, whatever the lookup has read."""
    table, start, indices, g = lookup(K, 'float32')
    other = K.variable(start)
    step = K.function([g, indices], [], updates=[(table, table - 0.5 * g), (other, 0.5 * other - g)])
    fed = random((ROWS, WIDTH), seed=9)
    step([fed, PICKED])
    close(K.get_value(table), start - 0.5 * fed)
    close(K.get_value(other), 0.5 * start - fed)
