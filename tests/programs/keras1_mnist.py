'''Trains a simple convnet on digits, in the Keras of 2016: nb_filter, border_mode, dim_ordering 'th', nb_epoch.'''
# keras: 1.2.2
from __future__ import print_function
import json

import numpy as np
np.random.seed(1337)  # for reproducibility

from keras.models import Sequential, model_from_json
from keras.layers.core import Dense, Dropout, Activation, Flatten
from keras.layers.convolutional import Convolution2D, MaxPooling2D, ZeroPadding2D
from keras.layers.normalization import BatchNormalization
from keras.callbacks import Callback, EarlyStopping, LearningRateScheduler, ModelCheckpoint
from keras.optimizers import SGD
from keras.preprocessing.image import ImageDataGenerator
from keras.regularizers import l2
from keras.utils import np_utils
from keras import backend as K

K.set_image_dim_ordering('th')

batch_size = 8
nb_classes = 4
nb_epoch = 3
img_rows, img_cols = 8, 8
nb_filters = 4
nb_pool = 2
nb_conv = 3


def digits(count, seed):
    """Images with a bright bar in one of four places."""
    rng = np.random.RandomState(seed)
    y = rng.randint(0, nb_classes, count)
    X = rng.uniform(0, 0.2, (count, img_rows, img_cols))
    for image, label in zip(X, y):
        image[2 * label:2 * label + 2] += 0.7
    return X, y


def fixed(shape, name=None, dim_ordering=None):
    values = np.cos(1.3 * np.arange(np.prod(shape)) + len(shape)).reshape(shape)
    return K.variable(0.3 * values, name=name)


(X_train, y_train), (X_test, y_test) = digits(32, 5), digits(16, 6)
if K.image_dim_ordering() == 'th':
    X_train = X_train.reshape(X_train.shape[0], 1, img_rows, img_cols)
    X_test = X_test.reshape(X_test.shape[0], 1, img_rows, img_cols)
    input_shape = (1, img_rows, img_cols)
else:
    X_train = X_train.reshape(X_train.shape[0], img_rows, img_cols, 1)
    X_test = X_test.reshape(X_test.shape[0], img_rows, img_cols, 1)
    input_shape = (img_rows, img_cols, 1)
X_train = X_train.astype('float32')
X_test = X_test.astype('float32')
Y_train = np_utils.to_categorical(y_train, nb_classes)
Y_test = np_utils.to_categorical(y_test, nb_classes)

model = Sequential()
model.add(ZeroPadding2D((1, 1), input_shape=input_shape))
model.add(Convolution2D(nb_filters, nb_conv, nb_conv, border_mode='valid', init=fixed, W_regularizer=l2(0.001)))
model.add(Activation('relu'))
model.add(BatchNormalization(mode=0, axis=1))
model.add(Convolution2D(nb_filters, nb_conv, nb_conv, subsample=(1, 1), init=fixed))
model.add(Activation('relu'))
model.add(MaxPooling2D(pool_size=(nb_pool, nb_pool)))
model.add(Dropout(0.))
model.add(Flatten())
model.add(Dense(8, init=fixed, activation='tanh'))
model.add(Dense(nb_classes, init=fixed))
model.add(Activation('softmax'))
sgd = SGD(lr=0.05, decay=0., momentum=0.9, nesterov=True)
model.compile(loss='categorical_crossentropy', optimizer=sgd, metrics=['accuracy'])
model.summary()


class LossHistory(Callback):
    def on_train_begin(self, logs={}):
        self.losses = []

    def on_batch_end(self, batch, logs={}):
        self.losses.append(logs.get('loss'))


history = LossHistory()
checkpointer = ModelCheckpoint('weights.hdf5', verbose=1, save_best_only=True)
fitted = model.fit(X_train, Y_train, batch_size=batch_size, nb_epoch=nb_epoch, verbose=1, shuffle=False,
                   validation_data=(X_test, Y_test),
                   callbacks=[history, checkpointer, EarlyStopping(patience=5),
                              LearningRateScheduler(lambda epoch: 0.05 / (1 + epoch))])
score = model.evaluate(X_test, Y_test, verbose=0)
print('Test score:', score[0])
print('Test accuracy:', score[1])

json_string = model.to_json()
model.save_weights('final.h5', overwrite=True)
again = model_from_json(json_string, {'fixed': fixed})
again.load_weights('final.h5')
again.compile(loss='categorical_crossentropy', optimizer='sgd')
assert np.allclose(again.predict(X_test), model.predict(X_test))

datagen = ImageDataGenerator(featurewise_center=True, featurewise_std_normalization=True, horizontal_flip=False)
datagen.fit(X_train)
generated = model.fit_generator(datagen.flow(X_train, Y_train, batch_size=batch_size, shuffle=False),
                                samples_per_epoch=X_train.shape[0], nb_epoch=1, nb_worker=1, max_q_size=1)
classes = model.predict_classes(X_test, verbose=0)
proba = model.predict_proba(X_test, verbose=0)
print('RESULT ' + json.dumps({
    'batches': [float(loss) for loss in history.losses],
    'loss': [float(loss) for loss in fitted.history['loss']], 'acc': [float(a) for a in fitted.history['acc']],
    'val_loss': [float(loss) for loss in fitted.history['val_loss']],
    'val_acc': [float(a) for a in fitted.history['val_acc']], 'score': [float(s) for s in score],
    'classes': [int(c) for c in classes], 'proba': [float(p) for p in proba.ravel()],
    'generated': float(generated.history['loss'][0]), 'parameters': int(model.count_params())}))
