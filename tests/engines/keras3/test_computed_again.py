"""What is made of variables and constants alone has its value at once, and is computed again in each run."""

import copy
import gc
import pickle
import weakref

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K
from keras_backend import load
from keras_backend.engines.keras3_backend.graph.recipes import LONGEST
from keras_backend.errors import ArgumentValueError

BACKEND = keras.backend.backend()


def test_a_penalty_follows_its_weights():
    """`loss + 0.01 * K.sum(K.square(w))` reads the weights in each run, in K.function and in a model."""
    w, x = K.variable([1.0, 2.0]), K.placeholder((None, 2))
    y = x + 0.01 * K.sum(K.square(w)) * 2.0
    function, model = K.function([x], [y]), keras.Model(x, y)
    for value, expected in (([1.0, 2.0], 0.1), ([3.0, 4.0], 0.5)):
        K.set_value(w, value)
        np.testing.assert_allclose(function([np.zeros((1, 2))])[0], [[expected] * 2], rtol=1e-6)
        np.testing.assert_allclose(model.predict(np.zeros((1, 2)), verbose=0).ravel(), [expected] * 2, rtol=1e-6)
    assert any(v is w for v in model.trainable_variables)


def test_operators_in_any_order():
    """Numbers, arrays, constants of K and variables stand on either side."""
    w, c = K.variable([1.0, 2.0]), K.constant([3.0, 5.0])
    y = 1.0 * w
    tensors = [2.0 * K.exp(w * 0.0) * w, y - c, y**2, 1.0 / y, y[1], -y, abs(-w)]
    total = w * 0.0
    total += w
    total *= 3.0
    function = K.function([], [*tensors, total])

    def truths(v):
        return [2 * v, v - [3, 5], v**2, 1 / v, v[1], -v, v, 3 * v]

    for value in ([1.0, 2.0], [4.0, 8.0]):
        K.set_value(w, value)
        for result, expected in zip(function([]), truths(np.array(value))):
            np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_an_update_of_what_is_computed():
    """Steps of gradient descent whose loss and rate are made of variables alone."""
    w, rate = K.variable([1.0, -2.0]), K.variable(0.5)
    (slope,) = K.gradients(K.sum(K.square(w)) * 0.5, [w])
    step = K.function([], [slope], updates=[K.update(w, w - rate * slope), (rate, rate * 0.5)])
    value, factor = np.array([1.0, -2.0]), 0.5
    for _ in range(3):
        np.testing.assert_allclose(step([])[0], value)
        value, factor = value - factor * value, factor * 0.5
        np.testing.assert_allclose(K.get_value(w), value)


def test_moving_averages():
    """K.moving_average_update reads the variables of the run, however value and momentum are made."""
    w, v, m, x = K.variable(0.0), K.variable(4.0), K.variable(0.5), K.placeholder(())
    for value, momentum, expected in (
        (v, 0.5, 6.0),
        (v * 1.0, m, 8.0),
        (4.0, m * 1.0, 3.5),
        (v, 1.0 * m, 8.0),
        (x, m * 1.0, 8.0),
    ):
        K.batch_set_value([(w, 0.0), (v, 4.0), (m, 0.5)])
        average = K.function([x], [], updates=[K.moving_average_update(w, value, momentum)])
        average([4.0])
        assert K.get_value(w) == 2.0
        K.batch_set_value([(v, 10.0), (m, 0.25)])
        average([10.0])
        assert K.get_value(w) == expected


def test_gradients_by_what_is_computed():
    """By a tensor between the variable and the loss, beside a placeholder, and None where nothing depends on it."""
    w, x = K.variable([1.0, 2.0]), K.placeholder((2,))
    inner = w * 3.0
    by_inner, by_w, none = K.gradients(K.sum(x * K.square(inner)), [inner, w, K.exp(w)])
    assert none is None
    values = K.function([x], [by_inner, by_w])([np.array([1.0, 10.0])])
    np.testing.assert_allclose(values[0], [6.0, 120.0])
    np.testing.assert_allclose(values[1], [18.0, 360.0])
    np.testing.assert_allclose(K.eval(K.gradients(K.sum(K.square(inner)), [inner])[0]), [6.0, 12.0])


def test_draws_between_layers():
    """Each run draws new numbers, once for all that is made of them."""
    noise, x = K.random_normal((50,)), K.placeholder((None, 50))
    first, second = x + noise, x * 0.0 + 2.0 * noise
    function = K.function([x], [first, second, noise])
    runs = [function([np.zeros((1, 50))]) for _ in range(2)]
    for a, b, _ in runs:
        np.testing.assert_allclose(2.0 * a, b, rtol=1e-6)
    assert (runs[0][0] != runs[1][0]).any()
    assert (runs[0][2] != runs[1][2]).any()


