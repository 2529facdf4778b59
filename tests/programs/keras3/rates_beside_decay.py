"""Optimizers with `lr` and `decay` as of 2019: K.set_value, callbacks and attributes set the rate, and each step divides it."""
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback, LearningRateScheduler, ReduceLROnPlateau
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential, load_model

optimizers = keras.optimizers.legacy
rs = np.random.RandomState(0)
x = rs.normal(0, 1, (32, 4)).astype('float32')
y = 2 * x.dot(np.ones((4, 1), 'float32'))
results = {}


class Tenth(Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            K.set_value(self.model.optimizer.lr, K.get_value(self.model.optimizer.lr) * .1)


class OfBatches(Callback):
    def on_train_batch_begin(self, batch, logs=None):
        K.set_value(self.model.optimizer.learning_rate, .01 * (batch + 1))


class Attributes(Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.optimizer.lr = .01
        if epoch == 2:
            self.model.optimizer.learning_rate = .02


def run(name, optimizer, *callbacks):
    model = Sequential([Dense(1, kernel_initializer='ones', input_shape=(4,))])
    model.compile(optimizer, 'mse')
    history = model.fit(x, y, batch_size=8, epochs=4, shuffle=False, verbose=0, callbacks=list(callbacks)).history
    said = model.optimizer.get_config()
    results[name] = {key: [float(v) for v in values] for key, values in history.items()}
    results[name]['rate'] = [float(K.get_value(model.optimizer.lr)), float(K.get_value(model.optimizer.learning_rate)),
                             float(said['learning_rate']), float(said['decay']),
                             int(K.get_value(model.optimizer.iterations))]
    return model


for name in 'SGD', 'Adam', 'RMSprop', 'Adagrad', 'Adadelta', 'Adamax':
    run(name, getattr(optimizers, name)(lr=.05, decay=.1))
run('momentum', optimizers.SGD(.05, decay=.1, momentum=.9, nesterov=True))
run('scheduler', optimizers.SGD(lr=.05, decay=.1), LearningRateScheduler(lambda epoch: .05 / (epoch + 1)))
run('scheduler of rates', optimizers.SGD(lr=.05, decay=.1), LearningRateScheduler(lambda epoch, lr: lr * .5))
run('plateau', optimizers.SGD(lr=.05, decay=.1),
    ReduceLROnPlateau(monitor='loss', patience=0, min_delta=100., factor=.5))
run('set', optimizers.Adam(lr=.05, decay=.1), Tenth())
run('set in batches', optimizers.Adam(lr=.05, decay=.1), OfBatches())
run('attributes', optimizers.Adam(lr=.05, decay=.1), Attributes())

model = run('file', optimizers.SGD(lr=.05, decay=.1))
K.set_value(model.optimizer.lr, .2)
losses = [float(model.train_on_batch(x, y)) for _ in range(3)]
model.save('model.h5')
model = load_model('model.h5')
losses += [float(model.train_on_batch(x, y)) for _ in range(3)]
K.set_value(model.optimizer.lr, .05)
losses += [float(model.train_on_batch(x, y)) for _ in range(3)]
again = optimizers.SGD.from_config(model.optimizer.get_config())
results['loaded'] = losses + [float(K.get_value(again.lr)), float(again.get_config()['decay'])]
print('RESULT ' + json.dumps(results))
