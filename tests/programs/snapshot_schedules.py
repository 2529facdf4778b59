"""Schedules by callbacks: warm restarts by batch with K.get_value and K.set_value, step decay and momentum, a plateau
with early stopping and checkpoints, snapshots as one ensemble, stochastic weight averaging."""
from __future__ import print_function

import csv
import glob
import json

import numpy as np
from keras import backend as K
from keras.callbacks import (Callback, CSVLogger, EarlyStopping, LambdaCallback, LearningRateScheduler, ModelCheckpoint,
                             ReduceLROnPlateau, TerminateOnNaN)
from keras.layers import BatchNormalization, Dense, Input, average
from keras.models import Model, Sequential, load_model
from keras.optimizers import SGD


class SGDRScheduler(Callback):
    """Cosine annealing with warm restarts: cycles that grow, a top that sinks."""

    def __init__(self, min_lr, max_lr, steps_per_epoch, lr_decay=1, cycle_length=10, mult_factor=2):
        self.min_lr, self.max_lr, self.lr_decay = min_lr, max_lr, lr_decay
        self.batch_since_restart = 0
        self.next_restart = cycle_length
        self.steps_per_epoch = steps_per_epoch
        self.cycle_length, self.mult_factor = cycle_length, mult_factor
        self.history = {}

    def clr(self):
        fraction_to_restart = self.batch_since_restart / float(self.steps_per_epoch * self.cycle_length)
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * (1 + np.cos(fraction_to_restart * np.pi))

    def on_train_begin(self, logs={}):  # noqa: B006
        K.set_value(self.model.optimizer.lr, self.max_lr)

    def on_batch_end(self, batch, logs={}):  # noqa: B006
        self.history.setdefault('lr', []).append(K.get_value(self.model.optimizer.lr))
        for k, v in logs.items():
            self.history.setdefault(k, []).append(v)
        self.batch_since_restart += 1
        K.set_value(self.model.optimizer.lr, self.clr())

    def on_epoch_end(self, epoch, logs={}):  # noqa: B006
        if epoch + 1 == self.next_restart:
            self.batch_since_restart = 0
            self.cycle_length = int(np.ceil(self.cycle_length * self.mult_factor))
            self.next_restart += self.cycle_length
            self.max_lr *= self.lr_decay
            self.best_weights = self.model.get_weights()

    def on_train_end(self, logs={}):  # noqa: B006
        self.model.set_weights(self.best_weights)


class SWA(Callback):
    """The mean of the weights after some epochs."""

    def __init__(self, filepath, swa_epoch):
        super(SWA, self).__init__()
        self.filepath, self.swa_epoch = filepath, swa_epoch

    def on_epoch_end(self, epoch, logs=None):
        if epoch == self.swa_epoch:
            self.swa_weights = self.model.get_weights()
        elif epoch > self.swa_epoch:
            n = epoch - self.swa_epoch
            for i, weights in enumerate(self.model.get_weights()):
                self.swa_weights[i] = (self.swa_weights[i] * n + weights) / (n + 1)

    def on_train_end(self, logs=None):
        self.model.set_weights(self.swa_weights)
        self.model.save_weights(self.filepath)


class MomentumAndDecay(Callback):
    """Sets the momentum, and logs the rate that the decay leaves."""

    def on_epoch_begin(self, epoch, logs=None):
        K.set_value(self.model.optimizer.momentum, .5 + .1 * min(epoch, 4))

    def on_epoch_end(self, epoch, logs=None):
        optimizer = self.model.optimizer
        lr = optimizer.lr * (1. / (1. + optimizer.decay * K.cast(optimizer.iterations, K.dtype(optimizer.decay))))
        logs['decayed'] = K.eval(lr)


def step_decay(epoch):
    initial_lrate, drop, epochs_drop = 0.1, 0.5, 3.0
    return initial_lrate * np.power(drop, np.floor((1 + epoch) / epochs_drop))


def cosine(epoch, lr):
    return float(.15 * (np.cos(np.pi * (epoch % 3) / 3.) + 1))


def build(optimizer):
    model = Sequential([Dense(10, activation='tanh', input_dim=3), BatchNormalization(momentum=.7),
                        Dense(3, activation='softmax')])
    rs = np.random.RandomState(7)
    model.set_weights([rs.normal(0, .5, w.shape) if w.ndim > 1 else np.abs(rs.normal(1, .2, w.shape))
                       for w in model.get_weights()])
    model.compile(optimizer, 'categorical_crossentropy', metrics=['categorical_accuracy'])
    return model


