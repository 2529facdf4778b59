"""Every layer of Keras 1, in both dim orderings: the shapes that it says and the numbers that it computes."""
# keras: 1.2.2
# ruff: noqa: F403, F405
import json

import numpy as np

from keras import backend as K
from keras.layers import *
from keras.layers.advanced_activations import ELU, LeakyReLU, ParametricSoftplus, PReLU, SReLU, ThresholdedReLU
from keras.models import Model, Sequential
from keras.regularizers import l2

RESULT = {}


def values(shape, scale=0.37):
    """Numbers without symmetry, from -1 to 1."""
    return np.sin(np.arange(1, 1 + np.prod(shape)) * scale + len(shape)).reshape(shape).astype('float32')


def note(name, layers, data=None, shape=None):
    """What a model of these layers computes, with weights that depend on their shapes only."""
    layers = layers if isinstance(layers, list) else [layers]
    model = Sequential(layers)
    model.set_weights([0.5 * np.abs(values(w.shape)) if len(w.shape) == 1 else 0.3 * values(w.shape)
                       for w in model.get_weights()])
    if data is None:
        data = values((2,) + tuple(model.input_shape[1:]))
    found = model.predict(data)
    RESULT[name] = [float(x) for x in found.ravel()]
    said = [0 if n is None else int(n) for n in model.output_shape]
    RESULT[name + '.shapes'] = said + [int(n) for n in found.shape] + [len(w) for w in model.get_weights()]


for order in 'th', 'tf':
    K.set_image_dim_ordering(order)
    image = (2, 7, 6) if order == 'th' else (7, 6, 2)
    volume = (2, 4, 5, 4) if order == 'th' else (4, 5, 4, 2)
    at = '_' + order
    for mode in 'valid', 'same':
        note('Convolution2D_' + mode + at, Convolution2D(3, 3, 2, border_mode=mode, subsample=(2, 1), input_shape=image,
                                                         activation='relu'))
        note('Convolution3D_' + mode + at, Convolution3D(3, 2, 3, 2, border_mode=mode, input_shape=volume))
        note('MaxPooling2D_' + mode + at, MaxPooling2D((2, 3), strides=(2, 2), border_mode=mode, input_shape=image))
        note('AveragePooling2D_' + mode + at, AveragePooling2D((2, 2), border_mode=mode, input_shape=image))
        note('MaxPooling3D_' + mode + at, MaxPooling3D((2, 2, 2), border_mode=mode, input_shape=volume))
        note('AveragePooling3D_' + mode + at, AveragePooling3D((2, 2, 2), border_mode=mode, input_shape=volume))
    note('AtrousConvolution2D' + at, AtrousConvolution2D(3, 3, 2, atrous_rate=(2, 2), input_shape=image))
    deconvolved = (None, 3, 15, 13) if order == 'th' else (None, 15, 13, 3)
    note('Deconvolution2D' + at, Deconvolution2D(3, 3, 3, deconvolved, subsample=(2, 2), input_shape=image))
    note('UpSampling2D' + at, UpSampling2D((2, 3), input_shape=image))
    note('UpSampling3D' + at, UpSampling3D((1, 2, 2), input_shape=volume))
    note('ZeroPadding2D' + at, ZeroPadding2D((1, 2), input_shape=image))
    note('ZeroPadding2D_sides' + at, ZeroPadding2D({'top_pad': 1, 'left_pad': 2}, input_shape=image))
    note('ZeroPadding3D' + at, ZeroPadding3D((1, 0, 1), input_shape=volume))
    note('Cropping2D' + at, Cropping2D(((1, 2), (0, 1)), input_shape=image))
    note('Cropping3D' + at, Cropping3D(((1, 1), (0, 1), (1, 0)), input_shape=volume))
    note('GlobalMaxPooling2D' + at, GlobalMaxPooling2D(input_shape=image))
    note('GlobalAveragePooling2D' + at, GlobalAveragePooling2D(input_shape=image))
    note('GlobalMaxPooling3D' + at, GlobalMaxPooling3D(input_shape=volume))
    note('GlobalAveragePooling3D' + at, GlobalAveragePooling3D(input_shape=volume))
    note('LocallyConnected2D' + at, LocallyConnected2D(2, 3, 2, input_shape=image))
    note('BatchNormalization_axis' + at, BatchNormalization(axis=1 if order == 'th' else -1, input_shape=image))
    note('SpatialDropout2D' + at, SpatialDropout2D(0.5, input_shape=image))
    note('ConvLSTM2D' + at, ConvLSTM2D(2, 3, 3, border_mode='same', input_shape=(3,) + image))
    note('TimeDistributed_convolution' + at, TimeDistributed(Convolution2D(2, 3, 3), input_shape=(3,) + image))
K.set_image_dim_ordering('tf')
note('SeparableConvolution2D', SeparableConvolution2D(5, 3, 2, depth_multiplier=2, input_shape=(7, 6, 2)))

