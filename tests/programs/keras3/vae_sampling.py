"""A variational autoencoder as of 2020: Lambda sampling with K.random_normal, K.shape and K.int_shape, and the loss of
a layer by add_loss. The noise has a scale of zero where numbers are compared."""
import json

import numpy as np
import tensorflow.keras.backend as K
from tensorflow.keras.layers import Dense, Input, Lambda, Layer
from tensorflow.keras.losses import binary_crossentropy
from tensorflow.keras.models import Model

original_dim, latent_dim = 12, 2


def sampler(scale):
    def sampling(args):
        z_mean, z_log_var = args
        batch = K.shape(z_mean)[0]
        dim = K.int_shape(z_mean)[1]
        epsilon = K.random_normal(shape=(batch, dim), mean=0., stddev=scale)
        return z_mean + K.exp(0.5 * z_log_var) * epsilon
    return sampling


class VariationalLoss(Layer):
    def call(self, inputs):
        x, x_decoded_mean, z_mean, z_log_var = inputs
        xent_loss = original_dim * binary_crossentropy(x, x_decoded_mean)
        kl_loss = -0.5 * K.sum(1 + z_log_var - K.square(z_mean) - K.exp(z_log_var), axis=-1)
        self.add_loss(K.mean(xent_loss + kl_loss))
        return x_decoded_mean


def build(scale):
    x = Input(shape=(original_dim,))
    h = Dense(8, activation='relu')(x)
    z_mean, z_log_var = Dense(latent_dim)(h), Dense(latent_dim)(h)
    z = Lambda(sampler(scale), output_shape=(latent_dim,))([z_mean, z_log_var])
    decoder_h = Dense(8, activation='relu')(z)
    decoded = Dense(original_dim, activation='sigmoid')(decoder_h)
    y = VariationalLoss()([x, decoded, z_mean, z_log_var])
    rs = np.random.RandomState(5)
    vae, encoder, sampled = Model(x, y), Model(x, [z_mean, z_log_var]), Model(x, z)
    # By the kind of layer: the order of two layers of one depth is nobody's promise.
    for layer in [layer for layer in vae.layers if isinstance(layer, Dense)]:
        layer.set_weights([rs.normal(0, .3, w.shape) for w in layer.get_weights()])
    vae.compile(optimizer='rmsprop')
    return vae, encoder, sampled


rs = np.random.RandomState(6)
data = (rs.uniform(size=(30, original_dim)) > .6).astype('float32')
vae, encoder, sampled = build(0.)
mean, log_var = encoder.predict(data, verbose=0)
np.testing.assert_allclose(sampled.predict(data, verbose=0), mean, atol=1e-6)
history = vae.fit(data, batch_size=10, epochs=3, shuffle=False, verbose=0)

noisy, noisy_encoder, noisy_sampled = build(1.)
many = np.repeat(data[:1], 500, axis=0)
_, log_var = noisy_encoder.predict(many[:1], verbose=0)
samples = noisy_sampled.predict(many, batch_size=100, verbose=0)
spread = samples.std(axis=0) / np.exp(.5 * log_var[0])
assert ((.85 < spread) & (spread < 1.15)).all(), spread
again = noisy_sampled.predict(many, batch_size=100, verbose=0)
assert not np.allclose(samples, again), 'the noise of two calls is the same'
noisy.fit(data, batch_size=10, epochs=1, verbose=0)
print('RESULT ' + json.dumps({
    'mean': mean[:2].tolist(), 'loss': [float(v) for v in history.history['loss']],
    'decoded': vae.predict(data[:2], verbose=0).tolist()}))
