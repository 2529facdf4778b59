"""K inside Keras 3: one function for KerasTensors, computed tensors and tracers, with one shape and one dtype."""

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K
from keras_backend.contract import CONTRACT
from keras_backend.errors import UnsupportedByEngine

X = np.linspace(-1.4, 1.7, 24, dtype='float32').reshape(2, 3, 4)
Y = np.cos(X)
KERNEL = np.sin(np.arange(24, dtype='float32')).reshape(2, 4, 3)
PLACES = np.array([[2, 0], [1, 1]], 'int32')
# As many channels as rows and columns.
SQUARES = np.sin(np.arange(54, dtype='float32')).reshape(2, 3, 3, 3)
BIAS = np.array([1, 2, 4], 'float32')


def softmax(x):
    """Softmax over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def conv1d(x, kernel):
    """A convolution over axis 1 without padding."""
    steps = x.shape[1] - kernel.shape[0] + 1
    windows = np.stack([x[:, i : i + kernel.shape[0]] for i in range(steps)], 1)
    return np.einsum('btkc,kcf->btf', windows, kernel)


# K function of tensors, the same in NumPy, and the arrays.
CASES = {
    'square': (K.square, np.square, [X]),
    'exp of integers': (lambda x: K.exp(x), lambda x: np.exp(x.astype('float32')), [PLACES]),
    'sqrt': (K.sqrt, lambda x: np.sqrt(np.maximum(x, 0)), [X]),
    'clip': (lambda x: K.clip(x, -0.5, 0.5), lambda x: np.clip(x, -0.5, 0.5), [X]),
    'relu': (lambda x: K.relu(x, 0.1, 1.0), lambda x: np.where(x < 0, 0.1 * x, np.minimum(x, 1)), [X]),
    'elu': (K.elu, lambda x: np.where(x > 0, x, np.expm1(x)), [X]),
    'hard_sigmoid': (K.hard_sigmoid, lambda x: np.clip(0.2 * x + 0.5, 0, 1), [X]),
    'softmax': (K.softmax, softmax, [X]),
    'mean': (lambda x: K.mean(x, axis=(1, 2)), lambda x: x.mean((1, 2)), [X]),
    'std': (lambda x: K.std(x, axis=-1, keepdims=True), lambda x: x.std(-1, keepdims=True), [X]),
    'logsumexp': (lambda x: K.logsumexp(x, axis=1), lambda x: np.log(np.exp(x).sum(1)), [X]),
    'argmax': (lambda x: K.argmax(x, axis=-1), lambda x: x.argmax(-1), [X]),
    'any': (lambda x: K.any(K.greater(x, 1.0), axis=1), lambda x: (x > 1).any(1), [X]),
    'cumsum': (lambda x: K.cumsum(x, 1), lambda x: x.cumsum(1), [X]),
    'dot': (lambda x: K.dot(x, KERNEL[0]), lambda x: x @ KERNEL[0], [X]),
    'batch_dot': (lambda x, y: K.batch_dot(x, y, axes=(2, 2)), lambda x, y: x @ y.transpose(0, 2, 1), [X, Y]),
    'concatenate': (lambda x, y: K.concatenate([x, y], axis=1), lambda x, y: np.concatenate([x, y], 1), [X, Y]),
    'bias of first channels': (
        lambda x: K.bias_add(x, K.constant(BIAS), 'channels_first'),
        lambda x: x + BIAS[:, None, None],
        [SQUARES],
    ),
    'sum along columns': (lambda x: K.exp(x) + BIAS[:, None], lambda x: np.exp(x) + BIAS[:, None], [SQUARES]),
    'sum with rows': (lambda x: K.square(x) + BIAS[:, None, None], lambda x: x**2 + BIAS[:, None, None], [SQUARES]),
    'stack': (lambda x, y: K.stack([x, y], axis=1), lambda x, y: np.stack([x, y], 1), [X, Y]),
    'permute_dimensions': (lambda x: K.permute_dimensions(x, (0, 2, 1)), lambda x: x.transpose(0, 2, 1), [X]),
    'repeat_elements': (lambda x: K.repeat_elements(x, 2, 1), lambda x: x.repeat(2, 1), [X]),
    'batch_flatten': (K.batch_flatten, lambda x: x.reshape(len(x), -1), [X]),
    'reshape': (lambda x: K.reshape(x, (-1, 2, 6)), lambda x: x.reshape(-1, 2, 6), [X]),
    'reverse': (lambda x: K.reverse(x, 1), lambda x: x[:, ::-1], [X]),
    'temporal_padding': (K.temporal_padding, lambda x: np.pad(x, ((0, 0), (1, 1), (0, 0))), [X]),
    'slice': (lambda x: K.slice(x, (0, 1, 0), (-1, 2, 3)), lambda x: x[:, 1:3, :3], [X]),
    'one_hot': (lambda i: K.one_hot(i, 3), lambda i: np.eye(3, dtype='float32')[i], [PLACES]),
    'gather': (lambda i: K.gather(K.constant(KERNEL[0]), i), lambda i: KERNEL[0][i], [PLACES]),
    'switch': (lambda x: K.switch(K.greater(x, 0), x, -2.0 * x), lambda x: np.where(x > 0, x, -2 * x), [X]),
    'l2_normalize': (
        lambda x: K.l2_normalize(x, axis=-1),
        lambda x: x / np.sqrt(np.square(x).sum(-1, keepdims=True)),
        [X],
    ),
    'binary_crossentropy': (
        lambda x, y: K.binary_crossentropy(K.sigmoid(x), K.sigmoid(y)),
        lambda x, y: np.log1p(np.exp(-y)) + (1 - 1 / (1 + np.exp(-x))) * y,
        [X, Y],
    ),
    'conv1d': (lambda x: K.conv1d(x, KERNEL), lambda x: conv1d(x, KERNEL), [X]),
    'pool': (
        lambda x: K.pool2d(K.expand_dims(x, 1), (1, 3), pool_mode='avg', data_format='channels_last'),
        lambda x: x.mean(1)[:, None, None],
        [X],
    ),
    # Sizes that a run alone knows.
    'shape': (lambda x: K.reshape(x, (K.shape(x)[0] * 3, -1)), lambda x: x.reshape(6, 4), [X]),
    'arange': (lambda x: K.arange(K.shape(x)[0] + 1), lambda x: np.arange(3, dtype='int32'), [X]),
    'zeros': (lambda x: K.zeros((K.shape(x)[0], 2)), lambda x: np.zeros((2, 2), 'float32'), [X]),
    'tile': (lambda x: K.tile(x[:1, :], [K.shape(x)[0], 1, 1]), lambda x: np.tile(x[:1], (2, 1, 1)), [X]),
    'rest of a division': (
        lambda x: K.ones((K.shape(x)[0] // 2 + 7 % K.shape(x)[0], 1)),
        lambda x: np.ones((2, 1), 'float32'),
        [X],
    ),
}


class Within(keras.layers.Layer):
    """A layer that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, *tensors):
        return self.function(*tensors)


