"""Convolutions compared with loops: formats, odd and even kernels, strides, dilations, paddings, and errors."""

import numpy as np
import pytest
from hypothesis import strategies as st

from . import truth
from ._check import all_close, close, covers, given, random

FORMATS = ['channels_last', 'channels_first']
SIZES = {1: (7,), 2: (6, 5), 3: (4, 5, 3)}
CONVS = {1: 'conv1d', 2: 'conv2d', 3: 'conv3d'}
WINDOWS = {1: [(1,), (2,), (3,)], 2: [(1, 1), (2, 3), (3, 2)], 3: [(2, 1, 2), (1, 3, 2)]}
# (strides, dilation): one of them, different ones for the axes, and both together
STEPS = {
    1: [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)],
    2: [((1, 1), (1, 1)), ((2, 1), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (1, 2)), ((2, 2), (2, 2)), ((1, 2), (2, 1))],
    3: [((1, 1, 1), (1, 1, 1)), ((2, 1, 2), (1, 1, 1)), ((1, 1, 1), (2, 1, 1)), ((1, 2, 1), (1, 2, 1))],
}


def data(rank, channels, data_format, seed=0):
    return truth.from_last(random((2,) + SIZES[rank] + (channels,), seed), data_format)


@pytest.mark.parametrize('padding', ['valid', 'same', 'causal'])
@pytest.mark.parametrize('data_format', FORMATS)
@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in CONVS.items()])
def test_conv(K, check, rank, data_format, padding):
    """Every window, stride and dilation gives the values of the loops. Kernels are not flipped."""
    if padding == 'causal' and rank > 1:
        with check.rejects('causal'):
            getattr(K, CONVS[rank])(K.placeholder(ndim=rank + 2), K.zeros((1,) * (rank + 2)), padding='causal')
        return
    x = data(rank, 3, data_format).astype('float32')
    p = check.placeholder(x)
    outputs, truths, labels = [], [], []
    for window in WINDOWS[rank]:
        kernel = random(window + (3, 2), seed=1)
        for strides, dilation in STEPS[rank]:
            outputs.append(
                getattr(K, CONVS[rank])(
                    p,
                    K.constant(kernel),
                    strides=strides,
                    padding=padding,
                    data_format=data_format,
                    dilation_rate=dilation,
                )
            )
            truths.append(
                truth.from_last(
                    truth.conv(truth.to_last(x, data_format).astype('float64'), kernel, strides, padding, dilation),
                    data_format,
                )
            )
            labels.append(f'window {window}, strides {strides}, dilation {dilation}')
    assert all(None not in K.int_shape(t) for t in outputs)
    for value, expected, label in zip(check.run(outputs, [(p, x)]), truths, labels):
        close(value, expected, scale=10, what=label)


@pytest.mark.parametrize('data_format', FORMATS)
@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in CONVS.items()])
def test_unknown_sizes(K, check, rank, data_format):
    """One function takes every batch size and image size. The shape of the result is known as far as possible."""
    first = data_format == 'channels_first'
    shape = (None, 3) + (None,) * rank if first else (None,) * (rank + 1) + (3,)
    x, kernel = K.placeholder(shape), random((2,) * rank + (3, 4), seed=1)
    outputs = (
        [
            getattr(K, CONVS[rank])(x, K.variable(kernel), strides=s, padding=p, data_format=data_format)
            for s, p in ((1, 'valid'), (2, 'same'))
        ]
        if rank == 1
        else [
            getattr(K, CONVS[rank])(x, K.variable(kernel), strides=(s,) * rank, padding=p, data_format=data_format)
            for s, p in ((1, 'valid'), (2, 'same'))
        ]
    )
    for tensor in outputs:
        assert K.int_shape(tensor) == ((None, 4) + (None,) * rank if first else (None,) * (rank + 1) + (4,))
    function = K.function([x], outputs)
    for batch, size in [(1, 4), (3, 5), (2, 2), (1, 4)]:
        array = truth.from_last(random((batch,) + (size, 3, 4)[:rank] + (3,), seed=batch), data_format)
        for value, (s, p) in zip(function([array]), ((1, 'valid'), (2, 'same'))):
            close(
                value,
                truth.from_last(truth.conv(truth.to_last(array, data_format), kernel, s, p), data_format),
                scale=10,
            )


