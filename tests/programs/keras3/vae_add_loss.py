"""A variational autoencoder as of 2019, whose loss is a tensor of the graph: vae.add_loss(K.mean(...)), and a second
model with one by its metrics, both compiled without a loss."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input, Lambda
from tensorflow.keras.losses import binary_crossentropy, mse
from tensorflow.keras.models import Model

original_dim, intermediate_dim, latent_dim = 10, 6, 2
rs = np.random.RandomState(49)


def sampling(args):
    z_mean, z_log_var = args
    batch = K.shape(z_mean)[0]
    dim = K.int_shape(z_mean)[1]
    epsilon = K.random_normal(shape=(batch, dim)) * 0.
    return z_mean + K.exp(0.5 * z_log_var) * epsilon


def build(reconstruction):
    inputs = Input(shape=(original_dim,), name='encoder_input')
    x = Dense(intermediate_dim, activation='relu')(inputs)
    z_mean = Dense(latent_dim, name='z_mean')(x)
    z_log_var = Dense(latent_dim, name='z_log_var')(x)
    z = Lambda(sampling, output_shape=(latent_dim,), name='z')([z_mean, z_log_var])
    encoder = Model(inputs, [z_mean, z_log_var, z], name='encoder')
    latent_inputs = Input(shape=(latent_dim,), name='z_sampling')
    x = Dense(intermediate_dim, activation='relu')(latent_inputs)
    decoder = Model(latent_inputs, Dense(original_dim, activation='sigmoid')(x), name='decoder')
    outputs = decoder(encoder(inputs)[2])
    vae = Model(inputs, outputs, name='vae_mlp')
    mean, log_var, _ = encoder(inputs)
    reconstruction_loss = reconstruction(inputs, outputs) * original_dim
    kl_loss = 1 + log_var - K.square(mean) - K.exp(log_var)
    kl_loss = K.sum(kl_loss, axis=-1)
    kl_loss *= -0.5
    vae.add_loss(K.mean(reconstruction_loss + kl_loss))
    vae.compile(optimizer='adam')
    for part in (encoder, decoder):
        local = np.random.RandomState(50)
        for layer in [layer for layer in part.layers if isinstance(layer, Dense)]:
            layer.set_weights([local.normal(0, .4, w.shape) for w in layer.get_weights()])
    return vae, encoder


data = rs.uniform(size=(20, original_dim)).astype('float32')
results = {}
for reconstruction in (mse, binary_crossentropy):
    vae, encoder = build(reconstruction)
    before = vae.evaluate(data, batch_size=20, verbose=0)
    history = vae.fit(data, batch_size=5, epochs=3, shuffle=False, verbose=0)
    mean, log_var, z = encoder.predict(data, verbose=0)
    decoded = vae.predict(data, verbose=0).astype('float64')
    if reconstruction is mse:
        by_hand = np.mean(((data - decoded) ** 2).sum(-1) - .5 * (1 + log_var - mean ** 2 - np.exp(log_var)).sum(-1))
        after = vae.evaluate(data, batch_size=20, verbose=0)
        assert abs(after - by_hand) < 1e-4, (after, by_hand)
    vae.save_weights('vae.weights.h5')
    results[reconstruction.__name__] = [float(before), [float(v) for v in history.history['loss']], mean[:2].tolist(),
                                        decoded[:2].tolist()]
print('RESULT ' + json.dumps(results))
