"""Learning rates by callbacks: one cycle and cosine annealing with snapshots, by K.get_value and K.set_value."""
import glob
import json
import math
import os
import tempfile

import keras.backend as K
import numpy as np
from keras.callbacks import Callback, LearningRateScheduler, ReduceLROnPlateau
from keras.constraints import max_norm
from keras.layers import Dense, Dropout, GaussianNoise
from keras.models import Sequential, load_model
from keras.optimizers import SGD


class CyclicLR(Callback):
    """A learning rate that goes up and down between two bounds, in triangles that may shrink."""

    def __init__(self, base_lr=0.001, max_lr=0.006, step_size=2000., mode='triangular'):
        super(CyclicLR, self).__init__()
        self.base_lr, self.max_lr, self.step_size = base_lr, max_lr, step_size
        self.scale_fn = (lambda x: 1.) if mode == 'triangular' else (lambda x: 1 / (2. ** (x - 1)))
        self.clr_iterations = 0.
        self.history = {}

    def clr(self):
        cycle = np.floor(1 + self.clr_iterations / (2 * self.step_size))
        x = np.abs(self.clr_iterations / self.step_size - 2 * cycle + 1)
        return self.base_lr + (self.max_lr - self.base_lr) * np.maximum(0, (1 - x)) * self.scale_fn(cycle)

    def on_train_begin(self, logs={}):  # noqa: B006
        K.set_value(self.model.optimizer.lr, self.base_lr if self.clr_iterations == 0 else self.clr())

    def on_batch_end(self, epoch, logs=None):
        logs = logs or {}
        self.clr_iterations += 1
        self.history.setdefault('lr', []).append(K.get_value(self.model.optimizer.lr))
        for k, v in logs.items():
            self.history.setdefault(k, []).append(v)
        K.set_value(self.model.optimizer.lr, self.clr())


class Snapshot(Callback):
    """Saves the model at the end of every cycle of the cosine."""

    def __init__(self, folder, nb_epochs, nb_cycles, verbose=0):
        super(Snapshot, self).__init__()
        self.folder, self.period = folder, nb_epochs // nb_cycles

    def on_epoch_end(self, epoch, logs={}):  # noqa: B006
        if epoch != 0 and (epoch + 1) % self.period == 0:
            self.model.save(os.path.join(self.folder, 'snapshot-%d.h5' % (epoch // self.period)), overwrite=True)


class LRTensorBoardless(Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs.update({'lr_now': K.eval(self.model.optimizer.lr)})


T, M, alpha_zero = 12, 3, 0.1


def cosine(t):
    cos_inner = np.pi * (t % (T // M)) / (T // M)
    return float(alpha_zero / 2 * (np.cos(cos_inner) + 1))


def build():
    model = Sequential()
    model.add(Dense(12, activation='relu', input_dim=2, kernel_constraint=max_norm(3.)))
    model.add(GaussianNoise(0.05))
    model.add(Dropout(0.05))
    model.add(Dense(2, activation='softmax'))
    model.compile(SGD(lr=0.1, momentum=0.9, clipvalue=1.), 'sparse_categorical_crossentropy', ['accuracy'])
    rng = np.random.RandomState(5)
    model.set_weights([rng.normal(0, 0.7, w.shape) for w in model.get_weights()])
    return model


np.random.seed(4)
angle = np.random.uniform(0, np.pi, 256)
y = np.arange(256) % 2
x = np.stack([np.cos(angle) * (1 - 2 * y) + y, np.sin(angle) * (1 - 2 * y) + 0.5 * y], axis=1)
x += 0.05 * np.random.normal(size=x.shape)

model = build()
predicted = model.predict(x[:8])
clr = CyclicLR(base_lr=0.01, max_lr=0.2, step_size=8., mode='triangular2')
history = model.fit(x, y, batch_size=32, epochs=8, callbacks=[clr, LRTensorBoardless()], verbose=0)
lrs = [float(v) for v in clr.history['lr']]
assert len(lrs) == 64 and abs(max(lrs) - 0.2) < 1e-6 and np.argmax(lrs) == 8
assert abs(lrs[24] - 0.105) < 1e-6, lrs[24]
assert len(clr.history['loss']) == 64 and len(history.history['lr_now']) == 8

folder = tempfile.mkdtemp()
model = build()
model.fit(x, y, batch_size=32, epochs=12, verbose=0,
          callbacks=[LearningRateScheduler(cosine), Snapshot(folder, 12, 3)])
assert abs(K.get_value(model.optimizer.lr) - cosine(11)) < 1e-7
files = sorted(glob.glob(os.path.join(folder, '*.h5')))
assert [os.path.basename(f) for f in files] == ['snapshot-0.h5', 'snapshot-1.h5', 'snapshot-2.h5']
preds = [load_model(f).predict(x, verbose=0) for f in files]
np.testing.assert_allclose(preds[-1], model.predict(x), atol=1e-6)
ensemble = np.mean(preds, axis=0)
accuracy = np.mean(np.argmax(ensemble, axis=1) == y)
print('ensemble of %d: %.3f' % (len(files), accuracy))
assert accuracy > 0.85, accuracy

plateau = ReduceLROnPlateau(monitor='loss', factor=0.5, patience=1, min_lr=1e-3, min_delta=10., verbose=0)
model.fit(x, y, epochs=6, verbose=0, callbacks=[plateau])
lr = float(K.get_value(model.optimizer.lr))
assert lr < cosine(11) * 0.2, lr
drop = math.pow(0.5, math.floor((1 + 10) / 10.))
K.set_value(model.optimizer.lr, drop * lr)
print('RESULT ' + json.dumps({'predicted': predicted.tolist(), 'lrs': lrs, 'lr': lr}))