rs = np.random.RandomState(3)
x = rs.normal(size=(96, 3))
y = np.eye(3)[np.argmax(x.dot(rs.normal(size=(3, 3))) + .3 * rs.normal(size=(96, 3)), axis=1)]
train, valid = (x[:64], y[:64]), (x[64:], y[64:])
fit = dict(batch_size=16, verbose=0, shuffle=False)
result = {}

# Cycles of 1, 2 and 4 epochs of 4 batches. A restart shows from the second batch of its cycle on.
model = build(SGD(lr=.5, momentum=.9))
sgdr = SGDRScheduler(min_lr=1e-3, max_lr=.2, steps_per_epoch=4, lr_decay=.8, cycle_length=1, mult_factor=2)
history = model.fit(*train, epochs=7, callbacks=[sgdr, TerminateOnNaN()], **fit)
lrs = [float(v) for v in sgdr.history['lr']]
assert np.isclose([lrs[0], lrs[4], lrs[12]], [.2, .001, .001]).all() and lrs[5] > .15 and lrs[13] > .12, lrs
result['sgdr'] = [lrs, [float(v) for v in history.history['loss']], [float(v) for v in sgdr.history['loss'][-4:]]]

model = build(SGD(lr=.1, momentum=.5, decay=1e-6))
history = model.fit(*train, epochs=6, validation_data=valid, callbacks=[
    LearningRateScheduler(step_decay), MomentumAndDecay(), CSVLogger('log.csv', separator=';')], **fit)
result['step'] = [[float(v) for v in history.history[name]] for name in ('lr', 'decayed', 'loss', 'val_loss')]
with open('log.csv') as stream:
    rows = list(csv.DictReader(stream, delimiter=';'))
np.testing.assert_allclose([float(row['decayed']) for row in rows], history.history['decayed'], rtol=1e-6)

model = build(SGD(lr=.5, momentum=.9))
plateau = ReduceLROnPlateau(monitor='val_loss', factor=.2, patience=2, min_delta=5e-2, cooldown=1, min_lr=1e-3)
stopping = EarlyStopping(monitor='val_loss', min_delta=1e-3, patience=5, restore_best_weights=True)
checkpoint = ModelCheckpoint('weights.{epoch:02d}-{val_loss:.2f}.hdf5', monitor='val_loss', save_best_only=True,
                             save_weights_only=True, mode='min')
history = model.fit(*train, epochs=30, validation_data=valid, callbacks=[plateau, stopping, checkpoint], **fit)
val_losses = history.history['val_loss']
best = int(np.argmin(val_losses))
print('%d epochs, the best %d' % (len(val_losses), best + 1))
result['plateau'] = [[float(v) for v in history.history['lr'][:8]], [float(v) for v in val_losses[:3]]]
files = sorted(glob.glob('weights.*.hdf5'))
assert files[-1] == 'weights.%02d-%.2f.hdf5' % (best + 1, val_losses[best]), (files, val_losses)
other = build('sgd')
other.load_weights(files[-1])
np.testing.assert_allclose(other.evaluate(*valid, verbose=0)[0], val_losses[best], rtol=1e-4)

# Snapshots at the end of cycles, averaged as one model.
model = build(SGD(lr=.1))
save = LambdaCallback(on_epoch_end=lambda epoch, logs: (epoch + 1) % 3 == 0 and model.save('snapshot-%d.h5' % epoch))
model.fit(*train, epochs=9, callbacks=[LearningRateScheduler(cosine), save], **fit)
members = []
for i, name in enumerate(sorted(glob.glob('snapshot-*.h5'))):
    member = load_model(name)
    member.name = 'member_%d' % i
    member.trainable = False
    members.append(member)
inputs = Input((3,))
ensemble = Model(inputs, average([member(inputs) for member in members]))
predictions = ensemble.predict(valid[0])
np.testing.assert_allclose(predictions, np.mean([m.predict(valid[0]) for m in members], axis=0), atol=1e-5)
assert len(members) == 3 and not ensemble.trainable_weights
result['ensemble'] = predictions[:8].ravel().tolist()

model = build(SGD(lr=.2))
model.fit(*train, epochs=6, callbacks=[SWA('swa.h5', 2)], **fit)
result['swa'] = model.predict(valid[0])[:8].ravel().tolist()
other.load_weights('swa.h5')
np.testing.assert_allclose(other.predict(valid[0]), model.predict(valid[0]), atol=1e-6)
print('RESULT ' + json.dumps(result))
