"""Operators of Python in place as of 2020: a mask of attention, a scale beside the tensor that it scales, smoothed targets and
normalized predictions in a loss, which metrics do not see."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Add, Dense, Embedding, Input, Layer
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD


class Attention(Layer):
    def __init__(self, **kwargs):
        super(Attention, self).__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        self.w = self.add_weight(name='w', shape=(input_shape[-1], 1), initializer='ones')
        super(Attention, self).build(input_shape)

    def call(self, x, mask=None):
        e = K.exp(K.squeeze(K.dot(x, self.w), -1))
        e *= K.cast(mask, K.floatx())
        e /= K.sum(e, axis=1, keepdims=True) + K.epsilon()
        return K.sum(x * K.expand_dims(e), axis=1)

    def compute_mask(self, x, mask=None):
        return None

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[-1]


class Scaled(Layer):
    def call(self, x):
        x *= 3.
        x += .5
        x -= 1.
        x /= 2.
        return x


def smoothed(y_true, y_pred):
    y_true *= .9
    y_true += .1 / 3
    y_pred /= K.sum(y_pred, axis=-1, keepdims=True) + 1.
    return -K.sum(y_true * K.log(y_pred), axis=-1)


def doubled(y_true, y_pred):
    y_pred *= 2.
    return K.mean(K.square(y_pred), axis=-1)


def predicted(y_true, y_pred):
    return K.mean(K.square(y_pred), axis=-1)


def targets(y_true, y_pred):
    return K.mean(K.square(y_true), axis=-1)


rs = np.random.RandomState(91)
x = rs.randint(1, 9, (12, 6))
x[::2, 4:] = 0
y = np.eye(3)[rs.randint(0, 3, 12)].astype('float32')
inputs = Input((6,), dtype='int32')
h = Dense(3)(Attention()(Embedding(9, 4, mask_zero=True)(inputs)))
model = Model(inputs, Dense(3, activation='softmax')(Add()([h, Scaled()(h)])))
model.set_weights([rs.normal(0, .5, K.int_shape(w)) for w in model.weights])
model.compile(SGD(learning_rate=.1), smoothed, metrics=[doubled, predicted, targets])
history = model.fit(x, y, batch_size=6, epochs=3, shuffle=False, verbose=0).history
assert np.all(y.sum(-1) == 1), 'the data stay as they are'
print('RESULT ' + json.dumps({
    'history': [[float(v) for v in history[name]] for name in ('loss', 'doubled', 'predicted', 'targets')],
    'outputs': model.predict(x, verbose=0).ravel().tolist()}))
