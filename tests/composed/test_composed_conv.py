"""Convolution and pooling, composed, on an eager K: all sizes known, and most of them hidden."""

import itertools

import numpy as np
import pytest

from keras_backend.errors import ShapeError

from .eager_k import both, close, draw, make, tensor


def conv_truth(x, kernel, strides, padding, dilation, depthwise=False):
    """A loop over places, channels last, for any number of spatial axes."""
    x, kernel = np.asarray(x), np.asarray(kernel)
    rank = x.ndim - 2
    widths, lengths = [], []
    for n, k, s, d in zip(x.shape[1:-1], kernel.shape, strides, dilation):
        span = (k - 1) * d + 1
        total = max((-(-n // s) - 1) * s + span - n, 0) if padding == 'same' else 0
        before = span - 1 if padding == 'causal' else total // 2
        widths.append((before, total - total // 2 if padding == 'same' else 0))
        lengths.append((n + sum(widths[-1]) - span) // s + 1)
    x = np.pad(x, [(0, 0)] + widths + [(0, 0)], 'constant')
    filters = kernel.shape[-1] * (kernel.shape[-2] if depthwise else 1)
    y = np.zeros((len(x),) + tuple(lengths) + (filters,))
    for place in itertools.product(*map(range, lengths)):
        cut = tuple(
            slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, strides, kernel.shape, dilation)
        )
        patch = x[(slice(None),) + cut]
        if depthwise:
            value = np.einsum('bhwc,hwcm->bcm', patch, kernel).reshape(len(x), -1)
        else:
            value = np.tensordot(patch, kernel, [list(range(1, rank + 2)), list(range(rank + 1))])
        y[(slice(None),) + place] = value
    return y


FORMATS = pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same', 'causal'])
@pytest.mark.parametrize(('k', 's', 'd'), [(1, 1, 1), (2, 1, 1), (3, 2, 1), (3, 1, 2), (3, 2, 2), (2, 3, 1), (4, 3, 2)])
def test_composed_conv1d(K, data_format, padding, k, s, d):
    """1-D convolution equals a loop, for all paddings, strides and dilations."""
    x, kernel = draw(2, 9, 3), draw(k, 3, 4)
    forth, back = both(data_format)
    close(conv_truth(x, kernel, (s,), padding, (d,)), back(K.conv1d(forth(x), kernel, s, padding, data_format, d)))


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
        conv_truth(x, kernel, strides, padding, dilation),
        back(K.conv2d(forth(x), kernel, strides, padding, data_format, dilation)),
    )
    for multiplier in (1, 2):
        depthwise, pointwise = draw(*(window + (3, multiplier))), draw(1, 1, 3 * multiplier, 4)
        truth = conv_truth(x, depthwise, strides, padding, dilation, depthwise=True)
        close(truth, back(K.depthwise_conv2d(forth(x), depthwise, strides, padding, data_format, dilation)))
        truth = conv_truth(truth, pointwise, (1, 1), 'valid', (1, 1))
        got = K.separable_conv2d(forth(x), depthwise, pointwise, strides, padding, data_format, dilation)
        close(truth, back(got))


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_composed_separable_conv1d(K, data_format, padding):
    """The 1-D separable convolution is a depthwise and a pointwise one."""
    x, depthwise, pointwise = draw(2, 9, 3), draw(3, 3, 1), draw(1, 3, 2)
    forth, back = both(data_format)
    flat = np.asarray(x)[:, None], np.asarray(depthwise)[None]
    truth = conv_truth(*flat, strides=(1, 2), padding=padding, dilation=(1, 1), depthwise=True)[:, 0]
    got = K.separable_conv1d(forth(x), depthwise, pointwise, 2, padding, data_format)
    close(conv_truth(truth, pointwise, (1,), 'valid', (1,)), back(got))


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
        conv_truth(x, kernel, strides, padding, dilation),
        back(K.conv3d(forth(x), kernel, strides, padding, data_format, dilation)),
    )


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize(('window', 'strides', 'dilation'), CASES)
@pytest.mark.parametrize('size', [(8, 7), (7, 9)])
@pytest.mark.parametrize('form', ['ints', 'tensors', 'one tensor'])
def test_conv2d_transpose_is_the_adjoint(K, data_format, padding, window, strides, dilation, size, form):
    """<conv(a), b> = <a, conv_transpose(b)> for every geometry, with the output shape known or a tensor."""
    a, kernel = draw(*((2,) + size + (2,))), draw(*(window + (2, 3)))
    image = conv_truth(a, kernel, strides, padding, dilation)
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
        image = conv_truth(a, kernel, (2, 1, 3), padding, (1, 1, 1))
        b = draw(*image.shape)
        shape = (2, 2, 5, 6, 4) if data_format == 'channels_first' else (2, 5, 6, 4, 2)
        got = back(K.conv3d_transpose(forth(b), kernel, shape, (2, 1, 3), padding, data_format))
        close(np.sum(image * np.asarray(b)), np.sum(np.asarray(a) * got), 1e-10)


def pool_truth(x, size, strides, padding, reduce):
    """A loop over places; what lies outside of the input does not count."""
    x = np.asarray(x)
    places = []
    for n, k, s in zip(x.shape[1:-1], size, strides):
        total = max((-(-n // s) - 1) * s + k - n, 0) if padding == 'same' else 0
        count = -(-n // s) if padding == 'same' else (n - k) // s + 1
        places.append([(max(o * s - total // 2, 0), o * s - total // 2 + k) for o in range(count)])
    y = np.zeros((len(x),) + tuple(len(p) for p in places) + x.shape[-1:])
    for index in itertools.product(*[range(len(p)) for p in places]):
        cut = tuple(slice(*p[i]) for p, i in zip(places, index))
        y[(slice(None),) + index] = reduce(x[(slice(None),) + cut], axis=tuple(range(1, x.ndim - 1)))
    return y


@FORMATS
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('mode', ['max', 'avg'])
@pytest.mark.parametrize(('size', 'strides'), [((2, 2), (2, 2)), ((3, 2), (1, 3)), ((3, 3), (2, 2)), ((1, 4), (3, 1))])
def test_pooling(K, data_format, padding, mode, size, strides):
    """Pooling equals a loop in which padding never counts."""
    forth, back = both(data_format)
    reduce = np.max if mode == 'max' else np.mean
    x = draw(2, 7, 6, 3) - 5.0
    got = K.pool2d(forth(x), size, strides, padding, data_format, mode)
    close(pool_truth(x, size, strides, padding, reduce), back(got))
    x = draw(2, 4, 5, 3, 2) - 5.0
    size, strides = size + (2,), strides + (2,)
    got = K.pool3d(forth(x), size, strides, padding, data_format, mode)
    close(pool_truth(x, size, strides, padding, reduce), back(got))


def test_composed_local_conv1d(K):
    """Every place has weights of its own."""
    x, kernel = draw(2, 9, 3), draw(4, 9, 2)
    patches = [np.asarray(x)[:, 2 * o : 2 * o + 3].reshape(2, -1) for o in range(4)]
    truth = np.stack([np.dot(patch, weights) for patch, weights in zip(patches, np.asarray(kernel))], 1)
    close(truth, K.local_conv1d(x, kernel, (3,), (2,)))
    close(truth, K.local_conv1d(x, kernel, (3,), (2,), 'channels_first'))
    with pytest.raises(ShapeError, match='places'):
        make().local_conv1d(x, draw(3, 9, 2), (3,), (2,))


@FORMATS
def test_composed_local_conv2d(K, data_format):
    """Every place has weights of its own, their features in the order of the window's memory."""
    x, kernel = draw(2, 7, 6, 3), draw(9, 18, 4)
    forth, back = both(data_format)
    truth = np.zeros((2, 3, 3, 4))
    for i, j in itertools.product(range(3), range(3)):
        patch = np.asarray(x)[:, 2 * i : 2 * i + 3, j + j : 2 * j + 2]
        patch = np.moveaxis(patch, -1, 1) if data_format == 'channels_first' else patch
        truth[:, i, j] = np.dot(patch.reshape(2, -1), np.asarray(kernel)[3 * i + j])
    close(truth, back(K.local_conv2d(forth(x), kernel, (3, 2), (2, 2), (3, 3), data_format)))
    with pytest.raises(ShapeError, match='output_shape'):
        make().local_conv2d(forth(x), kernel, (3, 2), (2, 2), (2, 3), data_format)


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
