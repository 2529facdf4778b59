"""Blocks of small image networks of 2017 and 2018: depthwise convolutions, relu6 as ReLU(6), squeeze and excitation,
channel shuffle, grouped convolutions by Lambda, hard swish by get_custom_objects, and a model of models."""
import json
from functools import partial

import numpy as np
from keras import backend as K
from keras.layers import (Activation, Add, BatchNormalization, Concatenate, Conv2D, Dense, DepthwiseConv2D, Dropout,
                          Flatten, GlobalAveragePooling2D, GlobalMaxPooling2D, Input, Lambda, MaxPooling2D, Multiply,
                          Permute, ReLU, Reshape, SeparableConv2D, add, concatenate, multiply)
from keras.models import Model, load_model
from keras.optimizers import RMSprop, SGD
from keras.regularizers import l2
from keras.utils.generic_utils import get_custom_objects


def hard_swish(x):
    return x * K.relu(x + 3.0, max_value=6.0) / 6.0


def swish(x, beta=1.):
    return x * K.sigmoid(beta * x)


get_custom_objects().update({'hard_swish': Activation(hard_swish), 'swish': swish, 'h_swish': hard_swish})


def squeeze_excite_block(tensor, ratio=4):
    '''Scales channels by what two dense layers make of their means.'''
    init = tensor
    channel_axis = 1 if K.image_data_format() == 'channels_first' else -1
    filters = K.int_shape(init)[channel_axis]
    se_shape = (1, 1, filters)
    se = GlobalAveragePooling2D()(init)
    se = Reshape(se_shape)(se)
    se = Dense(filters // ratio, activation='relu', kernel_initializer='he_normal', use_bias=False)(se)
    se = Dense(filters, activation='sigmoid', kernel_initializer='he_normal', use_bias=False)(se)
    if K.image_data_format() == 'channels_first':
        se = Permute((3, 1, 2))(se)
    return multiply([init, se])


def cbam_spatial(x):
    avg = Lambda(lambda t: K.mean(t, axis=3, keepdims=True))(x)
    top = Lambda(lambda t: K.max(t, axis=3, keepdims=True))(x)
    gate = Conv2D(1, 5, padding='same', activation='sigmoid', use_bias=False)(Concatenate(axis=3)([avg, top]))
    return Multiply()([x, gate])


def channel_shuffle(x, groups):
    height, width, in_channels = K.int_shape(x)[1:]
    x = K.reshape(x, [-1, height, width, groups, in_channels // groups])
    x = K.permute_dimensions(x, (0, 1, 2, 4, 3))
    return K.reshape(x, [-1, height, width, in_channels])


def group_conv(x, groups, filters, kernel=1):
    size = K.int_shape(x)[-1] // groups
    parts = []
    for i in range(groups):
        part = Lambda(lambda z, i=i: z[:, :, :, i * size:(i + 1) * size])(x)
        name = 'g%d_%d' % (filters, i)
        parts.append(Conv2D(filters // groups, kernel, padding='same', use_bias=False, name=name)(part))
    return concatenate(parts)


def bottleneck(inputs, filters, t, s, r=False):
    x = Conv2D(K.int_shape(inputs)[-1] * t, (1, 1), padding='same')(inputs)
    x = ReLU(6.)(BatchNormalization(axis=-1)(x))
    x = DepthwiseConv2D((3, 3), strides=(s, s), depth_multiplier=1, padding='same', depthwise_regularizer=l2(1e-4))(x)
    x = BatchNormalization(axis=-1)(x)
    x = Activation('h_swish')(x)
    x = Conv2D(filters, (1, 1), padding='same')(squeeze_excite_block(x))
    x = BatchNormalization(axis=-1)(x)
    return add([x, inputs]) if r else x


def fire(x, squeeze=4, expand=6):
    x = Conv2D(squeeze, (1, 1), padding='valid', activation='relu')(x)
    return concatenate([Conv2D(expand, (1, 1), padding='valid', activation='relu')(x),
                        Conv2D(expand, (3, 3), padding='same', activation='swish')(x)])


def build():
    img = Input((12, 12, 3), name='image')
    x = Conv2D(8, 3, strides=2, padding='same', use_bias=False)(img)
    x = Activation(partial(K.relu, alpha=.1, max_value=6.))(BatchNormalization()(x))
    x = bottleneck(x, 8, 2, 1, r=True)
    x = bottleneck(x, 12, 2, 2)
    x = cbam_spatial(x)
    shuffled = Lambda(channel_shuffle, arguments={'groups': 3})(group_conv(x, 3, 12))
    x = Add()([x, SeparableConv2D(12, 3, padding='same', depth_multiplier=2)(shuffled)])
    x = fire(x)
    x = concatenate([GlobalAveragePooling2D()(x), GlobalMaxPooling2D()(x), Flatten()(MaxPooling2D(3)(x))])
    return Model(img, Dense(4, activation='softmax', kernel_regularizer=l2(1e-3), name='out')(Dropout(0.)(x)))


rs = np.random.RandomState(31)
model = build()
model.set_weights([rs.normal(0, np.sqrt(1.5 / max(w[..., 0].size, 9)), w.shape) if w.ndim > 1 else
                   np.abs(w + rs.normal(0, .1, w.shape)) for w in model.get_weights()])
x = rs.rand(8, 12, 12, 3) * 2 - 1
y = np.arange(8) % 4
predicted = model.predict(x)
model.compile(SGD(lr=.05, momentum=.9, nesterov=True), 'sparse_categorical_crossentropy', metrics=['accuracy'])
steps = [[float(v) for v in model.train_on_batch(x, y)] for _ in range(3)]

# The depthwise convolution against NumPy, with strides and a multiplier.
inp = Input((5, 6, 2))
deep = Model(inp, DepthwiseConv2D((3, 2), strides=(1, 1), depth_multiplier=2, padding='valid', use_bias=False)(inp))
kernel = rs.normal(size=(3, 2, 2, 2))
deep.set_weights([kernel])
small = rs.normal(size=(2, 5, 6, 2))
expected = np.zeros((2, 3, 5, 2, 2))
for i in range(3):
    for j in range(2):
        expected += small[:, i:i + 3, j:j + 5, :, None] * kernel[i, j]
np.testing.assert_allclose(deep.predict(small), expected.reshape(2, 3, 5, 4), atol=1e-5)
gates = Model(inp, [ReLU(max_value=1.5, negative_slope=.1, threshold=.2)(inp), Activation('swish')(inp),
                    Activation(hard_swish)(inp)]).predict(small)
np.testing.assert_allclose(gates[1], small / (1 + np.exp(-small)), atol=1e-5)

# A model of a model, with its lower part frozen.
base = Model(model.input, model.layers[-2].output)
for layer in base.layers[:20]:
    layer.trainable = False
head = Input((12, 12, 3))
tuned = Model(head, Dense(2, activation='sigmoid', name='new')(base(head)))
tuned.get_layer('new').set_weights([rs.normal(0, .2, w.shape) for w in tuned.get_layer('new').get_weights()])
tuned.compile(RMSprop(1e-3), 'binary_crossentropy')
frozen = base.layers[1].get_weights()[0]
targets = np.eye(2)[y % 2]
fine = [float(tuned.train_on_batch(x, targets)) for _ in range(3)]
np.testing.assert_array_equal(base.layers[1].get_weights()[0], frozen)
small_model = Model(inp, squeeze_excite_block(Conv2D(4, 1, activation='swish')(inp)))
small_model.save('se.h5')
np.testing.assert_allclose(load_model('se.h5').predict(small), small_model.predict(small), atol=1e-6)
print('RESULT ' + json.dumps({'predicted': predicted.tolist(), 'steps': steps, 'fine': fine,
                              'gates': [g.ravel()[::7].tolist() for g in gates], 'params': int(model.count_params())}))