def inputs(arrays):
    """Inputs for these arrays, with an unknown number of samples."""
    return [keras.Input(array.shape[1:], dtype=array.dtype.name) for array in arrays]


def alike(actual, expected):
    """Assert that values are equal but for rounding, dtypes included."""
    actual = np.asarray(actual)
    if expected.dtype.kind != 'i':
        assert actual.dtype.name == ('float32' if expected.dtype.kind == 'f' else expected.dtype.name)
    np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize('case', CASES)
def test_of_computed_tensors_and_of_keras_tensors(case):
    """A computed result, one of KerasTensors and NumPy's agree; shape and dtype are known before."""
    function, truth, arrays = CASES[case]
    expected = truth(*arrays)
    computed = function(*[keras.ops.convert_to_tensor(array) for array in arrays])
    alike(K.eval(computed), expected)
    given = inputs(arrays)
    result = function(*given)
    assert isinstance(result, keras.KerasTensor)
    (value,) = K.function(given, [result])(arrays)
    alike(value, expected)
    assert K.dtype(result) == K.dtype(computed) == value.dtype.name
    assert len(result.shape) == value.ndim
    assert all(size in (None, there) for size, there in zip(result.shape, value.shape))


@pytest.mark.parametrize('case', CASES)
def test_within_a_layer_that_is_compiled(case):
    """In the call of a layer, under `tf.function` or `jit`, the same numbers come out."""
    function, truth, arrays = CASES[case]
    given = inputs(arrays)
    # The result has a row for each sample, as `predict` wants it.
    model = keras.Model(
        given, Within(lambda *xs: K.sum(K.cast(function(*xs), 'float32')) + 0.0 * K.cast(xs[0], 'float32'))(*given)
    )
    expected = truth(*arrays).astype('float64').sum()
    value = model.predict(arrays if len(arrays) > 1 else arrays[0], verbose=0)
    np.testing.assert_allclose(value.flat[0], expected, rtol=1e-4, atol=1e-5)


def test_models_of_k_functions_are_saved(tmp_path):
    """A model with every K function above between its layers is saved and loaded, and gives the same numbers."""
    fed = [X, Y, PLACES, SQUARES]
    given = dict(zip(map(id, fed), inputs(fed)))
    outputs = [function(*[given[id(array)] for array in arrays]) for function, _truth, arrays in CASES.values()]
    model = keras.Model(list(given.values()), outputs)
    model.save(tmp_path / 'model.keras')
    again = keras.saving.load_model(tmp_path / 'model.keras')
    for before, after in zip(model(fed), again(fed)):
        np.testing.assert_array_equal(K.eval(before), K.eval(after))


