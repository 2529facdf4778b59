"""Capsule layer with routing by agreement, written for K.batch_dot of Keras 2.3: one batch axis, one contracted axis."""
# keras: 2.3.1
# K.batch_dot has another meaning before Keras 2.3: capsules_224.py.
import json

import keras.backend as K
import numpy as np
from keras import activations, layers, models, optimizers
from keras.utils import to_categorical

np.random.seed(0)


def squash(x, axis=-1):
    s_squared_norm = K.sum(K.square(x), axis, keepdims=True) + K.epsilon()
    scale = K.sqrt(s_squared_norm) / (0.5 + s_squared_norm)
    return scale * x


def softmax(x, axis=-1):
    ex = K.exp(x - K.max(x, axis=axis, keepdims=True))
    return ex / K.sum(ex, axis=axis, keepdims=True)


class Capsule(layers.Layer):
    """Capsules that share their weights, as a convolution of width 1, or have weights of their own."""

    def __init__(self, num_capsule, dim_capsule, routings=3, share_weights=True, activation='squash', **kwargs):
        super(Capsule, self).__init__(**kwargs)
        self.num_capsule = num_capsule
        self.dim_capsule = dim_capsule
        self.routings = routings
        self.share_weights = share_weights
        self.activation = squash if activation == 'squash' else activations.get(activation)

    def build(self, input_shape):
        input_dim_capsule = input_shape[-1]
        width = 1 if self.share_weights else input_shape[-2]
        self.kernel = self.add_weight(name='capsule_kernel', initializer='glorot_uniform', trainable=True,
                                      shape=(width, input_dim_capsule, self.num_capsule * self.dim_capsule))
        super(Capsule, self).build(input_shape)

    def call(self, inputs):
        if self.share_weights:
            hat_inputs = K.conv1d(inputs, self.kernel)
        else:
            hat_inputs = K.local_conv1d(inputs, self.kernel, [1], [1])
        batch_size = K.shape(inputs)[0]
        input_num_capsule = K.shape(inputs)[1]
        hat_inputs = K.reshape(hat_inputs, (batch_size, input_num_capsule, self.num_capsule, self.dim_capsule))
        hat_inputs = K.permute_dimensions(hat_inputs, (0, 2, 1, 3))
        # K.batch_dot has one batch axis: samples and capsules become one.
        flat = K.reshape(hat_inputs, (batch_size * self.num_capsule, input_num_capsule, self.dim_capsule))
        b = K.zeros_like(hat_inputs[:, :, :, 0])
        for i in range(self.routings):
            c = softmax(b, 1)
            weights = K.reshape(c, (batch_size * self.num_capsule, input_num_capsule))
            o = self.activation(K.batch_dot(weights, flat, [1, 1]))
            if i < self.routings - 1:
                agreement = K.batch_dot(o, flat, [1, 2])
                b += K.reshape(agreement, (batch_size, self.num_capsule, input_num_capsule))
        return K.reshape(o, (batch_size, self.num_capsule, self.dim_capsule))

    def compute_output_shape(self, input_shape):
        return None, self.num_capsule, self.dim_capsule


def margin_loss(y_true, y_pred):
    lamb, margin = 0.5, 0.1
    return K.sum(y_true * K.square(K.relu(1 - margin - y_pred)) + lamb * (1 - y_true) * (
        K.square(K.relu(y_pred - margin))), axis=-1)


def build(share_weights):
    x_in = layers.Input(shape=(6, 6, 1))
    x = layers.Conv2D(8, (3, 3), activation='relu')(x_in)
    x = layers.AveragePooling2D((2, 2))(x)
    x = layers.Reshape((-1, 8))(x)
    capsule = Capsule(3, 5, 3, share_weights)(x)
    length = layers.Lambda(lambda z: K.sqrt(K.sum(K.square(z), 2)))(capsule)
    return models.Model(inputs=x_in, outputs=length)


rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 96)
images = rng.uniform(0, 0.4, (96, 6, 6, 1))
for image, label in zip(images, labels):
    image[2 * label:2 * label + 2] += 0.6
y = to_categorical(labels, 3)

result = {}
for share_weights in (True, False):
    model = build(share_weights)
    model.compile(loss=margin_loss, optimizer=optimizers.RMSprop(0.005), metrics=['accuracy'])
    weights = np.random.RandomState(1)
    model.set_weights([weights.normal(0, 0.4, w.shape) for w in model.get_weights()])
    name = 'shared' if share_weights else 'own'
    result[name] = model.predict(images[:5]).tolist()
    assert np.shape(result[name]) == (5, 3)
    result[name + '_losses'] = [float(model.train_on_batch(images[:32], y[:32])[0]) for _ in range(3)]
    history = model.fit(images, y, batch_size=16, epochs=15, verbose=0)
    assert history.history['loss'][-1] < 0.5 * result[name + '_losses'][0], (name, history.history['loss'])
    assert history.history['accuracy'][-1] > 0.85, (name, history.history['accuracy'])

# What the layer does, in NumPy: three rounds of routing over the same votes.
x = np.random.RandomState(2).normal(size=(2, 4, 3)).astype('float32')
inputs = layers.Input((4, 3))
layer = Capsule(2, 3, 3)
model = models.Model(inputs, layer(inputs))
votes = x.dot(layer.get_weights()[0][0]).reshape(2, 4, 2, 3).transpose(0, 2, 1, 3)
b = np.zeros((2, 2, 4))
for i in range(3):
    c = np.exp(b) / np.exp(b).sum(axis=1, keepdims=True)
    s = np.einsum('nci,ncid->ncd', c, votes)
    norm = (s ** 2).sum(axis=-1, keepdims=True)
    o = s * np.sqrt(norm) / (0.5 + norm)
    b = b + np.einsum('ncd,ncid->nci', o, votes)
np.testing.assert_allclose(model.predict(x), o, atol=1e-4)
print('RESULT ' + json.dumps(result))
