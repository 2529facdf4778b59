"""`K.function`, values and updates on the TensorFlow engine: what its shortcuts must not change."""

import itertools
import threading

import numpy as np
import pytest

tf2 = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402
from keras_backend import errors  # noqa: E402

tf = tf2.compat.v1


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a graph of its own."""
    K.clear_session()
    K.reset_uids()
    yield
    K.manual_variable_initialization(False)


def nodes():
    return len(tf.get_default_graph().get_operations())


def aligned(shape, dtype='float32'):
    """An array whose memory TensorFlow takes over without a copy."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, 'uint8')
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


# -- nothing is added by repetition ------------------------------------------------------------------------------
def test_repetition_adds_no_nodes():
    """Getting, setting and evaluating again, and calling a function again, leave the graph as it was."""
    v, w, x = K.variable(np.ones((2, 3))), K.variable(2.0), K.placeholder((None, 3))
    y, f = K.exp(v), K.function([x], [x * 2.0], updates=[K.update_add(w, 1.0)])

    def everything():
        K.set_value(v, np.zeros((2, 3)))
        K.batch_set_value([(v, np.ones((2, 3))), (w, 3.0)])
        K.get_value(v), K.batch_get_value([v, w]), K.eval(y), K.eval(v), f([np.ones((1, 3))])

    # What is set often gets a function of its own, once.
    for _ in range(70):
        everything()
    before = nodes()
    for _ in range(100):
        everything()
    assert before == nodes()


def test_function_adds_few_nodes():
    """A function makes one node an update and a barrier, whatever their number."""
    x, variables = K.placeholder((3,)), [K.variable(np.ones(3)) for _ in range(20)]
    updates = [(v, x) for v in variables]
    before = nodes()
    K.function([x], [], updates=updates)
    assert nodes() - before <= 21


# -- memory that belongs to the caller -----------------------------------------------------------------------------
VIEWS = {
    'variable': lambda v: v,
    'identity': lambda v: K.identity(v),
    'reshape': lambda v: K.reshape(v, (1024, 16)),
    'expand_dims': lambda v: K.expand_dims(v),
    'stop_gradient': lambda v: K.stop_gradient(v),
    'slice': lambda v: v[:64],
    'sum with nothing': lambda v: v + 0.0,
    'constant': lambda v: K.constant(np.ones((128, 128))),
    'zeros': lambda v: tf.zeros((128, 128)),
}


@pytest.mark.parametrize('view', sorted(VIEWS))
def test_writing_into_a_result(view):
    """What a function returned may be written into: no variable, constant or later result changes."""
    v = K.variable(np.ones((128, 128)))
    f = K.function([], [VIEWS[view](v)])
    first = f([])[0]
    kept = first.copy()
    first[...] = 7.0
    assert (kept == f([])[0]).all()
    assert (K.get_value(v) == 1.0).all()
    K.get_value(v)[...] = 7.0
    K.eval(v)[...] = 7.0
    K.batch_get_value([v])[0][...] = 7.0
    assert (K.get_value(v) == 1.0).all()
    K.get_session().run(v.initializer)
    assert (K.get_value(v) == 1.0).all()


WAYS = {
    'as it is': lambda x: x,
    'identity': lambda x: K.identity(x),
    'reshape': lambda x: K.reshape(K.flatten(x), (128, 128)),
    'concatenate': lambda x: K.concatenate([x], axis=0),
    'tile': lambda x: K.tile(x, 1),
    'squeeze': lambda x: K.squeeze(K.expand_dims(x), -1),
    'plus nothing': lambda x: x + K.zeros_like(x),
    'times one': lambda x: x * 1.0,
    'sum over one': lambda x: K.sum(K.expand_dims(x, 0), axis=0),
    'switch': lambda x: K.switch(K.constant(True, dtype='bool'), lambda: x, lambda: x * 2.0),
}


@pytest.mark.parametrize('way', sorted(WAYS))
@pytest.mark.parametrize('kind', ['pair', 'update', 'assign'])
def test_changing_what_was_fed(way, kind):
    """An array that was fed and assigned may change afterwards: the variable keeps the values of then."""
    v, x = K.variable(np.zeros((128, 128))), K.placeholder((128, 128))
    new = WAYS[way](x)
    update = {'pair': lambda: (v, new), 'update': lambda: K.update(v, new), 'assign': lambda: v.assign(new)}[kind]()
    f = K.function([x], [], updates=[update])
    array = aligned((128, 128))
    array[...] = 1.0
    f([array])
    array[...] = 7.0
    assert (K.get_value(v) == 1.0).all()
    f([array])
    array[...] = 1.0
    assert (K.get_value(v) == 7.0).all()


