"""Loops on the TensorFlow engine: how often a step runs, what its gradient keeps, when it reads variables."""

import numpy as np
import pytest

tf2 = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402

tf = tf2.compat.v1
CHANGING = frozenset(['TensorListReserve', 'TensorListSetItem', 'TensorListGetItem', 'TensorListConcatLists'])


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a graph of its own."""
    K.clear_session()


def bodies():
    """The operations of all loops of the graph, their gradients included."""
    definition = tf.get_default_graph().as_graph_def()
    return [node for f in definition.library.function for node in f.node_def]


def rows(*shape):
    return np.random.RandomState(3).normal(size=shape).astype('float32')


# -- how often a step runs -----------------------------------------------------------------------------------------
@pytest.mark.parametrize('batch', [None, 2])
@pytest.mark.parametrize('zero_output', [False, True])
@pytest.mark.parametrize('backwards', [False, True])
def test_masked_rnn_runs_a_step_once_for_each_time(batch, zero_output, backwards):
    x, mask, runs = K.placeholder((batch, 3, 4)), K.placeholder((batch, 3)), []

    def counted(value):
        runs.append(value.shape)
        return value

    def step(element, states):
        output = tf.numpy_function(counted, [element + states[0]], tf.float32)
        output.set_shape(element.shape)
        return output, [output]

    start = K.zeros_like(x[:, 0])
    last, outputs, _ = K.rnn(step, x, [start], mask=mask, zero_output_for_mask=zero_output, go_backwards=backwards)
    values, valid = rows(2, 3, 4), np.array([[1, 0, 1], [0, 1, 1]], 'float32')
    found = K.function([x, mask], [last, outputs])([values, valid])
    assert [(2, 4)] * 3 == runs

    order = [2, 1, 0] if backwards else [0, 1, 2]
    state, output, wanted = np.zeros((2, 4)), np.zeros((2, 4)), []
    for t in order:
        here = valid[:, t, None] > 0
        output = np.where(here, values[:, t] + state, 0 if zero_output else output)
        state = np.where(here, values[:, t] + state, state)
        wanted.append(output)
    np.testing.assert_allclose(np.stack(wanted, 1), found[1], rtol=1e-6)
    np.testing.assert_allclose(wanted[-1], found[0], rtol=1e-6)


def test_zeros_of_an_output_with_more_unknown_sizes():
    """They are taken from the output itself: its second size is not that of the inputs."""
    x, mask = K.placeholder((None, 3, None)), K.placeholder((None, 3))
    _, outputs, _ = K.rnn(lambda e, s: (K.concatenate([e, e]), s), x, [K.sum(x, 1)], mask=mask)
    values = rows(2, 3, 4)
    found = K.function([x, mask], [outputs])([values, np.array([[0, 1, 0], [1, 0, 0]])])[0]
    doubled = np.concatenate([values, values], 2)
    wanted = np.stack([[0 * doubled[0, 0], doubled[0, 1], doubled[0, 1]], [doubled[1, 0]] * 3])
    np.testing.assert_array_equal(wanted, found)


@pytest.mark.parametrize('backwards', [False, True])
def test_more_steps_are_fed_than_input_length_says(backwards):
    x = K.placeholder((2, None, 1))

    def step(element, states):
        return element + states[0], [element + states[0]]

    _, sums, _ = K.rnn(step, x, [K.zeros((2, 1))], input_length=3, go_backwards=backwards)
    values = rows(2, 5, 1)
    steps = values[:, 2::-1] if backwards else values[:, :3]
    np.testing.assert_allclose(steps.cumsum(1), K.function([x], [sums])([values])[0], rtol=1e-6)


# -- what a loop keeps for its gradient ------------------------------------------------------------------------------
def recurrent(x, w, **named):
    def step(element, states):
        output = K.tanh(K.dot(element, w) + states[0])
        return output, [output]

    return K.rnn(step, x, [K.zeros_like(x[:, 0])], **named)[1]


@pytest.mark.parametrize('named', [{}, {'go_backwards': True}], ids=['forwards', 'backwards'])
def test_gradient_of_a_step_does_not_copy_a_list(named):
    """No list is written at a place, put together or kept by another list: each of these would copy it once a step."""
    x, w = K.placeholder((2, 5, 3)), K.variable(rows(3, 3))
    loss = K.sum(K.square(recurrent(x, w, **named)))
    K.function([x], K.gradients(loss, [x, w]))([rows(2, 5, 3)])
    for node in bodies():
        assert node.op not in CHANGING, node.name
        assert node.op != 'AddN' or node.attr['T'].type != tf.variant.as_datatype_enum, node.name
        assert node.op != 'TensorListPushBack' or node.attr['element_dtype'].type != tf.variant.as_datatype_enum


@pytest.mark.parametrize('backwards', [False, True])
@pytest.mark.parametrize('fixed', [False, True])
def test_gradients_of_first_and_second_order(backwards, fixed):
    """Beside differences in double precision; the function of the loop runs before any gradient is asked for."""
    x = K.placeholder((2, 4, 3) if fixed else (None, None, 3), dtype='float64')
    w = K.variable(rows(3, 3), 'float64')
    loss = K.sum(K.square(recurrent(x, w, go_backwards=backwards)))
    values, weights = rows(2, 4, 3).astype('float64'), rows(3, 3).astype('float64')
    value = K.function([x], [loss])

    def differences(f, array, step=1e-5):
        found = np.zeros(array.shape)
        for place in np.ndindex(*array.shape):
            high, low = array.copy(), array.copy()
            high[place] += step
            low[place] -= step
            found[place] = (f(high) - f(low)) / (2 * step)
        return found

    def by_weights(array, f):
        K.set_value(w, array)
        return f([values])[0]

    wanted = differences(lambda a: value([a])[0], values), differences(lambda a: by_weights(a, value), weights)
    K.set_value(w, weights)
    by_x, by_w = K.gradients(loss, [x, w])
    first = K.function([x], [by_x, by_w])([values])
    np.testing.assert_allclose(wanted[0], first[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(wanted[1], first[1], rtol=1e-6, atol=1e-8)

    length = K.function([x], [K.sum(K.square(by_x))])
    wanted = differences(lambda a: by_weights(a, length), weights)
    K.set_value(w, weights)
    second = K.function([x], K.gradients(K.sum(K.square(by_x)), [w]))([values])[0]
    np.testing.assert_allclose(wanted, second, rtol=1e-5, atol=1e-7)


def test_map_over_floats_and_integers_at_once():
    x, i = K.placeholder((None, 2)), K.placeholder((None,), dtype='int32')
    mapped = K.map_fn(lambda e: [e[0] * K.cast(e[1], 'float32'), e[1] + 1], [x, i], dtype=['float32', 'int32'])
    slope = K.gradients(K.sum(mapped[0]), [x])[0]
    found = K.function([x, i], [*mapped, slope])([np.ones((3, 2)), np.arange(3)])
    np.testing.assert_array_equal(np.arange(3)[:, None] * np.ones((3, 2)), found[0])
    np.testing.assert_array_equal([1, 2, 3], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_loop_in_a_loop_and_its_gradient():
    x, w = K.placeholder((None, 3, 2), dtype='float64'), K.variable([1.5, -0.5], 'float64')
    y = K.map_fn(lambda row: K.foldl(lambda a, e: a * K.sum(e * w), row, initializer=K.sum(row)), x)
    values = rows(4, 3, 2).astype('float64')
    found = K.function([x], [y, *K.gradients(K.sum(y), [w])])([values])
    factors, weights = np.dot(values, [1.5, -0.5]), []
    np.testing.assert_allclose(values.sum((1, 2)) * factors.prod(1), found[0])
    for k in range(2):
        parts = [values[:, t, k] * np.delete(factors, t, 1).prod(1) for t in range(3)]
        weights.append((values.sum((1, 2)) * sum(parts)).sum())
    np.testing.assert_allclose(weights, found[1])


# -- when a loop reads variables -----------------------------------------------------------------------------------
def test_variables_are_read_once_before_the_loop():
    x, w, b = K.placeholder((None, 3, 2)), K.variable(np.ones((2, 2))), K.variable([1.0, 2.0])

    def outer(row):
        return K.map_fn(lambda e: K.sum(K.dot(K.expand_dims(e, 0), w) + b + K.sum(w)), row)

    y = K.map_fn(outer, x)
    found = K.function([x], [y, *K.gradients(K.sum(y), [w, b])])([np.ones((1, 3, 2))])
    np.testing.assert_array_equal([[15.0] * 3], found[0])
    np.testing.assert_array_equal(np.full((2, 2), 9.0), found[1])
    np.testing.assert_array_equal([3.0, 3.0], found[2])
    assert not [node.name for node in bodies() if node.op == 'ReadVariableOp']


@pytest.mark.parametrize('branch', [False, True])
def test_step_that_assigns_a_variable_reads_the_new_value(branch):
    v = K.variable(1.0)

    def add():
        with tf.control_dependencies([K.update_add(v, 1.0)]):
            return tf.constant(0.0)

    def step(element, states):
        with tf.control_dependencies([states[0]]):
            added = tf.cond(tf.reduce_sum(element) > 0, add, lambda: tf.constant(0.0)) if branch else add()
        with tf.control_dependencies([added]):
            now = K.identity(v)
        return element * now, [now * tf.ones_like(states[0])]

    x = K.placeholder((1, 3, 1))
    f = K.function([x], [K.rnn(step, x, [K.zeros((1, 1))])[1]])
    np.testing.assert_array_equal([[[2.0], [3.0], [4.0]]], f([np.ones((1, 3, 1))])[0])
    assert 4.0 == K.get_value(v)


def test_loop_behind_an_assignment_reads_the_new_value():
    v, x = K.variable(1.0), K.placeholder((3,))
    with tf.control_dependencies([K.update(v, 5.0)]):
        y = K.map_fn(lambda e: e * v, x)
    np.testing.assert_array_equal([5.0, 10.0, 15.0], K.function([x], [y])([[1, 2, 3]])[0])


def test_variable_made_by_the_first_step_is_read_outside():
    made, x = [], K.placeholder((None, 3))

    def step(element):
        if not made:
            made.append(K.variable(3.0))
        return element * K.identity(made[0])

    f = K.function([x], [K.map_fn(step, x)])
    np.testing.assert_array_equal(np.full((2, 3), 3.0), f([np.ones((2, 3))])[0])
    K.set_value(made[0], 4.0)
    np.testing.assert_array_equal(np.full((2, 3), 4.0), f([np.ones((2, 3))])[0])
    assert not [node.name for node in bodies() if node.op == 'ReadVariableOp']


# -- what is kept for gradients ------------------------------------------------------------------------------------
def inner_loop(v, c):
    return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * c + v), [0, v])[1]


def nested(v, c, depth):
    """v * c ** depth, each product in a branch of the one before."""
    if not depth:
        return v
    return tf.cond(tf.reduce_sum(v) > -9.0, lambda: nested(v, c, depth - 1) * c, lambda: v)


# Bodies of a loop over v, in which c comes from outside and may be needed for gradients.
BODIES = {
    'the value is not used': lambda v, c: c * 2.0,
    'no gradient passes the value': lambda v, c: tf.floor(v) + c,
    'stopped': lambda v, c: tf.stop_gradient(v) + c,
    'chosen': lambda v, c: tf.where(v > c, v, c),
    'indexed': lambda v, c: tf.gather(c, tf.argmax(v, 0)[:3]),
    'dropped': lambda v, c: K.dropout(v * c, 0.3),
    'norm': lambda v, c: v / tf.norm(c * v),
    'moments': lambda v, c: tf.nn.moments(v * c, [0])[1] + v,
    'sorted': lambda v, c: tf.sort(v * c),
    'repeated': lambda v, c: tf.tile(v[:1] * c[:1], [tf.shape(v)[0], 1]),
    'pooled': lambda v, c: tf.nn.max_pool2d((v * c)[None, :, :, None], 3, 1, 'SAME')[0, :, :, 0],
    'branch': lambda v, c: tf.cond(tf.reduce_sum(v) > 1.0, lambda: v * c, lambda: c),
    'branches in branches': lambda v, c: nested(v, c, 3),
    'loop': inner_loop,
    'loop over rows': lambda v, c: tf.map_fn(lambda row: row * 2.0, v * c),
    'scan over rows': lambda v, c: tf.scan(lambda total, row: total * row, v * c),
    'fold of rows': lambda v, c: v + tf.foldl(lambda total, row: total + row, v * c),
}


@pytest.mark.parametrize('name', BODIES)
@pytest.mark.parametrize('kind', ['loop', 'choice'])
def test_gradient_is_made_after_a_run(kind, name):
    """The loop has handed out by then what the gradient needs, or the session would have to be replaced."""
    x, c = K.placeholder((None, 4)), K.variable(np.abs(rows(3, 4)) + 0.5)
    body, outside = BODIES[name], c * 1.0
    if kind == 'loop':
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, body(v, outside)), [0, x])[1]
    else:
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: body(x, outside), lambda: x)
    y = K.reshape(y, (-1, 4))
    values = np.abs(rows(3, 4)) + 0.1
    assert (3, 4) == K.function([x], [y])([values])[0].shape
    session = K.get_session()
    loops = [op for op in tf.get_default_graph().get_operations() if op.type.endswith(('While', 'If'))]
    counts = [len(op.outputs) for op in loops]
    gradients = [g for g in K.gradients(K.sum(y), [x, c]) if g is not None]
    found = K.function([x], gradients)([values])
    assert counts == [len(op.outputs) for op in loops]
    assert session is K.get_session()
    assert all([np.isfinite(g).all() for g in found])


def test_branches_in_branches():
    """What one hands out for gradients grows by the same for each level, and the gradient is right."""
    x, c = K.placeholder((3,)), K.variable([0.5, 1.0, 2.0])
    depths = (2, 4, 8)
    made = [nested(x, c, depth) for depth in depths]
    counts = [max([len(op.outputs) for op in ancestors(y) if op.type.endswith('If')]) for y in made]
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])
    values, c_values = np.array([0.1, 0.2, 0.3]), np.array([0.5, 1.0, 2.0])
    for depth, y in zip(depths, made):
        gradient = K.function([x], K.gradients(K.sum(y), [x, c]))([values])
        wanted = c_values**depth, depth * values * c_values ** (depth - 1)
        for g, w in zip(gradient, wanted):
            np.testing.assert_allclose(g, w, rtol=1e-5)


def test_function_without_a_gradient_keeps_nothing_for_one():
    """It runs a loop without lists but those of the sequence."""
    x, w = K.placeholder((None, 5, 3)), K.variable(rows(3, 3) * 0.1)
    y = recurrent(x, w)
    function, values = K.function([x], [y, K.sum(y, 1)]), rows(40, 5, 3)
    found = function([values])[0]

    def count(tensor):
        return sum([len(op.outputs) for op in ancestors(tensor) if op.type.endswith('While')])

    assert count(function._without_idle_lists()[0]) < count(y)
    state, wanted = np.zeros((40, 3)), []
    for t in range(5):
        state = np.tanh(values[:, t] @ K.get_value(w) + state)
        wanted.append(state)
    np.testing.assert_allclose(np.stack(wanted, 1), found, rtol=1e-5, atol=1e-6)
    gradient = K.function([x], K.gradients(K.sum(y), [w]))([values])[0]
    assert (3, 3) == gradient.shape


def ancestors(tensor):
    found, todo = set(), [tensor.op]
    while todo:
        op = todo.pop()
        if op not in found:
            found.add(op)
            todo += [t.op for t in op.inputs]
    return found


def test_operation_before_a_loop_runs_before_its_copy():
    """What a loop waits for runs in a function that copies the loop, too."""
    x, count = K.placeholder((2, 3)), K.variable(0.0)
    with tf.control_dependencies([tf.assign_add(count, 1.0)]):
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.tanh(v * 2.0)), [0, x])[1]
    function = K.function([x], [y])
    assert function._without_idle_lists()[0] is not y
    function([rows(2, 3)])
    function([rows(2, 3)])
    assert 2.0 == K.get_value(count)


@pytest.mark.parametrize('inside', [False, True])
def test_two_functions_of_one_random_tensor_behind_a_loop(inside):
    """They draw from one source, so they draw different numbers."""
    x = K.placeholder((None, 5, 30))

    def step(element, states):
        output = K.tanh(element + states[0])
        return output * K.random_uniform((2, 30)) if inside else output, [output]

    last = K.rnn(step, x, [K.zeros_like(x[:, 0])])[0]
    dropped = last if inside else K.dropout(last, 0.5, seed=1)
    one, other = K.function([x], [dropped]), K.function([x], [dropped])
    values = rows(2, 5, 30)
    found = [f([values])[0].tobytes() for f in (one, other, one, other)]
    assert len(set(found)) == 4
