"""What a long-lived process asks of the CNTK engine: threads, forks, memory, the same numbers again."""

import gc
import importlib.util

import numpy as np
import pytest
from processes import run
from threads_and_forks import check_fork, check_threads

if importlib.util.find_spec('cntk') is None:
    pytest.skip('CNTK is not installed', allow_module_level=True)

import keras_backend.engines.cntk_backend as K
import keras_backend.engines.numpy_backend as N
from keras_backend.engines.cntk_backend import segment


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def layer():
    """A function with a graph, and its truth."""
    w = np.random.RandomState(0).randn(6, 4)
    x = K.placeholder((None, 6))
    return K.function([x], [K.tanh(K.dot(x, K.variable(w))), K.sum(x)]), lambda value: np.tanh(value.dot(w))


def test_threads_call_one_cntk_function():
    """Threads that call one function, with one shape or several, get their own results."""
    check_threads(K, 12)


def _locks():
    locks = [graph._lock for graph in segment._graphs if isinstance(graph, segment.CntkGraph)]
    assert locks
    return locks


def test_fork_in_the_middle_of_a_call():
    """A child that is forked while another thread holds the locks of a graph can run it, and so can the parent."""
    check_fork(K, _locks)


def test_graphs_are_bounded(monkeypatch):
    """Graphs beyond the limit are given up, those used last are kept, and all shapes stay right."""
    function, expected = layer()
    function([np.ones((1, 6))])
    gc.collect()
    before = set(segment._graphs)
    monkeypatch.setattr(segment, 'LIMIT', sum([graph.size for graph in segment._graphs]) + 300000)
    for batch in list(range(1, 60)) + [59, 58]:
        value = np.full((batch, 6), 0.1)
        np.testing.assert_allclose(function([value])[0], expected(value), atol=1e-5)
    assert sum([graph.size for graph in segment._graphs]) <= segment.LIMIT
    kept = {graph.key[0][0] for graph in set(segment._graphs) - before}
    assert {59, 58} <= kept
    assert not {2, 3, 4} & kept


def test_every_segment_keeps_two(monkeypatch):
    """However large: a last batch that is smaller does not drive out the graph of the others."""
    monkeypatch.setattr(segment, 'LIMIT', 0)
    function, _expected = layer()
    for _ in range(3):
        for batch in 4, 3:
            function([np.ones((batch, 6))])
    made = {graph for graph in segment._graphs if graph.owner() is not None and (4, 6) in graph.key}
    for batch in 4, 3:
        function([np.ones((batch, 6))])
    assert made
    assert made <= set(segment._graphs)


MEMORY = """
import numpy as np
import keras_backend.engines.cntk_backend as K
from keras_backend.engines.cntk_backend import segment
segment.LIMIT = 1 << 24

def used():
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * 4096
x, w = K.placeholder((None, 32)), K.variable(np.ones((32, 16)))
loss = K.sum(K.square(K.tanh(K.dot(x, w))))
step = K.function([x], [loss], updates=[(w, w - 0.1 * K.gradients(loss, [w])[0])])
for batch in range(1, 1301):
    step([np.ones((batch, 32), 'float32')])
    if batch == 300:
        before = used()
print((used() - before) // 1000000)
"""


def test_a_thousand_shapes_stay_flat(tmp_path):
    """A thousand more batch sizes do not grow the process by more than the noise of its allocator."""
    assert 60 > int(run(MEMORY, home=tmp_path, OMP_NUM_THREADS='1', KERAS_BACKEND_CNTK_GRAPHS='all'))


DRAWS = """
import numpy as np
import keras_backend.engines.cntk_backend as K
np.random.seed(5)
a, b, c = K.random_normal((3,), seed=1), K.random_normal((3,), seed=2), K.random_uniform((3,))
x = K.placeholder((None, 2))
f = K.function([x], [a, b, c, K.dropout(x, 0.5, seed=3), K.random_uniform(K.shape(x), seed=4)])
print([[v.tolist() for v in f([np.ones((2, 2))])] for _ in range(2)])
"""


def test_draws_are_the_same_in_every_process(tmp_path):
    """Seeds give the same numbers in every process; nodes and runs differ."""
    first, second = [run(DRAWS, home=tmp_path, OMP_NUM_THREADS='1') for _ in range(2)]
    assert first == second
    (a, b, _c, _d, _e), again = eval(first)
    assert a != b
    assert a != again[0]


@pytest.mark.parametrize('name', ['random_normal', 'random_uniform', 'truncated_normal'])
def test_draws_are_those_of_the_numpy_engine(name):
    """The same seed gives the same numbers on both engines."""
    ours, theirs = [engine.eval(getattr(engine, name)((50,), seed=7)) for engine in (K, N)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_errors_in_steps_keep_their_own_text():
    """An error of the user's own function, or of a value that is out of range, is what the user sees."""

    def step(e, states):
        raise KeyError('my own mistake')

    with pytest.raises(KeyError, match='my own mistake'):
        K.rnn(step, K.placeholder((None, 3, 2)), [K.zeros((1, 2))])
    x, i = K.placeholder((3, 2)), K.placeholder((None,), dtype='int32')
    f = K.function([x, i], [K.exp(K.gather(x * 2.0, i))])
    with pytest.raises(IndexError, match='Index 3 is out of range'):
        f([np.ones((3, 2)), [0, 3]])
    assert (1, 2) == f([np.ones((3, 2)), [2]])[0].shape


def test_values_of_which_only_the_shape_counts(capfd):
    """A graph that reads no more than the shape of what it is fed runs without a word."""
    x, y = K.placeholder((None, 3)), K.placeholder((None, 3))
    f = K.function([x, y], K.gradients(K.mean(K.exp(x) + y), [x, y]))
    for batch in 2, 5:
        gradients = f([np.ones((batch, 3)), np.ones((batch, 3))])
        np.testing.assert_allclose(gradients[0], np.full((batch, 3), np.e / 3 / batch), rtol=1e-6)
        np.testing.assert_allclose(gradients[1], np.full((batch, 3), 1 / 3 / batch), rtol=1e-6)
    assert ('', '') == tuple(capfd.readouterr())


def test_shapes_that_do_not_fit_at_run_time(capfd):
    """Sizes that contradict each other raise at run time, without a stack of C++ in the text or on the terminal."""
    x, y = K.placeholder((None, 3)), K.placeholder((None, 3))
    f = K.function([x, y], [K.exp(x) + y])
    with pytest.raises(ValueError) as caught:
        f([np.ones((2, 3)), np.ones((4, 3))])
    assert 'CALL STACK' not in str(caught.value)
    assert '' == capfd.readouterr().err
    assert (2, 3) == f([np.ones((2, 3)), np.ones((2, 3))])[0].shape
