"""Loops, choices, draws, decoding and sparse matrices as files of ONNX: onnxruntime gives what NumPy gives."""

import numpy as np
import onnx
import onnxruntime
import pytest

import keras_backend
import keras_backend as K
from keras_backend.errors import ExportError

RNG = np.random.RandomState(5)


def file_of(tmp_path, inputs, outputs, **options):
    """The session of a file, which was checked at several sizes when it was written."""
    path = str(tmp_path / 'f.onnx')
    keras_backend.export(K.function(inputs, outputs), path, **options)
    return onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])


def results(session, *arrays):
    return session.run(None, {each.name: a for each, a in zip(session.get_inputs(), arrays)})


def kinds(tmp_path):
    """The operators of the graph of the last file, without those inside of loops and choices."""
    return [node.op_type for node in onnx.load(str(tmp_path / 'f.onnx')).graph.node]


def some(*shape):
    return RNG.uniform(-1, 1, shape).astype('float32')


def elman(x, w, u, mask=None, backwards=False):
    """The states of an Elman network over time, and the last one, by NumPy."""
    h, seen = np.zeros((x.shape[0], w.shape[1]), 'float32'), []
    for t in range(x.shape[1]):
        t = x.shape[1] - 1 - t if backwards else t
        new = np.tanh(x[:, t] @ w + h @ u)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        seen.append(h)
    return np.stack(seen, 1), h


# -- loops -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('backwards', [False, True])
def test_a_network_in_time(tmp_path, backwards):
    """Batch size and length are free. A loop that needs a step is a Scan."""
    w, u = some(3, 4), some(4, 4)
    x, kernel, recurrent = K.placeholder((None, None, 3)), K.variable(w), K.variable(u)
    start = K.dot(K.sum(x, axis=1) * 0.0, kernel)

    def step(e, states):
        h = K.tanh(K.dot(e, kernel) + K.dot(states[0], recurrent))
        return h, [h]

    last, outputs, _states = K.rnn(step, x, [start], go_backwards=backwards)
    session = file_of(tmp_path, [x], [last, outputs])
    assert 'Scan' in kinds(tmp_path)
    assert 'Loop' not in kinds(tmp_path)
    for batch, length in ((2, 5), (1, 1), (4, 9)):
        array = some(batch, length, 3)
        got_last, got = results(session, array)
        seen, wanted = elman(array, w, u, backwards=backwards)
        np.testing.assert_allclose(got_last, wanted, atol=1e-6)
        np.testing.assert_allclose(got, seen, atol=1e-6)


def test_a_masked_network_in_time(tmp_path):
    w, u = some(3, 4), some(4, 4)
    x, mask = K.placeholder((None, None, 3)), K.placeholder((None, None), dtype='bool')
    kernel, recurrent = K.variable(w), K.variable(u)

    def step(e, states):
        h = K.tanh(K.dot(e, kernel) + K.dot(states[0], recurrent))
        return h, [h]

    last = K.rnn(step, x, [K.dot(K.sum(x, axis=1) * 0.0, kernel)], mask=mask)[0]
    session = file_of(tmp_path, [x, mask], [last])
    array, given = some(3, 6, 3), RNG.uniform(size=(3, 6)) > 0.4
    np.testing.assert_allclose(results(session, array, given)[0], elman(array, w, u, given)[1], atol=1e-6)


def test_the_gradient_of_a_loop(tmp_path):
    """The derivative of a product over time by each factor is the product of the others."""
    x = K.placeholder((None, None, 2))
    last = K.rnn(lambda e, s: (e * s[0], [e * s[0]]), x, [K.sum(x, axis=1) * 0.0 + 1.0])[0]
    session = file_of(tmp_path, [x], K.gradients(K.sum(last), [x]))
    for batch, length in ((2, 4), (1, 1), (3, 7)):
        array = RNG.uniform(0.5, 1.5, (batch, length, 2)).astype('float32')
        wanted = array.prod(1, keepdims=True) / array
        np.testing.assert_allclose(results(session, array)[0], wanted, rtol=1e-4)


def test_a_loop_of_no_steps(tmp_path):
    """A loop that may have no steps is a Loop. Then what it collects has the shape that it would have."""
    x = K.placeholder((None, None))
    session = file_of(tmp_path, [x], [K.map_fn(lambda row: row * row + 1.0, x)])
    assert 'Loop' in kinds(tmp_path)
    for shape in ((3, 2), (1, 4), (0, 3)):
        array = some(*shape)
        made = results(session, array)[0]
        assert made.shape == shape
        np.testing.assert_allclose(made, array * array + 1, atol=1e-6)


