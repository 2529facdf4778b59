"""Generators as of 2019: mixup and CutMix as keras.utils.Sequence with on_epoch_end, trained by fit_generator with workers,
validation by another Sequence, a LearningRateScheduler and a LambdaCallback; evaluate_generator and predict_generator."""
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import LambdaCallback, LearningRateScheduler
from tensorflow.keras.layers import BatchNormalization, Conv2D, Dense, Flatten, MaxPooling2D
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import to_categorical


class MixupGenerator(keras.utils.Sequence):
    def __init__(self, x, y, batch_size=8, alpha=0.4, shuffle=True, seed=0):
        self.x, self.y, self.batch_size, self.alpha, self.shuffle = x, y, batch_size, alpha, shuffle
        self.random = np.random.RandomState(seed)
        self.epoch = 0
        self.on_epoch_end()

    def __len__(self):
        return int(np.floor(len(self.x) / float(self.batch_size)))

    def on_epoch_end(self):
        self.indexes = np.arange(len(self.x))
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(self.indexes)
        self.epoch += 1

    def pair(self, index):
        ids = self.indexes[index * self.batch_size:(index + 1) * self.batch_size]
        draw = np.random.RandomState(97 * self.epoch + index)
        return self.x[ids], self.y[ids], draw, draw.permutation(self.batch_size)

    def __getitem__(self, index):
        x, y, draw, other = self.pair(index)
        lam = draw.beta(self.alpha, self.alpha, self.batch_size)
        x_l, y_l = lam.reshape(-1, 1, 1, 1), lam.reshape(-1, 1)
        return x * x_l + x[other] * (1 - x_l), y * y_l + y[other] * (1 - y_l)


class CutMixGenerator(MixupGenerator):
    def __getitem__(self, index):
        x, y, draw, other = self.pair(index)
        x = x.copy()
        lam = draw.beta(1., 1.)
        height, width = x.shape[1:3]
        cut_h, cut_w = int(height * np.sqrt(1 - lam)), int(width * np.sqrt(1 - lam))
        cy, cx = draw.randint(height), draw.randint(width)
        y1, y2 = np.clip([cy - cut_h // 2, cy + cut_h // 2], 0, height)
        x1, x2 = np.clip([cx - cut_w // 2, cx + cut_w // 2], 0, width)
        x[:, y1:y2, x1:x2] = x[other, y1:y2, x1:x2]
        lam = 1 - (y2 - y1) * (x2 - x1) / (height * width)
        return x, y * lam + y[other] * (1 - lam), np.full(len(x), .5 + lam / 2)


def soft_accuracy(y_true, y_pred):
    return K.cast(K.equal(K.argmax(y_true, axis=-1), K.argmax(y_pred, axis=-1)), K.floatx())


def smooth_crossentropy(y_true, y_pred, eps=0.1):
    y_true = y_true * (1 - eps) + eps / K.int_shape(y_pred)[-1]
    return K.categorical_crossentropy(y_true, y_pred)


rs = np.random.RandomState(1)
labels = np.arange(32) % 3
x = (rs.normal(0, .5, (32, 8, 8, 1)) + np.linspace(-1, 1, 3)[labels].reshape(-1, 1, 1, 1)).astype('float32')
y = to_categorical(labels, num_classes=3)
results = {}
for kind in (MixupGenerator, CutMixGenerator):
    rs = np.random.RandomState(2)
    model = Sequential()
    model.add(Conv2D(4, (3, 3), activation='relu', padding='same', input_shape=(8, 8, 1)))
    model.add(BatchNormalization())
    model.add(MaxPooling2D(pool_size=(2, 2)))
    model.add(Flatten())
    model.add(Dense(3, activation='softmax'))
    model.set_weights([rs.uniform(.1, .4, w.shape) for w in model.get_weights()])
    model.compile(loss=smooth_crossentropy, optimizer=keras.optimizers.SGD(learning_rate=0.05, momentum=0.9, nesterov=True),
                  metrics=[soft_accuracy])
    rates, batches = [], []
    callbacks = [LearningRateScheduler(lambda epoch, lr: lr * .5 if epoch else lr),
                 LambdaCallback(on_epoch_begin=lambda epoch, logs: rates.append(float(K.get_value(model.optimizer.lr))),
                                on_batch_end=lambda batch, logs: batches.append(batch))]
    history = model.fit_generator(generator=kind(x, y, 8), steps_per_epoch=4, epochs=3, verbose=0, shuffle=False,
                                  validation_data=MixupGenerator(x, y, 8, shuffle=False), callbacks=callbacks,
                                  workers=1, use_multiprocessing=False, max_queue_size=10)
    plain = kind(x, y, 8, shuffle=False)
    results[kind.__name__] = {
        'rates': rates, 'batches': batches, 'evaluated': [float(v) for v in model.evaluate_generator(plain, steps=4)],
        'predicted': model.predict_generator(plain, steps=2).tolist()[:3],
        **{name: [float(v) for v in values] for name, values in history.history.items() if name != 'lr'}}
print('RESULT ' + json.dumps(results))
