"""What programs hand over beside the plain case: masks with states, numbers of NumPy, rates that a callback keeps."""

import pytest
from keras3_backends import BACKENDS, passes

PROGRAM = """
import os
import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback, LambdaCallback, ModelCheckpoint
from tensorflow.keras.layers import GRU, LSTM, Bidirectional, Dense, Embedding, Input, Layer
from tensorflow.keras.models import Model

rs = np.random.RandomState(0)
words, state = np.array([[3, 2, 1, 0, 0], [1, 2, 3, 4, 5]]), rs.normal(size=(2, 6)).astype('float32')
tokens, start = Input((5,)), Input((6,))
inner = Embedding(12, 4, mask_zero=True)(tokens)


class Beside(Layer):
    def call(self, x, other, mask=None):
        return K.cast(mask, 'float32') + 0.0 * K.sum(x, axis=-1) + 0.0 * K.sum(other)


def held(layer, zeros=False):
    model = Model([tokens, start], layer(inner))
    model.set_weights([rs.normal(size=w.shape) for w in model.get_weights()])
    steps = model.predict([words, state], verbose=0)
    assert np.abs(steps[0, 3:] - (0.0 if zeros else steps[0, 2])).max() < 1e-6, steps[0]
    assert np.abs(steps[1, 3:] - steps[1, 2]).max() > 1e-3
    return model


model = held(lambda x: GRU(6, return_sequences=True)(x, initial_state=start))
held(lambda x: LSTM(6, return_sequences=True)(x, initial_state=[start, start]))
held(lambda x: Bidirectional(GRU(6, return_sequences=True))(x, initial_state=[start, start]), zeros=True)
seen = Model([tokens, start], Beside()(inner, start)).predict([words, state], verbose=0)
assert seen.tolist() == (words != 0).astype('float32').tolist(), seen

index = np.argmax(np.array([0, 2, 9, 1]))
assert K.int_shape(model.output[:, index]) == (None, 6)
assert K.int_shape(model.output[:, :index]) == (None, 2, 6)
gradient = K.gradients(K.sum(model.output[:, index]), start)
assert K.function(model.inputs, gradient)([words, state])[0].shape == (2, 6)


class Decay:
    def __init__(self, rate):
        self.rate = K.cast_to_floatx(rate)

    def __call__(self, w):
        return self.rate * K.sum(K.square(w))

    def get_config(self):
        return {'rate': float(self.rate)}


a = Input((2,))
model = Model(a, Dense(3, kernel_regularizer=Decay(0.5), kernel_initializer='ones')(a))
model.compile('sgd', 'mse')
assert abs(model.evaluate(np.zeros((2, 2)), np.zeros((2, 3)), verbose=0) - 3.0) < 1e-6
rates, sums = [], []


class Rates(Callback):
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def on_batch_end(self, batch, logs=None):
        rates.append(float(K.get_value(self.optimizer.lr)))
        K.set_value(self.optimizer.lr, rates[-1] / 2)


model.fit(np.ones((6, 2)), np.ones((6, 3)), batch_size=2, verbose=0, callbacks=[
    Rates(model.optimizer), ModelCheckpoint('w.{epoch:02d}.hdf5'),
    LambdaCallback(on_train_batch_end=lambda batch, logs: sums.append(float(model.get_weights()[0].sum())))])
assert np.abs(np.array(rates) - [0.01, 0.005, 0.0025]).max() < 1e-8, rates
assert len(set(sums)) == 3 and sums[-1] == float(model.get_weights()[0].sum())
assert os.path.exists('w.01.hdf5')
print('passed')
"""


@pytest.mark.parametrize('backend', [backend for backend in BACKENDS if backend != 'numpy'])
def test_masks_numbers_and_rates(backend, tmp_path):
    """Masked steps hold their output beside a state, and numbers of NumPy and rates of callbacks are what they are."""
    passes(PROGRAM, backend, tmp_path)


WEIGHTS = """
import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Embedding, Input, TimeDistributed

r = np.random.RandomState(0)
x, w = r.randint(0, 5, (6, 4)), np.arange(1, 7).astype('float32')
y = r.rand(6, 4, 1).astype('float32')
tokens = Input((4,))
steps = TimeDistributed(Dense(1, kernel_initializer='ones'))(
    Embedding(5, 3, mask_zero=True, embeddings_initializer='ones')(tokens))
model = keras.Model(tokens, steps)
mask, square, distance = x != 0, (3 - y[..., 0]) ** 2, 3 - y[..., 0]
for loss, each in ('mse', square), ('mae', distance):
    model.compile('sgd', loss)
    found = [model.evaluate(x, y, sample_weight=w, batch_size=6, verbose=0), model.test_on_batch(x, y, w)]
    # TensorFlow 2.10 divides by the number of all steps.
    np.testing.assert_allclose(found, (each * mask * w[:, None]).sum() / mask.size, rtol=1e-5)
# One step of descent: the bias moves by the mean of the slopes.
model.compile(keras.optimizers.SGD(.1), 'mse')
model.fit(x, y, sample_weight=w, batch_size=6, epochs=1, verbose=0)
moved = -.1 * (2 * distance * mask * w[:, None]).sum() / mask.size
np.testing.assert_allclose(model.get_weights()[-1], [moved], rtol=1e-5)
# Without a mask, also where a batch has as many samples as steps.
numbers = Input((4, 3))
plain = keras.Model(numbers, TimeDistributed(Dense(1, kernel_initializer='ones'))(numbers))
LOSSES = ['mse', lambda t, p: K.mean(K.square(t - p), axis=-1), lambda t, p: K.mean(K.square(t - p), axis=[1, 2])]
for n in 4, 6:
    x, weights = r.rand(n, 4, 3).astype('float32'), w[:n]
    square = (x.sum(-1) - y[:n, :, 0]) ** 2
    for loss in LOSSES:
        plain.compile('sgd', loss, weighted_metrics=['mse'])
        found = plain.evaluate(x, y[:n], sample_weight=weights, batch_size=n, verbose=0)
        wanted = (square * weights[:, None]).sum() / np.array([square.size, 4 * weights.sum()])
        np.testing.assert_allclose(found, wanted, rtol=1e-5, err_msg=str((n, loss)))
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_weight_of_a_sample_of_several_steps(backend, tmp_path):
    """It counts for all steps of the sample, or for those that the mask leaves."""
    passes(WEIGHTS, backend, tmp_path)
