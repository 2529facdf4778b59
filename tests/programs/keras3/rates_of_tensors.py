"""Callbacks as of 2020 that set the learning rate to a product of the rate itself, and variables to variables."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD


class Decay(Callback):
    def __init__(self, factor):
        super(Decay, self).__init__()
        self.factor, self.rates = factor, []

    def on_epoch_end(self, epoch, logs=None):
        optimizer = self.model.optimizer
        K.set_value(optimizer.learning_rate, optimizer.learning_rate * self.factor)
        self.rates.append(float(K.get_value(optimizer.learning_rate)))


rs = np.random.RandomState(81)
x, y = rs.normal(0, 1, (12, 3)).astype('float32'), rs.normal(0, 1, (12, 1)).astype('float32')
inputs = Input((3,))
model = Model(inputs, Dense(1)(inputs))
model.set_weights([np.ones((3, 1)), np.zeros(1)])
model.compile(SGD(learning_rate=.1), 'mse')
decay = Decay(.5)
history = model.fit(x, y, batch_size=6, epochs=4, shuffle=False, verbose=0, callbacks=[decay])
kept = [K.variable(w * 2.) for w in model.weights]
K.batch_set_value([(w, 3. * v) for w, v in zip(kept, model.weights)])
K.set_value(kept[1], model.weights[1])
print('RESULT ' + json.dumps({
    'rates': decay.rates, 'loss': [float(v) for v in history.history['loss']],
    'kept': [K.get_value(v).ravel().tolist() for v in kept]}))
