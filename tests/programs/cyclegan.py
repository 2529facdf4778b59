"""CycleGAN and pix2pix in small: an instance normalisation as keras_contrib had it, U-Net generators, PatchGAN
discriminators, six losses with weights, labels of the shape of the patches."""
from __future__ import print_function, division

import datetime
import json

import numpy as np
from keras import backend as K
from keras import constraints, initializers, regularizers
from keras.engine import InputSpec, Layer
from keras.layers import Concatenate, Conv2D, Dropout, Input, UpSampling2D
from keras.layers.advanced_activations import LeakyReLU
from keras.models import Model, load_model
from keras.optimizers import SGD
from keras.utils.generic_utils import get_custom_objects


class InstanceNormalization(Layer):
    """Each channel of each sample has mean 0 and deviation 1; axis None is over all but the samples."""

    def __init__(self, axis=None, epsilon=1e-3, center=True, scale=True, beta_initializer='zeros',
                 gamma_initializer='ones', beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, **kwargs):
        super(InstanceNormalization, self).__init__(**kwargs)
        self.supports_masking = True
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)

    def build(self, input_shape):
        ndim = len(input_shape)
        if self.axis == 0:
            raise ValueError('Axis cannot be zero')
        if (self.axis is not None) and (ndim == 2):
            raise ValueError('Cannot specify axis for rank 1 tensor')
        self.input_spec = InputSpec(ndim=ndim)
        shape = (1,) if self.axis is None else (input_shape[self.axis],)
        self.gamma = self.add_weight(shape=shape, name='gamma', initializer=self.gamma_initializer,
                                     regularizer=self.gamma_regularizer,
                                     constraint=self.gamma_constraint) if self.scale else None
        self.beta = self.add_weight(shape=shape, name='beta', initializer=self.beta_initializer,
                                    regularizer=self.beta_regularizer,
                                    constraint=self.beta_constraint) if self.center else None
        self.built = True

    def call(self, inputs, training=None):
        input_shape = K.int_shape(inputs)
        reduction_axes = list(range(0, len(input_shape)))
        if self.axis is not None:
            del reduction_axes[self.axis]
        del reduction_axes[0]
        mean = K.mean(inputs, reduction_axes, keepdims=True)
        stddev = K.std(inputs, reduction_axes, keepdims=True) + self.epsilon
        normed = (inputs - mean) / stddev
        broadcast_shape = [1] * len(input_shape)
        if self.axis is not None:
            broadcast_shape[self.axis] = input_shape[self.axis]
        if self.scale:
            normed = normed * K.reshape(self.gamma, broadcast_shape)
        if self.center:
            normed = normed + K.reshape(self.beta, broadcast_shape)
        return normed

    def get_config(self):
        config = {'axis': self.axis, 'epsilon': self.epsilon, 'center': self.center, 'scale': self.scale,
                  'beta_initializer': initializers.serialize(self.beta_initializer),
                  'gamma_initializer': initializers.serialize(self.gamma_initializer),
                  'beta_regularizer': regularizers.serialize(self.beta_regularizer),
                  'gamma_constraint': constraints.serialize(self.gamma_constraint)}
        base_config = super(InstanceNormalization, self).get_config()
        return dict(list(base_config.items()) + list(config.items()))


get_custom_objects().update({'InstanceNormalization': InstanceNormalization})


