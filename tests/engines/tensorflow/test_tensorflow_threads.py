"""On which threads a function runs: the callables are stand-ins, and so is the clock."""

import threading

import numpy as np
import pytest

tf2 = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402
from keras_backend.engines.tensorflow_backend import functions as module  # noqa: E402

tf = tf2.compat.v1


class Clock:
    """A clock that goes on by what a run takes."""

    def __init__(self):
        self.now, self.log = 0.0, []

    def run(self, name, seconds):
        def call(*arrays, **options):
            self.now += seconds
            self.log.append(name)
            return [name, arrays, options]

        return call


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, 'perf_counter', lambda: clock.now)
    return clock


def threads(clock, inline, pooled):
    """(a function that takes `inline` or `pooled` seconds a call, what was settled, how often a pool was made)."""
    settled, made = [], []

    def make():
        made.append(1)
        return clock.run('pooled', pooled)

    return module.Threads(clock.run('inline', inline), make, settled.append), settled, made


def test_a_short_function_stays_with_its_caller(clock):
    """No second callable is made for it, however often it is called."""
    run, settled, made = threads(clock, 0.0005, 0.0001)
    for _ in range(5000):
        assert run(1, option=2) == ['inline', (1,), {'option': 2}]
    assert len(settled) == 1
    assert not made


@pytest.mark.parametrize(('pooled', 'chosen'), [(0.03, 'pooled'), (0.05, 'inline')])
def test_the_faster_one_is_kept(clock, pooled, chosen):
    """A function that takes long is tried both ways. Each call is run once."""
    run, settled, made = threads(clock, 0.04, pooled)
    for calls in range(1, 200):
        run()
        assert len(clock.log) == calls
    assert len(settled) == len(made) == 1
    assert settled[0]()[0] == chosen
    assert set(clock.log[-50:]) == {chosen}
    # A second has to pass before another callable is made.
    assert set(clock.log[:25]) == {'inline'}


def test_a_program_of_few_steps_makes_one_callable(clock):
    """Models that are trained for a few batches do not pay for a second one."""
    run, settled, made = threads(clock, 0.02, 0.01)
    for _ in range(30):
        run()
    assert not settled
    assert not made


def test_a_run_that_fails_is_not_timed(clock):
    """An error goes to the caller, and nothing is decided by it."""

    def fail():
        raise ValueError('no')

    run = module.Threads(fail, lambda: fail, lambda chosen: pytest.fail('settled'))
    for _ in range(50):
        with pytest.raises(ValueError, match='no'):
            run()


# -- bits ------------------------------------------------------------------------------------------------------------
def bits_programs():
    """(inputs, outputs, updates, values) of kernels that divide their work among threads, and of draws and updates."""
    draws = np.random.RandomState(0)

    def weight(*shape):
        return K.variable(draws.normal(size=shape))

    x, w = K.placeholder((None, 20, 20, 8)), weight(3, 3, 8, 16)
    h = K.conv2d(x, w)
    h, mean, variance = K.normalize_batch_in_training(h, weight(16), weight(16), [0, 1, 2])
    loss = K.mean(K.square(K.pool2d(K.relu(h), (2, 2), (2, 2))))
    yield [x], [loss, mean, variance, *K.gradients(loss, [w, x])], [], [(16, 20, 20, 8)]
    x, w = K.placeholder((None, 20, 20, 8)), weight(3, 3, 8, 2)
    loss = K.mean(K.square(K.depthwise_conv2d(x, w)))
    yield [x], K.gradients(loss, [w, x]), [], [(16, 20, 20, 8)]
    x, w, v = K.placeholder((None, 300)), weight(300, 400), weight(300, 400)
    dropped = K.dropout(K.dot(x, w), 0.3, seed=3) + K.random_normal((1, 400), seed=4)
    loss = K.mean(K.square(K.softmax(dropped))) + K.std(x) + K.sum(K.logsumexp(x, 1))
    (gradient,) = K.gradients(loss, [w])
    updates = [K.update(v, 0.9 * v - gradient), K.update_add(w, v), K.update_add(w, 0.1 * v)]
    yield [x], [loss, K.sum(x, 0)], updates, [(257, 300)]
    words, table = K.placeholder((None, 30), dtype='int32'), weight(50, 64)
    loss = K.mean(K.square(K.gather(table, words)))
    yield [words], [loss], [K.update_sub(table, K.gradients(loss, [table])[0])], [(128, 30)]


