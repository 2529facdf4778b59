"""Training as programs of 2017 do it, on real digits."""

import keras
import numpy as np
import pytest
from keras import backend as K
from keras import layers as L

from .cases import ENGINE, digits_model
from .digits import images


@pytest.fixture(scope='module')
def digits():
    """((images, labels) to learn from, the same to test with)."""
    return images()


def accuracy(model, x, y):
    """The share of the labels that a model tells right."""
    return (model.predict(x).argmax(1) == y).mean()


def test_convolutional(digits):
    """A Sequential network with dropout reads digits, reports what it did, and stops when told to."""
    (x, y), (x_test, y_test) = digits
    model = keras.models.Sequential(
        [
            L.Conv2D(16, 3, activation='relu', input_shape=(8, 8, 1)),
            L.MaxPooling2D(),
            L.BatchNormalization(),
            L.Flatten(),
            L.Dropout(0.25),
            L.Dense(32, activation='relu'),
            L.Dense(10, activation='softmax'),
        ]
    )
    model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
    seen = []
    callbacks = [
        keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(sorted(logs))),
        keras.callbacks.EarlyStopping(monitor='val_loss', patience=3),
        keras.callbacks.LearningRateScheduler(lambda epoch: 0.01 if epoch < 4 else 0.003),
    ]
    history = model.fit(
        x,
        keras.utils.to_categorical(y, 10),
        batch_size=32,
        epochs=6,
        verbose=0,
        callbacks=callbacks,
        validation_data=(x_test, keras.utils.to_categorical(y_test, 10)),
    )
    assert len(seen) == len(history.history['loss']) <= 6
    assert {'loss', 'val_loss'} < set(seen[0])
    assert np.isclose(K.get_value(model.optimizer.lr), 0.003)
    assert 0.93 < accuracy(model, x_test, y_test)
    _loss, reported = model.evaluate(x_test, keras.utils.to_categorical(y_test, 10), verbose=0)
    assert np.isclose(reported, accuracy(model, x_test, y_test), atol=1e-6)


