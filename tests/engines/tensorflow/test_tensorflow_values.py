"""Variables of the TensorFlow engine: their values, their first values, and what runs in a forked child."""

import os
import subprocess
import sys

import numpy as np
import pytest

import keras_backend as K
from keras_backend import errors
from keras_backend.engines.tensorflow_backend import sessions
from keras_backend.engines.tensorflow_backend.tensors import graph
from keras_backend.engines.tensorflow_backend.vendor import tf, tf2


@pytest.fixture(autouse=True)
def fresh_graph():
    K.clear_session()
    yield
    K.clear_session()


def test_values_of_many_variables_take_a_constant_number_of_callables(monkeypatch):
    """Reading and setting n variables one by one adds no node, and makes no callable for each of them."""
    made = []
    original = sessions.vendor.make_callable
    monkeypatch.setattr(sessions.vendor, 'make_callable', lambda *given: made.append(given) or original(*given))
    counts = []
    for n in (20, 40):
        K.clear_session()
        variables = [K.variable(np.full((2,), float(i))) for i in range(n)]
        K.get_session()
        nodes, before = len(tf.get_default_graph().get_operations()), len(made)
        for i, v in enumerate(variables):
            assert K.get_value(v).tolist() == [i, i]
            K.set_value(v, [i, 2.0 * i])
        assert np.array_equal(K.batch_get_value(variables), [[i, 2 * i] for i in range(n)])
        counts.append(len(made) - before)
        assert len(tf.get_default_graph().get_operations()) - nodes <= 3
    assert counts[0] == counts[1] <= 3


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int8', 'int64', 'uint16', 'bool'])
def test_values_by_name_have_the_dtype_of_their_variable(dtype):
    """What is read is what was set, in the dtype of the variable, and an array of the caller's own."""
    v, array = K.variable(np.zeros((2, 3)), dtype=dtype), np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    K.set_value(v, array)
    read = K.get_value(v)
    assert read.dtype == dtype
    assert np.array_equal(read, array)
    read[...] = 0
    array[...] = 0
    assert np.array_equal(K.get_value(v), np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype))


def test_values_before_and_after_a_function_of_its_own():
    """A variable that is read and set often gets functions of its own, which give the same."""
    v, w = K.variable([0.0, 0.0]), K.variable(np.zeros((3,)))
    for i in range(100):
        K.set_value(v, [i, i + 1.0])
        assert K.get_value(v).tolist() == [i, i + 1]
        K.batch_set_value([(v, [i, -i]), (w, [i] * 3)])
        assert [value.tolist() for value in K.batch_get_value([w, v])] == [[i] * 3, [i, -i]]


def test_variables_of_one_name_in_two_sessions():
    """The value of a variable is that of the session that is in charge."""
    v = K.variable(1.0)
    K.set_value(v, 2.0)
    with tf.Session(graph=v.graph):
        assert K.get_value(v) == 1.0
        K.set_value(v, 3.0)
        assert K.get_value(v) == 3.0
    assert K.get_value(v) == 2.0


def test_a_variable_without_a_value_is_named():
    """A read of a variable that nobody has initialised says which one."""
    K.manual_variable_initialization(True)
    try:
        v = K.variable([1.0], name='unborn')
        with pytest.raises(errors.UninitializedVariableError, match='unborn'):
            K.get_value(v)
        K.set_value(v, [5.0])
        assert K.get_value(v).tolist() == [5.0]
    finally:
        K.manual_variable_initialization(False)


# -- first values ----------------------------------------------------------------------------------------------------
def test_weights_are_in_memory_once():
    """A large array that a variable begins with is not kept in memory once the variable has it."""
    array = np.random.RandomState(0).rand(1000, 500).astype('float32')
    variables = [K.variable(array) for _ in range(4)]
    kept = [variables[0].graph._keras_backend.first_values[v] for v in variables]
    assert all(first._array is not None for first in kept)
    K.get_session()
    # TensorFlow may use the memory of what is fed, so the memory of the process says nothing.
    assert all(first._array is None for first in kept)
    for v, first in zip(variables, kept):
        assert np.array_equal(K.get_value(v), array)
        assert np.array_equal(first.array(), array)


def test_first_values_come_back():
    """An initializer that runs again, and a session that comes later, find the first value."""
    array = np.arange(40000.0).reshape(200, 200)
    v, small, zeros = K.variable(array), K.variable([1.0, 2.0]), K.zeros((300, 300))
    for x in (v, small, zeros):
        K.set_value(x, K.get_value(x) + 1)
    session = K.get_session()
    session.run([x.initializer for x in (v, small, zeros)])
    assert np.array_equal(K.get_value(v), array)
    assert K.get_value(small).tolist() == [1, 2]
    assert not K.get_value(zeros).any()
    K.set_value(v, array + 1)
    K.set_session(tf.Session())
    assert np.array_equal(K.get_value(v), array)
    assert K.get_value(small).tolist() == [1, 2]
    assert not K.get_value(zeros).any()
    session.close()