def test_folds_in_a_file(tmp_path):
    """Both directions, and a loop inside of a loop."""
    x = K.placeholder((None, 3))
    left = K.foldl(lambda acc, e: acc * 0.5 + e, x)
    right = K.foldr(lambda acc, e: acc * 0.5 + e, x)
    nested = K.map_fn(lambda row: K.foldl(lambda acc, e: acc + e * e, row), x)
    session = file_of(tmp_path, [x], [left, right, nested])
    array = some(5, 3)
    wanted_left, wanted_right = array[0], array[-1]
    for i in range(1, 5):
        wanted_left, wanted_right = wanted_left * 0.5 + array[i], wanted_right * 0.5 + array[-1 - i]
    got = results(session, array)
    np.testing.assert_allclose(got[0], wanted_left, atol=1e-6)
    np.testing.assert_allclose(got[1], wanted_right, atol=1e-6)
    np.testing.assert_allclose(got[2], array[:, 0] + array[:, 1] ** 2 + array[:, 2] ** 2, atol=1e-6)


def test_sequences_of_unlike_length_fail(tmp_path):
    """K refuses them. A file that took the shorter length would give wrong numbers."""
    x, y = K.placeholder((None, 2)), K.placeholder((None, 2))
    session = file_of(tmp_path, [x, y], [K.map_fn(lambda pair: pair[0] + pair[1], [x, y], dtype='float32')])
    np.testing.assert_allclose(results(session, np.ones((3, 2), 'f'), np.ones((3, 2), 'f'))[0], np.full((3, 2), 2.0))
    for first, second in ((3, 4), (4, 3)):
        with pytest.raises(Exception, match='(?i)reshape'):
            results(session, np.ones((first, 2), 'f'), np.ones((second, 2), 'f'))


# -- choices -----------------------------------------------------------------------------------------------------------
def test_a_choice_with_its_gradient(tmp_path):
    x, which = K.placeholder((None, 3)), K.placeholder((), dtype='int32')
    y = K.switch(which, lambda: K.square(x), lambda: K.exp(x))
    session = file_of(tmp_path, [x, which], [y, *K.gradients(K.sum(y), [x])])
    assert kinds(tmp_path).count('If') == 2
    array = some(4, 3)
    for number, value, slope in ((2, array**2, 2 * array), (0, np.exp(array), np.exp(array))):
        got = results(session, array, np.array(number, 'int32'))
        np.testing.assert_allclose(got[0], value, rtol=1e-5)
        np.testing.assert_allclose(got[1], slope, rtol=1e-5)


def test_the_phase_is_an_input(tmp_path):
    x = K.placeholder((None, 3))
    y = K.in_train_phase(lambda: x * 2.0, lambda: x + 1.0)
    path = str(tmp_path / 'f.onnx')
    keras_backend.export(K.function([x, K.learning_phase()], [y]), path)
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    array = some(2, 3)
    phase = session.get_inputs()[1]
    for value, wanted in ((1, array * 2), (0, array + 1)):
        fed = np.array(value, {'tensor(bool)': 'bool', 'tensor(int32)': 'int32'}.get(phase.type, 'uint8'))
        np.testing.assert_allclose(results(session, array, fed)[0], wanted)


def test_a_choice_inside_of_a_loop(tmp_path):
    """With its gradient: values of the branch that a step did not take are zeros there."""
    x = K.placeholder((None, 3))

    def row(e):
        return K.switch(K.greater(K.sum(e), 0.0), lambda: K.sum(e * e), lambda: K.sum(K.exp(e)))

    y = K.map_fn(row, x)
    session = file_of(tmp_path, [x], [y, *K.gradients(K.sum(y), [x])])
    array = some(6, 3)
    is_positive = array.sum(1) > 0
    assert is_positive.any()
    assert not is_positive.all()
    got = results(session, array)
    np.testing.assert_allclose(got[0], np.where(is_positive, (array**2).sum(1), np.exp(array).sum(1)), rtol=1e-5)
    np.testing.assert_allclose(got[1], np.where(is_positive[:, None], 2 * array, np.exp(array)), rtol=1e-5)


