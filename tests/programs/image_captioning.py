"""Captions for pictures, of 2018: descriptions cleaned and counted, features in a pickle, a merge model of features
and words, a generator of partial captions, BLEU over greedy descriptions."""
from __future__ import print_function
import json
import os
import string
from collections import Counter
from pickle import dump, load

import numpy as np
from numpy import argmax, array

from keras.callbacks import ModelCheckpoint
from keras.layers import LSTM, Dense, Dropout, Embedding, Input
from keras.layers.merge import add
from keras.models import Model, load_model
from keras.preprocessing.sequence import pad_sequences
from keras.preprocessing.text import Tokenizer
from keras.utils import to_categorical

np.random.seed(4)
colors, shapes, places = ['red', 'green', 'blue'], ['dog', 'ball', 'car'], ['grass', 'sand']
lines, features = [], {}
for i, color in enumerate(colors):
    for j, shape in enumerate(shapes):
        identifier = '%d%d_picture' % (i, j)
        place = places[(i + j) % 2]
        lines.append("%s.jpg#0\tA %s %s's playing - on the %s ." % (identifier, color, shape, place))
        lines.append('%s.jpg#1\tThe %s sees 1 %s %s' % (identifier, place, color, shape))
        features[identifier] = np.random.normal(size=(1, 12)) + np.eye(12)[i] * 3 + np.eye(12)[3 + j] * 3
with open('descriptions.txt', 'w') as f:
    f.write('\n'.join(lines))
dump(features, open('features.pkl', 'wb'))


def load_doc(filename):
    file = open(filename, 'r')
    text = file.read()
    file.close()
    return text


def load_descriptions(doc):
    mapping = dict()
    for line in doc.split('\n'):
        tokens = line.split()
        if len(line) < 2:
            continue
        image_id, image_desc = tokens[0], tokens[1:]
        image_id = image_id.split('.')[0]
        image_desc = ' '.join(image_desc)
        if image_id not in mapping:
            mapping[image_id] = list()
        mapping[image_id].append(image_desc)
    return mapping


def clean_descriptions(descriptions):
    table = str.maketrans('', '', string.punctuation)
    for key, desc_list in descriptions.items():
        for i in range(len(desc_list)):
            desc = [word.lower() for word in desc_list[i].split()]
            desc = [w.translate(table) for w in desc]
            desc = [word for word in desc if len(word) > 1 and word.isalpha()]
            desc_list[i] = 'startseq ' + ' '.join(desc) + ' endseq'


descriptions = load_descriptions(load_doc('descriptions.txt'))
clean_descriptions(descriptions)
all_features = load(open('features.pkl', 'rb'))
train = sorted(descriptions)[:-1]
train_descriptions = {k: descriptions[k] for k in train}
all_desc = [d for key in train_descriptions.keys() for d in train_descriptions[key]]
tokenizer = Tokenizer()
tokenizer.fit_on_texts(all_desc)
dump(tokenizer, open('tokenizer.pkl', 'wb'))
tokenizer = load(open('tokenizer.pkl', 'rb'))
vocab_size = len(tokenizer.word_index) + 1
max_length = max(len(d.split()) for d in all_desc)
print('Vocabulary Size: %d' % vocab_size, 'Description Length: %d' % max_length)


def create_sequences(tokenizer, max_length, desc_list, photo):
    X1, X2, y = list(), list(), list()
    for desc in desc_list:
        seq = tokenizer.texts_to_sequences([desc])[0]
        for i in range(1, len(seq)):
            in_seq, out_seq = seq[:i], seq[i]
            in_seq = pad_sequences([in_seq], maxlen=max_length)[0]
            out_seq = to_categorical([out_seq], num_classes=vocab_size)[0]
            X1.append(photo)
            X2.append(in_seq)
            y.append(out_seq)
    return array(X1), array(X2), array(y)


def data_generator(descriptions, photos, tokenizer, max_length):
    while 1:
        for key in sorted(descriptions):
            photo = photos[key][0]
            in_img, in_seq, out_word = create_sequences(tokenizer, max_length, descriptions[key], photo)
            yield [[in_img, in_seq], out_word]


def define_model(vocab_size, max_length):
    inputs1 = Input(shape=(12,))
    fe1 = Dropout(0.)(inputs1)
    fe2 = Dense(24, activation='relu')(fe1)
    inputs2 = Input(shape=(max_length,))
    se1 = Embedding(vocab_size, 24, mask_zero=True)(inputs2)
    se2 = Dropout(0.)(se1)
    se3 = LSTM(24)(se2)
    decoder1 = add([fe2, se3])
    decoder2 = Dense(24, activation='relu')(decoder1)
    outputs = Dense(vocab_size, activation='softmax')(decoder2)
    model = Model(inputs=[inputs1, inputs2], outputs=outputs)
    rng = np.random.RandomState(0)
    model.set_weights([rng.normal(0, .3, w.shape) for w in model.get_weights()])
    model.compile(loss='categorical_crossentropy', optimizer='sgd')
    return model


model = define_model(vocab_size, max_length)
losses = []
for i in range(3):
    generator = data_generator(train_descriptions, all_features, tokenizer, max_length)
    history = model.fit_generator(generator, epochs=1, steps_per_epoch=len(train_descriptions), verbose=0)
    losses.append(history.history['loss'][0])
    model.save('model_' + str(i) + '.h5')
model = load_model('model_%d.h5' % i)


def word_for_id(integer, tokenizer):
    for word, index in tokenizer.word_index.items():
        if index == integer:
            return word
    return None


def generate_desc(model, tokenizer, photo, max_length):
    in_text = 'startseq'
    for i in range(max_length):
        sequence = tokenizer.texts_to_sequences([in_text])[0]
        sequence = pad_sequences([sequence], maxlen=max_length)
        yhat = model.predict([photo, sequence], verbose=0)
        word = word_for_id(argmax(yhat), tokenizer)
        if word is None:
            break
        in_text += ' ' + word
        if word == 'endseq':
            break
    return in_text


def bleu1(actual, predicted):
    hits = sum((Counter(predicted) & Counter(w for ref in actual for w in set(ref))).values())
    return hits / float(len(predicted))


scores = []
for key in sorted(descriptions):
    yhat = generate_desc(model, tokenizer, all_features[key], max_length)
    scores.append(bleu1([d.split() for d in descriptions[key]], yhat.split()))
model = define_model(vocab_size, max_length)
model.compile(loss='categorical_crossentropy', optimizer='adam')
X1, X2, y = [np.vstack(part) for part in zip(*[
    create_sequences(tokenizer, max_length, train_descriptions[key], all_features[key][0]) for key in train])]
filepath = 'model-ep{epoch:03d}-loss{loss:.3f}.h5'
checkpoint = ModelCheckpoint(filepath, monitor='loss', verbose=0, save_best_only=True, mode='min')
model.fit([X1, X2], y, epochs=1, batch_size=len(y), callbacks=[checkpoint], shuffle=False, verbose=0)
assert len([name for name in os.listdir('.') if name.startswith('model-ep001')]) == 1
print('RESULT ' + json.dumps({'losses': losses, 'bleu': scores, 'words': vocab_size,
                              'after_adam': model.predict([X1[::9], X2[::9]]).sum(axis=0).tolist()}))
