"""Updates with the gradient of a lookup on the K graph: what is computed, what is written into, who may hold it.

Their numbers are held by the conformance tests.
"""

import threading

import numpy as np
import pytest
from peak_memory import peak_bytes

import keras_backend.engines.numpy_backend as K
from keras_backend.graph.run import row_updates

ROWS, WIDTH = 20000, 32
BYTES = ROWS * WIDTH * 4
PICKED = np.random.RandomState(0).randint(0, ROWS, (8, 5)).astype('int32')


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def lookup(rows=ROWS):
    """A table, a placeholder of indices, and the gradient of a lookup."""
    table, indices = K.variable(np.ones((rows, WIDTH), 'float32')), K.placeholder((None, 5), dtype='int32')
    return table, indices, K.gradients(K.sum(K.square(K.gather(table, indices))), [table])[0]


def descent():
    """A step of gradient descent, and its table."""
    table, indices, g = lookup()
    return table, K.function([indices], [], updates=[(table, table - 0.125 * g)])


def tables_at_once(function, *values):
    """The most memory that a run takes at once, in tables."""
    return peak_bytes(lambda: function(list(values))) / BYTES


def by_norm(g):
    """The gradient with a norm of at most 0.5, as the optimizers of Keras write it."""
    norm = K.sqrt(sum([K.sum(K.square(g))]))
    return K.switch(norm >= 0.5, g * 0.5 / norm, g)


STEPS = {
    'v - r * g': lambda v, g: (v, v - 0.125 * g),
    'g * -r + v': lambda v, g: (v, g * -0.125 + v),
    'v - r * (s * g) / n': lambda v, g: (v, v - K.constant(0.5) * (0.125 * g) / 4.0),
    'update_sub': lambda v, g: K.update_sub(v, 0.125 * g),
    'update_add': lambda v, g: K.update_add(v, -g),
    'squares': lambda v, g: (v, v + K.square(0.5 * g)),
    'clipped': lambda v, g: (v, v - K.clip(g, -0.5, 0.5)),
    'clipped by its norm': lambda v, g: (v, v - 0.125 * by_norm(g)),
    'clipped by its norm of powers': lambda v, g: (v, v - g / K.sqrt(K.sum(g**2))),
    'two functions': lambda v, g: (v, v - (g * g - 0.5 * K.abs(g))),
}


@pytest.mark.parametrize('step', sorted(STEPS))
def test_a_step_makes_no_table(step):
    """A step takes the memory of the rows that it reads, a hundredth of the table."""
    table, indices, g = lookup()
    function = K.function([indices], [], updates=[STEPS[step](table, g)])
    assert tables_at_once(function, PICKED) < 0.05


def test_several_lookups_make_no_table():
    """The gradients of several lookups add up by rows."""
    table, i, _g = lookup()
    j = K.placeholder((3,), dtype='int32')
    loss = K.sum(K.square(K.gather(table, i))) + K.sum(K.gather(table, j)) + K.sum(K.tanh(K.gather(table, i[0])))
    (g,) = K.gradients(loss, [table])
    function = K.function([i, j], [loss], updates=[(table, table - 0.125 * g)])
    assert tables_at_once(function, PICKED, [0, 5, 5]) < 0.05


def test_lookups_in_a_loop_make_no_table():
    """The steps of a loop are added up after it, by rows."""
    table = K.variable(np.ones((ROWS, WIDTH), 'float32'))
    indices = K.placeholder((None, 5, 1), dtype='int32')
    zeros = K.zeros_like(K.gather(table, indices[:, 0, 0]))

    def step(x, states):
        h = K.tanh(states[0] + K.gather(table, x[:, 0]))
        return h, [h]

    last = K.rnn(step, indices, [zeros])[0]
    (g,) = K.gradients(K.sum(last), [table])
    function = K.function([indices], [last], updates=[(table, table - 0.125 * g)])
    assert tables_at_once(function, PICKED[:, :, None]) < 0.05


def test_what_is_dense_takes_one_table_each():
    """Where the formula changes all rows, the new value is the only table: the gradient never becomes one."""
    table, indices, g = lookup()
    velocity = K.zeros((ROWS, WIDTH))
    step = 0.75 * velocity - 0.125 * g
    momentum = K.function([indices], [], updates=[(velocity, step), (table, table + step)])
    assert 2 <= tables_at_once(momentum, PICKED) < 2.05
    squares = K.function([indices], [], updates=[(velocity, 0.75 * velocity + 0.25 * K.square(g))])
    assert 1 <= tables_at_once(squares, PICKED) < 1.05
    shown = K.function([indices], [table - 0.125 * g])
    assert 1 <= tables_at_once(shown, PICKED) < 1.05


def test_what_else_needs_the_gradient_gets_it():
    """An output makes the dense gradient, and the step is computed by rows nevertheless."""
    table, indices, g = lookup()
    function = K.function([indices], [g], updates=[(table, table - 0.125 * g)])
    assert 1 <= tables_at_once(function, PICKED) < 1.05