# -- draws -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_draws(tmp_path, dtype):
    """They have the distribution of K, are new in each run and in each row, and begin anew in each session."""
    x = K.placeholder((None, 1))
    shape = (K.shape(x)[0], 500)
    drawn = [
        K.random_uniform(shape, -1.0, 3.0, dtype=dtype, seed=1),
        K.random_normal(shape, 1.0, 2.0, dtype=dtype, seed=2),
        K.truncated_normal(shape, 1.0, 2.0, dtype=dtype, seed=3),
    ]
    session = file_of(tmp_path, [x], drawn)
    rows = np.zeros((40, 1), 'float32')
    first, second = results(session, rows), results(session, rows)
    for made, again in zip(first, second):
        assert made.dtype.name == dtype
        assert made.shape == (40, 500)
        assert (made != again).mean() > 0.9
    uniform, normal, truncated = [a.astype('float64') for a in first]
    assert uniform.min() >= -1
    assert uniform.max() < 3
    assert abs(truncated - 1).max() <= 4 * (1.001 if dtype == 'float16' else 1)
    # the standard deviation of a mean of 20,000 draws is a 140th of that of one
    for made, mean, deviation in ((uniform, 1, 4 / 12**0.5), (normal, 1, 2), (truncated, 1, 2 * 0.8796)):
        assert abs(made.mean() - mean) < 0.06
        assert abs(made.std() - deviation) < 0.06
    anew = onnxruntime.InferenceSession(str(tmp_path / 'f.onnx'), providers=['CPUExecutionProvider'])
    assert all([np.array_equal(a, b) for a, b in zip(first, results(anew, rows))])


def test_the_report_speaks_of_draws(tmp_path):
    x = K.placeholder((None, 3))
    report = keras_backend.export(K.function([x], [x + K.random_normal((3,))]), str(tmp_path / 'f.onnx'))
    assert any(['whatever seed' in note for note in report.notes])


# -- decoding ----------------------------------------------------------------------------------------------------------
def best_path(scores, length):
    """The labels of the best path, by the definition: repetitions first, then blanks, are left out."""
    labels, before = [], None
    for row in scores[:length]:
        label = int(row.argmax())
        if label != before and label != len(row) - 1:
            labels.append(label)
        before = label
    return labels


def test_greedy_decoding(tmp_path):
    """Any number of samples and times, also of lengths beyond the times and of none."""
    y, lengths = K.placeholder((None, None, 4)), K.placeholder((None,), dtype='int32')
    (decoded,), probability = K.ctc_decode(y, lengths)
    session = file_of(tmp_path, [y, lengths], [decoded, probability])
    for samples, times in ((3, 8), (1, 1), (2, 5)):
        scores = RNG.dirichlet(np.ones(4), (samples, times)).astype('float32')
        given = RNG.randint(0, times + 2, samples).astype('int32')
        got, score = results(session, scores, given)
        paths = [best_path(s, n) for s, n in zip(scores, given)]
        assert got.shape == (samples, max(map(len, paths)))
        assert [[label for label in row if label >= 0] for row in got.tolist()] == paths
        wanted = [[-np.log(s[:n].max(1) + 1e-7).sum()] for s, n in zip(scores, given)]
        np.testing.assert_allclose(score, wanted, rtol=1e-4, atol=1e-5)


def test_a_beam_search_is_refused(tmp_path):
    y, lengths = K.placeholder((None, None, 4)), K.placeholder((None,), dtype='int32')
    (decoded,), _scores = K.ctc_decode(y, lengths, greedy=False)
    with pytest.raises(ExportError, match='K.ctc_decode.*greedy=True'):
        file_of(tmp_path, [y, lengths], [decoded])


# -- sparse matrices ---------------------------------------------------------------------------------------------------
def test_sparse_matrices_are_dense_in_a_file(tmp_path):
    pytest.importorskip('scipy')
    x, w = K.placeholder((None, 3), sparse=True), some(3, 2)
    path = str(tmp_path / 'f.onnx')
    report = keras_backend.export(K.function([x], [K.dot(x, K.variable(w)), K.to_dense(x)]), path)
    assert any(['dense in the file' in note for note in report.notes])
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    array = np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0], [3, 0, 4]], 'float32')
    product, dense = results(session, array)
    np.testing.assert_allclose(product, array @ w, rtol=1e-6)
    np.testing.assert_array_equal(dense, array)


def test_a_file_prints_nothing(tmp_path, capfd):
    x = K.placeholder((None, 3))
    path = str(tmp_path / 'f.onnx')
    report = keras_backend.export(K.function([x], [K.print_tensor(x, 'here it is') * 2.0]), path, check=False)
    assert any(['prints nothing' in note for note in report.notes])
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    np.testing.assert_array_equal(results(session, np.ones((2, 3), 'f'))[0], np.full((2, 3), 2.0))
    assert 'here it is' not in capfd.readouterr().err
