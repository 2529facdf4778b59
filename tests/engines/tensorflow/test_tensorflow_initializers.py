"""The operation that assigns the first value of a variable. It is made when somebody asks for it."""

import numpy as np
import pytest
from threads_and_forks import in_threads

import keras_backend as K
from keras_backend.engines.tensorflow_backend.vendor import tf, tf2
from keras_backend.errors import ClearedSessionError

LARGE = np.arange(40000.0).reshape(200, 200)
COMPUTED = [2.0, 4.0]
MADE = {
    'array': (lambda: K.variable([[1.0, 2.0]], name='w'), [[1.0, 2.0]]),
    'number': (lambda: K.variable(3, dtype='int64', name='w'), 3),
    'large array': (lambda: K.variable(LARGE, name='w'), LARGE),
    'zeros': (lambda: K.zeros((2, 3), name='w'), np.zeros((2, 3))),
    'ones': (lambda: K.ones((2,), 'float64', name='w'), np.ones(2)),
    'eye': (lambda: K.eye(2, name='w'), np.eye(2)),
    'tensor': (lambda: K.variable(K.constant([1.0, 2.0]) * 2.0, name='w'), COMPUTED),
    'constant': (lambda: K.variable(K.constant([1.0, 2.0]), name='w'), [1.0, 2.0]),
}
every_kind = pytest.mark.parametrize(('make', 'first'), MADE.values(), ids=MADE)


@pytest.fixture(autouse=True)
def fresh_graph():
    K.clear_session()
    yield
    K.clear_session()


def assignments(graph):
    return [op.name for op in graph.get_operations() if op.type == 'AssignVariableOp']


@every_kind
def test_none_where_nobody_asks(make, first):
    """A model is built, run and trained without them."""
    v = make()
    graph = v.graph
    np.testing.assert_array_equal(K.get_value(v), first)
    np.testing.assert_array_equal(K.eval(v * 2), np.multiply(first, 2))
    K.function([], [], updates=[(v, v * 3)])([])
    np.testing.assert_array_equal(K.get_value(v), np.multiply(first, 3))
    # A tensor has to be computed, and the update has its own.
    assert ('w/Assign' in assignments(graph)) == (first is COMPUTED)


@every_kind
def test_the_one_of_a_variable(make, first):
    """It has the names that TensorFlow gives, and assigns the first value again."""
    with tf.name_scope('outer'):
        v = make()
    K.set_value(v, np.zeros_like(K.get_value(v)))
    K.get_session().run(v.initializer)
    np.testing.assert_array_equal(K.get_value(v), first)
    assert v.initializer.name == 'outer/w/Assign'
    assert v.initializer.inputs[1] is v.initial_value
    assert v.initial_value.shape == v.shape
    assert v.initial_value.dtype == v.dtype.base_dtype
    assert assignments(v.graph).count('outer/w/Assign') == 1
    np.testing.assert_array_equal(K.get_session().run(v.initial_value), first)


@every_kind
def test_another_session(make, first):
    """tf.global_variables_initializer runs all of them, as in a program of TensorFlow 1."""
    v = make()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(v), first)
        session.run(tf.variables_initializer([v]))


@pytest.mark.parametrize('how', ['graph', 'meta graph', 'meta graph of Saver', 'saved model'])
def test_an_exported_graph_has_them(how, tmp_path):
    """The reader of a file initialises, or restores, what the file describes."""
    variables = [K.variable([1.0, 2.0], name='a'), K.zeros((3,), name='b')]
    total = tf.identity(K.sum(variables[0]) + K.sum(variables[1]), name='total')
    session = K.get_session()
    K.set_value(variables[0], [5.0, 6.0])
    path, new = str(tmp_path / 'it'), tf.Graph()
    if how == 'graph':
        definition = session.graph.as_graph_def()
        assert {'a/Assign', 'b/Assign'} <= {node.name for node in definition.node}
        return
    if how == 'saved model':
        tf.saved_model.simple_save(session, path, {'a': variables[0]}, {'total': total})
        with tf.Session(graph=new) as other:
            tf.saved_model.load(other, ['serve'], path)
            assert other.run('total:0') == 11.0
        return
    if how == 'meta graph':
        tf.train.export_meta_graph(path + '.meta')
    else:
        tf.train.Saver().save(session, path)
    with tf.Session(graph=new) as other:
        with new.as_default():
            saver = tf.train.import_meta_graph(path + '.meta')
            other.run(tf.global_variables_initializer())
        assert other.run('total:0') == 3.0
        if how == 'meta graph of Saver':
            saver.restore(other, path)
            assert other.run('total:0') == 11.0


