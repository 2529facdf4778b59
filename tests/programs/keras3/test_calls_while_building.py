"""Layers of a program under the launcher are called when a model is built, also where they say their output shape."""

import pytest
from keras3_backends import BACKENDS, INSIDE, launch, passes

PROGRAM = """
import keras, numpy as np
from keras import backend as K
from keras.layers import Dense, Input, Layer, RNN, TimeDistributed, Wrapper

class Says(Layer):
    def compute_output_shape(self, shape):
        return tuple(shape[:-1]) + (4,)

class InBuild(Says):
    def build(self, shape):
        self.first, self.second = Dense(3), Dense(4)
        super().build(shape)
    def call(self, x):
        return self.second(self.first(x))

class WeightInCall(Says):
    def call(self, x):
        if not hasattr(self, 'w'):
            self.w = self.add_weight(name='w', shape=(K.int_shape(x)[-1], 4))
        return K.dot(x, self.w)

class LayerInCall(Says):
    def build(self, shape):
        super().build(shape)
    def call(self, x):
        if not hasattr(self, 'inner'):
            self.inner = Dense(4)
        return self.inner(x)

class Derived(Dense):
    def build(self, shape):
        super().build(shape)
        self.gate = Dense(self.units)
    def call(self, x):
        return super().call(x) * self.gate(x)

class Twice(Wrapper):
    def call(self, x):
        return self.layer(x) * 2
    def compute_output_shape(self, shape):
        return self.layer.compute_output_shape(shape)

class Cell(Layer):
    state_size = output_size = 4
    def __init__(self, **options):
        super().__init__(**options)
        self.inner = Dense(4)
    def call(self, x, states):
        h = self.inner(K.concatenate([x, states[0]]))
        return h, [h]

class InModel(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.Sequential([InBuild(), Dense(4)])
    def call(self, x):
        return self.inner(x)
    def compute_output_shape(self, shape):
        return tuple(shape[:-1]) + (4,)

cases = [
    (InBuild, (2,), 4), (WeightInCall, (2,), 1), (LayerInCall, (2,), 2), (lambda: Derived(4), (2,), 4),
    (lambda: Twice(InBuild()), (2,), 4), (lambda: TimeDistributed(InBuild()), (5, 2), 4),
    (lambda: TimeDistributed(LayerInCall()), (5, 2), 2), (lambda: RNN(Cell()), (5, 2), 2), (InModel, (2,), 6),
]
for number, (make, shape, count) in enumerate(cases):
    models = []
    for _ in range(2):
        x = Input(shape)
        models.append(keras.Model(x, Dense(1)(make()(x))))
    assert [len(m.weights) for m in models] == [count + 2] * 2, (number, [len(m.weights) for m in models])
    given = np.cos(np.arange(6 * np.prod(shape))).reshape((6,) + shape)
    models[0].save_weights('w.weights.h5')
    models[1].load_weights('w.weights.h5')
    first, second = [m.predict(given, verbose=0) for m in models]
    np.testing.assert_array_equal(first, second)
    models[1].compile('sgd', 'mse')
    models[1].fit(given, first + 1, epochs=1, verbose=0)
    assert len(models[1].weights) == count + 2, number

# Sizes that `call` does not tell come from compute_output_shape; where the two differ, `call` is right.
class Rows(Layer):
    def __init__(self, said):
        super().__init__()
        self.said = said
    def call(self, x):
        return K.reshape(x, (-1, 2, 3))
    def compute_output_shape(self, shape):
        return self.said

assert Rows((8, 2, 3))(Input((6,))).shape == (8, 2, 3)
assert Rows((None, 7, 7))(Input((6,))).shape == (None, 2, 3)

# A call that cannot run without values: the shape is enough where no weight is missing, else it is an error.
class NeedsValues(Says):
    def call(self, x):
        if 'KerasTensor' in str(type(x)) or not hasattr(self, 'ready'):
            raise ValueError('no values yet')
        return K.concatenate([x, x])

assert NeedsValues()(Input((2,))).shape == (None, 4)

class NeedsValuesAndBuilds(InBuild):
    def call(self, x):
        self.first(x)
        raise ValueError('no values yet')

try:
    NeedsValuesAndBuilds()(Input((2,)))
except ValueError as error:
    assert 'no values yet' in str(error)
else:
    raise AssertionError('its weights would be missing')
print('all are called')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_layers_are_called_while_a_model_is_built(backend, tmp_path):
    """All weights are there, are restored from files and trained; shapes are those of `call`."""
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM)
    status, out, err = launch(str(program), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    assert 'all are called' in out


SIZES = """
import os
import numpy as np, tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K, layers

