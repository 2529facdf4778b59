"""Transposed convolutions are the adjoint of the convolution from output_shape to x. Forms of output_shape."""

import numpy as np
import pytest

from . import truth
from ._check import close, covers, random

FORMATS = ['channels_last', 'channels_first']
NAMES = {2: 'conv2d_transpose', 3: 'conv3d_transpose'}
# rank -> (spatial output shape, window, strides, dilation)
CASES = {
    2: [
        ((6, 5), (3, 2), (1, 1), (1, 1)),
        ((7, 6), (3, 3), (2, 2), (1, 1)),
        ((8, 7), (2, 4), (3, 2), (1, 1)),
        ((6, 6), (1, 1), (2, 1), (1, 1)),
        ((7, 8), (2, 3), (1, 1), (2, 3)),
        ((9, 8), (3, 2), (2, 2), (2, 2)),
        ((5, 5), (2, 2), (4, 4), (1, 1)),
    ],
    3: [((4, 5, 4), (2, 3, 1), (1, 1, 1), (1, 1, 1)), ((5, 4, 6), (3, 2, 2), (2, 1, 2), (1, 1, 1))],
}


def shaped(batch, spatial, channels, data_format):
    return (batch, channels) + spatial if data_format == 'channels_first' else (batch,) + spatial + (channels,)


@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('data_format', FORMATS)
@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in NAMES.items()])
def test_values(K, check, rank, data_format, padding):
    """Each product is added where the convolution would read its factor. The kernel is (..., out, in)."""
    outputs, truths, feeds, labels = [], [], [], []
    for out, window, strides, dilation in CASES[rank]:
        kernel = random(window + (2, 3), 1)
        small = tuple(truth.geometry(n, k, s, d, padding)[0] for n, k, s, d in zip(out, window, strides, dilation))
        x = random((2,) + small + (3,), 2)
        options = {'dilation_rate': dilation} if rank == 2 else {}
        feeds.append(
            (
                check.placeholder(truth.from_last(x, data_format).astype('float32')),
                truth.from_last(x, data_format).astype('float32'),
            )
        )
        shape = shaped(2, out, 2, data_format)
        outputs.append(
            getattr(K, NAMES[rank])(
                feeds[-1][0],
                K.constant(kernel),
                shape,
                strides=strides,
                padding=padding,
                data_format=data_format,
                **options,
            )
        )
        assert K.int_shape(outputs[-1]) == shape
        truths.append(
            truth.from_last(truth.transposed(x, kernel, (2,) + out + (2,), strides, padding, dilation), data_format)
        )
        labels.append(str((out, window, strides, dilation)))
    for value, expected, label in zip(check.run(outputs, feeds), truths, labels):
        close(value, expected, scale=20, what=label)


@pytest.mark.parametrize('data_format', FORMATS)
@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in NAMES.items()])
def test_forms_of_output_shape(K, check, rank, data_format):
    """The batch entry may be None, -1 or a tensor, and output_shape a list or a 1-D tensor. Any batch size works."""
    out, small = (5,) * rank, (3,) * rank
    kernel = random((3,) * rank + (2, 3), 1)
    x = K.placeholder(shaped(None, small, 3, data_format))
    forms = [shaped(batch, out, 2, data_format) for batch in (None, -1, K.shape(x)[0])]
    forms += [list(forms[2]), K.stack([K.shape(x)[0]] + [K.constant(n, dtype='int32') for n in forms[0][1:]])]
    transposed = getattr(K, NAMES[rank])
    outputs = [transposed(x, K.variable(kernel), shape, data_format=data_format) for shape in forms]
    assert K.int_shape(outputs[0]) == shaped(None, out, 2, data_format)
    for batch in (1, 3):
        array = truth.from_last(random((batch,) + small + (3,), batch), data_format).astype('float32')
        expected = truth.transposed(truth.to_last(array, data_format), kernel, (batch,) + out + (2,))
        for value in check.run(outputs, [(x, array)]):
            close(value, truth.from_last(expected, data_format), scale=20)
    K.set_image_data_format(data_format)
    array = truth.from_last(random((2,) + small + (3,)), data_format).astype('float32')
    expected = truth.transposed(truth.to_last(array, data_format), kernel, (2,) + out + (2,))
    close(
        check.run(transposed(x, K.variable(kernel), forms[0]), [(x, array)]),
        truth.from_last(expected, data_format),
        scale=20,
    )


@covers('conv2d_transpose', 'shape')
def test_symbolic_spatial_sizes(K, check):
    """Spatial entries of output_shape may be sizes that K.shape gives."""
    kernel = random((2, 2, 1, 2), 1)
    x = K.placeholder((None, None, None, 2))
    s = K.shape(x)
    y = K.conv2d_transpose(x, K.constant(kernel), (s[0], s[1] * 2, s[2] * 2, 1), strides=(2, 2))
    function = K.function([x], [y])
    for shape in [(1, 2, 3, 2), (2, 1, 1, 2)]:
        array = random(shape, 2)
        expected = truth.transposed(array, kernel, (shape[0], shape[1] * 2, shape[2] * 2, 1), 2)
        close(function([array])[0], expected, scale=20)


@covers('conv2d_transpose', 'conv2d')
@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_it_is_the_gradient_of_the_convolution(K, check, padding):
    """<conv(x), y> = <x, conv_transpose(y)> for every x and y."""
    kernel = K.constant(random((3, 2, 2, 3), 1), dtype='float64')
    x = random((2, 7, 6, 2), 2)
    p = check.placeholder(x)
    forward = K.conv2d(p, kernel, strides=(2, 3), padding=padding)
    y = random(K.int_shape(forward), 3)
    back = K.conv2d_transpose(K.constant(y, dtype='float64'), kernel, x.shape, strides=(2, 3), padding=padding)
    gradient = K.gradients(K.sum(forward * y), [p])[0]
    values = check.run([forward, back, gradient], [(p, x)])
    np.testing.assert_allclose((values[0] * y).sum(), (values[1] * x).sum(), rtol=1e-10)
    close(values[1], values[2], scale=10)


@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in NAMES.items()])
def test_refusals(K, check, rank):
    """An output_shape that the convolution does not map to the shape of x is an error, and so is an unknown format."""
    transposed = getattr(K, NAMES[rank])
    x, kernel = K.placeholder((2,) + (3,) * rank + (3,)), K.zeros((3,) * rank + (2, 3))
    for n in (4, 6, 3, 0):
        with check.rejects():
            transposed(x, kernel, (2,) + (n,) * rank + (2,))
    with check.rejects():
        transposed(x, kernel, (2,) + (5,) * rank + (7,))  # the kernel has 2 channels
    with check.rejects('channels_middle'):
        transposed(x, kernel, (2,) + (5,) * rank + (2,), data_format='channels_middle')
    with check.rejects('causal'):
        transposed(x, kernel, (2,) + (5,) * rank + (2,), padding='causal')
