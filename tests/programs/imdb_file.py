"""IMDB reviews by keras.datasets, from a file of its own format on a machine without network: LSTM and Conv1D."""
# keras: 2.3.1
# Keras 2.2.4 cannot read this file with NumPy 1.18, the original's: it does not allow pickles. See reuters_file.py.
from __future__ import print_function

import json
import os
import shutil
import tempfile

import numpy as np
from keras import backend as K
from keras.datasets import imdb
from keras.layers import LSTM, Conv1D, Dense, Dropout, Embedding, GlobalMaxPooling1D, SpatialDropout1D
from keras.models import Sequential
from keras.preprocessing import sequence

np.random.seed(113)
max_features, maxlen, batch_size = 40, 12, 16


def write_file(path):
    """x and y of both halves: arrays of objects, lists of word ranks of different lengths."""
    rng = np.random.RandomState(0)
    arrays = {}
    for half in 'train', 'test':
        labels = np.array([0, 1] * 80)
        reviews = []
        for label in labels:
            words = rng.randint(1, 60, rng.randint(5, 20))
            # Word 10 is said in good reviews, word 11 in bad ones.
            words[rng.randint(0, len(words), 3)] = 10 if label else 11
            reviews.append([int(word) for word in words])
        x = np.empty(len(reviews), dtype=object)
        x[:] = reviews
        arrays['x_' + half], arrays['y_' + half] = x, labels
    np.savez(path, **arrays)


folder = tempfile.mkdtemp()
path = os.path.join(folder, 'imdb.npz')
write_file(path)
# The file is in its place: its hash is not asked for.
imdb.get_file = lambda fname, origin=None, **kwargs: fname
print('Loading data...')
(x_train, y_train), (x_test, y_test) = imdb.load_data(path=path, num_words=max_features)
print(len(x_train), 'train sequences', len(x_test), 'test sequences')
assert len(x_train) == len(x_test) == 160 and x_train.dtype == object and isinstance(x_train[0], list)
assert all(review[0] == 1 for review in x_train)
assert max(max(review) for review in x_train) < max_features
lengths = list(map(len, x_train))
print('Average train sequence length: {}'.format(np.mean(lengths, dtype=int)))

# Words are three ranks higher than in the file; rare ones are unknown.
with np.load(path, allow_pickle=True) as stored:
    first_words = sorted(len(review) + 1 for review in stored['x_train'])
assert sorted(lengths) == first_words
(short, _), _ = imdb.load_data(path=path, num_words=max_features, maxlen=10, skip_top=5)
assert 0 < len(short) < 160 and max(map(len, short)) < 10
assert not {1, 3, 4} & set(word for review in short for word in review)

print('Pad sequences (samples x time)')
x_train = sequence.pad_sequences(x_train, maxlen=maxlen)
x_test = sequence.pad_sequences(x_test, maxlen=maxlen)
print('x_train shape:', x_train.shape)
assert x_train.shape == x_test.shape == (160, maxlen) and x_train.dtype == 'int32'


def lstm():
    model = Sequential()
    model.add(Embedding(max_features, 6))
    model.add(SpatialDropout1D(0.1))
    model.add(LSTM(6, dropout=0.1, recurrent_dropout=0.1))
    model.add(Dense(1, activation='sigmoid'))
    return model


def cnn():
    model = Sequential()
    model.add(Embedding(max_features, 6, input_length=maxlen))
    model.add(Dropout(0.1))
    model.add(Conv1D(8, 3, padding='valid', activation='relu', strides=1))
    model.add(GlobalMaxPooling1D())
    model.add(Dense(8, activation='relu'))
    model.add(Dense(1, activation='sigmoid'))
    return model


result = {'tokens': [int(v) for v in x_train[:3].ravel()]}
for make in lstm, cnn:
    model = make()
    model.compile(loss='binary_crossentropy', optimizer='rmsprop', metrics=['accuracy'])
    rng = np.random.RandomState(9)
    model.set_weights([rng.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
    result[make.__name__] = model.predict(x_test[:8]).ravel().tolist()
    start, _ = model.evaluate(x_test[:64], y_test[:64], batch_size=batch_size, verbose=0)
    result[make.__name__ + '_loss'] = float(start)
    K.set_value(model.optimizer.lr, 0.02)
    model.fit(x_train, y_train, batch_size=batch_size, epochs=12, validation_data=(x_test, y_test), verbose=0)
    score, acc = model.evaluate(x_test, y_test, batch_size=batch_size, verbose=0)
    print(make.__name__, 'Test score:', score, 'Test accuracy:', acc)
    assert acc > 0.75, (make.__name__, acc)
shutil.rmtree(folder)
print('RESULT ' + json.dumps(result))
