"""Wasserstein GAN with the gradient penalty: a merge layer that mixes real and made samples, a loss with K.gradients
bound by functools.partial, a generator and a critic that freeze each other."""
# engines: tensorflow
import json
import os
from functools import partial

import numpy as np
try:
    import tensorflow as tf
except ImportError:
    raise RuntimeError('This program needs TensorFlow.')
from keras import backend as K
if os.environ.get('KERAS_BACKEND', 'tensorflow') != 'tensorflow' or K.backend() != 'tensorflow':
    raise RuntimeError('This program supports the TensorFlow backend only, not ' + K.backend())
from keras.layers import Dense, Input, LeakyReLU
from keras.layers.merge import _Merge
from keras.models import Model, Sequential
from keras.optimizers import RMSprop

BATCH_SIZE = 32
TRAINING_RATIO = 3
GRADIENT_PENALTY_WEIGHT = 10


def wasserstein_loss(y_true, y_pred):
    return K.mean(y_true * y_pred)


def gradient_penalty_loss(y_true, y_pred, averaged_samples, gradient_penalty_weight):
    gradients = K.gradients(y_pred, averaged_samples)[0]
    gradients_sqr = K.square(gradients)
    gradients_sqr_sum = K.sum(gradients_sqr, axis=np.arange(1, len(gradients_sqr.shape)))
    gradient_l2_norm = K.sqrt(gradients_sqr_sum)
    gradient_penalty = gradient_penalty_weight * K.square(1 - gradient_l2_norm)
    return K.mean(gradient_penalty)


class RandomWeightedAverage(_Merge):
    """Points on the lines between pairs of real and made samples."""

    def _merge_function(self, inputs):
        weights = K.random_uniform((BATCH_SIZE, 1))
        return (weights * inputs[0]) + ((1 - weights) * inputs[1])


class Middle(_Merge):
    """The middle of each pair, where nothing may be random."""

    def _merge_function(self, inputs):
        return (inputs[0] + inputs[1]) / 2.


def make_generator():
    model = Sequential()
    model.add(Dense(16, input_dim=2))
    model.add(LeakyReLU())
    model.add(Dense(2))
    return model


def make_discriminator():
    model = Sequential()
    model.add(Dense(24, input_dim=2, kernel_initializer='he_normal'))
    model.add(LeakyReLU())
    model.add(Dense(24, kernel_initializer='he_normal'))
    model.add(LeakyReLU())
    model.add(Dense(1, kernel_initializer='he_normal'))
    return model


def assemble(generator, discriminator, between):
    for layer in generator.layers:
        layer.trainable = True
    for layer in discriminator.layers:
        layer.trainable = False
    generator.trainable, discriminator.trainable = True, False
    generator_input = Input(shape=(2,))
    generator_model = Model(inputs=[generator_input], outputs=[discriminator(generator(generator_input))])
    generator_model.compile(optimizer=RMSprop(.003), loss=wasserstein_loss)
    for layer in discriminator.layers:
        layer.trainable = True
    for layer in generator.layers:
        layer.trainable = False
    discriminator.trainable = True
    generator.trainable = False
    real_samples = Input(shape=(2,))
    noise = Input(shape=(2,))
    generated = generator(noise)
    averaged_samples = between([real_samples, generated])
    averaged_out = discriminator(averaged_samples)
    partial_gp_loss = partial(gradient_penalty_loss, averaged_samples=averaged_samples,
                              gradient_penalty_weight=GRADIENT_PENALTY_WEIGHT)
    partial_gp_loss.__name__ = 'gradient_penalty'  # Functions need names or Keras will throw an error
    discriminator_model = Model(inputs=[real_samples, noise],
                                outputs=[discriminator(real_samples), discriminator(generated), averaged_out])
    discriminator_model.compile(optimizer=RMSprop(.006), loss=[wasserstein_loss, wasserstein_loss, partial_gp_loss])
    return generator_model, discriminator_model


def known_weights(model, seed):
    rs = np.random.RandomState(seed)
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])


positive_y = np.ones((BATCH_SIZE, 1), dtype=np.float32)
negative_y = -positive_y
dummy_y = np.zeros((BATCH_SIZE, 1), dtype=np.float32)

# Three steps of the critic and one of the generator, with nothing random.
generator, discriminator = make_generator(), make_discriminator()
known_weights(generator, 1)
known_weights(discriminator, 2)
generator_model, discriminator_model = assemble(generator, discriminator, Middle())
rs = np.random.RandomState(3)
real, noise = rs.normal(2, .3, (BATCH_SIZE, 2)), rs.rand(BATCH_SIZE, 2)
frozen = generator.get_weights()
steps = [[float(v) for v in discriminator_model.train_on_batch([real, noise], [positive_y, negative_y, dummy_y])]
         for _ in range(3)]
assert all(np.array_equal(a, b) for a, b in zip(frozen, generator.get_weights()))
kept = discriminator.get_weights()
of_generator = float(generator_model.train_on_batch(noise, positive_y))
assert all(np.array_equal(a, b) for a, b in zip(kept, discriminator.get_weights()))
assert not np.array_equal(frozen[0], generator.get_weights()[0])

# The penalty by differences, for the critic as it is now.
middle = (real + generator.predict(noise)) / 2
eps = 1e-2
slopes = np.stack([(discriminator.predict(middle + d) - discriminator.predict(middle - d))[:, 0] / (2 * eps)
                   for d in eps * np.eye(2)], -1)
expected = 10 * np.mean((1 - np.sqrt((slopes ** 2).sum(-1))) ** 2)
found = discriminator_model.test_on_batch([real, noise], [positive_y, negative_y, dummy_y])[3]
assert abs(found / expected - 1) < .05, (found, expected)

np.random.seed(0)
tf.set_random_seed(0)
generator_model, discriminator_model = assemble(generator, discriminator, RandomWeightedAverage())
for epoch in range(150):
    for j in range(TRAINING_RATIO):
        real = np.random.normal([2, -1], .3, (BATCH_SIZE, 2))
        noise = np.random.rand(BATCH_SIZE, 2).astype(np.float32)
        discriminator_model.train_on_batch([real, noise], [positive_y, negative_y, dummy_y])
    generator_model.train_on_batch(np.random.rand(BATCH_SIZE, 2), positive_y)
made = generator.predict(np.random.rand(500, 2))
distance = np.linalg.norm(made.mean(0) - [2, -1])
assert distance < 1.5, made.mean(0)  # it was 3 at first
print('the mean of what is made is %.2f away' % distance)
print('RESULT ' + json.dumps({'steps': steps, 'generator': of_generator}))
