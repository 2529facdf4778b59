"""Layers as of 2019: add_weight with the name first, add_update of moving averages, K.in_train_phase with `training`, a
layer that is shared and asked for its outputs by place, a search for a layer by output_shape, a metric of its own."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Dense, Flatten, Input, Layer
from tensorflow.keras.metrics import Metric
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD


class Renormalization(Layer):
    def __init__(self, momentum=0.9, epsilon=1e-3, **kwargs):
        super(Renormalization, self).__init__(**kwargs)
        self.momentum, self.epsilon = momentum, epsilon

    def build(self, input_shape):
        shape = (int(input_shape[-1]),)
        self.gamma = self.add_weight('gamma', shape=shape, initializer='ones')
        self.beta = self.add_weight('beta', shape, None, 'zeros')
        self.running_mean = self.add_weight(name=self.name + '/running_mean', shape=shape, initializer='zeros',
                                            trainable=False)
        self.running_std = self.add_weight('running_std', shape=shape, initializer='ones', trainable=False)
        self.built = True

    def call(self, inputs, training=None):
        axes = list(range(K.ndim(inputs) - 1))
        mean = K.mean(inputs, axis=axes)
        std = K.std(inputs, axis=axes) + self.epsilon

        def in_training():
            self.add_update([K.moving_average_update(self.running_mean, mean, self.momentum),
                             K.moving_average_update(self.running_std, std, self.momentum)])
            return (inputs - mean) / std

        normed = K.in_train_phase(in_training, (inputs - self.running_mean) / self.running_std, training=training)
        return normed * self.gamma + self.beta

    def compute_output_shape(self, input_shape):
        return input_shape


class Hits(Metric):
    def __init__(self, name='hits', **kwargs):
        super(Hits, self).__init__(name=name, **kwargs)
        self.found = self.add_weight('found', initializer='zeros')
        self.seen = self.add_weight('seen', initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        right = K.cast(K.equal(K.round(y_pred), K.cast(y_true, K.floatx())), K.floatx())
        self.found.assign_add(K.sum(right))
        self.seen.assign_add(K.sum(K.ones_like(right)))

    def result(self):
        return self.found / self.seen


def last_convolution(model):
    for layer in reversed(model.layers):
        if len(layer.output_shape) == 4:
            return layer
    raise ValueError('Could not find 4D layer.')


rs = np.random.RandomState(51)
left, right = Input((6, 6, 2)), Input((6, 6, 2))
conv = Conv2D(3, 3, activation='tanh', name='shared')
normal = Renormalization(momentum=.5)
a, b = [Flatten()(normal(conv(side))) for side in (left, right)]
assert K.int_shape(conv.get_output_at(0)) == K.int_shape(conv.get_output_at(1)) == (None, 4, 4, 3)
assert conv.get_input_at(1) is right and conv.get_output_at(0) is not conv.get_output_at(1)
one = Model(left, Dense(1, activation='sigmoid')(a))
assert last_convolution(one).name == normal.name and one.layers[-1].input_shape == (None, 48)
weights = [rs.normal(0, .3, w.shape) for w in one.get_weights()]
one.set_weights([np.abs(w) + .5 if w.shape == (3,) else w for w in weights])
one.compile(SGD(learning_rate=.1), 'binary_crossentropy', metrics=[Hits()])
x, y = rs.normal(0, 1, (16, 6, 6, 2)).astype('float32'), rs.randint(0, 2, (16, 1))
history = one.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0)
moved = [K.get_value(v).tolist() for v in (normal.running_mean, normal.running_std)]
predicted = one.predict(x, batch_size=4, verbose=0)
assert moved == [K.get_value(v).tolist() for v in (normal.running_mean, normal.running_std)], 'predict moves nothing'
pair = Model([left, right], [conv.get_output_at(0), conv.get_output_at(1)])
first, second = pair.predict([x, x[::-1]], verbose=0)
np.testing.assert_allclose(first, second[::-1], atol=1e-6)
assert [w.name.split('/')[-1].split(':')[0] for w in normal.trainable_weights] == ['gamma', 'beta']
print('RESULT ' + json.dumps({
    'loss': [float(v) for v in history.history['loss']], 'hits': [float(v) for v in history.history['hits']],
    'moved': moved, 'predicted': predicted.ravel().tolist()}))
