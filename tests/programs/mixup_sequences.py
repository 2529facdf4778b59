"""Batches as people made them: a Sequence with mixup, cutout in a preprocessing function, ImageDataGenerator.flow,
class weights, generators of several inputs, a validation Sequence, evaluate_generator and predict_generator."""
from __future__ import print_function

import json
import threading

import keras
import numpy as np
from keras.layers import Activation, BatchNormalization, Concatenate, Conv2D, Dense, GlobalAveragePooling2D, Input
from keras.models import Model
from keras.optimizers import SGD
from keras.preprocessing.image import ImageDataGenerator
from keras.utils import Sequence, to_categorical

SIZE = 8


class MixupSequence(Sequence):
    """Pairs of pictures, mixed; the order changes at the end of an epoch."""

    def __init__(self, X, y, batch_size, alpha=.2, seed=0):
        self.X, self.y, self.batch_size, self.alpha = X, y, batch_size, alpha
        self.random = np.random.RandomState(seed)
        self.indexes = np.arange(len(X))
        self.epochs = 0

    def __len__(self):
        return int(np.floor(len(self.X) / float(self.batch_size)))

    def __getitem__(self, index):
        indexes = self.indexes[index * self.batch_size:(index + 1) * self.batch_size]
        random = np.random.RandomState(index)  # the same whoever asks, and when
        lam = random.beta(self.alpha, self.alpha, len(indexes))
        other = random.permutation(indexes)
        X_l, y_l = lam.reshape(-1, 1, 1, 1), lam.reshape(-1, 1)
        return self.X[indexes] * X_l + self.X[other] * (1 - X_l), self.y[indexes] * y_l + self.y[other] * (1 - y_l)

    def on_epoch_end(self):
        self.epochs += 1
        self.random.shuffle(self.indexes)


class Plain(Sequence):
    def __init__(self, X, y, batch_size):
        self.X, self.y, self.batch_size = X, y, batch_size

    def __len__(self):
        return int(np.ceil(len(self.X) / float(self.batch_size)))

    def __getitem__(self, idx):
        part = slice(idx * self.batch_size, (idx + 1) * self.batch_size)
        return self.X[part], self.y[part]


class threadsafe_iter:
    """Takes an iterator/generator and makes it thread-safe by serializing calls to next."""

    def __init__(self, it):
        self.it = it
        self.lock = threading.Lock()

    def __iter__(self):
        return self

    def __next__(self):
        with self.lock:
            return next(self.it)

    next = __next__


def threadsafe_generator(f):
    def g(*a, **kw):
        return threadsafe_iter(f(*a, **kw))
    return g


def cutout(image):
    image = image.copy()
    image[2:4, 3:6] = 0
    return image


def dense_block(x, blocks, growth):
    for i in range(blocks):
        y = Activation('relu')(BatchNormalization(momentum=.8)(x))
        y = Conv2D(growth, 3, padding='same', use_bias=False, kernel_initializer='he_normal')(y)
        x = Concatenate()([x, y])
    return x


def build():
    inp = Input((SIZE, SIZE, 3), name='picture')
    x = dense_block(Conv2D(4, 3, padding='same', use_bias=False)(inp), 2, 3)
    x = dense_block(keras.layers.AveragePooling2D()(Conv2D(5, 1)(x)), 1, 3)
    out = Dense(3, activation='softmax', name='kind')(GlobalAveragePooling2D()(Activation('relu')(x)))
    model = Model(inp, out)
    rs = np.random.RandomState(8)
    model.set_weights([rs.normal(0, np.sqrt(2. / w[..., 0].size), w.shape) if w.ndim > 1 else
                       np.abs(w + rs.normal(0, .1, w.shape)) for w in model.get_weights()])
    model.compile(SGD(lr=.05, momentum=.9), 'categorical_crossentropy', metrics=['accuracy'])
    return model


rs = np.random.RandomState(4)
kind = np.arange(24) % 3
X = rs.rand(24, SIZE, SIZE, 3) * .4
X[np.arange(24), :, :, kind] += .5
y = to_categorical(kind, 3)
result = {}

model = build()
mixed = MixupSequence(X, y, 8)
history = model.fit_generator(mixed, epochs=3, shuffle=False, verbose=0, validation_data=Plain(X, y, 10))
result['mixup'] = [[float(v) for v in history.history[name]] for name in ('loss', 'val_loss')]
assert mixed.epochs >= 2  # the thread may end before it tells of the last epoch
predictions = model.predict_generator(Plain(X, y, 7), workers=0)
assert predictions.shape == (24, 3)
np.testing.assert_allclose(predictions, model.predict(X), atol=1e-5)
evaluated = model.evaluate_generator(Plain(X, y, 12), workers=0)
np.testing.assert_allclose(evaluated[1], model.evaluate(X, y, batch_size=12, verbose=0)[1], rtol=1e-4)
result['evaluated'] = [float(v) for v in evaluated]  # the loss is that of the last batch in Keras 2.3
result['predictions'] = predictions[::5].ravel().tolist()

# Weights of the classes, by a generator with a thread in between, and by fit.
weights = {0: 1., 1: 3., 2: .5}


@threadsafe_generator
def batches(n):
    i = 0
    while True:
        part = slice(i, i + n)
        yield ({'picture': X[part]}, {'kind': y[part]})
        i = (i + n) % len(X)


model, other = build(), build()
by_generator = model.fit_generator(batches(6), steps_per_epoch=4, epochs=2, class_weight=weights, verbose=0, workers=1)
by_fit = other.fit(X, y, batch_size=6, epochs=2, class_weight=weights, shuffle=False, verbose=0)
np.testing.assert_allclose(by_generator.history['loss'], by_fit.history['loss'], rtol=1e-3)
result['weighted'] = [float(v) for v in by_generator.history['loss']]
third = build()
result['sample weights'] = [float(third.train_on_batch(X, y, sample_weight=np.array([weights[k] for k in kind]))[0]),
                            float(third.train_on_batch(X, y, class_weight=weights)[0])]

# Pictures: normalised, shifted by whole pixels, flipped, cut.
datagen = ImageDataGenerator(featurewise_center=True, featurewise_std_normalization=True, samplewise_center=False,
                             preprocessing_function=cutout)
datagen.fit(X)
flow = datagen.flow(X, y, batch_size=8, shuffle=False)
xs, ys = next(flow)
result['flow'] = xs[0].ravel()[::11].tolist() + np.ravel(datagen.mean).tolist() + np.ravel(datagen.std).tolist()
np.testing.assert_array_equal(ys, y[:8])
flips = ImageDataGenerator(horizontal_flip=True, vertical_flip=True, width_shift_range=[-1, 0, 1], rescale=2.,
                           fill_mode='nearest')
seen = next(flips.flow(X, batch_size=24, shuffle=False, seed=3))
assert seen.shape == X.shape and seen.max() <= 2 * X.max() + 1e-6
moved = flips.apply_transform(X[0], {'theta': 90, 'tx': 1, 'flip_horizontal': True, 'zx': 1., 'zy': 1.})
result['moved'] = moved.ravel()[::13].tolist()
model = build()
history = model.fit_generator(flow, steps_per_epoch=len(X) // 8, epochs=2, verbose=0, workers=0)
result['by flow'] = [float(v) for v in history.history['loss']]
split = ImageDataGenerator(validation_split=.25)
parts = [split.flow(X, y, subset=subset, shuffle=False, batch_size=4) for subset in ('training', 'validation')]
assert [part.n for part in parts] == [18, 6] and len(parts[0]) == 5
print('RESULT ' + json.dumps(result))
