"""Batches made by processes that start anew, as on Windows and macOS: set_start_method('spawn') and a guarded main."""
import json
import multiprocessing

import numpy as np
from keras import backend as K
from keras.layers import LSTM, Dense
from keras.models import Sequential
from keras.preprocessing.sequence import pad_sequences
from keras.utils import GeneratorEnqueuer, OrderedEnqueuer, Sequence

LENGTH = 6


class Sums(Sequence):
    """Series of numbers of different lengths, and whether their sum is above zero. Uses Keras in the worker."""

    def __init__(self, batches, batch_size=16, seed=0):
        self.batches, self.batch_size, self.seed = batches, batch_size, seed
        self.epoch = 0

    def __len__(self):
        return self.batches

    def __getitem__(self, idx):
        rng = np.random.RandomState(1000 * self.seed + idx)
        series = [rng.uniform(-1, 1, rng.randint(2, LENGTH + 1)) for _ in range(self.batch_size)]
        batch_x = pad_sequences(series, maxlen=LENGTH, dtype=K.floatx(), padding='post')
        return batch_x[:, :, None], np.array([s.sum() > 0 for s in series], dtype='int32')

    def on_epoch_end(self):
        self.epoch += 1


def build():
    model = Sequential()
    model.add(LSTM(4, input_shape=(LENGTH, 1), recurrent_activation='hard_sigmoid', implementation=1))
    model.add(Dense(1, activation='sigmoid'))
    model.compile(loss='binary_crossentropy', optimizer='rmsprop', metrics=['accuracy'])
    rng = np.random.RandomState(3)
    model.set_weights([rng.normal(0, 0.5, w.shape) for w in model.get_weights()])
    return model


def main():
    multiprocessing.set_start_method('spawn')
    np.random.seed(0)
    train, test = Sums(8), Sums(4, seed=1)
    model = build()
    predicted = model.predict_generator(test)
    assert predicted.shape == (64, 1)
    start = model.evaluate_generator(test, workers=0)

    K.set_value(model.optimizer.lr, 0.03)
    # A worker that dies at its import would be started again for ever.
    history = model.fit_generator(train, steps_per_epoch=len(train), epochs=2, workers=2, use_multiprocessing=True,
                                  verbose=0)
    assert train.epoch >= 1 and len(history.history['loss']) == 2
    history = model.fit_generator(train, epochs=10, verbose=0)
    assert history.history['loss'][-1] < 0.8 * start[0], (start, history.history['loss'])

    enqueuer = OrderedEnqueuer(test, use_multiprocessing=False)
    enqueuer.start(workers=2, max_queue_size=2)
    generator = enqueuer.get()
    for index in (0, 1, 2, 3, 0):
        batch, targets = next(generator)
        np.testing.assert_array_equal(batch, test[index][0])
        np.testing.assert_array_equal(targets, test[index][1])
    enqueuer.stop()
    threads = GeneratorEnqueuer((test[i % 4] for i in range(100)), use_multiprocessing=False)
    threads.start(workers=1, max_queue_size=2)
    np.testing.assert_array_equal(next(threads.get())[0], test[0][0])
    threads.stop()
    print('RESULT ' + json.dumps({'predicted': predicted[:, 0].tolist(), 'start': [float(v) for v in start]}))


if __name__ == '__main__':
    main()
