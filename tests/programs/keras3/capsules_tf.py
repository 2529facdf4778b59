"""Capsules with routing by agreement as of 2020: sums of products, K.softmax over capsules, a margin loss."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras import initializers, layers, models


def squash(vectors, axis=-1):
    norm = K.sum(K.square(vectors), axis, keepdims=True)
    return norm / (1 + norm) / K.sqrt(norm + K.epsilon()) * vectors


class Capsule(layers.Layer):
    def __init__(self, num_capsule, dim_capsule, routings=3, share_weights=True, **kwargs):
        super(Capsule, self).__init__(**kwargs)
        self.num_capsule, self.dim_capsule = num_capsule, dim_capsule
        self.routings, self.share_weights = routings, share_weights

    def build(self, input_shape):
        input_dim_capsule = input_shape[-1]
        if self.share_weights:
            shape = (1, input_dim_capsule, self.num_capsule * self.dim_capsule)
        else:
            shape = (input_shape[-2], input_dim_capsule, self.num_capsule * self.dim_capsule)
        self.kernel = self.add_weight(name='capsule_kernel', shape=shape,
                                      initializer=initializers.get('glorot_uniform'), trainable=True)
        super(Capsule, self).build(input_shape)

    def call(self, inputs):
        if self.share_weights:
            hat_inputs = K.conv1d(inputs, self.kernel)
        else:
            hat_inputs = K.local_conv1d(inputs, self.kernel, [1], [1])
        batch_size, input_num_capsule = K.shape(inputs)[0], K.shape(inputs)[1]
        hat_inputs = K.reshape(hat_inputs, (batch_size, input_num_capsule, self.num_capsule, self.dim_capsule))
        hat_inputs = K.permute_dimensions(hat_inputs, (0, 2, 1, 3))
        b = K.zeros_like(hat_inputs[:, :, :, 0])
        for i in range(self.routings):
            c = K.softmax(b, 1)
            o = squash(K.sum(K.expand_dims(c, -1) * hat_inputs, axis=2))
            if i < self.routings - 1:
                b = b + K.sum(K.expand_dims(o, 2) * hat_inputs, axis=-1)
        return o

    def compute_output_shape(self, input_shape):
        return (None, self.num_capsule, self.dim_capsule)


def margin_loss(y_true, y_pred):
    margin, lamb = .9, .5
    return K.sum(y_true * K.square(K.relu(margin - y_pred))
                 + lamb * (1 - y_true) * K.square(K.relu(y_pred - (1 - margin))), axis=-1)


rs = np.random.RandomState(2)
results = {}
for share in (True, False):
    image = layers.Input(shape=(8, 8, 1))
    x = layers.Conv2D(6, 3, strides=2, activation='relu')(image)
    x = layers.Reshape((9, 6))(x)
    capsule = Capsule(4, 5, routings=3, share_weights=share)(x)
    length = layers.Lambda(lambda z: K.sqrt(K.sum(K.square(z), 2) + K.epsilon()), output_shape=(4,))(capsule)
    model = models.Model(image, length)
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
    data, labels = rs.uniform(0, 1, (20, 8, 8, 1)).astype('float32'), np.eye(4, dtype='float32')[np.arange(20) % 4]
    before = model.predict(data[:2], verbose=0)
    model.compile(loss=margin_loss, optimizer='adam', metrics=['accuracy'])
    history = model.fit(data, labels, batch_size=5, epochs=2, shuffle=False, verbose=0)
    results['shared' if share else 'local'] = [
        before.tolist(), [float(v) for v in history.history['loss']], model.predict(data[:2], verbose=0).tolist()]
print('RESULT ' + json.dumps(results))
