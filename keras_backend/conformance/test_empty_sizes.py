"""Axes of size 0 beside sizes that only the run knows: everything can be built, and nothing comes out."""

import numpy as np
import pytest

from ._check import close, covers, random

CONVOLUTIONS = {
    'conv1d': ((2, 5, 3), [(2, 3, 4)], lambda K, x, w: K.conv1d(x, w, 2)),
    'conv2d': ((2, 5, 4, 3), [(2, 1, 3, 4)], lambda K, x, w: K.conv2d(x, w, padding='same')),
    'conv3d': ((2, 3, 4, 3, 2), [(2, 1, 2, 2, 3)], lambda K, x, w: K.conv3d(x, w)),
    'depthwise_conv2d': ((2, 5, 4, 3), [(2, 1, 3, 2)], lambda K, x, w: K.depthwise_conv2d(x, w, (2, 2), 'same')),
    'separable_conv1d': (
        (2, 5, 3),
        [(2, 3, 1), (1, 3, 4)],
        lambda K, x, d, p: K.separable_conv1d(x, d, p, padding='same'),
    ),
    'separable_conv2d': (
        (2, 5, 4, 3),
        [(2, 1, 3, 1), (1, 1, 3, 4)],
        lambda K, x, d, p: K.separable_conv2d(x, d, p, padding='same'),
    ),
    'pool2d': ((2, 5, 4, 3), [], lambda K, x: K.pool2d(x, (2, 2), (2, 2), 'same')),
    'pool3d': ((2, 3, 4, 3, 2), [], lambda K, x: K.pool3d(x, (2, 1, 2), (2, 2, 2), 'same')),
}


def emptied(shapes, axis):
    """The shapes of an input and of weights with 0 along an axis of the input, and along the axis of it in weights."""
    full, weights = shapes[0], shapes[1:]
    x = tuple(0 if i == axis else n for i, n in enumerate(full))
    if axis < len(full) - 1:
        return x, weights
    return x, [s[:-2] + (0, s[-1]) for s in weights]


def fits(name, axis):
    """Whether an operation takes an empty axis: a window with padding 'valid' and channels apart need elements."""
    if axis == 'place':
        return name not in ('conv1d', 'conv3d')
    return axis != 'channels' or name not in ('depthwise_conv2d', 'separable_conv1d', 'separable_conv2d')


@pytest.mark.parametrize(
    ('axis', 'name'),
    [
        pytest.param(axis, name, marks=covers(name))
        for axis in ('samples', 'place', 'channels')
        for name in CONVOLUTIONS
        if fits(name, axis)
    ],
)
def test_an_empty_axis_beside_an_unknown_one(K, axis, name):
    """A known size of 0 beside one other size that is not known: values and gradients have the shapes of the arrays."""
    full, weights, build = CONVOLUTIONS[name]
    position = {'samples': 0, 'place': 2 if len(full) > 3 else 1, 'channels': len(full) - 1}[axis]
    shape, weights = emptied((full, *weights), position)
    kernels = [K.variable(random(s, dtype='float32')) for s in weights]
    static = None
    for unknown in [None, *[i for i in range(len(full) - 1) if i != position]]:
        x = K.placeholder([None if i == unknown else n for i, n in enumerate(shape)])
        y = build(K, x, *kernels)
        function = K.function([x], [y] + K.gradients(K.sum(y), [x, *kernels]))
        shapes = [value.shape for value in function([np.zeros(shape)])]
        static = static or shapes
        assert shapes == static
        assert shapes[1:] == [shape, *weights]
        for known, size in zip(K.int_shape(y), shapes[0]):
            assert known in (None, size)


@covers('batch_dot')
def test_batch_dot_with_an_empty_axis(K):
    """A size of 0 beside an unknown number of samples."""
    for left, right, axes in [
        ((2, 0, 3, 2), (2, 0, 2, 5), None),
        ((2, 0, 3, 2), (2, 0, 3, 2), (2, 2)),
        ((2, 0, 3, 2), (2, 2), None),
        ((2, 3, 0), (2, 4, 0), (2, 2)),
        ((2, 4, 3, 0), (2, 0, 5), (3, 1)),
    ]:
        static, open_ones = [[K.placeholder((first, *shape[1:])) for shape in (left, right)] for first in (2, None)]
        arrays = [np.ones(left), np.ones(right)]
        expected = K.function(static, [K.batch_dot(*static, axes=axes)])(arrays)[0]
        close(expected, np.zeros(expected.shape))
        y = K.batch_dot(*open_ones, axes=axes)
        results = K.function(open_ones, [y] + K.gradients(K.sum(y), open_ones))(arrays)
        assert [value.shape for value in results] == [expected.shape, left, right]
        assert K.int_shape(y) == (None, *expected.shape[1:])
