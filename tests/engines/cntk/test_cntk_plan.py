"""How the CNTK engine divides a function among CNTK and NumPy."""

import gc
import importlib.util
import logging
import weakref

import numpy as np
import pytest
from processes import run

if importlib.util.find_spec('cntk') is None:
    pytest.skip('CNTK is not installed', allow_module_level=True)

import keras_backend.engines.cntk_backend as K
from keras_backend.engines.cntk_backend import plan, segment
from keras_backend.engines.cntk_backend.segment import SegmentFunction
from keras_backend.graph.run.function import Function


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Every test starts in a session of its own, and sees the segments that its functions are made of."""
    K.clear_session()
    made = []
    real = SegmentFunction.__init__

    def noted(self, *args):
        real(self, *args)
        made.append(self)

    monkeypatch.setattr(SegmentFunction, '__init__', noted)
    return made


def steps(segment):
    """The primitives of a segment that compute (not the sizes that are known beforehand)."""
    return [step.op for step in segment.steps]


def test_a_training_step_is_one_graph(fresh):
    """A multi-layer perceptron with unknown and different batch sizes, its gradients and its updates: a single call."""
    x, target = K.placeholder((None, 5)), K.placeholder((None, 3))
    weights = [K.variable(np.ones((5, 4)) / 9), K.variable(np.zeros(4)), K.variable(np.ones((4, 3)) / 7)]
    h = K.tanh(K.bias_add(K.dot(x, weights[0]), weights[1]))
    loss = K.mean(K.categorical_crossentropy(target, K.dot(h, weights[2]), from_logits=True))
    updates = [(w, w - 0.1 * g) for w, g in zip(weights, K.gradients(loss, weights))]
    step = K.function([x, target], [loss], updates=updates)
    step([np.ones((2, 5)), np.eye(3)[:2]])
    assert 1 == len(fresh)
    (graph,) = fresh[0].graphs.values()
    assert isinstance(graph, segment.CntkGraph)
    step([np.ones((3, 5)), np.eye(3)])
    assert 2 == len(fresh[0].graphs)


def test_numpy_runs_between_graphs(fresh):
    """An operation of NumPy divides the graph in two, and the two halves pass on what is needed only."""
    x, w = K.placeholder((4, 4)), K.variable(np.eye(4))
    y = K.dot(K.relu(K.dot(x, w) * 2.0), w) + 1.0
    value = np.arange(16.0).reshape(4, 4) - 8.0
    np.testing.assert_allclose(K.function([x], [y])([value])[0], np.maximum(value * 2, 0) + 1)
    assert [['tensordot', 'mul'], ['tensordot', 'add']] == [steps(s) for s in fresh]
    assert [1, 1] == [len(s.outputs) for s in fresh]


def test_independent_work_shares_a_graph(fresh):
    """What does not wait for NumPy runs before it, in one graph, wherever it was written."""
    x, w = K.placeholder((4, 4)), K.variable(np.eye(4))
    first = K.relu(K.dot(x, w))
    second = K.tanh(K.dot(x, w) + 3.0)
    K.function([x], [first + second])([np.ones((4, 4))])
    assert [['tensordot', 'add', 'tanh'], ['add']] == [steps(s) for s in fresh]


def test_integers_and_bools_stay_out(fresh):
    """No integer, bool or half-precision tensor enters a graph, so all integers are exact."""
    i, x = K.placeholder((2,), dtype='int64'), K.placeholder((2,), dtype='float16')
    f = K.function([i, x], [i * 3 + 1, K.equal(i, i + 1), x * 2.0, K.sum(i)])
    big = np.array([2**53 + 1, 2**24 + 1])
    tripled, equal, doubled, total = f([big, np.ones(2)])
    assert [] == fresh
    assert (big * 3 + 1).tolist() == tripled.tolist()
    assert [False, False] == equal.tolist()
    assert 'float16' == doubled.dtype.name
    assert 2**53 + 2**24 + 2 == int(total)


def test_precisions_have_graphs_of_their_own(fresh):
    """float32 and float64 meet in NumPy."""
    x, y = K.placeholder((3,), dtype='float32'), K.placeholder((3,), dtype='float64')
    total = K.cast(K.exp(x), 'float64') + K.exp(y)
    value = K.function([x, y], [total])([np.ones(3), np.ones(3)])[0]
    np.testing.assert_allclose(value, np.e + np.float64(np.exp(np.float32(1))))
    assert [('float32', ['exp']), ('float64', ['exp']), ('float64', ['add'])] == [(s.dtype, steps(s)) for s in fresh]


def test_sizes_are_known_when_a_graph_is_built(fresh):
    """Shapes of what is fed and of what is computed inside, and arithmetic on them, cost no further call."""
    x = K.placeholder((None, None, 3))
    shape = K.shape(x)
    y = K.reshape(K.exp(x), [shape[0] * shape[1], -1])
    z = K.reshape(y + K.zeros(K.shape(y)), [shape[1], shape[0], 3]) / K.cast(K.shape(y)[0], 'float32')
    value = np.random.RandomState(0).rand(2, 4, 3)
    got = K.function([x], [z])([value])[0]
    np.testing.assert_allclose(got, np.exp(value).reshape(4, 2, 3) / 8, rtol=1e-6)
    assert 1 == len(fresh)


def test_sizes_computed_at_run_time(fresh):
    """A size that is fed as a value, or comes from an unknown intermediate size, makes a graph per value."""
    x, n = K.placeholder((None,)), K.placeholder((), dtype='int32')
    f = K.function([x, n], [K.reshape(K.exp(x), [n, -1]) * 2.0])
    for count in 1, 2, 3, 6, 2:
        assert (count, 6 // count) == f([np.zeros(6), count])[0].shape
    assert 4 == len(fresh[0].graphs)


def test_unknown_sizes_inside(fresh):
    """The size of a convolution's result is unknown while recording, and known in the graph that computes it."""
    x, k = K.placeholder((None, None, 1)), K.variable(np.ones((2, 1, 1)))
    y = K.conv1d(x, k)
    (gradient,) = K.gradients(K.mean(K.square(y)), [k])
    f = K.function([x], [gradient, K.shape(y)])
    value = np.random.RandomState(0).rand(2, 5, 1)
    found, shape = f([value])
    outer = value[:, :-1] + value[:, 1:]
    np.testing.assert_allclose(found.ravel(), [2 * (outer * value[:, i : 4 + i]).mean() for i in (0, 1)], rtol=1e-5)
    assert [2, 4, 1] == shape.tolist()


