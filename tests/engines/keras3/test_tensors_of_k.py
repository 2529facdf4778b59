"""What K functions return between layers: operators, indices, 64 bits, and what K.function is fed with."""

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K
from keras_backend.errors import ArgumentValueError

BACKEND = keras.backend.backend()


def computed(build, *arrays):
    """The value of build(*placeholders)."""
    inputs = [K.placeholder(a.shape, dtype=a.dtype.name) for a in arrays]
    return K.function(inputs, [build(*inputs)])(list(arrays))[0]


def random(*shape, dtype='float32'):
    return np.random.RandomState(3).uniform(-2, 2, shape).astype(dtype)


@pytest.mark.parametrize(
    'index',
    [np.s_[1], np.s_[::-1], np.s_[:, 3:0:-2], np.s_[..., None, 1], np.s_[0, ..., 1:], np.s_[-2:, :-1], np.s_[1:1]],
    ids=str,
)
def test_an_index_is_that_of_numpy(index):
    """Ints, slices in both directions, Ellipsis and None; the shape is known before."""
    x = random(3, 4, 2)
    part = K.placeholder((3, 4, 2))[index]
    assert K.int_shape(part) == x[index].shape
    np.testing.assert_array_equal(computed(lambda t: t[index], x), x[index])


@pytest.mark.skipif(BACKEND == 'jax', reason='jax.jit has no slices and masks whose size is known in a run only')
def test_an_index_that_a_run_tells():
    """Tensors as bounds of a slice and masks of bools, with gradients."""
    array = random(4, 3)
    x, n = K.placeholder((None, 3)), K.placeholder((), dtype='int32')
    picked = x[x > 0]
    outputs = [x[:n], x[n:], x[K.shape(x)[0] - n :], picked, K.gradients(K.sum(K.square(picked)), [x])[0]]
    found = K.function([x, n], outputs)([array, 1])
    truths = [array[:1], array[1:], array[3:], array[array > 0], 2 * np.where(array > 0, array, 0)]
    for value, truth in zip(found, truths):
        np.testing.assert_allclose(value, truth, rtol=1e-6)


def test_a_tensor_is_an_index():
    """A scalar of a run picks a row."""
    x, i = K.placeholder((3, 2)), K.placeholder((), dtype='int32')
    array = random(3, 2)
    np.testing.assert_array_equal(K.function([x, i], [x[i]])([array, 2])[0], array[2])


def test_operators_take_arrays_and_variables_on_both_sides():
    """And dtypes meet as they do in K: integers beside fractions are not cut off."""
    x, w = random(2, 3), random(3)
    v = K.variable(w)
    for build in (lambda t: w * t - t / w, lambda t: v * t - t / v):
        np.testing.assert_allclose(computed(build, x), w * x - x / w, rtol=1e-5)
    half = K.placeholder((2,), dtype='int32') * 0.5
    assert K.dtype(half) == 'float32'
    np.testing.assert_array_equal(computed(lambda t: t / 2, np.array([1, 3], 'int32')), [0.5, 1.5])
    np.testing.assert_array_equal(computed(lambda t: -t, np.array([True, False])), [-1, 0])


def test_a_model_with_operators_is_saved(tmp_path):
    """The nodes of operators and indices load again."""
    x = keras.Input((4,))
    y = K.relu(x)[:, ::-1] * np.arange(4.0) + 1
    model = keras.Model(x, y)
    model.save(tmp_path / 'model.keras')
    array = random(3, 4)
    loaded = keras.models.load_model(tmp_path / 'model.keras')
    np.testing.assert_allclose(loaded.predict(array, verbose=0), model.predict(array, verbose=0))
    np.testing.assert_allclose(model.predict(array, verbose=0), np.maximum(array, 0)[:, ::-1] * np.arange(4) + 1)


def test_layers_between_operators_are_trained():
    """What comes out of K goes into layers, and gradients come back through indices."""
    x = keras.Input((3,))
    h = K.tanh(keras.layers.Dense(4, name='inner')(x))
    model = keras.Model(x, keras.layers.Dense(1)(h[:, 1:] * 2 - h[:, :-1]))
    model.compile(keras.optimizers.SGD(0.1), 'mse')
    before = model.get_layer('inner').get_weights()[0]
    model.fit(random(8, 3), random(8, 1), verbose=0)
    assert np.abs(model.get_layer('inner').get_weights()[0] - before).min() > 0


WIDE = {
    'mean': (lambda x, y: K.mean(x, axis=0), lambda x, y: x.mean(axis=0)),
    'prod': (lambda x, y: K.prod(x, axis=1), lambda x, y: x.prod(axis=1)),
    'cumsum': (lambda x, y: K.cumsum(x, axis=1), lambda x, y: x.cumsum(axis=1)),
    'dot': (lambda x, y: K.dot(x, K.transpose(y)), lambda x, y: x @ y.T),
    'maximum': (lambda x, y: K.maximum(x, y), np.maximum),
    'tanh': (lambda x, y: K.tanh(x), lambda x, y: np.tanh(x)),
    'sin': (lambda x, y: K.sin(x), lambda x, y: np.sin(x)),
    'add': (lambda x, y: x + K.sum(y), lambda x, y: x + y.sum()),
}


