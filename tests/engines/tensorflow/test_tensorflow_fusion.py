"""Functions that XLA compiles: the same numbers, every update once, and a reason where a function stays plain."""

import threading

import numpy as np
import pytest

tf2 = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402
from keras_backend import errors  # noqa: E402
from keras_backend.engines.tensorflow_backend.xla import cluster, policy  # noqa: E402
from keras_backend.engines.tensorflow_backend.xla import work as chains  # noqa: E402

tf = tf2.compat.v1


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a graph of its own."""
    K.clear_session()


@pytest.fixture
def eager_policy(monkeypatch):
    """'auto' compiles at the third call, however little work a call is."""
    monkeypatch.setattr(policy, '_CALLS', 2)
    monkeypatch.setattr(policy, '_CALLS_OF_CHAINS', 2)
    monkeypatch.setattr(policy, '_SECONDS', 0.0)


def rows(*shape, seed=3):
    return np.random.RandomState(seed).normal(size=shape).astype('float32')


def weights(*shape, seed=5):
    return K.variable(rows(*shape, seed=seed) / 2)


# -- the same numbers as plainly ---------------------------------------------------------------------------------
def gru(mask=False, size=None, length=5, **named):
    """A masked GRU, its loss and the gradients with respect to the weights and the input."""
    x, valid = K.placeholder((size, length, 3)), K.placeholder((size, length))
    w, u, b = weights(3, 12), weights(4, 12, seed=6), weights(12, seed=7)

    def step(element, states):
        (h,) = states
        by_x = K.bias_add(K.dot(element, w), b)
        by_h = K.dot(h, u[:, :8])
        z, r = K.sigmoid(by_x[:, :4] + by_h[:, :4]), K.sigmoid(by_x[:, 4:8] + by_h[:, 4:])
        h = z * h + (1 - z) * K.tanh(by_x[:, 8:] + K.dot(r * h, u[:, 8:]))
        return h, [h]

    start = K.zeros_like(K.dot(x[:, 0], w))[:, :4]
    last, outputs, states = K.rnn(step, x, [start], mask=valid if mask else None, **named)
    loss = K.mean(K.square(last)) + K.sum(outputs * 0.1)
    inputs = [x, valid] if mask else [x]
    values = [rows(2, 5, 3), np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], 'float32')]
    return inputs, [last, outputs, states[0], loss, *K.gradients(loss, [w, u, b, x])], values[: len(inputs)]


def two_states():
    x, w = K.placeholder((None, None, 3)), weights(7, 16)

    def step(element, states):
        h, c = states
        i, f, g, o = [K.dot(K.concatenate([element, h]), w)[:, k : k + 4] for k in (0, 4, 8, 12)]
        c = K.hard_sigmoid(f) * c + K.sigmoid(i) * K.tanh(g)
        h = K.sigmoid(o) * K.relu(c)
        return h, [h, c]

    zeros = tf.zeros([tf.shape(x)[0], 4])
    last, outputs, states = K.rnn(step, x, [zeros, zeros], go_backwards=True)
    loss = K.sum(K.categorical_crossentropy(K.softmax(outputs), K.softmax(last[:, None] * outputs)))
    return [x], [outputs, *states, loss, *K.gradients(loss, [w, x])], [rows(2, 4, 3)]


def mapped():
    x, w = K.placeholder((None, 3)), weights(3)
    y = K.map_fn(lambda e: [K.sum(K.exp(e * w)), e - K.mean(e)], x, dtype=['float32', 'float32'])
    loss = K.sum(y[0]) + K.sum(K.square(y[1]))
    return [x], [*y, *K.gradients(loss, [w, x])], [rows(4, 3)]


def folded():
    x, w = K.placeholder((4, 3)), weights(3)
    y = K.foldr(lambda a, e: K.tanh(a * w + e), x)
    return [x], [y, *K.gradients(K.sum(y), [w, x])], [rows(4, 3)]


def nested():
    x, w = K.placeholder((3, 4, 2)), weights(2)
    y = K.map_fn(lambda row: K.foldl(lambda a, e: a + K.tanh(e * w), row, initializer=K.zeros((2,))), x)
    return [x], [y, K.sum(y)], [rows(3, 4, 2)]


def integers():
    x, i = K.placeholder((None, 3)), K.placeholder((None,), dtype='int32')
    counted = K.foldl(lambda a, e: a + e // 2, i, initializer=K.constant(0, 'int32'))
    y = K.map_fn(lambda e: K.cast(K.argmax(e[0]), 'int32') + e[1], [x, i], dtype='int32')
    return [x, i], [counted, y], [rows(4, 3), np.arange(4)]


PROGRAMS = {
    'gru': gru,
    'masked gru': lambda: gru(True),
    'masked gru, zeros, backwards': lambda: gru(True, zero_output_for_mask=True, go_backwards=True),
    'fixed batch': lambda: gru(True, 2),
    'any length': lambda: gru(True, length=None),
    'two states': two_states,
    'map_fn': mapped,
    'foldr': folded,
    'loop in a loop': nested,
    'integers': integers,
}


@pytest.mark.parametrize('name', PROGRAMS)
def test_compiled_and_plain_numbers_agree(name):
    inputs, outputs, values = PROGRAMS[name]()
    compiled, plain = [K.function(inputs, outputs, fuse=fuse) for fuse in (True, False)]
    for scale in (1, 2):
        given = [v if v.dtype.kind == 'i' else v * scale for v in values]
        for found, wanted in zip(compiled(given), plain(given)):
            np.testing.assert_allclose(wanted, found, rtol=2e-5, atol=1e-6)
    assert compiled.fusion.startswith('compiled in '), compiled.fusion
    assert 'plain, since fuse is False' == plain.fusion


def test_training_that_is_compiled_on_the_way_is_training_plainly(eager_policy):
    """Adam, with a counter of integers, by 'auto': first plainly, then compiled."""

    def trained(fuse):
        K.clear_session()
        x, w = K.placeholder((None, 4, 3)), weights(3, 3)
        step_count, m, v = K.variable(0, 'int64'), K.variable(np.zeros((3, 3))), K.variable(np.zeros((3, 3)))

        def step(element, states):
            output = K.tanh(K.dot(element, w) + states[0])
            return output, [output]

        loss = K.mean(K.square(K.rnn(step, x, [K.zeros_like(x[:, 0])])[0] - 1))
        gradient = K.gradients(loss, [w])[0]
        t = K.cast(step_count, 'float32') + 1
        new_m, new_v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * K.square(gradient)
        rate = 0.01 * K.sqrt(1 - K.pow(0.999, t)) / (1 - K.pow(0.9, t))
        updates = [
            K.update_add(step_count, 1),
            K.update(m, new_m),
            K.update(v, new_v),
            K.update(w, w - rate * new_m / (K.sqrt(new_v) + 1e-7)),
        ]
        f = K.function([x], [loss], updates=updates, fuse=fuse)
        losses = [f([rows(2, 4, 3, seed=k)])[0] for k in range(20)]
        return losses, [K.get_value(each) for each in (step_count, m, v, w)], f.fusion

    losses, values, said = trained('auto')
    wanted_losses, wanted, _ = trained(False)
    assert 20 == values[0]
    assert said.startswith('compiled in '), said
    np.testing.assert_allclose(wanted_losses, losses, rtol=1e-4)
    for found, value in zip(values, wanted):
        np.testing.assert_allclose(value, found, rtol=1e-3, atol=1e-7)


def test_updates_that_follow_each_other():
    """Two of one variable, one that adds in place, and one of a variable that is an output."""
    x, v, w = K.placeholder((3,)), K.variable(1.0), K.variable(10.0)
    total = K.foldl(lambda a, e: a + e, x, initializer=K.constant(0.0))
    f = K.function([x], [total, w], updates=[(v, total), K.update_add(v, 1.0), (w, total * w)], fuse=True)
    assert [6.0, 10.0] == f([[1, 2, 3]])
    assert [6.0, 60.0] == f([[1, 2, 3]])
    assert (7.0, 360.0) == (K.get_value(v), K.get_value(w))
    assert f.fusion.startswith('compiled'), f.fusion


def test_sums_of_many_numbers_keep_their_digits():
    x = K.placeholder((None, 1000))
    values = np.random.RandomState(0).uniform(size=(2000, 1000)).astype('float32')
    f = K.function([x], [K.mean(x), K.sum(x), K.mean(x + 0.0, keepdims=True)], fuse=True)
    mean, total, kept = f([values])
    assert f.fusion.startswith('compiled'), f.fusion
    np.testing.assert_allclose(values.mean(dtype='float64'), mean, rtol=1e-5)
    np.testing.assert_allclose(values.sum(dtype='float64'), total, rtol=1e-5)
    assert (1, 1) == kept.shape
    long = K.placeholder((2000000,))
    found = K.function([long], [K.mean(long * 1.0)], fuse=True)([values.ravel()])[0]
    np.testing.assert_allclose(values.mean(dtype='float64'), found, rtol=1e-5)


def test_element_wise_chain_without_a_loop():
    x = K.placeholder((None, 50))
    y = K.tanh(K.exp(-K.square(x)) * 2 + K.sigmoid(x)) / (1 + K.abs(x))
    f, plain = K.function([x], [y], fuse=True), K.function([x], [y], fuse=False)
    np.testing.assert_allclose(plain([rows(20, 50)])[0], f([rows(20, 50)])[0], rtol=1e-5, atol=1e-6)
    assert f.fusion.startswith('compiled'), f.fusion


# -- what stays as it is ---------------------------------------------------------------------------------------------
def summed(x, extra=lambda e: 0.0):
    return K.foldl(lambda a, e: a + e + extra(e), x, initializer=K.constant(0.0))


def drawn_in_the_loop(x):
    return summed(x, lambda e: K.random_uniform(()))


def printed(x):
    return summed(K.print_tensor(x, 'x'))


def printed_in_the_loop(x):
    return summed(x, K.print_tensor)


def called_back(x):
    made = tf.numpy_function(lambda a: a, [x], tf.float32)
    made.set_shape(x.shape)
    return summed(made)


def looked_up_in_the_loop(x):
    return summed(x, lambda e: K.gather(K.constant([0.0, 1.0, 2.0, 3.0]), K.cast(e, 'int32')))


def at_an_index_of_the_loop(x):
    return summed(x, lambda e: x[K.cast(e, 'int32') - 1])


def looked_up_by_the_sum(x):
    return summed(x * K.gather(K.constant([1.0, 2.0] * 4), K.cast(summed(x), 'int32')))


def asserted(x):
    def checked(e):
        with tf.control_dependencies([tf.debugging.Assert(e > 0, ['not positive'])]):
            return K.identity(e)

    return summed(x, checked)


def inverted(x):
    return summed(x, lambda e: tf.linalg.inv([[e]])[0, 0])


def divided_by_the_sum(x):
    return summed(x / K.cast(7 // K.cast(summed(x), 'int32'), 'float32'))


def chosen(x):
    """The gradient of a choice hands optional values from branch to branch."""
    w = K.variable(2.0)
    y = summed(x, lambda e: K.switch(e > 2, lambda: K.exp(w * e), lambda: K.square(w)))
    return K.gradients(y, [w])[0]


def assigning_in_the_loop(x):
    v = K.variable(1.0)

    def add(e):
        with tf.control_dependencies([K.update_add(v, 1.0)]):
            return K.zeros_like(e)

    return summed(x, add)


REFUSED = {
    drawn_in_the_loop: 'RandomUniform',
    printed: 'Print',
    printed_in_the_loop: 'Print',
    called_back: 'PyFunc',
    looked_up_in_the_loop: 'GatherV2',
    at_an_index_of_the_loop: 'an index that is not known',
    looked_up_by_the_sum: 'GatherV2',
    asserted: 'Assert',
    inverted: 'MatrixInverse',
    divided_by_the_sum: 'a division of integers',
    chosen: 'Optional',
    assigning_in_the_loop: 'AssignAddVariableOp',
}


@pytest.mark.parametrize('program', REFUSED, ids=lambda program: program.__name__)
def test_function_that_is_refused_says_why_and_runs(program):
    x = K.placeholder((3,))
    f = K.function([x], [program(x)], fuse=True)
    found = f([[1, 2, 3]])[0]
    assert f.fusion.startswith('plain, since '), f.fusion
    assert REFUSED[program] in f.fusion
    if 'Random' not in f.fusion:
        np.testing.assert_allclose(K.function([x], [program(x)], fuse=False)([[1, 2, 3]])[0], found, rtol=1e-6)


def test_list_of_lists_is_refused():
    """XLA would end the process."""
    x = K.placeholder((2, 3))
    nothing = tf.constant([], tf.int32)
    rows_of = tf.TensorArray(tf.variant, 2, element_shape=())

    def body(i, lists):
        return i + 1, lists.write(i, tf.raw_ops.TensorListFromTensor(tensor=x[i], element_shape=nothing))

    _, lists = tf2.while_loop(lambda i, lists: i < 2, body, [0, rows_of])
    first = tf.raw_ops.TensorListStack(input_handle=lists.read(1), element_shape=nothing, element_dtype=tf.float32)
    f = K.function([x], [first], fuse=True)
    np.testing.assert_array_equal([4, 5, 6], f([[[1, 2, 3], [4, 5, 6]]])[0])
    assert f.fusion.startswith('plain, since '), f.fusion


def test_what_xla_does_not_know_stays_plain(capfd):
    x, v = K.placeholder((3,)), K.variable(0.0)
    y = summed(x, tf.math.special.dawsn)
    f = K.function([x], [y], updates=[K.update_add(v, 1.0)], fuse=True)
    wanted = K.function([x], [y], fuse=False)([[1, 2, 3]])
    assert [wanted] * 3 == [f([[1, 2, 3]]) for _ in range(3)]
    assert 3.0 == K.get_value(v)
    assert f.fusion.startswith('plain, since XLA refuses it'), f.fusion


# -- what runs plainly before the cluster ----------------------------------------------------------------------------
def recurrent(x):
    w = weights(3, 3)

    def step(element, states):
        output = K.tanh(K.dot(element, w) + states[0])
        return output, [output]

    last = K.rnn(step, x, [K.zeros_like(x[:, 0])])[0]
    return last, w


def test_rows_are_looked_up_before_the_cluster():
    """So an index that there is no row for is an error, and the gradient goes through it."""
    table, indices = weights(5, 3), K.placeholder((None, 4), dtype='int32')
    last, w = recurrent(K.gather(table, indices))
    outputs = [last, *K.gradients(K.sum(last), [w, table])]
    f, plain = [K.function([indices], outputs, fuse=fuse) for fuse in (True, False)]
    given = [np.array([[1, 2, 2, 4], [0, 0, 3, 1]])]
    for wanted, found in zip(plain(given), f(given)):
        np.testing.assert_allclose(wanted, found, rtol=1e-5, atol=1e-6)
    assert f.fusion.startswith('compiled'), f.fusion
    said = r'Index 5 is out of range for an axis of size 5; .* It is the entry \[0, 3\] of the indices'
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        f([np.array([[1, 2, 2, 5], [0, 0, 3, 1]])])


def test_random_numbers_are_drawn_before_the_cluster():
    """With the same seed they are those of a plain call, and others in each call."""
    found = []
    for fuse in (True, False):
        K.clear_session()
        tf.set_random_seed(1)
        x = K.placeholder((None, 4, 3))
        dropped = K.in_train_phase(lambda x=x: K.dropout(x, 0.5, seed=7), x)
        last, w = recurrent(dropped)
        f = K.function([x, K.learning_phase()], [last, *K.gradients(K.sum(last), [w])], fuse=fuse)
        found.append([f([np.ones((2, 4, 3)), phase]) for phase in (1, 1, 0)])
        assert f.fusion.startswith('compiled' if fuse else 'plain'), f.fusion
    for compiled, plain in zip(*found):
        for a, b in zip(compiled, plain):
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)
    assert np.abs(found[0][0][0] - found[0][1][0]).max() > 1e-3


def test_assertion_before_the_cluster_is_checked():
    x = K.placeholder((None, None, 3))
    last = K.rnn(lambda e, s: (e + s[0], [e + s[0]]), x, [tf.zeros([tf.shape(x)[0], 3])])[0]
    f = K.function([x], [last], fuse=True)
    f([rows(2, 4, 3)])
    assert f.fusion.startswith('compiled'), f.fusion
    with pytest.raises(errors.ShapeError, match='needs at least 1 time step'):
        f([rows(2, 0, 3)])


def test_variables_are_those_of_the_call():
    x = K.placeholder((2, 4, 3))
    last, w = recurrent(x)
    f, plain = [K.function([x], [last], fuse=fuse) for fuse in (True, False)]
    for value in (rows(3, 3), 2 * rows(3, 3)):
        K.set_value(w, value)
        np.testing.assert_allclose(plain([rows(2, 4, 3)])[0], f([rows(2, 4, 3)])[0], rtol=1e-5, atol=1e-6)


# -- the policy ----------------------------------------------------------------------------------------------------
def compiled_at(f, values, most=40):
    """The number of the first call with these values that was compiled, None if none of so many was."""
    for call in range(1, most + 1):
        f(values)
        if f.fusion.startswith('compiled'):
            return call
    return None


def test_auto_waits_and_then_decides(monkeypatch):
    """Each call makes the updates once."""
    monkeypatch.setattr(policy, '_CALLS', 4)
    monkeypatch.setattr(policy, '_SECONDS', 0.0)
    x, v = K.placeholder((None,)), K.variable(0.0)
    f = K.function([x], [summed(x)], updates=[K.update_add(v, 1.0)])
    for _ in range(4):
        assert 6.0 == f([[1, 2, 3]])[0]
        assert 'plain until it was called often enough' == f.fusion
    assert 6.0 == f([[1, 2, 3]])[0]
    assert f.fusion.startswith('compiled in '), f.fusion
    assert 6.0 == f([[1, 2, 3]])[0]
    assert 6.0 == K.get_value(v)


def test_the_call_that_compiles_follows_from_the_work():
    """Twice the steps: half of the calls. No clock is asked, and another function of the same kind does the same."""
    x = K.placeholder((None,))
    f, again = K.function([x], [summed(x)]), K.function([x], [summed(x)])
    short, long = np.ones(2000), np.ones(4000)
    calls = compiled_at(f, [short])
    assert 3 < calls < 40
    assert compiled_at(again, [long]) in (calls // 2, calls // 2 + 1)
    assert calls == compiled_at(K.function([x], [summed(x)]), [short])


def test_no_clock_decides(monkeypatch):
    """The clocks of a machine that stands still, and of one a thousand times slower."""
    found = []
    for step in (0.0, 1000.0):
        times = iter(np.arange(10000) * step)
        monkeypatch.setattr(policy, 'perf_counter', lambda times=times: next(times))
        x = K.placeholder((None,))
        found.append(compiled_at(K.function([x], [summed(x)]), [np.ones(2000)]))
    assert found[0] == found[1] is not None


def lstm_of(rows_, units, train):
    x = K.placeholder((None, 10, 8))
    w, u = weights(8, 4 * units), weights(units, 4 * units)

    def step(element, states):
        h, c = states
        i, f, g, o = [(K.dot(element, w) + K.dot(h, u))[:, k * units : (k + 1) * units] for k in range(4)]
        c = K.sigmoid(f) * c + K.sigmoid(i) * K.tanh(g)
        h = K.sigmoid(o) * K.tanh(c)
        return h, [h, c]

    zeros = K.zeros_like(K.dot(x[:, 0], w))[:, :units]
    loss = K.mean(K.square(K.rnn(step, x, [zeros, zeros])[0]))
    updates = [K.update_sub(v, 0.1 * g) for v, g in zip([w, u], K.gradients(loss, [w, u]))] if train else []
    return K.function([x], [loss], updates), [(rows_, 10, 8)]


@pytest.mark.parametrize(
    ('rows_', 'units', 'train', 'taken'),
    [(4, 8, True, True), (4, 8, False, True), (1024, 256, True, False), (1024, 256, False, False)],
)
def test_loops_of_large_products_stay_plain(rows_, units, train, taken):
    """XLA is slower in large products of matrices. Nothing is run here."""
    f, shapes = lstm_of(rows_, units, train)
    assert (f._fusion.patience(shapes) is not None) == taken


def test_work_of_a_loop_is_counted():
    """Steps by what is in them, the rows of what is fed, and the length of a sequence of any length."""
    units, inputs = 8, 8
    f, shapes = lstm_of(4, units, False)
    f._fusion.patience(shapes)
    counted = f._fusion._counted
    small, more_rows = counted.work(shapes), counted.work([(12, 10, 8)])
    assert 10 * 4 * (inputs + units) * 4 * units == small.products
    assert 3 * small.products == more_rows.products
    assert small.operations == more_rows.operations > 10 * 10
    assert not small.gradients
    trained, shapes = lstm_of(4, units, True)
    trained._fusion.patience(shapes)
    assert trained._fusion._counted.work(shapes).gradients
    x = K.placeholder((None, None, 3))
    any_length = K.function([x], [K.rnn(lambda e, s: (e + s[0], [e + s[0]]), x, [K.zeros_like(x[:, 0])])[0]])
    any_length._fusion.patience([(2, 5, 3)])
    five, ten = [any_length._fusion._counted.work([(2, n, 3)]).operations for n in (5, 10)]
    assert 2 * five == ten
    nested = K.placeholder((3, 4, 2))
    y = K.map_fn(lambda row: K.foldl(lambda a, e: a + K.tanh(e), row, initializer=K.zeros((2,))), nested)
    inside = K.function([nested], [y])
    inside._fusion.patience([(3, 4, 2)])
    flat = K.function([nested], [K.map_fn(K.tanh, nested)])
    flat._fusion.patience([(3, 4, 2)])
    assert inside._fusion._counted.work([(3, 4, 2)]).operations > 2 * flat._fusion._counted.work([(3, 4, 2)]).operations


def test_auto_leaves_other_functions_alone(eager_policy):
    x, w = K.placeholder((None, 2)), weights(2, 2)
    neither = 'plain, since it is neither a loop nor a chain of element-wise operations'
    for y in (K.exp(x), K.tanh(K.exp(K.sin(K.square(K.dot(x, w))))), K.tanh(K.exp(K.sin(K.square(K.sum(x, 0)))))):
        f = K.function([x], [y])
        f([[[0, 1]]])
        assert neither == f.fusion


def test_auto_compiles_chains_of_large_tensors(eager_policy, monkeypatch):
    monkeypatch.setattr(chains, '_LEAST', 10000)
    v = K.variable(np.ones((100, 100)))
    y = K.square(K.abs(v) + K.square(v) - K.relu(v)) * 0.5
    outputs = [y, K.mean(y)]
    f, plain = K.function([], outputs, [K.update(v, y)]), K.function([], outputs, fuse=False)
    assert 'plain until it was called often enough' == f.fusion
    for _ in range(5):
        wanted = plain([])
        for a, b in zip(wanted, f([])):
            np.testing.assert_allclose(a, b, rtol=1e-5)
    assert f.fusion.startswith('compiled in '), f.fusion


@pytest.mark.parametrize(
    ('chain', 'size', 'taken'),
    [
        (lambda x: K.relu(x * 1.5 + 0.5) * x - x, 4000000, True),
        (lambda x: K.relu(x * 1.5 + 0.5) * x - x, 1000, False),
        (lambda x: K.exp(K.tanh(K.sqrt(K.abs(K.square(K.relu(x * 1.5 + 0.5)) - x)))) + x, 4000000, True),
        (lambda x: K.tanh(K.tanh(K.tanh(K.tanh(x)))), 4000000, False),
        (lambda x: K.sin(x) * K.cos(x) + x * K.sin(x), 4000000, False),
        (lambda x: K.max(K.abs(x * 2.0 - 0.5) + x), 4000000, False),
    ],
)
def test_chains_are_compiled_where_xla_is_faster(chain, size, taken):
    """By their functions and the size of their tensors. Nothing is run here."""
    x = K.placeholder((size,))
    f = K.function([x], [chain(x)])
    assert f._fusion.chain
    assert (f._fusion.patience([(size,)]) is not None) == taken


def test_what_xla_would_not_do_faster_stays_plain_and_says_so():
    x = K.placeholder((None, 10))
    f = K.function([x], [K.relu(x * 1.5 + 0.5) * x - x])
    for _ in range(policy._CALLS_OF_CHAINS + 1):
        f([np.ones((3, 10))])
    assert 'plain for inputs of shapes [(3, 10)], since XLA is no faster there' == f.fusion


def test_few_combinations_of_shapes_are_compiled(eager_policy):
    x = K.placeholder((None,))
    f = K.function([x], [summed(x)], fuse=True)
    for size in range(1, 20):
        assert float(size) == f([np.ones(size)])[0]
    assert 'compiled, but not for more than 16 combinations of shapes; others are run plainly' == f.fusion
    assert 30.0 == f([np.ones(30)])[0]


def test_calls_from_many_threads():
    """Each adds 1, whoever compiles."""
    x, v = K.placeholder((None,)), K.variable(0.0)
    counting = K.function([x], [summed(x)], updates=[K.update_add(v, 1.0)], fuse=True)
    plain = K.function([x], [summed(x)], fuse=True)
    found = []

    def work():
        for _ in range(10):
            found.append((counting([[1, 2, 3]])[0], plain([[1, 2]])[0]))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [(6.0, 3.0)] * 60 == found
    assert 60.0 == K.get_value(v)


def test_gradient_of_second_order_after_the_first_was_compiled():
    """The session is replaced; the function is compiled anew in the next one."""
    x = K.placeholder((2, 4, 3))
    last, w = recurrent(x)
    slope = K.gradients(K.sum(last), [x])[0]
    f = K.function([x], [slope], fuse=True)
    first = f([rows(2, 4, 3)])[0]
    assert f.fusion.startswith('compiled'), f.fusion
    second = K.function([x], K.gradients(K.sum(K.square(slope)), [w]), fuse=True)
    plain = K.function([x], second.outputs, fuse=False)
    np.testing.assert_allclose(plain([rows(2, 4, 3)])[0], second([rows(2, 4, 3)])[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(first, f([rows(2, 4, 3)])[0], rtol=1e-5, atol=1e-6)


def test_inputs_of_wrong_shapes_fail_as_they_do_plainly():
    x, y = K.placeholder((None,)), K.placeholder((None,))
    f = K.function([x, y], [summed(x * y)], fuse=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match='[Ii]ncompatible shapes'):
        f([[1, 2, 3], [1, 2]])
    assert 14.0 == f([[1, 2, 3], [1, 2, 3]])[0]
    assert f.fusion.startswith('compiled'), f.fusion


def test_setting_of_the_environment(monkeypatch):
    x = K.placeholder((None,))
    y = summed(x)
    monkeypatch.setenv('KERAS_BACKEND_FUSION', '0')
    assert 'plain, since fuse is False' == K.function([x], [y]).fusion
    monkeypatch.setenv('KERAS_BACKEND_FUSION', 'True')
    f = K.function([x], [y])
    assert 3.0 == f([[1, 2]])[0]
    assert f.fusion.startswith('compiled in '), f.fusion
    monkeypatch.setenv('KERAS_BACKEND_FUSION', 'sometimes')
    with pytest.raises(errors.ConfigError, match="KERAS_BACKEND_FUSION is 'sometimes'; set it to auto, 1"):
        K.function([x], [y])
    assert 'plain, since fuse is False' == K.function([x], [y], fuse=False).fusion
    with pytest.raises(errors.ArgumentValueError, match="'auto', True or False, got 'yes'"):
        K.function([x], [y], fuse='yes')


def test_options_of_the_session_keep_a_function_plain():
    x, fed = K.placeholder((None,)), K.placeholder(())
    y = summed(x) * fed
    f = K.function([x], [y], run_metadata=tf.RunMetadata(), feed_dict={fed: 2.0}, fuse=True)
    assert 6.0 == f([[1, 2]])[0]
    assert 'plain, since it is called with options of Session.run' == f.fusion
    f = K.function([x], [y], feed_dict={fed: 2.0}, fuse=True)
    assert 6.0 == f([[1, 2]])[0]
    assert f.fusion.startswith('compiled'), f.fusion


def test_operation_beside_the_updates_keeps_a_function_plain():
    x, v = K.placeholder((None,)), K.variable(0.0)
    f = K.function([x], [summed(x)], updates=[tf.group(K.update_add(v, 1.0))], fuse=True)
    assert 3.0 == f([[1, 2]])[0]
    assert 'is an operation of its own' in f.fusion
    assert 1.0 == K.get_value(v)


def test_assignment_before_an_output_runs_once():
    """It is behind what the outputs wait for, and an update of the function, too."""
    x, v = K.placeholder((None,)), K.variable(1.0)
    added = K.update_add(v, 1.0)
    with K.control_dependencies([added]):
        y = summed(x) * K.identity(v)
    f = K.function([x], [y], updates=[added, K.update_add(v, 10.0)], fuse=True)
    assert 6.0 == f([[1, 2]])[0]
    assert 12.0 == K.get_value(v)
    assert 'AssignAddVariableOp, which may not run twice' in f.fusion, f.fusion


def test_unfit_says_why():
    x = K.placeholder((3,))
    with pytest.raises(cluster.Unfit, match='the loop .* has in it: RandomUniform'):
        cluster.make(tf.get_default_graph(), [x], [drawn_in_the_loop(x)])


# -- numbers that are not alike in XLA --------------------------------------------------------------------------------
@pytest.mark.parametrize('shape', [(1 << 21,), (1 << 20, 2), (1000, 1000, 2)])
def test_large_sums_are_as_good_as_plainly(shape):
    """XLA would add up the numbers one by one, in single precision."""
    x = K.placeholder(shape)
    total = K.sum(K.exp(K.log(K.sqrt(K.square(x)))) * 1.0)
    mean = K.mean(K.exp(K.log(K.sqrt(K.square(x)))) * 1.0)
    function = K.function([x], [total, mean], fuse=True)
    values = np.full(shape, 0.1, 'float32')
    found = function([values])
    assert 'compiled' in function.fusion
    np.testing.assert_allclose([values.astype('float64').sum(), 0.1], found, rtol=2e-5)


NAN_PASSES = {
    'maximum': lambda x, y: K.maximum(x, y),
    'minimum': lambda x, y: K.minimum(y, x),
    'relu': lambda x, y: K.relu(x),
    'clip': lambda x, y: K.clip(x, -1.0, 1.0),
    'hard_sigmoid': lambda x, y: K.hard_sigmoid(x),
    'max': lambda x, y: K.max(x, axis=0),
    'min': lambda x, y: K.min(x, axis=-1, keepdims=True),
    'max of all': lambda x, y: K.max(x),
}


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('name', NAN_PASSES)
def test_nan_passes_maxima(name, dtype):
    """In either place, in a function and in a loop, as plainly."""
    x, y = K.placeholder((3, 4), dtype=dtype), K.placeholder((3, 4), dtype=dtype)
    first, second = rows(3, 4), rows(3, 4, seed=4)
    first[1, 2] = second[0, 3] = np.nan
    function = NAN_PASSES[name]
    start = function(x, y) * 0.0

    def step(total, e):
        return total + function(x, y) * 0.5 + e

    outputs = [function(x, y), function(y, x), K.foldl(step, K.sum(y * 0.0, 1) + 1.0, initializer=start)]
    plain, fused = [K.function([x, y], outputs, fuse=fuse) for fuse in (False, True)]
    found = fused([first, second])
    assert 'compiled' in fused.fusion, fused.fusion
    for wanted, got in zip(plain([first, second]), found):
        np.testing.assert_allclose(wanted, got, rtol=1e-5)
    assert np.isnan(found[0]).any()
