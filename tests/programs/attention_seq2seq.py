"""Sequence to sequence with attention, as written for Keras 2.2: an own layer with masks over encoder states."""
import json

import numpy as np
from keras import backend as K
from keras import initializers, regularizers
from keras.engine.topology import Layer
from keras.layers import LSTM, Concatenate, Dense, Embedding, Input, TimeDistributed
from keras.models import Model
from keras.optimizers import Adam
from keras.utils import to_categorical

np.random.seed(0)
VOCAB, LENGTH, UNITS = 7, 5, 8


class LuongAttention(Layer):
    """Scores decoder states against encoder states by a matrix; [decoder, encoder] -> contexts, weights."""

    def __init__(self, init='glorot_uniform', W_regularizer=None, **kwargs):
        self.init = initializers.get(init)
        self.W_regularizer = regularizers.get(W_regularizer)
        self.supports_masking = True
        super(LuongAttention, self).__init__(**kwargs)

    def build(self, input_shape):
        assert isinstance(input_shape, list) and len(input_shape) == 2
        decoder, encoder = input_shape
        self.W = self.add_weight(shape=(decoder[-1], encoder[-1]), initializer=self.init,
                                 regularizer=self.W_regularizer, name='{}_W'.format(self.name))
        self.scale = self.add_weight(shape=(1,), initializer='one', name='{}_scale'.format(self.name))
        super(LuongAttention, self).build(input_shape)

    def call(self, inputs, mask=None):
        dec, enc = inputs
        scores = K.batch_dot(K.dot(dec, self.W), enc, axes=[2, 2]) * self.scale
        if mask is not None and mask[1] is not None:
            visible = K.cast(mask[1], K.floatx())
            scores -= 1e9 * (1. - K.expand_dims(visible, axis=1))
        weights = K.softmax(scores)
        return [K.batch_dot(weights, enc), weights]

    def compute_mask(self, inputs, mask=None):
        return [mask[0] if mask is not None else None, None]

    def compute_output_shape(self, input_shape):
        decoder, encoder = input_shape
        return [(decoder[0], decoder[1], encoder[2]), (decoder[0], decoder[1], encoder[1])]

    def get_config(self):
        config = {'init': initializers.serialize(self.init)}
        base_config = super(LuongAttention, self).get_config()
        return dict(list(base_config.items()) + list(config.items()))


def make_pairs(n, rng):
    """Sequences of 2 to 5 symbols, padded with zeros, and the same backwards."""
    source, target = np.zeros((n, LENGTH), dtype='int32'), np.zeros((n, LENGTH), dtype='int32')
    for i in range(n):
        symbols = rng.randint(2, VOCAB, rng.randint(2, LENGTH + 1))
        source[i, :len(symbols)] = symbols
        target[i, :len(symbols)] = symbols[::-1]
    shifted = np.ones_like(target)
    shifted[:, 1:] = np.where(target[:, :-1] > 0, target[:, :-1], 0)
    return source, shifted, target


encoder_input = Input(shape=(LENGTH,), name='encoder_input')
decoder_input = Input(shape=(None,), dtype='int32', name='decoder_input')
embedding = Embedding(VOCAB, UNITS, mask_zero=True)
encoder_states, state_h, state_c = LSTM(UNITS, return_sequences=True, return_state=True,
                                        recurrent_activation='sigmoid')(embedding(encoder_input))
decoder_states = LSTM(UNITS, return_sequences=True, recurrent_activation='sigmoid')(
    embedding(decoder_input), initial_state=[state_h, state_c])
context, alignment = LuongAttention(W_regularizer=regularizers.l2(1e-4))([decoder_states, encoder_states])
merged = Concatenate(axis=-1)([context, decoder_states])
hidden = TimeDistributed(Dense(UNITS, activation='tanh'))(merged)
output = TimeDistributed(Dense(VOCAB, activation='softmax'))(hidden)
model = Model([encoder_input, decoder_input], output)
model.compile(Adam(lr=0.02, clipnorm=5.), 'categorical_crossentropy', metrics=['acc'])
model.summary()

rng = np.random.RandomState(11)
model.set_weights([rng.normal(0, 0.4, w.shape) for w in model.get_weights()])
source, shifted, target = make_pairs(160, rng)
one_hot = to_categorical(target, VOCAB)
assert one_hot.shape == (160, LENGTH, VOCAB)

predicted = model.predict([source[:4], shifted[:4]])
look = K.function([encoder_input, decoder_input], [alignment])
weights = look([source[:4], shifted[:4]])[0]
assert weights.shape == (4, LENGTH, LENGTH)
np.testing.assert_allclose(weights.sum(axis=-1), 1., rtol=1e-5)
assert weights[np.repeat((source[:4] == 0)[:, None], LENGTH, 1)].max() == 0.
first = [float(model.train_on_batch([source[:16], shifted[:16]], one_hot[:16])[0]) for _ in range(4)]
assert first[3] < first[0]

hist = model.fit([source, shifted], one_hot, batch_size=32, epochs=12, verbose=0)
assert hist.history['loss'][-1] < 0.5 * first[0], (first, hist.history['loss'])
loss, acc = model.evaluate([source, shifted], one_hot, verbose=0)
assert acc > 0.5, acc
restored = Model.from_config(model.get_config(), custom_objects={'LuongAttention': LuongAttention})
restored.set_weights(model.get_weights())
np.testing.assert_allclose(restored.predict([source[:4], shifted[:4]]), model.predict([source[:4], shifted[:4]]),
                           atol=1e-5)
print('RESULT ' + json.dumps({'predicted': predicted[:, :2].ravel().tolist(), 'weights': weights[:, 0].tolist(),
                              'loss': first[0]}))
