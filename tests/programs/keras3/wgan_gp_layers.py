"""A Wasserstein GAN with gradient penalty as of 2019 to 2021: the average of two batches, K.gradients of the critic by
it, and the penalty as an output of the model that trains the critic."""
# original: graph
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input, LeakyReLU
from tensorflow.keras.models import Model, Sequential
from tensorflow.keras.optimizers import SGD

rs = np.random.RandomState(15)


def wasserstein_loss(y_true, y_pred):
    return K.mean(y_true * y_pred)


def penalty_loss(y_true, y_pred):
    return 10. * K.mean(y_pred)


critic = Sequential([Dense(8, input_shape=(3,)), LeakyReLU(), Dense(6, activation='tanh'), Dense(1)])
generator = Sequential([Dense(6, activation='tanh', input_shape=(2,)), Dense(3)])
for network in (critic, generator):
    network.set_weights([rs.normal(0, .5, w.shape) for w in network.get_weights()])

generator.trainable = False
real, noise, epsilon = Input((3,)), Input((2,)), Input((1,))
fake = generator(noise)
averaged = epsilon * real + (1 - epsilon) * fake
gradients = K.gradients(critic(averaged), averaged)[0]
norm = K.sqrt(K.sum(K.square(gradients), axis=1, keepdims=True))
trainer = Model([real, noise, epsilon], [critic(real), critic(fake), K.square(1 - norm)])
trainer.compile(optimizer=SGD(learning_rate=.05), loss=[wasserstein_loss, wasserstein_loss, penalty_loss])

generator.trainable, critic.trainable = True, False
z = Input((2,))
combined = Model(z, critic(generator(z)))
combined.compile(optimizer=SGD(learning_rate=.05), loss=wasserstein_loss)

batch = 8
data = rs.normal(1, .5, (3, batch, 3)).astype('float32')
noises, mixes = rs.normal(0, 1, (6, batch, 2)).astype('float32'), rs.uniform(size=(3, batch, 1)).astype('float32')
ones = np.ones((batch, 1), 'float32')
penalties = trainer.predict([data[0], noises[0], mixes[0]], verbose=0)[2]
mixed = mixes[0] * data[0] + (1 - mixes[0]) * generator.predict(noises[0], verbose=0)
squares = 0
for k in range(3):
    step = np.zeros(3)
    step[k] = .01
    slope = (critic.predict(mixed + step, verbose=0) - critic.predict(mixed - step, verbose=0)) / .02
    squares = squares + slope ** 2
np.testing.assert_allclose(penalties, (1 - np.sqrt(squares)) ** 2, atol=2e-3)
losses = []
for i in range(3):
    generator.trainable, critic.trainable = False, True
    losses.append(float(np.ravel(trainer.train_on_batch(
        [data[i], noises[i], mixes[i]], [-ones, ones, np.zeros((batch, 1), 'float32')]))[0]))
    generator.trainable, critic.trainable = True, False
    losses.append(float(np.ravel(combined.train_on_batch(noises[3 + i], -ones))[0]))
print('RESULT ' + json.dumps({
    'penalties': penalties[:, 0].tolist(), 'losses': losses,
    'critic': critic.get_weights()[0].tolist(), 'generator': generator.get_weights()[0].tolist()}))
