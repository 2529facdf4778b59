"""Uncertainty by dropout that stays on: K.function with learning phase 1, Lambda dropout, heteroscedastic loss."""
import json

import numpy as np
from keras import backend as K
from keras.layers import Dense, Dropout, Input, Lambda
from keras.layers.core import Activation
from keras.layers.wrappers import Wrapper
from keras.models import Model
from keras.regularizers import l2

np.random.seed(17)
T = 60


def uncertain_predict(f, x, n_iter=T):
    """Mean and deviation of n_iter passes."""
    result = np.zeros((n_iter,) + (x.shape[0], 1))
    for i in range(n_iter):
        result[i] = f([x, 1])[0]
    return result.mean(axis=0), result.std(axis=0)


class ConcreteDropout(Wrapper):
    """A rate of dropout that is learned, of the form of 2017."""

    def __init__(self, layer, weight_regularizer=1e-3, dropout_regularizer=1e-2, init_min=0.1, init_max=0.1, **kwargs):
        assert 'kernel_regularizer' not in kwargs
        super(ConcreteDropout, self).__init__(layer, **kwargs)
        self.weight_regularizer = weight_regularizer
        self.dropout_regularizer = dropout_regularizer
        self.supports_masking = True
        self.init = np.log(init_min) - np.log(1. - init_max)

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        super(ConcreteDropout, self).build()
        self.p_logit = self.layer.add_weight(name='p_logit', shape=(1,), trainable=True,
                                             initializer=lambda shape, dtype=None: K.constant(self.init, shape=shape))
        self.p = K.sigmoid(self.p_logit[0])
        input_dim = np.prod(input_shape[1:])
        weight = self.layer.kernel
        kernel_regularizer = self.weight_regularizer * K.sum(K.square(weight)) / (1. - self.p)
        dropout_regularizer = self.p * K.log(self.p)
        dropout_regularizer += (1. - self.p) * K.log(1. - self.p)
        dropout_regularizer *= self.dropout_regularizer * input_dim
        self.layer.add_loss(K.sum(kernel_regularizer + dropout_regularizer))

    def compute_output_shape(self, input_shape):
        return self.layer.compute_output_shape(input_shape)

    def concrete_dropout(self, x):
        eps, temp = K.cast_to_floatx(K.epsilon()), 0.1
        unif_noise = K.random_uniform(shape=K.shape(x))
        drop_prob = (K.log(self.p + eps) - K.log(1. - self.p + eps) + K.log(unif_noise + eps)
                     - K.log(1. - unif_noise + eps))
        drop_prob = K.sigmoid(drop_prob / temp)
        return x * (1. - drop_prob) / (1. - self.p)

    def call(self, inputs, training=None):
        def relaxed_dropped_inputs():
            return self.layer.call(self.concrete_dropout(inputs))
        return K.in_train_phase(relaxed_dropped_inputs, self.layer.call(inputs), training=training)


def heteroscedastic_loss(y_true, y_pred):
    mean, log_var = y_pred[:, :1], y_pred[:, 1:]
    return K.sum(K.exp(-log_var) * K.square(y_true[:, :1] - mean) + log_var, -1)


rng = np.random.RandomState(1)
x = np.concatenate([rng.uniform(-2, -0.5, (60, 1)), rng.uniform(0.5, 2, (60, 1))])
y = np.sin(2 * x) + 0.05 * rng.normal(size=x.shape)

inputs = Input(shape=(1,))
h = Dropout(0.3)(Activation('relu')(Dense(20, kernel_regularizer=l2(1e-5))(inputs)))
h = Dropout(0.3)(Dense(20, activation='tanh')(h))
model = Model(inputs, Dense(1)(h))
model.compile(loss='mean_squared_error', optimizer='adam')
model.set_weights([rng.normal(0, 0.6, w.shape) for w in model.get_weights()])
assert model.uses_learning_phase if hasattr(model, 'uses_learning_phase') else True
predicted = model.predict(x[:10])
start = float(model.test_on_batch(x, y))

f = K.function([model.layers[0].input, K.learning_phase()], [model.layers[-1].output])
np.testing.assert_allclose(f([x[:10], 0])[0], predicted, atol=1e-5)
assert np.abs(f([x, 1])[0] - f([x, 1])[0]).max() > 1e-3
mean, std = uncertain_predict(f, x)
assert (std > 0).mean() > 0.95 and mean.shape == (120, 1)

K.set_value(model.optimizer.lr, 0.02)
history = model.fit(x, y, epochs=40, batch_size=30, verbose=0)
assert history.history['loss'][-1] < 0.5 * start, (start, history.history['loss'])
_, near = uncertain_predict(f, x)
_, far = uncertain_predict(f, np.array([[6.], [7.]]))
assert far.mean() > 1.2 * near.mean(), (near.mean(), far.mean())

# Dropout that knows no phase.
permanent = Lambda(lambda t: K.dropout(t, level=0.5), output_shape=(20,))
always = Model(inputs, permanent(Dense(20, activation='sigmoid')(inputs)))
dropped = always.predict(np.zeros((200, 1)))
assert 0.45 < np.mean(dropped == 0.) < 0.55
np.testing.assert_allclose(dropped[dropped != 0], 1., atol=1e-5)

# Dropout with training=True in a functional model.
on = Model(inputs, Dropout(0.5)(Dense(16, use_bias=False)(inputs), training=True))
assert np.abs(on.predict(x) - on.predict(x)).max() > 0

# The rate as something to learn.
h = ConcreteDropout(Dense(12, activation='relu'))(inputs)
out = ConcreteDropout(Dense(2))(h)
concrete = Model(inputs, out)
concrete.compile('adam', loss=heteroscedastic_loss)
assert len(concrete.losses) == 2
rates = np.array([K.eval(layer.p) for layer in concrete.layers if hasattr(layer, 'p')])
np.testing.assert_allclose(rates, 0.1, atol=1e-5)
K.set_value(concrete.optimizer.lr, 0.02)
both = np.concatenate([y, y], axis=1)
hist = concrete.fit(x, both, epochs=30, batch_size=40, verbose=0)
assert hist.history['loss'][-1] < hist.history['loss'][0]
learned = np.array([K.eval(layer.p) for layer in concrete.layers if hasattr(layer, 'p')])
assert np.abs(learned - rates).max() > 1e-3 and ((0 < learned) & (learned < 1)).all(), learned
print('RESULT ' + json.dumps({'predicted': predicted.ravel().tolist(), 'start': start, 'rates': rates.tolist()}))
