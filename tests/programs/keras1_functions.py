"""The functions of `keras.backend` as Keras 1 named them: `border_mode`, `dim_ordering`, `nb_classes`, the output of
a loss first, kernels of 'th' with their filters first."""
# keras: 1.2.2
import json

import numpy as np

import keras
from keras import backend as K

assert keras.__version__ == '1.2.2' and K.image_dim_ordering() == 'tf' and K.backend() == K._BACKEND
RESULT = {}


def values(*shape):
    """Numbers without symmetry, from -1 to 1."""
    return np.sin(np.arange(1, 1 + np.prod(shape)) * 0.37 + len(shape)).reshape(shape).astype('float32')


def note(name, x):
    value = np.asarray(K.eval(x), dtype='float64')
    RESULT[name + '.shape'] = [int(n) for n in value.shape]
    RESULT[name] = [float(v) for v in value.ravel()]


def v(*shape):
    return K.variable(values(*shape))


for order in 'th', 'tf':
    K.set_image_dim_ordering(order)
    assert K.image_dim_ordering() == order
    image, volume = ((2, 3, 7, 6), (1, 2, 5, 4, 6)) if order == 'th' else ((2, 7, 6, 3), (1, 5, 4, 6, 2))
    kernel = (4, 3, 3, 2) if order == 'th' else (3, 2, 3, 4)
    kernel3d = (3, 2, 2, 3, 2) if order == 'th' else (2, 3, 2, 2, 3)
    for mode in 'valid', 'same':
        at = '_%s_%s' % (mode, order)
        note('conv2d' + at, K.conv2d(v(*image), v(*kernel), border_mode=mode))
        note('conv2d_strides' + at, K.conv2d(v(*image), v(*kernel), (2, 1), border_mode=mode, dim_ordering=order))
        note('conv2d_dilation' + at, K.conv2d(v(*image), v(*kernel), border_mode=mode, dim_ordering=order,
                                              filter_dilation=(2, 2)))
        note('atrous_conv2d' + at, K.atrous_conv2d(v(*image), v(*kernel), rate=2, border_mode=mode, dim_ordering=order))
        note('conv3d' + at, K.conv3d(v(*volume), v(*kernel3d), border_mode=mode, dim_ordering=order))
        note('pool2d' + at, K.pool2d(v(*image), (2, 3), strides=(2, 2), border_mode=mode, dim_ordering=order))
        note('pool2d_avg' + at, K.pool2d(v(*image), (2, 2), border_mode=mode, dim_ordering=order, pool_mode='avg'))
        note('pool3d' + at, K.pool3d(v(*volume), (2, 2, 2), strides=(2, 1, 2), border_mode=mode, dim_ordering=order))
    small = (2, 3, 3, 4) if order == 'th' else (2, 3, 4, 3)
    for mode, strides, size in ('valid', (2, 2), (7, 8)), ('same', (2, 2), (6, 8)), ('valid', (1, 1), (5, 5)):
        output = (2, 5) + size if order == 'th' else (2,) + size + (5,)
        deconv = (5, 3, 3, 2) if order == 'th' else (3, 2, 3, 5)
        note('deconv2d_%s%d_%s' % (mode, strides[0], order),
             K.deconv2d(v(*small), v(*deconv), output, strides=strides, border_mode=mode, dim_ordering=order))
    note('resize_images_' + order, K.resize_images(v(*small), 2, 3, order))
    note('resize_volumes_' + order, K.resize_volumes(v(*volume), 2, 1, 2, order))
    note('spatial_2d_padding_' + order, K.spatial_2d_padding(v(*small), (1, 2), dim_ordering=order))
    note('asymmetric_spatial_2d_padding_' + order, K.asymmetric_spatial_2d_padding(v(*small), 0, 1, 2, 1, order))
    note('spatial_3d_padding_' + order, K.spatial_3d_padding(v(*volume), (1, 0, 2), order))
K.set_image_dim_ordering('tf')
note('separable_conv2d', K.separable_conv2d(v(2, 6, 5, 2), v(3, 2, 2, 2), v(1, 1, 4, 5), border_mode='same'))

