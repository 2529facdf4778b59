"""Own optimizers by get_updates: gradients accumulated with K.switch, learning rates by layer, weight decay (AdamW)."""
import json
import os

import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense
from keras.legacy import interfaces
from keras.models import Sequential, load_model
from keras.optimizers import Optimizer

np.random.seed(0)


class AdamAccumulate(Optimizer):
    """Adam that steps once in accum_iters batches, by the mean of their gradients."""

    def __init__(self, lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0., accum_iters=2, **kwargs):
        if accum_iters < 1:
            raise ValueError('accum_iters must be >= 1')
        super(AdamAccumulate, self).__init__(**kwargs)
        with K.name_scope(self.__class__.__name__):
            self.iterations = K.variable(0, dtype='int64', name='iterations')
            self.learning_rate = K.variable(lr, name='lr')
            self.beta_1 = K.variable(beta_1, name='beta_1')
            self.beta_2 = K.variable(beta_2, name='beta_2')
        self.epsilon = K.epsilon() if epsilon is None else epsilon
        self.initial_decay = decay
        self.accum_iters = accum_iters

    @interfaces.legacy_get_updates_support
    def get_updates(self, loss, params):
        grads = self.get_gradients(loss, params)
        self.updates = [K.update_add(self.iterations, 1)]
        done = K.cast(self.iterations, K.floatx())
        completed_updates = K.cast(K.cast(done, 'int32') // self.accum_iters, K.floatx())
        update_switch = K.equal((K.cast(self.iterations, 'int32') + 1) % self.accum_iters, 0)
        update_switch = K.cast(update_switch, K.floatx())
        t = completed_updates + 1
        lr_t = self.learning_rate * (K.sqrt(1. - K.pow(self.beta_2, t)) / (1. - K.pow(self.beta_1, t)))
        ms = [K.zeros(K.int_shape(p), dtype=K.dtype(p)) for p in params]
        vs = [K.zeros(K.int_shape(p), dtype=K.dtype(p)) for p in params]
        gs = [K.zeros(K.int_shape(p), dtype=K.dtype(p)) for p in params]
        self.weights = [self.iterations] + ms + vs + gs
        for p, g, m, v, tg in zip(params, grads, ms, vs, gs):
            sum_grad = tg + g
            avg_grad = sum_grad / self.accum_iters
            m_t = (self.beta_1 * m) + (1. - self.beta_1) * avg_grad
            v_t = (self.beta_2 * v) + (1. - self.beta_2) * K.square(avg_grad)
            p_t = p - lr_t * m_t / (K.sqrt(v_t) + self.epsilon)
            self.updates.append(K.update(m, (1 - update_switch) * m + update_switch * m_t))
            self.updates.append(K.update(v, (1 - update_switch) * v + update_switch * v_t))
            self.updates.append(K.update(tg, (1 - update_switch) * sum_grad))
            new_p = p_t
            if getattr(p, 'constraint', None) is not None:
                new_p = p.constraint(new_p)
            self.updates.append(K.update(p, K.switch(K.greater(update_switch, 0.5), new_p, p)))
        return self.updates

    def get_config(self):
        config = {'lr': float(K.get_value(self.learning_rate)), 'beta_1': float(K.get_value(self.beta_1)),
                  'beta_2': float(K.get_value(self.beta_2)), 'decay': float(self.initial_decay),
                  'epsilon': self.epsilon, 'accum_iters': self.accum_iters}
        base_config = super(AdamAccumulate, self).get_config()
        return dict(list(base_config.items()) + list(config.items()))


class LRMultiplierSGD(Optimizer):
    """SGD with momentum; multipliers by a part of the variable's name, and decoupled weight decay."""

    def __init__(self, lr=0.01, momentum=0., weight_decay=0., multipliers=None, **kwargs):
        super(LRMultiplierSGD, self).__init__(**kwargs)
        self.__dict__.update(locals())
        self.iterations = K.variable(0)
        self.rate = K.variable(lr)
        self.momentum = K.variable(momentum)
        self.wd = K.variable(weight_decay)
        self.lr_multipliers = multipliers or {}

    def get_updates(self, loss=None, params=None, constraints=None):
        grads = self.get_gradients(loss, params)
        self.updates = [(self.iterations, self.iterations + 1.)] if K.backend() == 'theano' else [
            K.update_add(self.iterations, 1)]
        moments = [K.zeros(shape) for shape in [K.int_shape(p) for p in params]]
        self.weights = [self.iterations] + moments
        for p, g, m in zip(params, grads, moments):
            factors = [v for k, v in self.lr_multipliers.items() if k in p.name]
            lr = self.rate * factors[0] if factors else self.rate
            v = self.momentum * m - lr * g
            self.updates.append(K.update(m, v))
            self.updates.append(K.update(p, p + v - self.wd * lr * p))
        return self.updates


def build(optimizer):
    model = Sequential([Dense(6, activation='tanh', input_shape=(4,), name='frontend'), Dense(1, name='head')])
    model.compile(optimizer, 'mse')
    rng = np.random.RandomState(1)
    model.set_weights([rng.normal(0, 0.5, w.shape) for w in model.get_weights()])
    return model


rng = np.random.RandomState(2)
x = rng.normal(size=(64, 4))
y = np.sin(x[:, :1]) + 0.5 * x[:, 1:2]

model = build(AdamAccumulate(lr=0.01, accum_iters=4))
start = float(model.test_on_batch(x, y))
moved = []
for i in range(8):
    old = model.get_weights()
    model.train_on_batch(x[8 * i:8 * i + 8], y[8 * i:8 * i + 8])
    moved.append(max(np.abs(a - b).max() for a, b in zip(old, model.get_weights())))
# A step of Adam is about the learning rate. Which of four batches makes it is not said: nothing orders the updates.
assert 1 <= sum(m > 0 for m in moved) <= 3, moved
assert 0.002 < max(moved) < 0.05, moved
losses = [float(model.train_on_batch(x, y)) for _ in range(150)]
assert losses[-1] < 0.6 * losses[0], (losses[0], losses[-1])

layer_wise = LRMultiplierSGD(lr=0.05, momentum=0.9, weight_decay=1e-3, multipliers={'frontend': 0.1, 'bias': 0.})
model = build(layer_wise)
before = model.get_weights()
sgd = [float(model.train_on_batch(x, y)) for _ in range(20)]
assert sgd[-1] < sgd[0]
after = model.get_weights()
np.testing.assert_array_equal(after[3], before[3])
assert np.abs(after[0] - before[0]).max() < np.abs(after[2] - before[2]).max()
assert K.get_value(layer_wise.iterations) == 20

model = build(AdamAccumulate(lr=0.01, accum_iters=2))
for _ in range(3):
    model.train_on_batch(x, y)
model.save('accumulating.h5')
again = load_model('accumulating.h5', custom_objects={'AdamAccumulate': AdamAccumulate})
assert again.optimizer.accum_iters == 2 and K.get_value(again.optimizer.iterations) == 3
state, loaded = model.optimizer.get_weights(), again.optimizer.get_weights()
assert len(state) == len(loaded) == 1 + 3 * 4
for one, other in zip(state, loaded):
    np.testing.assert_array_equal(one, other)
again.train_on_batch(x, y)
os.remove('accumulating.h5')
# With Keras 2.2 on TensorFlow 1 later losses depend on the order in which variables are written.
steps = 5 if keras.__version__ >= '2.3' else 1
print('RESULT ' + json.dumps({'sgd': sgd[:steps], 'start': start}))
