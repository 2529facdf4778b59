"""Names in sentences by words and characters, as of 2018: TimeDistributed characters, masks that go through
Bidirectional and concatenate, casing features, a weighted mix of layers as ELMo has it, padded batches of equal
lengths."""
from __future__ import print_function

import json
from collections import OrderedDict

import numpy as np
from keras import backend as K
from keras.engine.topology import Layer
from keras.initializers import RandomUniform
from keras.layers import (LSTM, Bidirectional, Conv1D, Dense, Dropout, Embedding, Flatten, GRU, Input, Lambda,
                          MaxPooling1D, TimeDistributed, concatenate)
from keras.models import Model
from keras.preprocessing.sequence import pad_sequences
from keras.utils import Progbar


class WeightedMix(Layer):
    """gamma * sum of layers by softmaxed weights."""

    def __init__(self, **kwargs):
        super(WeightedMix, self).__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        self.W = self.add_weight(shape=(len(input_shape),), initializer='zeros', name='mix')
        self.gamma = self.add_weight(shape=(1,), initializer='ones', name='gamma')
        self.built = True

    def call(self, inputs, mask=None):
        weights = K.softmax(K.expand_dims(self.W, 0))[0]
        return self.gamma * sum(weights[i] * x for i, x in enumerate(inputs))

    def compute_mask(self, inputs, mask=None):
        return mask[0] if isinstance(mask, list) else mask

    def compute_output_shape(self, input_shape):
        return input_shape[0]


sentences = [['EU', 'rejects', 'German', 'call'], ['Peter', 'Blackburn'], ['BRUSSELS', '1996-08-22'],
             ['Only', 'France', 'and', 'Britain', 'backed', 'it'], ['He', 'said', 'Peter', 'rejects', 'France'],
             ['German', 'call', 'backed', '22']]
tags = [['ORG', 'O', 'MISC', 'O'], ['PER', 'PER'], ['LOC', 'O'], ['O', 'LOC', 'O', 'LOC', 'O', 'O'],
        ['O', 'O', 'PER', 'O', 'LOC'], ['MISC', 'O', 'O', 'O']]
word2Idx = {w: i + 1 for i, w in enumerate(sorted({w.lower() for s in sentences for w in s}))}
char2Idx = {c: i + 1 for i, c in enumerate(sorted({c for s in sentences for w in s for c in w}))}
label2Idx = {t: i for i, t in enumerate(['O', 'ORG', 'MISC', 'PER', 'LOC'])}
case2Idx = {'PADDING_TOKEN': 0, 'numeric': 1, 'allLower': 2, 'allUpper': 3, 'initialUpper': 4, 'other': 5, 'mainly': 6}
CHARS = 6


def getCasing(word):
    digits = sum(char.isdigit() for char in word)
    casing = 'other'
    if word.isdigit():
        casing = 'numeric'
    elif digits / float(len(word)) > .5:
        casing = 'mainly'
    elif word.islower():
        casing = 'allLower'
    elif word.isupper():
        casing = 'allUpper'
    elif word[0].isupper():
        casing = 'initialUpper'
    return case2Idx[casing]


def encode(group):
    words = pad_sequences([[word2Idx[w.lower()] for w in s] for s in group], padding='post')
    casing = pad_sequences([[getCasing(w) for w in s] for s in group], padding='post')
    chars = np.zeros(words.shape + (CHARS,), 'int32')
    for i, s in enumerate(group):
        letters = [[char2Idx[c] for c in w] for w in s]
        chars[i, :len(s)] = pad_sequences(letters, CHARS, padding='post', truncating='post')
    return [words, casing, chars]


def createBatches(data):
    """Batches of sentences of one length."""
    by_length = OrderedDict()
    for i, s in enumerate(data):
        by_length.setdefault(len(s), []).append(i)
    return [by_length[length] for length in sorted(by_length)]


