"""Group and instance normalization as of 2019: K.reshape by K.shape and K.int_shape, K.mean, K.var, K.std, a get_config,
saved and loaded."""
import json
import os
import tempfile

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras import initializers
from tensorflow.keras.layers import Conv2D, Dense, GlobalAveragePooling2D, Input, Layer
from tensorflow.keras.models import Model, load_model


class GroupNormalization(Layer):
    def __init__(self, groups=2, axis=-1, epsilon=1e-5, **kwargs):
        super(GroupNormalization, self).__init__(**kwargs)
        self.supports_masking = True
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.gamma_initializer = initializers.get('ones')

    def build(self, input_shape):
        shape = (input_shape[self.axis],)
        self.gamma = self.add_weight(shape=shape, name='gamma', initializer=self.gamma_initializer)
        self.beta = self.add_weight(shape=shape, name='beta', initializer='zeros')
        self.built = True

    def call(self, inputs, **kwargs):
        input_shape = K.int_shape(inputs)
        tensor_input_shape = K.shape(inputs)
        reduction_axes = list(range(len(input_shape)))
        del reduction_axes[self.axis]
        broadcast_shape = [1] * len(input_shape)
        broadcast_shape[self.axis] = input_shape[self.axis]
        reshape_group_shape = [tensor_input_shape[i] for i in range(3)]
        reshape_group_shape += [self.groups, input_shape[self.axis] // self.groups]
        group_axes = [1, 2, 4]
        x = K.reshape(inputs, reshape_group_shape)
        mean = K.mean(x, axis=group_axes, keepdims=True)
        variance = K.var(x, axis=group_axes, keepdims=True)
        x = (x - mean) / (K.sqrt(variance + self.epsilon))
        x = K.reshape(x, [-1] + list(input_shape[1:]))
        return x * K.reshape(self.gamma, broadcast_shape) + K.reshape(self.beta, broadcast_shape)

    def get_config(self):
        config = {'groups': self.groups, 'axis': self.axis, 'epsilon': self.epsilon}
        return dict(list(super(GroupNormalization, self).get_config().items()) + list(config.items()))

    def compute_output_shape(self, input_shape):
        return input_shape


class InstanceNormalization(Layer):
    def call(self, inputs):
        axes = [1, 2]
        mean = K.mean(inputs, axes, keepdims=True)
        stddev = K.std(inputs, axes, keepdims=True) + 1e-3
        return (inputs - mean) / stddev

    def compute_output_shape(self, input_shape):
        return input_shape


rs = np.random.RandomState(21)
image = Input((6, 6, 2))
x = Conv2D(4, 3)(image)
grouped = GroupNormalization(groups=2)(x)
x = InstanceNormalization()(Conv2D(3, 3, activation='relu')(grouped))
model = Model(image, Dense(2, activation='softmax')(GlobalAveragePooling2D()(K.square(x))))
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
pictures = rs.normal(0, 1, (16, 6, 6, 2)).astype('float32')
y = np.eye(2, dtype='float32')[np.arange(16) % 2]
inner = Model(image, [model.layers[1].output, grouped]).predict(pictures, verbose=0)
g = inner[0].astype('float64').reshape((16, 4, 4, 2, 2))
g = (g - g.mean((1, 2, 4), keepdims=True)) / np.sqrt(g.var((1, 2, 4), keepdims=True) + 1e-5)
gamma, beta = model.layers[2].get_weights()
np.testing.assert_allclose(inner[1], g.reshape((16, 4, 4, 4)) * gamma + beta, atol=1e-4)
model.compile('sgd', 'categorical_crossentropy')
history = model.fit(pictures, y, batch_size=4, epochs=3, shuffle=False, verbose=0)
after = model.predict(pictures[:2], verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'model.keras')
    model.save(path)
    custom = {'GroupNormalization': GroupNormalization, 'InstanceNormalization': InstanceNormalization}
    loaded = load_model(path, custom_objects=custom)
np.testing.assert_allclose(loaded.predict(pictures[:2], verbose=0), after, atol=1e-6)
print('RESULT ' + json.dumps({'group': inner[1][0].tolist(), 'loss': [float(v) for v in history.history['loss']],
                              'after': after.tolist()}))
