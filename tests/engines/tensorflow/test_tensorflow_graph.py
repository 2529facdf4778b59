"""Graphs, sessions, eager blocks and threads of the TensorFlow engine."""

import gc
import os
import threading

import numpy as np
import pytest
from threads_and_forks import in_threads

tf2 = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402
from keras_backend import errors  # noqa: E402
from keras_backend.engines.tensorflow_backend import sessions  # noqa: E402

tf = tf2.compat.v1


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a graph of its own."""
    K.clear_session()
    K.reset_uids()
    yield
    K.manual_variable_initialization(False)


def in_thread(work):
    """What `work` returns in a new thread, or the error it raises."""
    outcome = []

    def run():
        try:
            outcome.append((work(), None))
        except Exception as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    value, error = outcome[0]
    if error is not None:
        raise error
    return value


# -- sessions --------------------------------------------------------------------------------------------------------
def test_own_session_is_honoured_everywhere():
    """Functions, values and updates run in the session that was set, and its variables are initialised there."""
    session = tf.Session()
    K.set_session(session)
    v = K.variable(1.0)
    f = K.function([], [v * 2.0], updates=[K.update_add(v, 1.0)])
    assert 2.0 == f([])[0]
    assert 2.0 == K.get_value(v) == K.eval(v + 0.0) == session.run(v)
    K.set_value(v, 7.0)
    assert session is K.get_session()
    assert 7.0 == session.run(v)
    K.clear_session()
    assert K.get_session() is not session
    assert 7.0 == session.run(v)


def test_a_with_block_chooses_the_session():
    """Inside of a `with session` block K runs in that session; each session has its own values."""
    v = K.variable(1.0)
    f = K.function([], [v + 0.0])
    K.set_value(v, 5.0)
    with tf.Session() as session:
        assert session is K.get_session()
        assert 1.0 == f([])[0] == K.get_value(v)
        K.set_value(v, 2.0)
        assert 2.0 == f([])[0]
    assert 5.0 == f([])[0] == K.get_value(v)
    with tf.Session(graph=tf.Graph()):
        assert 5.0 == f([])[0], 'a session of another graph cannot run it'


def test_session_on_a_graph_of_its_own():
    """After set_session K builds in the graph of that session."""
    session = tf.Session(graph=tf.Graph())
    K.set_session(session)
    v = K.variable(3.0)
    assert v.graph is session.graph
    assert session is K.get_session()
    assert 3.0 == session.run(v)
    K.clear_session()
    assert K.variable(1.0).graph is not session.graph
    with session.graph.as_default():
        assert 6.0 == session.run(v * 2.0), 'the graph of the user goes on'


def test_a_graph_in_a_with_block():
    """Inside of a `with graph` block K builds there, with a session, uids and a learning phase of its own."""
    outside = K.variable(1.0)
    K.get_uid('dense')
    with tf.Graph().as_default() as graph:
        v = K.variable(2.0)
        assert v.graph is graph
        assert 2.0 == K.get_value(v)
        assert graph is K.get_session().graph
        assert 1 == K.get_uid('dense')
        assert K.learning_phase().graph is graph
        with pytest.raises(errors.ForeignTensorError, match=outside.name.split(':')[0]):
            K.exp(outside)
        with pytest.raises(errors.ScopeError, match='with'):
            K.clear_session()
    assert 2 == K.get_uid('dense')
    assert 1.0 == K.get_value(outside)


def test_a_graph_that_was_reset_beside_k():
    """After TensorFlow's own reset_default_graph K goes on in the new graph."""
    old = K.variable(1.0)
    tf.reset_default_graph()
    new = K.variable(2.0)
    assert new.graph is not old.graph
    assert 2.0 == K.get_value(new)
    assert new.graph is in_thread(lambda: K.placeholder((1,))).graph


def test_a_closed_session():
    """A session that somebody closed is named in the error, with the way out."""
    f = K.function([], [K.variable(1.0)])
    f([])
    K.get_session().close()
    with pytest.raises(errors.ClearedSessionError, match='K.set_session'):
        f([])


