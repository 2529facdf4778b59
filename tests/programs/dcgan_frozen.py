"""DCGAN of 2016: discriminator and generator trained in turns, the discriminator frozen in the stacked model."""
import json

import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense, Flatten, Reshape
from keras.layers.advanced_activations import LeakyReLU
from keras.layers.convolutional import Conv2D, UpSampling2D
from keras.layers.core import Activation
from keras.layers.normalization import BatchNormalization
from keras.models import Sequential
from keras.optimizers import SGD

np.random.seed(42)
LATENT = 6
BATCH = 8
shape = (1, 8, 8) if K.image_data_format() == 'channels_first' else (8, 8, 1)
channel_axis = 1 if K.image_data_format() == 'channels_first' else -1


def generator_model():
    model = Sequential(name='generator')
    model.add(Dense(input_dim=LATENT, units=2 * 2 * 6))
    model.add(BatchNormalization(momentum=0.8))
    model.add(Activation('relu'))
    small = (6, 2, 2) if channel_axis == 1 else (2, 2, 6)
    model.add(Reshape(small))
    model.add(UpSampling2D(size=(2, 2)))
    model.add(Conv2D(4, (3, 3), padding='same'))
    model.add(BatchNormalization(axis=channel_axis, momentum=0.8))
    model.add(Activation('relu'))
    model.add(UpSampling2D(size=(2, 2)))
    model.add(Conv2D(1, (3, 3), padding='same'))
    model.add(Activation('tanh'))
    return model


def discriminator_model():
    model = Sequential(name='discriminator')
    model.add(Conv2D(4, (3, 3), strides=(2, 2), padding='same', input_shape=shape))
    model.add(LeakyReLU(0.2))
    model.add(Conv2D(6, (3, 3), strides=(2, 2), padding='same'))
    model.add(BatchNormalization(axis=channel_axis, momentum=0.8))
    model.add(LeakyReLU(0.2))
    model.add(Flatten())
    model.add(Dense(1))
    model.add(Activation('sigmoid'))
    return model


def generator_containing_discriminator(g, d):
    model = Sequential()
    model.add(g)
    d.trainable = False
    model.add(d)
    return model


def set_weights(model, seed):
    rng = np.random.RandomState(seed)
    model.set_weights([rng.uniform(0.2, 0.8, w.shape) if w.ndim == 1 else rng.normal(0, 0.3, w.shape)
                       for w in model.get_weights()])


def same(old, new):
    return all(np.array_equal(o, n) for o, n in zip(old, new))


d = discriminator_model()
d_optim = SGD(lr=0.02, momentum=0.9, nesterov=True)
g_optim = SGD(lr=0.05, momentum=0.9, nesterov=True)
d.compile(loss='binary_crossentropy', optimizer=d_optim, metrics=['accuracy'])
g = generator_model()
d_on_g = generator_containing_discriminator(g, d)
d_on_g.compile(loss='binary_crossentropy', optimizer=g_optim)
assert len(d_on_g.trainable_weights) == len(g.trainable_weights) == 10
assert len(d_on_g._collected_trainable_weights) == 10
assert len(d._collected_trainable_weights) == 8

set_weights(g, 1)
set_weights(d, 2)
rng = np.random.RandomState(3)
real_images = np.clip(rng.normal(0.6, 0.2, (64,) + shape), -1, 1)
noise = rng.uniform(-1, 1, (BATCH, LATENT))
generated = g.predict(noise)
assert generated.shape == (BATCH,) + shape
assert np.abs(generated).max() <= 1.

d_losses, g_losses = [], []
for index in range(12):
    noise = rng.uniform(-1, 1, size=(BATCH, LATENT))
    image_batch = real_images[(index % 8) * BATCH:(index % 8 + 1) * BATCH]
    fake = g.predict(noise, verbose=0)
    X = np.concatenate((image_batch, fake))
    y = [1] * BATCH + [0] * BATCH

    frozen = g.get_weights()
    d.trainable = True
    d_loss, d_acc = d.train_on_batch(X, np.array(y))
    assert same(frozen, g.get_weights())

    before_d, before_g = d.get_weights(), g.get_weights()
    d.trainable = False
    g_loss = d_on_g.train_on_batch(noise, np.array([1] * BATCH))
    d.trainable = True
    after_d = d.get_weights()
    assert all(np.array_equal(o, n) for o, n in zip(before_d[:4], after_d[:4])), 'the frozen half has moved'
    assert not same(before_g, g.get_weights())
    d_losses.append(float(d_loss))
    g_losses.append(float(g_loss))
    assert np.isscalar(d_loss) and 0 <= d_acc <= 1
print('batch %d d_loss : %f g_loss : %f' % (index, d_losses[-1], g_losses[-1]))
assert np.isfinite(d_losses + g_losses).all()

# The discriminator alone, against a fixed fake: it has to win.
fake = g.predict(rng.uniform(-1, 1, (32, LATENT)))
for _ in range(30):
    d.train_on_batch(np.concatenate([real_images[:32], fake]), np.array([1.] * 32 + [0.] * 32))
loss, acc = d.evaluate(np.concatenate([real_images[:32], fake]), np.array([1.] * 32 + [0.] * 32), verbose=0)
assert loss < 0.3 * d_losses[0] or loss < 0.2, (loss, d_losses[0])
# The generator alone, against that frozen one.
d.trainable = False
noise = rng.uniform(-1, 1, (BATCH, LATENT))
stack = [float(d_on_g.train_on_batch(noise, np.ones(BATCH))) for _ in range(40)]
assert stack[-1] < 0.5 * stack[0], stack
# The moving averages of Keras 2.2 on TensorFlow 1 begin anew in every process, and g.predict reads them.
steps = 3 if keras.__version__ >= '2.3' else 1
print('RESULT ' + json.dumps({'generated': generated.reshape(BATCH, -1)[:, ::9].tolist(), 'd': d_losses[:steps],
                              'g': g_losses[:steps]}))