def test_recurrent_network_learns(digits):
    """A functional network reads the rows of digits one by one."""
    (x, y), (x_test, y_test) = digits
    model = digits_model('recurrent')
    model.compile(keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy')
    model.fit(x, y, batch_size=32, epochs=5, verbose=0)
    assert 0.85 < accuracy(model, x_test, y_test)


def test_several_inputs_and_outputs(digits):
    """Two inputs through shared layers to two named outputs, with weighted losses, samples and classes."""
    (x, y), _ = digits
    a, b = L.Input((8, 8, 1), name='a'), L.Input((8, 8, 1), name='b')
    shared = keras.models.Sequential([L.Flatten(input_shape=(8, 8, 1)), L.Dense(32, activation='relu')])
    same = L.Dense(1, activation='sigmoid', name='same')(L.multiply([shared(a), shared(b)]))
    first = L.Dense(10, activation='softmax', name='first')(shared(a))
    model = keras.models.Model([a, b], [same, first])
    model.compile(
        'adam',
        {'same': 'binary_crossentropy', 'first': 'sparse_categorical_crossentropy'},
        loss_weights={'same': 0.5, 'first': 1.0},
        metrics={'first': 'accuracy'},
    )
    order = np.random.permutation(len(x))
    targets = {'same': (y == y[order]).astype(float), 'first': y}
    history = model.fit(
        {'a': x, 'b': x[order]},
        targets,
        epochs=6,
        batch_size=32,
        verbose=0,
        sample_weight={'same': np.ones(len(x)), 'first': np.linspace(0.5, 1.5, len(x))},
    ).history
    assert history['loss'][-1] < 0.7 * history['loss'][0]
    np.testing.assert_allclose(
        0.5 * np.array(history['same_loss']) + np.array(history['first_loss']), history['loss'], rtol=0.02
    )
    assert 0.85 < (model.predict([x, x[order]])[1].argmax(1) == y).mean()


def test_generators(digits):
    """fit_generator, evaluate_generator and predict_generator, with images that are moved about."""
    (x, y), (x_test, y_test) = digits
    model = digits_model('convolutional')
    model.compile(keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy', metrics=['accuracy'])
    moved = keras.preprocessing.image.ImageDataGenerator(width_shift_range=0.1, height_shift_range=0.1)
    # Without a second thread, in which the shifts would be drawn from the same stream as everything else, in any order.
    model.fit_generator(moved.flow(x, y, batch_size=32, seed=0), steps_per_epoch=40, epochs=5, verbose=0, workers=0)
    plain = keras.preprocessing.image.ImageDataGenerator()
    batches = plain.flow(x_test, y_test, batch_size=50, shuffle=False)
    reported = model.evaluate_generator(batches, steps=len(batches))[1]
    batches.reset()
    told = model.predict_generator(batches, steps=len(batches)).argmax(1)
    assert np.isclose(reported, (told == y_test).mean(), atol=1e-5)
    assert 0.7 < reported


def test_own_layer_loss_and_metric(digits):
    """A layer, a loss and a metric written with K, as repositories have them."""

    class Scaled(L.Layer):
        def build(self, input_shape):
            self.scale = self.add_weight(name='scale', shape=(input_shape[-1],), initializer='ones', trainable=True)
            super().build(input_shape)

        def call(self, x):
            return x * self.scale + K.mean(x, axis=-1, keepdims=True)

        def compute_output_shape(self, input_shape):
            return input_shape

    def focal(y_true, y_pred):
        p = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
        return -K.sum(y_true * K.square(1 - p) * K.log(p), axis=-1)

    def right(y_true, y_pred):
        return K.mean(K.cast(K.equal(K.argmax(y_true), K.argmax(y_pred)), K.floatx()))

    (x, y), (x_test, y_test) = digits
    model = keras.models.Sequential([L.Flatten(input_shape=(8, 8, 1)), Scaled(), L.Dense(10, activation='softmax')])
    model.compile(keras.optimizers.RMSprop(0.01), focal, metrics=[right])
    model.fit(x, np.eye(10)[y], epochs=5, batch_size=32, verbose=0)
    assert 0.85 < accuracy(model, x_test, y_test)
    assert np.isclose(
        model.evaluate(x_test[:384], np.eye(10)[y_test[:384]], verbose=0)[1],
        accuracy(model, x_test[:384], y_test[:384]),
        atol=1e-5,
    )
    assert not np.allclose(model.layers[1].get_weights()[0], 1)


def test_frozen_layers(digits):
    """What is not trainable stays as it is, also after it was trained."""
    (x, y), _ = digits
    model = digits_model('convolutional')
    kernels = model.layers[1].get_weights()
    model.layers[1].trainable = False
    model.compile('adam', 'sparse_categorical_crossentropy')
    model.train_on_batch(x[:64], y[:64])
    np.testing.assert_array_equal(kernels[0], model.layers[1].get_weights()[0])
    model.layers[1].trainable = True
    model.compile('adam', 'sparse_categorical_crossentropy')
    model.train_on_batch(x[:64], y[:64])
    assert (kernels[0] != model.layers[1].get_weights()[0]).any()


def test_functions_of_a_model(digits):
    """K.function and K.gradients on the tensors of a model: features, and what the input has to do with a class."""
    (x, _y), _ = digits
    model = digits_model('convolutional')
    features = K.function([model.layers[0].input, K.learning_phase()], [model.layers[-2].output])
    assert (5, 32) == features([x[:5], 0])[0].shape
    saliency = K.function([model.input], K.gradients(K.sum(model.output[:, 3]), [model.input]))
    found = saliency([x[:2]])[0]
    small = np.zeros_like(x[:2])
    small[:, 4, 4] = 1e-2
    model_difference = model.predict(x[:2] + small)[:, 3] - model.predict(x[:2] - small)[:, 3]
    np.testing.assert_allclose(found[:, 4, 4, 0], model_difference / 2e-2, rtol=0.1, atol=1e-3)


def test_settings_of_keras():
    """K.set_floatx and K.set_image_data_format hold for models as they do with Keras's own engines."""
    K.set_floatx('float64')
    K.set_image_data_format('channels_first')
    model = keras.models.Sequential([L.Conv2D(3, 2, input_shape=(2, 6, 5)), L.MaxPooling2D()])
    assert (None, 3, 2, 2) == model.output_shape
    assert ['float64'] * 2 == [K.dtype(w) for w in model.weights]
    assert np.dtype('float64') == model.predict(np.zeros((1, 2, 6, 5))).dtype
    assert 'float64' == ENGINE.floatx()


def test_initializers():
    """Random initializers draw what they say, and the same again from the same seed."""
    shape = (200, 100)
    for name, low, high in [
        ('random_uniform', -0.05, 0.05),
        ('glorot_uniform', -0.1415, 0.1415),
        ('he_uniform', -0.1733, 0.1733),
        ('lecun_uniform', -0.1225, 0.1225),
    ]:
        values = K.eval(keras.initializers.get(name)(shape))
        assert low <= values.min() < 0.9 * low
        assert 0.9 * high < values.max() <= high
    for name, spread in [
        ('random_normal', 0.05),
        ('truncated_normal', 0.044),
        ('glorot_normal', 0.0816),
        ('he_normal', 0.1),
        ('lecun_normal', 0.0707),
    ]:
        values = K.eval(keras.initializers.get(name)(shape))
        assert abs(values.std() / spread - 1) < 0.15
        assert abs(values.mean()) < 0.1 * spread
    q = K.eval(keras.initializers.Orthogonal(seed=1)(shape))
    np.testing.assert_allclose(q.T.dot(q), np.eye(100), atol=1e-4)
    a, b = [K.eval(keras.initializers.RandomNormal(seed=7)((5, 5))) for _ in range(2)]
    np.testing.assert_array_equal(a, b)