def test_what_is_no_session():
    """Something that cannot run graphs is refused."""
    for bad in (3, 'session', tf.Graph()):
        with pytest.raises(TypeError, match='set_session'):
            K.set_session(bad)


# -- variables -------------------------------------------------------------------------------------------------------
def test_variables_are_initialised_in_one_run():
    """Variables of K and of TensorFlow are initialised together, when the first of them is used."""
    counter = []

    def draw():
        counter.append(1)
        return np.float32(len(counter))

    mine = [K.variable(tf.ensure_shape(tf.numpy_function(draw, [], tf.float32), ())) for _ in range(3)]
    theirs = tf2.Variable(5.0)
    assert [] == counter
    assert 5.0 == K.get_value(theirs)
    assert 3 == len(counter)
    assert [1.0, 2.0, 3.0] == sorted(float(v) for v in K.batch_get_value(mine))


def test_initialised_variables_keep_their_values():
    """What the user or a checkpoint initialised is not initialised again."""
    old = K.variable(1.0)
    session = K.get_session()
    new = K.variable(1.0)
    session.run(new.assign(9.0).op)
    assert 9.0 == K.get_value(new)
    assert 1.0 == K.get_value(old)


def test_manual_initialisation():
    """Under manual initialisation a variable waits for the user; the error names it and says what to do."""
    before = K.variable(1.0, name='before')
    K.manual_variable_initialization(True)
    waiting = K.variable(2.0, name='waiting')
    assert 1.0 == K.get_value(before)
    count = K.variable(0.0, name='count')
    f = K.function([], [waiting * 2.0], updates=[K.update_add(before, 1.0), (count, waiting)])
    for read in (lambda: K.get_value(waiting), lambda: K.eval(waiting + 1.0), lambda: f([])):
        with pytest.raises(errors.UninitializedVariableError, match='waiting|count'):
            read()
    assert 1.0 == K.get_value(before), 'nothing is half updated'
    K.manual_variable_initialization(False)
    with pytest.raises(errors.UninitializedVariableError):
        K.get_value(waiting)
    K.get_session().run([waiting.initializer, count.initializer])
    assert 4.0 == f([])[0]
    assert 2.0 == K.get_value(before)
    K.set_value(K.variable(3.0), 4.0)


def test_a_variable_made_from_another():
    """A variable that starts with the value of another one is initialised after it."""
    a = K.variable(np.arange(3.0))
    b = K.variable(a * 2.0)
    assert [0.0, 2.0, 4.0] == K.get_value(b).tolist()
    K.batch_set_value([(a, np.ones(3)), (b, np.zeros(3))])
    assert [[1.0] * 3, [0.0] * 3] == [v.tolist() for v in K.batch_get_value([a, b])]


def test_variables_made_from_one_tensor():
    """Two variables of TensorFlow that share their initial tensor are set to two values."""
    start = tf.constant([1.0, 2.0])
    a, b = tf.Variable(start, use_resource=True), tf.Variable(start, use_resource=True)
    K.batch_set_value([(a, [3.0, 4.0]), (b, [5.0, 6.0])])
    assert [[3.0, 4.0], [5.0, 6.0]] == [v.tolist() for v in K.batch_get_value([a, b])]


def test_tensorflow_saver():
    """TensorFlow's own Saver stores and restores variables of K."""
    v = K.variable([1.0, 2.0], name='kept')
    saver = tf.train.Saver()
    folder = os.environ['KERAS_HOME']
    path = saver.save(K.get_session(), os.path.join(folder, 'model'))
    K.set_value(v, [0.0, 0.0])
    saver.restore(K.get_session(), path)
    assert [1.0, 2.0] == K.get_value(v).tolist()


