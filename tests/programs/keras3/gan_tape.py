"""A GAN in `train_step` with tf.GradientTape, and a gradient penalty by a tape in a tape, as of 2020."""
# backends: tensorflow torch
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def fixed(seed):
    def initialize(shape, dtype=None, **kwargs):
        return tf.convert_to_tensor(np.random.RandomState(seed).normal(0, 0.5, shape), dtype='float32')

    return initialize


def dense(units, seed, activation=None):
    return layers.Dense(units, activation, kernel_initializer=fixed(seed))


class GAN(keras.Model):
    """Two networks that learn from each other."""

    def __init__(self, discriminator, generator, noise):
        super(GAN, self).__init__()
        self.discriminator, self.generator, self.noise = discriminator, generator, noise

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super(GAN, self).compile()
        self.d_optimizer, self.g_optimizer, self.loss_fn = d_optimizer, g_optimizer, loss_fn

    def penalty(self, real, fake):
        mixed = 0.25 * real + 0.75 * fake
        with tf.GradientTape() as tape:
            tape.watch(mixed)
            found = self.discriminator(mixed, training=True)
        gradient = tape.gradient(found, [mixed])[0]
        norm = tf.sqrt(tf.reduce_sum(tf.square(gradient), axis=[1]) + 1e-8)
        return tf.reduce_mean((norm - 1.0) ** 2)

    def train_step(self, real):
        if isinstance(real, tuple):
            real = real[0]
        batch = tf.shape(real)[0]
        fake = self.generator(tf.gather(self.noise, tf.range(batch)))
        labels = tf.concat([tf.ones((batch, 1)), tf.zeros((batch, 1))], axis=0)
        with tf.GradientTape() as tape:
            predictions = self.discriminator(tf.concat([fake, real], axis=0))
            d_loss = tf.reduce_mean(self.loss_fn(labels, predictions)) + 0.5 * self.penalty(real, fake)
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(zip(grads, self.discriminator.trainable_weights))
        misleading = tf.zeros((batch, 1))
        with tf.GradientTape() as tape:
            predictions = self.discriminator(self.generator(tf.gather(self.noise, tf.range(batch))))
            g_loss = tf.reduce_mean(self.loss_fn(misleading, predictions))
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))
        return {'d_loss': d_loss, 'g_loss': g_loss}


rng = np.random.RandomState(0)
noise = rng.normal(size=(8, 3)).astype('float32')
discriminator = keras.Sequential([keras.Input((2,)), dense(6, 1, 'tanh'), dense(1, 2)])
generator = keras.Sequential([keras.Input((3,)), dense(6, 3, 'tanh'), dense(2, 4)])
gan = GAN(discriminator, generator, noise)
gan.compile(
    keras.optimizers.SGD(0.1), keras.optimizers.SGD(0.1), keras.losses.BinaryCrossentropy(from_logits=True)
)
history = gan.fit(rng.normal(2.0, 0.5, (16, 2)).astype('float32'), batch_size=8, epochs=5, shuffle=False, verbose=0)
weights = [float(np.abs(w).sum()) for w in discriminator.get_weights() + generator.get_weights()]
print('RESULT', json.dumps({'d': history.history['d_loss'][-1], 'g': history.history['g_loss'], 'weights': weights}))
