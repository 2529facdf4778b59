"""Batches of no rows, fed or left by a slice, through everything that looks at images and sequences."""

import numpy as np
import pytest

from ._check import all_close, calling, close, covers, random

IMAGE, SEQUENCE, VOLUME = (6, 5, 3), (6, 3), (4, 5, 4, 3)

# name: (shape of a sample, shapes of weights, function of K, x and weights, shape of a sample of the result)
CASES = {
    'conv1d': (SEQUENCE, [(3, 3, 2)], calling('conv1d'), (4, 2)),
    'conv1d causal': (SEQUENCE, [(2, 3, 2)], calling('conv1d', 2, 'causal'), (3, 2)),
    'conv1d dilated': (SEQUENCE, [(2, 3, 2)], calling('conv1d', dilation_rate=3), (3, 2)),
    'conv2d': (IMAGE, [(3, 2, 3, 2)], calling('conv2d'), (4, 4, 2)),
    'conv2d strides': (IMAGE, [(3, 2, 3, 2)], calling('conv2d', (2, 1), 'same'), (3, 5, 2)),
    'conv2d dilated': (IMAGE, [(2, 2, 3, 2)], calling('conv2d', dilation_rate=(2, 3)), (4, 2, 2)),
    'conv2d first': ((3, 6, 5), [(3, 2, 3, 2)], calling('conv2d', data_format='channels_first'), (2, 4, 4)),
    'conv3d': (VOLUME, [(2, 3, 2, 3, 2)], calling('conv3d'), (3, 3, 3, 2)),
    'conv3d strides': (VOLUME, [(2, 3, 2, 3, 2)], calling('conv3d', (2, 2, 2), 'same'), (2, 3, 2, 2)),
    'conv2d_transpose': (
        IMAGE,
        [(3, 2, 2, 3)],
        lambda K, x, w: K.conv2d_transpose(x, w, (K.shape(x)[0], 8, 6, 2)),
        (8, 6, 2),
    ),
    'conv2d_transpose dilated': (
        IMAGE,
        [(2, 2, 2, 3)],
        lambda K, x, w: K.conv2d_transpose(x, w, (K.shape(x)[0], 8, 7, 2), dilation_rate=(2, 2)),
        (8, 7, 2),
    ),
    'conv3d_transpose': (
        VOLUME,
        [(2, 2, 2, 2, 3)],
        lambda K, x, w: K.conv3d_transpose(x, w, (K.shape(x)[0], 8, 10, 8, 2), (2, 2, 2), 'same'),
        (8, 10, 8, 2),
    ),
    'depthwise_conv2d': (IMAGE, [(3, 2, 3, 2)], calling('depthwise_conv2d'), (4, 4, 6)),
    'depthwise_conv2d strides': (IMAGE, [(3, 2, 3, 2)], calling('depthwise_conv2d', (2, 2), 'same'), (3, 3, 6)),
    'separable_conv1d': (SEQUENCE, [(3, 3, 2), (1, 6, 4)], calling('separable_conv1d'), (4, 4)),
    'separable_conv2d': (IMAGE, [(3, 2, 3, 2), (1, 1, 6, 4)], calling('separable_conv2d'), (4, 4, 4)),
    'local_conv1d': (SEQUENCE, [(4, 9, 2)], calling('local_conv1d', (3,), (1,)), (4, 2)),
    'local_conv2d': (IMAGE, [(16, 18, 2)], calling('local_conv2d', (3, 2), (1, 1), (4, 4)), (4, 4, 2)),
    'pool2d max': (IMAGE, [], calling('pool2d', (2, 2)), (5, 4, 3)),
    'pool2d max strides': (IMAGE, [], calling('pool2d', (2, 2), (2, 2), 'same'), (3, 3, 3)),
    'pool2d avg': (IMAGE, [], calling('pool2d', (2, 2), (2, 2), pool_mode='avg'), (3, 2, 3)),
    'pool3d max': (VOLUME, [], calling('pool3d', (2, 2, 2), (2, 2, 2)), (2, 2, 2, 3)),
    'pool3d avg': (VOLUME, [], calling('pool3d', (2, 2, 2), padding='same', pool_mode='avg'), VOLUME),
    'resize_images': (IMAGE, [], calling('resize_images', 2, 3, 'channels_last'), (12, 15, 3)),
    'resize_images bilinear': (IMAGE, [], calling('resize_images', 2, 3, 'channels_last', 'bilinear'), (12, 15, 3)),
    'spatial_2d_padding': (IMAGE, [], calling('spatial_2d_padding'), (8, 7, 3)),
    'bias_add': (IMAGE, [(3,)], calling('bias_add'), IMAGE),
    'batch_normalization': (
        IMAGE,
        [(3,), (3,), (3,)],
        lambda K, x, m, b, g: K.batch_normalization(x, m, K.ones((3,)), b, g),
        IMAGE,
    ),
    'conv2d network': (
        IMAGE,
        [(3, 2, 3, 2), (2,), (2, 2, 2, 4)],
        lambda K, x, w, b, v: K.pool2d(K.relu(K.conv2d(K.relu(K.bias_add(K.conv2d(x, w), b)), v)), (2, 2)),
        (2, 2, 4),
    ),
}


def cases(*others):
    return [pytest.param(*CASES[name], *others, id=name, marks=covers(name.split()[0])) for name in CASES]


def with_derivatives(K, y, by):
    """`y`, and what there is of its first and second derivatives by the tensors `by`."""
    gradients = [g for g in K.gradients(K.sum(K.square(y)), by) if g is not None]
    norm = sum(K.sum(K.square(g)) for g in gradients)
    return [y] + gradients + [g for g in K.gradients(norm, by) if g is not None]


