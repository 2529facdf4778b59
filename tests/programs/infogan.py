"""InfoGAN: a generator that takes labels, a discriminator and a recognition network on one body, a loss of its own for
the mutual information, np.concatenate and to_categorical around it."""
from __future__ import print_function, division

import json

import keras.backend as K
import numpy as np
from keras.layers import (Activation, BatchNormalization, Conv2D, Dense, Dropout, Flatten, Input, Reshape, UpSampling2D,
                          ZeroPadding2D, concatenate)
from keras.layers.advanced_activations import LeakyReLU
from keras.models import Sequential, Model
from keras.optimizers import SGD
from keras.utils import to_categorical


class INFOGAN():
    def __init__(self):
        self.img_rows = 8
        self.img_cols = 8
        self.channels = 1
        self.num_classes = 3
        self.img_shape = (self.img_rows, self.img_cols, self.channels)
        self.latent_dim = 7
        optimizer = SGD(0.02, 0.5)
        losses = ['binary_crossentropy', self.mutual_info_loss]

        # Build and the discriminator and recognition network
        self.discriminator, self.auxiliary = self.build_disk_and_q_net()
        self.discriminator.compile(loss=['binary_crossentropy'], optimizer=optimizer, metrics=['accuracy'])
        self.auxiliary.compile(loss=[self.mutual_info_loss], optimizer=optimizer, metrics=['accuracy'])

        # Build the generator
        self.generator = self.build_generator()
        gen_input = Input(shape=(self.latent_dim,))
        img = self.generator(gen_input)

        # For the combined model we will only train the generator
        self.discriminator.trainable = False
        valid = self.discriminator(img)
        target_label = self.auxiliary(img)
        self.combined = Model(gen_input, [valid, target_label])
        self.combined.compile(loss=losses, optimizer=SGD(0.02, 0.5))

    def build_generator(self):
        model = Sequential()
        model.add(Dense(8 * 2 * 2, activation='relu', input_dim=self.latent_dim))
        model.add(Reshape((2, 2, 8)))
        model.add(BatchNormalization(momentum=0.8))
        model.add(UpSampling2D())
        model.add(Conv2D(6, kernel_size=3, padding='same'))
        model.add(Activation('relu'))
        model.add(BatchNormalization(momentum=0.8))
        model.add(UpSampling2D())
        model.add(Conv2D(self.channels, kernel_size=3, padding='same'))
        model.add(Activation('tanh'))
        gen_input = Input(shape=(self.latent_dim,))
        return Model(gen_input, model(gen_input))

    def build_disk_and_q_net(self):
        img = Input(shape=self.img_shape)
        # Shared layers between discriminator and recognition network
        model = Sequential()
        model.add(Conv2D(6, kernel_size=3, strides=2, input_shape=self.img_shape, padding='same'))
        model.add(LeakyReLU(alpha=0.2))
        model.add(Dropout(0.))
        model.add(Conv2D(8, kernel_size=3, strides=2, padding='same'))
        model.add(ZeroPadding2D(padding=((0, 1), (0, 1))))
        model.add(LeakyReLU(alpha=0.2))
        model.add(BatchNormalization(momentum=0.8))
        model.add(Flatten())
        img_embedding = model(img)
        # Discriminator
        validity = Dense(1, activation='sigmoid')(img_embedding)
        # Recognition
        q_net = Dense(12, activation='relu')(img_embedding)
        label = Dense(self.num_classes, activation='softmax')(q_net)
        return Model(img, validity), Model(img, label)

    def mutual_info_loss(self, c, c_given_x):
        """The mutual information metric we aim to minimize"""
        eps = 1e-8
        conditional_entropy = K.mean(- K.sum(K.log(c_given_x + eps) * c, axis=1))
        entropy = K.mean(- K.sum(K.log(c + eps) * c, axis=1))
        return conditional_entropy + entropy

    def sample_generator_input(self, batch_size):
        sampled_noise = np.random.normal(0, 1, (batch_size, self.latent_dim - self.num_classes))
        sampled_labels = np.random.randint(0, self.num_classes, batch_size).reshape(-1, 1)
        sampled_labels = to_categorical(sampled_labels, num_classes=self.num_classes)
        return sampled_noise, sampled_labels

    def train(self, X_train, epochs, batch_size=12):
        valid = np.ones((batch_size, 1))
        fake = np.zeros((batch_size, 1))
        told = []
        for epoch in range(epochs):
            imgs = X_train[np.random.randint(0, X_train.shape[0], batch_size)]
            sampled_noise, sampled_labels = self.sample_generator_input(batch_size)
            gen_input = np.concatenate((sampled_noise, sampled_labels), axis=1)
            gen_imgs = self.generator.predict(gen_input)
            d_loss_real = self.discriminator.train_on_batch(imgs, valid)
            d_loss_fake = self.discriminator.train_on_batch(gen_imgs, fake)
            d_loss = 0.5 * np.add(d_loss_real, d_loss_fake)
            g_loss = self.combined.train_on_batch(gen_input, [valid, sampled_labels])
            told.append([float(d_loss[0]), float(d_loss[1])] + [float(v) for v in g_loss])
        print('%d [D loss: %.2f, acc.: %.2f%%] [Q loss: %.2f] [G loss: %.2f]' % (epoch, d_loss[0], 100 * d_loss[1],
                                                                              g_loss[1], g_loss[2]))
        return told


def known(model, rs):
    model.set_weights([np.abs(rs.normal(1, .1, w.shape)) if w.ndim == 1 else rs.normal(0, .25, w.shape)
                       for w in model.get_weights()])


infogan = INFOGAN()
np.random.seed(0)
X_train = np.tanh(np.random.normal(size=(30, 8, 8, 1)) + 2 * np.eye(8)[None, :, :, None])
rs = np.random.RandomState(1)
for model in (infogan.generator, infogan.discriminator, infogan.auxiliary):
    known(model, rs)
body = infogan.discriminator.layers[1]
assert infogan.auxiliary.layers[1] is body
told = infogan.train(X_train, 4)
sampled_noise, _ = infogan.sample_generator_input(3)
label = to_categorical(np.full(fill_value=1, shape=(3, 1)), num_classes=3)
made = infogan.generator.predict(np.concatenate((sampled_noise, label), axis=1))
recognised = infogan.auxiliary.predict(made)
before = body.get_weights()
infogan.discriminator.train_on_batch(X_train[:6], np.ones((6, 1)))
assert any(not np.array_equal(a, b) for a, b in zip(before, body.get_weights()))
assert concatenate is not None and made.shape == (3, 8, 8, 1)
print('RESULT ' + json.dumps({'told': told, 'made': made.ravel()[::9].tolist(), 'recognised': recognised.tolist()}))