def test_a_gradient_that_is_fed():
    """A fed gradient is what it is fed with, for the step, too."""
    table, _indices, g = lookup()
    K.function([g], [], updates=[(table, table - 0.5 * g)])([np.full((ROWS, WIDTH), 4.0)])
    assert (K.get_value(table) == -1).all()


def test_the_array_stays_where_nobody_holds_it():
    """The rows are written into the array of the variable."""
    table, function = descent()
    before = id(table.data)
    for _ in range(3):
        function([PICKED])
    assert id(table.data) == before
    assert len(np.unique(PICKED)) == (table.data != 1).any(axis=1).sum()


@pytest.mark.parametrize(
    'hold', [lambda a: a, lambda a: a[5:], lambda a: a.T, memoryview], ids='itself rows T buffer'.split()
)
def test_an_array_that_is_held_is_left_alone(hold):
    """Who holds the array, a part of it or its memory, keeps the old values. Once nobody does, it is written into."""
    table, function = descent()
    held = hold(table.data)
    before = np.array(held)
    function([PICKED])
    np.testing.assert_array_equal(before, np.asarray(held))
    copy = id(table.data)
    function([PICKED])
    assert id(table.data) == copy
    np.testing.assert_array_equal(before, np.asarray(held))


def test_an_array_without_memory_of_its_own_is_replaced():
    """A view cannot be written into: whoever holds the rest of its array would see it."""
    table, function = descent()
    whole = np.ones((2 * ROWS, WIDTH), 'float32')
    table.data = whole[::2]
    function([PICKED])
    assert (whole == 1).all()
    assert (K.get_value(table) != 1).any()


def test_an_array_in_the_order_of_fortran():
    """The order of the array in memory does not matter."""
    table, function = descent()
    other, same = descent()
    other.data = np.asfortranarray(np.ones((ROWS, WIDTH), 'float32'))
    function([PICKED])
    same([PICKED])
    np.testing.assert_array_equal(K.get_value(table), K.get_value(other))


def test_without_memory_for_a_copy_nothing_changes(monkeypatch):
    """The second of two arrays cannot be copied: the first is not written into, and both are there as before."""
    tables, inputs, gradients = zip(*[lookup() for _ in range(2)])
    count = K.variable(0.0)
    updates = [(t, t - 0.125 * g) for t, g in zip(tables, gradients)] + [K.update_add(count, 1.0)]
    function = K.function(list(inputs), [], updates=updates)
    held = tables[1].data

    def fail(value, dtype):
        raise MemoryError

    function._compile()
    monkeypatch.setattr(K._graph.kernels, 'private_copy', fail)
    with pytest.raises(MemoryError):
        function([PICKED, PICKED])
    assert (tables[0].data == 1).all()
    assert tables[1].data is held
    assert K.get_value(count) == 0
    monkeypatch.undo()
    function([PICKED, PICKED])
    assert all((K.get_value(t) != 1).any() for t in tables)


def test_who_asks_for_an_array_that_is_being_written_waits():
    """A variable without an array has one again when the lock is free."""
    table, _function = descent()
    taken, values = [], []
    with K._graph.lock:
        row_updates.take(table, taken)
        thread = threading.Thread(target=lambda: values.append(K.get_value(table)))
        thread.start()
        thread.join(0.1)
        assert not values
        taken[0][1][0] = 2
        table.data = taken[0][1]
    thread.join()
    assert values[0][0, 0] == 2
    with pytest.raises(AttributeError, match='no attribute .nothing'):
        _ = table.nothing


def test_where_python_does_not_count_arrays_are_copied(monkeypatch):
    """An interpreter without reference counts cannot tell who holds an array."""
    monkeypatch.setattr(row_updates, '_count', None)
    monkeypatch.setattr(row_updates, 'ALONE', row_updates._alone())
    table, function = descent()
    held = table.data
    function([PICKED])
    assert (held == 1).all()
    assert (K.get_value(table) != 1).any()


def test_readers_of_a_table_that_is_updated():
    """Threads that read a table while another one updates rows of it see it before or after a step, never between."""
    table, indices = K.variable(np.zeros((ROWS, WIDTH))), K.placeholder((None,), dtype='int32')
    g = K.gradients(K.sum(K.gather(table, indices)), [table])[0]
    step = K.function([indices], [], updates=[(table, table + g)])
    read = K.function([], [K.max(table[1:]) - K.min(table[1:])])
    rows, errors, over = np.arange(1, ROWS), [], threading.Event()

    def reader():
        try:
            while not over.is_set():
                assert float(read([])[0]) == 0
                value = K.get_value(table)
                assert value[1:].min() == value[1:].max()
                assert not value[0].any()
        except BaseException as error:
            errors.append(error)

    step([rows])
    threads = [threading.Thread(target=reader) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(100):
            step([rows])
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert not errors, errors[0]
    assert K.get_value(table)[5, 0] == 101
