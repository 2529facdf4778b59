"""Character-level translation: an encoder-decoder of LSTMs for training, and two models of its layers to sample from."""
from __future__ import print_function

import json

import keras
import numpy as np
from keras import backend as K
from keras.layers import LSTM, Dense, Input
from keras.models import Model

batch_size = 16
latent_dim = 12
words = ['abc', 'bca', 'cab', 'aab', 'cc', 'ba', 'acb', 'b']

input_texts, target_texts = [], []
for word in words:
    input_texts.append(word)
    # A tab starts a sequence, a newline ends it.
    target_texts.append('\t' + word.upper() + '\n')
input_characters = sorted(set(''.join(input_texts)))
target_characters = sorted(set(''.join(target_texts)))
num_encoder_tokens, num_decoder_tokens = len(input_characters), len(target_characters)
max_encoder_len = max([len(txt) for txt in input_texts])
max_decoder_len = max([len(txt) for txt in target_texts])
print('Unique tokens:', num_encoder_tokens, num_decoder_tokens)

input_token_index = dict([(char, i) for i, char in enumerate(input_characters)])
target_token_index = dict([(char, i) for i, char in enumerate(target_characters)])
reverse_target_char_index = dict((i, char) for char, i in target_token_index.items())

encoder_input_data = np.zeros((len(words), max_encoder_len, num_encoder_tokens), dtype='float32')
decoder_input_data = np.zeros((len(words), max_decoder_len, num_decoder_tokens), dtype='float32')
decoder_target_data = np.zeros((len(words), max_decoder_len, num_decoder_tokens), dtype='float32')
for i, (source, goal) in enumerate(zip(input_texts, target_texts)):
    for t, char in enumerate(source):
        encoder_input_data[i, t, input_token_index[char]] = 1.
    for t, char in enumerate(goal):
        decoder_input_data[i, t, target_token_index[char]] = 1.
        if t > 0:
            decoder_target_data[i, t - 1, target_token_index[char]] = 1.

# Training: the decoder is told the right characters.
encoder_inputs = Input(shape=(None, num_encoder_tokens))
encoder = LSTM(latent_dim, recurrent_activation='hard_sigmoid', return_state=True)
encoder_outputs, state_h, state_c = encoder(encoder_inputs)
encoder_states = [state_h, state_c]
decoder_inputs = Input(shape=(None, num_decoder_tokens))
decoder_lstm = LSTM(latent_dim, recurrent_activation='hard_sigmoid', return_sequences=True, return_state=True)
decoder_outputs, _, _ = decoder_lstm(decoder_inputs, initial_state=encoder_states)
decoder_dense = Dense(num_decoder_tokens, activation='softmax')
decoder_outputs = decoder_dense(decoder_outputs)
model = Model([encoder_inputs, decoder_inputs], decoder_outputs)
model.compile(optimizer='rmsprop', loss='categorical_crossentropy', sample_weight_mode='temporal')

# Inference: the decoder is told what it said.
encoder_model = Model(encoder_inputs, encoder_states)
decoder_state_input_h = Input(shape=(latent_dim,))
decoder_state_input_c = Input(shape=(latent_dim,))
decoder_states_inputs = [decoder_state_input_h, decoder_state_input_c]
outputs, h, c = decoder_lstm(decoder_inputs, initial_state=decoder_states_inputs)
decoder_model = Model([decoder_inputs] + decoder_states_inputs, [decoder_dense(outputs), h, c])


def decode_sequence(input_seq):
    states_value = encoder_model.predict(input_seq)
    target_seq = np.zeros((1, 1, num_decoder_tokens))
    target_seq[0, 0, target_token_index['\t']] = 1.
    decoded, probabilities = '', []
    while len(decoded) <= max_decoder_len:
        output_tokens, h, c = decoder_model.predict([target_seq] + states_value)
        index = int(np.argmax(output_tokens[0, -1, :]))
        probabilities.append(float(output_tokens[0, -1, index]))
        decoded += reverse_target_char_index[index]
        if decoded[-1] == '\n':
            break
        target_seq = np.zeros((1, 1, num_decoder_tokens))
        target_seq[0, 0, index] = 1.
        states_value = [h, c]
    return decoded, probabilities


rng = np.random.RandomState(5)
model.set_weights([rng.uniform(-0.8, 0.8, w.shape) for w in model.get_weights()])
weights_of_steps = decoder_target_data.sum(axis=-1)
states = encoder_model.predict(encoder_input_data)
before = [decode_sequence(encoder_input_data[i:i + 1]) for i in range(3)]
losses = [float(model.train_on_batch([encoder_input_data, decoder_input_data], decoder_target_data,
                                     sample_weight=weights_of_steps)) for _ in range(5)]

# The two models and the one that was trained have the same weights.
teacher = model.predict([encoder_input_data[:1], decoder_input_data[:1]])
h, c = encoder_model.predict(encoder_input_data[:1])
step, h, c = decoder_model.predict([decoder_input_data[:1, :1], h, c])
np.testing.assert_allclose(step[0, 0], teacher[0, 0], atol=1e-5)
step, h, c = decoder_model.predict([decoder_input_data[:1, 1:2], h, c])
np.testing.assert_allclose(step[0, 0], teacher[0, 1], atol=1e-5)

np.random.seed(1)
many = np.tile(np.arange(len(words)), 8)
K.set_value(model.optimizer.lr, 0.02)
hist = model.fit([encoder_input_data[many], decoder_input_data[many]], decoder_target_data[many],
                 sample_weight=weights_of_steps[many], batch_size=batch_size, epochs=30, verbose=0)
assert hist.history['loss'][-1] < 0.3 * losses[0], hist.history['loss']
right = sum(decode_sequence(encoder_input_data[i:i + 1])[0] == target_texts[i][1:] for i in range(len(words)))
print('decoded right:', right, 'of', len(words))
assert right >= 4, right
# With Keras 2.2 on TensorFlow 1 later losses depend on the order in which variables are written.
steps = 5 if keras.__version__ >= '2.3' else 1
print('RESULT ' + json.dumps({'states': [s[:3].tolist() for s in states],
                              'decoded': [[ord(char) for char in text] for text, _ in before],
                              'probabilities': [p for _, p in before], 'losses': losses[:steps]}))
