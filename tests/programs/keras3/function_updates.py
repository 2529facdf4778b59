"""Training by hand as of 2019 in plain Keras: K.gradients by the weights, K.function with updates, momentum in
K.variable, a learning rate that is fed; then the same model goes on in fit."""
# original: graph
import json

import keras
import numpy as np
from keras import layers

import keras_backend.keras3 as K

rs = np.random.RandomState(24)
model = keras.Sequential([keras.Input((4,)), layers.Dense(5, activation='tanh'), layers.Dense(2)])
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
x, y = rs.normal(0, 1, (20, 4)).astype('float32'), rs.normal(0, 1, (20, 2)).astype('float32')

target, rate = K.placeholder((None, 2)), K.placeholder(())
loss = K.mean(K.square(model.outputs[0] - target))
weights = model.trainable_weights
moments = [K.zeros(K.int_shape(w)) for w in weights]
updates = []
for w, m, g in zip(weights, moments, K.gradients(loss, weights)):
    v = (rate * g + m) * .9
    updates += [K.update(m, v), K.update_sub(w, v)]
train = K.function([model.inputs[0], target, rate], [loss], updates=updates)

# The same in NumPy, in float64.
w1, b1, w2, b2 = [w.astype('float64') for w in model.get_weights()]
state, truth, losses = [0 * w for w in (w1, b1, w2, b2)], [], []
for i in range(6):
    batch = slice(i % 2 * 10, i % 2 * 10 + 10)
    losses.append(float(train([x[batch], y[batch], .1])[0]))
    h = np.tanh(x[batch] @ w1 + b1)
    error = h @ w2 + b2 - y[batch]
    truth.append(np.mean(error ** 2))
    out = 2 * error / error.size
    inner = out @ w2.T * (1 - h ** 2)
    slopes = [x[batch].T @ inner, inner.sum(0), h.T @ out, out.sum(0)]
    state = [.9 * (m + .1 * g) for m, g in zip(state, slopes)]
    w1, b1, w2, b2 = [w - m for w, m in zip((w1, b1, w2, b2), state)]
np.testing.assert_allclose(losses, truth, rtol=1e-4)
for mine, theirs in zip((w1, b1, w2, b2), model.get_weights()):
    np.testing.assert_allclose(theirs, mine, atol=1e-5)

counter = K.variable(0.)
count = K.function([model.inputs[0]], [K.sum(model.outputs[0])], updates=[K.update_add(counter, 1.)])
sums = [float(count([x[:n]])[0]) for n in (1, 5, 20)]
assert K.get_value(counter) == 3
model.compile('sgd', 'mse')
history = model.fit(x, y, batch_size=10, epochs=2, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({'losses': losses, 'sums': sums, 'fit': [float(v) for v in history.history['loss']],
                              'moments': [K.get_value(m).tolist() for m in moments]}))