@pytest.mark.parametrize('dtype', ['float16', 'float64'])
@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in CONVS.items()])
def test_dtypes(K, check, rank, dtype):
    """A convolution keeps the dtype."""
    x, kernel = data(rank, 2, 'channels_last').astype(dtype), random((2,) * rank + (2, 2), seed=1, dtype=dtype)
    value = check.eval(lambda x, w: getattr(K, CONVS[rank])(x, w, padding='same'), x, kernel)
    assert value.dtype.name == dtype
    close(value, truth.conv(x.astype('float64'), kernel.astype('float64'), padding='same'), scale=10)


@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in CONVS.items()])
def test_kernels_and_inputs_of_any_kind(K, check, rank):
    """Kernels and inputs may be placeholders, variables, constants or results. None means the set data format."""
    x = data(rank, 2, 'channels_last', 5).astype('float32')
    kernel = random((2,) * rank + (2, 3), seed=1, dtype='float32')
    expected = truth.conv(x.astype('float64'), kernel.astype('float64'))
    check.everywhere(getattr(K, CONVS[rank]), [x, kernel], expected, dtype='float32', scale=10, unknown='none')
    check.everywhere(
        lambda x, w: getattr(K, CONVS[rank])(x * 2.0, w * 0.5), [x, kernel], expected, scale=10, unknown='none'
    )
    K.set_image_data_format('channels_first')
    close(
        check.eval(getattr(K, CONVS[rank]), truth.from_last(x, 'channels_first'), kernel),
        truth.from_last(expected, 'channels_first'),
        scale=10,
    )


@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in CONVS.items()])
def test_refusals(K, check, rank):
    """Wrong data formats and paddings, kernels larger than a known image, and channels that do not fit are errors."""
    conv = getattr(K, CONVS[rank])
    x, w = K.placeholder((1,) + (3,) * rank + (2,)), K.zeros((2,) * rank + (2, 3))
    check.refuses('channels_middle', conv, x, w, data_format='channels_middle')
    check.refuses('full', conv, x, w, padding='full')
    with check.rejects():
        conv(K.placeholder((1,) + (2,) * rank + (2,), name='small_image'), K.zeros((5,) * rank + (2, 3)))
    with check.rejects():
        conv(x, K.zeros((2,) * rank + (4, 3)))
    with check.rejects():
        conv(K.placeholder(ndim=rank + 3), w)


@covers('conv2d')
def test_a_negative_size_names_the_tensor(K, check):
    """The message of an impossible convolution names the input."""
    check.refuses('small_image', K.conv2d, K.placeholder((1, 2, 2, 1), name='small_image'), K.zeros((5, 5, 1, 1)))


@covers('conv2d')
def test_a_result_of_no_size(K, check):
    """An image smaller than the kernel by one gives a result of size 0, with its size known before or not."""
    for shape in [(1, None, None, 2), (1, 2, 2, 2)]:
        x = K.placeholder(shape)
        value = check.run(K.conv2d(x, K.ones((3, 3, 2, 4))), [(x, np.ones((1, 2, 2, 2), 'float32'))])
        assert value.shape == (1, 0, 0, 4)


