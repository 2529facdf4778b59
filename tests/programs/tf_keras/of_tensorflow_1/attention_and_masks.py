"""Recurrent layers, masks and attention of tf.keras 1.15, an optimizer of its own, a loss that is added."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import (
    GRU, LSTM, Attention, Bidirectional, Concatenate, Dense, Embedding, GlobalAveragePooling1D, Input,
    LayerNormalization, TimeDistributed)
from tensorflow.keras.models import Model

tf.set_random_seed(8)
values = np.random.RandomState(9)
tokens = values.randint(1, 12, (10, 6))
tokens[:, 4:] = 0
tags = values.randint(0, 3, (10, 6, 1))


def fill(model):
    model.set_weights([values.uniform(-.4, .4, w.shape) for w in model.get_weights()])


i = Input((6,), dtype='int32')
e = Embedding(12, 5, mask_zero=True)(i)
h = Bidirectional(LSTM(4, return_sequences=True))(e)
g, state = GRU(4, return_sequences=True, return_state=True)(h)
t = TimeDistributed(Dense(3, activation='softmax'))(g)
tagger = Model(i, t)
tagger.add_loss(tf.reduce_mean(tf.square(state)) * 0.1)
tagger.compile('rmsprop', 'sparse_categorical_crossentropy', metrics=['accuracy'])
fill(tagger)
steps = [[float(v) for v in tagger.train_on_batch(tokens, tags)] for _ in range(3)]

q = Input((4, 3))
v = Input((5, 3))
a = Attention(use_scale=True)([q, v])
n = LayerNormalization()(Concatenate()([q, a]))
matcher = Model([q, v], Dense(1)(GlobalAveragePooling1D()(n)))
optimizer = tf.keras.optimizers.Adam(lr=0.01, decay=0.1, amsgrad=True)
matcher.compile(optimizer, loss=lambda y_true, y_pred: K.mean(tf.log(1. + tf.squared_difference(y_true, y_pred)), -1))
fill(matcher)
left, right = values.rand(8, 4, 3), values.rand(8, 5, 3)
history = matcher.fit([left, right], values.rand(8, 1), epochs=3, batch_size=4, shuffle=False, verbose=0,
                      sample_weight=np.linspace(0.5, 1.5, 8))
print('RESULT ' + json.dumps({
    'names': tagger.metrics_names,
    'steps': steps,
    'tags': tagger.predict(tokens[:2]).tolist(),
    'losses': [float(value) for value in history.history['loss']],
    'matches': matcher.predict([left, right])[:3].tolist(),
    'iterations': int(K.get_value(optimizer.iterations)),
    'lr': float(K.get_value(optimizer.lr)),
}))
