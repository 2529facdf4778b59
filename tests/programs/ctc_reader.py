"""A reader of text lines: convolutions, two GRUs, the CTC loss in a Lambda layer, decoding by K.ctc_decode."""
import itertools
import json

import numpy as np
from keras import backend as K
from keras.layers import Activation, Conv2D, Dense, Input, Lambda, MaxPooling2D, Reshape
from keras.layers.merge import add, concatenate
from keras.layers.recurrent import GRU
from keras.models import Model
from keras.optimizers import SGD
from keras.utils import Sequence

ALPHABET = u'abc '
IMG_W, IMG_H, MAX_LEN, POOL = 32, 8, 4, 2
GLYPHS = {'a': [1, 0, 0, 1, 1, 0, 0, 1], 'b': [1, 1, 1, 1, 0, 0, 0, 0], 'c': [0, 1, 0, 1, 0, 1, 0, 1]}


def text_to_labels(text):
    return [ALPHABET.find(char) for char in text]


def labels_to_text(labels):
    return ''.join('' if c == len(ALPHABET) else ALPHABET[c] for c in labels)


def paint(text):
    image = np.zeros((IMG_W, IMG_H, 1))
    for i, char in enumerate(text):
        if char != ' ':
            image[8 * i + 1:8 * i + 6, :, 0] = GLYPHS[char]
    return image


class TextImageGenerator(Sequence):
    def __init__(self, batches, size, seed):
        self.batches, self.size, self.seed = batches, size, seed

    def __len__(self):
        return self.batches

    def __getitem__(self, index):
        rs = np.random.RandomState(self.seed + index)
        words = [('abc' * 4)[k:k + n] for k, n in rs.randint([0, 2], [3, MAX_LEN + 1], (self.size, 2))]
        words = [word[::-1] if rs.rand() < .5 else word for word in words]
        labels = np.zeros([self.size, MAX_LEN])
        for i, word in enumerate(words):
            labels[i, :len(word)] = text_to_labels(word)
        images = np.stack([paint(word) + rs.normal(0, .1, (IMG_W, IMG_H, 1)) for word in words])
        inputs = {'the_input': images, 'the_labels': labels,
                  'input_length': np.full((self.size, 1), IMG_W // POOL - 2),
                  'label_length': np.array([[len(word)] for word in words]), 'source_str': words}
        return inputs, {'ctc': np.zeros([self.size])}


class Feed(TextImageGenerator):
    """Without the strings, which no model takes."""

    def __getitem__(self, index):
        inputs, outputs = super(Feed, self).__getitem__(index)
        inputs.pop('source_str')
        return inputs, outputs


def ctc_lambda_func(args):
    y_pred, labels, input_length, label_length = args
    # The first outputs of a recurrent layer are of no use.
    y_pred = y_pred[:, 2:, :]
    return K.ctc_batch_cost(labels, y_pred, input_length, label_length)


def decode_by_hand(out):
    texts = []
    for line in out:
        best = [k for k, _ in itertools.groupby(np.argmax(line[2:], axis=1))]
        texts.append(labels_to_text(best))
    return texts


input_data = Input(name='the_input', shape=(IMG_W, IMG_H, 1), dtype='float32')
inner = Conv2D(8, (3, 3), padding='same', activation='relu', kernel_initializer='he_normal', name='conv1')(input_data)
inner = MaxPooling2D(pool_size=(POOL, POOL), name='max1')(inner)
inner = Reshape(target_shape=(IMG_W // POOL, (IMG_H // POOL) * 8), name='reshape')(inner)
inner = Dense(16, activation='relu', name='dense1')(inner)
gru_1 = GRU(12, return_sequences=True, kernel_initializer='he_normal', name='gru1')(inner)
gru_1b = GRU(12, return_sequences=True, go_backwards=True, kernel_initializer='he_normal', name='gru1_b')(inner)
gru1_merged = add([gru_1, gru_1b])
gru_2 = GRU(12, return_sequences=True, kernel_initializer='he_normal', name='gru2')(gru1_merged)
gru_2b = GRU(12, return_sequences=True, go_backwards=True, kernel_initializer='he_normal', name='gru2_b')(gru1_merged)
inner = Dense(len(ALPHABET) + 1, kernel_initializer='he_normal', name='dense2')(concatenate([gru_2, gru_2b]))
y_pred = Activation('softmax', name='softmax')(inner)
labels = Input(name='the_labels', shape=[MAX_LEN], dtype='float32')
input_length = Input(name='input_length', shape=[1], dtype='int64')
label_length = Input(name='label_length', shape=[1], dtype='int64')
loss_out = Lambda(ctc_lambda_func, output_shape=(1,), name='ctc')([y_pred, labels, input_length, label_length])
sgd = SGD(lr=0.03, decay=0., momentum=0.9, nesterov=True, clipnorm=5)
model = Model(inputs=[input_data, labels, input_length, label_length], outputs=loss_out)
model.compile(loss={'ctc': lambda y_true, y_pred: y_pred}, optimizer=sgd)
test_func = K.function([input_data], [y_pred])

rs = np.random.RandomState(0)
model.set_weights([rs.normal(0, .25, w.shape) if w.ndim > 1 else w * 0 for w in model.get_weights()])
generator = Feed(4, 16, seed=100)
inputs, outputs = generator[0]
costs = model.predict(inputs)
assert costs.shape == (16, 1) and (costs > 0).all()
first = [float(model.train_on_batch(*generator[i])) for i in range(3)]
history = model.fit_generator(generator, epochs=14, verbose=0, shuffle=False)
losses = history.history['loss']
assert losses[-1] < .4 * losses[0], losses

full = TextImageGenerator(1, 16, seed=500)[0][0]
out = test_func([full['the_input']])[0]
by_hand = decode_by_hand(out)
lengths = np.full(16, out.shape[1] - 2)
decoded, log_prob = K.ctc_decode(out[:, 2:], lengths, greedy=True)
greedy = [labels_to_text([c for c in line if c >= 0]) for line in K.get_value(decoded[0])]
assert greedy == by_hand
beams, scores = K.ctc_decode(out[:, 2:], input_length=lengths, greedy=False, beam_width=10, top_paths=2)
found = [labels_to_text([c for c in line if c >= 0]) for line in K.eval(beams[0])]
assert np.sum([a == b for a, b in zip(found, full['source_str'])]) >= 11, list(zip(found, full['source_str']))
assert K.get_value(scores).shape == (16, 2)

# What is decoded from known probabilities: the best path, and the best labelling, which differ.
probabilities = np.array([[[.1, .3, .6], [.2, .3, .5], [.4, .2, .4]]])
path, path_score = K.ctc_decode(probabilities, np.array([3]), greedy=True)
beam, beam_score = K.ctc_decode(probabilities, np.array([3]), greedy=False, beam_width=20, top_paths=3)
print('loss %.2f to %.2f; %s' % (losses[0], losses[-1], found[:4]))
print('RESULT ' + json.dumps({'costs': costs.ravel().tolist(), 'first': first,
                              'path': K.get_value(path[0]).tolist(), 'path_score': K.get_value(path_score).tolist(),
                              'beams': [K.get_value(b).tolist() for b in beam],
                              'beam_score': K.get_value(beam_score).tolist()}))
