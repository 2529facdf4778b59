"""StackedGAN: two encoders trained on labels, two generators that invert them, discriminators with an adversarial head
and one for the latent code; loss weights, several compiled models over shared layers, model files by name."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json

import numpy as np
from keras.layers import (Activation, BatchNormalization, Conv2D, Conv2DTranspose, Dense, Flatten, Input, LeakyReLU,
                          MaxPooling2D, Reshape)
from keras.layers.merge import concatenate
from keras.models import Model, load_model
from keras.optimizers import SGD
from keras.utils import to_categorical

LATENT, FEATURES, LABELS, SIZE = 4, 8, 3, 8


def build_encoder(inputs, num_labels=LABELS, feature1_dim=FEATURES):
    x, feature1 = inputs
    y = Conv2D(filters=4, kernel_size=3, padding='same', activation='relu')(x)
    y = MaxPooling2D()(y)
    y = Conv2D(filters=4, kernel_size=3, padding='same', activation='relu')(y)
    y = MaxPooling2D()(y)
    y = Flatten()(y)
    feature1_output = Dense(feature1_dim, activation='relu')(y)
    # Encoder0 or enc0: image to feature1
    enc0 = Model(inputs=x, outputs=feature1_output, name='encoder0')
    # Encoder1 or enc1
    y = Dense(num_labels)(feature1)
    labels = Activation('softmax')(y)
    enc1 = Model(inputs=feature1, outputs=labels, name='encoder1')
    return enc0, enc1


def build_generator(latent_codes, feature1_dim=FEATURES):
    labels, z0, z1, feature1 = latent_codes
    inputs = concatenate([labels, z1], axis=1)
    x = Dense(12, activation='relu')(inputs)
    x = BatchNormalization()(x)
    fake_feature1 = Dense(feature1_dim, activation='relu')(x)
    gen1 = Model([labels, z1], fake_feature1, name='gen1')
    x = concatenate([feature1, z0], axis=1)
    x = Dense(2 * 2 * 6)(x)
    x = Reshape((2, 2, 6))(x)
    for strides, filters in ((2, 6), (2, 4), (1, 1)):
        x = BatchNormalization()(x)
        x = Activation('relu')(x)
        x = Conv2DTranspose(filters=filters, kernel_size=3, strides=strides, padding='same', use_bias=False)(x)
    gen0 = Model([feature1, z0], Activation('sigmoid')(x), name='gen0')
    return gen0, gen1


def build_discriminator(inputs, z_dim=LATENT):
    x = Dense(16)(inputs)
    x = LeakyReLU(alpha=0.2)(x)
    x = Dense(10)(x)
    x = LeakyReLU(alpha=0.2)(x)
    f1_source = Activation('sigmoid', name='feature1_source')(Dense(1)(x))
    z1_recon = Activation('tanh', name='z1')(Dense(z_dim)(x))
    return Model(inputs, [f1_source, z1_recon], name='dis1')


def build_image_discriminator(inputs, z_dim=LATENT):
    x = inputs
    for filters, strides in ((4, 2), (6, 2), (6, 1)):
        x = LeakyReLU(alpha=0.2)(x)
        x = Conv2D(filters=filters, kernel_size=3, strides=strides, padding='same')(x)
    x = Flatten()(x)
    source = Dense(1, activation='sigmoid')(x)
    z0_recon = Dense(z_dim, activation='tanh')(Dense(8)(x))
    return Model(inputs, [source, z0_recon], name='dis0')


def known(model, rs):
    model.set_weights([np.abs(rs.normal(.5, .1, w.shape)) if w.ndim == 1 else rs.normal(0, .3, w.shape)
                       for w in model.get_weights()])


rs = np.random.RandomState(6)
n = 24
y_train = rs.randint(0, LABELS, n)
bars = (np.arange(SIZE) // 3 == y_train[:, None])[:, None, :, None]
x_train = np.clip(rs.rand(n, SIZE, SIZE, 1) * .4 + bars * .6, 0, 1)
y_train = to_categorical(y_train)

x, feature1, labels = Input((SIZE, SIZE, 1), name='x'), Input((FEATURES,), name='f'), Input((LABELS,), name='labels')
z0, z1 = Input((LATENT,), name='z0'), Input((LATENT,), name='z1_in')
enc0, enc1 = build_encoder((x, feature1))
encoder = Model(x, enc1(enc0(x)), name='encoder')
known(encoder, rs)
encoder.compile(loss='categorical_crossentropy', optimizer='sgd', metrics=['accuracy'])
trained = [[float(v) for v in encoder.train_on_batch(x_train, y_train)] for _ in range(3)]

dis1, dis0 = build_discriminator(feature1), build_image_discriminator(x)
gen0, gen1 = build_generator((labels, z0, z1, feature1))
for model in (dis1, dis0, gen0, gen1):
    known(model, rs)
dis1.compile(loss=['binary_crossentropy', 'mse'], loss_weights=[1.0, 10.0], optimizer=SGD(lr=2e-2, decay=6e-8))
dis0.compile(loss=['binary_crossentropy', 'mse'], loss_weights=[1.0, 10.0], optimizer=SGD(lr=2e-2, decay=6e-8))
dis1.trainable = dis0.trainable = enc0.trainable = enc1.trainable = False
# feature1 adversary: gen1, dis1 and the label that encoder1 finds
gen1_inputs = [labels, z1]
adv1 = Model(gen1_inputs, dis1(gen1(gen1_inputs)) + [enc1(gen1(gen1_inputs))], name='adv1')
adv1.compile(loss=['binary_crossentropy', 'mse', 'categorical_crossentropy'], loss_weights=[1.0, 1.0, 1.0],
             optimizer=SGD(lr=1e-2, decay=3e-8), metrics=['accuracy'])
gen0_inputs = [feature1, z0]
adv0 = Model(gen0_inputs, dis0(gen0(gen0_inputs)) + [enc0(gen0(gen0_inputs))], name='adv0')
adv0.compile(loss=['binary_crossentropy', 'mse', 'mse'], loss_weights=[1.0, 10.0, 1.0],
             optimizer=SGD(lr=1e-2, decay=3e-8))

frozen = enc0.get_weights() + enc1.get_weights() + dis1.get_weights()
log = []
batch_size = 8
for step in range(3):
    rand_indexes = rs.randint(0, n, size=batch_size)
    real_images, real_labels = x_train[rand_indexes], y_train[rand_indexes]
    real_feature1 = enc0.predict(real_images)
    real_z1, real_z0 = rs.normal(scale=0.5, size=[2, batch_size, LATENT])
    fake_feature1 = gen1.predict([real_labels, real_z1])
    feature1_both = np.concatenate((real_feature1, fake_feature1))
    z1_both = np.concatenate((real_z1, real_z1), axis=0)
    y = np.ones([2 * batch_size, 1])
    y[batch_size:, :] = 0
    metrics = list(dis1.train_on_batch(feature1_both, [y, z1_both]))
    fake_images = gen0.predict([real_feature1, real_z0])
    metrics += list(dis0.train_on_batch(np.concatenate((real_images, fake_images)),
                                        [y, np.concatenate((real_z0, real_z0))]))
    y = np.ones([batch_size, 1])
    metrics += list(adv1.train_on_batch([real_labels, real_z1], [y, real_z1, real_labels]))[:4]
    metrics += list(adv0.train_on_batch([real_feature1, real_z0], [y, real_z0, real_feature1]))
    log.append([float(v) for v in metrics])
for old, new in zip(frozen[:6], (enc0.get_weights() + enc1.get_weights())[:6]):
    np.testing.assert_array_equal(old, new)
assert len(adv1.trainable_weights) == len(gen1.trainable_weights) and len(adv1.metrics_names) == 7

for model in (gen0, gen1):
    model.save('stackedgan-' + model.name + '.h5')
noise_class = np.eye(LABELS)[np.arange(6) % LABELS]
zs = rs.normal(scale=.5, size=[2, 6, LATENT])
loaded1, loaded0 = load_model('stackedgan-gen1.h5'), load_model('stackedgan-gen0.h5')
feature = loaded1.predict([noise_class, zs[1]])
images = loaded0.predict([feature, zs[0]])
np.testing.assert_allclose(images, gen0.predict([gen1.predict([noise_class, zs[1]]), zs[0]]), atol=1e-5)
print('RESULT ' + json.dumps({'trained': trained, 'log': log, 'images': images.ravel()[::11].tolist(),
                              'found': encoder.predict(images).tolist()}))
