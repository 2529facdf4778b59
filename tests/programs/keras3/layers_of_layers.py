"""Layers as of 2020 that make layers and weights while they are called, and say their output shape as well: attention of
dense layers made in `build`, a scale made in `call`, two outputs of an embedding, a layer in a wrapper, a cell that holds a
layer. All weights are there when the model is built, and go through files."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Embedding, Input, Layer, RNN, TimeDistributed
from tensorflow.keras.models import Model


class SelfAttention(Layer):
    def __init__(self, heads, size, **kwargs):
        super(SelfAttention, self).__init__(**kwargs)
        self.heads, self.size = heads, size

    def build(self, input_shape):
        super(SelfAttention, self).build(input_shape)
        self.q_dense, self.k_dense, self.v_dense = [Dense(self.heads * self.size) for _ in range(3)]
        self.o_dense = Dense(input_shape[-1])

    def call(self, x):
        steps = K.shape(x)[1]
        q, k, v = [self.by_heads(dense(x), steps) for dense in (self.q_dense, self.k_dense, self.v_dense)]
        a = K.softmax(K.batch_dot(q, k, axes=[2, 2]) / self.size ** .5)
        o = K.reshape(K.batch_dot(a, v), (-1, self.heads, steps, self.size))
        o = K.permute_dimensions(o, (0, 2, 1, 3))
        return self.o_dense(K.reshape(o, (-1, steps, self.heads * self.size)))

    def by_heads(self, x, steps):
        x = K.permute_dimensions(K.reshape(x, (-1, steps, self.heads, self.size)), (0, 2, 1, 3))
        return K.reshape(x, (-1, steps, self.size))

    def compute_output_shape(self, input_shape):
        return input_shape


class Scaled(Layer):
    def call(self, x):
        if not hasattr(self, 'scale'):
            self.scale = self.add_weight(name='scale', shape=(K.int_shape(x)[-1],), initializer='ones')
        return x * self.scale

    def compute_output_shape(self, input_shape):
        return input_shape


class EmbeddingAndTable(Embedding):
    def call(self, x):
        return [super(EmbeddingAndTable, self).call(x), self.embeddings * 1.]

    def compute_output_shape(self, input_shape):
        return [tuple(input_shape) + (self.output_dim,), (self.input_dim, self.output_dim)]

    def compute_mask(self, inputs, mask=None):
        return [None, None]


class Both(Layer):
    def __init__(self, units, **kwargs):
        super(Both, self).__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        super(Both, self).build(input_shape)
        self.gate, self.value = Dense(self.units, activation='sigmoid'), Dense(self.units, activation='tanh')

    def call(self, x):
        return self.gate(x) * self.value(x)

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[:-1]) + (self.units,)


class Cell(Layer):
    def __init__(self, units, **kwargs):
        super(Cell, self).__init__(**kwargs)
        self.state_size = self.output_size = units
        self.dense = Dense(units, activation='tanh')

    def call(self, x, states):
        h = self.dense(K.concatenate([x, states[0]]))
        return h, [h]


def made():
    inputs = Input((5,), dtype='int32')
    x, table = EmbeddingAndTable(7, 4)(inputs)
    x = Scaled()(SelfAttention(2, 3)(x))
    x = TimeDistributed(Both(3))(x)
    h = RNN(Cell(2))(x)
    return Model(inputs, [Both(2)(h), K.dot(x, K.transpose(table)[:3])])


model, rs = made(), np.random.RandomState(61)
shapes = [K.int_shape(w) for w in model.weights]
assert len(shapes) == 20, shapes
model.set_weights([rs.normal(0, .5, shape) for shape in shapes])
assert [K.int_shape(o) for o in model.outputs] == [(None, 2), (None, 5, 7)]
model.save_weights('attention.weights.h5')
ids = rs.randint(0, 7, (6, 5))
first = model.predict(ids, verbose=0)
other = made()
other.load_weights('attention.weights.h5')
assert all(np.array_equal(*pair) for pair in zip(first, other.predict(ids, verbose=0)))
assert len(other.weights) == 20
other.compile('sgd', 'mse')
fitted = other.fit(ids, [first[0] * .5, first[1] * .5], batch_size=3, epochs=3, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'outputs': [o.ravel().tolist() for o in first], 'loss': [float(v) for v in fitted.history['loss']],
    'weights': sorted(float(np.sum(w)) for w in other.get_weights())}))
