"""Convolution and pooling, composed, on an eager K: all sizes known, and most of them hidden."""

import numpy as np
import pytest
from shares import one_in

from keras_backend.conformance import truth
from keras_backend.errors import ShapeError

from .eager_k import both, close, draw, make, tensor

FORMATS = pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same', 'causal'])
@pytest.mark.parametrize(('k', 's', 'd'), [(1, 1, 1), (2, 1, 1), (3, 2, 1), (3, 1, 2), (3, 2, 2), (2, 3, 1), (4, 3, 2)])
def test_composed_conv1d(K, data_format, padding, k, s, d):
    """1-D convolution equals a loop, for all paddings, strides and dilations."""
    x, kernel = draw(2, 9, 3), draw(k, 3, 4)
    forth, back = both(data_format)
    close(truth.conv(x, kernel, s, padding, d), back(K.conv1d(forth(x), kernel, s, padding, data_format, d)))


CASES = [
    ((1, 1), (1, 1), (1, 1)),
    ((2, 3), (1, 1), (1, 1)),
    ((3, 2), (2, 1), (1, 1)),
    ((3, 3), (2, 3), (1, 1)),
    ((3, 2), (1, 1), (2, 1)),
    ((2, 2), (2, 2), (2, 2)),
    ((1, 4), (3, 2), (1, 1)),
]


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize(('window', 'strides', 'dilation'), CASES)
def test_composed_conv2d(K, data_format, padding, window, strides, dilation):
    """2-D, depthwise and separable convolution equal a loop over places."""
    x, kernel = draw(2, 8, 7, 3), draw(*(window + (3, 4)))
    forth, back = both(data_format)
    close(
        truth.conv(x, kernel, strides, padding, dilation),
        back(K.conv2d(forth(x), kernel, strides, padding, data_format, dilation)),
    )
    for multiplier in (1, 2):
        depthwise, pointwise = draw(*(window + (3, multiplier))), draw(1, 1, 3 * multiplier, 4)
        expected = truth.depthwise(x, depthwise, strides, padding, dilation)
        close(expected, back(K.depthwise_conv2d(forth(x), depthwise, strides, padding, data_format, dilation)))
        got = K.separable_conv2d(forth(x), depthwise, pointwise, strides, padding, data_format, dilation)
        close(truth.conv(expected, pointwise), back(got))


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_composed_separable_conv1d(K, data_format, padding):
    """The 1-D separable convolution is a depthwise and a pointwise one."""
    x, depthwise, pointwise = draw(2, 9, 3), draw(3, 3, 1), draw(1, 3, 2)
    forth, back = both(data_format)
    got = K.separable_conv1d(forth(x), depthwise, pointwise, 2, padding, data_format)
    close(truth.conv(truth.depthwise(x, depthwise, 2, padding), pointwise), back(got))


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize(
    ('strides', 'dilation'), [((1, 1, 1), (1, 1, 1)), ((2, 1, 3), (1, 1, 1)), ((1, 1, 1), (1, 2, 1))]
)
def test_conv3d(K, data_format, padding, strides, dilation):
    """3-D convolution equals a loop over places."""
    x, kernel = draw(2, 5, 6, 4, 2), draw(2, 3, 1, 2, 3)
    forth, back = both(data_format)
    close(
        truth.conv(x, kernel, strides, padding, dilation),
        back(K.conv3d(forth(x), kernel, strides, padding, data_format, dilation)),
    )


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize(('window', 'strides', 'dilation'), CASES)
@pytest.mark.parametrize('size', [(8, 7), (7, 9)])
@pytest.mark.parametrize('form', one_in(2, ['ints', 'tensors', 'one tensor']))
def test_conv2d_transpose_is_the_adjoint(K, data_format, padding, window, strides, dilation, size, form):
    """<conv(a), b> = <a, conv_transpose(b)> for every geometry, with the output shape known or a tensor."""
    a, kernel = draw(*((2,) + size + (2,))), draw(*(window + (2, 3)))
    image = truth.conv(a, kernel, strides, padding, dilation)
    b = draw(*image.shape)
    forth, back = both(data_format)
    shape = [None, 2] + list(size) if data_format == 'channels_first' else [None] + list(size) + [2]
    if form == 'tensors':
        shape = [tensor(n) if n is not None and n > 4 else n for n in shape]
    elif form == 'one tensor':
        shape = tensor([2 if n is None else n for n in shape])
    got = back(K.conv2d_transpose(forth(b), kernel, shape, strides, padding, data_format, dilation))
    assert a.shape == got.shape
    close(np.sum(image * np.asarray(b)), np.sum(np.asarray(a) * got), 1e-10)