# -- clear_session ---------------------------------------------------------------------------------------------------
def test_what_is_cleared_says_so():
    """Functions, variables and tensors made before clear_session raise the error that says it."""
    x, v = K.placeholder((2,), name='old_x'), K.variable([1.0, 2.0], name='old_v')
    f = K.function([x], [x + v])
    f([[1.0, 2.0]]), K.get_value(v), K.set_value(v, [0.0, 1.0]), K.eval(v * 2.0)
    K.clear_session()
    uses = [
        lambda: f([[1.0, 2.0]]),
        lambda: K.get_value(v),
        lambda: K.set_value(v, [1.0, 2.0]),
        lambda: K.exp(x),
        lambda: x + 1.0,
        lambda: K.function([x], []),
        lambda: K.function([], [v]),
        lambda: K.batch_get_value([v]),
        lambda: K.batch_set_value([(v, [1.0, 2.0])]),
        lambda: K.update(v, v),
        lambda: tf.square(x),
        lambda: K.gradients(v, [v]),
        lambda: K.switch(x, x, x),
    ]
    for use in uses:
        with pytest.raises(errors.ClearedSessionError, match='clear_session'):
            use()


def test_clear_session_in_another_thread():
    """A graph that another thread cleared is gone for all threads, and all go on in the same new one."""
    old = K.placeholder((1,))
    in_thread(K.clear_session)
    new = K.placeholder((1,))
    assert new.graph is tf.get_default_graph() is not old.graph
    assert new.graph is in_thread(lambda: K.variable(1.0)).graph
    with pytest.raises(errors.ClearedSessionError):
        K.exp(old)


def test_session_closed_while_a_function_is_bound(monkeypatch):
    """What another thread clears between the building and the run of a function is our error, not TensorFlow's."""
    made = sessions.vendor.make_callable

    def closing(session, *rest):
        session.close()
        return made(session, *rest)

    function = K.function([], [K.variable([1.0]) * 2.0])
    monkeypatch.setattr(sessions.vendor, 'make_callable', closing)
    with pytest.raises(errors.ClearedSessionError, match='session was closed'):
        function([])
    monkeypatch.undo()
    K.clear_session()
    assert 2.0 == K.eval(K.constant(1.0) * 2.0)


def resident():
    """Megabytes of memory that this process occupies."""
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') / 1e6


@pytest.mark.skipif(not os.path.exists('/proc/self/statm'), reason='the memory of a process is read from /proc')
def test_a_thousand_rounds_stay_in_memory():
    """A thousand rounds of building, running and clearing take no more than a hundred megabytes beyond the first."""

    def cycle(all_of_it):
        x, w = K.placeholder((None, 20)), K.variable(np.ones((20, 10)))
        y = K.relu(K.dot(x, w))
        updates = [(w, w * 0.5)]
        if all_of_it:
            y = K.switch(K.sum(y) > 0.0, lambda: y * 2.0, lambda: y)
            y = K.rnn(lambda e, s: (e + s[0], [e + s[0]]), K.expand_dims(y, -1), [K.zeros_like(x[:, :1])])[0]
            updates = [(w, w - 0.01 * K.gradients(K.mean(y), [w])[0])]
            K.set_value(w, K.get_value(w) + K.eval(K.sum(w)))
        K.function([x], [y], updates=updates)([np.ones((4, 20))])
        K.clear_session()

    for i in range(100):
        cycle(i % 10 == 0)
    gc.collect()
    before = resident()
    for i in range(1000):
        cycle(i % 50 == 0)
    gc.collect()
    assert resident() - before < 100


# -- eager blocks and threads ----------------------------------------------------------------------------------------
def test_eager():
    """A function decorated by K.eager computes at once; its values come back as constants."""

    @K.eager
    def total(array):
        assert tf2.executing_eagerly()
        return tf2.reduce_sum(tf2.constant(array)) * 2.0

    value = total(np.ones((2, 2), 'float32'))
    assert 8.0 == value.numpy()
    assert not tf2.executing_eagerly()
    assert [9.0, 10.0] == K.eval(K.variable([1.0, 2.0]) + K.constant(value.numpy())).tolist()
    assert [9.0, 10.0] == K.eval(K.maximum([9.0, 10.0], value)).tolist()
    assert not K.is_symbolic(value)