@covers('conv2d', 'conv3d', 'conv2d_transpose', 'depthwise_conv2d', 'separable_conv2d')
def test_single_numbers(K, check):
    """Strides and dilations may be single numbers, for all axes."""
    x, v = data(2, 2, 'channels_last').astype('float32'), data(3, 2, 'channels_last').astype('float32')
    w, u, p = random((2, 2, 2, 2), 1), random((2, 2, 2, 2, 1), 2), random((1, 1, 4, 1), 3)
    wide = x.astype('float64')
    values = check.eval(
        lambda x, v: (
            K.conv2d(x, K.constant(w), strides=2),
            K.conv2d(x, K.constant(w), dilation_rate=2),
            K.conv3d(v, K.constant(u), strides=2),
            K.depthwise_conv2d(x, K.constant(w), strides=2),
            K.separable_conv2d(x, K.constant(w), K.constant(p), dilation_rate=2),
            K.conv2d_transpose(x, K.constant(w), (2, 12, 10, 2), strides=2),
        ),
        x,
        v,
    )
    truths = [
        truth.conv(wide, w, 2),
        truth.conv(wide, w, 1, 'valid', 2),
        truth.conv(v.astype('float64'), u, 2),
        truth.depthwise(wide, w, 2),
        truth.depthwise(wide, w, 1, 'valid', 2).dot(p[0, 0]),
        truth.transposed(wide, w, (2, 12, 10, 2), 2),
    ]
    all_close(values, truths, scale=20)


@covers('conv2d')
def test_strides_as_lists(K, check):
    """Strides and dilations may be lists."""
    x, w = data(2, 2, 'channels_last').astype('float32'), random((2, 2, 2, 1), 1)
    close(
        check.eval(lambda x: K.conv2d(x, K.constant(w), strides=[2, 1], dilation_rate=[1, 2]), x),
        truth.conv(x.astype('float64'), w, (2, 1), 'valid', (1, 2)),
        scale=10,
    )


# -- depthwise and separable -----------------------------------------------------------------------------------------
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('data_format', FORMATS)
@covers('depthwise_conv2d', 'separable_conv2d')
def test_depthwise_and_separable(K, check, data_format, padding):
    """The output channel of depthwise is in * multiplier + m. Separable adds a product with a 1x1 kernel."""
    x = data(2, 3, data_format).astype('float32')
    p = check.placeholder(x)
    outputs, truths = [], []
    for window, multiplier in [((2, 3), 1), ((3, 3), 2), ((1, 2), 3)]:
        depth, point = random(window + (3, multiplier), 1), random((1, 1, 3 * multiplier, 2), 2)
        for strides, dilation in [
            ((1, 1), (1, 1)),
            ((2, 2), (1, 1)),
            ((2, 1), (1, 1)),
            ((1, 1), (2, 2)),
            ((2, 2), (1, 2)),
        ]:
            options = dict(strides=strides, padding=padding, data_format=data_format, dilation_rate=dilation)
            outputs += [
                K.depthwise_conv2d(p, K.constant(depth), **options),
                K.separable_conv2d(p, K.constant(depth), K.constant(point), **options),
            ]
            y = truth.depthwise(truth.to_last(x, data_format).astype('float64'), depth, strides, padding, dilation)
            truths += [truth.from_last(y, data_format), truth.from_last(y.dot(point[0, 0]), data_format)]
    for i, (value, expected) in enumerate(zip(check.run(outputs, [(p, x)]), truths)):
        close(value, expected, scale=20, what=f'case {i}')


@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('data_format', FORMATS)
@covers('separable_conv1d')
def test_separable_conv1d(K, check, data_format, padding):
    """separable_conv1d does the same in 1-D, also with strides and dilations."""
    x = data(1, 3, data_format).astype('float32')
    p, depth, point = check.placeholder(x), random((3, 3, 2), 1), random((1, 6, 4), 2)
    cases = [(1, 1), (2, 1), (1, 2), (3, 2)]
    values = check.run(
        [
            K.separable_conv1d(
                p,
                K.constant(depth),
                K.constant(point),
                strides=s,
                padding=padding,
                data_format=data_format,
                dilation_rate=d,
            )
            for s, d in cases
        ],
        [(p, x)],
    )
    for (s, d), value in zip(cases, values):
        y = truth.depthwise(truth.to_last(x, data_format).astype('float64'), depth, s, padding, d).dot(point[0])
        close(value, truth.from_last(y, data_format), scale=20, what=f'strides {s}, dilation {d}')


