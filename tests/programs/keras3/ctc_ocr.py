"""Reading words in pictures as of 2020: convolutions, a recurrent layer, K.ctc_batch_cost in a Lambda, K.ctc_decode."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import LSTM, Bidirectional, Conv2D, Dense, Input, Lambda, MaxPooling2D, Reshape
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD

ALPHABET = 'abcd'


def ctc_lambda_func(args):
    y_pred, labels, input_length, label_length = args
    y_pred = y_pred[:, 1:, :]
    return K.ctc_batch_cost(labels, y_pred, input_length, label_length)


rs = np.random.RandomState(4)
input_data = Input(name='the_input', shape=(16, 6, 1), dtype='float32')
inner = Conv2D(4, (3, 3), padding='same', activation='relu', name='conv1')(input_data)
inner = MaxPooling2D(pool_size=(2, 2), name='max1')(inner)
inner = Reshape(target_shape=(8, 12), name='reshape')(inner)
inner = Bidirectional(LSTM(5, return_sequences=True), name='lstm')(inner)
y_pred = Dense(len(ALPHABET) + 1, activation='softmax', name='dense')(inner)
labels = Input(name='the_labels', shape=[3], dtype='float32')
input_length = Input(name='input_length', shape=[1], dtype='int64')
label_length = Input(name='label_length', shape=[1], dtype='int64')
loss_out = Lambda(ctc_lambda_func, output_shape=(1,), name='ctc')([y_pred, labels, input_length, label_length])
model = Model(inputs=[input_data, labels, input_length, label_length], outputs=loss_out)
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
model.compile(loss={'ctc': lambda y_true, y_pred: y_pred}, optimizer=SGD(learning_rate=.02, clipnorm=5))
pictures = rs.uniform(0, 1, (6, 16, 6, 1)).astype('float32')
words = rs.randint(0, 4, (6, 3)).astype('float32')
inputs = [pictures, words, np.full((6, 1), 7), np.array([[3], [2], [3], [1], [3], [2]])]
before = model.predict(inputs, verbose=0)
history = model.fit(inputs, np.zeros((6, 1)), batch_size=3, epochs=4, shuffle=False, verbose=0)
reader = Model(input_data, y_pred)
probabilities = reader.predict(pictures, verbose=0)
decoded, scores = K.ctc_decode(probabilities[:, 1:], np.full(6, 7), greedy=True)
beams, beam_scores = K.ctc_decode(probabilities[:, 1:], np.full(6, 7), greedy=False, beam_width=20, top_paths=2)


def texts(codes):
    return [[int(c) for c in row if c >= 0] for row in K.get_value(codes)]


print('RESULT ' + json.dumps({
    'costs': before[:, 0].tolist(), 'loss': [float(v) for v in history.history['loss']],
    'greedy': texts(decoded[0]), 'scores': K.get_value(scores).tolist(), 'beams': [texts(b) for b in beams],
    'beam_scores': K.get_value(beam_scores).tolist()}))