def test_k_functions_of_eager_values():
    """K functions of eager tensors compute at once inside of an eager function."""
    value = K.eager(lambda: K.dot(tf2.constant([[1.0, 2.0]]), tf2.constant([[3.0], [4.0]])))()
    assert 11.0 == value.numpy()


def test_symbolic_inside_of_eager():
    """A function decorated by K.symbolic builds in the graph of K, wherever it is called."""
    x = K.variable(2.0)
    square = K.symbolic(lambda: K.square(x))
    assert 4.0 == K.eval(K.eager(square)()) == K.eval(square())


def test_symbolic_tensors_in_eager_functions():
    """A symbolic tensor in an eager function, and building there, are refused with the way out."""
    x = K.placeholder((2,), name='outside')
    for use, words in (
        (lambda: K.exp(x), 'outside'),
        (lambda: K.placeholder((1,)), 'K.symbolic'),
        (lambda: K.variable(1.0), 'K.symbolic'),
    ):
        with pytest.raises(errors.ScopeError, match=words):
            K.eager(use)()


def test_eager_variables_are_refused():
    """A variable that was made eagerly has no place in the graph; the error says what to do."""
    eager = K.eager(lambda: tf2.Variable(1.0, name='theirs'))()
    with pytest.raises(errors.ForeignTensorError, match='theirs'):
        K.exp(eager)


def test_threads_share_the_graph():
    """A new thread builds in the graph of K, by functions of K and of TensorFlow alike."""
    v = K.variable([1.0, 2.0])

    def work():
        y = K.square(v) + K.ones((2,))
        return K.function([], [y, tf.constant([1.0, 1.0]) + v])([])

    values = in_thread(work)
    assert [[2.0, 5.0], [2.0, 3.0]] == [value.tolist() for value in values]


def test_scopes_of_threads_do_not_mix():
    """What one thread builds under a control dependency or device does not touch what others build meanwhile."""
    count, v = K.variable(0.0), K.variable(1.0)
    inside, built, of_threads = threading.Event(), threading.Event(), []

    def work(i):
        if i == 0:
            with K.control_dependencies([K.update_add(count, 1.0)]), tf.device('/cpu:0'):
                inside.set()
                assert built.wait(60)
                of_threads.append(v * 3.0)
            return
        try:
            assert inside.wait(60)
            of_threads.append(v * 2.0)
        finally:
            built.set()

    in_threads(work, 2)
    y, scoped = of_threads
    assert ('', True) == (y.op.device, 'CPU:0' in scoped.op.device.upper())
    assert 2.0 == K.eval(y)
    assert 0.0 == K.get_value(count)
    assert 3.0 == K.eval(scoped)
    assert 1.0 == K.get_value(count)


# -- tensors of loops ------------------------------------------------------------------------------------------------
def test_tensorflow_tensors_of_a_step_stay_inside():
    """An operation of TensorFlow that leaked out of a step function is refused by name where it would be computed."""
    leaked = []

    def step(x, states):
        leaked.append(tf.identity(x * 2.0, name='leaked'))
        return x, states

    x = K.placeholder((None, 3, 2))
    K.rnn(step, x, [K.zeros_like(x[:, 0])])
    with pytest.raises(errors.ScopeError, match='leaked'):
        K.function([x], [leaked[-1]])


def test_second_order_after_a_run_in_a_session_of_the_user():
    """What TensorFlow cannot do in the user's session says what to do; K's own session does it."""
    v = K.variable([1.0, 2.0])

    def first_and_second():
        y = K.sum(K.foldl(lambda total, e: total * e * v, K.constant(np.ones((3, 2))), initializer=v))
        first = K.gradients(y, [v])[0]
        K.eval(first)
        return first, K.gradients(K.sum(first), [v])[0]

    _, second = first_and_second()
    assert [12.0, 48.0] == K.eval(second).tolist()
    # The session that K made in place of the first one is replaced as well.
    first, second = first_and_second()
    assert [1.0, 2.0] == K.get_value(v).tolist()
    K.set_value(v, [2.0, 3.0])
    assert [32.0, 108.0] == K.eval(first).tolist()
    assert [48.0, 108.0] == K.eval(second).tolist()
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        v = K.variable([1.0, 2.0])
        _, second = first_and_second()
        with pytest.raises(errors.ScopeError, match='second order'):
            K.eval(second)


