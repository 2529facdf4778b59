"""Callbacks that set the learning rate as of 2020: cyclical, cosine with warm-up, a rate finder; a loss weight in a
K.variable that a callback anneals."""
import json
import math

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import SGD


class CyclicLR(Callback):
    def __init__(self, base_lr, max_lr, step_size):
        super(CyclicLR, self).__init__()
        self.base_lr, self.max_lr, self.step_size, self.iterations, self.rates = base_lr, max_lr, step_size, 0, []

    def on_train_begin(self, logs=None):
        K.set_value(self.model.optimizer.learning_rate, self.base_lr)

    def on_batch_end(self, batch, logs=None):
        self.iterations += 1
        self.rates.append(float(K.get_value(self.model.optimizer.lr)))
        cycle = np.floor(1 + self.iterations / (2 * self.step_size))
        x = np.abs(self.iterations / self.step_size - 2 * cycle + 1)
        K.set_value(self.model.optimizer.learning_rate,
                    self.base_lr + (self.max_lr - self.base_lr) * np.maximum(0, (1 - x)))


class WarmUpCosine(Callback):
    def __init__(self, top, warmup, total):
        super(WarmUpCosine, self).__init__()
        self.top, self.warmup, self.total, self.step, self.rates = top, warmup, total, 0, []

    def on_batch_begin(self, batch, logs=None):
        if self.step < self.warmup:
            rate = self.top * (self.step + 1) / self.warmup
        else:
            rate = self.top / 2 * (1 + math.cos(math.pi * (self.step - self.warmup) / (self.total - self.warmup)))
        K.set_value(self.model.optimizer.learning_rate, rate)

    def on_batch_end(self, batch, logs=None):
        self.rates.append(float(K.get_value(self.model.optimizer.lr)))
        self.step += 1


class LRFinder(Callback):
    def __init__(self, model):
        super(LRFinder, self).__init__()
        self.losses, self.rates, self.kept = [], [], model.get_weights()

    def on_batch_end(self, batch, logs=None):
        rate = float(K.get_value(self.model.optimizer.learning_rate))
        self.rates.append(rate)
        self.losses.append(float(logs['loss']))
        K.set_value(self.model.optimizer.lr, rate * 1.5)


class Annealing(Callback):
    def __init__(self, weight):
        super(Annealing, self).__init__()
        self.weight = weight

    def on_epoch_end(self, epoch, logs=None):
        K.set_value(self.weight, K.get_value(self.weight) * .1)


rs = np.random.RandomState(28)
x, y = rs.normal(0, 1, (24, 4)).astype('float32'), rs.normal(0, 1, (24, 1)).astype('float32')
results = {}
for callback in (CyclicLR(.01, .1, 3), WarmUpCosine(.1, 3, 12), LRFinder):
    model, local = Sequential([Dense(5, activation='tanh', input_shape=(4,)), Dense(1)]), np.random.RandomState(29)
    model.set_weights([local.normal(0, .5, w.shape) for w in model.get_weights()])
    model.compile(SGD(learning_rate=.001), 'mse')
    callback = callback(model) if callback is LRFinder else callback
    history = model.fit(x, y, batch_size=6, epochs=3, shuffle=False, verbose=0, callbacks=[callback])
    results[type(callback).__name__] = [callback.rates, [float(v) for v in history.history['loss']]]

model, local = Sequential([Dense(5, activation='tanh', input_shape=(4,)), Dense(1)]), np.random.RandomState(29)
model.set_weights([local.normal(0, .5, w.shape) for w in model.get_weights()])
model.penalty = K.variable(1., name='penalty')


def annealed(y_true, y_pred):
    return K.mean(K.square(y_true - y_pred)) + model.penalty * K.mean(K.square(y_pred))


model.compile(SGD(learning_rate=.01), annealed)
history = model.fit(x, y, batch_size=6, epochs=3, shuffle=False, verbose=0, callbacks=[Annealing(model.penalty)])
results['annealed'] = [float(v) for v in history.history['loss']] + [float(K.get_value(model.penalty))]
print('RESULT ' + json.dumps(results))
