"""A search over settings as of 2019: K.clear_session between models, K.set_learning_phase, callbacks that read and set
weights and the learning rate by K, averaged weights, and the outputs of all layers by one K.function."""
# original: graph
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback, LambdaCallback
from tensorflow.keras.layers import BatchNormalization, Dense, Dropout, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD

rs = np.random.RandomState(47)
x, y = rs.normal(0, 1, (24, 4)).astype('float32'), rs.normal(0, 1, (24, 1)).astype('float32')


class Averaging(Callback):
    def on_train_begin(self, logs=None):
        self.count, self.mean = 0, [np.zeros(K.int_shape(w)) for w in self.model.trainable_weights]

    def on_epoch_end(self, epoch, logs=None):
        self.count += 1
        values = K.batch_get_value(self.model.trainable_weights)
        self.mean = [m + (v - m) / self.count for m, v in zip(self.mean, values)]

    def on_train_end(self, logs=None):
        K.batch_set_value(list(zip(self.model.trainable_weights, self.mean)))


class Clipping(Callback):
    def on_batch_end(self, batch, logs=None):
        for layer in self.model.layers:
            if hasattr(layer, 'kernel'):
                norm = K.sqrt(K.sum(K.square(layer.kernel), axis=0, keepdims=True))
                K.set_value(layer.kernel, K.get_value(layer.kernel * K.clip(norm, 0, .8) / (K.epsilon() + norm)))


def halved(epoch, logs):
    model = models[-1]
    K.set_value(model.optimizer.lr, K.get_value(model.optimizer.lr) * .5)


results, models = {}, []
for units, callback in ((3, Averaging()), (5, Clipping()), (3, Averaging())):
    K.set_learning_phase(len(models) % 2)
    K.clear_session()
    inputs = Input(shape=(4,))
    h = BatchNormalization(momentum=.5)(Dense(units, activation='tanh')(inputs))
    model = Model(inputs, Dense(1)(Dropout(.0)(h)))
    local = np.random.RandomState(48)
    model.set_weights([local.uniform(.2, .9, w.shape) for w in model.get_weights()])
    model.compile(optimizer=SGD(learning_rate=.1), loss='mse')
    models.append(model)
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0,
                        callbacks=[callback, LambdaCallback(on_epoch_end=halved)])
    outputs = [layer.output for layer in model.layers[1:]]
    functor = K.function([model.input, K.learning_phase()], outputs)
    test, train = functor([x[:4], 0]), functor([x[:4], 1])
    assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(test[:1], train[:1])), 'a dense layer has no phase'
    np.testing.assert_allclose(test[-1], model.predict(x[:4], verbose=0), atol=1e-5)
    assert not np.allclose(test[1], train[1], atol=1e-3), 'batch normalization has'
    total = int(np.sum([K.count_params(w) for w in model.trainable_weights]))
    found = [[float(v) for v in history.history['loss']], float(K.get_value(model.optimizer.learning_rate)), total,
             test[-1].ravel().tolist(), train[1].ravel().tolist()]
    name = '{} {}'.format(units, type(callback).__name__)
    assert name not in results or np.allclose(results[name][0], found[0], atol=1e-5), 'a cleared session tells'
    results[name] = found
print('RESULT ' + json.dumps(results))
