"""Optimizers over others as of 2019, for Keras 2: Lookahead over Adam, Adam that accumulates gradients, learning rates by
the names of layers through a K.update of their own, and centralized gradients."""
# original: no
# on tf_keras: no
import json

import numpy as np
from keras import backend as K
from keras.layers import Dense
from keras.models import Sequential
from keras.optimizers import SGD, Adam, Optimizer


# tf_keras calls no get_updates in eager mode. The losses of Keras 2.2.4 stand below.
class Lookahead(Optimizer):
    """Slow weights follow the fast ones of another optimizer every few steps."""

    def __init__(self, optimizer, sync_period=3, slow_step=.5, **kwargs):
        super(Lookahead, self).__init__(**kwargs)
        self.optimizer = optimizer
        with K.name_scope(self.__class__.__name__):
            self.count = K.variable(0, dtype='int64', name='count')
            self.sync_period, self.slow_step = sync_period, K.variable(slow_step, name='slow_step')

    def get_updates(self, loss, params):
        sync = K.equal((self.count + 1) // self.sync_period * self.sync_period, self.count + 1)
        slow_params = {i: K.variable(K.get_value(p), name='sp_{}'.format(i)) for i, p in enumerate(params)}
        original, new = K.update, {}
        K.update = lambda x, new_x: new.setdefault(id(x), (x, new_x)) and original(x, new_x)
        self.updates = self.optimizer.get_updates(loss, params)
        K.update = original
        self.updates.append(K.update_add(self.count, 1))
        for i, p in enumerate(params):
            fast, slow = new[id(p)][1], slow_params[i]
            slow_t = slow + self.slow_step * (fast - slow)
            self.updates.append(K.update(slow, K.switch(sync, slow_t, slow)))
            self.updates.append(K.update(p, K.switch(sync, slow_t, fast)))
        self.weights = self.optimizer.weights + list(slow_params.values())
        return self.updates


class AccumulatingAdam(Optimizer):
    """Adam that steps every few batches, by the mean gradient."""

    def __init__(self, lr=.001, beta_1=.9, beta_2=.999, accum_iters=2, **kwargs):
        super(AccumulatingAdam, self).__init__(**kwargs)
        with K.name_scope(self.__class__.__name__):
            self.iterations = K.variable(0, dtype='int64', name='iterations')
            self.lr = K.variable(lr, name='lr')
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, K.epsilon()
        self.accum_iters = K.variable(accum_iters, K.dtype(self.iterations))

    def get_updates(self, loss, params):
        grads = self.get_gradients(loss, params)
        self.updates = [K.update_add(self.iterations, 1)]
        accum = K.cast(self.accum_iters, K.floatx())
        t = K.cast(self.iterations // self.accum_iters, K.floatx()) + 1
        lr_t = self.lr * (K.sqrt(1. - K.pow(self.beta_2, t)) / (1. - K.pow(self.beta_1, t)))
        switch = K.cast(K.equal((self.iterations + 1) % self.accum_iters, 0), K.floatx())
        ms, vs, gs = [[K.zeros(K.int_shape(p), dtype=K.dtype(p)) for p in params] for _ in range(3)]
        self.weights = [self.iterations] + ms + vs + gs
        for p, g, m, v, tg in zip(params, grads, ms, vs, gs):
            mean = (tg + g) / accum
            m_t = self.beta_1 * m + (1. - self.beta_1) * mean
            v_t = self.beta_2 * v + (1. - self.beta_2) * K.square(mean)
            p_t = p - lr_t * m_t / (K.sqrt(v_t) + self.epsilon)
            self.updates.append(K.update(m, (1 - switch) * m + switch * m_t))
            self.updates.append(K.update(v, (1 - switch) * v + switch * v_t))
            self.updates.append(K.update(tg, (1 - switch) * (tg + g)))
            self.updates.append(K.update(p, (1 - switch) * p + switch * p_t))
        return self.updates


class RatesByLayer(SGD):
    """SGD with a learning rate of its own for some layers, by the names of their weights."""

    def __init__(self, multipliers, **kwargs):
        super(RatesByLayer, self).__init__(**kwargs)
        self.multipliers = multipliers

    def get_updates(self, loss, params):
        original = K.update

        def scaled(x, new_x):
            rate = [m for name, m in self.multipliers.items() if name in x.name]
            return original(x, x + rate[0] * (new_x - x) if rate else new_x)

        K.update = scaled
        updates = super(RatesByLayer, self).get_updates(loss, params)
        K.update = original
        return updates


class Centralized(SGD):
    """Gradients of matrices have a mean of zero."""

    def get_gradients(self, loss, params):
        grads = super(Centralized, self).get_gradients(loss, params)
        return [g - K.mean(g, axis=0, keepdims=True) if K.ndim(g) > 1 else g for g in grads]


EXPECTED = {
    'lookahead': [1.04412, 0.71514, 0.71077],
    'accumulating': [1.13989, 0.77996, 0.72389],
    'rates': [0.97672, 0.78242, 0.75879],
    'centralized': [0.97492, 0.77508, 0.74769],
}
results = {}
made = {
    'lookahead': Lookahead(Adam(lr=.05)), 'accumulating': AccumulatingAdam(lr=.05),
    'rates': RatesByLayer({'first': .1}, lr=.1), 'centralized': Centralized(lr=.1, decay=.1),
}
for name, optimizer in made.items():
    rs = np.random.RandomState(6)
    x, y = rs.normal(0, 1, (32, 3)).astype('float32'), rs.normal(0, 1, (32, 1)).astype('float32')
    model = Sequential([Dense(4, activation='tanh', input_shape=(3,), name='first'), Dense(1, name='second')])
    model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
    model.compile(optimizer, 'mse')
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0)
    np.testing.assert_allclose(history.history['loss'], EXPECTED[name], rtol=1e-4)
    results[name] = [float(v) for v in history.history['loss']], [w.ravel().tolist() for w in model.get_weights()]
print('RESULT', json.dumps(results))
