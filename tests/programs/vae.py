"""Variational autoencoder: Lambda sampling, the loss given by add_loss, its second term annealed by a callback."""
import json

import keras
import numpy as np
from keras import backend as K
from keras import metrics
from keras.callbacks import Callback
from keras.layers import Dense, Input, Lambda
from keras.models import Model
from keras.optimizers import RMSprop

np.random.seed(3)
original_dim, intermediate_dim, latent_dim, batch_size = 16, 12, 2, 20
kl_weight = K.variable(1., name='kl_weight')
noise_std = K.variable(0., name='noise_std')


class KLAnnealing(Callback):
    def __init__(self, weight, epochs):
        super(KLAnnealing, self).__init__()
        self.weight, self.epochs, self.seen = weight, epochs, []

    def on_epoch_begin(self, epoch, logs={}):  # noqa: B006
        K.set_value(self.weight, min(1., (epoch + 1.) / self.epochs))
        self.seen.append(float(K.get_value(self.weight)))


def sampling(args):
    z_mean, z_log_var = args
    batch, dim = K.shape(z_mean)[0], K.int_shape(z_mean)[1]
    epsilon = K.random_normal(shape=(batch, dim), mean=0., stddev=1.)
    return z_mean + K.exp(0.5 * z_log_var) * epsilon * noise_std


x = Input(shape=(original_dim,), name='encoder_input')
h = Dense(intermediate_dim, activation='relu')(x)
z_mean = Dense(latent_dim, name='z_mean')(h)
z_log_var = Dense(latent_dim, name='z_log_var')(h)
z = Lambda(sampling, output_shape=(latent_dim,), name='z')([z_mean, z_log_var])
encoder = Model(x, [z_mean, z_log_var, z], name='encoder')

latent_inputs = Input(shape=(latent_dim,), name='z_sampling')
decoder_h = Dense(intermediate_dim, activation='relu')(latent_inputs)
decoder = Model(latent_inputs, Dense(original_dim, activation='sigmoid')(decoder_h), name='decoder')
outputs = decoder(encoder(x)[2])
vae = Model(x, outputs, name='vae_mlp')

reconstruction_loss = original_dim * metrics.binary_crossentropy(x, outputs)
kl_loss = -0.5 * K.sum(1 + z_log_var - K.square(z_mean) - K.exp(z_log_var), axis=-1)
vae.add_loss(K.mean(reconstruction_loss + kl_weight * kl_loss))
vae.compile(optimizer=RMSprop(lr=0.01))
assert vae.losses

rng = np.random.RandomState(17)
vae.set_weights([rng.normal(0, 0.3, w.shape) for w in vae.get_weights()])
prototypes = rng.uniform(0, 1, (4, original_dim)) > 0.5
labels = rng.randint(0, 4, 200)
x_train = np.where(rng.uniform(size=(200, original_dim)) < 0.05, ~prototypes[labels], prototypes[labels])
x_train = x_train.astype('float32')

# Without noise all is determined: z is its mean, and the loss has a closed form.
mean, log_var, sample = encoder.predict(x_train, batch_size=batch_size)
np.testing.assert_allclose(sample, mean, atol=1e-6)
decoded = vae.predict(x_train[:20])
kl = -0.5 * np.sum(1 + log_var - mean ** 2 - np.exp(log_var), axis=1)
crossentropy = -np.sum(x_train[:20] * np.log(decoded) + (1 - x_train[:20]) * np.log(1 - decoded), axis=1)
expected = float(np.mean(crossentropy + kl[:20]))
losses = [float(vae.train_on_batch(x_train[:20], None)) for _ in range(4)]
assert abs(losses[0] - expected) < 1e-3 * expected, (losses[0], expected)

# With noise two samples differ, and their spread is the one that the encoder says.
K.set_value(noise_std, 1.)
many = np.repeat(x_train[:1], 400, axis=0)
mean, log_var, samples = encoder.predict(many)
spread = samples.std(axis=0) / np.exp(0.5 * log_var[0])
assert ((0.8 < spread) & (spread < 1.2)).all(), spread

annealing = KLAnnealing(kl_weight, 4)
history = vae.fit(x_train, epochs=30, batch_size=batch_size, shuffle=True, validation_data=(x_train[:40], None),
                  callbacks=[annealing], verbose=0)
assert annealing.seen[:5] == [0.25, 0.5, 0.75, 1., 1.], annealing.seen
assert history.history['val_loss'][-1] < 0.85 * losses[0], (losses, history.history['val_loss'])
grid = np.array([[xi, yi] for yi in np.linspace(-1, 1, 3) for xi in np.linspace(-1, 1, 3)])
digits = decoder.predict(grid)
assert digits.shape == (9, original_dim) and 0 <= digits.min() and digits.max() <= 1
# With Keras 2.2 on TensorFlow 1 later losses depend on the order in which variables are written.
steps = 4 if keras.__version__ >= '2.3' else 1
print('RESULT ' + json.dumps({'decoded': decoded[:3].tolist(), 'losses': losses[:steps], 'kl': kl[:10].tolist()}))
