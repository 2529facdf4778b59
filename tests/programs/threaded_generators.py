"""Batches made by threads, as of 2017: generators behind a lock, a queue that a pool of workers fills, the enqueuers of
keras.utils, iterators of Python 2 with next(), fit_generator with workers, a Sequence in order."""
from __future__ import print_function
import json
import threading
import time

import numpy as np

from keras.callbacks import Callback
from keras.layers import Dense
from keras.models import Sequential
from keras.utils import GeneratorEnqueuer, OrderedEnqueuer, Sequence

try:
    import Queue as queue
except ImportError:
    import queue


class threadsafe_iter(object):
    """Takes an iterator and makes it thread-safe by serializing calls to next."""

    def __init__(self, it):
        self.it = it
        self.lock = threading.Lock()
        self.threads = set()

    def __iter__(self):
        return self

    def __next__(self):
        return self.next()

    def next(self):
        with self.lock:
            self.threads.add(threading.current_thread().getName())
            return next(self.it)


def threadsafe_generator(f):
    def g(*a, **kw):
        return threadsafe_iter(f(*a, **kw))
    return g


rng = np.random.RandomState(0)
data = rng.normal(size=(48, 5)).astype(np.float32)
target = (data.sum(axis=1) > 0).astype(np.float32).reshape(-1, 1)


@threadsafe_generator
def load_data(batch_size=8, shuffle=False):
    index_array = np.arange(len(data))
    while True:
        if shuffle:
            np.random.shuffle(index_array)
        for start in range(0, len(data), batch_size):
            rows = index_array[start:start + batch_size]
            yield data[rows], target[rows]


class BatchLoader(Sequence):
    def __init__(self, batch_size=8):
        self.batch_size = batch_size
        self.ends = 0
        self.seen = []

    def __len__(self):
        return int(np.ceil(len(data) / float(self.batch_size)))

    def __getitem__(self, idx):
        time.sleep(.001 * (idx % 3))
        self.seen.append(idx)
        batch = slice(idx * self.batch_size, (idx + 1) * self.batch_size)
        return data[batch], target[batch]

    def on_epoch_end(self):
        self.ends += 1


class QueueLoader(object):
    """Workers that take indices and put batches, with an order that does not depend on them."""

    def __init__(self, batches, workers=3):
        self.todo, self.done = queue.Queue(), queue.Queue(maxsize=10)
        self.batches = batches
        self.stop = threading.Event()
        self.threads = []
        for i in range(workers):
            thread = threading.Thread(target=self.work, args=(i,))
            thread.setDaemon(True)
            thread.start()
            self.threads.append(thread)

    def work(self, number):
        while not self.stop.isSet():
            try:
                index = self.todo.get(timeout=.02)
            except queue.Empty:
                continue
            self.done.put((index, data[index * 8:index * 8 + 8], target[index * 8:index * 8 + 8]))
            self.todo.task_done()

    def flow(self):
        waiting, wanted = {}, 0
        for index in range(self.batches):
            self.todo.put(index)
        while wanted < self.batches:
            index, x, y = self.done.get()
            waiting[index] = (x, y)
            while wanted in waiting:
                yield waiting.pop(wanted)
                wanted += 1


class LossHistory(Callback):
    def on_train_begin(self, logs={}):
        self.losses = []

    def on_batch_end(self, batch, logs={}):
        self.losses.append(float(logs.get('loss')))


def build():
    model = Sequential()
    model.add(Dense(6, activation='tanh', input_shape=(5,)))
    model.add(Dense(1, activation='sigmoid'))
    rs = np.random.RandomState(2)
    model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
    model.compile(loss='binary_crossentropy', optimizer='sgd', metrics=['accuracy'])
    return model


losses = {}
model, history = build(), LossHistory()
generator = load_data()
model.fit_generator(generator, steps_per_epoch=6, epochs=2, workers=1, max_queue_size=4, callbacks=[history], verbose=0)
losses['one_worker'] = history.losses
assert generator.threads and 'MainThread' not in generator.threads, generator.threads
many = load_data(shuffle=True)
model.fit_generator(many, steps_per_epoch=6, epochs=1, workers=3, use_multiprocessing=False, verbose=0)
assert len(many.threads) >= 1

model, history, loader = build(), LossHistory(), BatchLoader()
model.fit_generator(loader, steps_per_epoch=len(loader), epochs=2, workers=4, max_queue_size=10, shuffle=False,
                    callbacks=[history], validation_data=load_data(), validation_steps=2, verbose=0)
losses['sequence'] = history.losses
assert sorted(set(loader.seen)) == list(range(6)) and loader.ends >= 1
losses['evaluated'] = [float(v) for v in model.evaluate_generator(loader, workers=2)]
losses['predicted'] = model.predict_generator(loader, workers=2, max_queue_size=2)[::5].ravel().tolist()

enqueuer = GeneratorEnqueuer(load_data(), use_multiprocessing=False)
enqueuer.start(workers=1, max_queue_size=3)
model, losses['enqueuer'] = build(), []
output_generator = enqueuer.get()
for step in range(4):
    x, y = next(output_generator)
    losses['enqueuer'].append([float(v) for v in model.train_on_batch(x, y)])
assert enqueuer.is_running()
enqueuer.stop()

ordered = OrderedEnqueuer(BatchLoader(), shuffle=False)
ordered.start(workers=3, max_queue_size=4)
batches = ordered.get()
losses['ordered'] = [float(next(batches)[0].sum()) for _ in range(8)]
ordered.stop()

model, losses['queue'] = build(), []
queued = QueueLoader(5)
for x, y in queued.flow():
    losses['queue'].append([float(v) for v in model.test_on_batch(x, y)])
    model.train_on_batch(x, y)
queued.stop.set()
for thread in queued.threads:
    thread.join(1)
assert not any(thread.is_alive() for thread in queued.threads)


def background(generator, num_cached=4):
    """The generator of another thread, by a queue and a sentinel."""
    cache, sentinel = queue.Queue(maxsize=num_cached), object()

    def producer():
        for item in generator:
            cache.put(item)
        cache.put(sentinel)
    thread = threading.Thread(target=producer)
    thread.daemon = True
    thread.start()
    item = cache.get()
    while item is not sentinel:
        yield item
        item = cache.get()


losses['background'] = [float(model.train_on_batch(x, y)[0]) for x, y in background(
    (data[i:i + 8], target[i:i + 8]) for i in range(0, 24, 8))]
print('RESULT ' + json.dumps(losses))
