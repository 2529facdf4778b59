"""Batches made by worker processes: fit_generator with a Sequence and use_multiprocessing=True, as Linux starts them."""
import json
import os

import numpy as np
from keras import backend as K
from keras.layers import Conv1D, Dense, Flatten, GlobalMaxPooling1D, MaxPooling1D
from keras.models import Sequential
from keras.utils import Sequence, to_categorical


class DataGenerator(Sequence):
    """Noisy waves of three frequencies; the last number of each batch tells the process that made it."""

    def __init__(self, list_IDs, batch_size=8, dim=16, n_classes=3, shuffle=True):
        self.dim = dim
        self.batch_size = batch_size
        self.list_IDs = list_IDs
        self.n_classes = n_classes
        self.shuffle = shuffle
        self.on_epoch_end()

    def __len__(self):
        return int(np.floor(len(self.list_IDs) / self.batch_size))

    def __getitem__(self, index):
        indexes = self.indexes[index * self.batch_size:(index + 1) * self.batch_size]
        return self.__data_generation([self.list_IDs[k] for k in indexes])

    def on_epoch_end(self):
        self.indexes = np.arange(len(self.list_IDs))
        if self.shuffle:
            np.random.shuffle(self.indexes)

    def __data_generation(self, list_IDs_temp):
        X = np.empty((self.batch_size, self.dim, 1))
        y = np.empty((self.batch_size), dtype=int)
        for i, ID in enumerate(list_IDs_temp):
            rng = np.random.RandomState(ID)
            y[i] = ID % self.n_classes
            X[i, :, 0] = np.sin(np.arange(self.dim) * (y[i] + 1) * 0.7 + rng.uniform(0, 6)) + 0.1 * rng.randn(self.dim)
        return X, to_categorical(y, num_classes=self.n_classes)


class Workers(DataGenerator):
    """The same, with the number of the process in place of the data."""

    def __getitem__(self, index):
        X, y = super(Workers, self).__getitem__(index)
        return np.full_like(X, os.getpid()), y


def simple_generator(ids, batch_size):
    """A generator of the old kind, for ever."""
    while 1:
        for start in range(0, len(ids) - batch_size + 1, batch_size):
            yield DataGenerator(ids[start:start + batch_size], batch_size, shuffle=False)[0]


def main():
    np.random.seed(7)
    training_generator = DataGenerator(list(range(192)))
    validation_generator = DataGenerator(list(range(192, 240)), shuffle=False)
    model = Sequential()
    model.add(Conv1D(8, 5, activation='relu', input_shape=(16, 1)))
    model.add(MaxPooling1D(2))
    model.add(Conv1D(8, 3, activation='relu'))
    model.add(GlobalMaxPooling1D())
    model.add(Dense(3, activation='softmax'))
    model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
    rng = np.random.RandomState(1)
    weights = [rng.normal(0, 0.4, w.shape) for w in model.get_weights()]
    model.set_weights(weights)

    # The functions are built and run once before the first process is forked.
    direct = np.concatenate([model.predict_on_batch(validation_generator[i][0]) for i in range(6)])
    model.test_on_batch(*validation_generator[0])
    first = model.train_on_batch(*validation_generator[0])
    model.set_weights(weights)
    predicted = model.predict_generator(validation_generator, workers=2, use_multiprocessing=True)
    assert predicted.shape == (48, 3)
    np.testing.assert_allclose(predicted, direct, atol=1e-5)
    before = model.evaluate_generator(validation_generator, workers=2, use_multiprocessing=True)
    by_generator = model.evaluate_generator(simple_generator(list(range(192, 240)), 8), steps=6, workers=1)
    np.testing.assert_allclose(before, by_generator, atol=1e-5)

    K.set_value(model.optimizer.lr, 0.01)
    history = model.fit_generator(generator=training_generator, validation_data=validation_generator, epochs=15,
                                  use_multiprocessing=True, workers=2, max_queue_size=4, verbose=0)
    assert len(history.history['loss']) == 15
    assert history.history['val_loss'][-1] < 0.5 * before[0], (before, history.history['val_loss'])
    loss, acc = model.evaluate_generator(validation_generator, workers=0)
    assert acc > 0.8, acc
    model.fit_generator(simple_generator(list(range(96)), 8), steps_per_epoch=12, epochs=1, verbose=0)

    # The batches are made elsewhere.
    identity = Sequential([Flatten(input_shape=(16, 1))])
    identity.compile('sgd', 'mse')
    numbers = identity.predict_generator(Workers(list(range(48))), workers=2, use_multiprocessing=True)
    assert os.getpid() not in set(numbers[:, 0].astype(int))
    print('RESULT ' + json.dumps({'predicted': predicted[:8].tolist(), 'before': [float(v) for v in before],
                                  'first': [float(v) for v in first]}))


if __name__ == '__main__':
    main()