class Computed(layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function
    def call(self, x):
        return self.function(x)

class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(2, kernel_initializer='ones')
    def call(self, x):
        return self.inner(causal(x))

class Wrong(layers.Layer):
    def call(self, x):
        ones = tf.ones((tf.cast(tf.math.ceil(tf.cast(tf.shape(x)[0], 'float32')), 'int32'), 1))
        self.w = self.add_weight(name='w', shape=(int(x.shape[1]), 1))
        return x * ones[:, :, None]

def ones(x):
    return x[:, :, 0] * tf.ones(shape=(tf.cast(tf.shape(x)[0], 'int64'), 1))

def causal(x):
    n = tf.shape(x)[1]
    mask = tf.reshape(tf.cast(tf.range(n)[:, None] >= tf.range(n), 'float32'), [1, n, n])
    count = tf.concat([tf.expand_dims(tf.shape(x)[0], -1), tf.constant([1, 1], dtype=tf.int32)], 0)
    return tf.tile(mask, count) @ x

def half(x):
    return x[:, :tf.cast(tf.cast(tf.shape(x)[1], tf.float32) / 2., tf.int32)]

def padded(x):
    n = tf.shape(x)[1]
    whole = tf.cast(tf.math.ceil(tf.cast(n, tf.float32) / 4.), tf.int32) * 4
    return tf.pad(x, [[0, 0], [0, whole - n], [0, 0]])

def joined(x):
    sizes = tf.shape(x)
    return tf.reshape(tf.reshape(x, [-1]), tf.concat([sizes[:1], [sizes[1] * sizes[2]]], 0))

def flat(x):
    return tf.reshape(x, [tf.shape(x)[0], tf.reduce_prod(tf.shape(x)[1:])])

def first(x):
    return x[:, :tf.minimum(tf.shape(x)[1], 3)]

def if_long(x):
    return x * 2 if tf.shape(x)[1] > 3 else x

def of_k(x):
    return K.reshape(x, (-1, K.cast(K.shape(x)[1], 'int32') * 2))

def drawn(x):
    draws = tf.random.normal((tf.cast(tf.shape(x)[0], 'int64'), 2))
    return tf.concat([x[:, :1] * 0. + draws[:, None]] * 2, 1)

x = np.arange(40, dtype='float32').reshape(4, 5, 2) / 10
lower = np.tril(np.ones((5, 5)))
wanted = {
    ones: x[:, :, 0], causal: lower @ x, half: x[:, :2], padded: np.pad(x, [(0, 0), (0, 3), (0, 0)]),
    joined: x.reshape(4, 10), flat: x.reshape(4, 10), first: x[:, :3], if_long: x * 2, of_k: x.reshape(4, 10)}
for shape in (None, 2), (5, 2):
    for function, values in wanted.items():
        inputs = keras.Input(shape)
        model = keras.Model(inputs, Computed(function)(inputs))
        np.testing.assert_allclose(model.predict(x, verbose=0), values, rtol=1e-5, err_msg=function.__name__)
        assert model.output_shape[0] is None and len(model.output_shape) == values.ndim, model.output_shape
        # Values of another batch are not those of the first.
        np.testing.assert_allclose(model.predict(x[:3], verbose=0), values[:3], rtol=1e-5)
    inputs = keras.Input(shape)
    model = keras.Model(inputs, Block()(inputs))
    np.testing.assert_allclose(model.predict(x, verbose=0), np.repeat((lower @ x).sum(-1)[..., None], 2, -1), rtol=1e-5)
    assert [w.shape for w in model.get_weights()] == [(2, 2), (2,)]

# What is drawn in a compiled step is drawn in each.
inputs = keras.Input((None, 2))
model = keras.Model(inputs, Computed(drawn)(inputs))
assert np.abs(model.predict(x, verbose=0) - model.predict(x, verbose=0)).min() > 0

# A weight is not made of a number that stands for a size.
try:
    Wrong()(keras.Input((None, 2)))
except (TypeError, ValueError, IndexError):
    pass
else:
    assert os.environ['KERAS_BACKEND'] == 'torch'

def weighted(y_true, y_pred):
    count, n = tf.shape(y_pred)[0], tf.cast(tf.shape(y_pred)[1], 'int64')
    weights = tf.ones((count, tf.cast(n, 'int32'))) * tf.cast(tf.range(tf.shape(y_pred)[1]), 'float32')
    return tf.reduce_mean(tf.reshape((y_true - y_pred) * weights, tf.stack([count * tf.shape(y_pred)[1]])) ** 2)

model = keras.Sequential([layers.Dense(3, input_shape=(2,), kernel_initializer='zeros')])
model.compile('sgd', weighted, metrics=[weighted])
np.testing.assert_allclose(model.train_on_batch(x[:, 0], np.ones((4, 3))), [5 / 3] * 2, rtol=1e-5)
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_sizes_that_a_run_knows(backend, tmp_path):
    """What is computed from sizes may be a shape, in layers and in losses."""
    passes(SIZES, backend, tmp_path)


MODELS = """
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

class Normal(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense, self.normal, self.drop = layers.Dense(2), layers.BatchNormalization(), layers.Dropout(.5)
    def call(self, x, training=None):
        return self.drop(self.normal(self.dense(x), training=training), training=training)

class Required(Normal):
    def call(self, x, training):
        return self.normal(self.dense(x), training=training)

class Pair(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = layers.Dense(2), layers.Dense(3)
    def call(self, inputs):
        x, y = inputs
        return self.first(x), self.second(y)

class Named(Pair):
    def call(self, inputs):
        return self.first(inputs['x']), self.second(inputs['y'])

class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2)
    def build(self, shape):
        self.scale = self.add_weight(name='scale', shape=(shape[-1],), initializer='ones')
        super().build(shape)
    def call(self, x):
        return self.dense(x * self.scale)

class Holding(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner, self.words = Own(), layers.Embedding(5, 3)
        self.last = keras.Sequential([layers.LSTM(4), layers.Dense(1)])
    def call(self, x):
        return self.last(self.inner(self.words(x)))

def shapes(model):
    return [tuple(weight.shape) for weight in model.weights]

normal = [(3, 2)] + [(2,)] * 5
for made, shape, wanted in (
    (Normal, (None, 3), normal), (Normal, [4, 3], normal), (Required, (None, 3), normal),
    (Pair, [(None, 3), (None, 4)], [(3, 2), (2,), (4, 3), (3,)]),
    (Named, {'x': (None, 3), 'y': (None, 4)}, [(3, 2), (2,), (4, 3), (3,)]),
    (Own, (None, 3), [(3, 2), (2,), (3,)]),
    (Holding, (None, None), [(3, 2), (2,), (3,), (5, 3), (2, 16), (4, 16), (16,), (4, 1), (1,)]),
):
    model = made()
    model.build(shape)
    assert shapes(model) == wanted and model.built, (made, shapes(model))

# The weights stay in the first call, in training and in a second `build`.
model = Normal()
model.build(input_shape=(None, 3))
model.set_weights([weight * 0 + 3 for weight in model.get_weights()])
model.save_weights('w.h5')
again = Normal()
again.build((None, 3))
again.load_weights('w.h5')
x = np.ones((2, 3), 'float32')
np.testing.assert_allclose(again.predict(x, verbose=0), 3 + 3 * (12 - 3) / np.sqrt(3.001) * np.ones((2, 2)), rtol=1e-4)
again.build((None, 3))
assert all((weight == 3).all() for weight in again.get_weights())
again.compile('sgd', 'mse')
again.fit(x * 0, np.zeros((2, 2)), verbose=0)
assert shapes(again) == normal and (again.get_weights()[0] == 3).all() and not again.losses
# A model that is called first has the same.
model = Own()
model(x)
assert shapes(model) == [(3, 2), (2,), (3,)]
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_models_that_are_built(backend, tmp_path):
    """`model.build(shape)` makes the weights."""
    passes(MODELS, backend, tmp_path)