@FORMATS
def test_conv3d_transpose_is_the_adjoint(K, data_format):
    """The adjoint identity holds in three dimensions."""
    a, kernel = draw(2, 5, 6, 4, 2), draw(2, 3, 1, 2, 3)
    forth, back = both(data_format)
    for padding in ('valid', 'same'):
        image = truth.conv(a, kernel, (2, 1, 3), padding)
        b = draw(*image.shape)
        shape = (2, 2, 5, 6, 4) if data_format == 'channels_first' else (2, 5, 6, 4, 2)
        got = back(K.conv3d_transpose(forth(b), kernel, shape, (2, 1, 3), padding, data_format))
        close(np.sum(image * np.asarray(b)), np.sum(np.asarray(a) * got), 1e-10)


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('mode', ['max', 'avg'])
@pytest.mark.parametrize(('size', 'strides'), [((2, 2), (2, 2)), ((3, 2), (1, 3)), ((3, 3), (2, 2)), ((1, 4), (3, 1))])
def test_pooling(K, data_format, padding, mode, size, strides):
    """Pooling equals a loop in which padding never counts."""
    forth, back = both(data_format)
    x = draw(2, 7, 6, 3) - 5.0
    got = K.pool2d(forth(x), size, strides, padding, data_format, mode)
    close(truth.pool(x, size, strides, padding, mode), back(got))
    x = draw(2, 4, 5, 3, 2) - 5.0
    size, strides = size + (2,), strides + (2,)
    got = K.pool3d(forth(x), size, strides, padding, data_format, mode)
    close(truth.pool(x, size, strides, padding, mode), back(got))


def test_composed_local_conv1d(K):
    """Every place has weights of its own."""
    x, kernel = draw(2, 9, 3), draw(4, 9, 2)
    expected = truth.local(x, kernel, (3,), (2,))
    close(expected, K.local_conv1d(x, kernel, (3,), (2,)))
    close(expected, K.local_conv1d(x, kernel, (3,), (2,), 'channels_first'))
    with pytest.raises(ShapeError, match='places'):
        make().local_conv1d(x, draw(3, 9, 2), (3,), (2,))


@FORMATS
def test_composed_local_conv2d(K, data_format):
    """Every place has weights of its own, their features in the order of the window's memory."""
    x, kernel = draw(2, 7, 6, 3), draw(9, 18, 4)
    x = both(data_format)[0](x)
    expected = truth.local(x, kernel, (3, 2), (2, 2), data_format)
    close(expected, K.local_conv2d(x, kernel, (3, 2), (2, 2), (3, 3), data_format))
    with pytest.raises(ShapeError, match='output_shape'):
        make().local_conv2d(x, kernel, (3, 2), (2, 2), (2, 3), data_format)


@pytest.mark.parametrize(
    'call',
    [
        lambda K: K.conv1d(draw(2, 5, 3), draw(3, 3, 2), padding='full'),
        lambda K: K.conv2d(draw(2, 5, 5, 3), draw(3, 3, 3, 2), padding='causal'),
        lambda K: K.conv2d(draw(2, 5, 5, 3), draw(3, 3, 3, 2), strides=0),
        lambda K: K.conv2d(draw(2, 5, 5, 3), draw(3, 3, 3, 2), strides=(1, 2, 3)),
        lambda K: K.conv2d(draw(2, 5, 5, 3), draw(3, 3, 3, 2), dilation_rate=(1, 0)),
        lambda K: K.conv2d(draw(2, 5, 5, 3), draw(3, 3, 2), data_format=None),
        lambda K: K.conv2d(draw(2, 5, 3), draw(3, 3, 3, 2)),
        lambda K: K.conv2d(draw(2, 5, 1, 3), draw(3, 3, 3, 2)),
        lambda K: K.conv2d(draw(2, 5, 5, 3), draw(3, 3, 3, 2), data_format='middle'),
        lambda K: K.conv2d_transpose(draw(2, 3, 3, 3), draw(3, 3, 2, 3), (2, 7, 7, 2)),
        lambda K: K.conv2d_transpose(draw(2, 3, 3, 3), draw(3, 3, 2, 3), (2, 5, 5, 3)),
        lambda K: K.conv3d_transpose(draw(2, 3, 3, 3, 1), draw(3, 3, 3, 2, 1), (2, 5, 5, 5, 2), padding='causal'),
        lambda K: K.pool2d(draw(2, 5, 5, 3), (2, 2), pool_mode='median'),
        lambda K: K.pool2d(draw(2, 5, 5, 3), (0, 2)),
        lambda K: K.pool2d(draw(2, 5, 5, 3), (2, 2), padding='causal'),
        lambda K: K.pool3d(draw(2, 1, 5, 5, 3), (3, 2, 2)),
        lambda K: K.separable_conv2d(draw(2, 5, 5, 3), draw(3, 3, 3, 1), draw(3, 3, 3, 1)),
    ],
)
def test_spatial_arguments_are_checked(call):
    """Paddings, strides, windows, ranks and layouts that cannot be are errors of ours."""
    with pytest.raises(ValueError) as caught:
        call(make())
    assert str(caught.value).endswith(('.', "'middle'"))
    assert len(str(caught.value)) < 300
