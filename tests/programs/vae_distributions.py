"""A variational autoencoder: tf.distributions for the posterior and the prior, a layer that adds its own loss, a layer
that draws, K.set_session with a seed of the graph, and the manifold decoded."""
# engines: tensorflow
import json
import os
import random as rn

import numpy as np
import tensorflow as tf

# The usual lines for results that can be had again.
os.environ['PYTHONHASHSEED'] = '0'
np.random.seed(42)
rn.seed(12345)
session_conf = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
from keras import backend as K
tf.set_random_seed(1234)
sess = tf.Session(graph=tf.get_default_graph(), config=session_conf)
K.set_session(sess)

from keras import layers, metrics, objectives  # noqa: F401
from keras.layers import Dense, Input, Lambda, Layer, Multiply
from keras.models import Model, Sequential

tfd = tf.distributions
original_dim, latent_dim, intermediate_dim = 16, 2, 24


class KLDivergenceLayer(Layer):
    """Passes on what it is given, and adds KL divergence to the loss of the model."""

    def __init__(self, *args, **kwargs):
        self.is_placeholder = True
        super(KLDivergenceLayer, self).__init__(*args, **kwargs)

    def call(self, inputs):
        mu, log_var = inputs
        kl_batch = - .5 * K.sum(1 + log_var - K.square(mu) - K.exp(log_var), axis=-1)
        self.add_loss(K.mean(kl_batch), inputs=inputs)
        return inputs

    def compute_output_shape(self, input_shape):
        return input_shape


class CustomVariationalLayer(Layer):
    """The whole loss in a layer, whose result nobody uses."""

    def __init__(self, **kwargs):
        self.is_placeholder = True
        super(CustomVariationalLayer, self).__init__(**kwargs)

    def vae_loss(self, x, x_decoded_mean, z_mean, z_log_var):
        xent_loss = original_dim * metrics.binary_crossentropy(x, x_decoded_mean)
        posterior = tfd.Normal(z_mean, tf.exp(z_log_var / 2))
        prior = tfd.Normal(tf.zeros_like(z_mean), tf.ones_like(z_mean))
        return K.mean(xent_loss + tf.reduce_sum(tfd.kl_divergence(posterior, prior), -1))

    def call(self, inputs):
        loss = self.vae_loss(*inputs)
        self.add_loss(loss, inputs=inputs)
        return inputs[0]

    def compute_output_shape(self, input_shape):
        return input_shape[0]


def nll(y_true, y_pred):
    """Negative log likelihood of a Bernoulli, as a distribution of TensorFlow."""
    lh = tfd.Bernoulli(probs=tf.clip_by_value(y_pred, 1e-6, 1 - 1e-6), dtype=tf.float32)
    return - K.sum(lh.log_prob(y_true), axis=-1)


def sampling(args):
    z_mean, z_log_var = args
    batch, dim = K.shape(z_mean)[0], K.int_shape(z_mean)[1]
    epsilon = K.random_normal(shape=(batch, dim), mean=0., stddev=1.)
    return z_mean + K.exp(z_log_var / 2) * epsilon


def data(n):
    """Rows of 16 with a block whose place and width vary."""
    rs = np.random.RandomState(0)
    x = np.zeros((n, original_dim), 'float32')
    for row in x:
        start, width = rs.randint(0, 10), rs.randint(3, 6)
        row[start:start + width] = 1
    return x


x_train = data(256)

# First form.
x = Input(shape=(original_dim,))
h = Dense(intermediate_dim, activation='relu')(x)
z_mean, z_log_var = Dense(latent_dim)(h), Dense(latent_dim)(h)
z = Lambda(sampling, output_shape=(latent_dim,))([z_mean, z_log_var])
decoder_h, decoder_mean = Dense(intermediate_dim, activation='relu'), Dense(original_dim, activation='sigmoid')
y = CustomVariationalLayer()([x, decoder_mean(decoder_h(z)), z_mean, z_log_var])
vae = Model(x, y)
vae.compile(optimizer='rmsprop', loss=None)
encoder = Model(x, [z_mean, z_log_var])
decoder_input = Input(shape=(latent_dim,))
generator = Model(decoder_input, decoder_mean(decoder_h(decoder_input)))
rs = np.random.RandomState(1)
for model in (encoder, generator):
    model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])
means, log_vars = encoder.predict(x_train[:3])
decoded = generator.predict(np.array([[0., 0.], [1., -1.]]))
# Where nothing is drawn, the loss is known.
layer = CustomVariationalLayer()
known = layer.vae_loss(K.constant(x_train[:3]), K.constant(generator.predict(means)), K.constant(means),
                       K.constant(log_vars))
known = float(K.eval(known))
p = generator.predict(means).astype('float64')
cross = -(x_train[:3] * np.log(p) + (1 - x_train[:3]) * np.log(1 - p)).sum(1)
kl = -.5 * (1 + log_vars - means ** 2 - np.exp(log_vars)).sum(1)
assert abs(known - (cross + kl).mean()) < 1e-4, known
history = vae.fit(x_train, shuffle=True, epochs=25, batch_size=32, verbose=0,
                  validation_data=(x_train[:64], None))
losses = history.history['loss']
assert losses[-1] < .85 * losses[0], losses

# Second form.
decoder = Sequential([Dense(intermediate_dim, input_dim=latent_dim, activation='relu'),
                      Dense(original_dim, activation='sigmoid')])
x = Input(shape=(original_dim,))
h = Dense(intermediate_dim, activation='relu')(x)
z_mu, z_log_var = KLDivergenceLayer()([Dense(latent_dim)(h), Dense(latent_dim)(h)])
z_sigma = Lambda(lambda t: K.exp(.5 * t))(z_log_var)
eps = Input(tensor=K.random_normal(stddev=1., shape=(K.shape(x)[0], latent_dim)))
z = layers.Add()([z_mu, Multiply()([z_sigma, eps])])
vae = Model(inputs=[x, eps], outputs=decoder(z))
vae.compile(optimizer='adam', loss=nll)
second = vae.fit(x_train, x_train, epochs=25, batch_size=32, verbose=0).history['loss']
assert second[-1] < .85 * second[0], second
K.set_value(vae.optimizer.lr, .002)
assert vae.evaluate(x_train, x_train, verbose=0) < 1.2 * second[-1]

grid = np.dstack(np.meshgrid(np.linspace(-1.5, 1.5, 4), np.linspace(-1.5, 1.5, 4))).reshape(-1, 2)
manifold = decoder.predict(grid)
assert manifold.shape == (16, original_dim) and manifold.std(0).max() > .05
normal = tfd.Normal(loc=[0., 1.], scale=[1., 2.])
log_prob = sess.run([normal.log_prob([.5, 2.]), normal.entropy(), normal.cdf([.5, 2.])])
drawn = sess.run(normal.sample(4000, seed=1))
assert np.allclose(drawn.mean(0), [0, 1], atol=.2) and np.allclose(drawn.std(0), [1, 2], atol=.2)
print('RESULT ' + json.dumps({'means': means.ravel().tolist(), 'log_vars': log_vars.ravel().tolist(),
                              'decoded': decoded.ravel().tolist(), 'known': known,
                              'normal': [row.tolist() for row in log_prob]}))
