"""Text classification as of 2019: an embedding with a mask, a recurrent layer, attention with a context vector."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras import constraints, initializers, regularizers
from tensorflow.keras.layers import GRU, Bidirectional, Dense, Embedding, Input, Layer
from tensorflow.keras.models import Model


def dot_product(x, kernel):
    return K.squeeze(K.dot(x, K.expand_dims(kernel)), axis=-1)


class AttentionWithContext(Layer):
    def __init__(self, W_regularizer=None, u_regularizer=None, b_regularizer=None, W_constraint=None, bias=True,
                 return_attention=False, **kwargs):
        self.supports_masking = True
        self.init = initializers.get('glorot_uniform')
        self.W_regularizer = regularizers.get(W_regularizer)
        self.u_regularizer = regularizers.get(u_regularizer)
        self.b_regularizer = regularizers.get(b_regularizer)
        self.W_constraint = constraints.get(W_constraint)
        self.bias, self.return_attention = bias, return_attention
        super(AttentionWithContext, self).__init__(**kwargs)

    def build(self, input_shape):
        assert len(input_shape) == 3
        self.W = self.add_weight(shape=(input_shape[-1], input_shape[-1]), initializer=self.init, name='W',
                                 regularizer=self.W_regularizer, constraint=self.W_constraint)
        if self.bias:
            self.b = self.add_weight(shape=(input_shape[-1],), initializer='zero', name='b',
                                     regularizer=self.b_regularizer)
        self.u = self.add_weight(shape=(input_shape[-1],), initializer=self.init, name='u',
                                 regularizer=self.u_regularizer)
        super(AttentionWithContext, self).build(input_shape)

    def compute_mask(self, inputs, mask=None):
        return [None, None] if self.return_attention else None

    def call(self, x, mask=None):
        uit = K.dot(x, self.W)
        if self.bias:
            uit += self.b
        uit = K.tanh(uit)
        ait = dot_product(uit, self.u)
        a = K.exp(ait)
        if mask is not None:
            a = a * K.cast(mask, K.floatx())
        a = a / K.cast(K.sum(a, axis=1, keepdims=True) + K.epsilon(), K.floatx())
        weighted_input = x * K.expand_dims(a)
        result = K.sum(weighted_input, axis=1)
        return [result, a] if self.return_attention else result

    def compute_output_shape(self, input_shape):
        if self.return_attention:
            return [(input_shape[0], input_shape[-1]), (input_shape[0], input_shape[1])]
        return input_shape[0], input_shape[-1]


rs = np.random.RandomState(1)
words = Input(shape=(9,), dtype='int32')
x = Embedding(30, 6, mask_zero=True)(words)
x = Bidirectional(GRU(4, return_sequences=True))(x)
sentence, weights = AttentionWithContext(W_regularizer=regularizers.l2(1e-3), return_attention=True)(x)
out = Dense(3, activation='softmax')(sentence)
model, attention = Model(words, out), Model(words, weights)
model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
data = rs.randint(1, 30, (24, 9))
for row, length in enumerate(rs.randint(2, 10, 24)):
    data[row, length:] = 0
labels = np.eye(3, dtype='float32')[data[:, 0] % 3]
before = attention.predict(data[:3], verbose=0)
assert np.all(before[data[:3] == 0] == 0), before
np.testing.assert_allclose(before.sum(axis=1), 1, atol=1e-4)
model.compile(optimizer='sgd', loss='categorical_crossentropy', metrics=['accuracy'])
history = model.fit(data, labels, batch_size=8, epochs=3, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'attention': before.tolist(), 'loss': [float(v) for v in history.history['loss']],
    'after': model.predict(data[:2], verbose=0).tolist()}))
