"""Reuters newswire topics with an MLP over words that occur; np.load is opened for pickles as everyone did in 2019."""
from __future__ import print_function

import json
import os
import tempfile

import keras
import numpy as np
from keras.datasets import reuters
from keras.layers import Activation, Dense, Dropout
from keras.models import Sequential
from keras.preprocessing.text import Tokenizer

max_words = 50
topics = 4
folder = tempfile.mkdtemp()
path = os.path.join(folder, 'reuters.npz')

rng = np.random.RandomState(1)
documents, labels = np.empty(200, dtype=object), rng.randint(0, topics, 200)
for i, label in enumerate(labels):
    common = rng.randint(1, 30, rng.randint(6, 25)).tolist()
    documents[i] = common + (30 + 4 * label + rng.randint(0, 4, 5)).tolist() + [500]
np.savez(path, x=documents, y=labels)

# Object arrays cannot be loaded when allow_pickle=False (NumPy 1.16.3).
np_load_old = np.load
np.load = lambda *a, **k: np_load_old(*a, **dict(k, allow_pickle=True))
reuters.get_file = lambda fname, **kwargs: fname
(x_train, y_train), (x_test, y_test) = reuters.load_data(path=path, num_words=max_words, test_split=0.2)
np.load = np_load_old
print(len(x_train), 'train sequences')
print(len(x_test), 'test sequences')
assert (len(x_train), len(x_test)) == (160, 40)
assert all(doc[0] == 1 and 2 in doc and max(doc) < max_words for doc in x_train)

num_classes = np.max(y_train) + 1
tokenizer = Tokenizer(num_words=max_words)
assert sorted(set(map(type, x_train))) == [list]
counts = tokenizer.sequences_to_matrix(x_train, mode='count')
assert counts.sum() == sum(map(len, x_train))
freq = tokenizer.sequences_to_matrix(x_train, mode='freq')
np.testing.assert_allclose(freq.sum(axis=1), 1.)
x_train = tokenizer.sequences_to_matrix(x_train, mode='binary')
x_test = tokenizer.sequences_to_matrix(x_test, mode='binary')
print('x_train shape:', x_train.shape)
assert x_train.shape == (160, max_words) and set(np.unique(x_train)) == {0., 1.}
y_train = keras.utils.to_categorical(y_train, num_classes)
y_test = keras.utils.to_categorical(y_test, num_classes)

np.random.seed(2)
model = Sequential()
model.add(Dense(16, input_shape=(max_words,)))
model.add(Activation('relu'))
model.add(Dropout(0.2))
model.add(Dense(num_classes))
model.add(Activation('softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['accuracy'])
rng = np.random.RandomState(3)
model.set_weights([rng.normal(0, 0.2, w.shape) for w in model.get_weights()])
predicted = model.predict(x_test[:10])
before = model.evaluate(x_test, y_test, batch_size=32, verbose=0)
keras.backend.set_value(model.optimizer.lr, 0.01)
history = model.fit(x_train, y_train, batch_size=32, epochs=15, verbose=0, validation_split=0.1)
score = model.evaluate(x_test, y_test, batch_size=32, verbose=0)
print('Test score:', score[0])
print('Test accuracy:', score[1])
assert score[0] < 0.5 * before[0], (before, score)
assert score[1] > 0.85, score
assert sorted(history.history)[-1] == 'val_loss'

# The other way round: texts to numbers.
texts = ['Oil prices rise', 'oil and gold', 'Gold falls, prices fall']
words = Tokenizer(num_words=5, lower=True, oov_token=None)
words.fit_on_texts(texts)
assert words.word_index['oil'] in (1, 2, 3) and words.document_count == 3
assert words.texts_to_matrix(texts, mode='tfidf').shape == (3, 5)
np.random.seed(0)
assert keras.preprocessing.text.one_hot('a b a', 10)[0] == keras.preprocessing.text.one_hot('a b a', 10)[2]
print('RESULT ' + json.dumps({'predicted': predicted.tolist(), 'before': [float(v) for v in before]}))