def test_views_are_left_to_numpy(fresh):
    """Rearranging alone is no reason to call CNTK, and costs nothing before a graph."""
    x = K.placeholder((2, 3))
    f = K.function([x], [K.transpose(x), K.reshape(x, (3, 2)), x[:, 1]])
    value = np.arange(6.0).reshape(2, 3)
    for got, expected in zip(f([value]), [value.T, value.reshape(3, 2), value[:, 1]]):
        assert expected.tolist() == got.tolist()
    assert [] == fresh
    K.function([x], [K.exp(K.transpose(x))])([value])
    assert [['exp']] == [steps(s) for s in fresh]


def test_values_of_which_nobody_reads_more_than_the_shape(fresh):
    """They are not computed, and make no graph."""
    x = K.placeholder((None, 3))
    value = np.arange(6.0).reshape(2, 3)
    shape, size = K.function([x], [K.shape(x * 2.0), K.size(K.exp(x))])([value])
    assert ([2, 3], 6) == (shape.tolist(), int(size))
    assert [] == fresh
    v = K.variable(value)
    assert [2, 3] == K.eval(K.shape(v * 2.0)).tolist()
    for tensor in (x, v):
        (gradient,) = K.function([x], K.gradients((tensor * 2.0)[1], [tensor]))([value])
        assert [[0.0] * 3, [2.0] * 3] == gradient.tolist()


@pytest.fixture
def by_worth(monkeypatch):
    """Graphs are made of the segments that are worth it, as they are for users."""
    monkeypatch.setattr(plan, 'LEAST', 200000)


