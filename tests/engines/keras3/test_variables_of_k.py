"""K.variable, random numbers and updates while a model is trained."""

import keras
import numpy as np
import pytest
from keras import layers, ops

import keras_backend.keras3 as K
from keras_backend.engines.keras3_backend.state.variable import StaleVariable

ON_JAX = keras.backend.backend() == 'jax'
ONE = np.ones((1, 1), 'float32')


def linear():
    x = keras.Input((1,))
    return keras.Model(x, layers.Dense(1, use_bias=False, kernel_initializer='ones')(x))


def annealed(model, w):
    model.compile(keras.optimizers.SGD(0.0), loss=lambda t, p: w * K.mean(p))
    losses = []
    for value in (3.0, 15.0):
        K.set_value(w, value)
        model.reset_metrics()  # an older Keras gives the mean of all batches
        losses.append(float(model.train_on_batch(ONE, ONE)))
    return losses


def test_a_loss_weight_that_changes_between_batches_is_seen():
    model, w = linear(), K.variable(1.0)
    model.w = w
    assert annealed(model, w) == [3, 15]


def test_a_loose_variable_is_never_frozen_in_silence():
    if ON_JAX:
        with pytest.raises(StaleVariable, match=r'model\.x = variable'):
            annealed(linear(), K.variable(1.0))
    else:
        assert annealed(linear(), K.variable(1.0)) == [3, 15]


class Counting(layers.Layer):
    """It adds up its inputs in a variable, which it holds where Keras sees it, or does not if it is `loose`."""

    def __init__(self, counter, loose=False):
        super().__init__()
        if loose:
            self.__dict__['counter'] = counter
        else:
            self.counter = counter

    def call(self, x):
        K.update_add(self.counter, K.sum(x))
        return x


def counted(counter, loose=False):
    x = keras.Input((1,))
    model = keras.Model(x, layers.Dense(1)(Counting(counter, loose)(x)))
    model.compile('sgd', loss=lambda t, p: K.mean(p))
    start = K.get_value(counter)
    for _ in range(3):
        model.fit(ONE, ONE, verbose=0)
    return K.get_value(counter) - start


def test_updates_in_a_call_are_counted():
    counter = K.variable(0.0)
    counter.trainable = False
    assert counted(counter) == 3


@pytest.mark.parametrize('loose', [False, True])
def test_updates_that_jax_would_lose_are_refused(loose):
    if ON_JAX:
        with pytest.raises(StaleVariable, match='belongs to no layer' if loose else 'trainable = False'):
            counted(K.variable(0.0), loose)
    else:
        assert counted(K.variable(0.0), loose) == 3


def test_a_variable_in_a_graph_is_a_weight_is_trained_and_saved(tmp_path):
    w = K.variable([[2.0], [3.0]])
    x = keras.Input((2,))
    model = keras.Model(x, K.dot(x, w))
    assert [tuple(v.shape) for v in model.trainable_weights] == [(2, 1)]
    one = np.ones((1, 2), 'float32')
    model.compile(keras.optimizers.SGD(0.5), loss=lambda t, p: K.mean(p))
    model.fit(one, ONE, verbose=0)
    np.testing.assert_allclose(K.get_value(w), [[1.5], [2.5]])
    path = str(tmp_path / 'model.keras')
    model.save(path)
    np.testing.assert_allclose(keras.models.load_model(path, compile=False).predict(one, verbose=0), [[4.0]])


def test_a_variable_read_twice_is_one_weight():
    w = K.variable([2.0])
    x = keras.Input((1,))
    model = keras.Model(x, K.dot(x, K.reshape(x, (1, 1)))[:, 0] * 0 + w * x + w)
    assert len(model.weights) == 1
    f = K.function([x], K.gradients(K.sum(w * x + w), [w]))
    np.testing.assert_allclose(f([[[3.0]]])[0], [4.0])


def test_integers_are_not_trainable():
    v = K.variable([1, 2], dtype='int32')
    assert not v.trainable
    assert K.get_value(v).dtype == 'int32'


def test_a_variable_made_in_a_call_names_build():
    class Late(layers.Layer):
        def call(self, x):
            return x + K.variable(1.0)

    def train():
        x = keras.Input((1,))
        model = keras.Model(x, Late()(x))
        model.compile('sgd', loss=lambda t, p: K.mean(p))
        model.fit(ONE, ONE, verbose=0)

    with pytest.raises(Exception, match='build'):
        train()