@pytest.mark.parametrize(('sample', 'weights', 'build', 'made'), cases())
@pytest.mark.parametrize('how', ['fed', 'sliced'])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_no_rows(K, check, sample, weights, build, made, how, dtype):
    """The result has its shape and no rows. Weights get a gradient of zeros. The next batch is as it was."""
    array = random((3,) + sample, 0, -0.5, 0.5, dtype)
    x, n = K.placeholder((None,) + sample, dtype=dtype), K.placeholder((), dtype='int32')
    arrays = [random(shape, seed, -0.5, 0.5, dtype) for seed, shape in enumerate(weights, 1)]
    weights = [K.variable(a, dtype=dtype) for a in arrays]
    by = [x] + weights
    outputs = with_derivatives(K, build(K, x if how == 'fed' else x[:n], *weights), by)
    function = K.function([x, n], outputs)
    values = function([array[:0], 0] if how == 'fed' else [array, 0])
    assert values[0].shape == (0,) + made
    whole = function([array, 3])
    assert whole[0].shape == (3,) + made
    for tensor, value, full in zip(outputs, values, whole):
        check.truthful(tensor, value)
        rows = 0 if how == 'fed' and full.shape[:1] == (3,) and value.shape != full.shape else 3
        expected = (rows,) + full.shape[1:] if full.shape[:1] == (3,) else full.shape
        if tensor is not outputs[0]:
            close(value, np.zeros(expected))
    # Where the batch is known, nothing has to be done for an empty one.
    x = K.placeholder((3,) + sample, dtype=dtype)
    static = K.function([x], with_derivatives(K, build(K, x, *weights), [x] + weights))([array])
    for value, expected in zip(whole, static):
        close(value, expected, scale=np.abs(expected.astype('float64')).max())


def stepwise(K, x, w):
    """A recurrence over axis 1 whose step convolves."""

    def step(now, states):
        new = K.tanh(K.conv2d(now, w, padding='same') + states[0])
        return new, [new]

    return K.rnn(step, x, [K.zeros_like(K.conv2d(x[:, 0], w, padding='same'))])[0]


INSIDE = {
    'rnn': stepwise,
    'map_fn': lambda K, x, w: K.map_fn(lambda row: K.pool2d(K.conv2d(row, w), (2, 2)), x),
    'switch': lambda K, x, w: K.switch(
        K.greater(K.sum(w), -100.0),
        lambda: K.pool2d(K.conv2d(x[:, 0], w, padding='same'), (2, 2), padding='same'),
        lambda: x[:, 1],
    ),
}


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in INSIDE])
@pytest.mark.parametrize('how', ['fed', 'sliced'])
def test_inside(K, check, name, how):
    """So it is in a step, in a function of elements and in a branch."""
    array, kernel = random((2, 3) + IMAGE, 0, -0.5, 0.5, 'float32'), random((3, 2, 3, 3), 1, -0.5, 0.5, 'float32')
    x, n, w = K.placeholder((None, 3) + IMAGE), K.placeholder((), dtype='int32'), K.variable(kernel)
    y = INSIDE[name](K, x if how == 'fed' else x[:n], w)
    function = K.function([x, n], [y] + K.gradients(K.sum(K.square(y)), [x, w]))
    values = function([array[:0], 0] if how == 'fed' else [array, 0])
    whole = function([array, 2])
    assert values[0].shape == (0,) + whole[0].shape[1:]
    close(values[1], np.zeros((0 if how == 'fed' else 2, 3) + IMAGE))
    close(values[2], np.zeros(kernel.shape))
    x = K.placeholder(array.shape)
    y = INSIDE[name](K, x, w)
    static = K.function([x], [y] + K.gradients(K.sum(K.square(y)), [x, w]))([array])
    all_close(whole, static)


@covers('map_fn')
def test_inside_of_elements(K, check):
    """The elements of a loop may be batches of no rows."""
    x, kernel = K.placeholder((2, None) + IMAGE), random((3, 2, 3, 4), 1, dtype='float32')
    w = K.variable(kernel)
    y = K.map_fn(lambda rows: K.pool2d(K.conv2d(rows, w), (2, 2)), x)
    function = K.function([x], [y] + K.gradients(K.sum(K.square(y)), [x, w]))
    array = random((2, 2) + IMAGE, dtype='float32')
    shapes = [(2, 0, 3, 3, 4), (2, 0) + IMAGE, kernel.shape]
    for value, shape in zip(function([array[:, :0]]), shapes):
        close(value, np.zeros(shape))
    assert function([array])[0].shape == (2, 2, 3, 3, 4)


@covers('conv2d', 'concatenate', 'update')
def test_rows_beside_no_rows(K, check):
    """One of two branches of a network may have no rows. Updates take place, once."""
    x, z, kernel = K.placeholder((None,) + IMAGE), K.placeholder((None,) + IMAGE), random((3, 2, 3, 2), 1)
    w, calls = K.variable(kernel), K.variable(0.0)
    y = K.concatenate([K.conv2d(x, w), K.conv2d(z, w)], axis=0)
    function = K.function([x, z], [y], updates=[(calls, calls + 1.0), (w, w - K.gradients(K.sum(y), [w])[0])])
    array = random((2,) + IMAGE, dtype='float32')
    expected = check.eval(lambda x: (K.conv2d(x, K.constant(kernel)),), array)[0]
    close(function([array[:0], array])[0], expected)
    moved = K.get_value(w)
    K.set_value(w, kernel)
    close(function([array, array[:0]])[0], expected)
    close(K.get_value(w), moved)
    assert K.get_value(calls) == 2.0
