"""Stateful LSTM that goes on from batch to batch, states reset by hand, weights copied for another batch size."""
# keras: 2.0.8 2.1.6 2.2.2 2.2.4 2.2.5 2.3.0 2.3.1
from __future__ import print_function

import json

import numpy as np
from keras import backend as K
from keras.callbacks import Callback
from keras.layers import LSTM, Dense, TimeDistributed
from keras.models import Sequential

np.random.seed(7)
n_batch, tsteps = 4, 5


def gen_cosine_amp(period, start, length, k=0.05):
    """A damped cosine."""
    idx = np.arange(start, start + length)
    return (np.cos(2 * np.pi * idx / period) * np.exp(-k * idx / 10.)).reshape(-1, 1)


def design(batch_size, steps, stateful=True):
    model = Sequential()
    model.add(LSTM(6, batch_input_shape=(batch_size, steps, 1), return_sequences=True, stateful=stateful,
                   recurrent_activation='hard_sigmoid', implementation=1))
    model.add(LSTM(4, stateful=stateful, return_sequences=True, recurrent_activation='hard_sigmoid',
                   implementation=2))
    model.add(TimeDistributed(Dense(1)))
    model.compile(loss='mean_squared_error', optimizer='rmsprop')
    return model


class ResetStates(Callback):
    """Every series starts anew after its four parts."""

    def __init__(self, parts):
        super(ResetStates, self).__init__()
        self.parts, self.counter = parts, 0

    def on_batch_begin(self, batch, logs={}):  # noqa: B006
        if self.counter % self.parts == 0:
            self.model.reset_states()
        self.counter += 1


series = np.stack([gen_cosine_amp(12 + i, 3 * i, 21) for i in range(n_batch)])
x, y = series[:, :20], series[:, 1:]
# Batches in order: the first parts of all series, then the second ones.
parts_x = np.concatenate([x[:, i:i + tsteps] for i in range(0, 20, tsteps)])
parts_y = np.concatenate([y[:, i:i + tsteps] for i in range(0, 20, tsteps)])
assert parts_x.shape == (16, tsteps, 1)

model = design(n_batch, tsteps)
rng = np.random.RandomState(3)
weights = [rng.normal(0, 0.4, w.shape) for w in model.get_weights()]
model.set_weights(weights)
assert model.stateful and len(model.state_updates) == 4

# Parts one after the other are the whole series; without the states they are not.
whole = design(n_batch, 20, stateful=False)
whole.set_weights(weights)
expected = whole.predict(x, batch_size=n_batch)
in_parts = model.predict(parts_x, batch_size=n_batch)
in_parts = np.concatenate([in_parts[i:i + n_batch] for i in range(0, 16, n_batch)], axis=1)
np.testing.assert_allclose(in_parts, expected, atol=1e-5)
going_on = model.predict(parts_x[:n_batch], batch_size=n_batch)
assert np.abs(going_on - expected[:, :tsteps]).max() > 1e-3
states = [K.get_value(s) for layer in model.layers[:2] for s in layer.states]
assert [s.shape for s in states] == [(4, 6), (4, 6), (4, 4), (4, 4)] and all(np.abs(s).max() > 0 for s in states)
model.reset_states()
assert not any(K.get_value(s).any() for layer in model.layers[:2] for s in layer.states)
np.testing.assert_allclose(model.predict(parts_x[:n_batch], batch_size=n_batch), expected[:, :tsteps], atol=1e-5)
model.layers[0].reset_states(states=[np.ones((4, 6)), np.zeros((4, 6))])
np.testing.assert_array_equal(K.get_value(model.layers[0].states[0]), 1.)
shifted = model.predict(parts_x[:n_batch], batch_size=n_batch)

model.reset_states()
losses = [float(model.test_on_batch(parts_x[i:i + 4], parts_y[i:i + 4])) for i in range(0, 16, 4)]
K.set_value(model.optimizer.lr, 0.02)
resets = ResetStates(4)
history = model.fit(parts_x, parts_y, batch_size=n_batch, epochs=25, shuffle=False, verbose=0, callbacks=[resets])
assert resets.counter == 100
assert history.history['loss'][-1] < 0.3 * np.mean(losses), (losses, history.history['loss'])

# One series, one step at a time: a new model with the old weights.
n_batch = 1
new_model = design(n_batch, 1)
new_model.set_weights(model.get_weights())
whole.set_weights(model.get_weights())
expected_trained = whole.predict(x, batch_size=4)
new_model.reset_states()
for i in range(2):
    steps = [new_model.predict(x[i:i + 1, t:t + 1], batch_size=n_batch)[0, 0, 0] for t in range(8)]
    new_model.reset_states()
    np.testing.assert_allclose(steps, expected_trained[i, :8, 0], atol=1e-4)
    print('>Expected=%.3f, Predicted=%.3f' % (expected_trained[i, 7, 0], steps[7]))

# And on its own from there.
value, dreamt = x[0, 0, 0], []
for _ in range(10):
    value = new_model.predict(np.array(value).reshape(1, 1, 1))[0, 0, 0]
    dreamt.append(value)
assert np.isfinite(dreamt).all() and max(map(abs, dreamt)) < 3
try:
    model.predict(x[:3, :tsteps], batch_size=3)
except Exception as error:
    print('another batch size:', type(error).__name__)
else:
    raise AssertionError('a stateful network took another batch size')
print('RESULT ' + json.dumps({'expected': expected[:, ::4, 0].tolist(), 'losses': losses,
                              'states': [s[0].tolist() for s in states], 'shifted': shifted[:, :, 0].tolist()}))
