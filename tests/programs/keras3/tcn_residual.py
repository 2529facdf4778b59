"""A temporal convolutional network as of 2020: residual blocks that make their layers in `build`, padding='causal', layers
kept by self.__setattr__, spatial dropout, skip connections, the last step by a Lambda; a check that nothing looks ahead."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras import layers
from tensorflow.keras.layers import Activation, BatchNormalization, Conv1D, Dense, Input, Lambda, Layer, SpatialDropout1D
from tensorflow.keras.models import Model


class ResidualBlock(Layer):
    def __init__(self, dilation_rate, nb_filters, kernel_size, padding='causal', activation='relu', dropout_rate=0.0,
                 kernel_initializer='he_normal', use_batch_norm=False, last_block=True, **kwargs):
        self.dilation_rate, self.nb_filters, self.kernel_size = dilation_rate, nb_filters, kernel_size
        self.padding, self.activation, self.dropout_rate = padding, activation, dropout_rate
        self.use_batch_norm, self.kernel_initializer = use_batch_norm, kernel_initializer
        self.last_block = last_block
        super(ResidualBlock, self).__init__(**kwargs)

    def _add_and_activate_layer(self, layer):
        self.residual_layers.append(layer)
        self.residual_layers[-1].build(self.res_output_shape)
        self.res_output_shape = self.residual_layers[-1].compute_output_shape(self.res_output_shape)

    def build(self, input_shape):
        with K.name_scope(self.name):
            self.residual_layers = list()
            self.res_output_shape = input_shape
            for k in range(2):
                name = 'conv1D_{}'.format(k)
                with K.name_scope(name):
                    self._add_and_activate_layer(Conv1D(
                        filters=self.nb_filters, kernel_size=self.kernel_size, dilation_rate=self.dilation_rate,
                        padding=self.padding, name=name, kernel_initializer=self.kernel_initializer))
                if self.use_batch_norm:
                    self._add_and_activate_layer(BatchNormalization())
                self._add_and_activate_layer(Activation('relu'))
                self._add_and_activate_layer(SpatialDropout1D(rate=self.dropout_rate))
            if not self.last_block:
                self.shape_match_conv = Lambda(lambda x: x, name='identity')
            else:
                self.shape_match_conv = Conv1D(filters=self.nb_filters, kernel_size=1, padding='same',
                                               name='matching_conv1D', kernel_initializer=self.kernel_initializer)
            self.shape_match_conv.build(input_shape)
            self.res_output_shape = self.shape_match_conv.compute_output_shape(input_shape)
            self.final_activation = Activation(self.activation)
            self.final_activation.build(self.res_output_shape)
            for layer in self.residual_layers:
                self.__setattr__(layer.name, layer)
            super(ResidualBlock, self).build(input_shape)

    def call(self, inputs, training=None):
        x = inputs
        for layer in self.residual_layers:
            if isinstance(layer, (SpatialDropout1D, BatchNormalization)):
                x = layer(x, training=training)
            else:
                x = layer(x)
        x2 = self.shape_match_conv(inputs)
        res_x = layers.add([x2, x])
        return [self.final_activation(res_x), x]

    def compute_output_shape(self, input_shape):
        return [self.res_output_shape, self.res_output_shape]


def tcn(x, filters, dilations, batch_norm):
    skips = []
    for i, d in enumerate(dilations):
        x, skip = ResidualBlock(d, filters, 2, use_batch_norm=batch_norm, last_block=i == 0, name='block_%d' % i)(x)
        skips.append(skip)
    return layers.add(skips)


rs = np.random.RandomState(13)
results = {}
for batch_norm in (False, True):
    i = Input(shape=(12, 2))
    o = tcn(i, 5, [1, 2, 4], batch_norm)
    sequence = Model(i, o)
    o = Lambda(lambda tt: tt[:, -1, :])(o)
    model = Model(i, Dense(1)(o))
    weights = [w.shape for w in model.get_weights()]
    model.set_weights([np.abs(rs.normal(0, .5, shape)) + .5 if batch_norm and len(shape) == 1 else rs.normal(0, .5, shape)
                       for shape in weights])
    x = rs.uniform(0, 1, (20, 12, 2)).astype('float32')
    x[:, :, 1] = 0
    x[np.arange(20), rs.randint(6, 12, 20), 1] = 1
    y = (x[:, :, 0] * x[:, :, 1]).sum(1)
    changed = x.copy()
    changed[:, 8:] = 0
    np.testing.assert_allclose(sequence.predict(x, verbose=0)[:, :8], sequence.predict(changed, verbose=0)[:, :8], atol=1e-5)
    before = model.predict(x[:3], verbose=0)
    model.compile('sgd', loss='mse')
    history = model.fit(x, y, batch_size=10, epochs=3, shuffle=False, verbose=0)
    results['with' if batch_norm else 'without'] = {
        'weights': len(weights), 'before': before.tolist(), 'loss': [float(v) for v in history.history['loss']],
        'after': model.predict(x[:3], verbose=0).tolist()}
print('RESULT ' + json.dumps(results))
