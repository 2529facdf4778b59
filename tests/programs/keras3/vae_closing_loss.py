"""A variational autoencoder of 2017 to 2019 that went on with tf.keras: the loss function closes over z_mean and
z_log_var, tensors of the model, so eager execution is off. JAX and PyTorch say to write
`add_loss`, as test_tensors_in_losses.py has it."""
# backends: tf_keras
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import metrics
from tensorflow.keras.layers import Dense, Input, Lambda
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import RMSprop

tf.compat.v1.disable_eager_execution()
rs = np.random.RandomState(12)
original_dim, latent_dim, batch = 10, 2, 6
noise = K.constant(rs.normal(0, 1, (batch, latent_dim)))

x = Input(batch_shape=(batch, original_dim))
h = Dense(8, activation='relu')(x)
z_mean = Dense(latent_dim)(h)
z_log_var = Dense(latent_dim)(h)


def sampling(args):
    z_mean, z_log_var = args
    return z_mean + K.exp(z_log_var / 2) * noise


z = Lambda(sampling, output_shape=(latent_dim,))([z_mean, z_log_var])
decoder_h = Dense(8, activation='relu')
decoder_mean = Dense(original_dim, activation='sigmoid')
x_decoded_mean = decoder_mean(decoder_h(z))
vae, encoder = Model(x, x_decoded_mean), Model(x, z_mean)


def vae_loss(x, x_decoded_mean):
    xent_loss = original_dim * metrics.binary_crossentropy(x, x_decoded_mean)
    kl_loss = - 0.5 * K.sum(1 + z_log_var - K.square(z_mean) - K.exp(z_log_var), axis=-1)
    return xent_loss + kl_loss


def kl(y_true, y_pred):
    return - 0.5 * K.mean(K.sum(1 + z_log_var - K.square(z_mean) - K.exp(z_log_var), axis=-1))


vae.compile(optimizer=RMSprop(1e-2), loss=vae_loss, metrics=[kl])
vae.set_weights([rs.normal(0, .4, w.shape) for w in vae.get_weights()])
data = rs.uniform(size=(18, original_dim)).astype('float32')
history = vae.fit(data, data, shuffle=False, epochs=3, batch_size=batch, validation_data=(data[:batch], data[:batch]), verbose=0)
decoder_input = Input(shape=(latent_dim,))
generator = Model(decoder_input, decoder_mean(decoder_h(decoder_input)))
results = {
    'history': {name: [float(v) for v in values] for name, values in history.history.items()},
    'evaluate': [float(v) for v in vae.evaluate(data, data, batch_size=batch, verbose=0)],
    'encoded': encoder.predict(data, batch_size=batch).tolist(),
    'generated': generator.predict(np.array([[0., 1.], [-1., .5]])).tolist()}
print('RESULT ' + json.dumps(results))