def test_small_work_is_left_to_numpy(fresh, by_worth):
    """A function without large products is the NumPy engine's, its loops included."""
    import keras_backend.engines.numpy_backend as reference

    def layers(engine):
        x, w = engine.placeholder((None, 5, 16)), engine.variable(np.eye(16))

        def step(e, states):
            h = engine.tanh(engine.dot(e, w) + states[0])
            return h, [h]

        last = engine.rnn(step, x, [engine.zeros_like(x[:, 0])])[0]
        f = engine.function([x], [last, engine.shape(x * 2.0), engine.exp(x)], [(w, w * 2.0)])
        return f([np.ones((2, 5, 16))]), f._run.source

    (mine, source), (theirs, plain) = layers(K), layers(reference)
    assert [] == fresh
    assert source == plain
    for got, expected in zip(mine, theirs):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_large_products_are_worth_a_graph(fresh, by_worth):
    """The graph has what goes with them, too. An unknown size counts as 32. A segment of small ones stays out."""
    x, w = K.placeholder((None, 300)), K.variable(np.eye(300))
    y = K.sum(K.square(K.dot(x, w)), axis=-1, keepdims=True)
    z = K.dot(K.relu(y), K.ones((1, 2)))
    value = np.random.RandomState(0).randn(20, 300)
    got = K.function([x], [z])([value])[0]
    np.testing.assert_allclose(got, np.repeat((value**2).sum(-1, keepdims=True), 2, 1), rtol=1e-4)
    assert [['tensordot', 'square', 'sum']] == [steps(segment) for segment in fresh]
    row = K.placeholder((1, 300))
    assert (1, 300) == K.function([row], [K.dot(row, w)])([value[:1]])[0].shape
    assert 1 == len(fresh)


@pytest.mark.parametrize('build', ['conv', 'depthwise', 'transposed', 'batches'])
def test_convolutions_and_matrices_in_batches_are_worth_a_graph(fresh, by_worth, build):
    """Where they are large, and not where they are small."""
    for size, graphs in (20, 1), (2, 0):
        x = K.placeholder((4, size, size, 2 * size))
        inputs = 2 * size
        if build == 'conv':
            y = K.conv2d(x, K.variable(np.ones((2, 2, inputs, 5))))
        elif build == 'depthwise':
            y = K.depthwise_conv2d(x, K.variable(np.ones((2, 2, inputs, 8))))
        elif build == 'transposed':
            y = K.conv2d_transpose(x, K.variable(np.ones((2, 2, 5, inputs))), (4, size + 1, size + 1, 5))
        else:
            y = K.batch_dot(K.reshape(x, (4, size**2, inputs)), K.reshape(x, (4, size**2, inputs)), axes=(2, 2))
        del fresh[:]
        result = K.function([x], [y])([np.ones((4, size, size, inputs))])[0]
        taps = {'depthwise': 4, 'transposed': inputs, 'batches': inputs}.get(build, 4 * inputs)
        assert float(taps) == float(result[0].ravel()[0])
        assert graphs == len(fresh)


GRAPHS = """
import numpy as np
import keras_backend.engines.cntk_backend as K
from keras_backend.engines.cntk_backend import segment
x = K.placeholder((2, 2))
K.function([x], [K.dot(x, x)])([np.eye(2)])
print(len(segment._graphs))
"""


@pytest.mark.parametrize(('variable', 'graphs'), [('all', 1), ('', 0), (None, 0)])
def test_the_variable_that_makes_all_graphs(tmp_path, variable, graphs):
    """KERAS_BACKEND_CNTK_GRAPHS=all has CNTK do whatever it can."""
    assert graphs == int(run(GRAPHS, home=tmp_path, KERAS_BACKEND_CNTK_GRAPHS=variable))