note('conv1d', K.conv1d(v(2, 7, 3), v(3, 3, 4), stride=2, border_mode='same'))
note('temporal_padding', K.temporal_padding(v(2, 3, 2), padding=2))
note('asymmetric_temporal_padding', K.asymmetric_temporal_padding(v(2, 3, 2), left_pad=2, right_pad=1))
note('expand_dims', K.expand_dims(v(2, 3), dim=1))
note('one_hot', K.one_hot(K.variable(np.array([0, 2, 1]), dtype='int32'), nb_classes=3))
note('lesser', K.cast(K.lesser(v(2, 3), 0.), 'float32'))
note('lesser_equal', K.cast(K.lesser_equal(v(2, 3), v(2, 3)), 'float32'))
p = K.variable(np.array([[0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]))
t = K.variable(np.array([[0., 1., 0.], [1., 0., 0.]]))
note('categorical_crossentropy', K.categorical_crossentropy(p, t))
note('categorical_crossentropy_logits', K.categorical_crossentropy(v(2, 3), t, from_logits=True))
note('binary_crossentropy', K.binary_crossentropy(p, t))
note('binary_crossentropy_logits', K.binary_crossentropy(v(2, 3), t, from_logits=True))
classes = K.variable(np.array([1, 0]), dtype='int32')
note('sparse_categorical_crossentropy', K.sparse_categorical_crossentropy(p, classes))
mean = K.variable(np.ones(3))
step = K.function([], [K.sum(mean)], updates=[K.moving_average_update(mean, K.variable(np.arange(3.)), 0.9)])
step([])
note('moving_average_update', mean)
note('batch_normalization', K.batch_normalization(v(2, 3), v(3), K.abs(v(3)), v(3), v(3), epsilon=1e-2))
normed, mean, var = K.normalize_batch_in_training(v(4, 3), v(3), v(3), [0])
note('normalize_batch_in_training', normed)
note('normalize_batch_mean', mean)
note('normalize_batch_var', var)
note('stack', K.stack([v(2, 3), v(2, 3)]))
note('batch_dot', K.batch_dot(v(4, 3), v(4, 3), axes=1))
note('batch_dot_3d', K.batch_dot(v(2, 3, 4), v(2, 5, 4), axes=[2, 2]))
note('dot', K.dot(v(2, 3, 4), v(4, 5)))
note('l2_normalize', K.l2_normalize(v(2, 3), 1))
K.set_learning_phase(1)
note('in_train_phase', K.in_train_phase(v(2, 3), v(2, 3) * 0.))
note('in_test_phase', K.in_test_phase(v(2, 3), v(2, 3) * 0.))
note('relu', K.relu(v(2, 6), 0.1, 0.5))
note('hard_sigmoid', K.hard_sigmoid(v(2, 6) * 4.))
note('repeat_elements', K.repeat_elements(v(2, 3), 2, 1))
note('reverse', K.reverse(v(2, 3, 2), 1))
note('gather', K.gather(v(5, 2), K.variable(np.array([3, 0]), dtype='int32')))
note('switch', K.switch(K.variable(np.array(1)), v(2, 3), v(2, 3) * 2.))
note('map_fn', K.map_fn(lambda row: K.sum(row) * row, v(3, 2)))
note('foldl', K.foldl(lambda acc, row: acc * 0.5 + row, v(3, 2)))
note('prod', K.prod(v(2, 3), axis=0))
note('std', K.std(v(2, 3), axis=-1, keepdims=True))
note('any', K.cast(K.any(K.greater(v(2, 3), 0.5), axis=1), 'float32'))
note('argmax', K.cast(K.argmax(v(3, 4)), 'float32'))
note('in_top_k', K.cast(K.in_top_k(p, classes, 2), 'float32'))


def mean_of_rows(x, states):
    return x + 0.5 * states[0], [x + 0.5 * states[0]]


mask = K.variable(np.array([[1, 1, 0, 1], [1, 0, 0, 0]]))
for unroll in False, True:
    last, outputs, states = K.rnn(mean_of_rows, v(2, 4, 3), [K.zeros((2, 3))], mask=K.cast(mask, 'bool') if not unroll
                                  else K.cast(mask, 'bool'), unroll=unroll, input_length=4)
    note('rnn_%s' % unroll, outputs)
    note('rnn_last_%s' % unroll, last)
    note('rnn_state_%s' % unroll, states[0])
for name, args in (('random_normal', dict(mean=2., std=0.)), ('random_uniform', dict(low=3., high=3.))):
    note(name, getattr(K, name)((2, 2), **args))
assert K.int_shape(K.random_binomial((2, 3), p=0.5)) == (2, 3)
assert K.legacy_weight_ordering() is False
print('RESULT ' + json.dumps(RESULT))
