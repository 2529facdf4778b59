"""Seq2seq with encoder/decoder inference models, and with Luong attention, by LSTM and Bidirectional."""
import json
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import (LSTM, GRU, Activation, Bidirectional, Concatenate, Dense, Embedding, Input, Masking,
                                     RepeatVector, TimeDistributed, concatenate, dot, Attention, AdditiveAttention)
from tensorflow.keras.models import Model

rs = np.random.RandomState(11)


def fill(model, seed=0):
    r = np.random.RandomState(seed)
    model.set_weights([r.normal(0, .3, w.shape) for w in model.get_weights()])


num_encoder_tokens, num_decoder_tokens, latent_dim = 6, 7, 5
encoder_inputs = Input(shape=(None, num_encoder_tokens))
encoder = LSTM(latent_dim, return_state=True)
encoder_outputs, state_h, state_c = encoder(encoder_inputs)
encoder_states = [state_h, state_c]
decoder_inputs = Input(shape=(None, num_decoder_tokens))
decoder_lstm = LSTM(latent_dim, return_sequences=True, return_state=True)
decoder_outputs, _, _ = decoder_lstm(decoder_inputs, initial_state=encoder_states)
decoder_dense = Dense(num_decoder_tokens, activation='softmax')
decoder_outputs = decoder_dense(decoder_outputs)
model = Model([encoder_inputs, decoder_inputs], decoder_outputs)
fill(model)
model.compile(optimizer='rmsprop', loss='categorical_crossentropy', metrics=['accuracy'])
enc = np.eye(6, dtype='float32')[rs.randint(0, 6, (16, 4))]
dec = np.eye(7, dtype='float32')[rs.randint(0, 7, (16, 5))]
tgt = np.roll(dec, -1, 1)
h = model.fit([enc, dec], tgt, batch_size=4, epochs=3, validation_split=0.25, shuffle=False, verbose=0)
out = {'h': {k: [float(a) for a in v] for k, v in h.history.items()}}
encoder_model = Model(encoder_inputs, encoder_states)
in_h, in_c = Input(shape=(latent_dim,)), Input(shape=(latent_dim,))
decoder_outputs, state_h, state_c = decoder_lstm(decoder_inputs, initial_state=[in_h, in_c])
decoder_model = Model([decoder_inputs] + [in_h, in_c], [decoder_dense(decoder_outputs)] + [state_h, state_c])
states = encoder_model.predict(enc[:1])
target = np.zeros((1, 1, num_decoder_tokens))
target[0, 0, 0] = 1.
decoded = []
for _ in range(5):
    tokens, hh, cc = decoder_model.predict([target] + states)
    index = int(np.argmax(tokens[0, -1, :]))
    decoded.append([index, float(tokens.max())])
    target = np.zeros((1, 1, num_decoder_tokens))
    target[0, 0, index] = 1.
    states = [hh, cc]
out['decoded'] = decoded

# attention of Luong by dot, and masks of an Embedding
encoder_input = Input(shape=(6,))
decoder_input = Input(shape=(5,))
enc_e = Embedding(12, 4, input_length=6, mask_zero=True)(encoder_input)
encoder = Bidirectional(LSTM(3, return_sequences=True, unroll=False), merge_mode='concat')(enc_e)
encoder_last = encoder[:, -1, :]
dec_e = Embedding(12, 4, input_length=5, mask_zero=True)(decoder_input)
decoder = GRU(6, return_sequences=True)(dec_e, initial_state=encoder_last)
attention = dot([decoder, encoder], axes=[2, 2])
attention = Activation('softmax', name='attention')(attention)
context = dot([attention, encoder], axes=[2, 1])
decoder_combined_context = concatenate([context, decoder])
output = TimeDistributed(Dense(8, activation='tanh'))(decoder_combined_context)
output = TimeDistributed(Dense(12, activation='softmax'))(output)
m2 = Model(inputs=[encoder_input, decoder_input], outputs=[output])
fill(m2, 1)
m2.compile(optimizer='adam', loss='sparse_categorical_crossentropy', metrics=['sparse_categorical_accuracy'])
e, d = rs.randint(1, 12, (12, 6)), rs.randint(1, 12, (12, 5))
e[::2, 4:] = 0
d[::3, 3:] = 0
t = np.roll(d, -1, 1)[..., None]
h = m2.fit([e, d], t, batch_size=4, epochs=3, shuffle=False, verbose=0)
out['luong'] = {k: [float(a) for a in v] for k, v in h.history.items()}
att = Model(m2.input, m2.get_layer('attention').output)
out['att'] = att.predict([e[:2], d[:2]]).tolist()
out['per'] = m2.evaluate([e, d], t, batch_size=5, verbose=0)

# the layers of attention, sample weights of steps
q, v = Input((5, 4)), Input((6, 4))
mask_q, mask_v = Masking()(q), Masking()(v)
s = AdditiveAttention(use_scale=True)([mask_q, mask_v])
s2 = Attention(use_scale=True)([mask_q, mask_v])
o = TimeDistributed(Dense(1))(Concatenate()([s, s2]))
m3 = Model([q, v], o)
fill(m3, 2)
m3.compile('adam', 'mse', sample_weight_mode='temporal')
a, b = rs.normal(size=(8, 5, 4)), rs.normal(size=(8, 6, 4))
a[::2, 3:] = 0
b[::3, 4:] = 0
h = m3.fit([a, b], rs.normal(size=(8, 5, 1)), sample_weight=rs.uniform(size=(8, 5)), batch_size=4, epochs=2, shuffle=False, verbose=0)
out['m3'] = [h.history['loss'], m3.predict([a, b])[:2].tolist()]

# autoencoder
i = Input((4, 3))
enc1 = LSTM(4, activation='relu', return_sequences=True, recurrent_dropout=0.0)(i)
enc2 = LSTM(2, go_backwards=True)(enc1)
r = RepeatVector(4)(enc2)
dd = LSTM(4, activation='relu', return_sequences=True)(r)
m4 = Model(i, TimeDistributed(Dense(3))(dd))
fill(m4, 3)
m4.compile('adam', 'mae')
xx = rs.normal(size=(8, 4, 3))
out['ae'] = m4.fit(xx, xx, batch_size=4, epochs=2, shuffle=False, verbose=0).history['loss']
print('RESULT', json.dumps(json.loads(json.dumps(out, default=float))))