class CycleGAN():
    def __init__(self, size=8, channels=2):
        self.img_shape = (size, size, channels)
        self.channels = channels
        patch = int(size / 2 ** 2)
        self.disc_patch = (patch, patch, 1)
        self.gf, self.df = 4, 4
        self.lambda_cycle = 10.0                    # Cycle-consistency loss
        self.lambda_id = 0.1 * self.lambda_cycle    # Identity loss
        self.d_A, self.d_B = self.build_discriminator(), self.build_discriminator()
        self.d_A.compile(loss='mse', optimizer=SGD(0.02, 0.5), metrics=['accuracy'])
        self.d_B.compile(loss='mse', optimizer=SGD(0.02, 0.5), metrics=['accuracy'])
        self.g_AB, self.g_BA = self.build_generator(), self.build_generator()
        img_A, img_B = Input(shape=self.img_shape), Input(shape=self.img_shape)
        fake_B, fake_A = self.g_AB(img_A), self.g_BA(img_B)
        reconstr_A, reconstr_B = self.g_BA(fake_B), self.g_AB(fake_A)
        img_A_id, img_B_id = self.g_BA(img_A), self.g_AB(img_B)
        self.d_A.trainable = False
        self.d_B.trainable = False
        valid_A, valid_B = self.d_A(fake_A), self.d_B(fake_B)
        self.combined = Model(inputs=[img_A, img_B],
                              outputs=[valid_A, valid_B, reconstr_A, reconstr_B, img_A_id, img_B_id])
        self.combined.compile(loss=['mse', 'mse', 'mae', 'mae', 'mae', 'mae'],
                              loss_weights=[1, 1, self.lambda_cycle, self.lambda_cycle, self.lambda_id, self.lambda_id],
                              optimizer=SGD(0.02, 0.5))

    def build_generator(self):
        """U-Net Generator"""

        def conv2d(layer_input, filters, f_size=4):
            d = Conv2D(filters, kernel_size=f_size, strides=2, padding='same')(layer_input)
            d = LeakyReLU(alpha=0.2)(d)
            return InstanceNormalization()(d)

        def deconv2d(layer_input, skip_input, filters, f_size=4, dropout_rate=0):
            u = UpSampling2D(size=2)(layer_input)
            u = Conv2D(filters, kernel_size=f_size, strides=1, padding='same', activation='relu')(u)
            if dropout_rate:
                u = Dropout(dropout_rate)(u)
            u = InstanceNormalization(axis=-1)(u)
            return Concatenate()([u, skip_input])

        d0 = Input(shape=self.img_shape)
        d1 = conv2d(d0, self.gf)
        d2 = conv2d(d1, self.gf * 2)
        u1 = deconv2d(d2, d1, self.gf)
        u2 = UpSampling2D(size=2)(u1)
        output_img = Conv2D(self.channels, kernel_size=4, strides=1, padding='same', activation='tanh')(u2)
        return Model(d0, output_img)

    def build_discriminator(self):

        def d_layer(layer_input, filters, f_size=4, normalization=True):
            d = Conv2D(filters, kernel_size=f_size, strides=2, padding='same')(layer_input)
            d = LeakyReLU(alpha=0.2)(d)
            return InstanceNormalization()(d) if normalization else d

        img = Input(shape=self.img_shape)
        d1 = d_layer(img, self.df, normalization=False)
        d2 = d_layer(d1, self.df * 2)
        return Model(img, Conv2D(1, kernel_size=4, strides=1, padding='same')(d2))

    def train(self, batches):
        start_time, told = datetime.datetime.now(), []
        for imgs_A, imgs_B in batches:
            valid = np.ones((len(imgs_A),) + self.disc_patch)
            fake = np.zeros((len(imgs_A),) + self.disc_patch)
            fake_B, fake_A = self.g_AB.predict(imgs_A), self.g_BA.predict(imgs_B)
            dA_loss = 0.5 * np.add(self.d_A.train_on_batch(imgs_A, valid), self.d_A.train_on_batch(fake_A, fake))
            dB_loss = 0.5 * np.add(self.d_B.train_on_batch(imgs_B, valid), self.d_B.train_on_batch(fake_B, fake))
            d_loss = 0.5 * np.add(dA_loss, dB_loss)
            g_loss = self.combined.train_on_batch([imgs_A, imgs_B], [valid, valid, imgs_A, imgs_B, imgs_A, imgs_B])
            told.append([float(d_loss[0])] + [float(v) for v in g_loss])
        print('[G loss: %05f, adv: %05f, recon: %05f, id: %05f] time: %s' % (
            g_loss[0], np.mean(g_loss[1:3]), np.mean(g_loss[3:5]), np.mean(g_loss[5:6]),
            datetime.datetime.now() - start_time))
        return told


rs = np.random.RandomState(10)
gan = CycleGAN()
for model in (gan.d_A, gan.d_B, gan.g_AB, gan.g_BA):
    model.set_weights([rs.normal(0, .2, w.shape) if w.ndim > 1 else rs.normal(.7, .1, w.shape)
                       for w in model.get_weights()])
A, B = np.tanh(rs.normal(size=(8, 8, 8, 2))), np.tanh(rs.normal(size=(8, 8, 8, 2)) * .3)
told = gan.train([(A[i:i + 4], B[i:i + 4]) for i in (0, 4)])
translated = gan.g_AB.predict(A[:2])

# The layer alone, against NumPy, in both forms, and through a file.
x = Input((4, 4, 3))
alone = Model(x, [InstanceNormalization()(x), InstanceNormalization(axis=3, name='by_channel')(x)])
values = rs.normal(2, 3, (5, 4, 4, 3))
whole, by_channel = alone.predict(values)
for found, axes in ((whole, (1, 2, 3)), (by_channel, (1, 2))):
    expected = (values - values.mean(axes, keepdims=True)) / (values.std(axes, keepdims=True) + 1e-3)
    np.testing.assert_allclose(found, expected, atol=1e-4)
gan.g_AB.save('g_AB.h5')
np.testing.assert_allclose(load_model('g_AB.h5').predict(A[:2]), translated, atol=1e-5)
print('RESULT ' + json.dumps({'told': told, 'translated': translated.ravel()[::9].tolist(),
                              'names': len(gan.combined.metrics_names)}))