def test_a_loop_builds_one_step(fresh):
    """A thousand steps, their gradients included, are a graph for the step and one for its gradient."""
    x, u = K.placeholder((None, None, 4)), K.variable(np.eye(4) / 2)

    def step(e, states):
        h = K.tanh(e + K.dot(states[0], u))
        return h, [h]

    last = K.rnn(step, x, [K.zeros_like(x[:, 0])])[0]
    f = K.function([x], [last] + K.gradients(K.sum(last), [u]))
    value = np.random.RandomState(0).rand(2, 1000, 4) - 0.5
    out, _gradient = f([value])
    h = np.zeros((2, 4))
    for t in range(1000):
        h = np.tanh(value[:, t] + h / 2)
    np.testing.assert_allclose(out, h, atol=1e-5)
    assert all([len(s.graphs) == 1 for s in fresh])
    assert len(fresh) < 10
    f([value[:, :7]])
    assert 2 >= max([len(s.graphs) for s in fresh])


def test_large_graphs_are_cut(fresh, monkeypatch):
    """What is longer than the limit runs in pieces, and gives the same."""
    monkeypatch.setattr(plan, 'LONGEST', 7)
    x = K.placeholder((3,))
    y = x
    for i in range(50):
        y = K.tanh(y * 1.01 + 0.1 * i)
    value = np.array([0.1, -0.2, 0.3])
    got, gradient = K.function([x], [y] + K.gradients(K.sum(y), [x]))([value])
    assert len(fresh) > 20
    assert max([len(s.steps) for s in fresh]) <= 9
    monkeypatch.undo()
    whole, by_whole = K.function([x], [y] + K.gradients(K.sum(y), [x]))([value])
    np.testing.assert_allclose(got, whole, rtol=1e-6)
    np.testing.assert_allclose(gradient, by_whole, rtol=1e-5)


def test_prints_keep_their_order(capfd):
    """Messages come in the order in which they were recorded, whatever waits for what."""
    x = K.placeholder((2,))
    late = K.print_tensor(K.relu(K.exp(x)), 'first')
    early = K.print_tensor(x, 'second')
    K.function([x], [late + early])([np.zeros(2)])
    told = capfd.readouterr().err
    assert 0 <= told.index('first') < told.index('second')


def test_only_the_branch_that_is_taken_runs(capfd):
    """The graphs of a branch run with it alone."""
    x, c = K.placeholder((2,)), K.placeholder((), dtype='bool')
    y = K.switch(c, lambda: K.print_tensor(K.exp(x), 'taken'), lambda: K.print_tensor(K.exp(-x), 'other'))
    f = K.function([x, c], [y])
    assert [1.0, 1.0] == f([np.zeros(2), True])[0].tolist()
    told = capfd.readouterr().err
    assert 'taken' in told
    assert 'other' not in told


def test_what_cntk_refuses_is_run_by_numpy(fresh, caplog):
    """Empty tensors go through NumPy, and the log says why."""
    x, w = K.placeholder((None, 3)), K.variable(np.ones((3, 2)))
    f = K.function([x], [K.dot(x, w) + 1.0, K.sum(K.dot(x, w))])
    with caplog.at_level(logging.DEBUG, 'keras_backend.cntk'):
        rows, total = f([np.ones((0, 3))])
    assert (0, 2) == rows.shape
    assert 0.0 == float(total)
    assert 'no empty tensors' in caplog.text
    assert isinstance(next(iter(fresh[0].graphs.values())), segment.NumpyGraph)
    assert [[4.0, 4.0]] == f([np.ones((1, 3))])[0].tolist()
    rows[...] = 1.0  # the caller's own


def test_an_error_of_cntk_leads_to_numpy(fresh, caplog, monkeypatch):
    """Where a run of CNTK fails, NumPy gives the result; of the error only its sentence is kept."""
    x = K.placeholder((2,))
    f = K.function([x], [K.exp(x) + 1.0])

    def fail(*args):
        raise RuntimeError('Something is not supported.\n\n[CALL STACK]\n[0x7f] CNTK::Internal + 0x1\n')

    monkeypatch.setattr(segment, '_forward', fail)
    with caplog.at_level(logging.DEBUG, 'keras_backend.cntk'):
        assert [2.0, 2.0] == f([np.zeros(2)])[0].tolist()
    assert 'Something is not supported.' in caplog.text
    assert 'CALL STACK' not in caplog.text
    assert [2.0, 2.0] == f([np.zeros(2)])[0].tolist()