@covers('depthwise_conv2d', 'separable_conv2d', 'separable_conv1d')
def test_depthwise_unknown_sizes_and_refusals(K, check):
    """The channels are known if the other sizes are not. Wrong arguments are errors."""
    d, p = random((2, 2, 3, 2), 1), random((1, 1, 6, 4), 2)
    x, line = K.placeholder((None, None, None, 3)), K.placeholder((None, None, 3))
    outputs = [
        K.depthwise_conv2d(x, K.constant(d)),
        K.separable_conv2d(x, K.constant(d), K.constant(p)),
        K.separable_conv1d(line, K.constant(d[0]), K.constant(p[0])),
    ]
    assert [K.int_shape(t) for t in outputs] == [(None, None, None, 6), (None, None, None, 4), (None, None, 4)]
    a, b = random((1, 3, 4, 3), dtype='float32'), random((2, 5, 3), dtype='float32')
    y = truth.depthwise(a.astype('float64'), d)
    truths = [y, y.dot(p[0, 0]), truth.depthwise(b.astype('float64'), d[0]).dot(p[0, 0])]
    all_close(check.run(outputs, [(x, a), (line, b)]), truths, scale=20)
    check.refuses('channels_middle', K.depthwise_conv2d, x, K.constant(d), data_format='channels_middle')
    check.refuses('channels_middle', K.separable_conv2d, x, K.constant(d), K.constant(p), data_format='channels_middle')
    with check.rejects('channels_middle'):
        K.separable_conv1d(line, K.constant(d[0]), K.constant(p[0]), data_format='channels_middle')
    with check.rejects():
        K.depthwise_conv2d(K.placeholder((1, 2, 2, 3)), K.zeros((4, 4, 3, 1)))


# -- any geometry ----------------------------------------------------------------------------------------------------
@st.composite
def geometries(draw):
    """Size, window, stride and dilation of two axes, and a padding. The result has a size of at least 1."""
    axes = []
    for _ in range(2):
        k, d, s = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
        axes.append((draw(st.integers((k - 1) * d + 1, (k - 1) * d + 6)), k, s, d))
    return list(zip(*axes)), draw(st.sampled_from(['valid', 'same'])), draw(st.sampled_from(FORMATS))


@given(case=geometries())
@covers('conv2d', 'depthwise_conv2d', 'conv2d_transpose')
def test_any_geometry(K, check, case):
    """A convolution over any two axes gives the values of the loops, and the transposed convolution is its adjoint."""
    (size, window, strides, dilation), padding, data_format = case
    x, kernel = random((2,) + size + (2,)), random(window + (2, 3), 1)
    y = truth.conv(x, kernel, strides, padding, dilation)
    z = random(y.shape, 2)
    options = dict(strides=strides, padding=padding, data_format=data_format, dilation_rate=dilation)
    feeds = [truth.from_last(array, data_format).astype('float64') for array in (x, z)]
    px, pz, w = check.placeholder(feeds[0]), check.placeholder(feeds[1]), K.constant(kernel, dtype='float64')
    values = check.run(
        [
            K.conv2d(px, w, **options),
            K.depthwise_conv2d(px, w, **options),
            K.conv2d_transpose(pz, w, feeds[0].shape, **options),
        ],
        list(zip((px, pz), feeds)),
    )
    close(values[0], truth.from_last(y, data_format), scale=20)
    close(values[1], truth.from_last(truth.depthwise(x, kernel, strides, padding, dilation), data_format), scale=20)
    np.testing.assert_allclose((values[0] * feeds[1]).sum(), (values[2] * feeds[0]).sum(), rtol=1e-9, atol=1e-9)
