"""A script of 2016 that Keras 2 still understood: Convolution2D(nb, 3, 3), border_mode, output_dim, input= and output=."""
from __future__ import print_function

import json

import numpy as np
from keras import backend as K
from keras.layers import (
    GRU,
    Activation,
    AveragePooling2D,
    BatchNormalization,
    Convolution1D,
    Convolution2D,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    GlobalMaxPooling1D,
    Input,
    MaxPooling2D,
    TimeDistributed,
    UpSampling2D,
    merge,
)
from keras.layers.noise import GaussianDropout
from keras.layers.pooling import GlobalAveragePooling2D
from keras.models import Model, Sequential
from keras.preprocessing.image import ImageDataGenerator, img_to_array
from keras.regularizers import l2
from keras.utils import np_utils
from keras.utils.layer_utils import print_summary

np.random.seed(1337)
batch_size, nb_classes, nb_epoch = 16, 3, 4
img_rows, img_cols = 12, 12
nb_filters, nb_pool, nb_conv = 4, 2, 3
K.set_image_dim_ordering('tf') if hasattr(K, 'set_image_dim_ordering') else K.set_image_data_format('channels_last')

rng = np.random.RandomState(0)
y = np.arange(96) % nb_classes
X = rng.uniform(0, 60, (96, img_rows, img_cols))
for i, label in enumerate(y):
    X[i, 4 * label:4 * label + 4] += 150
X = X.reshape(X.shape[0], img_rows, img_cols, 1).astype('float32')
X /= 255
Y = np_utils.to_categorical(y, nb_classes)

model = Sequential()
model.add(Convolution2D(nb_filters, nb_conv, nb_conv, border_mode='valid', input_shape=(img_rows, img_cols, 1),
                        init='he_normal', W_regularizer=l2(1e-4), dim_ordering='tf'))
model.add(Activation('relu'))
model.add(Convolution2D(nb_filters, nb_conv, nb_conv, subsample=(1, 1), bias=False))
model.add(BatchNormalization(axis=-1))
model.add(Activation('relu'))
model.add(MaxPooling2D(pool_size=(nb_pool, nb_pool), border_mode='same'))
model.add(Dropout(p=0.1))
model.add(Flatten())
model.add(Dense(output_dim=8, init='uniform', W_constraint='maxnorm'))
model.add(Activation('relu'))
model.add(GaussianDropout(p=0.1))
model.add(Dense(nb_classes, activation='softmax'))
model.compile(loss='categorical_crossentropy', optimizer='adadelta', metrics=['accuracy'])
print_summary(model)
weights = [rng.uniform(0.3, 0.7, w.shape) if w.ndim == 1 else rng.normal(0, 0.3, w.shape) for w in model.get_weights()]
model.set_weights(weights)
predicted = model.predict(X[:6])
score = [float(v) for v in model.evaluate(X, Y, verbose=0)]
try:
    history = model.fit(X, Y, batch_size=batch_size, nb_epoch=nb_epoch, verbose=0, validation_data=(X, Y))
except TypeError:
    history = model.fit(X, Y, batch_size=batch_size, epochs=nb_epoch, verbose=0, validation_data=(X, Y))
assert len(history.history['loss']) == nb_epoch
assert history.history['loss'][-1] < score[0], (score, history.history['loss'])
classes = model.predict_classes(X, verbose=0)
assert classes.shape == (96,) and model.predict_proba(X[:2], verbose=0).shape == (2, nb_classes)

# Images that are turned and moved while they come.
datagen = ImageDataGenerator(featurewise_center=False, samplewise_std_normalization=False, rotation_range=0,
                             horizontal_flip=True, rescale=None)
datagen.fit(X)
batches = datagen.flow(X, Y, batch_size=batch_size, shuffle=False, seed=1)
for X_batch, Y_batch in batches:
    assert X_batch.shape == (16, 12, 12, 1) and Y_batch.shape == (16, 3)
    break
model.fit_generator(datagen.flow(X, Y, batch_size=batch_size), samples_per_epoch=96, nb_epoch=2, verbose=0)
last = model.evaluate(X, Y, verbose=0)
assert np.isfinite(last).all()
assert img_to_array(np.zeros((4, 5, 3))).shape == (4, 5, 3)

# Model(input=, output=) and the merges that were functions.
a, b = Input(shape=(6,), dtype='int32'), Input(shape=(6,), dtype='int32')
shared = Embedding(input_dim=10, output_dim=4, input_length=6)
convolved = Convolution1D(nb_filter=5, filter_length=3, border_mode='same', activation='tanh')
left, right = convolved(shared(a)), convolved(shared(b))
pooled = merge.concatenate([GlobalMaxPooling1D()(left), GlobalMaxPooling1D()(right)])
both = merge.add([left, right])
rnn = GRU(output_dim=4, inner_activation='hard_sigmoid', consume_less='mem', dropout_W=0., dropout_U=0.)(both)
joined = merge.concatenate([pooled, rnn], axis=1)
pair = Model(input=[a, b], output=Dense(1, activation='sigmoid')(joined))
pair.compile(optimizer='adagrad', loss='binary_crossentropy')
pair.set_weights([rng.normal(0, 0.4, w.shape) for w in pair.get_weights()])
words = rng.randint(0, 10, (2, 40, 6))
pair_predicted = pair.predict([words[0], words[1]])
assert pair_predicted.shape == (40, 1)
pair_loss = float(pair.train_on_batch([words[0], words[1]], rng.randint(0, 2, 40)))

# A network over time of convolutions, and one that grows images.
video = Sequential()
video.add(TimeDistributed(Convolution2D(2, 3, 3, border_mode='same'), input_shape=(3, 6, 6, 1)))
video.add(TimeDistributed(AveragePooling2D((2, 2))))
video.add(TimeDistributed(GlobalAveragePooling2D()))
assert video.predict(np.zeros((2, 3, 6, 6, 1))).shape == (2, 3, 2)
grow = Sequential([UpSampling2D(size=(2, 2), input_shape=(3, 3, 2)), Convolution2D(1, 2, 2, border_mode='same')])
assert grow.predict(np.zeros((1, 3, 3, 2))).shape == (1, 6, 6, 1)
print('RESULT ' + json.dumps({'predicted': predicted.tolist(), 'score': score, 'pair_loss': pair_loss,
                              'pair': pair_predicted[:8, 0].tolist()}))