def test_cntk_results_belong_to_the_caller():
    """Nothing that is returned shares memory with variables, with what was fed, or with another result."""
    x, v = K.placeholder((2, 2)), K.variable(np.ones((2, 2)))
    y = x + v
    f = K.function([x], [y, K.identity(y), K.transpose(y), y, K.zeros_like(y), v, x])
    value = np.zeros((2, 2), 'float32')
    for result in f([value]):
        result[...] = 7.0
    assert 0.0 == value.max()
    assert 1.0 == K.get_value(v).max()
    assert [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0] == [float(r.max()) for r in f([value])]


def test_feeds_may_be_anything_that_numpy_takes():
    """Transposed, strided, read-only, reversed and large arrays are read as they are."""
    x, w = K.placeholder((None, None)), K.variable(np.ones((1, 1)))
    f = K.function([x], [K.sum(K.dot(K.reshape(x, (-1, 1)), w)) + 0.0, x * 2.0])
    base = np.arange(40000.0, dtype='float32').reshape(200, 200)
    frozen = base.copy()
    frozen.flags.writeable = False
    repeated = np.broadcast_to(base[:1], (200, 200))
    for value in (base, base.T, base[::2, ::-1], base[:3, :3], frozen, frozen[:2], repeated):
        total, doubled = f([value])
        np.testing.assert_allclose(total, value.sum(dtype='float64'), rtol=1e-5)
        assert (doubled == value * 2).all()


def test_what_is_fed_may_change_between_calls():
    """The same array with other contents, and another array at the same place, are read anew."""
    x = K.placeholder((None,))
    f = K.function([x], [K.sum(x * 1.0)])
    for size in 10, 100000:
        value = np.ones(size, 'float32')
        assert float(size) == float(f([value])[0])
        value *= 2
        assert 2.0 * size == float(f([value])[0])
        for _ in range(5):
            assert 3.0 * size == float(f([np.full(size, 3.0, 'float32')])[0])


def test_functions_are_freed():
    """A function that is dropped takes its graphs along."""
    x = K.placeholder((3,))
    f = K.function([x], [K.exp(x)])
    f([np.zeros(3)])
    graphs = [weakref.ref(g) for g in segment._graphs]
    before = len([g for g in graphs if g() is not None])
    assert isinstance(f, Function)
    del f
    gc.collect()
    assert len([g for g in graphs if g() is not None]) < before


def test_more_values_than_a_call_takes(fresh):
    """Python 3.6 ends at 255 arguments of a call; a graph takes and gives more, and so do the kernels of NumPy."""
    count = 300
    xs = [K.placeholder((None, 2)) for _ in range(count)]
    numbers = [K.placeholder((1,), dtype='int32') for _ in range(count)]
    variables = [K.variable(np.full(2, i)) for i in range(count)]
    outputs = [K.concatenate(xs) * 2.0, K.concatenate(numbers)] + [K.exp(x) for x in xs]
    f = K.function(xs + numbers, outputs, updates=[(v, v * 2.0 + K.sum(xs[0])) for v in variables])
    got = f([np.full((1, 2), i / count) for i in range(count)] + [np.array([i]) for i in range(count)])
    truth = np.repeat(np.arange(count) / count, 2)
    np.testing.assert_allclose(got[0][0], 2 * truth, rtol=1e-6)
    assert list(range(count)) == got[1].tolist()
    np.testing.assert_allclose(np.concatenate(got[2:], 1)[0], np.exp(truth), rtol=1e-5)
    np.testing.assert_allclose(K.batch_get_value(variables), np.arange(count)[:, None] * [[2.0, 2.0]])
    assert any([len(segment.inputs) > 255 for segment in fresh])


def optimizer(momentum):
    """A training step of one large layer; its function, and its truth."""
    start = np.random.RandomState(0).randn(300, 200) / 20
    x, w, v = K.placeholder((None, 300)), K.variable(start), K.zeros((300, 200))
    loss = K.mean(K.square(K.sin(K.dot(x, w))))
    g = K.gradients(loss, [w])[0]
    new = momentum * v - 0.1 * g
    step = K.function([x], [loss], updates=[(v, new), (w, w + new)])

    def truth(value):
        z = value.dot(start)
        return start - 0.1 * value.T.dot(2 * np.sin(z) * np.cos(z) / z.size)

    return step, w, truth


