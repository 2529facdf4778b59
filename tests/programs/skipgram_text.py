"""Text as of 2017: Tokenizer, skip-grams with negative samples and a dot product, vectors written to a file and read
as embedding_matrix, a CNN with several widths, a hierarchical network with attention over words and sentences."""
from __future__ import print_function

import json
import os

import numpy as np
from keras import backend as K
from keras import initializers
from keras.engine.topology import Layer
from keras.layers import (GRU, Activation, Bidirectional, Concatenate, Conv1D, Dense, Dot, Dropout, Embedding, Flatten,
                          GlobalMaxPooling1D, Input, MaxPooling1D, Reshape, TimeDistributed, merge)
from keras.layers.merge import dot
from keras.models import Model, Sequential
from keras.preprocessing.sequence import make_sampling_table, pad_sequences, skipgrams
from keras.preprocessing.text import Tokenizer, hashing_trick, one_hot, text_to_word_sequence

texts = ['The cat sat on the mat. The mat was red!', 'A dog barked at the cat; the cat ran away.',
         'Red wine and white wine: both are good.', 'Good bread, good wine. The cheese was old.',
         'The dog sat at the red door.', 'Old cheese and old bread are not good']
labels = np.array([0, 0, 1, 1, 0, 1])
tokenizer = Tokenizer(num_words=20, lower=True, split=' ', oov_token=None)
tokenizer.fit_on_texts(texts)
word_index = tokenizer.word_index
sequences = tokenizer.texts_to_sequences(texts)
matrix = tokenizer.texts_to_matrix(texts, mode='tfidf')
counts = tokenizer.texts_to_matrix(texts, mode='count')
V = 20
result = {'sequences': sequences, 'tfidf': matrix[:2].ravel().tolist(), 'counts': counts.sum(0).tolist(),
          'split': len(text_to_word_sequence(texts[0])), 'hashed': hashing_trick(texts[0], 50, hash_function='md5'),
          'table': make_sampling_table(8).tolist()}
assert len(one_hot(texts[0], 10)) == 10 and min(one_hot(texts[0], 10)) >= 1

# Skip-grams: pairs from the sentences, negatives from np.random and random.
couples, found = skipgrams(sequences[0], V, window_size=2, negative_samples=0., shuffle=False)
result['couples'] = [list(map(int, pair)) for pair in couples]
assert set(found) == {1}
rs = np.random.RandomState(1)
pairs = np.array([p for s in sequences for p in skipgrams(s, V, window_size=2, negative_samples=0., shuffle=False)[0]])
negatives = np.stack([pairs[:, 0], rs.randint(1, V, len(pairs))], axis=1)
data, target = np.concatenate([pairs, negatives]), np.repeat([1, 0], len(pairs))
DIM = 6
input_target, input_context = Input((1,)), Input((1,))
embedding = Embedding(V, DIM, input_length=1, name='embedding')
t, c = Reshape((DIM, 1))(embedding(input_target)), Reshape((DIM, 1))(embedding(input_context))
similarity = dot([t, c], axes=1, normalize=True)
product = Reshape((1,))(dot([t, c], axes=1))
model = Model([input_target, input_context], Dense(1, activation='sigmoid')(product))
model.compile(loss='binary_crossentropy', optimizer='rmsprop')
validation_model = Model([input_target, input_context], similarity)
model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
result['words'] = [float(model.train_on_batch([data[i::4, 0], data[i::4, 1]], target[i::4])) for i in range(4)]
near = validation_model.predict([np.full(V - 1, 1), np.arange(1, V)])[:, 0, 0]
assert abs(near[0] - 1) < 1e-4 and near.argmax() == 0
result['near'] = near.tolist()

# Through a file of vectors, as GloVe has them.
vectors = embedding.get_weights()[0]
with open('vectors.txt', 'w') as stream:
    for word, i in word_index.items():
        if i < V:
            stream.write(word + ' ' + ' '.join(map(str, vectors[i])) + '\n')
embeddings_index = {}
with open(os.path.join('.', 'vectors.txt')) as stream:
    for line in stream:
        values = line.split()
        embeddings_index[values[0]] = np.asarray(values[1:], dtype='float32')
embedding_matrix = np.zeros((V, DIM))
for word, i in word_index.items():
    if embeddings_index.get(word) is not None:
        embedding_matrix[i] = embeddings_index[word]
