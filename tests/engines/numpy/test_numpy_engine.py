"""What a long-lived process asks of the NumPy engine: threads, forks, memory."""

import gc
import os
import threading
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from checkout import TESTS
from processes import run
from threads_and_forks import by_multiprocessing, by_the_system, check_fork, check_threads, in_threads, model

import keras_backend.engines.numpy_backend as K


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def test_twenty_threads_call_one_function():
    """Twenty threads calling one function get their own results, and no update is lost."""
    check_threads(K, 20)


def test_threads_that_build():
    """Graphs built in several threads at once do not mix."""

    def scaled(seed):
        x = K.placeholder((2,))
        with K.name_scope(f'thread_{seed}'):
            y = K.switch(K.sum(x) > 0, lambda: x * float(seed), lambda: -x)
        return K.function([x], [y])

    def work(seed):
        for _ in range(20):
            assert [float(seed)] * 2 == scaled(seed)([[1.0, 1.0]])[0].tolist()

    in_threads(work, 8)


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


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='the platform has no fork')
@pytest.mark.filterwarnings('ignore:.*multi-threaded.*:DeprecationWarning')
@pytest.mark.parametrize('fork', [by_multiprocessing, by_the_system])
def test_fork_after_use_while_another_thread_holds_the_lock(fork):
    """A child forked in the middle of another thread's update can run functions, and its updates are its own."""
    check_fork(K, fork=fork)


def growth():
    """The bytes that 500 rounds of building, running and clearing leave behind."""
    value = np.ones((2, 3, 2))

    def once():
        plain, counting, _ = model(K)
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


@pytest.mark.slow
def test_a_thousand_rounds_stay_flat(tmp_path):
    """A process does not grow.

    It is one of its own, since what measures coverage here keeps all code that it sees. A table of Python's that
    doubles its size does so in one half of the rounds.
    """
    path = [os.path.dirname(os.path.abspath(__file__)), os.path.join(TESTS, 'tools')]
    code = 'from test_numpy_engine import growth; print(min(growth(), growth()))'
    grown = run(code, home=tmp_path, backend='numpy', path=path, COVERAGE_PROCESS_START='')
    assert int(grown) < 100000


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


class Watched:
    """What a tensor of PyTorch is to NumPy while autograd watches it."""

    dtype = 'torch.float32'

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return np.array([1.0, 2.0], 'float32')


def test_tensors_of_pytorch_are_values_and_are_fed():
    """Wherever K takes an array, although NumPy cannot ask them for one."""
    v, x, given = K.variable(np.zeros(2)), K.placeholder((2,)), Watched()
    K.set_value(v, given)
    found = [K.get_value(v), K.function([x], [x])([given])[0], K.eval(K.variable(given)), K.cast_to_floatx(given)]
    assert [value.tolist() for value in found] == [[1.0, 2.0]] * 4


@pytest.mark.parametrize('dtype', ['float64', 'int32', 'bool'])
def test_sparse_matrix_is_fed_in_the_dtype_of_the_placeholder(dtype):
    """A matrix of another dtype, and a dense array, become one of the dtype that was declared."""
    x = K.placeholder((None, 3), sparse=True, dtype='float32')
    f = K.function([x], [K.to_dense(x), K.square(K.to_dense(x))])
    matrix = np.array([[0, 1, 0], [1, 0, 1]], dtype)
    for value in (scipy.sparse.csr_matrix(matrix), matrix):
        dense, square = f([value])
        assert ('float32', 'float32') == (dense.dtype.name, square.dtype.name)
        assert matrix.tolist() == dense.tolist() == square.tolist()


def test_a_sparse_variable_does_not_share_the_matrix_of_the_user():
    """What the user writes into the matrix afterwards does not change the variable."""
    matrix = scipy.sparse.csr_matrix(np.eye(2, dtype='float32'))
    v = K.variable(matrix)
    matrix.data[:] = 9.0
    assert np.eye(2).tolist() == K.get_value(v).tolist()