@pytest.mark.parametrize('momentum', [0.0, 0.9])
def test_updates_of_large_weights_are_left_to_numpy(fresh, momentum):
    """CNTK hands out the gradient of the layer's result; the product and sums that end in the weights follow."""
    step, w, truth = optimizer(momentum)
    value = np.random.RandomState(1).randn(20, 300)
    step([value])
    np.testing.assert_allclose(K.get_value(w), truth(value), rtol=1e-4, atol=1e-6)
    assert 1 == sum([steps(segment).count('tensordot') for segment in fresh])
    assert not any(
        [(300, 200) == result[2] for segment in fresh for graph in segment.graphs.values() for result in graph._results]
    )


def test_large_values_that_the_graph_reads_stay_in_it(fresh):
    """What is read again by CNTK is made there, however large; and only once."""
    x, w = K.placeholder((200, 200)), K.variable(np.eye(200))
    y = K.dot(x, w) * 2.0
    z = K.sum(K.square(y), axis=-1)
    value = np.random.RandomState(0).randn(200, 200)
    first, second = K.function([x], [y, z])([value])
    np.testing.assert_allclose(first, 2 * value, rtol=1e-5)
    np.testing.assert_allclose(second, (4 * value**2).sum(-1), rtol=1e-4)
    assert [['tensordot', 'mul', 'square', 'sum']] == [steps(segment) for segment in fresh]


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_tanh_of_many_elements(fresh, dtype):
    """The vector functions of MKL: right for every number, in any layout."""
    from keras_backend.engines.cntk_backend.library import tanh

    array = np.concatenate([np.random.RandomState(0).randn(997) * 3, [0.0, -0.0, 1e-30, np.inf, -np.inf, np.nan, 50.0]])
    array = np.tile(array.astype(dtype), (8, 1))
    tolerance = 1e-6 if dtype == 'float32' else 1e-14
    for given in (array, array.T, array[::2, ::-1], array[:, 3], array.astype('float16')):
        np.testing.assert_allclose(tanh(given), np.tanh(given), rtol=tolerance if given.dtype == dtype else 1e-2)
    x = K.placeholder((None, 1004), dtype=dtype)
    np.testing.assert_allclose(K.function([x], [K.tanh(x * 1.0)])([array])[0], np.tanh(array), rtol=tolerance)
    assert not any(['tanh' in steps(segment) for segment in fresh])


def test_results_take_the_place_of_operands_that_nothing_else_sees(fresh):
    """Large sums at the end of a graph need no new arrays; what is still seen by others stays as it is."""
    random = np.random.RandomState(0)
    value, matrix, row = random.randn(50, 200) / 9, random.randn(200, 600) / 9, random.randn(600)
    x, w, b = K.placeholder((None, 200)), K.variable(matrix), K.variable(row)
    y = K.dot(x, w)
    truth = value.dot(matrix)

    def close(got, expected):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)

    f = K.function([x], [y + b])
    for _ in range(2):
        close(f([value])[0], truth + row)
    product = f._run.source.split(', = f0')[0].split()[-1]
    assert f', out={product})' in f._run.source
    close(K.get_value(b), row)

    # read twice, handed out, or looked at
    outputs = [y + b, y * 2.0, K.reshape(y, (-1,)), y]
    for got, expected in zip(K.function([x], outputs)([value]), [truth + row, truth * 2, truth.ravel(), truth]):
        close(got, expected)
    z = K.reshape(y, (-1, 100))
    got = K.function([x], [y + b, K.exp(z * 0.0) + K.relu(z)])([value])
    close(got[0], truth + row)
    close(got[1], np.maximum(truth, 0).reshape(-1, 100) + 1)
    r = K.relu(y)
    z = K.reshape(r, (-1, 100))
    got = K.function([x], [r + b, K.relu(z)])([value])
    close(got[0], np.maximum(truth, 0) + row)
    close(got[1], np.maximum(truth, 0).reshape(-1, 100))
