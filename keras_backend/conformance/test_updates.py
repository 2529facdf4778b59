"""Updates of a K.function: the values that they read, their order, and several updates of one variable."""

import numpy as np
import pytest

from ._check import all_close, close, covers, random

pytestmark = covers('function')


def test_updates_read_old_values(K):
    """Updates that swap or rotate variables read old values only, as tuples and as results of K.update."""
    for make in (lambda v, new: (v, new), K.update):
        a, b, c = (K.variable([float(i), 10.0 * i]) for i in (1, 2, 3))
        K.function([], [], updates=[make(a, b), make(b, c), make(c, a)])([])
        assert [v.tolist() for v in K.batch_get_value([a, b, c])] == [[2, 20], [3, 30], [1, 10]]


def test_outputs_are_from_before_the_updates(K):
    """Outputs have the old values, also a variable itself and its views. The next call has the new values."""
    v = K.variable([1.0, 2.0])
    outputs = [v, K.identity(v), v * 10.0, K.reshape(v, (2, 1)), v[:], K.sum(v)]
    function = K.function([], outputs, updates=[(v, v + 1.0)])
    for step in range(3):
        now = np.array([1.0, 2.0]) + step
        all_close(function([]), [now, now, now * 10, now[:, None], now, now.sum()])
    assert K.get_value(v).tolist() == [4, 5]


def test_updates_depend_on_each_other_by_old_values_only(K):
    """In momentum, the step uses the velocity before its update."""
    p, m, g = K.variable(0.0), K.variable(1.0), K.placeholder(())
    function = K.function([g], [p], updates=[K.update_add(p, m), K.update(m, 0.5 * m + g)])
    position, velocity = 0.0, 1.0
    for gradient in (1.0, -2.0, 0.5):
        assert function([gradient])[0] == position
        position, velocity = position + velocity, 0.5 * velocity + gradient
    assert K.get_value(p) == position
    assert K.get_value(m) == velocity


def _increments(K, v, value):
    """Each kind of increment of `v` by `value`, with the array that it adds to the old values."""
    return {
        'add': (K.update_add(v, value), lambda old, x: x),
        'sub': (K.update_sub(v, value), lambda old, x: -x),
        'average': (K.moving_average_update(v, value, 0.75), lambda old, x: 0.25 * (x - old)),
    }


@covers('update_add', 'update_sub', 'moving_average_update')
@pytest.mark.parametrize('unknown', [False, True], ids=['known shapes', 'unknown shapes'])
@pytest.mark.parametrize('second', ['add', 'sub', 'average'])
@pytest.mark.parametrize('first', ['add', 'sub', 'average'])
def test_two_increments_of_one_variable(K, first, second, unknown):
    """Both increments count. Each one is computed from the values before the run, and outputs have those values."""
    start, values = random((2, 3), seed=1), [random((2, 3), seed=2), random((2, 3), seed=3)]
    v = K.variable(start, dtype='float64')
    inputs = [K.placeholder((None, None) if unknown else (2, 3), dtype='float64') for _ in values]
    chosen = [_increments(K, v, x)[name] for x, name in zip(inputs, (first, second))]
    function = K.function(inputs, [v * 1.0], updates=[update for update, _ in chosen])
    expected = start
    for _ in range(2):
        close(function(values)[0], expected)
        expected = expected + sum([change(expected, x) for x, (_, change) in zip(values, chosen)])
        close(K.get_value(v), expected)


@covers('update')
def test_two_assignments_of_one_variable(K):
    """The last assignment wins. It reads the old value, also in the form of a step of gradient descent."""
    v = K.variable([1.0, 2.0])
    half = K.constant(0.5)
    for updates in (
        [(v, v + 1.0), (v, v * 3.0)],
        [K.update(v, v * 5.0), K.update(v, v * 3.0)],
        [(v, v * 5.0), K.update(v, v * 3.0)],
        [K.update(v, v - half * v), (v, v - half * v * -4.0)],
        [K.update_add(v, v), (v, v * 3.0)],
    ):
        K.set_value(v, [1.0, 2.0])
        assert K.function([], [v * 1.0], updates=updates)([])[0].tolist() == [1, 2]
        assert K.get_value(v).tolist() == [3, 6]


@covers('update', 'update_add', 'update_sub', 'moving_average_update')
def test_assignments_and_increments_of_one_variable(K):
    """Assignments and increments follow each other in the order of the list. Other variables do not matter."""
    v, w = K.variable([10.0, 20.0]), K.variable([1.0, 2.0])

    def run(*updates):
        K.batch_set_value([(v, [10.0, 20.0]), (w, [1.0, 2.0])])
        K.function([], [], updates=list(updates))([])
        return K.get_value(v).tolist()

    assert run((v, w), K.update_add(v, w)) == [2, 4]
    assert run(K.update_add(v, w), (v, w * 7.0)) == [7, 14]
    assert run(K.update_add(v, w), (w, w * 0.0), K.update(v, w), K.update_sub(v, v), K.update_add(v, w)) == [-8, -16]
    assert run((v, w), K.moving_average_update(v, w * 2.0, 0.5)) == [-3, -6]
    assert run(K.update_add(v, 1.0), K.update_sub(v, 3)) == [8, 18]
    assert run(K.update_add(v, w), K.update_add(w, v)) == [11, 22]
    assert K.get_value(w).tolist() == [11, 22]


@covers('update_add', 'update_sub')
def test_increments_of_integers(K):
    """A counter of integers with several updates stays a counter of integers."""
    v = K.variable(3, dtype='int32')
    K.function([], [], updates=[K.update_add(v, 2), K.update_sub(v, 7), K.update_add(v, v)])([])
    assert K.get_value(v) == 1
    assert K.get_value(v).dtype.name == 'int32'


@covers('update_add')
def test_one_update_listed_twice(K):
    """An update that is listed several times is done once."""
    v = K.variable([1.0])
    update, pair = K.update_add(v, [2.0]), (v, v * 4.0)
    K.function([], [], updates=[update, update])([])
    assert K.get_value(v).tolist() == [3]
    K.function([], [], updates=[pair, pair])([])
    assert K.get_value(v).tolist() == [12]


def test_updates_in_other_dtypes(K):
    """The new value is cast to the dtype of the variable."""
    a, b = K.variable(1, dtype='int32'), K.variable(1.0, dtype='float64')
    x = K.placeholder(())
    K.function([x], [], updates=[(a, x * 2.0), (b, x)])([2.75])
    assert K.get_value(a).dtype.name == 'int32'
    assert K.get_value(a) == 5
    assert K.get_value(b).dtype.name == 'float64'
    assert K.get_value(b) == 2.75


def test_updates_of_what_is_no_variable(K):
    """Only variables can be updated."""
    x = K.placeholder((2,))
    for target in (x, K.variable([1.0, 2.0]) + 1.0):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            K.function([x], [], updates=[(target, x)])