# -- tensors without a rank ------------------------------------------------------------------------------------------
NEEDS_NO_RANK = {
    'sum': lambda x: x.sum(),
    'mean': lambda x: x.mean(),
    'prod': lambda x: x.prod(),
    'max': lambda x: x.max(),
    'std': lambda x: x.std(),
    'abs': np.abs,
    'exp': np.exp,
    'square': np.square,
    'tanh': np.tanh,
    'flatten': np.ravel,
    'shape': np.shape,
    'size': np.size,
    'zeros_like': np.zeros_like,
    'identity': lambda x: x,
    'expand_dims': lambda x: x[..., None],
}
NEEDS_AN_AXIS = {'cumsum': np.cumsum, 'argmax': np.argmax, 'batch_flatten': lambda x: x.reshape(len(x), -1)}


def test_of_unknown_rank():
    """The choice between branches of unlike rank has no rank; functions of K that need none take it."""
    flag, x = K.placeholder((), dtype='bool'), np.array([1.0, -2.0, 3.0], 'float32')
    y = K.switch(flag, K.constant(x), 0.5)
    assert K.ndim(y) is None
    assert K.int_shape(y) is None
    names = sorted(NEEDS_NO_RANK)
    built = [getattr(K, name)(y) for name in names]
    built += [y * 2.0, K.stack([y, y]), K.reshape(y, (-1, 1)), K.switch(y > 0.6, y, K.zeros_like(y)), K.maximum(y, 0.0)]
    function = K.function([flag], built)
    for taken, value in [(True, x), (False, np.float32(0.5))]:
        results = function([taken])
        expected = [NEEDS_NO_RANK[name](value) for name in names] + [
            value * 2,
            np.stack([value, value]),
            np.reshape(value, (-1, 1)),
            np.where(value > 0.6, value, 0.0),
            np.maximum(value, 0),
        ]
        for result, right in zip(results, expected):
            np.testing.assert_allclose(result, right, rtol=1e-6)
            assert np.shape(result) == np.shape(right)
    function = K.function([flag], [getattr(K, name)(y) for name in sorted(NEEDS_AN_AXIS)])
    for name, result in zip(sorted(NEEDS_AN_AXIS), function([True])):
        np.testing.assert_array_equal(result, NEEDS_AN_AXIS[name](x))
    with pytest.raises(tf.errors.InvalidArgumentError):
        function([False])


def test_what_needs_a_rank_says_so():
    """Where the number of axes has to be known, an error names the tensor and what would tell."""
    y = K.switch(K.placeholder((), dtype='bool'), K.constant([1.0, 2.0]), 0.5)
    for use in (lambda: K.reverse(y, 0), lambda: K.permute_dimensions(y, (0,)), lambda: K.count_params(y)):
        with pytest.raises(errors.ShapeError, match='set_shape'):
            use()


def test_a_gradient_has_the_rank_of_its_variable():
    """The gradient that comes back from a tensor without a rank has the shape of what it belongs to."""
    v = K.variable([1.0, 2.0, 3.0])
    y = K.switch(K.constant(True, dtype='bool'), v * v, 0.5)
    (gradient,) = K.gradients(K.sum(y), [v])
    assert K.int_shape(gradient) == (3,)
    np.testing.assert_array_equal(K.eval(gradient), [2.0, 4.0, 6.0])