def test_variables_are_those_of_tensorflow():
    """Names, collections and what programs do with variables of TensorFlow are as for its own."""
    with tf.variable_scope('outer'):
        ours = K.variable([[1.0, 2.0]], name='w', constraint=abs)
        theirs = tf.Variable([[1.0, 2.0]], name='w', use_resource=True, constraint=abs)
    assert (ours.name, theirs.name) == ('outer/w:0', 'outer/w_1:0')
    assert ours.initializer.name == theirs.initializer.name.replace('w_1', 'w')
    assert ours._graph_element.name == theirs._graph_element.name.replace('w_1', 'w')
    for what in ('shape', 'dtype', 'trainable', 'device', 'constraint', 'synchronization', 'aggregation'):
        assert getattr(ours, what) == getattr(theirs, what), what
    assert tf.global_variables() == tf.trainable_variables() == [ours, theirs]
    session = K.get_session()
    assert session.run(tf.report_uninitialized_variables()).size == 0
    assert session.run(tf.is_variable_initialized(ours))
    ours.load([[5.0, 6.0]], session)
    assert K.get_value(ours).tolist() == [[5.0, 6.0]]
    with tf.Session() as other:
        assert sorted(other.run(tf.report_uninitialized_variables())) == [b'outer/w', b'outer/w_1']
        other.run(tf.global_variables_initializer())
        assert other.run(ours).tolist() == [[1.0, 2.0]]
    made = []

    def creator(next_creator, **kwargs):
        made.append(kwargs['name'])
        return next_creator(**kwargs)

    with tf2.variable_creator_scope(creator):
        assert K.get_value(K.variable(3.0, name='told')) == 3.0
    assert made == ['told']


def test_a_full_disk_keeps_the_array_in_memory(monkeypatch):
    """Where the file cannot be written, the first value stays where it is."""

    def full():
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(graph.tempfile, 'TemporaryFile', full)
    array = np.arange(20000.0)
    v = K.variable(array)
    K.set_value(v, array + 1)
    K.get_session().run(v.initializer)
    assert np.array_equal(K.get_value(v), array)


# -- what one function breaks for others ------------------------------------------------------------------------------
def test_an_operation_without_a_kernel_breaks_no_other_function():
    """TensorFlow places a whole graph on devices, if it is not told otherwise, and then runs nothing of this graph."""
    v = K.variable(2.0)
    impossible = tf.round(K.constant(1j, dtype='complex64'))
    with pytest.raises(tf.errors.OpError):
        K.get_session().run(impossible)
    assert K.eval(v * 3.0) == 6.0
    assert K.function([], [v + 1.0], [K.update(v, v * 2.0)])([]) == [3.0]
    assert K.get_value(v) == 4.0


# -- forked children -------------------------------------------------------------------------------------------------
FORKS = """
import os, sys
import keras_backend as K
from keras_backend.errors import ForkedProcessError
v = K.variable([1.0, 2.0])
f = K.function([], [v * 2.0], [K.update(v, v + 1.0)])
{before}
child = os.fork()
if not child:
    found = []
    for call in (lambda: f([]), lambda: K.eval(v + 1.0), lambda: K.get_value(v), lambda: K.set_value(v, [3.0, 4.0]),
                 K.get_session, lambda: (K.clear_session(), K.eval(K.constant(1.0)))):
        try:
            call()
            found.append('ran')
        except ForkedProcessError as error:
            assert 'spawn' in str(error)
            found.append('refused')
    print(*found, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert f([])[0].shape == (2,)
"""


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='this system has no fork')
@pytest.mark.parametrize(('before', 'found'), [('f([])', 'refused'), ('', 'ran')])
def test_a_forked_child_says_why_it_cannot_run(before, found):
    """A child of a process in which TensorFlow ran would wait for ever; one that was forked before that runs."""
    answer = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', FORKS.format(before=before)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=300,
        env=dict(os.environ, KERAS_BACKEND='tensorflow'),
    )
    assert answer.stdout.decode().split() == [found] * 6, answer.stderr.decode()


def test_a_graph_that_takes_no_more_operations():
    """What was built before works: functions, and variables that no session has initialised yet."""
    v, large, x = K.variable([1.0, 2.0]), K.variable(np.ones((300, 300))), K.placeholder((None, 2))
    f = K.function([x], [K.sum(x * v, axis=-1)], updates=[K.update_add(v, [1.0, 1.0])])
    with tf.train.MonitoredTrainingSession() as session:
        K.set_session(session)
        assert f([[[1.0, 1.0]]])[0].tolist() == [3.0]
        assert K.get_value(v).tolist() == [2.0, 3.0]
        K.set_value(v, [0.0, 0.0])
        assert K.get_value(v).tolist() == [0.0, 0.0]
        assert K.get_value(large).sum() == 90000.0
    K.clear_session()
    v = K.variable([1.0, 2.0])
    f = K.function([], [v * 2.0])
    tf.get_default_graph().finalize()
    assert f([])[0].tolist() == [2.0, 4.0]
    assert K.get_session().run(v).tolist() == [1.0, 2.0]


def test_variables_beside_one_in_a_container():
    """The container is that of the one variable alone."""
    with tf.container('apart'):
        first = tf.get_variable('first', initializer=3.0, use_resource=True)
    assert K.get_value(first) == 3.0
    second = K.variable(5.0)
    assert K.get_value(second) == 5.0
    assert K.get_session().run([first, second]) == [3.0, 5.0]


def test_an_exponent_can_be_fed():
    """It is looked at while the power is built, which does not make it the graph's for good."""
    a, x = K.constant(2.0), K.placeholder(())
    y = K.pow(x, a)
    K.gradients(y, [x])
    assert K.get_session().run(y, {x: 3.0, a: 3.0}) == 27.0
