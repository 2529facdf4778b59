'''Text generation in the Keras of 2016: an LSTM over one-hot characters, a stateful GRU, a sampling temperature.'''
# keras: 1.2.2
from __future__ import print_function
from keras.models import Sequential, load_model
from keras.layers import Dense, Activation, Dropout, LSTM, GRU, TimeDistributed
from keras.layers.wrappers import TimeDistributed as Wrapped
from keras.optimizers import RMSprop
import keras.backend as K
import numpy as np
import json

assert Wrapped is TimeDistributed
text = ('the quick brown fox jumps over the lazy dog. ' * 4).lower()
print('corpus length:', len(text))
chars = sorted(list(set(text)))
char_indices = dict((c, i) for i, c in enumerate(chars))
indices_char = dict((i, c) for i, c in enumerate(chars))

maxlen, step = 8, 3
sentences, next_chars = [], []
for i in range(0, len(text) - maxlen, step):
    sentences.append(text[i: i + maxlen])
    next_chars.append(text[i + maxlen])
print('nb sequences:', len(sentences))
X = np.zeros((len(sentences), maxlen, len(chars)), dtype=np.bool)
y = np.zeros((len(sentences), len(chars)), dtype=np.bool)
for i, sentence in enumerate(sentences):
    for t, char in enumerate(sentence):
        X[i, t, char_indices[char]] = 1
    y[i, char_indices[next_chars[i]]] = 1


def fixed(shape, name=None):
    return K.variable(0.4 * np.cos(1.7 * np.arange(np.prod(shape)) + 1).reshape(shape), name=name)


model = Sequential()
model.add(LSTM(16, input_shape=(maxlen, len(chars)), init=fixed, inner_init=fixed, forget_bias_init='one',
               inner_activation='hard_sigmoid', return_sequences=True, dropout_W=0.0, dropout_U=0.0))
model.add(LSTM(12, init=fixed, inner_init=fixed, consume_less='gpu'))
model.add(Dense(len(chars), init=fixed))
model.add(Activation('softmax'))
model.compile(loss='categorical_crossentropy', optimizer=RMSprop(lr=0.01))


def sample(preds, temperature=1.0):
    # helper function to take the most probable index of a rescaled probability array
    preds = np.asarray(preds).astype('float64')
    preds = np.log(preds) / temperature
    exp_preds = np.exp(preds)
    preds = exp_preds / np.sum(exp_preds)
    return np.argmax(preds)


losses = []
for iteration in range(1, 3):
    losses.append(float(model.fit(X, y, batch_size=16, nb_epoch=1, shuffle=False, verbose=0).history['loss'][0]))
    sentence = generated = text[0: maxlen]
    for i in range(10):
        x = np.zeros((1, maxlen, len(chars)))
        for t, char in enumerate(sentence):
            x[0, t, char_indices[char]] = 1.
        preds = model.predict(x, verbose=0)[0]
        next_char = indices_char[sample(preds, 0.5)]
        generated += next_char
        sentence = sentence[1:] + next_char
    print(generated)
model.save('char.h5')
del model
model = load_model('char.h5', custom_objects={'fixed': fixed})
probabilities = model.predict(X[:2].astype('float32'))

stateful = Sequential()
stateful.add(GRU(6, batch_input_shape=(2, 5, len(chars)), stateful=True, return_sequences=True, init=fixed,
                 inner_init=fixed))
stateful.add(Dropout(0.))
stateful.add(TimeDistributed(Dense(len(chars), init=fixed, activation='softmax')))
stateful.compile('sgd', 'categorical_crossentropy', sample_weight_mode='temporal', metrics=['accuracy'])
windows = np.eye(len(chars))[[char_indices[c] for c in text[:2 * 16]]].reshape(2, 16, -1)
steps = []
for start in 0, 5, 10:
    given = [float(v) for v in stateful.train_on_batch(windows[:, start:start + 5], windows[:, start + 1:start + 6],
                                                       sample_weight=np.ones((2, 5)))]
    steps.extend(given)
stateful.reset_states()
print('RESULT ' + json.dumps({'losses': losses, 'probabilities': [float(p) for p in probabilities.ravel()],
                              'stateful': steps, 'layers': [len(layer.weights) for layer in model.layers]}))
