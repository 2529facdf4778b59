"""Gradients of all differentiable functions, of first and second order, compared with central differences."""

import numpy as np
import pytest

from ._check import covers, distinct, random

X = random((2, 3), seed=11)
POSITIVE = random((2, 3), seed=12, low=0.3, high=2.0)
OFF_KINKS = np.array([[-2.3, -0.7, 0.4], [1.3, 2.7, -1.6]])
CUBE = random((2, 3, 2), seed=13)
IMAGE = random((2, 4, 5, 2), seed=14)
VOLUME = random((1, 3, 3, 4, 2), seed=15)
PROBABILITIES = random((2, 3), seed=16, low=0.1, high=0.9)
TARGETS = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])


def calls(name, arrays, *others, squared=False, **options):
    """The case of one K function of tensors, and of other arguments as they are."""

    def expression(K, *tensors):
        y = getattr(K, name)(*tensors, *others, **options)
        return y**2 if squared else y

    return name, expression, arrays


# id -> (K functions covered, expression, arrays)
CASES = {
    # element-wise
    'square': calls('square', [X]),
    'abs': calls('abs', [OFF_KINKS]),
    'sqrt': calls('sqrt', [POSITIVE]),
    'exp': calls('exp', [X]),
    'log': calls('log', [POSITIVE]),
    'sin': calls('sin', [X]),
    'cos': calls('cos', [X]),
    'tanh': calls('tanh', [X]),
    'sigmoid': calls('sigmoid', [X]),
    'softplus': calls('softplus', [X]),
    'softsign': calls('softsign', [OFF_KINKS]),
    'hard_sigmoid': calls('hard_sigmoid', [OFF_KINKS]),
    'elu': calls('elu', [OFF_KINKS], 0.7),
    'relu': calls('relu', [OFF_KINKS]),
    'relu with all options': calls('relu', [OFF_KINKS], alpha=0.3, max_value=1.5, threshold=0.5),
    'relu by its slope': ('relu', lambda K, x, a: K.relu(x, alpha=a), [OFF_KINKS, np.array(0.3)]),
    'pow number': calls('pow', [X], 3),
    'pow fraction': calls('pow', [POSITIVE], 1.7),
    'pow tensor': calls('pow', [POSITIVE, np.array([1.5, -0.5, 2.0])]),
    'clip': calls('clip', [OFF_KINKS], -1.0, 1.5),
    'clip by tensors': calls('clip', [OFF_KINKS, np.array(-1.0), np.array([0.1, 1.5, 2.0])]),
    'maximum': calls('maximum', [OFF_KINKS, np.array([0.1, -0.2, 0.3])]),
    'minimum': calls('minimum', [OFF_KINKS, np.array([[0.1], [-0.2]])]),
    'operators': ('placeholder', lambda K, x, y: (x + y) * x / y - (-x) ** 2 + 2.0 / y, [X, POSITIVE[0]]),
    'floor and modulo': ('placeholder', lambda K, x, y: x % y + x * (x // y), [OFF_KINKS, np.array([[0.9], [1.7]])]),
    'cast': ('cast', lambda K, x: K.cast(K.cast(x, 'float64'), 'float64') * x, [X]),
    'identity': ('identity', lambda K, x: K.identity(x) * x, [X]),
    # reductions
    'sum': ('sum', lambda K, x: K.sum(K.sin(x), axis=[0, 2]), [CUBE]),
    'sum keepdims': ('sum', lambda K, x: K.sum(x * x, axis=1, keepdims=True) * x, [CUBE]),
    'mean': ('mean', lambda K, x: K.mean(x * x, axis=-1), [CUBE]),
    'mean of all': ('mean', lambda K, x: K.mean(x * x * x), [CUBE]),
    'max': ('max', lambda K, x: K.max(x, axis=1) * K.max(x), [distinct((2, 3, 2))]),
    'min': ('min', lambda K, x: K.min(x, axis=[0, 2], keepdims=True) * x, [distinct((2, 3, 2))]),
    'prod': calls('prod', [CUBE], axis=1),
    'prod with a zero': calls('prod', [np.array([[0.0, 2.0, 3.0], [0.5, 0.7, -2.0]])], axis=1),
    'prod with two zeros': calls('prod', [np.array([0.0, 2.0, 0.0])]),
    'var': calls('var', [CUBE], axis=[0, 2]),
    'std': calls('std', [CUBE], axis=1),
    'logsumexp': calls('logsumexp', [CUBE], axis=[0, 1]),
    'cumsum': ('cumsum', lambda K, x: K.cumsum(x * x, axis=1), [CUBE]),
    'cumprod': calls('cumprod', [CUBE], axis=1),
    'cumprod with a zero': calls('cumprod', [np.array([[2.0, 0.0, 3.0, 0.5]])], axis=-1),
    # linear algebra
    'dot': calls('dot', [X, random((3, 2), seed=2)]),
    'dot of high rank': calls('dot', [CUBE, random((2, 2, 3), seed=2)]),
    'dot with a vector': calls('dot', [CUBE, random((2,), seed=2)]),
    'dot of vectors': calls('dot', [X[0], X[1]]),
    'batch_dot': calls('batch_dot', [CUBE, random((2, 2, 3), seed=2)], axes=(1, 2)),
    'batch_dot of rank 2': calls('batch_dot', [X, X[::-1]], axes=1),
    'batch_dot of rank 4': calls('batch_dot', [random((2, 1, 2, 3)), X], axes=(3, 1)),
    'transpose': calls('transpose', [CUBE], squared=True),
    'gather': ('gather', lambda K, x: K.gather(x, K.constant([[0, 1], [1, 1]], dtype='int32')) ** 2, [CUBE]),
    # shape
    'reshape': calls('reshape', [CUBE], (3, -1), squared=True),
    'permute': calls('permute_dimensions', [CUBE], (2, 0, 1), squared=True),
    'flatten': calls('flatten', [CUBE], squared=True),
    'batch_flatten': calls('batch_flatten', [CUBE], squared=True),
    'expand and squeeze': (('expand_dims', 'squeeze'), lambda K, x: K.squeeze(K.expand_dims(x**2, 1), 1), [CUBE]),
    'concatenate': ('concatenate', lambda K, x, y: K.concatenate([x, y, x], axis=1) ** 2, [CUBE, CUBE[:, :1]]),
    'stack': ('stack', lambda K, x, y: K.stack([x, y, x], axis=1) ** 2, [X, POSITIVE]),
    'tile': calls('tile', [CUBE], [2, 1, 3], squared=True),
    'repeat': calls('repeat', [X], 3, squared=True),
    'repeat_elements': calls('repeat_elements', [CUBE], 2, 1, squared=True),
    'reverse': calls('reverse', [CUBE], [0, 2], squared=True),
    'slice': calls('slice', [CUBE], [0, 1, 0], [2, 2, 1], squared=True),
    'indexing': ('placeholder', lambda K, x: x[::-1, 1:, None] * x[:1, :-1, None] + x[0, 2, -1], [CUBE]),
    'temporal_padding': calls('temporal_padding', [CUBE], (1, 2), squared=True),
    'spatial_2d_padding': calls('spatial_2d_padding', [IMAGE[:, :2, :2]], ((1, 0), (0, 2)), squared=True),
    'spatial_3d_padding': calls('spatial_3d_padding', [VOLUME[:, :2, :2, :2]], squared=True),
    'resize_images': calls('resize_images', [IMAGE[:1, :2, :2]], 2, 3, 'channels_last', squared=True),
    'resize_images bilinear': calls(
        'resize_images', [IMAGE[:1, :2, :3]], 2, 3, 'channels_first', interpolation='bilinear', squared=True
    ),
    'resize_volumes': calls('resize_volumes', [VOLUME[:, :2, :2, :1]], 2, 1, 2, 'channels_last', squared=True),
    # neural network
    'softmax': calls('softmax', [X]),
    'softmax axis': calls('softmax', [CUBE], axis=1),
    'l2_normalize': calls('l2_normalize', [CUBE], axis=1),
    'categorical': calls('categorical_crossentropy', [TARGETS, PROBABILITIES]),
    'categorical logits': calls('categorical_crossentropy', [TARGETS, X], from_logits=True),
    'sparse': (
        'sparse_categorical_crossentropy',
        lambda K, x: K.sparse_categorical_crossentropy(K.constant([2, 0], dtype='int32'), x),
        [PROBABILITIES],
    ),
    'sparse logits': (
        'sparse_categorical_crossentropy',
        lambda K, x: K.sparse_categorical_crossentropy(K.constant([2, 0], dtype='int32'), x, from_logits=True),
        [X],
    ),
    'binary': calls('binary_crossentropy', [TARGETS, PROBABILITIES]),
    'binary logits': calls('binary_crossentropy', [TARGETS, OFF_KINKS], from_logits=True),
    'normalize_batch': (
        'normalize_batch_in_training',
        lambda K, x, g, b: list(K.normalize_batch_in_training(x, g, b, [0, 1])),
        [CUBE, np.array([1.2, 0.7]), np.array([0.1, -0.3])],
    ),
    'batch_normalization': calls('batch_normalization', [CUBE, X[0, :2], POSITIVE[0, :2], X[1, :2], X[0, 1:]]),
    'bias_add': calls('bias_add', [CUBE, X[0, :2]], squared=True),
    # convolution and pooling
    'conv1d': calls('conv1d', [random((2, 5, 2)), random((3, 2, 2), 1)], strides=2, padding='same'),
    'conv1d causal': calls('conv1d', [random((1, 5, 2)), random((2, 2, 2), 1)], padding='causal', dilation_rate=2),
    'conv2d': calls('conv2d', [IMAGE[:1], random((2, 3, 2, 2), 1)]),
    'conv2d same stride': calls('conv2d', [IMAGE[:1], random((2, 3, 2, 2), 1)], strides=(2, 1), padding='same'),
    'conv2d dilated first': calls(
        'conv2d', [random((1, 2, 4, 3)), random((2, 2, 2, 1), 1)], dilation_rate=2, data_format='channels_first'
    ),
    'conv2d stride and dilation': calls(
        'conv2d', [IMAGE[:1], random((2, 2, 2, 1), 1)], strides=2, dilation_rate=2, padding='same'
    ),
    'conv3d': calls('conv3d', [VOLUME, random((2, 1, 2, 2, 1), 1)], strides=(1, 2, 1), padding='same'),
    'conv2d_transpose': calls(
        'conv2d_transpose',
        [random((1, 2, 3, 2)), random((3, 3, 1, 2), 1)],
        (1, 6, 7, 1),
        strides=(2, 2),
        padding='valid',
    ),
    'conv2d_transpose same': calls(
        'conv2d_transpose',
        [random((1, 2, 3, 2)), random((3, 2, 1, 2), 1)],
        (1, 4, 5, 1),
        strides=(2, 2),
        padding='same',
    ),
    'conv2d_transpose dilated': calls(
        'conv2d_transpose', [random((1, 2, 3, 2)), random((2, 2, 1, 2), 1)], (1, 4, 5, 1), dilation_rate=(2, 2)
    ),
    'conv3d_transpose': calls(
        'conv3d_transpose', [random((1, 2, 1, 2, 2)), random((2, 2, 2, 1, 2), 1)], (1, 4, 2, 3, 1), strides=(2, 1, 1)
    ),
    'depthwise': calls('depthwise_conv2d', [IMAGE[:1], random((3, 2, 2, 2), 1)], padding='same', strides=(2, 2)),
    'separable 1d': calls(
        'separable_conv1d', [random((1, 5, 2)), random((2, 2, 2), 1), random((1, 4, 2), 2)], dilation_rate=2
    ),
    'separable 2d': calls(
        'separable_conv2d', [IMAGE[:1, :3, :3], random((2, 2, 2, 1), 1), random((1, 1, 2, 2), 2)], padding='same'
    ),
    'max pool': calls('pool2d', [distinct((1, 3, 4, 2))], (2, 2), strides=(1, 2), padding='same', squared=True),
    'avg pool': calls('pool2d', [IMAGE[:1]], (2, 3), strides=(2, 1), padding='same', pool_mode='avg', squared=True),
    'max pool 3d': calls('pool3d', [distinct((1, 3, 3, 4, 1))], (2, 2, 2), strides=(1, 1, 2), squared=True),
    'avg pool 3d first': calls(
        'pool3d', [VOLUME], (2, 2, 2), padding='same', pool_mode='avg', data_format='channels_first', squared=True
    ),
    'local 1d': calls('local_conv1d', [random((2, 4, 2)), random((2, 4, 2), 1)], (2,), (2,)),
    'local 2d': calls('local_conv2d', [random((1, 3, 4, 1)), random((4, 4, 2), 1)], (2, 2), (1, 2), (2, 2)),
    # control
    'switch': ('switch', lambda K, x, y: K.switch(x > 0, x * y, K.sin(x)), [OFF_KINKS, X]),
    'switch scalar': (
        'switch',
        lambda K, x, y: K.switch(K.sum(y) > 0, lambda: x * y, lambda: K.sin(x)),
        [OFF_KINKS, X],
    ),
    'in_train_phase': ('in_train_phase', lambda K, x: K.in_train_phase(lambda: x * x, lambda: K.sin(x)), [X]),
}


@pytest.mark.parametrize(
    'case',
    [
        pytest.param(
            name, marks=covers(*([CASES[name][0]] if isinstance(CASES[name][0], str) else CASES[name][0]), 'gradients')
        )
        for name in sorted(CASES)
    ],
)
def test_gradient(K, check, case):
    """K.gradients equals central differences, and so does the gradient of the gradient."""
    _, build, arrays = CASES[case]
    check.gradients(lambda *tensors: build(K, *tensors), *arrays)


SHAPE_DEPENDENT = (
    'sum, mean, mean of all, max, var, logsumexp, cumsum, dot of high rank, batch_dot, concatenate, flatten, tile, '
    'repeat_elements, indexing, slice, operators, maximum, softmax, categorical logits, bias_add, gather, '
    'normalize_batch, conv2d same stride, max pool, avg pool'
).split(', ')


@pytest.mark.parametrize(
    'case', [pytest.param(name, marks=covers(CASES[name][0], 'gradients')) for name in SHAPE_DEPENDENT]
)
def test_gradient_of_unknown_shapes(K, check, case):
    """Gradients are right if no size is known beforehand."""
    _, build, arrays = CASES[case]
    if 'conv' in case or case == 'normalize_batch':  # kernels and channels have to be known

        def built(x, *others):
            sizes = [K.shape(x)[i] for i in range(arrays[0].ndim - 1)]
            return build(
                K,
                K.reshape(x, sizes + [arrays[0].shape[-1]]),
                *[K.reshape(other, a.shape) for other, a in zip(others, arrays[1:])],
            )
    else:

        def built(*tensors):
            return build(K, *tensors)

    check.gradients(built, *arrays, unknown=True, second=False)