def test_changing_what_was_set():
    """An array given to variable, set_value or batch_set_value may change afterwards."""
    array = aligned((300, 300))
    v, w = K.variable(array), K.variable(np.ones((300, 300)))
    array[...] = 5.0
    assert (K.get_value(v) == 0.0).all()
    K.set_value(v, array)
    K.batch_set_value([(w, array), (v, array)])
    array[...] = 7.0
    assert (K.get_value(v) == 5.0).all()
    assert (K.get_value(w) == 5.0).all()


def test_updates_in_place_leave_the_initial_value():
    """A large variable that was updated in place has its first value again after its initialiser ran."""
    v = K.variable(np.ones((300, 300)))
    K.function([], [], updates=[K.update_add(v, np.ones((300, 300)))])([])
    assert (K.get_value(v) == 2.0).all()
    K.get_session().run(v.initializer)
    assert (K.get_value(v) == 1.0).all()


def test_large_initial_values_stay_out_of_the_graph():
    """An initial value of a megabyte is not written into the graph, and is there for TensorFlow's own initialiser."""
    v = K.variable(np.full((512, 512), 3.0))
    assert tf.get_default_graph().as_graph_def().ByteSize() < 1 << 16
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert (session.run(v) == 3.0).all()


# -- updates -------------------------------------------------------------------------------------------------------
def test_updates_see_old_values_only():
    """Two thousand runs of two variables that take each other's value never mix old and new."""
    a, b = K.variable(1.0), K.variable(2.0)
    f = K.function([], [a + 0.0, b + 0.0], updates=[(a, b), K.update(b, a)])
    for values in itertools.islice(itertools.cycle([(1.0, 2.0), (2.0, 1.0)]), 2000):
        assert values == tuple(float(v) for v in f([]))


def test_updates_by_operations_of_tensorflow():
    """Assignments and groups of TensorFlow are updates, too; assignments see old values."""
    a, b, c = K.variable(1.0), K.variable(2.0), K.variable(0.0)
    f = K.function([], [c], updates=[a.assign(b), b.assign_add(a), tf.group(c.assign_add(10.0))])
    f([])
    assert [2.0, 3.0, 10.0] == [float(v) for v in K.batch_get_value([a, b, c])]


def test_update_is_a_tensor():
    """The result of K.update has the new value when TensorFlow evaluates it, and its operation can be run."""
    v = K.variable(1.0)
    update = K.update(v, v + 1.0)
    assert 2.0 == K.get_session().run(update)
    K.get_session().run(update.op)
    assert 3.0 == K.get_value(v)
    assert not K.is_variable(update)
    assert K.is_tensor(update)


def test_an_update_runs_once():
    """An update that a listed output brings along and that is listed itself runs once."""
    count, x = K.variable(0.0), K.variable(3.0)
    update = K.update_add(count, 1.0)
    with K.control_dependencies(update):
        y = x * 2.0
    f = K.function([], [y], updates=[update])
    assert 6.0 == f([])[0]
    assert 1.0 == K.get_value(count)


