"""Static shapes with a side that is not known, sizes that are tensors, and results of size 0."""

import numpy as np
import pytest

from ._check import close, covers, random

X = random((2, 8, 6, 3), seed=1)
K2 = random((3, 3, 3, 4), seed=2)


@covers('conv2d', 'pool2d', 'depthwise_conv2d', 'separable_conv2d')
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('unknown', [1, 2])
def test_one_side_is_unknown(K, unknown, padding):
    """The side of an image that is known stays known, beside one that is not."""
    shape = [None, 8, 6, 3]
    shape[unknown] = None
    x = K.placeholder(tuple(shape), dtype='float64')
    kernel, points = K.variable(K2, 'float64'), K.variable(random((1, 1, 12, 2)), 'float64')
    for name, y, channels in (
        ('conv2d', K.conv2d(x, kernel, padding=padding), 4),
        ('depthwise_conv2d', K.depthwise_conv2d(x, kernel, padding=padding), 12),
        ('separable_conv2d', K.separable_conv2d(x, kernel, points, padding=padding), 2),
        ('pool2d', K.pool2d(x, (3, 3), padding=padding), 3),
        ('mean', K.pool2d(x, (3, 3), padding=padding, pool_mode='avg'), 3),
    ):
        static = [None, 8, 6, channels] if padding == 'same' else [None, 6, 4, channels]
        whole = (2,) + tuple(static[1:])
        static[unknown] = None
        assert K.int_shape(y) == tuple(static), name
        assert K.function([x], [y])([X])[0].shape == whole, name


@covers('slice')
def test_sizes_of_a_slice(K, check):
    """What a slice asks for is its static shape, and a run that is cut short is an error."""
    array = random((2, 3))
    x = K.placeholder((None, None), dtype='float64')
    for start, size, static in (
        ([0, 1], [2, 2], (2, 2)),
        ((1, 0), (1, -1), (1, None)),
        ([0, 0], [-1, 2], (None, 2)),
        ([0, 0], [0, 3], (0, 3)),
    ):
        y = K.slice(x, start, size)
        assert K.int_shape(y) == static
        ends = [None if n == -1 else first + n for first, n in zip(start, size)]
        close(K.function([x], [y])([array])[0], array[start[0] : ends[0], start[1] : ends[1]])
    y = K.slice(x, K.constant([0, 1], dtype='int32'), [2, 1])
    assert K.int_shape(y) == (2, 1)
    close(K.function([x], [y])([array])[0], array[:, 1:2])
    cut_short = K.function([x], [K.slice(x, [0, 1], [2, 2])])
    with check.fails():
        cut_short([array[:1]])


@covers('conv2d_transpose')
def test_the_batch_of_a_transposed_convolution(K, check):
    """A batch that the output shape says is static, and has to be that of the input."""
    x, kernel = K.placeholder((None, 2, 2, 1)), K.variable(random((2, 2, 2, 1)))
    y = K.conv2d_transpose(x, kernel, (1, 3, 3, 2))
    assert K.int_shape(y) == (1, 3, 3, 2)
    assert K.function([x], [y])([np.ones((1, 2, 2, 1))])[0].shape == (1, 3, 3, 2)
    with check.fails():
        K.function([x], [y])([np.ones((2, 2, 2, 1))])
    with check.rejects():
        K.conv2d_transpose(K.placeholder((3, 2, 2, 1)), kernel, (2, 3, 3, 2))


@covers('repeat', 'one_hot', 'tile')
def test_counts_that_are_tensors(K):
    """How often, and how many classes, may be a tensor: the size is known where that is."""
    array = random((2, 3))
    x = K.placeholder((None, 3), dtype='float64')
    y = K.repeat(x, K.shape(x)[0])
    assert K.int_shape(y) == (None, None, 3)
    close(K.function([x], [y])([array])[0], np.repeat(array[:, None], 2, 1))
    codes = K.one_hot(K.constant([1, 0, 5], dtype='int32'), K.shape(x)[1])
    assert K.dtype(codes) == 'float32'
    close(K.function([x], [codes])([array])[0], np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], 'float32'))
    y = K.tile(x, [K.shape(x)[0], 1])
    close(K.function([x], [y])([array])[0], np.tile(array, (2, 1)))


@covers('repeat', 'repeat_elements', 'one_hot', 'eye', 'tile', 'batch_flatten')
def test_no_elements(K):
    """Zero repetitions, classes and rows give empty tensors, whose static shape says so."""
    x = K.placeholder((None, 3), dtype='float64')
    for y, static in (
        (K.repeat(x, 0), (None, 0, 3)),
        (K.repeat_elements(x, 0, 1), (None, 0)),
        (K.tile(x, (0, 1)), (0, 3)),
    ):
        assert K.int_shape(y) == static
        assert K.function([x], [y])([np.ones((2, 3))])[0].shape == tuple([2 if n is None else n for n in static])
    assert K.eval(K.eye(0)).shape == (0, 0)
    assert K.eval(K.one_hot(K.constant([1, 0], dtype='int32'), 0)).shape == (2, 0)
    free = K.placeholder((None, None, None))
    flat = K.function([free], [K.batch_flatten(free)])
    for shape in ((0, 2, 3), (2, 0, 3), (2, 2, 3)):
        assert flat([np.ones(shape)])[0].shape == (shape[0], shape[1] * shape[2])


@covers('conv2d', 'conv1d', 'depthwise_conv2d', 'gradients')
def test_kernels_of_unknown_size(K):
    """A kernel may be fed through a placeholder of unknown sizes, and has a gradient."""
    for function, image, array in (
        (K.conv1d, random((2, 5, 3)), random((2, 3, 4))),
        (K.conv2d, random((2, 4, 4, 3)), random((2, 3, 3, 4))),
        (K.depthwise_conv2d, random((2, 4, 4, 3)), random((2, 3, 3, 2))),
    ):
        results = []
        for shape in (array.shape, (None,) * array.ndim):
            x, kernel = K.placeholder(image.shape, dtype='float64'), K.placeholder(shape, dtype='float64')
            y = function(x, kernel)
            gradients = K.gradients(K.sum(K.square(y)), [x, kernel])
            results.append(K.function([x, kernel], [y] + gradients)([image, array]))
        for known, unknown in zip(*results):
            close(unknown, known)


@covers('shape', 'size')
def test_shapes_of_what_is_not_computed(K):
    """The shape of a result is there although nobody asks for the result."""
    x = K.placeholder((None, 3))
    values = K.function([x], [K.shape(x * 2), K.size(K.exp(x))])([np.ones((2, 3))])
    assert values[0].tolist() == [2, 3]
    assert values[1] == 6
    assert K.eval(K.shape(K.variable([1.0, 2.0]) * 2)).tolist() == [2]