class Affine(keras.layers.Layer):
    """A dense layer with the functions of `of`, K or `keras.ops`."""

    def __init__(self, of):
        super().__init__()
        self.of = of

    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 3), initializer=keras.initializers.Constant(KERNEL[0]))
        self.b = self.add_weight(shape=(3,), initializer='ones')

    def call(self, x):
        if self.of is K:
            return K.softmax(K.bias_add(K.dot(x, self.w), self.b))
        return keras.ops.softmax(keras.ops.matmul(x, self.w) + self.b)


def test_layer_written_with_k_is_trained():
    """Training changes the weights of a layer written with K as those of one written with `keras.ops`."""
    weights = []
    for of in (K, keras.ops):
        model = keras.Sequential([keras.Input((4,)), Affine(of)])
        model.compile(keras.optimizers.SGD(0.5), lambda t, p: K.mean(K.square(t - p), axis=-1))
        model.fit(X.reshape(6, 4), softmax(Y.reshape(6, 4)[:, :3]), batch_size=6, epochs=3, verbose=0, shuffle=False)
        weights.append(model.get_weights())
    assert not np.array_equal(weights[0][0], KERNEL[0])
    for ours, theirs in zip(*weights):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_variables_beside_keras_tensors_are_weights():
    """A variable in a K function of a KerasTensor is a weight of the model: trained, and listed once."""
    w = K.variable(np.ones((4, 2)))
    x = keras.Input((4,))
    model = keras.Model(x, K.dot(x, w) + K.sum(K.dot(x, w) * 0.0))
    assert [tuple(v.shape) for v in model.trainable_weights] == [(4, 2)]
    model.compile(keras.optimizers.SGD(0.1), 'mse')
    a, t = X.reshape(6, 4), np.zeros((6, 2), 'float32')
    gradient = a.T @ (a @ np.ones((4, 2))) * 2 / t.size
    model.train_on_batch(a, t)
    np.testing.assert_allclose(K.get_value(w), 1 - 0.1 * gradient, rtol=1e-5)


def test_draws_are_new_in_every_run():
    """Random tensors of K in a layer differ from call to call, compiled or not."""
    x = keras.Input((50,))
    model = keras.Model(x, Within(lambda t: t + K.random_normal(K.shape(t)))(x))
    zeros = np.zeros((2, 50), 'float32')
    first, second = model.predict(zeros, verbose=0), model.predict(zeros, verbose=0)
    assert not np.array_equal(first, second)
    assert 0.5 < first.std() < 1.5
    drawn = K.function([x], [K.random_uniform(K.shape(x), 2.0, 3.0)])
    one, two = drawn([zeros])[0], drawn([zeros])[0]
    assert one.shape == (2, 50)
    assert not np.array_equal(one, two)
    assert one.min() >= 2
    assert one.max() < 3


def test_settings_are_those_of_keras():
    """What Keras says of floatx, epsilon and the image format is what K says, and the other way round."""
    assert K.backend() == keras.config.backend()
    before = keras.config.floatx(), keras.config.epsilon()
    try:
        keras.config.set_floatx('float16')
        keras.config.set_epsilon(1e-4)
        assert (K.floatx(), K.epsilon()) == ('float16', 1e-4)
        assert K.dtype(K.constant([1.0])) == 'float16'
        K.set_floatx('float32')
        K.set_epsilon(1e-5)
        assert (keras.config.floatx(), keras.config.epsilon()) == ('float32', 1e-5)
    finally:
        keras.config.set_floatx(before[0])
        keras.config.set_epsilon(before[1])


def test_what_keras_3_has_not_names_the_way_out():
    """Sessions and dependencies raise an error that says what to use."""
    with pytest.raises(UnsupportedByEngine, match='K.get_value'):
        K.get_session()
    with pytest.raises(UnsupportedByEngine, match='K.function'):
        K.control_dependencies([K.variable(1.0)]).__enter__()


def test_docstrings_and_old_names_of_settings():
    """Every name of K has the docstring of the contract. `K._FLOATX` and the like are live, and for reading only."""
    assert [] == [name for name in CONTRACT if getattr(K, name).__doc__ != CONTRACT[name].doc]
    assert keras.backend.backend() == K.backend() == K._BACKEND
    before = keras.config.floatx()
    try:
        for value in 'float64', 'float32':
            keras.config.set_floatx(value)
            assert value == K._FLOATX
    finally:
        keras.config.set_floatx(before)
    assert keras.config.epsilon() == K._EPSILON
    assert keras.config.image_data_format() == K._IMAGE_DATA_FORMAT
    assert 'tf' == K._IMAGE_DIM_ORDERING
    with pytest.raises(AttributeError, match=r"type: K\.set_floatx\('float64'\)"):
        K._FLOATX = 'float64'