def sampling(args):
    mean, log_var = args
    noise = K.random_normal(shape=(K.shape(mean)[0], K.int_shape(mean)[1]), mean=0.0, stddev=1.0)
    return mean + K.exp(0.5 * log_var) * noise


def autoencoder():
    x = keras.Input((4,))
    mean, log_var = layers.Dense(2)(x), layers.Dense(2)(x)
    z = layers.Lambda(sampling, output_shape=(2,))([mean, log_var])
    return keras.Model(x, [layers.Dense(4)(z), z, mean])


def test_a_variational_autoencoder_draws_anew_in_fit_predict_and_functions():
    model = autoencoder()
    x = np.ones((3, 4), 'float32')
    draws = [model.predict(x, verbose=0)[1] for _ in range(2)]
    assert np.abs(draws[0] - draws[1]).max() > 1e-3
    assert np.abs(draws[0][0] - draws[0][1]).max() > 1e-3
    seen = []
    model.compile(
        'sgd', loss=[lambda t, p: K.mean(K.square(p)), lambda t, p: 0.0 * K.mean(p), lambda t, p: 0.0 * K.mean(p)]
    )
    model.optimizer.learning_rate = 0.0
    targets = [x, np.zeros((3, 2)), np.zeros((3, 2))]
    for _ in range(3):
        seen.append(float(model.fit(x, targets, verbose=0).history['loss'][0]))
    assert len(set(seen)) == 3
    f = K.function([model.input], [model.outputs[1]])
    assert np.abs(f([x])[0] - f([x])[0]).max() > 1e-3
    g = K.function([model.input, K.learning_phase()], [model.outputs[1]])
    assert np.abs(g([x, 1])[0] - g([x, 1])[0]).max() > 1e-3


def test_noise_has_the_mean_and_deviation_it_should():
    x = keras.Input((1000,))
    model = keras.Model(
        x, layers.Lambda(lambda t: t + K.random_normal(K.shape(t), stddev=2.0), output_shape=(1000,))(x)
    )
    found = ops.convert_to_numpy(model(np.full((20, 1000), 5.0, 'float32')))
    assert abs(found.mean() - 5) < 0.1
    assert abs(found.std() - 2) < 0.1


class Corners(layers.Layer):
    """Adds what K makes of sizes alone, in its call."""

    def call(self, x):
        return x + K.sum(K.eye(3)) + K.sum(K.zeros((2,))) + K.sum(K.ones((2, 2), dtype='float32'))


class Trace(keras.metrics.Metric):
    def __init__(self):
        super().__init__(name='trace')
        self.matrix = self.add_weight(shape=(2, 2), initializer='zeros', name='matrix')

    def update_state(self, y_true, y_pred, sample_weight=None):
        K.update_add(self.matrix, K.mean(y_pred) * (K.eye(2) + K.ones((2, 2))))

    def result(self):
        return K.sum(self.matrix * K.eye(2)) + K.sum(K.zeros((2, 2)))


def test_what_is_made_of_sizes_is_no_variable_in_layers_losses_and_metrics():
    x = keras.Input((1,))
    model = keras.Model(x, Corners()(x))
    assert model.weights == []
    np.testing.assert_array_equal(model.predict(ONE, verbose=0), [[8]])
    model.compile(
        keras.optimizers.SGD(0.0),
        loss=lambda t, p: K.sum(K.eye(2)) * K.mean(p) + K.sum(K.zeros((3,))),
        metrics=[Trace()],
    )
    found = model.fit(ONE, ONE, verbose=0, epochs=2).history
    assert found['loss'] == [16, 16]
    assert found['trace'] == [32, 32]


class Counter(layers.Layer):
    """A state as it was made before Keras 2: by K.zeros in build."""

    def build(self, input_shape):
        self.count = K.zeros((1,))
        self.count.trainable = False
        super().build(input_shape)

    def call(self, x):
        K.update_add(self.count, K.ones_like(self.count))
        return x + 0 * self.count


@pytest.mark.parametrize('inner', [False, True])
def test_zeros_in_build_are_a_variable(inner):
    layer, x = Counter(), keras.Input((1,))
    model = keras.Model(x, layer(x))
    if inner:
        model = keras.Sequential([model, keras.Sequential([layer])])
        model(ONE)
        layer.count.assign([0.0])
    assert K.is_variable(layer.count)
    for _ in range(3):
        model.predict(ONE, verbose=0)
    np.testing.assert_array_equal(K.get_value(layer.count), [3 + 3 * inner])
