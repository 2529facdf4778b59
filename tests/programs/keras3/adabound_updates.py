"""AdaBound as of 2019, for Keras 2: get_updates with K.update, bounds that close in, constraints and decay."""
# original: no
import json

import numpy as np
from keras import backend as K
from keras.optimizers import Optimizer
from keras.models import Sequential
from keras.layers import Dense


# tf_keras has no get_updates that fit calls. The numbers of Keras 2.2.4 stand below.
class AdaBound(Optimizer):
    def __init__(self, lr=0.001, final_lr=0.1, beta_1=0.9, beta_2=0.999, gamma=1e-3, epsilon=None, decay=0., amsbound=False, weight_decay=0.0, **kwargs):
        super(AdaBound, self).__init__(**kwargs)
        with K.name_scope(self.__class__.__name__):
            self.iterations = K.variable(0, dtype='int64', name='iterations')
            self.lr = K.variable(lr, name='lr')
            self.beta_1 = K.variable(beta_1, name='beta_1')
            self.beta_2 = K.variable(beta_2, name='beta_2')
            self.decay = K.variable(decay, name='decay')
        self.final_lr = final_lr
        self.gamma = gamma
        if epsilon is None:
            epsilon = K.epsilon()
        self.epsilon = epsilon
        self.initial_decay = decay
        self.amsbound = amsbound
        self.weight_decay = float(weight_decay)
        self.base_lr = float(lr)
    def get_updates(self, loss, params):
        grads = self.get_gradients(loss, params)
        self.updates = [K.update_add(self.iterations, 1)]
        lr = self.lr
        if self.initial_decay > 0:
            lr = lr * (1. / (1. + self.decay * K.cast(self.iterations, K.dtype(self.decay))))
        t = K.cast(self.iterations, K.floatx()) + 1
        step_size = lr * (K.sqrt(1. - K.pow(self.beta_2, t)) / (1. - K.pow(self.beta_1, t)))
        ms = [K.zeros(K.int_shape(p), dtype=K.dtype(p)) for p in params]
        vs = [K.zeros(K.int_shape(p), dtype=K.dtype(p)) for p in params]
        self.weights = [self.iterations] + ms + vs
        for p, g, m, v in zip(params, grads, ms, vs):
            final_lr = self.final_lr * lr / self.base_lr
            lower = final_lr * (1. - 1. / (self.gamma * t + 1.))
            upper = final_lr * (1. + 1. / (self.gamma * t))
            m_t = (self.beta_1 * m) + (1. - self.beta_1) * g
            v_t = (self.beta_2 * v) + (1. - self.beta_2) * K.square(g)
            denom = K.sqrt(v_t) + self.epsilon
            p_t = p - m_t * K.minimum(K.maximum(step_size / denom, lower), upper)
            self.updates.append(K.update(m, m_t))
            self.updates.append(K.update(v, v_t))
            new_p = p_t
            if getattr(p, 'constraint', None) is not None:
                new_p = p.constraint(new_p)
            self.updates.append(K.update(p, new_p))
        return self.updates
    def get_config(self):
        config = {'lr': float(K.get_value(self.lr)), 'final_lr': float(self.final_lr), 'beta_1': float(K.get_value(self.beta_1)),'decay': float(K.get_value(self.decay))}
        return dict(list(super(AdaBound, self).get_config().items()) + list(config.items()))


rs=np.random.RandomState(0)
x=rs.normal(0,1,(32,3)).astype('float32')
y=x.sum(1,keepdims=True)
m=Sequential([Dense(4,activation='tanh',input_shape=(3,)),Dense(1)])
m.set_weights([rs.normal(0,.5,w.shape) for w in m.get_weights()])
m.compile(AdaBound(lr=.01,final_lr=.1,decay=.05),'mse')
h=m.fit(x,y,batch_size=8,epochs=3,shuffle=False,verbose=0)
m.optimizer.get_config()
np.testing.assert_allclose(h.history['loss'], [2.393274, 2.130544, 1.924659], rtol=1e-5)
print('RESULT',json.dumps({'loss':h.history['loss'],'it':int(K.get_value(m.optimizer.iterations)),'w':[w.ravel().tolist() for w in m.get_weights()]}))
