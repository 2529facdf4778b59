"""Loops at their edges: no steps, sequences that do not end together, states that change, hundreds of operands."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K
from keras_backend.errors import ShapeError


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def test_mapped_nothing_keeps_its_other_sizes():
    """A map over no entries has the shape that its steps would have had, in its gradient too."""
    x, w = K.placeholder((None, None, 3)), K.variable(np.ones((3, 4)))
    y = K.map_fn(lambda e: K.tanh(K.dot(e, w)), x)
    values = K.function([x], [y] + K.gradients(K.sum(y), [x, w]))([np.ones((0, 5, 3))])
    assert [(0, 5, 4), (0, 5, 3), (3, 4)] == [v.shape for v in values]


def test_mapped_nothing_has_the_size_of_what_is_fed():
    """A map over no entries has a size that only another input of the function shows."""
    p, x = K.placeholder((None,)), K.placeholder((None,))
    f = K.function([p, x], [K.map_fn(lambda e: e * x, p)])
    assert (0, 5) == f([[], np.ones(5)])[0].shape
    np.testing.assert_array_equal(f([[2.0, 3.0], [1.0, 4.0]])[0], [[2.0, 8.0], [3.0, 12.0]])


def test_folded_nothing_is_the_initializer():
    """A fold over no entries gives the initializer, and its gradient is 1."""
    x, start = K.placeholder((None, 2)), K.placeholder((2,))
    y = K.foldl(lambda acc, e: K.tanh(acc + e), x, initializer=start)
    value, dx, dstart = K.function([x, start], [y] + K.gradients(K.sum(y), [x, start]))([np.ones((0, 2)), [2.0, 3.0]])
    assert [2.0, 3.0] == value.tolist()
    assert [1.0, 1.0] == dstart.tolist()
    assert (0, 2) == dx.shape


def test_no_time_steps_are_refused_at_run_time():
    """K.rnn refuses a sequence without steps, also where only a state is asked for."""
    x, h = K.placeholder((None, None, 2)), K.placeholder((None, 2))
    last, _, (state,) = K.rnn(lambda e, s: (e + s[0], [e + s[0]]), x, [h])
    for out in (last, state):
        with pytest.raises(ShapeError, match='at least 1 time step'):
            K.function([x, h], [out])([np.ones((1, 0, 2)), np.ones((1, 2))])


def test_sequences_of_different_lengths_are_refused():
    """Sequences of one loop end together: else it is an error while recording where that is known, or in the run."""
    with pytest.raises(ShapeError, match='different lengths'):
        K.map_fn(sum, [K.placeholder((3, 2)), K.placeholder((2, 2))])
    for a, b in ((None, None), (3, None)):
        x, y = K.placeholder((a, 2)), K.placeholder((b, 2))
        f = K.function([x, y], [K.map_fn(sum, [x, y])])
        assert (3, 2) == f([np.ones((3, 2)), np.ones((3, 2))])[0].shape
        with pytest.raises(ShapeError, match='3, 2'):
            f([np.ones((3, 2)), np.ones((2, 2))])


def test_mask_of_another_length_is_refused():
    """A mask that is shorter than the sequence does not cut it off."""
    x, mask = K.placeholder((None, None, 2)), K.placeholder((None, None))
    out = K.rnn(lambda e, s: (e + s[0], [e + s[0]]), x, [K.zeros_like(x[:, 0])], mask=mask)[1]
    with pytest.raises(ShapeError, match='different lengths: 5, 3'):
        K.function([x, mask], [out])([np.ones((1, 5, 2)), np.ones((1, 3))])


def test_state_that_grows_at_run_time_is_refused():
    """A state of one row that a step broadcasts over the batch is an error: what was said of its shape is not true."""
    x, h = K.placeholder((None, 4, 3)), K.zeros((1, 3))
    last = K.rnn(lambda e, s: (e + s[0], [e + s[0]]), x, [h])[0]
    f = K.function([x], [last])
    assert np.full((1, 3), 4.0).tolist() == f([np.ones((1, 4, 3))])[0].tolist()
    with pytest.raises(ShapeError, match=r'State 0 .* starts as \(1, 3\) and ends as \(2, 3\)'):
        f([np.ones((2, 4, 3))])


def test_three_hundred_operands():
    """More operands, inputs and sequences than Python 3.6 takes arguments."""
    xs = [K.placeholder((2,)) for _ in range(300)]
    mapped = K.map_fn(lambda es: es[0] + es[-1], xs)
    values = K.function(xs, [K.sum(K.stack(xs)), mapped])([np.full(2, i) for i in range(300)])
    assert 2 * 299 * 150 == values[0]
    assert [299.0, 299.0] == values[1].tolist()