def test_a_finalised_graph_has_them():
    """Nothing can be added to it any more."""
    v, large = K.variable([1.0, 2.0]), K.variable(LARGE)
    v.graph.finalize()
    session = K.get_session()
    for x, value in ((v, [3.0, 4.0]), (large, LARGE + 1)):
        K.set_value(x, value)
        np.testing.assert_array_equal(K.get_value(x), value)
    session.run([v.initializer, large.initializer])
    assert K.get_value(v).tolist() == [1.0, 2.0]
    np.testing.assert_array_equal(K.get_value(large), LARGE)


def test_where_a_block_asks():
    """The block in which a variable is made says where its initialiser runs. One in which somebody asks does not."""
    v, w, late = K.variable(1.0), K.variable(2.0), K.placeholder(())
    with tf.name_scope('elsewhere'), tf.device('/job:nowhere/cpu:7'), tf.control_dependencies([late]):
        assert v.initializer.device == v.initial_value.device == ''
        assert not v.initializer.control_inputs
    assert v.initializer.name.startswith(v.op.name + '/')

    def step(x, states):
        return x + tf.cast(w.initial_value, 'float32') * 0.0, states

    assert w.graph is K.rnn(step, K.placeholder((2, 3, 1)), [])[0].graph
    assert w.initializer.graph is w.graph
    K.get_session().run([v.initializer, w.initializer])
    with tf.device('/cpu:0'):
        placed = K.variable(3.0)
    assert placed.initializer.device == placed.device == '/device:CPU:0'


def test_a_variable_that_a_step_makes():
    """It is made outside of the loop, and has its value in each step."""
    kept = []

    def step(x, states):
        if not kept:
            kept.append(K.variable([2.0]))
        return x * kept[0], states

    x = K.placeholder((1, 3, 1))
    assert K.function([x], [K.rnn(step, x, [])[1]])([[[[1.0], [2.0], [3.0]]]])[0].ravel().tolist() == [2.0, 4.0, 6.0]
    K.get_session().run(kept[0].initializer)


def test_threads_that_ask_at_once_get_the_same():
    """20 threads, while others build."""
    variables = [K.variable(float(i)) for i in range(30)]
    found = [None] * 20

    def ask(i):
        found[i] = [v.initializer for v in variables]
        K.variable(float(i)) + 1.0

    in_threads(ask, 20)
    assert all(each == found[0] for each in found)
    assert len(assignments(variables[0].graph)) == 30


@every_kind
def test_initialized_value(make, first):
    """A variable of TensorFlow that begins with one of K: with its value, or its first value where it has none."""
    v = make()
    copy = tf.Variable(v.initialized_value(), use_resource=True)
    with tf.Session() as session:
        session.run(copy.initializer)
        np.testing.assert_array_equal(session.run(copy), first)
        session.run(v.initializer)
        session.run(v.assign(v + v))
        session.run(copy.initializer)
        np.testing.assert_array_equal(session.run(copy), np.multiply(first, 2))


def test_by_hand():
    """K.manual_variable_initialization leaves it to the program."""
    K.manual_variable_initialization(True)
    try:
        v = K.variable(4.0)
        session = K.get_session()
        assert session.run(tf.report_uninitialized_variables()).tolist() == [v.op.name.encode()]
        session.run(v.initializer)
        assert K.get_value(v) == 4.0
    finally:
        K.manual_variable_initialization(False)


def test_optimizers_of_tensorflow():
    """Their slots begin with what the variables are, and their updates train them."""
    w, x = K.variable([[1.0], [2.0]]), K.placeholder((None, 2))
    loss = K.mean(K.square(K.dot(x, w)))
    train = tf.train.AdamOptimizer(0.1).minimize(loss, var_list=[w])
    session = K.get_session()
    session.run(tf.global_variables_initializer())
    before = session.run(loss, {x: np.ones((4, 2))})
    for _ in range(20):
        session.run(train, {x: np.ones((4, 2))})
    assert session.run(loss, {x: np.ones((4, 2))}) < before


def test_of_a_graph_that_is_gone():
    """The error is the same as for everything else that is built in it."""
    v = K.variable(1.0)
    graph = v.graph
    K.clear_session()
    with pytest.raises(ClearedSessionError, match='K.clear_session'):
        assert v.initializer
    graph.as_graph_def()


def test_a_variable_of_a_creator():
    """Where a program has a say in how variables are made, TensorFlow makes all of it at once."""
    with tf2.variable_creator_scope(lambda make, **named: make(**named)):
        v = K.variable(3.0)
    assert v.initializer.name in assignments(v.graph)