@pytest.mark.parametrize('intra', [1, 2])
def test_both_ways_give_the_same_bits(intra):
    """Six calls: all by the caller, or three of them on the threads of TensorFlow."""
    found = []
    for pooled in (False, True):
        K.clear_session()
        tf.set_random_seed(1)
        config = tf.ConfigProto(intra_op_parallelism_threads=intra, inter_op_parallelism_threads=2)
        with tf.Session(graph=tf.get_default_graph(), config=config) as session:
            K.set_session(session)
            found.append([])
            for inputs, outputs, updates, shapes in bits_programs():
                f = K.function(inputs, outputs, updates, fuse=False)
                draws = np.random.RandomState(1)
                for call in range(6):
                    values = [
                        draws.uniform(0, 50, shape).astype(t.dtype.as_numpy_dtype) for t, shape in zip(inputs, shapes)
                    ]
                    run = f._pooled(session) if pooled and call in (2, 3, 5) else f._bind()
                    found[-1] += [np.asarray(value).tobytes() for value in run(*values)]
                found[-1] += [K.get_value(v).tobytes() for v in f._state.variables]
    assert found[0] == found[1]


# -- Python inside of a function -------------------------------------------------------------------------------------
def python(function, x):
    y = tf.numpy_function(function, [x], tf.float32)
    y.set_shape(x.shape)
    return y


def test_functions_that_call_python_are_known():
    """Also where a branch does it."""
    for build, wanted in [
        (lambda x: K.exp(x), False),
        (lambda x: K.switch(K.sum(x) > 0.0, lambda: K.exp(x), lambda: x), False),
        (lambda x: python(np.exp, x), True),
        (lambda x: K.switch(K.sum(x) > 0.0, lambda: python(np.exp, x), lambda: x), True),
    ]:
        K.clear_session()
        build(K.placeholder((2,)))
        graph = tf.get_default_graph()
        assert module.calls_python(graph, graph.get_operations()) is wanted


def test_python_in_a_function_that_updates_reads_and_updates_others(monkeypatch):
    """The function holds the lock meanwhile. It takes long enough to be tried on other threads, were it any other."""
    monkeypatch.setattr(module, '_SECONDS', 0.0)
    K.clear_session()
    w, log, x = K.variable([1.0]), K.variable(0.0), K.placeholder((1,))
    note = K.function([], [], updates=[K.update_add(log, 1.0)])
    names = set()

    def look(value):
        names.add(threading.current_thread().name)
        threading.Event().wait(0.002)
        note([])
        return value

    step = K.function([x], [python(look, x * w)], updates=[K.update(w, w * 0.5)])
    sequence = K.placeholder((None, 3, 1))
    last = K.rnn(lambda e, s: (e + s[0], [e + s[0]]), sequence, [K.zeros_like(sequence[:, 0])])[0]
    total = K.sum(python(lambda value: value + np.float32(sum(K.batch_get_value([w, log]))) * 0, last))
    loop = K.function([sequence], [total], updates=[K.update_add(log, 1.0)])

    def work():
        for _ in range(30):
            step([[1.0]])
        for _ in range(6):
            loop([np.ones((2, 3, 1))])

    thread = threading.Thread(target=work, daemon=True, name='caller')
    thread.start()
    thread.join(120)
    assert not thread.is_alive()
    assert K.get_value(log) == 36.0
    assert names == {'caller'}


def test_no_two_threads_get_one_name():
    """TensorFlow looks whether a name is free, and then takes it."""
    K.clear_session()
    K.placeholder((1,))
    graph, found = tf.get_default_graph(), []

    def take():
        found.extend([graph.unique_name('name') for _ in range(300)])

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == len(found) == 2400
