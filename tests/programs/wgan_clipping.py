"""A Wasserstein GAN with clipped weights: n_critic steps, convolutions and upsampling, the critic's weights read and
set layer by layer, a clipping constraint of its own beside it."""
from __future__ import print_function, division

import json

import keras.backend as K
import numpy as np
from keras.constraints import Constraint
from keras.layers import (Activation, BatchNormalization, Conv2D, Dense, Dropout, Flatten, Input, Reshape, UpSampling2D,
                          ZeroPadding2D)
from keras.layers.advanced_activations import LeakyReLU
from keras.models import Model, Sequential, load_model
from keras.optimizers import RMSprop


class WeightClip(Constraint):
    '''Clips the weights incident to each hidden unit to be inside a range
    '''
    def __init__(self, c=2):
        self.c = c

    def __call__(self, p):
        return K.clip(p, -self.c, self.c)

    def get_config(self):
        return {'c': self.c}


class WGAN():
    def __init__(self, constraint=None):
        self.img_shape = (8, 8, 1)
        self.latent_dim = 4
        # Following parameter and optimizer set as recommended in paper
        self.n_critic = 3
        self.clip_value = 0.05
        optimizer = RMSprop(lr=0.0005)
        self.critic = self.build_critic(constraint)
        self.critic.compile(loss=self.wasserstein_loss, optimizer=optimizer, metrics=['accuracy'])
        self.generator = self.build_generator()
        z = Input(shape=(self.latent_dim,))
        img = self.generator(z)
        self.critic.trainable = False
        valid = self.critic(img)
        self.combined = Model(z, valid)
        self.combined.compile(loss=self.wasserstein_loss, optimizer=RMSprop(lr=0.0005), metrics=['accuracy'])

    def wasserstein_loss(self, y_true, y_pred):
        return K.mean(y_true * y_pred)

    def build_generator(self):
        model = Sequential()
        model.add(Dense(8 * 2 * 2, activation='relu', input_dim=self.latent_dim))
        model.add(Reshape((2, 2, 8)))
        model.add(UpSampling2D())
        model.add(Conv2D(8, kernel_size=4, padding='same', use_bias=False))
        model.add(BatchNormalization(momentum=0.8))
        model.add(Activation('relu'))
        model.add(UpSampling2D())
        model.add(Conv2D(4, kernel_size=4, padding='same', use_bias=False))
        model.add(BatchNormalization(momentum=0.8))
        model.add(Activation('relu'))
        model.add(Conv2D(1, kernel_size=4, padding='same'))
        model.add(Activation('tanh'))
        noise = Input(shape=(self.latent_dim,))
        return Model(noise, model(noise))

    def build_critic(self, constraint):
        model = Sequential()
        model.add(Conv2D(4, kernel_size=3, strides=2, input_shape=self.img_shape, padding='same',
                         kernel_constraint=constraint))
        model.add(LeakyReLU(alpha=0.2))
        model.add(Dropout(0.))
        model.add(Conv2D(6, kernel_size=3, strides=2, padding='same', kernel_constraint=constraint))
        model.add(ZeroPadding2D(padding=((0, 1), (0, 1))))
        model.add(BatchNormalization(momentum=0.8))
        model.add(LeakyReLU(alpha=0.2))
        model.add(Conv2D(6, kernel_size=3, strides=1, padding='same', kernel_constraint=constraint))
        model.add(LeakyReLU(alpha=0.2))
        model.add(Flatten())
        model.add(Dense(1, kernel_constraint=constraint))
        img = Input(shape=self.img_shape)
        return Model(img, model(img))

    def train(self, x_train, epochs, batch_size=8):
        valid = -np.ones((batch_size, 1))
        fake = np.ones((batch_size, 1))
        told = []
        for epoch in range(epochs):
            for _ in range(self.n_critic):
                idx = np.random.randint(0, x_train.shape[0], batch_size)
                imgs = x_train[idx]
                noise = np.random.normal(0, 1, (batch_size, self.latent_dim))
                gen_imgs = self.generator.predict(noise)
                d_loss_real = self.critic.train_on_batch(imgs, valid)
                d_loss_fake = self.critic.train_on_batch(gen_imgs, fake)
                d_loss = 0.5 * np.add(d_loss_fake, d_loss_real)
                # Clip critic weights
                for layer in self.critic.layers:
                    weights = layer.get_weights()
                    weights = [np.clip(w, -self.clip_value, self.clip_value) for w in weights]
                    layer.set_weights(weights)
            g_loss = self.combined.train_on_batch(noise, valid)
            told.append([float(1 - d_loss[0]), float(1 - g_loss[0])])
        print('%d [D loss: %f] [G loss: %f]' % (epoch, 1 - d_loss[0], 1 - g_loss[0]))
        return told


def known(model, seed):
    rs = np.random.RandomState(seed)
    model.set_weights([np.abs(rs.normal(1, .1, w.shape)) if w.ndim == 1 else rs.normal(0, .2, w.shape)
                       for w in model.get_weights()])


wgan = WGAN()
np.random.seed(5)
images = np.tanh(np.random.normal(size=(24, 1, 8, 1)) + np.linspace(-1, 1, 8)[:, None, None] * np.ones((1, 8, 1)))
known(wgan.generator, 1)
known(wgan.critic, 2)
told = wgan.train(images, 3)
assert max(np.abs(w).max() for w in wgan.critic.get_weights()) <= .05 + 1e-7
made = wgan.generator.predict(np.random.normal(size=(2, 4)))

# The same by a constraint, which keeps what is in the layers; saved, and loaded with it.
other = WGAN(WeightClip(.1))
known(other.generator, 1)
known(other.critic, 2)
valid = -np.ones((24, 1))
steps = [float(other.critic.train_on_batch(images, valid)[0]) for _ in range(3)]
inner = other.critic.layers[1]
kernels = [layer.get_weights()[0] for layer in inner.layers if isinstance(layer, (Conv2D, Dense))]
assert len(kernels) == 4 and max(np.abs(w).max() for w in kernels) <= .1 + 1e-7
inner.save('critic.h5')
loaded = load_model('critic.h5', custom_objects={'WeightClip': WeightClip})
np.testing.assert_allclose(loaded.predict(images), inner.predict(images), atol=1e-6)
assert abs(loaded.layers[0].kernel_constraint.c - .1) < 1e-12
print('RESULT ' + json.dumps({'told': told, 'made': made.ravel()[::7].tolist(), 'steps': steps,
                              'kernels': [float(np.abs(w).sum()) for w in kernels]}))