def test_two_draws():
    """What is composed of a draw has its own numbers, also where another one is made again in the same function."""
    draws = [K.random_binomial((100,), p=0.5) for _ in range(2)]
    values = K.function([], draws)([])
    assert (values[0] != values[1]).any()


def test_dropout_of_a_variable_in_a_step():
    """It has a mask of its own in each step and each run, and reads the variable in the run."""
    w = K.variable(np.ones(50))
    y = K.map_fn(lambda e: K.dropout(w, 0.5) + e, K.zeros((3, 50)))
    function = K.function([], [y])
    masks = [function([])[0] for _ in range(2)]
    assert len({tuple(row) for mask in masks for row in mask.tolist()}) == 6
    K.set_value(w, np.full(50, 3.0))
    assert set(function([])[0].ravel().tolist()) == {0.0, 6.0}


def test_a_draw_from_outside_of_a_step():
    """A step of a loop reads what was drawn before it: the same in all steps, new in each run."""
    noise, x = K.random_normal((4,)), K.placeholder((3, 4))
    function = K.function([x], [K.map_fn(lambda e: e + noise, x)])
    runs = [function([np.zeros((3, 4))])[0] for _ in range(2)]
    for rows in runs:
        np.testing.assert_array_equal(rows[0], rows[1])
        np.testing.assert_array_equal(rows[0], rows[2])
    assert (runs[0] != runs[1]).any()


def test_a_draw_from_outside_of_a_branch():
    """A branch reads what was drawn before it, which is the same outside."""
    noise, x = K.random_normal((4,)), K.placeholder((4,))
    chosen = K.switch(K.sum(x) > 0, lambda: noise * 2.0, lambda: noise)
    a, b = K.function([x], [chosen, x * 0.0 + noise])([np.ones(4)])
    np.testing.assert_allclose(a, 2.0 * b, rtol=1e-6)


def test_closures_of_branches_and_steps():
    """What a branch or a step reads by its name follows the variables, and has their gradients."""
    w, x = K.variable([1.0, 2.0]), K.placeholder((3, 2))
    double = w * 2.0
    chosen = K.switch(K.sum(w) > 0, lambda: double * x, lambda: x)
    by_sum = K.switch(K.sum(w) > 0, lambda: double, lambda: w)
    looped = K.map_fn(lambda e: e * double + w, x)
    results = [chosen, looped, by_sum, *[K.gradients(K.sum(t), [w])[0] for t in (chosen, looped, by_sum)]]
    function = K.function([x], results)
    array = np.arange(6.0).reshape(3, 2)
    for value in (np.array([1.0, 2.0]), np.array([3.0, 5.0])):
        K.set_value(w, value)
        sums = 2.0 * array.sum(0)
        expected = [array * 2.0 * value, array * 2.0 * value + value, 2.0 * value, sums, sums + 3.0, [2.0, 2.0]]
        for result, truth in zip(function([array]), expected):
            np.testing.assert_allclose(result, truth, rtol=1e-6)


def test_arrays_on_the_left():
    """An array of NumPy leaves the operator to the variable. So does `@`, and `==` is that of K."""
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    w = K.variable(array)
    results = [array * w, array - w, np.float32(2) / w, array @ w, w @ array, K.cast(w == 2.0, 'float32')]
    function = K.function([], [*results, K.cast(w != array, 'float32')])
    for factor in (1.0, 2.0):
        v = array * factor
        K.set_value(w, v)
        expected = [array * v, array - v, 2 / v, array @ v, v @ array, v == 2.0, v != array]
        for result, truth in zip(function([]), expected):
            np.testing.assert_allclose(result, truth, rtol=1e-6)


def test_a_training_of_its_time():
    """Penalties and the rate of Adam are made of variables alone, and every step follows them."""
    rng = np.random.RandomState(0)
    first, second, array = rng.randn(4, 8) * 0.5, rng.randn(8, 2) * 0.5, rng.randn(16, 4)

    def train(K):
        x, w, v, count = K.placeholder((None, 4)), K.variable(first), K.variable(second), K.variable(0.0)
        gram = K.dot(K.transpose(w), w)
        loss = K.mean(K.square(K.dot(K.tanh(K.dot(x, w)), v)))
        loss = loss + 0.001 * K.sum(K.square(gram - K.eye(8))) + 0.01 * (K.sum(K.square(w)) + K.sum(K.square(v)))
        rate = 0.1 * K.sqrt(1.0 - K.pow(0.999, count + 1)) / (1.0 - K.pow(0.9, count + 1))
        updates = [K.update_add(count, 1.0)]
        for p, g in zip((w, v), K.gradients(loss, [w, v])):
            m, s = K.zeros(K.int_shape(p)), K.zeros(K.int_shape(p))
            new, squares = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * K.square(g)
            updates += [K.update(m, new), K.update(s, squares)]
            updates.append(K.update(p, p - rate * new / (K.sqrt(squares) + 1e-7)))
        step = K.function([x], [loss, rate], updates=updates)
        return np.array([step([array]) for _ in range(5)])

    np.testing.assert_allclose(train(K), train(load('numpy')), rtol=1e-4)