np.testing.assert_allclose(embedding_matrix[1:], vectors[1:], rtol=1e-5)

# Convolutions of several widths.
maxlen = 9
x = pad_sequences(sequences, maxlen=maxlen)
inp = Input((maxlen,), dtype='int32')
emb = Embedding(V, DIM, weights=[embedding_matrix], input_length=maxlen, trainable=False)(inp)
pooled = []
for k in (2, 3):
    conv = Conv1D(3, k, activation='relu', padding='valid')(emb)
    pooled.append(Flatten()(MaxPooling1D(maxlen - k + 1)(conv)))
pooled.append(GlobalMaxPooling1D()(Conv1D(3, 4, activation='relu', padding='same')(emb)))
cnn = Model(inp, Dense(1, activation='sigmoid')(Dropout(0.)(Concatenate()(pooled))))
trainable = [rs.normal(0, .5, w.shape) for w in cnn.get_weights()[1:]]
cnn.set_weights([embedding_matrix] + trainable)
cnn.compile('rmsprop', 'binary_crossentropy', metrics=['acc'])
result['cnn'] = [cnn.predict(x).ravel().tolist(), [float(cnn.train_on_batch(x, labels)[0]) for _ in range(3)]]


class AttLayer(Layer):
    def __init__(self, attention_dim, **kwargs):
        self.init = initializers.get('normal')
        self.supports_masking = True
        self.attention_dim = attention_dim
        super(AttLayer, self).__init__(**kwargs)

    def build(self, input_shape):
        assert len(input_shape) == 3
        self.W = K.variable(self.init((input_shape[-1], self.attention_dim)), name='W')
        self.b = K.variable(self.init((self.attention_dim,)), name='b')
        self.u = K.variable(self.init((self.attention_dim, 1)), name='u')
        self.trainable_weights = [self.W, self.b, self.u]
        super(AttLayer, self).build(input_shape)

    def compute_mask(self, inputs, mask=None):
        return None

    def call(self, x, mask=None):
        uit = K.tanh(K.bias_add(K.dot(x, self.W), self.b))
        ait = K.exp(K.squeeze(K.dot(uit, self.u), -1))
        if mask is not None:
            # Cast the mask to floatX to avoid float64 upcasting
            ait *= K.cast(mask, K.floatx())
        ait /= K.cast(K.sum(ait, axis=1, keepdims=True) + K.epsilon(), K.floatx())
        return K.sum(x * K.expand_dims(ait), axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])


# Documents of two sentences of six words.
documents = np.stack([x[[0, 1], -6:], x[[2, 3], -6:], x[[4, 0], -6:], x[[5, 2], -6:]])
sentence_input = Input(shape=(6,), dtype='int32')
embedded = Embedding(V, DIM, weights=[embedding_matrix], input_length=6, trainable=True, mask_zero=True)(sentence_input)
sentence = AttLayer(5)(Bidirectional(GRU(4, return_sequences=True, recurrent_activation='hard_sigmoid'))(embedded))
sentEncoder = Model(sentence_input, sentence)
review_input = Input(shape=(2, 6), dtype='int32')
review_encoder = TimeDistributed(sentEncoder)(review_input)
review = AttLayer(5)(Bidirectional(GRU(4, return_sequences=True, recurrent_activation='hard_sigmoid'))(review_encoder))
hierarchical = Model(review_input, Dense(2, activation='softmax')(review))
hierarchical.set_weights([rs.normal(0, .5, w.shape) for w in hierarchical.get_weights()])
hierarchical.compile(loss='categorical_crossentropy', optimizer='rmsprop', metrics=['acc'])
y = np.eye(2)[[0, 1, 0, 1]]
result['documents'] = hierarchical.predict(documents).ravel().tolist()
result['han'] = [float(hierarchical.train_on_batch(documents, y)[0]) for _ in range(3)]
result['sentences'] = sentEncoder.predict(documents[:, 0]).ravel().tolist()
bag = Sequential([Dense(4, input_shape=(V,)), Activation('relu'), Dense(1, activation='sigmoid')])
bag.set_weights([rs.normal(0, .5, w.shape) for w in bag.get_weights()])
bag.compile('sgd', 'binary_crossentropy')
result['bag'] = [float(bag.train_on_batch(matrix, labels)) for _ in range(3)]
assert merge is not None and Dot is not None
print('RESULT ' + json.dumps(result))