def test_a_failing_run_updates_nothing():
    """Where an output or one of the new values fails in a run, no variable changes."""
    a, b, i = K.variable(np.zeros(2)), K.variable(np.zeros(2)), K.placeholder((None,), dtype='int32')
    x = K.placeholder((None,))
    f = K.function([i, x], [K.gather(K.constant([1.0, 2.0]), i)], updates=[(a, a + 1.0), (b, x)])
    for feeds in ([[5], [1.0, 2.0]], [[0], [1.0, 2.0, 3.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f([np.array(feeds[0]), np.array(feeds[1])])
    assert [[0.0, 0.0]] * 2 == [v.tolist() for v in K.batch_get_value([a, b])]
    f([[1], [3.0, 4.0]])
    assert [[1.0, 1.0], [3.0, 4.0]] == [v.tolist() for v in K.batch_get_value([a, b])]


def test_bad_updates_are_refused_while_building():
    """A new value of another shape and an update of no variable are refused."""
    v, x = K.variable([1.0, 2.0]), K.placeholder((3,))
    for updates, error in (([(v, x)], errors.ShapeError), ([(x, x)], TypeError), ([3], TypeError), ([v], TypeError)):
        with pytest.raises(error):
            K.function([x], [], updates=updates)


# -- feeding -------------------------------------------------------------------------------------------------------
def test_feeds_of_every_kind():
    """Lists, integers, other byte orders, strided and read-only arrays are fed as their values say."""
    x = K.placeholder((None, 2))
    f = K.function([x], [x * 2.0])
    array = np.arange(12, dtype='float32').reshape(6, 2)
    read_only = array.copy()
    read_only.setflags(write=False)
    for value in (
        array.tolist(),
        array.astype('int64'),
        array.astype('>f4'),
        array.astype('float16'),
        read_only,
        np.repeat(array, 2, axis=0)[::2],
        np.asfortranarray(array),
        np.asmatrix(array),
    ):
        assert (f([value])[0] == array * 2.0).all()


def test_strings():
    """String placeholders take words, bytes and arrays of them."""
    x = K.placeholder((None,), dtype='string')
    f = K.function([x], [x])
    for value in (['a', 'bc'], np.array(['a', 'bc']), np.array([b'a', b'bc'], object)):
        assert [b'a', b'bc'] == f([value])[0].tolist()


def test_bfloat16():
    """TensorFlow's bfloat16 is fed, computed and returned; beside others it meets as a float does."""
    x = K.placeholder((2,), dtype='bfloat16')
    y = K.maximum(x, K.constant([1, 2], dtype='int32'))
    value = K.function([x], [y])([[0.5, 4.0]])[0]
    assert 'bfloat16' == K.dtype(y) == value.dtype.name
    assert [1.0, 4.0] == value.astype('float32').tolist()


def test_what_cannot_be_an_input():
    """A variable, an array and a number are refused as inputs; an intermediate tensor may be fed."""
    v, x = K.variable(1.0), K.placeholder(())
    for bad in (v, np.ones(2), 3):
        with pytest.raises(TypeError):
            K.function([bad], [x])
    with pytest.raises(errors.FeedError, match='given twice'):
        K.function([x, x], [x])
    y = x * 2.0
    assert 11.0 == K.function([y], [y + 1.0])([10.0])[0]


def test_a_shape_that_changes():
    """A function checks each new shape, also after one that fitted."""
    x = K.placeholder((None, 3), name='rows')
    f = K.function([x], [K.sum(x)])
    for n in (1, 2, 2, 5):
        assert 3.0 * n == f([np.ones((n, 3))])[0]
        with pytest.raises(errors.FeedError, match='rows'):
            f([np.ones((n, 4), 'float32')])


def test_nothing_is_copied_for_rows():
    """Only a call with an empty array makes a copy of what such an array is a danger to, and makes it once."""
    x = K.placeholder((None, 4, 4, 1))
    y = K.pool2d(K.conv2d(x, K.ones((3, 3, 1, 2))), (2, 2))
    f = K.function([x], [y, K.gradients(K.sum(y), [x])[0]])
    made = []
    for rows in (2, 0, 3, 0):
        made.append(len(K.get_session().graph.get_operations()))
        assert [(rows, 1, 1, 2), (rows, 4, 4, 1)] == [v.shape for v in f([np.ones((rows, 4, 4, 1))])]
    assert made[0] == made[1] < made[2] == made[3]


def test_unused_inputs_are_no_empty_arrays():
    """What nothing depends on may be fed with nothing, which makes no copy, either."""
    x, unused = K.placeholder((None, 4, 4, 1)), K.placeholder((None, 7))
    f = K.function([x, unused], [K.conv2d(x, K.ones((3, 3, 1, 2)))])
    f([np.ones((2, 4, 4, 1)), np.zeros((0, 7))])
    made = len(K.get_session().graph.get_operations())
    f([np.ones((2, 4, 4, 1)), np.zeros((0, 7))])
    assert made == len(K.get_session().graph.get_operations())


def test_unused_strings():
    """Nothing depends on the words themselves where only their shape is asked for."""
    words = K.placeholder((2,), dtype='string')
    assert [2] == K.function([words], [K.shape(words)])([['a', 'b']])[0].tolist()


def operations(build):
    """The types of the operations that `build` makes."""
    graph = K.get_session().graph
    before = len(graph.get_operations())
    build()
    return [op.type for op in graph.get_operations()[before:]]


@pytest.mark.parametrize(
    ('left', 'guarded'),
    [
        (lambda x, n: x, False),
        (lambda x, n: K.in_train_phase(lambda: K.dropout(x, 0.5), x), False),
        (lambda x, n: K.resize_images(x[:, 1:-1, 1:-1], 2, 2, 'channels_last'), False),
        (lambda x, n: K.reshape(K.dot(K.batch_flatten(x), K.ones((108, 192))), (-1, 8, 8, 3)), False),
        (lambda x, n: x + K.random_normal(K.shape(x)), False),
        (lambda x, n: x[:n], True),
        (lambda x, n: K.relu(x[:n]), True),
        (lambda x, n: K.switch(K.equal(n, 0), lambda: x[:n], lambda: x), True),
        (lambda x, n: K.map_fn(lambda row: row, x), True),
        (lambda x, n: K.zeros(K.stack([n, 6, 6, 3])), True),
        (lambda x, n: K.gather(x, K.arange(n)), True),
    ],
)
def test_what_may_be_empty(left, guarded):
    """A convolution is a single operation where only an empty feed leaves nothing."""
    x, n, kernel = K.placeholder((None, 6, 6, 3)), K.placeholder((), dtype='int32'), K.constant(np.ones((3, 3, 3, 2)))
    y = left(x, n)
    found = operations(lambda: K.conv2d(y, kernel))
    assert ('PadV2' in found) == guarded
    assert guarded or found == ['Conv2D']


def test_a_guard_leaves_the_convolution_and_what_follows_together():
    """TensorFlow joins a convolution, a bias and relu, so these stay next to each other."""
    x, n = K.placeholder((None, 6, 6, 3)), K.placeholder((), dtype='int32')
    y = K.relu(K.bias_add(K.conv2d(x[:n], K.ones((3, 3, 3, 2))), K.ones((2,))))
    relu = y.op.inputs[0].op
    assert ['Relu', 'BiasAdd', 'Conv2D'] == [relu.type, relu.inputs[0].op.type, relu.inputs[0].op.inputs[0].op.type]


# -- the arguments of Session.run ------------------------------------------------------------------------------------
def test_fetches_run_along():
    """`fetches` are run with the outputs; their values are not returned."""
    v, x = K.variable(0.0), K.placeholder(())
    f = K.function([x], [x * 2.0], fetches=[v.assign_add(1.0), v.name])
    assert [4.0] == [float(value) for value in f([2.0])]
    assert 1.0 == K.get_value(v)


def test_feed_dict():
    """`feed_dict` is fed at every call, with what it holds then."""
    x, y = K.placeholder(()), K.placeholder((2,))
    fed = {y: [1.0, 2.0]}
    f = K.function([x], [x * y], feed_dict=fed)
    assert [3.0, 6.0] == f([3.0])[0].tolist()
    fed[y] = [5.0, 6.0]
    assert [10.0, 12.0] == f([2.0])[0].tolist()
    fed[y] = [1.0, 2.0, 3.0]
    with pytest.raises(errors.FeedError):
        f([1.0])


def test_options_and_metadata():
    """`options` and `run_metadata` reach TensorFlow: a traced run leaves its statistics."""
    metadata = tf.RunMetadata()
    x = K.placeholder((2, 2))
    f = K.function(
        [x], [K.dot(x, x)], run_metadata=metadata, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    )
    assert [[2.0, 2.0], [2.0, 2.0]] == f([np.ones((2, 2))])[0].tolist()
    assert metadata.step_stats.dev_stats


def test_unknown_arguments():
    """An argument that is none of Session.run is refused by name."""
    with pytest.raises(ValueError, match='colour'):
        K.function([], [], colour='blue')


# -- threads ---------------------------------------------------------------------------------------------------------
def test_tensorflow_function_in_many_threads():
    """Twenty threads that feed one function different shapes get their own results."""
    x, w, count = K.placeholder((None, 3)), K.variable(np.eye(3)), K.variable(0, dtype='int32')
    plain = K.function([x], [K.dot(x, w)])
    counting = K.function([x], [K.sum(x, axis=1)], updates=[K.update(count, count + 1)])
    wrong = []

    def work(seed):
        value = np.random.RandomState(seed).randn(1 + seed % 7, 3).astype('float32')
        for _ in range(50):
            if not (
                np.allclose(plain([value])[0], value, atol=1e-6)
                and np.allclose(counting([value])[0], value.sum(1), atol=1e-5)
            ):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == wrong
    assert 1000 == K.get_value(count)
