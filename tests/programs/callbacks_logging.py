"""A training script with all the callbacks: CSV log, checkpoints, early stopping, lambdas, histories in pickles."""
from __future__ import print_function

import csv
import json
import os
import pickle
import sys
import tempfile
from collections import OrderedDict

import numpy as np
from keras import callbacks
from keras import backend as K
from keras.callbacks import (
    BaseLogger,
    Callback,
    CSVLogger,
    EarlyStopping,
    History,
    LambdaCallback,
    ModelCheckpoint,
    ProgbarLogger,
    RemoteMonitor,
    TerminateOnNaN,
)
from keras.layers import Dense, Dropout
from keras.models import Sequential, load_model
from keras.utils.generic_utils import Progbar

np.random.seed(1)
log_dir = os.path.join(tempfile.mkdtemp(), 'logs', '000')
if not os.path.exists(log_dir):
    os.makedirs(log_dir)


class LossHistory(Callback):
    def on_train_begin(self, logs={}):  # noqa: B006
        self.losses = []
        self.params_seen = dict(self.params)

    def on_batch_end(self, batch, logs={}):  # noqa: B006
        self.losses.append(logs.get('loss'))


class StopAt(Callback):
    def __init__(self, value):
        super(StopAt, self).__init__()
        self.value, self.batches = value, 0

    def on_batch_end(self, batch, logs=None):
        self.batches += 1

    def on_epoch_end(self, epoch, logs=None):
        if logs.get('val_loss') < self.value:
            print('\nReached %s, cancelling training!' % self.value)
            self.model.stop_training = True


def build():
    model = Sequential()
    model.add(Dense(16, activation='relu', input_shape=(8,)))
    model.add(Dropout(0.1))
    model.add(Dense(3, activation='softmax'))
    model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
    rng = np.random.RandomState(2)
    model.set_weights([rng.normal(0, 0.4, w.shape) for w in model.get_weights()])
    K.set_value(model.optimizer.lr, 0.01)
    return model


rng = np.random.RandomState(0)
x = rng.normal(size=(150, 8))
y = np.eye(3)[x[:, :3].argmax(axis=1)]
model = build()
predicted = model.predict(x[:5])
first = [float(v) for v in model.test_on_batch(x[:30], y[:30])]

loss_history = LossHistory()
epochs_seen, written = [], []
weights_path = os.path.join(log_dir, 'ep{epoch:03d}-loss{loss:.3f}-val_loss{val_loss:.3f}.h5')
best_path = os.path.join(log_dir, 'best.h5')
batch_print = LambdaCallback(on_epoch_begin=lambda epoch, logs: epochs_seen.append(epoch),
                             on_epoch_end=lambda epoch, logs: written.append(json.dumps(
                                 {'epoch': epoch, 'loss': float(logs['loss'])})),
                             on_train_end=lambda logs: written.append('done'))
history = model.fit(x, y, batch_size=30, epochs=8, validation_split=0.2, verbose=2, shuffle=True, callbacks=[
    loss_history, batch_print, CSVLogger(os.path.join(log_dir, 'training.log'), separator=';'),
    ModelCheckpoint(weights_path, monitor='val_loss', save_weights_only=True, period=4),
    ModelCheckpoint(filepath=best_path, monitor='val_loss', save_best_only=True, mode='min', verbose=0),
    TerminateOnNaN()])
assert epochs_seen == list(range(8)) and written[-1] == 'done' and len(written) == 9
assert len(loss_history.losses) == 32 and loss_history.losses[-1] < loss_history.losses[0]
assert all(isinstance(round(loss, 3), float) or np.isscalar(round(loss, 3)) for loss in loss_history.losses)
assert loss_history.params_seen['epochs'] == 8 and loss_history.params_seen['samples'] == 120
with open(os.path.join(log_dir, 'training.log')) as stream:
    rows = list(csv.DictReader(stream, delimiter=';'))
assert [int(row['epoch']) for row in rows] == list(range(8))
np.testing.assert_allclose([float(row['val_loss']) for row in rows], history.history['val_loss'], rtol=1e-6)
checkpoints = sorted(name for name in os.listdir(log_dir) if name.startswith('ep'))
assert [name[:5] for name in checkpoints] == ['ep004', 'ep008'], checkpoints
assert checkpoints[1] == 'ep008-loss%.3f-val_loss%.3f.h5' % (history.history['loss'][-1],
                                                             history.history['val_loss'][-1])
best = load_model(best_path)
score = best.evaluate(x[120:], y[120:], verbose=0)[0]
assert abs(score - min(history.history['val_loss'])) < 1e-4, (score, history.history['val_loss'])
model.load_weights(os.path.join(log_dir, checkpoints[1]))

# The history outlives the process.
with open(os.path.join(log_dir, 'history.pkl'), 'wb') as stream:
    pickle.dump(history.history, stream)
with open(os.path.join(log_dir, 'history.pkl'), 'rb') as stream:
    restored = pickle.load(stream)
assert restored == history.history and set(restored) >= {'loss', 'val_loss'}
json.dumps({key: [float(v) for v in values] for key, values in restored.items()})
assert isinstance(restored['loss'][0], float), type(restored['loss'][0])
hash(restored['loss'][0])

# Stopped early, going on from an epoch, added to the same log.
model = build()
early = EarlyStopping(monitor='val_loss', min_delta=100., patience=2, verbose=1, mode='auto')
stopped = model.fit(x, y, epochs=20, validation_split=0.2, verbose=0, callbacks=[early])
assert len(stopped.epoch) == 3, stopped.epoch
initial_epoch = stopped.epoch[-1] + 1
going_on = model.fit(x, y, epochs=initial_epoch + 2, initial_epoch=initial_epoch, verbose=0, callbacks=[
    CSVLogger(os.path.join(log_dir, 'training.log'), separator=';', append=True)])
assert going_on.epoch == [3, 4]
stop = StopAt(100.)
model.fit(x, y, epochs=5, validation_data=(x, y), callbacks=[stop], verbose=0, batch_size=50)
assert stop.batches == 3
restoring = EarlyStopping(monitor='loss', patience=0, restore_best_weights=True, min_delta=100.)
model.fit(x, y, epochs=3, verbose=0, callbacks=[restoring])

# By hand, as in Keras itself.
hand = callbacks.CallbackList([BaseLogger(), History()])
hand.set_model(model)
hand.set_params({'epochs': 1, 'metrics': ['loss']})
hand.on_train_begin()
hand.on_epoch_begin(0)
bar = Progbar(5, verbose=0)
for i in range(5):
    loss, acc = model.train_on_batch(x[30 * i:30 * i + 30], y[30 * i:30 * i + 30])
    hand.on_batch_end(i, OrderedDict([('batch', i), ('size', 30), ('loss', loss)]))
    bar.update(i + 1, values=[('loss', loss)])
logs = {}
hand.on_epoch_end(0, logs)
hand.on_train_end()
assert ProgbarLogger and RemoteMonitor
sys.stdout.flush()
nan = build()
diverged = nan.get_weights()
diverged[-1][0] = np.nan
nan.set_weights(diverged)
ended = nan.fit(x, y, batch_size=150, epochs=4, verbose=0, callbacks=[TerminateOnNaN()])
assert len(ended.history['loss']) == 1
print('RESULT ' + json.dumps({'predicted': predicted.tolist(), 'first': first}))