words_input = Input(shape=(None,), dtype='int32', name='words_input')
words = Embedding(len(word2Idx) + 1, 6, mask_zero=True, name='words')(words_input)
casing_input = Input(shape=(None,), dtype='int32', name='casing_input')
casing = Embedding(output_dim=3, input_dim=len(case2Idx), trainable=False, weights=[np.eye(7)[:, :3]],
                   name='casing')(casing_input)
character_input = Input(shape=(None, CHARS), name='char_input')
chars = TimeDistributed(Embedding(len(char2Idx) + 1, 4, embeddings_initializer=RandomUniform(minval=-0.5, maxval=0.5)),
                        name='char_embedding')(character_input)
dropout = Dropout(0.)(chars)
conv1d_out = TimeDistributed(Conv1D(kernel_size=3, filters=5, padding='same', activation='tanh', strides=1))(dropout)
maxpool_out = TimeDistributed(MaxPooling1D(CHARS))(conv1d_out)
char = TimeDistributed(Flatten())(maxpool_out)
joined = concatenate([words, casing, char])
first = Bidirectional(LSTM(4, return_sequences=True, recurrent_activation='hard_sigmoid'), name='first')(joined)
second = Bidirectional(GRU(4, return_sequences=True, reset_after=False), merge_mode='concat', name='second')(first)
mixed = WeightedMix(name='mix')([first, second])
output = TimeDistributed(Dense(len(label2Idx), activation='softmax'), name='tags')(mixed)
model = Model(inputs=[words_input, casing_input, character_input], outputs=[output])
rs = np.random.RandomState(3)
for layer in model.layers:
    if layer.name != 'casing' and layer.get_weights():
        layer.set_weights([rs.normal(0, .5, w.shape) for w in layer.get_weights()])
model.compile(loss='sparse_categorical_crossentropy', optimizer='rmsprop')

# Padded, with the mask of the words; and by length, without padding: the same.
everything = encode(sentences)
padded = model.predict(everything)
lengths = [len(s) for s in sentences]
for i, s in enumerate(sentences):
    np.testing.assert_allclose(model.predict(encode([s]))[0], padded[i, :lengths[i]], atol=1e-5)
y = pad_sequences([[label2Idx[t] for t in s] for s in tags], padding='post')[..., None]
masked_loss = float(model.test_on_batch(everything, y))
by_hand = [-np.log(padded[i, np.arange(n), y[i, :n, 0]] + 1e-7).sum() for i, n in enumerate(lengths)]
# Keras 2.3 divides by all steps, Keras 2.2 by those of the words.
assert min(abs(masked_loss * n / sum(by_hand) - 1) for n in (y.size, sum(lengths))) < 1e-3, (masked_loss, by_hand)

losses = []
bar = Progbar(len(createBatches(sentences)), verbose=0)
for epoch in range(2):
    for i, batch in enumerate(createBatches(sentences)):
        group = [sentences[k] for k in batch]
        labels = np.array([[label2Idx[t] for t in tags[k]] for k in batch])[..., None]
        losses.append(float(model.train_on_batch(encode(group), labels)))
        bar.update(i + 1)
found = model.predict(everything)
K.set_value(model.optimizer.lr, .02)
for _ in range(60):
    last = model.train_on_batch(everything, y)
assert last < .5 * masked_loss, (last, masked_loss)
right = sum(int(p == t) for i, n in enumerate(lengths) for p, t in
            zip(model.predict(everything)[i, :n].argmax(-1), y[i, :n, 0]))
print('right: %d of %d' % (right, sum(lengths)))
np.testing.assert_array_equal(model.get_layer('casing').get_weights()[0], np.eye(7)[:, :3])
reverse = Model(model.inputs, Lambda(lambda t: K.reverse(t, 1))(output)).predict(everything)
np.testing.assert_allclose(reverse[:, ::-1], model.predict(everything), atol=1e-6)
print('RESULT ' + json.dumps({'padded': [padded[i, :n].ravel().tolist() for i, n in enumerate(lengths)],
                              'loss': masked_loss, 'losses': losses,
                              'found': [found[i, n - 1].tolist() for i, n in enumerate(lengths)]}))
