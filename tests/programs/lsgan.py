"""A least-squares GAN of 2017 in one class: LeakyReLU, BatchNormalization with momentum, Reshape, mse in the place of
binary crossentropy."""
from __future__ import print_function, division

import json

from keras.layers import Input, Dense, Reshape, Flatten
from keras.layers import BatchNormalization
from keras.layers.advanced_activations import LeakyReLU
from keras.models import Sequential, Model
from keras.optimizers import SGD

import numpy as np


class LSGAN():
    def __init__(self):
        self.img_rows = 6
        self.img_cols = 6
        self.channels = 1
        self.img_shape = (self.img_rows, self.img_cols, self.channels)
        self.latent_dim = 8
        optimizer = SGD(0.02, 0.5)

        # Build and compile the discriminator
        self.discriminator = self.build_discriminator()
        self.discriminator.compile(loss='mse', optimizer=optimizer, metrics=['accuracy'])

        # Build the generator
        self.generator = self.build_generator()

        # The generator takes noise as input and generated imgs
        z = Input(shape=(self.latent_dim,))
        img = self.generator(z)

        # For the combined model we will only train the generator
        self.discriminator.trainable = False
        valid = self.discriminator(img)
        self.combined = Model(z, valid)
        self.combined.compile(loss='mse', optimizer=SGD(0.02, 0.5))

    def build_generator(self):
        model = Sequential()
        model.add(Dense(16, input_dim=self.latent_dim))
        model.add(LeakyReLU(alpha=0.2))
        model.add(BatchNormalization(momentum=0.8))
        model.add(Dense(24))
        model.add(LeakyReLU(alpha=0.2))
        model.add(BatchNormalization(momentum=0.8))
        model.add(Dense(np.prod(self.img_shape), activation='tanh'))
        model.add(Reshape(self.img_shape))
        model.summary()
        noise = Input(shape=(self.latent_dim,))
        img = model(noise)
        return Model(noise, img)

    def build_discriminator(self):
        model = Sequential()
        model.add(Flatten(input_shape=self.img_shape))
        model.add(Dense(24))
        model.add(LeakyReLU(alpha=0.2))
        model.add(Dense(12))
        model.add(LeakyReLU(alpha=0.2))
        # (!!!) No softmax
        model.add(Dense(1))
        model.summary()
        img = Input(shape=self.img_shape)
        validity = model(img)
        return Model(img, validity)

    def train(self, x_train, epochs, batch_size=16):
        x_train = (x_train.astype(np.float32) - 127.5) / 127.5
        x_train = np.expand_dims(x_train, axis=3)
        valid = np.ones((batch_size, 1))
        fake = np.zeros((batch_size, 1))
        told = []
        for epoch in range(epochs):
            idx = np.random.randint(0, x_train.shape[0], batch_size)
            imgs = x_train[idx]
            noise = np.random.normal(0, 1, (batch_size, self.latent_dim))
            gen_imgs = self.generator.predict(noise)
            d_loss_real = self.discriminator.train_on_batch(imgs, valid)
            d_loss_fake = self.discriminator.train_on_batch(gen_imgs, fake)
            d_loss = 0.5 * np.add(d_loss_real, d_loss_fake)
            g_loss = self.combined.train_on_batch(noise, valid)
            told.append([float(d_loss[0]), float(d_loss[1]), float(g_loss)])
        print('%d [D loss: %f, acc.: %.2f%%] [G loss: %f]' % (epoch, d_loss[0], 100 * d_loss[1], g_loss))
        return told


def known(model, seed):
    rs = np.random.RandomState(seed)
    model.set_weights([np.abs(rs.normal(1, .1, w.shape)) if w.ndim == 1 else rs.normal(0, .3, w.shape)
                       for w in model.get_weights()])


if __name__ == '__main__':
    gan = LSGAN()
    np.random.seed(17)
    squares = np.zeros((40, 6, 6), 'uint8')
    for k, (i, j) in enumerate(np.random.randint(0, 4, (40, 2))):
        squares[k, i:i + 3, j:j + 3] = 255
    known(gan.generator, 1)
    known(gan.discriminator, 2)
    told = gan.train(squares, 6)
    noise = np.random.normal(0, 1, (3, gan.latent_dim))
    made = gan.generator.predict(noise)
    assert made.shape == (3, 6, 6, 1) and np.abs(made).max() <= 1
    more = gan.train(squares, 30)
    assert np.isfinite(more).all()
    moving = gan.generator.get_weights()
    print('RESULT ' + json.dumps({'told': told, 'made': made.ravel()[::6].tolist(), 'weights': len(moving)}))
