"""Spectral normalization as a Wrapper, as of 2020: power iteration in `call`, self.w.assign of the normalized kernel where
the layer trains, u as a weight that is not trained; around a convolution and a dense layer, in a GAN of train_on_batch."""
# backends: tensorflow torch
# On JAX, Keras loses what is assigned to a weight that the optimizer trains; an error says so.
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Dense, Flatten, Input, LeakyReLU, Reshape, Wrapper
from tensorflow.keras.models import Model, Sequential
from tensorflow.keras.optimizers import SGD


class SpectralNormalization(Wrapper):
    def __init__(self, layer, power_iterations=1, eps=1e-12, **kwargs):
        super(SpectralNormalization, self).__init__(layer, **kwargs)
        self.power_iterations = power_iterations
        self.eps = eps

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer.build(input_shape)
        if not hasattr(self.layer, 'kernel'):
            raise AttributeError('the layer has no kernel')
        self.w = self.layer.kernel
        self.w_shape = self.w.shape.as_list()
        self.u = self.add_weight(shape=(1, self.w_shape[-1]), initializer=tf.initializers.TruncatedNormal(stddev=0.02),
                                 trainable=False, name='sn_u', dtype=tf.float32)
        super(SpectralNormalization, self).build()

    def call(self, inputs, training=None):
        if training is None:
            training = K.learning_phase()
        if training == 1 or training is True:
            self.normalize_weights()
        return self.layer(inputs)

    def normalize_weights(self):
        w = tf.reshape(self.w, [-1, self.w_shape[-1]])
        u = self.u
        for _ in range(self.power_iterations):
            v = tf.math.l2_normalize(tf.matmul(u, w, transpose_b=True), epsilon=self.eps)
            u = tf.math.l2_normalize(tf.matmul(v, w), epsilon=self.eps)
        u, v = tf.stop_gradient(u), tf.stop_gradient(v)
        sigma = tf.matmul(tf.matmul(v, w), u, transpose_b=True)
        self.u.assign(tf.reshape(u, self.u.shape))
        self.w.assign(tf.reshape(self.w / sigma, self.w.shape))

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(self.layer.compute_output_shape(input_shape).as_list())

    def get_config(self):
        config = super(SpectralNormalization, self).get_config()
        config.update({'power_iterations': self.power_iterations})
        return config


def hinge_real(y_true, y_pred):
    return K.mean(K.relu(1.0 - y_true * y_pred))


def build_discriminator():
    model = Sequential(name='discriminator')
    model.add(SpectralNormalization(Conv2D(4, 3, strides=2, padding='same'), input_shape=(8, 8, 1)))
    model.add(LeakyReLU(alpha=0.1))
    model.add(SpectralNormalization(Conv2D(6, 3, strides=2, padding='same'), power_iterations=2))
    model.add(LeakyReLU(alpha=0.1))
    model.add(Flatten())
    model.add(SpectralNormalization(Dense(1)))
    return model


def build_generator():
    model = Sequential(name='generator')
    model.add(Dense(16, activation='tanh', input_dim=5))
    model.add(Dense(64, activation='tanh'))
    model.add(Reshape((8, 8, 1)))
    return model


rs = np.random.RandomState(7)
discriminator, generator = build_discriminator(), build_generator()
for part in (discriminator, generator):
    part.set_weights([rs.normal(0, .3, w.shape) for w in part.get_weights()])
discriminator.compile(loss=hinge_real, optimizer=SGD(learning_rate=0.05))
z = Input(shape=(5,))
discriminator.trainable = False
combined = Model(z, discriminator(generator(z)))
combined.compile(loss=lambda y_true, y_pred: -K.mean(y_true * y_pred), optimizer=SGD(learning_rate=0.05))

real = np.tanh(rs.normal(0.3, 1, (8, 8, 8, 1))).astype('float32')
ones = np.ones((8, 1), 'float32')
d_losses, g_losses = [], []
for step in range(4):
    noise = rs.normal(0, 1, (8, 5)).astype('float32')
    discriminator.trainable = True
    fake = generator.predict(noise, verbose=0)
    d_losses.append([float(discriminator.train_on_batch(real, ones)), float(discriminator.train_on_batch(fake, -ones))])
    discriminator.trainable = False
    g_losses.append(float(combined.train_on_batch(noise, ones)))
wide = [layer for layer in discriminator.layers if isinstance(layer, SpectralNormalization)]
values = [K.get_value(layer.w).reshape(-1, layer.w.shape[-1]) for layer in wide]
print('RESULT ' + json.dumps({
    'd': d_losses, 'g': g_losses, 'spectra': [float(np.linalg.svd(v)[1][0]) for v in values],
    'u': [np.abs(K.get_value(layer.u)).sum().item() for layer in wide], 'names': [len(layer.weights) for layer in wide]}))