# -- what programs written for TensorFlow pass ------------------------------------------------------------------------
def test_the_gradient_of_a_lookup_is_an_operand():
    """What tf.gradients makes of a lookup, rows and their places, stands for the whole tensor."""
    table = K.variable(np.arange(6.0).reshape(3, 2))
    (rows,) = tf.gradients(K.sum(K.gather(table, K.constant([2, 0, 2], dtype='int32'))), [table])
    assert isinstance(rows, tf.IndexedSlices)
    assert K.is_tensor(rows)
    whole = np.array([[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]])
    for made, right in [(rows, whole), (K.square(rows), whole**2), (K.maximum(rows, 1), np.maximum(whole, 1))]:
        np.testing.assert_array_equal(K.eval(made), right)


def test_sizes_that_are_tensors():
    """Numbers of classes, of repetitions and of entries that only a run tells; known ones beside them stay known."""
    n, x = K.placeholder((), dtype='int32'), np.arange(6.0).reshape(2, 3)
    built = [K.one_hot([2, 0], n), K.repeat(x, n), K.slice(x, [0, n - 2], [2, 1]), K.reshape(x, [n, -1])]
    assert (2, 1) == K.int_shape(built[2])
    expected = [np.eye(3)[[2, 0]], np.stack([x, x, x], 1), x[:, 1:2], x.reshape(3, 2)]
    for result, right in zip(K.function([n], built)([3]), expected):
        np.testing.assert_array_equal(result, right)
    with pytest.raises(errors.ShapeError, match='samples'):
        K.repeat(x[0], n)


def test_an_outlier_in_half_precision():
    """The square of one deviation is more than half precision holds, the variance is not."""
    x = np.array([0.0] * 10 + [600.0], 'float16')
    assert K.eval(K.var(K.constant(x, dtype='float16'))) == pytest.approx(np.var(x.astype('float64')), rel=1e-3)
    for function in (K.var, K.std, K.mean, K.logsumexp, K.exp):
        assert 'bfloat16' == K.dtype(function(K.cast(x, 'bfloat16')))


# -- variables of TensorFlow -----------------------------------------------------------------------------------------
def test_a_variable_of_k_is_one_of_tensorflow():
    """Its methods, savers and optimizers of TensorFlow take it; only `+=` and its like are K's."""
    v = K.variable([1.0, 2.0], name='mine')
    assert isinstance(v, tf2.Variable)
    assert v in tf.global_variables()
    K.get_session().run(v.assign_add([1.0, 1.0]))
    np.testing.assert_array_equal(K.get_value(v), [2.0, 3.0])
    K.get_session().run(tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v), var_list=[v]))
    np.testing.assert_array_equal(K.get_value(v), [1.5, 2.5])
    total = v
    total += 1.0
    assert not isinstance(total, tf2.Variable)
    np.testing.assert_array_equal(K.batch_get_value([total, v]), [[2.5, 3.5], [1.5, 2.5]])
    theirs = tf.Variable([1.0])
    with pytest.raises(RuntimeError):
        theirs += 1.0


def test_a_saver_restores_a_variable_of_k(tmp_path):
    """TensorFlow's saver writes and restores the variables of K under their names."""
    v = K.variable([1.0, 2.0], name='saved')
    session = K.get_session()
    path = tf.train.Saver([v]).save(session, str(tmp_path / 'values'))
    K.set_value(v, [0.0, 0.0])
    tf.train.Saver([v]).restore(session, path)
    np.testing.assert_array_equal(K.get_value(v), [1.0, 2.0])
    assert tf.train.list_variables(path) == [('saved', [2])]


def test_branches_of_a_tf_function_in_eager_mode():
    """A `tf.function` with a loop and branches runs inside of K.eager, and GradientTape differentiates it."""

    @K.eager
    def run():
        weight = tf.Variable(3.0)

        @tf.function
        def total(x):
            made = tf.constant(0.0)
            for _ in tf.range(3):
                made = tf.cond(x > 0, lambda made=made: made + x * x * weight, lambda made=made: made - x * weight)
            return made

        x = tf.constant(-2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total(x)
        return [float(v) for v in [y, *tape.gradient(y, [x, weight])]]

    assert [18.0, -9.0, 6.0] == run()
