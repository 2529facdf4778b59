"""Names of 2019 to 2021: own activations, losses and metrics by the names that are registered, also in a scope;
legacy optimizers; shapes with as_list; attention with a mask in place; wide and deep models; batches for own metrics."""
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import experimental
from tensorflow.keras.layers import Activation, Dense, Embedding, Flatten, Input, Lambda, Layer
from tensorflow.keras.models import Model, Sequential
from tensorflow.keras.optimizers import legacy
from tensorflow.keras.utils import custom_object_scope, get_custom_objects

rs = np.random.RandomState(3)
x, y = rs.rand(8, 4).astype('float32'), np.eye(3)[rs.randint(0, 3, 8)]
kept = y.copy()


def swish2(v):
    return v * K.sigmoid(v)


def my_loss(y_true, y_pred):
    return K.mean(K.square(y_true - y_pred), axis=-1)


def f1(y_true, y_pred):
    positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    return 2 * positives / (K.sum(y_true) + K.sum(K.round(y_pred)) + K.epsilon())


def doubled(y_true, y_pred):
    y_true *= 2.
    return K.mean(y_true * y_pred)


def shrunk(w):
    return .1 * K.sum(w)


get_custom_objects().update({
    'swish2': swish2, 'tripled': Activation(lambda v: v * 3), 'my_loss': my_loss, 'f1': f1, 'doubled': doubled,
    'shrunk': shrunk})  # fmt: skip


def dense(units, activation, **options):
    return Dense(units, activation, kernel_initializer=keras.initializers.Constant(.1), **options)


results = {}
model = Sequential([Input((4,)), dense(3, 'swish2', kernel_regularizer='shrunk'), Activation('swish2'), dense(3, 'sigmoid')])
model.compile(legacy.SGD(lr=.1, decay=.01, momentum=.9), loss='my_loss', metrics=['f1', 'doubled'])
history = model.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0).history
results['registered'] = [history[name] for name in ('loss', 'f1', 'doubled')]
results['batches'] = [np.array(model.train_on_batch(x, y)).tolist(), np.array(model.test_on_batch(x, y)).tolist()]
np.testing.assert_array_equal(y, kept)
results['others'] = Sequential([Input((4,)), dense(2, 'tripled')]).predict(x, verbose=0).tolist()
with custom_object_scope({'halved': lambda v: v * .5}):
    results['scope'] = Sequential([Input((4,)), dense(2, 'halved')]).predict(x, verbose=0).tolist()
try:
    Dense(2, activation='halved')
except ValueError as error:
    assert 'halved' in str(error)
else:
    raise AssertionError('the scope has ended')

for number, optimizer in enumerate([legacy.Adam(lr=.01, decay=.1), keras.optimizers.legacy.RMSprop(learning_rate=.01)]):
    model = Sequential([Input((4,)), dense(3, 'sigmoid')])
    model.compile(optimizer, 'mse')
    results['legacy %d' % number] = model.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0).history['loss']


class Shapes(Layer):
    def build(self, input_shape):
        sizes = input_shape.as_list()
        assert input_shape.ndims == input_shape.rank == 3 and input_shape[1:].is_fully_defined()
        self.w = self.add_weight(name='w', shape=(sizes[-1], sizes[-1]), initializer='ones')
        super(Shapes, self).build(input_shape)

    def call(self, inputs):
        steps, size = inputs.shape.as_list()[1:]
        assert inputs.get_shape()[1:].as_list() == [steps, size] and inputs.shape.ndims == 3
        assert inputs.shape[1:].num_elements() == steps * size and self.w.shape.as_list() == [size, size]
        e = K.exp(K.batch_dot(K.dot(inputs, self.w), K.permute_dimensions(inputs, (0, 2, 1))))
        places = K.arange(0, steps)
        lower = K.expand_dims(places - 1, axis=-1)
        e *= K.cast(lower <= K.expand_dims(places, 0), K.floatx()) * K.cast(K.expand_dims(places, 0) < lower + 3, K.floatx())
        e /= K.sum(e, axis=-1, keepdims=True)
        return K.batch_dot(e, inputs)

    def compute_output_shape(self, input_shape):
        return tuple(list(input_shape))


inputs = Input((5,))
h = Embedding(9, 4, embeddings_initializer=keras.initializers.Constant(.2))(inputs)
assert h.shape.as_list() == [None, 5, 4] and h.get_shape().ndims == 3 and not h.shape.is_fully_defined()
h = Flatten()(Lambda(lambda v: K.reshape(v, [-1] + v.shape[1:].as_list()))(Shapes()(h)))
model = Model(inputs, dense(1, None)(h))
model.compile('sgd', 'mse')
words = rs.randint(0, 9, (8, 5))
results['shapes'] = model.fit(words, x[:, :1], batch_size=4, epochs=3, shuffle=False, verbose=0).history['loss']

model = experimental.LinearModel(units=1, kernel_initializer='ones')
model.compile('sgd', 'mse')
results['linear'] = model.fit([x, y.astype('float32')], x[:, :1], epochs=3, shuffle=False, verbose=0).history['loss']
wide = experimental.WideDeepModel(experimental.LinearModel(), Sequential([dense(4, 'relu'), dense(1, None)]), 'tanh')
wide.compile(['sgd', 'adam'], 'mse')
results['wide'] = wide.fit([x, y.astype('float32')], x[:, :1], batch_size=4, epochs=3, shuffle=False, verbose=0).history['loss']
rate = experimental.CosineDecay(.1, 100)
results['rate'] = float(rate(30))
print('RESULT ' + json.dumps(results))