@pytest.mark.parametrize('name', WIDE)
def test_double_precision_is_kept(name):
    """float64 is calculated in float64, between placeholders and between computed tensors."""
    x, y = random(3, 4, dtype='float64'), random(3, 4, dtype='float64')[::-1]
    build, truth = WIDE[name]
    np.testing.assert_allclose(computed(build, x, y), truth(x, y), rtol=1e-13)
    there = build(K.constant(x, dtype='float64'), K.constant(y, dtype='float64'))
    np.testing.assert_allclose(K.eval(there), truth(x, y), rtol=1e-13)


def test_large_integers_are_exact():
    """int64 is not calculated in 32 bits."""
    x = np.array([2**40 + 1, 3])
    np.testing.assert_array_equal(computed(lambda t: K.maximum(t, t - 1) * 3, x), x * 3)


def test_the_average_with_padding_is_that_of_what_is_there():
    """Padding does not count."""
    ones = np.ones((1, 5, 4, 2), 'float32')
    mean = computed(lambda t: K.pool2d(t, (3, 2), (2, 1), 'same', pool_mode='avg'), ones)
    np.testing.assert_allclose(mean, np.ones(mean.shape), rtol=1e-6)


def test_a_batch_of_no_rows():
    """Convolution, pooling and their gradients take it, and so does the next batch."""
    x, w = K.placeholder((None, 6, 6, 1)), K.variable(np.ones((3, 3, 1, 2)))
    y = K.pool2d(K.conv2d(x, w), (2, 2), (2, 2))
    run = K.function([x], [y, *K.gradients(K.sum(y), [x, w])])
    for rows in (0, 2, 0):
        value, by_x, by_w = run([np.ones((rows, 6, 6, 1))])
        assert value.shape == (rows, 2, 2, 2)
        assert by_x.shape == (rows, 6, 6, 1)
        assert np.abs(by_w).max() == 4 * rows


def test_strides_beside_dilation():
    """TensorFlow has no such kernel."""
    x, w = random(1, 9, 2), random(3, 2, 1)
    found = computed(lambda a, b: K.conv1d(a, b, strides=2, dilation_rate=2), x, w)
    truth = [[sum(x[0, i + 2 * k] @ w[k] for k in range(3))[0]] for i in range(0, 5, 2)]
    np.testing.assert_allclose(found[0], truth, rtol=1e-5)


def test_updates_that_were_computed_already_are_refused():
    """Every call would set the same. Numbers, arrays, variables and what K made of variables are what they say."""
    v, w = K.variable([1.0, 2.0]), K.variable([5.0, 6.0])
    of_keras = keras.ops.multiply(v, 2.0)
    for updates in ([(v, of_keras)], [K.update(v, of_keras)], [K.update_add(v, of_keras)]):
        with pytest.raises(ArgumentValueError, match='computed already'):
            K.function([], [], updates=updates)
    K.set_value(v, [1.0, 2.0])
    doubled = K.function([], [], updates=[(v, v * 2.0)])
    for value in (2.0, 4.0):
        doubled([])
        assert K.get_value(v).tolist() == [value, 2 * value]
    run = K.function([], [], updates=[K.update(v, w), K.update_add(w, 1.0)])
    for step in range(2):
        run([])
        assert K.get_value(v).tolist() == [5 + step, 6 + step]
    K.function([], [], updates=[(v, np.array([7.0, 8.0]))])([])
    assert K.get_value(v).tolist() == [7, 8]


def test_what_nothing_reads_may_be_fed_with_anything():
    """It has no value to check."""
    x, y = K.placeholder((2,)), K.placeholder((None, 3))
    assert K.function([x, y], [x * 2])([np.ones(2), None])[0].tolist() == [2, 2]


def test_draws_are_new_in_every_step():
    """A step is recorded once, and what it draws is drawn in every step of every run."""
    x = K.placeholder((5, 2))
    run = K.function([x], [K.map_fn(lambda row: row * 0 + K.random_normal((2,)), x)])
    first, second = [run([np.ones((5, 2))])[0] for _ in range(2)]
    assert len(np.unique([first, second])) == 20


@pytest.mark.skipif(BACKEND == 'torch', reason='Keras has no sparse tensors on PyTorch')
def test_sparse_matrices_are_fed():
    """SciPy's, of any kind, beside a dense factor."""
    sparse = pytest.importorskip('scipy.sparse')
    array = np.array([[0, 2, 0], [1, 0, 3]], 'float32')
    x, y = K.placeholder((None, 3), sparse=True), K.placeholder((3, 2))
    factor = random(3, 2)
    run = K.function([x, y], [K.dot(x, y), K.to_dense(x)])
    for kind in (sparse.csr_matrix, sparse.coo_matrix, sparse.lil_matrix, np.asarray):
        product, dense = run([kind(array), factor])
        np.testing.assert_allclose(product, array @ factor, rtol=1e-6)
        np.testing.assert_array_equal(dense, array)


def test_a_moving_average_moves_in_every_run():
    """The update reads what the variable holds in the run, not what it held when the line was written."""
    v, x = K.variable([4.0]), K.placeholder((1,))
    run = K.function([x], [], updates=[K.moving_average_update(v, x, 0.5)])
    for expected in (2.0, 1.0, 0.5):
        run([[0.0]])
        assert K.get_value(v).tolist() == [expected]


def test_the_first_of_equal_zeros_is_the_smallest():
    """-0 is no less than 0."""
    zeros = np.array([[0.0, -0.0, 0.0]], 'float32')
    assert computed(K.argmin, zeros).tolist() == [0]
    assert computed(K.argmax, zeros).tolist() == [0]
