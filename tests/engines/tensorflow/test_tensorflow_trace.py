"""A step function that is called once and copied on the TensorFlow engine, and the steps that are called again."""

import numpy as np
import pytest

tf2 = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402

tf = tf2.compat.v1
ROWS = np.arange(1.0, 13.0).reshape(4, 3).astype('float32')


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a graph of its own."""
    K.clear_session()


def counted(step):
    """A step function, and the list that gets an entry for each of its calls."""
    calls = []

    def call(*elements):
        calls.append(elements)
        return step(*elements)

    return call, calls


def bodies():
    """The operations of all loops of the graph."""
    definition = tf.get_default_graph().as_graph_def()
    return [node for function in definition.library.function for node in function.node_def]


# -- random numbers --------------------------------------------------------------------------------------------------
def test_mask_that_the_first_step_makes_holds_for_all_steps():
    made, x = [], K.variable(np.ones((4, 50)))

    def step(e):
        if not made:
            made.append(K.dropout(K.ones_like(e), 0.5))
        return e * made[0]

    values = K.eval(K.map_fn(step, x))
    assert set(np.unique(values)) == {0.0, 2.0}
    np.testing.assert_array_equal(values, np.repeat(values[:1], 4, axis=0))


def test_each_step_draws_anew():
    values = K.eval(K.map_fn(lambda e: K.dropout(e, 0.5), K.variable(np.ones((4, 50)))))
    assert len({tuple(row) for row in values.tolist()}) == 4


def test_draws_of_an_inner_loop_cost_no_second_call_of_the_outer_step():
    inner, calls = counted(lambda e: e * K.random_uniform((3,), 1.0, 2.0))
    outer, around = counted(lambda e: K.sum(K.map_fn(inner, K.stack([e, e])), axis=0))
    y = K.map_fn(outer, K.variable(ROWS))
    assert len(around) == 1
    assert len(calls) == 2
    values = K.eval(y)
    assert ((values >= 2 * ROWS) & (values <= 4 * ROWS)).all()


# -- what is copied ----------------------------------------------------------------------------------------------------
def test_first_value_of_a_state_is_no_constant_in_the_step():
    """The sum of 0 to n, for n that grows from step to step."""
    step, calls = counted(lambda n, e: n + K.sum(K.arange(0, n + 1)))
    total = K.foldl(step, K.variable([0.0, 0.0, 0.0]), K.constant(1, 'int32'))
    assert len(calls) == 1
    assert K.eval(total) == 1 + 1 + 3 + 15


def test_condition_on_an_element():
    step, calls = counted(lambda e: K.switch(K.sum(e) > 20, lambda: e * 2.0, lambda: -e))
    x = K.variable(ROWS)
    y = K.map_fn(step, x)
    gradient = K.gradients(K.sum(y), [x])[0]
    large = ROWS.sum(1, keepdims=True) > 20
    np.testing.assert_array_equal(np.where(large, ROWS * 2, -ROWS), K.eval(y))
    np.testing.assert_array_equal(np.where(large, 2.0, -1.0) * np.ones_like(ROWS), K.eval(gradient))
    assert len(calls) == 1


def test_step_tells_each_element():
    told = []

    def tell(value):
        told.append(value.tolist())
        return value

    def step(e):
        heard = tf.numpy_function(tell, [e], tf.float32)
        heard.set_shape(e.shape)
        return heard

    loop, calls = counted(step)
    np.testing.assert_array_equal(ROWS, K.eval(K.map_fn(loop, K.variable(ROWS))))
    assert sorted(told) == ROWS.tolist()
    assert len(calls) == 1


def test_inner_step_tells_each_element_once():
    """What the calls of the steps have made outside does not run."""
    told = []

    def tell(value):
        told.append(float(value))
        return value

    def inner(e):
        with tf.control_dependencies([tf.numpy_function(tell, [e], tf.float32)]):
            return e * 2.0

    y = K.map_fn(lambda row: K.map_fn(inner, row), K.variable(ROWS))
    np.testing.assert_array_equal(ROWS * 2, K.eval(y))
    assert sorted(told) == sorted(ROWS.ravel().tolist())


def test_gradient_that_python_knows():
    """It reads tensors of the step: a copy would read those of the first element."""

    @tf.custom_gradient
    def square(x):
        return x * x, lambda g: g * 2.0 * x

    x = K.variable(ROWS)
    gradient = K.gradients(K.sum(K.map_fn(square, x)), [x])[0]
    np.testing.assert_array_equal(2 * ROWS, K.eval(gradient))


def test_powers_in_a_step():
    """The gradient of x ** 0 at 0 is that of K in a copy, too."""
    x = K.variable([0.0, 2.0])
    exponent = K.placeholder(())
    y = K.map_fn(lambda e: K.pow(e, exponent), x)
    found = K.function([exponent], [K.gradients(K.sum(y), [x])[0]])
    np.testing.assert_array_equal([0.0, 0.0], found([0.0])[0])
    np.testing.assert_array_equal([0.0, 12.0], found([3.0])[0])


def test_what_does_not_change_is_computed_outside():
    w, x = K.variable(np.eye(3) * 2), K.variable(ROWS)
    y = K.map_fn(lambda e: K.sum(K.dot(w, w)) * e, x)
    np.testing.assert_array_equal(12 * ROWS, K.eval(y))
    assert not [node.name for node in bodies() if node.op in ('MatMul', 'ReadVariableOp')]


def test_convolution_of_images_of_unknown_size_in_a_loop_and_its_gradients():
    """Beside an empty batch the copy has what a step has that is called again."""
    kernel = np.random.RandomState(1).normal(size=(2, 2, 1, 1)).astype('float32')
    x, w = K.placeholder((2, None, 4, 4, 1)), K.variable(kernel)
    y = K.map_fn(lambda e: K.conv2d(e, w), x)
    g = K.gradients(K.sum(K.square(y)), [x, w])
    second = K.gradients(K.sum(K.square(g[1])), [w])[0]
    function = K.function([x], [y, *g, second])
    images = np.random.RandomState(2).normal(size=(2, 3, 4, 4, 1)).astype('float32')
    flat = K.placeholder((6, 4, 4, 1))
    z = K.conv2d(flat, w)
    h = K.gradients(K.sum(K.square(z)), [flat, w])
    expected = K.function([flat], [z, *h, K.gradients(K.sum(K.square(h[1])), [w])[0]])([images.reshape(6, 4, 4, 1)])
    for value, truth in zip(function([images]), expected):
        np.testing.assert_allclose(value.reshape(truth.shape), truth, rtol=1e-4, atol=1e-4)
    assert [value.shape for value in function([images[:, :0]])[:2]] == [(2, 0, 3, 3, 1), (2, 0, 4, 4, 1)]


# -- depth -------------------------------------------------------------------------------------------------------------
def choices(x, flag, depth):
    if not depth:
        return x * 1.5
    return K.switch(flag, lambda: choices(x, flag, depth - 1) * 1.01, lambda: x * float(depth))


def test_300_choices_inside_of_each_other():
    x, flag = K.variable(2.0), K.placeholder((), dtype='bool')
    function = K.function([flag], [choices(x, flag, 300)])
    np.testing.assert_allclose(3.0 * 1.01**300, function([True])[0], rtol=1e-4)
    np.testing.assert_allclose(600.0, function([False])[0])


def test_gradient_of_deep_choices_after_a_run():
    x, flag = K.variable(2.0), K.placeholder((), dtype='bool')
    y = choices(x, flag, 20)
    np.testing.assert_allclose(3.0 * 1.01**20, K.function([flag], [y])([True])[0], rtol=1e-5)
    function = K.function([flag], [y, K.gradients(y, [x])[0]])
    np.testing.assert_allclose([3.0 * 1.01**20, 1.5 * 1.01**20], function([True]), rtol=1e-5)
    np.testing.assert_allclose([40.0, 20.0], function([False]), rtol=1e-5)
