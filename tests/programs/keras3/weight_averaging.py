"""Stochastic weight averaging as of 2019: a callback averages the weights, then sets the moving statistics of batch
normalization back and runs one more epoch for them, with a momentum of its own in each batch. A second callback keeps
moving averages of the weights in K.variables, and changes places with the model for an evaluation."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback
from tensorflow.keras.layers import BatchNormalization, Dense, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD


class SWA(Callback):
    def __init__(self, start, epochs, batch_size):
        super(SWA, self).__init__()
        self.start, self.epochs, self.batch_size, self.averaged, self.momenta = start, epochs, batch_size, None, []

    def on_epoch_begin(self, epoch, logs=None):
        self.normalizing = epoch == self.epochs - 1
        if self.normalizing:
            self.model.set_weights(self.averaged)
            K.set_value(self.model.optimizer.lr, 0.)
            self.layers = [layer for layer in self.model.layers if isinstance(layer, BatchNormalization)]
            self.kept = [layer.momentum for layer in self.layers]
            for layer in self.layers:
                K.set_value(layer.moving_mean, np.zeros(K.int_shape(layer.moving_mean)))
                K.set_value(layer.moving_variance, np.ones(K.int_shape(layer.moving_variance)))

    def on_batch_begin(self, batch, logs=None):
        if self.normalizing:
            for layer in self.layers:
                layer.momentum = self.batch_size / (batch * self.batch_size + self.batch_size)
                self.momenta.append(layer.momentum)

    def on_epoch_end(self, epoch, logs=None):
        if epoch == self.start:
            self.averaged = self.model.get_weights()
        elif epoch > self.start and not self.normalizing:
            n = epoch - self.start
            self.averaged = [(a * n + w) / (n + 1) for a, w in zip(self.averaged, self.model.get_weights())]

    def on_train_end(self, logs=None):
        for layer, momentum in zip(self.layers, self.kept):
            layer.momentum = momentum


class MovingAverage(Callback):
    def __init__(self, decay):
        super(MovingAverage, self).__init__()
        self.decay = decay

    def on_train_begin(self, logs=None):
        self.averages = [K.variable(K.get_value(w)) for w in self.model.trainable_weights]

    def on_batch_end(self, batch, logs=None):
        for average, w in zip(self.averages, self.model.trainable_weights):
            K.update(average, self.decay * average + (1. - self.decay) * w)

    def on_train_end(self, logs=None):
        kept = K.batch_get_value(self.model.trainable_weights)
        K.batch_set_value(list(zip(self.model.trainable_weights, K.batch_get_value(self.averages))))
        self.loss = float(self.model.evaluate(x, y, batch_size=8, verbose=0))
        K.batch_set_value(list(zip(self.model.trainable_weights, kept)))


def made():
    inputs, local = Input((3,)), np.random.RandomState(31)
    h = BatchNormalization(momentum=.9)(Dense(4, activation='tanh')(inputs))
    model = Model(inputs, Dense(1)(BatchNormalization()(h)))
    model.set_weights([local.uniform(.5, 1., w.shape) for w in model.get_weights()])
    model.compile(SGD(learning_rate=.05), 'mse')
    return model


rs = np.random.RandomState(30)
x, y = rs.normal(.4, 1, (32, 3)).astype('float32'), rs.normal(0, 1, (32, 1)).astype('float32')
model, swa = made(), SWA(1, 5, 8)
history = model.fit(x, y, batch_size=8, epochs=5, shuffle=False, verbose=0, callbacks=[swa])
moved = [K.get_value(v).tolist() for layer in swa.layers for v in (layer.moving_mean, layer.moving_variance)]
assert [layer.momentum for layer in swa.layers] == [.9, .99] and len(swa.momenta) == 8
model, ema = made(), MovingAverage(.7)
model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0, callbacks=[ema])
print('RESULT ' + json.dumps({
    'loss': [float(v) for v in history.history['loss']], 'moved': moved, 'averaged loss': ema.loss,
    'averages': [K.get_value(v).ravel().tolist() for v in ema.averages],
    'predicted': model.predict(x, verbose=0).ravel().tolist()}))
