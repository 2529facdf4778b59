"""Improved Wasserstein GAN: gradient penalty on mixed samples by K.gradients inside a loss, built with functools.partial."""
import json
from functools import partial

import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense, Input, Lambda, LeakyReLU
from keras.layers.merge import _Merge
from keras.models import Model, Sequential
from keras.optimizers import RMSprop

np.random.seed(0)
BATCH, LATENT, PENALTY = 16, 3, 10


class MixedSamples(_Merge):
    """A point on the line between a real and a generated sample; the weight comes in, so that it can be known."""

    def _merge_function(self, inputs):
        real, fake, weights = inputs
        return (weights * real) + ((1 - weights) * fake)

    def compute_output_shape(self, input_shape):
        return input_shape[0]


def wasserstein_loss(y_true, y_pred):
    return K.mean(y_true * y_pred)


def gradient_penalty_loss(y_true, y_pred, averaged_samples, gradient_penalty_weight):
    gradients = K.gradients(y_pred, averaged_samples)[0]
    gradients_sqr = K.square(gradients)
    gradients_sqr_sum = K.sum(gradients_sqr, axis=np.arange(1, len(K.int_shape(gradients_sqr))).tolist())
    gradient_l2_norm = K.sqrt(gradients_sqr_sum)
    return K.mean(gradient_penalty_weight * K.square(1 - gradient_l2_norm))


def make_generator():
    return Sequential([Dense(8, input_dim=LATENT), LeakyReLU(), Dense(2)])


def make_discriminator():
    model = Sequential()
    model.add(Dense(12, input_dim=2, kernel_initializer='he_normal'))
    model.add(LeakyReLU(0.2))
    model.add(Dense(8, activation='tanh'))
    model.add(Dense(1))
    return model


generator, discriminator = make_generator(), make_discriminator()
for layer in discriminator.layers:
    layer.trainable = False
discriminator.trainable = False
generator_input = Input(shape=(LATENT,))
generator_model = Model(inputs=[generator_input], outputs=[discriminator(generator(generator_input))])
generator_model.compile(optimizer=RMSprop(0.005), loss=wasserstein_loss)

for layer in discriminator.layers:
    layer.trainable = True
for layer in generator.layers:
    layer.trainable = False
discriminator.trainable = True
generator.trainable = False
real_samples, noise, mixing = Input(shape=(2,)), Input(shape=(LATENT,)), Input(shape=(1,))
generated = generator(noise)
averaged_samples = MixedSamples()([real_samples, generated, mixing])
averaged_out = discriminator(averaged_samples)
partial_gp_loss = partial(gradient_penalty_loss, averaged_samples=averaged_samples, gradient_penalty_weight=PENALTY)
partial_gp_loss.__name__ = 'gradient_penalty'
discriminator_model = Model(inputs=[real_samples, noise, mixing],
                            outputs=[discriminator(real_samples), discriminator(generated), averaged_out])
discriminator_model.compile(optimizer=RMSprop(0.005), loss=[wasserstein_loss, wasserstein_loss, partial_gp_loss])
assert len(discriminator_model._collected_trainable_weights) == 6
assert len(generator_model._collected_trainable_weights) == 4

rng = np.random.RandomState(3)
for model in generator, discriminator:
    model.set_weights([rng.normal(0, 0.5, w.shape) for w in model.get_weights()])
positive_y = np.ones((BATCH, 1), dtype=np.float32)
negative_y, dummy_y = -positive_y, np.zeros((BATCH, 1), dtype=np.float32)


def real_batch():
    angle = rng.uniform(0, 2 * np.pi, (BATCH, 1))
    return np.concatenate([2 + np.cos(angle), np.sin(angle)], axis=1)


def critic_inputs():
    return [real_batch(), rng.normal(size=(BATCH, LATENT)), rng.uniform(size=(BATCH, 1))]


# The penalty and the gradient of its norm, against finite differences.
samples = critic_inputs()
told = [float(v) for v in discriminator_model.test_on_batch(samples, [negative_y, positive_y, dummy_y])]
fake = generator.predict(samples[1])
points = samples[2] * samples[0] + (1 - samples[2]) * fake
slopes = np.zeros((BATCH, 2))
for axis in range(2):
    step = np.zeros(2)
    step[axis] = 1e-2
    slopes[:, axis] = (discriminator.predict(points + step) - discriminator.predict(points - step))[:, 0] / 2e-2
expected = np.mean(PENALTY * (1 - np.sqrt(np.sum(slopes ** 2, axis=1))) ** 2)
assert abs(told[3] - expected) < 0.05 * expected + 0.02, (told, expected)
assert abs(told[0] - sum(told[1:])) < 1e-4

kernel = discriminator.layers[2].kernel
penalty_gradient = K.function([real_samples, noise, mixing], K.gradients(
    gradient_penalty_loss(None, averaged_out, averaged_samples, PENALTY), [kernel]))
second_order = penalty_gradient(samples)[0]
assert second_order.shape == (12, 8) and np.abs(second_order).max() > 0

penalties, d_losses, g_losses = [], [], []
for i in range(60):
    told_d = discriminator_model.train_on_batch(critic_inputs(), [negative_y, positive_y, dummy_y])
    penalties.append(float(told_d[3]))
    d_losses.append(float(told_d[0]))
    if i % 3 == 2:
        before = discriminator.get_weights()
        g_losses.append(float(generator_model.train_on_batch(rng.normal(size=(BATCH, LATENT)), negative_y)))
        assert all(np.array_equal(a, b) for a, b in zip(before, discriminator.get_weights()))
assert np.mean(penalties[-10:]) < 0.5 * told[3], (told, penalties)
assert np.isfinite(d_losses + g_losses).all() and np.mean(d_losses[-10:]) < told[0]
clipped = Lambda(lambda t: K.clip(t, -0.01, 0.01))(real_samples)
assert np.abs(Model(real_samples, clipped).predict(real_batch())).max() <= 0.01 + 1e-7
# With Keras 2.2 on TensorFlow 1 later losses depend on the order in which variables are written.
steps = 3 if keras.__version__ >= '2.3' else 1
print('RESULT ' + json.dumps({'told': told, 'second_order': second_order.tolist(), 'd_losses': d_losses[:steps]}))
