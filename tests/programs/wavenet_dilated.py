"""WaveNet in small: causal convolutions with growing dilation, gates of tanh and sigmoid, residual and skip
connections, mu-law in NumPy, soft targets, generation sample by sample, the receptive field by a gradient."""
from __future__ import division, print_function

import json

import keras.backend as K
import numpy as np
from keras import layers, metrics, objectives
from keras.engine import Input, Model
from keras.layers import Activation, Conv1D, Lambda
from keras.optimizers import SGD
from keras.regularizers import l2

NB_OUTPUT, FILTERS, DEPTH, LENGTH = 12, 5, 3, 24


def mu_law(x, bins=NB_OUTPUT):
    mu = bins - 1.
    fx = np.sign(x) * np.log(1 + mu * np.abs(x)) / np.log(1 + mu)
    return np.floor((fx + 1) / 2 * mu + .5).astype('uint8')


def inverse_mu_law(y, bins=NB_OUTPUT):
    mu = bins - 1.
    fx = 2 * y / mu - 1
    return np.sign(fx) / mu * ((1 + mu) ** np.abs(fx) - 1)


class CausalDilated(Conv1D):
    """Pads on the left by itself; what comes before the padding can be cut."""

    def __init__(self, filters, kernel_size, causal=False, **kwargs):
        super(CausalDilated, self).__init__(filters, kernel_size, padding='valid', **kwargs)
        self.causal = causal

    def call(self, x):
        if self.causal:
            x = K.temporal_padding(x, (self.dilation_rate[0] * (self.kernel_size[0] - 1), 0))
        return super(CausalDilated, self).call(x)

    def compute_output_shape(self, input_shape):
        length = input_shape[1]
        if not self.causal and length is not None:
            length -= self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return input_shape[0], length, self.filters


def residual_block(x, i, stack):
    original_x = x
    tanh_out = CausalDilated(FILTERS, 2, dilation_rate=2 ** i, causal=True, use_bias=True, activation='tanh',
                             name='dilated_conv_%d_tanh_s%d' % (2 ** i, stack), kernel_regularizer=l2(1e-3))(x)
    sigm_out = Conv1D(FILTERS, 2, dilation_rate=2 ** i, padding='causal', activation='sigmoid',
                      name='dilated_conv_%d_sigm_s%d' % (2 ** i, stack), kernel_regularizer=l2(1e-3))(x)
    x = layers.Multiply(name='gated_activation_%d_s%d' % (i, stack))([tanh_out, sigm_out])
    res_x = Conv1D(FILTERS, 1, padding='same')(x)
    skip_x = Conv1D(FILTERS, 1, padding='same')(x)
    return layers.Add()([original_x, res_x]), skip_x


def build_model():
    input_shape = Input(shape=(None, NB_OUTPUT), name='input_part')
    out, skip_connections = input_shape, []
    out = CausalDilated(FILTERS, 2, dilation_rate=1, causal=True, name='initial_causal_conv')(out)
    for s in range(2):
        for i in range(DEPTH):
            out, skip_out = residual_block(out, i, s)
            skip_connections.append(skip_out)
    out = Activation('relu')(layers.Add()(skip_connections))
    out = Activation('relu')(Conv1D(FILTERS, 1, padding='same')(out))
    out = Conv1D(NB_OUTPUT, 1, padding='same')(out)
    return Model(input_shape, Activation('softmax', name='output_softmax')(out))


def skip_out_of_receptive_field(func, receptive_field):
    def wrapper(y_true, y_pred):
        return func(y_true[:, receptive_field - 1:, :], y_pred[:, receptive_field - 1:, :])
    wrapper.__name__ = func.__name__
    return wrapper


def categorical_mean_squared_error(y_true, y_pred):
    """MSE for categorical variables."""
    places = [K.cast(K.argmax(y, axis=-1), K.floatx()) for y in (y_true, y_pred)]
    return K.mean(K.square(places[0] - places[1]))


receptive_field = 2 * (2 ** DEPTH - 1) + 2
t = np.arange(400) / 20.
wave = mu_law(.6 * np.sin(t) + .3 * np.sin(2.7 * t))
x = np.stack([np.eye(NB_OUTPUT)[wave[s:s + LENGTH]] for s in range(0, 320, 20)])
y = np.stack([np.eye(NB_OUTPUT)[wave[s + 1:s + LENGTH + 1]] for s in range(0, 320, 20)])
soft = np.apply_along_axis(lambda row: np.convolve(row, [.25, .5, .25], 'same'), 2, y)

model = build_model()
rs = np.random.RandomState(0)
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
predicted = model.predict(x)
loss = skip_out_of_receptive_field(objectives.categorical_crossentropy, receptive_field)
model.compile(SGD(lr=.02, momentum=.9, nesterov=True, clipnorm=1.), loss=loss,
              metrics=[skip_out_of_receptive_field(metric, receptive_field)
                       for metric in (metrics.categorical_accuracy, categorical_mean_squared_error)])
steps = [[float(v) for v in model.train_on_batch(x, target)] for target in (y, y, soft)]
history = model.fit(x, y, batch_size=8, epochs=8, verbose=0, shuffle=False)
assert history.history['loss'][-1] < steps[0][0]

# How far an output looks back: its gradient is zero before.
gradient = K.function([model.input], K.gradients(K.sum(model.output[:, -1, 3]), [model.input]))([x[:1]])[0][0]
seen = np.where(np.abs(gradient).sum(-1) > 0)[0]
assert LENGTH - seen.min() == receptive_field and seen.max() == LENGTH - 1, (seen, receptive_field)
one = K.function([model.input], K.gradients(model.output[:, -1, 3], [model.input]))([x[:1]])[0]
np.testing.assert_allclose(one[0], gradient, atol=1e-6)

# Sample by sample: the buffer moves, the last output is drawn.
buffer, said = np.zeros((1, receptive_field, NB_OUTPUT)), []
buffer[0] = x[0, -receptive_field:]
for _ in range(6):
    k = int(np.argmax(model.predict(buffer)[0, -1]))
    said.append(float(inverse_mu_law(np.array(k))))
    buffer = np.roll(buffer, -1, axis=1)
    buffer[0, -1] = np.eye(NB_OUTPUT)[k]
np.testing.assert_array_equal(mu_law(inverse_mu_law(np.arange(NB_OUTPUT))), np.arange(NB_OUTPUT))
cut = Model(model.input, Lambda(lambda z: z[:, -2:])(model.output))
assert cut.predict(x).shape == (16, 2, NB_OUTPUT)
print('RESULT ' + json.dumps({'predicted': predicted[0, ::7].ravel().tolist(), 'steps': steps, 'params':
                              int(model.count_params()), 'loss': [float(v) for v in history.history['loss'][:2]]}))