def test_what_numpy_draws_next():
    """What is computed again takes no numbers from NumPy."""
    x = K.placeholder((None, 3))
    noise = K.random_uniform((3,))
    np.random.seed(3)
    expected = np.random.rand(2)
    np.random.seed(3)
    K.function([x], [x + noise])
    np.testing.assert_array_equal(np.random.rand(2), expected)


def test_its_value_is_there():
    """Python, NumPy, Keras and K take it as they take a tensor."""
    w = K.variable([1.0, 2.0])
    y, total = K.square(w), K.sum(w)
    np.testing.assert_array_equal(K.eval(y) if BACKEND == 'torch' else np.asarray(y), [1, 4])
    assert (float(total), int(total), bool(total > 2.0), len(y), [float(e) for e in y]) == (3.0, 3, True, 2, [1.0, 4.0])
    assert f'{total:.1f}' == '3.0'
    assert (K.int_shape(y), K.ndim(y), K.dtype(y), tuple(y.shape)) == ((2,), 1, 'float32', (2,))
    loss = keras.losses.mean_squared_error(np.zeros(2), y)
    for made in (keras.ops.sum(y), loss - 3.5, keras.layers.ReLU()(total + 2.0)):
        np.testing.assert_allclose(keras.ops.convert_to_numpy(made), 5.0)
    v = K.variable(y)
    K.set_value(v, y + y)
    np.testing.assert_array_equal(K.get_value(v), [2, 8])
    v.assign(y)
    np.testing.assert_array_equal(K.get_value(v), [1, 4])
    for other in (copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        np.testing.assert_array_equal(np.asarray(keras.ops.convert_to_numpy(other)), [1, 4])
    K.set_value(w, [5.0, 5.0])
    np.testing.assert_array_equal(K.eval(y), [1, 4])


def test_what_nobody_can_compute_again():
    """K.function refuses what Keras made, and what K made beside it: every run would give the same."""
    w = K.variable([1.0, 2.0])
    made = keras.ops.square(K.exp(w))
    for tensor in (made, K.sum(made), w + made):
        with pytest.raises(ArgumentValueError, match='computed already'):
            K.function([], [tensor])
        with pytest.raises(ArgumentValueError, match='computed already'):
            K.function([], [], updates=[K.update(w, K.ones_like(w) * tensor)])


def test_what_keras_makes_a_constant_of():
    """The operators of Keras's own tensors do so. K.function says it, and takes the other order."""
    w, x = K.variable([1.0, 2.0]), keras.Input((2,))
    with pytest.raises(ArgumentValueError, match='on the left'):
        K.function([x], [x + K.exp(w)])
    np.testing.assert_allclose(K.function([x], [K.exp(w * 0.0) + x])([np.ones((1, 2))])[0], [[2.0, 2.0]])


@pytest.mark.skipif(BACKEND != 'torch', reason='a tensor of TensorFlow and of JAX does not change')
def test_what_was_changed_in_place():
    y = K.variable([1.0, 2.0]) * 2.0
    y.detach().add_(1.0)
    with pytest.raises(ArgumentValueError, match='computed already'):
        K.function([], [y])


def test_nothing_stays_in_memory():
    """A tensor goes with the last name of it, what it was made of, too; and a sum over a long time ends its chain."""
    w = K.variable([1.0, 2.0])
    inner = K.exp(w)
    watched = [weakref.ref(inner), weakref.ref(inner.recipe.whole)]
    y = K.sum(inner)
    K.gradients(y, [w])
    del inner, y
    gc.collect()
    assert [ref() for ref in watched] == [None, None]
    total = K.sum(w)
    for _ in range(LONGEST + 1):
        total = total + w[0]
    assert float(total) == 3.0 + LONGEST + 1
    with pytest.raises(ArgumentValueError, match='computed already'):
        K.function([], [total])


def test_no_graph_stays_in_memory():
    """Neither does the graph of a function that is over, nor that of a loop."""

    def of_its_time():
        w = K.variable(np.ones((2, 2)))
        y = K.map_fn(lambda row: K.exp(row) * 2.0, w)
        K.function([], [K.gradients(K.sum(y), [w])[0]], updates=[(w, w * 0.5)])([])
        return weakref.ref(w)

    variables = [of_its_time() for _ in range(3)]
    gc.collect()
    assert [ref() is None for ref in variables] == [True] * 3


@pytest.mark.skipif(BACKEND != 'tensorflow', reason='the tape is of TensorFlow')
def test_under_a_tape():
    import tensorflow as tf

    w = K.variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = K.sum(K.square(w)) * 2.0
    np.testing.assert_allclose(tape.gradient(loss, w.value), [4.0, 8.0])
