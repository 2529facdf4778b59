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

# id -> (K functions covered, expression, arrays)
CASES = {
    # element-wise
    'square': ('square', lambda K, x: K.square(x), [X]),
    'abs': ('abs', lambda K, x: K.abs(x), [OFF_KINKS]),
    'sqrt': ('sqrt', lambda K, x: K.sqrt(x), [POSITIVE]),
    'exp': ('exp', lambda K, x: K.exp(x), [X]),
    'log': ('log', lambda K, x: K.log(x), [POSITIVE]),
    'sin': ('sin', lambda K, x: K.sin(x), [X]),
    'cos': ('cos', lambda K, x: K.cos(x), [X]),
    'tanh': ('tanh', lambda K, x: K.tanh(x), [X]),
    'sigmoid': ('sigmoid', lambda K, x: K.sigmoid(x), [X]),
    'softplus': ('softplus', lambda K, x: K.softplus(x), [X]),
    'softsign': ('softsign', lambda K, x: K.softsign(x), [OFF_KINKS]),
    'hard_sigmoid': ('hard_sigmoid', lambda K, x: K.hard_sigmoid(x), [OFF_KINKS]),
    'elu': ('elu', lambda K, x: K.elu(x, 0.7), [OFF_KINKS]),
    'relu': ('relu', lambda K, x: K.relu(x), [OFF_KINKS]),
    'relu with all options': ('relu', lambda K, x: K.relu(x, alpha=0.3, max_value=1.5, threshold=0.5), [OFF_KINKS]),
    'relu by its slope': ('relu', lambda K, x, a: K.relu(x, alpha=a), [OFF_KINKS, np.array(0.3)]),
    'pow number': ('pow', lambda K, x: K.pow(x, 3), [X]),
    'pow fraction': ('pow', lambda K, x: K.pow(x, 1.7), [POSITIVE]),
    'pow tensor': ('pow', lambda K, x, a: K.pow(x, a), [POSITIVE, np.array([1.5, -0.5, 2.0])]),
    'clip': ('clip', lambda K, x: K.clip(x, -1.0, 1.5), [OFF_KINKS]),
    'clip by tensors': (
        'clip',
        lambda K, x, a, b: K.clip(x, a, b),
        [OFF_KINKS, np.array(-1.0), np.array([0.1, 1.5, 2.0])],
    ),
    'maximum': ('maximum', lambda K, x, y: K.maximum(x, y), [OFF_KINKS, np.array([0.1, -0.2, 0.3])]),
    'minimum': ('minimum', lambda K, x, y: K.minimum(x, y), [OFF_KINKS, np.array([[0.1], [-0.2]])]),
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
    'prod': ('prod', lambda K, x: K.prod(x, axis=1), [CUBE]),
    'prod with a zero': ('prod', lambda K, x: K.prod(x, axis=1), [np.array([[0.0, 2.0, 3.0], [0.5, 0.7, -2.0]])]),
    'prod with two zeros': ('prod', lambda K, x: K.prod(x), [np.array([0.0, 2.0, 0.0])]),
    'var': ('var', lambda K, x: K.var(x, axis=[0, 2]), [CUBE]),
    'std': ('std', lambda K, x: K.std(x, axis=1), [CUBE]),
    'logsumexp': ('logsumexp', lambda K, x: K.logsumexp(x, axis=[0, 1]), [CUBE]),
    'cumsum': ('cumsum', lambda K, x: K.cumsum(x * x, axis=1), [CUBE]),
    'cumprod': ('cumprod', lambda K, x: K.cumprod(x, axis=1), [CUBE]),
    'cumprod with a zero': ('cumprod', lambda K, x: K.cumprod(x, axis=-1), [np.array([[2.0, 0.0, 3.0, 0.5]])]),
    # linear algebra
    'dot': ('dot', lambda K, x, y: K.dot(x, y), [X, random((3, 2), seed=2)]),
    'dot of high rank': ('dot', lambda K, x, y: K.dot(x, y), [CUBE, random((2, 2, 3), seed=2)]),
    'dot with a vector': ('dot', lambda K, x, y: K.dot(x, y), [CUBE, random((2,), seed=2)]),
    'dot of vectors': ('dot', lambda K, x, y: K.dot(x, y), [X[0], X[1]]),
    'batch_dot': ('batch_dot', lambda K, x, y: K.batch_dot(x, y, axes=(1, 2)), [CUBE, random((2, 2, 3), seed=2)]),
    'batch_dot of rank 2': ('batch_dot', lambda K, x, y: K.batch_dot(x, y, axes=1), [X, X[::-1]]),
    'batch_dot of rank 4': ('batch_dot', lambda K, x, y: K.batch_dot(x, y, axes=(3, 1)), [random((2, 1, 2, 3)), X]),
    'transpose': ('transpose', lambda K, x: K.transpose(x) ** 2, [CUBE]),
    'gather': ('gather', lambda K, x: K.gather(x, K.constant([[0, 1], [1, 1]], dtype='int32')) ** 2, [CUBE]),
    # shape
    'reshape': ('reshape', lambda K, x: K.reshape(x, (3, -1)) ** 2, [CUBE]),
    'permute': ('permute_dimensions', lambda K, x: K.permute_dimensions(x, (2, 0, 1)) ** 2, [CUBE]),
    'flatten': ('flatten', lambda K, x: K.flatten(x) ** 2, [CUBE]),
    'batch_flatten': ('batch_flatten', lambda K, x: K.batch_flatten(x) ** 2, [CUBE]),
    'expand and squeeze': (('expand_dims', 'squeeze'), lambda K, x: K.squeeze(K.expand_dims(x**2, 1), 1), [CUBE]),
    'concatenate': ('concatenate', lambda K, x, y: K.concatenate([x, y, x], axis=1) ** 2, [CUBE, CUBE[:, :1]]),
    'stack': ('stack', lambda K, x, y: K.stack([x, y, x], axis=1) ** 2, [X, POSITIVE]),
    'tile': ('tile', lambda K, x: K.tile(x, [2, 1, 3]) ** 2, [CUBE]),
    'repeat': ('repeat', lambda K, x: K.repeat(x, 3) ** 2, [X]),
    'repeat_elements': ('repeat_elements', lambda K, x: K.repeat_elements(x, 2, 1) ** 2, [CUBE]),
    'reverse': ('reverse', lambda K, x: K.reverse(x, [0, 2]) ** 2, [CUBE]),
    'slice': ('slice', lambda K, x: K.slice(x, [0, 1, 0], [2, 2, 1]) ** 2, [CUBE]),
    'indexing': ('placeholder', lambda K, x: x[::-1, 1:, None] * x[:1, :-1, None] + x[0, 2, -1], [CUBE]),
    'temporal_padding': ('temporal_padding', lambda K, x: K.temporal_padding(x, (1, 2)) ** 2, [CUBE]),
    'spatial_2d_padding': (
        'spatial_2d_padding',
        lambda K, x: K.spatial_2d_padding(x, ((1, 0), (0, 2))) ** 2,
        [IMAGE[:, :2, :2]],
    ),
    'spatial_3d_padding': ('spatial_3d_padding', lambda K, x: K.spatial_3d_padding(x) ** 2, [VOLUME[:, :2, :2, :2]]),
    'resize_images': (
        'resize_images',
        lambda K, x: K.resize_images(x, 2, 3, 'channels_last') ** 2,
        [IMAGE[:1, :2, :2]],
    ),
    'resize_images bilinear': (
        'resize_images',
        lambda K, x: K.resize_images(x, 2, 3, 'channels_first', interpolation='bilinear') ** 2,
        [IMAGE[:1, :2, :3]],
    ),
    'resize_volumes': (
        'resize_volumes',
        lambda K, x: K.resize_volumes(x, 2, 1, 2, 'channels_last') ** 2,
        [VOLUME[:, :2, :2, :1]],
    ),
    # neural network
    'softmax': ('softmax', lambda K, x: K.softmax(x), [X]),
    'softmax axis': ('softmax', lambda K, x: K.softmax(x, axis=1), [CUBE]),
    'l2_normalize': ('l2_normalize', lambda K, x: K.l2_normalize(x, axis=1), [CUBE]),
    'categorical': (
        'categorical_crossentropy',
        lambda K, t, x: K.categorical_crossentropy(t, x),
        [TARGETS, PROBABILITIES],
    ),
    'categorical logits': (
        'categorical_crossentropy',
        lambda K, t, x: K.categorical_crossentropy(t, x, from_logits=True),
        [TARGETS, X],
    ),
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
    'binary': ('binary_crossentropy', lambda K, t, x: K.binary_crossentropy(t, x), [TARGETS, PROBABILITIES]),
    'binary logits': (
        'binary_crossentropy',
        lambda K, t, x: K.binary_crossentropy(t, x, from_logits=True),
        [TARGETS, OFF_KINKS],
    ),
    'normalize_batch': (
        'normalize_batch_in_training',
        lambda K, x, g, b: list(K.normalize_batch_in_training(x, g, b, [0, 1])),
        [CUBE, np.array([1.2, 0.7]), np.array([0.1, -0.3])],
    ),
    'batch_normalization': (
        'batch_normalization',
        lambda K, x, m, v, b, g: K.batch_normalization(x, m, v, b, g),
        [CUBE, X[0, :2], POSITIVE[0, :2], X[1, :2], X[0, 1:]],
    ),
    'bias_add': ('bias_add', lambda K, x, b: K.bias_add(x, b) ** 2, [CUBE, X[0, :2]]),
    # convolution and pooling
    'conv1d': (
        'conv1d',
        lambda K, x, w: K.conv1d(x, w, strides=2, padding='same'),
        [random((2, 5, 2)), random((3, 2, 2), 1)],
    ),
    'conv1d causal': (
        'conv1d',
        lambda K, x, w: K.conv1d(x, w, padding='causal', dilation_rate=2),
        [random((1, 5, 2)), random((2, 2, 2), 1)],
    ),
    'conv2d': ('conv2d', lambda K, x, w: K.conv2d(x, w), [IMAGE[:1], random((2, 3, 2, 2), 1)]),
    'conv2d same stride': (
        'conv2d',
        lambda K, x, w: K.conv2d(x, w, strides=(2, 1), padding='same'),
        [IMAGE[:1], random((2, 3, 2, 2), 1)],
    ),
    'conv2d dilated first': (
        'conv2d',
        lambda K, x, w: K.conv2d(x, w, dilation_rate=2, data_format='channels_first'),
        [random((1, 2, 4, 3)), random((2, 2, 2, 1), 1)],
    ),
    'conv2d stride and dilation': (
        'conv2d',
        lambda K, x, w: K.conv2d(x, w, strides=2, dilation_rate=2, padding='same'),
        [IMAGE[:1], random((2, 2, 2, 1), 1)],
    ),
    'conv3d': (
        'conv3d',
        lambda K, x, w: K.conv3d(x, w, strides=(1, 2, 1), padding='same'),
        [VOLUME, random((2, 1, 2, 2, 1), 1)],
    ),
    'conv2d_transpose': (
        'conv2d_transpose',
        lambda K, x, w: K.conv2d_transpose(x, w, (1, 6, 7, 1), strides=(2, 2), padding='valid'),
        [random((1, 2, 3, 2)), random((3, 3, 1, 2), 1)],
    ),
    'conv2d_transpose same': (
        'conv2d_transpose',
        lambda K, x, w: K.conv2d_transpose(x, w, (1, 4, 5, 1), strides=(2, 2), padding='same'),
        [random((1, 2, 3, 2)), random((3, 2, 1, 2), 1)],
    ),
    'conv2d_transpose dilated': (
        'conv2d_transpose',
        lambda K, x, w: K.conv2d_transpose(x, w, (1, 4, 5, 1), dilation_rate=(2, 2)),
        [random((1, 2, 3, 2)), random((2, 2, 1, 2), 1)],
    ),
    'conv3d_transpose': (
        'conv3d_transpose',
        lambda K, x, w: K.conv3d_transpose(x, w, (1, 4, 2, 3, 1), strides=(2, 1, 1)),
        [random((1, 2, 1, 2, 2)), random((2, 2, 2, 1, 2), 1)],
    ),
    'depthwise': (
        'depthwise_conv2d',
        lambda K, x, w: K.depthwise_conv2d(x, w, padding='same', strides=(2, 2)),
        [IMAGE[:1], random((3, 2, 2, 2), 1)],
    ),
    'separable 1d': (
        'separable_conv1d',
        lambda K, x, d, p: K.separable_conv1d(x, d, p, dilation_rate=2),
        [random((1, 5, 2)), random((2, 2, 2), 1), random((1, 4, 2), 2)],
    ),
    'separable 2d': (
        'separable_conv2d',
        lambda K, x, d, p: K.separable_conv2d(x, d, p, padding='same'),
        [IMAGE[:1, :3, :3], random((2, 2, 2, 1), 1), random((1, 1, 2, 2), 2)],
    ),
    'max pool': (
        'pool2d',
        lambda K, x: K.pool2d(x, (2, 2), strides=(1, 2), padding='same') ** 2,
        [distinct((1, 3, 4, 2))],
    ),
    'avg pool': (
        'pool2d',
        lambda K, x: K.pool2d(x, (2, 3), strides=(2, 1), padding='same', pool_mode='avg') ** 2,
        [IMAGE[:1]],
    ),
    'max pool 3d': ('pool3d', lambda K, x: K.pool3d(x, (2, 2, 2), strides=(1, 1, 2)) ** 2, [distinct((1, 3, 3, 4, 1))]),
    'avg pool 3d first': (
        'pool3d',
        lambda K, x: K.pool3d(x, (2, 2, 2), padding='same', pool_mode='avg', data_format='channels_first') ** 2,
        [VOLUME],
    ),
    'local 1d': (
        'local_conv1d',
        lambda K, x, w: K.local_conv1d(x, w, (2,), (2,)),
        [random((2, 4, 2)), random((2, 4, 2), 1)],
    ),
    'local 2d': (
        'local_conv2d',
        lambda K, x, w: K.local_conv2d(x, w, (2, 2), (1, 2), (2, 2)),
        [random((1, 3, 4, 1)), random((4, 4, 2), 1)],
    ),
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


SHAPE_DEPENDENT = [
    'sum',
    'mean',
    'mean of all',
    'max',
    'var',
    'logsumexp',
    'cumsum',
    'dot of high rank',
    'batch_dot',
    'concatenate',
    'flatten',
    'tile',
    'repeat_elements',
    'indexing',
    'slice',
    'operators',
    'maximum',
    'softmax',
    'categorical logits',
    'bias_add',
    'gather',
    'normalize_batch',
    'conv2d same stride',
    'max pool',
    'avg pool',
]


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
