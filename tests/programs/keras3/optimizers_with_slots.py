"""Optimizers of tf.keras 2 with slots, as BERT code of 2020 wrote them: AdamW that leaves out biases by their names, momentum
with coefficients that are made once for all variables, and a penalty in the gradients of Adam."""
# original: graph
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Optimizer, Adam

class AdamW(Optimizer):
    def __init__(self, learning_rate=.001, beta_1=.9, beta_2=.999, epsilon=1e-6, weight_decay_rate=.01, exclude=('bias',), bias_correction=True, **kwargs):
        kwargs['name'] = kwargs.get('name') or 'AdamW'
        super(AdamW, self).__init__(**kwargs)
        self._set_hyper('learning_rate', learning_rate)
        self._set_hyper('beta_1', beta_1)
        self._set_hyper('beta_2', beta_2)
        self.epsilon = epsilon or K.epsilon()
        self.rate, self.exclude, self.bias_correction = weight_decay_rate, exclude, bias_correction
    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, 'm')
            self.add_slot(var, 'v')
    def _decays(self, var):
        return not any(part in var.name for part in self.exclude)
    def _resource_apply(self, grad, var, indices=None):
        var_dtype = var.dtype.base_dtype
        lr_t = self._decayed_lr(var_dtype)
        m = self.get_slot(var, 'm')
        v = self.get_slot(var, 'v')
        beta_1_t = self._get_hyper('beta_1', var_dtype)
        beta_2_t = self._get_hyper('beta_2', var_dtype)
        local_step = K.cast(self.iterations + 1, var_dtype)
        m_t = K.update(m, beta_1_t * m + (1 - beta_1_t) * grad)
        v_t = K.update(v, beta_2_t * v + (1 - beta_2_t) * grad**2)
        if self.bias_correction:
            m_t = m_t / (1. - K.pow(beta_1_t, local_step))
            v_t = v_t / (1. - K.pow(beta_2_t, local_step))
        step = m_t / (K.sqrt(v_t) + self.epsilon)
        if self._decays(var):
            step = step + self.rate * var
        return K.update(var, var - lr_t * step)
    def _resource_apply_dense(self, grad, var):
        return self._resource_apply(grad, var)
    def get_config(self):
        config = {'learning_rate': self._serialize_hyperparameter('learning_rate'), 'beta_1': self._serialize_hyperparameter('beta_1'), 'epsilon': self.epsilon}
        return dict(super(AdamW, self).get_config(), **config)

class Heavy(Optimizer):
    def __init__(self, learning_rate=.01, momentum=.9, nesterov=False, name='Heavy', **kwargs):
        super(Heavy, self).__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._set_hyper('momentum', momentum)
        self.nesterov = nesterov
    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, 'momentum')
    def _prepare_local(self, var_device, var_dtype, apply_state):
        super(Heavy, self)._prepare_local(var_device, var_dtype, apply_state)
        apply_state[(var_device, var_dtype)]['momentum'] = self._get_hyper('momentum', var_dtype)
    def _resource_apply_dense(self, grad, var, apply_state=None):
        var_device, var_dtype = var.device, var.dtype.base_dtype
        coefficients = ((apply_state or {}).get((var_device, var_dtype)) or self._fallback_apply_state(var_device, var_dtype))
        mom = self.get_slot(var, 'momentum')
        new = mom.assign(coefficients['momentum'] * mom - coefficients['lr_t'] * grad, use_locking=self._use_locking)
        return var.assign_add(new, use_locking=self._use_locking)
    def get_config(self):
        return super(Heavy, self).get_config()

class Decayed(Adam):
    """A penalty of the weights in the gradients of Adam."""
    def __init__(self, rate=.1, **kwargs):
        super(Decayed, self).__init__(**kwargs)
        self.rate = rate
    def _resource_apply_dense(self, grad, var, apply_state=None):
        if 'kernel' in var.name:
            grad = grad + self.rate * var
        return super(Decayed, self)._resource_apply_dense(grad, var, apply_state=apply_state)

results = {}
for optimizer in AdamW(learning_rate=.02), Heavy(.05, decay=.1), Decayed(learning_rate=.05), AdamW(tf.keras.optimizers.schedules.ExponentialDecay(.02, 4, .5), clipnorm=.3):
    rs = np.random.RandomState(4)
    x, y = rs.normal(0, 1, (32, 3)).astype('float32'), rs.normal(0, 1, (32, 1)).astype('float32')
    inputs = Input((3,))
    model = Model(inputs, Dense(1, kernel_constraint=tf.keras.constraints.MaxNorm(.9))(Dense(4, activation='tanh')(inputs)))
    model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
    model.compile(optimizer, 'mse')
    losses = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0).history['loss']
    losses = losses + model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0).history['loss']
    results['%d %s' % (len(results), type(optimizer).__name__)] = [losses, [w.ravel().tolist() for w in model.get_weights()], int(K.get_value(optimizer.iterations))]
    optimizer.get_config()
print('RESULT', json.dumps(results))
