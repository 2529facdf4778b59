"""An auxiliary-classifier GAN: the label as an Embedding that is multiplied with the noise, two outputs with losses by
name, soft and one-sided labels, sample weights for the classifier's part."""
from __future__ import print_function

import json
import pickle
from collections import defaultdict

import keras.backend as K
import numpy as np
from keras import layers
from keras.layers import (BatchNormalization, Conv2D, Conv2DTranspose, Dense, Dropout, Embedding, Flatten, Input,
                          LeakyReLU, Reshape, multiply)
from keras.models import Sequential, Model
from keras.optimizers import SGD

num_classes = 3
latent_size = 6


def build_generator(latent_size):
    # we will map a pair of (z, L), where z is a latent vector and L is a label drawn from P_c, to image space
    cnn = Sequential()
    cnn.add(Dense(2 * 2 * 8, input_dim=latent_size, activation='relu'))
    cnn.add(Reshape((2, 2, 8)))
    cnn.add(Conv2DTranspose(6, 5, strides=1, padding='valid', activation='relu', kernel_initializer='glorot_normal'))
    cnn.add(BatchNormalization())
    cnn.add(Conv2DTranspose(1, 5, strides=2, padding='same', activation='tanh', kernel_initializer='glorot_normal'))
    latent = Input(shape=(latent_size,))
    image_class = Input(shape=(1,), dtype='int32')
    emb = Embedding(num_classes, latent_size, embeddings_initializer='glorot_normal')(image_class)
    cls = Flatten()(emb)
    h = layers.multiply([latent, cls])
    fake_image = cnn(h)
    return Model([latent, image_class], fake_image)


def build_discriminator():
    cnn = Sequential()
    cnn.add(Conv2D(4, 3, padding='same', strides=2, input_shape=(12, 12, 1)))
    cnn.add(LeakyReLU(0.2))
    cnn.add(Dropout(0.))
    cnn.add(Conv2D(6, 3, padding='same', strides=1))
    cnn.add(LeakyReLU(0.2))
    cnn.add(Conv2D(6, 3, padding='same', strides=2))
    cnn.add(LeakyReLU(0.2))
    cnn.add(Flatten())
    image = Input(shape=(12, 12, 1))
    features = cnn(image)
    fake = Dense(1, activation='sigmoid', name='generation')(features)
    aux = Dense(num_classes, activation='softmax', name='auxiliary')(features)
    return Model(image, [fake, aux])


def known(model, seed):
    rs = np.random.RandomState(seed)
    model.set_weights([np.abs(rs.normal(1, .1, w.shape)) if w.ndim == 1 else rs.normal(0, .25, w.shape)
                       for w in model.get_weights()])


discriminator = build_discriminator()
discriminator.compile(optimizer=SGD(lr=.02), loss=['binary_crossentropy', 'sparse_categorical_crossentropy'])
generator = build_generator(latent_size)
latent = Input(shape=(latent_size,))
image_class = Input(shape=(1,), dtype='int32')
fake = generator([latent, image_class])
# we only want to be able to train generation for the combined model
discriminator.trainable = False
fake, aux = discriminator(fake)
combined = Model([latent, image_class], [fake, aux])
combined.compile(optimizer=SGD(lr=.02), loss=['binary_crossentropy', 'sparse_categorical_crossentropy'])
known(generator, 1)
known(discriminator, 2)

np.random.seed(1337)
y_train = np.random.randint(0, num_classes, 36)
x_train = np.random.normal(0, .3, (36, 12, 12, 1)) + (np.arange(12) // 4 == y_train[:, None])[:, :, None, None]
x_train = np.clip(x_train, -1, 1)
batch_size, train_history = 12, defaultdict(list)
for epoch in range(2):
    for index in range(3):
        image_batch = x_train[index * batch_size:(index + 1) * batch_size]
        label_batch = y_train[index * batch_size:(index + 1) * batch_size]
        noise = np.random.uniform(-1, 1, (len(image_batch), latent_size))
        sampled_labels = np.random.randint(0, num_classes, len(image_batch))
        generated_images = generator.predict([noise, sampled_labels.reshape((-1, 1))], verbose=0)
        x = np.concatenate((image_batch, generated_images))
        # use one-sided soft real/fake labels
        soft_zero, soft_one = 0, 0.95
        y = np.array([soft_one] * len(image_batch) + [soft_zero] * len(image_batch))
        aux_y = np.concatenate((label_batch, sampled_labels), axis=0)
        # we don't want the discriminator to also maximize the classification accuracy on generated images
        disc_sample_weight = [np.ones(2 * len(image_batch)),
                              np.concatenate((np.ones(len(image_batch)) * 2, np.zeros(len(image_batch))))]
        train_history['discriminator'].append(discriminator.train_on_batch(x, [y, aux_y],
                                                                           sample_weight=disc_sample_weight))
        noise = np.random.uniform(-1, 1, (2 * len(image_batch), latent_size))
        sampled_labels = np.random.randint(0, num_classes, 2 * len(image_batch))
        trick = np.ones(2 * len(image_batch)) * soft_one
        train_history['generator'].append(combined.train_on_batch([noise, sampled_labels.reshape((-1, 1))],
                                                                  [trick, sampled_labels]))
    print('{0:<22s} | {1:5.3f} | {2:<4.2f}'.format('generator', *train_history['generator'][-1][:2]))
generator.save_weights('params_generator_epoch_{0:03d}.hdf5'.format(epoch), True)
with open('acgan-history.pkl', 'wb') as stream:
    pickle.dump({'train': dict(train_history)}, stream)
with open('acgan-history.pkl', 'rb') as stream:
    history = pickle.load(stream)['train']
known(generator, 3)
generator.load_weights('params_generator_epoch_001.hdf5')
sampled_labels = np.array([[i] * 2 for i in range(num_classes)]).reshape(-1, 1)
made = generator.predict([np.tile(np.random.uniform(-1, 1, (1, latent_size)), (6, 1)), sampled_labels])
np.testing.assert_allclose(made[0], made[1], atol=1e-6)
assert not np.allclose(made[1], made[2]) and multiply is layers.multiply
evaluated = discriminator.evaluate(x_train, [np.ones(36), y_train], batch_size=9, verbose=0)
names = ['loss', 'generation_loss', 'auxiliary_loss']
assert [name for name in discriminator.metrics_names] == names, discriminator.metrics_names
K.clear_session()
print('RESULT ' + json.dumps({'discriminator': [[float(v) for v in row] for row in history['discriminator']],
                              'generator': [[float(v) for v in row] for row in history['generator']],
                              'made': made.ravel()[::23].tolist(), 'evaluated': [float(v) for v in evaluated]}))
