"""What a long-lived process asks of the NumPy engine: threads, forks, memory."""

import gc
import multiprocessing
import os
import signal
import threading
import tracemalloc

import numpy as np
import pytest
from checkout import TESTS
from processes import run

import keras_backend.engines.numpy_backend as K


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def model():
    """A function with a loop, a draw and updates, beside one without any."""
    x, w, count = K.placeholder((None, 3, 2)), K.variable(np.eye(2)), K.variable(0.0, dtype='float64')
    last, _, _ = K.rnn(lambda e, s: _step(e, s, w), x, [K.zeros_like(x[:, 0])])
    noisy = last + 0.0 * K.random_normal(K.shape(last))
    return K.function([x], [noisy]), K.function([x], [last], updates=[(count, count + 1.0)]), count


def _step(e, s, w):
    h = K.tanh(K.dot(e, w) + s[0])
    return h, [h]


def expected(value):
    h = np.zeros((len(value), 2))
    for t in range(3):
        h = np.tanh(value[:, t] + h)
    return h


def test_twenty_threads_call_one_function():
    """Twenty threads calling one function get their own results, and no update is lost."""
    plain, counting, count = model()
    wrong = []

    def work(seed):
        value = np.random.RandomState(seed).randn(1 + seed % 5, 3, 2)
        for _ in range(50):
            for f in (plain, counting):
                if not np.allclose(f([value])[0], expected(value), atol=1e-5):
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == wrong
    assert 1000.0 == float(K.get_value(count))


def test_threads_that_build():
    """Graphs built in several threads at once do not mix."""

    def scaled(seed):
        x = K.placeholder((2,))
        with K.name_scope(f'thread_{seed}'):
            y = K.switch(K.sum(x) > 0, lambda: x * float(seed), lambda: -x)
        return K.function([x], [y])

    wrong = []

    def work(seed):
        for i in range(20):
            if [float(seed)] * 2 != scaled(seed)([[1.0, 1.0]])[0].tolist():
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == wrong


def test_reader_never_sees_half_of_an_update():
    """Two variables updated together are read together."""
    a, b = K.variable(np.zeros(1000)), K.variable(np.zeros(1000))
    step = K.function([], [], updates=[(a, a + 1.0), (b, b + 1.0)])
    read = K.function([], [K.max(K.abs(a - b))])
    stop, seen = threading.Event(), []

    def write():
        while not stop.is_set():
            step([])

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(500):
        seen.append(float(read([])[0]))
    stop.set()
    writer.join()
    assert {0.0} == set(seen)


def _in_child(function, count, pipe):
    value = np.ones((2, 3, 2))
    pipe.send((function([value])[0], float(K.get_value(count))))
    pipe.close()


def _by_multiprocessing(function, count, pipe):
    child = multiprocessing.get_context('fork').Process(target=_in_child, args=(function, count, pipe))
    child.start()
    return child.pid


def _by_the_system(function, count, pipe):
    child = os.fork()
    if not child:
        _in_child(function, count, pipe)
        os._exit(0)
    return child


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='the platform has no fork')
@pytest.mark.filterwarnings('ignore:.*multi-threaded.*:DeprecationWarning')
@pytest.mark.parametrize('fork', [_by_multiprocessing, _by_the_system])
def test_fork_after_use_while_another_thread_holds_the_lock(fork):
    """A child forked in the middle of another thread's update can run functions, and its updates are its own."""
    _, counting, count = model()
    value = np.ones((2, 3, 2))
    counting([value])
    held, release = threading.Event(), threading.Event()

    def hold():
        with K._graph.lock:
            held.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    ours, theirs = multiprocessing.get_context('fork').Pipe()
    child = fork(counting, count, theirs)
    answered = ours.poll(60)
    release.set()
    holder.join()
    if not answered:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert answered
    result, counted = ours.recv()
    np.testing.assert_allclose(result, expected(value), atol=1e-5)
    assert 2.0 == counted
    assert 1.0 == float(K.get_value(count))


def growth():
    """The bytes that 500 rounds of building, running and clearing leave behind."""
    value = np.ones((2, 3, 2))

    def once():
        plain, counting, _ = model()
        plain([value])
        counting([value])
        K.clear_session()

    for _ in range(20):
        once()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(500):
        once()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return grown


def test_a_thousand_rounds_stay_flat(tmp_path):
    """A process does not grow.

    It is one of its own, since what measures coverage here keeps all code that it sees. A table of Python's that
    doubles its size does so in one half of the rounds.
    """
    path = [os.path.dirname(os.path.abspath(__file__)), os.path.join(TESTS, 'tools')]
    code = 'from test_numpy_engine import growth; print(min(growth(), growth()))'
    assert int(run(code, home=tmp_path, backend='numpy', path=path)) < 100000


def test_evaluating_again_builds_nothing():
    """K.eval, K.get_value and K.set_value of the same tensor add no nodes."""
    v = K.variable(np.ones(3))
    y = K.exp(v)
    K.eval(y)
    names = dict(K._graph.session._names)
    for _ in range(10):
        K.eval(y)
        K.set_value(v, K.get_value(v) + 1)
    assert names == dict(K._graph.session._names)