steps = (6, 4)
note('Convolution1D', Convolution1D(3, 2, border_mode='same', subsample_length=2, input_shape=steps))
note('AtrousConvolution1D', AtrousConvolution1D(3, 2, atrous_rate=2, input_shape=steps))
note('MaxPooling1D', MaxPooling1D(2, input_shape=steps))
note('AveragePooling1D', AveragePooling1D(3, stride=1, border_mode='same', input_shape=steps))
note('GlobalMaxPooling1D', GlobalMaxPooling1D(input_shape=steps))
note('GlobalAveragePooling1D', GlobalAveragePooling1D(input_shape=steps))
note('LocallyConnected1D', LocallyConnected1D(3, 2, input_shape=steps))
note('UpSampling1D', UpSampling1D(2, input_shape=steps))
note('ZeroPadding1D', ZeroPadding1D((1, 2), input_shape=steps))
note('Cropping1D', Cropping1D((1, 2), input_shape=steps))
for consume in 'cpu', 'mem', 'gpu':
    for kind in SimpleRNN, LSTM, GRU:
        layer = kind(3, consume_less=consume, return_sequences=True, input_shape=steps)
        note('%s_%s' % (kind.__name__, consume), layer)
note('LSTM_backwards', LSTM(3, go_backwards=True, inner_activation='sigmoid', input_shape=steps))
note('GRU_unrolled', GRU(3, unroll=True, input_shape=steps))
note('LSTM_masked', [Masking(0., input_shape=steps), LSTM(3, return_sequences=True), TimeDistributed(Dense(2))],
     values((2,) + steps) * (np.arange(6)[None, :, None] < np.array([6, 3])[:, None, None]))
note('Bidirectional', Bidirectional(LSTM(2, return_sequences=True), merge_mode='concat', input_shape=steps))
note('Bidirectional_sum', Bidirectional(GRU(2), merge_mode='sum', input_shape=steps))
note('Embedding', [Embedding(7, 3, input_length=4, mask_zero=True), LSTM(2)], np.array([[1, 2, 0, 0], [6, 5, 4, 3]]))
note('Dense', Dense(3, activation='softmax', W_regularizer=l2(0.1), input_dim=4))
note('Dense_3d', TimeDistributed(Dense(3, bias=False), input_shape=steps))
note('MaxoutDense', MaxoutDense(3, nb_feature=2, input_dim=4))
note('Highway', Highway(activation='tanh', input_dim=4))
note('BatchNormalization', BatchNormalization(input_shape=(4,)))
note('BatchNormalization_mode1', BatchNormalization(mode=1, input_shape=(4,)))
note('Reshape', [Reshape((2, -1), input_shape=(4,)), Permute((2, 1)), Flatten(), RepeatVector(2)])
note('Lambda', [Lambda(lambda x: K.sum(x, axis=1) * 2., input_shape=steps), Activation('tanh')])
note('Lambda_shape', Lambda(lambda x: x[:, :2], output_shape=(2,), input_shape=(4,)))
for kind in (ELU(0.5), LeakyReLU(0.2), ParametricSoftplus(), PReLU(), SReLU(), ThresholdedReLU(0.3), Dropout(0.5),
             GaussianNoise(0.1), GaussianDropout(0.1), ActivityRegularization(0.1), Activation('softsign'),
             Activation('hard_sigmoid'), Activation('softplus'), Activation('linear')):
    note('%s_%s' % (type(kind).__name__, getattr(kind, 'name', '').split('_')[0]) + str(len(RESULT)),
         [Reshape((5,), input_shape=(5,)), kind])

for mode in 'sum', 'mul', 'concat', 'ave', 'max', 'dot', 'cos':
    a, b = Input(shape=(4,)), Input(shape=(4,))
    model = Model(input=[a, b], output=merge([a, b], mode=mode))
    x, y = values((3, 4)), values((3, 4), 0.9)
    RESULT['merge_' + mode] = [float(v) for v in model.predict([x, y]).ravel()]
    left, right = Sequential([Dense(4, input_dim=4, init='one')]), Sequential([Dense(4, input_dim=4, init='identity')])
    both = Sequential([Merge([left, right], mode=mode)])
    RESULT['Merge_' + mode] = [float(v) for v in both.predict([x, y]).ravel()]
a, b = Input(shape=(3, 4)), Input(shape=(5, 4))
model = Model(input=[a, b], output=[merge([a, b], mode='dot', dot_axes=2),
                                    merge([a, b], mode='concat', concat_axis=1),
                                    merge([a, b], mode=lambda xs: K.batch_dot(xs[0], xs[1], [2, 2]),
                                          output_shape=(3, 5))])
for i, found in enumerate(model.predict([values((2, 3, 4)), values((2, 5, 4))])):
    RESULT['merge_axes_%d' % i] = [float(v) for v in found.ravel()]
print('RESULT ' + json.dumps(RESULT))
