"""Questions about stories by a memory network of 2016: Tokenizer and regular expressions, embeddings of stories and
questions, dot and Permute, two hops, position encoding by a constant."""
from __future__ import print_function

import json
import re
from functools import reduce

import numpy as np
from keras import backend as K
from keras.layers import (LSTM, Activation, Dense, Dropout, Embedding, Flatten, Input, Lambda, Permute, Reshape,
                          RepeatVector, add, concatenate, dot)
from keras.models import Model, Sequential
from keras.preprocessing.sequence import pad_sequences

TEXT = '''1 Mary moved to the bathroom.
2 John went to the hallway.
3 Where is Mary? \tbathroom\t1
4 Daniel went back to the hallway.
5 Sandra moved to the garden.
6 Where is Daniel? \thallway\t4
1 John moved to the office.
2 Sandra journeyed to the bathroom.
3 Where is Sandra? \tbathroom\t2
4 Mary moved to the hallway.
5 Daniel travelled to the office.
6 Where is Daniel? \toffice\t5
7 John went back to the garden.
8 Where is John? \tgarden\t7
'''


def tokenize(sent):
    '''Return the tokens of a sentence including punctuation.'''
    return [x.strip() for x in re.split(r'(\W)', sent) if x.strip()]


def parse_stories(lines):
    data, story = [], []
    for line in lines:
        nid, line = line.split(' ', 1)
        if int(nid) == 1:
            story = []
        if '\t' in line:
            q, a, _ = line.split('\t')
            data.append(([s for s in story if s], tokenize(q), a))
        else:
            story.append(tokenize(line))
    flatten = lambda data: reduce(lambda x, y: x + y, data)
    return [(flatten(story), q, answer) for story, q, answer in data]


stories = parse_stories(TEXT.strip().split('\n'))
vocab = sorted(reduce(lambda x, y: x | y, (set(story + q + [answer]) for story, q, answer in stories)))
word_idx = dict((c, i + 1) for i, c in enumerate(vocab))
vocab_size = len(vocab) + 1
story_maxlen, query_maxlen = max(len(x) for x, _, _ in stories), max(len(x) for _, x, _ in stories)
inputs_train = pad_sequences([[word_idx[w] for w in s] for s, _, _ in stories], maxlen=story_maxlen)
queries_train = pad_sequences([[word_idx[w] for w in q] for _, q, _ in stories], maxlen=query_maxlen)
answers_train = np.array([word_idx[a] for _, _, a in stories])
EMB = 8

input_sequence, question = Input((story_maxlen,)), Input((query_maxlen,))
input_encoder_m = Sequential([Embedding(input_dim=vocab_size, output_dim=EMB), Dropout(0.)])
input_encoder_c = Sequential()
input_encoder_c.add(Embedding(input_dim=vocab_size, output_dim=query_maxlen))
question_encoder = Sequential()
question_encoder.add(Embedding(input_dim=vocab_size, output_dim=EMB, input_length=query_maxlen))
weights = 1 + .1 * np.outer(np.arange(query_maxlen) - query_maxlen / 2., np.arange(EMB) - EMB / 2.) / EMB
encoding = Lambda(lambda t: t * K.constant(weights), name='position')
input_encoded_m = input_encoder_m(input_sequence)
input_encoded_c = input_encoder_c(input_sequence)
question_encoded = encoding(question_encoder(question))
match = dot([input_encoded_m, question_encoded], axes=(2, 2))
match = Activation('softmax', name='match')(match)
response = add([match, input_encoded_c])
response = Permute((2, 1))(response)
answer = concatenate([response, question_encoded])
answer = LSTM(10, recurrent_activation='hard_sigmoid', implementation=1)(answer)
answer = Dropout(0.)(answer)
answer = Dense(vocab_size)(answer)
# the second hop: the words of the story that the answer so far points at
pointed = Lambda(lambda pair: K.softmax(K.batch_dot(pair[0], pair[1], axes=(2, 1))), name='pointed')(
    [input_encoded_m, Dense(EMB, use_bias=False)(answer)])
read = Reshape((EMB,))(dot([Reshape((story_maxlen, 1))(pointed), input_encoded_m], axes=1))
answer = Activation('softmax')(add([answer, Dense(vocab_size)(read)]))
model = Model([input_sequence, question], answer)
rs = np.random.RandomState(6)
model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
model.compile(optimizer='rmsprop', loss='sparse_categorical_crossentropy', metrics=['accuracy'])
predicted = model.predict([inputs_train, queries_train])
look = Model(model.inputs, [match, pointed])
matched, at = look.predict([inputs_train, queries_train])
assert matched.shape == (5, story_maxlen, query_maxlen) and at.shape == (5, story_maxlen)
np.testing.assert_allclose(matched.sum(-1), 1, atol=1e-5)
data = [inputs_train, queries_train], answers_train
steps = [[float(v) for v in model.train_on_batch(*data)] for _ in range(4)]
K.set_value(model.optimizer.lr, .01)
history = model.fit(data[0], data[1], batch_size=5, epochs=60, verbose=0, validation_data=data, shuffle=False)
told = history.history
assert told['val_loss'][-1] < .3 * steps[0][0], told['val_loss'][-1]
answers = [vocab[i - 1] for i in model.predict(data[0]).argmax(-1)]
print(answers)

# The other network of that time: the question repeated beside every word of the story.
sentence, query = Input((story_maxlen,)), Input((query_maxlen,))
encoded = Embedding(vocab_size, 6)(sentence)
asked = LSTM(6)(Embedding(vocab_size, 6, mask_zero=True)(query))
merged = LSTM(6)(add([encoded, RepeatVector(story_maxlen)(asked)]))
other = Model([sentence, query], Dense(vocab_size, activation='softmax')(merged))
other.set_weights([rs.normal(0, .4, w.shape) for w in other.get_weights()])
other.compile('sgd', 'sparse_categorical_crossentropy')
assert Flatten is not None
print('RESULT ' + json.dumps({'predicted': predicted[:, ::3].tolist(), 'matched': matched[0, ::4].ravel().tolist(),
                              'pointed': at[1].tolist(), 'steps': steps, 'other': other.predict(data[0])[0].tolist(),
                              'others': [float(other.train_on_batch(*data)) for _ in range(3)]}))
