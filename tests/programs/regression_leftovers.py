"""A regression script full of what has gone since: np.float, np.asscalar, collections.Iterable, losses summed by hand."""
from __future__ import absolute_import, division, print_function

import inspect
import json
from collections import Iterable, Mapping, defaultdict  # noqa: F401  gone from Python 3.10 on

import numpy as np
from keras import backend as K
from keras import metrics
from keras.engine.topology import Layer
from keras.layers import Dense, Flatten, Input, Lambda, Multiply, Reshape, add, dot, multiply
from keras.models import Model
from keras.optimizers import SGD, Adagrad
from keras.regularizers import Regularizer, l1, l2


def flatten(items):
    for item in items:
        if isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            for sub in flatten(item):
                yield sub
        else:
            yield item


class OrthogonalRegularizer(Regularizer):
    """A price for kernels whose columns are not orthogonal."""

    def __init__(self, rate=0.):
        self.rate = K.cast_to_floatx(rate)

    def __call__(self, w):
        columns = K.int_shape(w)[1]
        gram = K.dot(K.transpose(w), w)
        return self.rate * K.sum(K.square(gram - K.eye(columns)))

    def get_config(self):
        return {'rate': float(self.rate)}


class FM(Layer):
    """Factorisation machine: pairs of features by the product of their vectors."""

    def __init__(self, k=3, kernel_l2=1e-4, **kwargs):
        self.k, self.kernel_l2 = k, kernel_l2
        super(FM, self).__init__(**kwargs)

    def build(self, input_shape):
        self.w = self.add_weight(name='w', shape=(int(input_shape[1]), 1), initializer='normal', trainable=True)
        self.V = self.add_weight(name='V', shape=(int(input_shape[1]), self.k), initializer='normal', trainable=True)
        self.add_loss(self.kernel_l2 * K.sum(K.square(self.V)))
        super(FM, self).build(input_shape)

    def call(self, x):
        linear = K.dot(x, self.w)
        pairs = K.pow(K.dot(x, self.V), 2) - K.dot(K.pow(x, 2), K.pow(self.V, 2))
        return linear + 0.5 * K.sum(pairs, axis=1, keepdims=True)

    def compute_output_shape(self, input_shape):
        assert input_shape and len(input_shape) == 2
        return input_shape[0], 1


def total_loss(y_true, y_pred):
    loss = K.variable(0.)
    loss = loss + K.mean(K.square(y_true - y_pred))
    for weight, power in ((0.1, 1), (0.01, 4)):
        loss = loss + weight * K.mean(K.pow(K.abs(y_true - y_pred), power))
    return loss


def theil_u(y_true, y_pred):
    return K.sqrt(metrics.mse(y_true, y_pred)) / (K.sqrt(K.mean(K.square(y_true))) + K.epsilon())


rng = np.random.RandomState(0)
x = rng.uniform(-1, 1, (128, 5)).astype(np.float)
y = (2 * x[:, 0] * x[:, 1] - x[:, 2] + 0.3).astype(np.float)
mask = np.zeros(128, dtype=np.bool)
mask[::4] = True
index = np.arange(128, dtype=np.int)
names = np.array(['train', 'test'], dtype=np.object)[mask.astype(np.int)]
assert (names[mask] == 'test').all() and index[mask][1] == 4
x_train, y_train, x_test, y_test = x[~mask], y[~mask], x[mask], y[mask]

inputs = Input(shape=(5,))
h = Dense(8, activation='tanh', kernel_regularizer=OrthogonalRegularizer(1e-3), activity_regularizer=l1(1e-5))(inputs)
gate = Dense(8, activation='sigmoid', bias_regularizer=l2(1e-3))(inputs)
gated = multiply([h, gate])
assert K.int_shape(Multiply()([h, gate])) == (None, 8)
deep = Dense(1)(gated)
outputs = add([deep, FM(3)(inputs)])
outputs = Lambda(lambda t: t * 2. + 0.5, name='denormalised')(outputs)
model = Model(inputs, outputs)
model.compile(SGD(0.05, momentum=0.5), loss=total_loss, metrics=['mae', theil_u])
model.set_weights([rng.normal(0, 0.3, w.shape) for w in model.get_weights()])
assert len(model.losses) == 4 and len(inspect.getargspec(FM.__init__).args) == 3

predicted = model.predict(x_test)
start = [float(v) for v in model.test_on_batch(x_test, y_test)]
error = y_test - predicted[:, 0].astype(np.float64)
kernel = model.layers[1].get_weights()[0].astype(np.float64)
expected = np.mean(error ** 2) + 0.1 * np.mean(np.abs(error)) + 0.01 * np.mean(error ** 4)
penalty = 1e-3 * np.sum((kernel.T.dot(kernel) - np.eye(8)) ** 2)
assert expected + penalty < start[0] < expected + penalty + 0.05, (start, expected, penalty)

# A training loop by hand, on functions of K.
parameters = model.trainable_weights
target = K.placeholder(shape=(None, 1))
total = K.variable(0.)
total = total + K.mean(K.square(target - model.output))
for loss in model.losses:
    total = total + K.sum(loss)
updates = Adagrad(lr=0.1).get_updates(loss=total, params=parameters)
train = K.function([model.input, target], [total, K.mean(K.abs(target - model.output))], updates=updates)
trace, best = [], defaultdict(lambda: np.inf)
for epoch in range(60):
    total_value, mae = train([x_train, y_train[:, None]])
    trace.append(np.asscalar(total_value))
    if round(mae, 6) < best['mae']:
        best['mae'] = round(mae, 6)
assert isinstance(trace[0], float) and np.isscalar(total_value)
assert trace[-1] < 0.3 * trace[0], (trace[0], trace[-1])
assert len({mae: epoch}) == 1
loss, mae, u = model.evaluate(x_test, y_test, verbose=0)
assert mae < 0.6 * start[1], (mae, start)
# Products of fields, as in the recommenders.
user, item = Reshape((1, 8))(h), Reshape((1, 8))(gate)
score = Model(inputs, Flatten()(dot([user, item], axes=2, normalize=True)))
cosine = score.predict(x_test)
assert cosine.shape == (32, 1) and np.abs(cosine).max() <= 1 + 1e-5
assert list(flatten([1, [2, (3, 'four')]])) == [1, 2, 3, 'four']
print('RESULT ' + json.dumps({'predicted': predicted.ravel().tolist(), 'start': start, 'first': trace[0]}))
