"""Pooling, local convolutions, resizing."""

import numpy as np
import pytest
from hypothesis import strategies as st

from . import truth
from ._check import close, covers, given, random

FORMATS = ['channels_last', 'channels_first']
POOLS = {2: 'pool2d', 3: 'pool3d'}
SIZES = {2: (6, 5), 3: (4, 5, 3)}
CASES = {
    2: [
        ((2, 2), (1, 1)),
        ((2, 2), (2, 2)),
        ((3, 2), (1, 2)),
        ((1, 3), (3, 1)),
        ((2, 3), (3, 3)),
        ((5, 5), (2, 2)),
        ((1, 1), (2, 2)),
    ],
    3: [((2, 2, 2), (1, 1, 1)), ((2, 1, 3), (2, 2, 1)), ((3, 3, 2), (2, 3, 2))],
}


@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('mode', ['max', 'avg'])
@pytest.mark.parametrize('data_format', FORMATS)
@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in POOLS.items()])
def test_pool(K, check, rank, data_format, mode, padding):
    """Maxima and averages are those of the real elements. Padding never counts, also for negative numbers."""
    x = truth.from_last(random((2,) + SIZES[rank] + (3,), low=-9.0, high=-1.0), data_format).astype('float32')
    channels = 1 if data_format == 'channels_first' else rank + 1
    p, u = check.placeholder(x), check.placeholder(x, set(range(rank + 2)) - {channels})
    outputs, truths = [], []
    for window, strides in CASES[rank]:
        outputs += [
            getattr(K, POOLS[rank])(
                t, window, strides=strides, padding=padding, data_format=data_format, pool_mode=mode
            )
            for t in (p, u)
        ]
        truths += [
            truth.from_last(
                truth.pool(truth.to_last(x, data_format).astype('float64'), window, strides, padding, mode), data_format
            )
        ] * 2
    assert all(None not in K.int_shape(t) for t in outputs[::2])
    for i, (value, expected) in enumerate(zip(check.run(outputs, [(p, x), (u, x)]), truths)):
        close(value, expected, what='window {}, strides {}'.format(*CASES[rank][i // 2]))


@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in POOLS.items()])
def test_pool_defaults_and_dtypes(K, check, rank):
    """The defaults are maximum, strides of 1, valid, and the set data format. The dtype is kept."""
    x = random((2,) + SIZES[rank] + (3,))
    for dtype in ('float16', 'float64'):
        value = check.eval(lambda x: getattr(K, POOLS[rank])(x, (2,) * rank), x.astype(dtype))
        assert value.dtype.name == dtype
        close(value, truth.pool(x.astype(dtype).astype('float64'), (2,) * rank, 1, 'valid', 'max'))
    K.set_image_data_format('channels_first')
    first = truth.from_last(x, 'channels_first')
    close(
        check.eval(lambda x: getattr(K, POOLS[rank])(x, (2,) * rank, pool_mode='avg'), first),
        truth.from_last(truth.pool(x, (2,) * rank, 1, 'valid', 'avg'), 'channels_first'),
    )


@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in POOLS.items()])
def test_pool_refuses(K, check, rank):
    """Unknown modes, paddings and formats, windows larger than a known image, and other ranks are errors."""
    pool, x = getattr(K, POOLS[rank]), K.placeholder((1,) + (3,) * rank + (2,))
    for options, word in [
        ({'pool_mode': 'median'}, 'median'),
        ({'padding': 'causal'}, 'causal'),
        ({'padding': 'full'}, 'full'),
        ({'data_format': 'channels_middle'}, 'channels_middle'),
    ]:
        with check.rejects(word):
            pool(x, (2,) * rank, **options)
    with check.rejects():
        pool(x, (5,) * rank)
    with check.rejects():
        pool(K.placeholder(ndim=rank + 1), (2,) * rank)


@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in POOLS.items()])
def test_single_numbers(K, check, rank):
    """A window and strides may be single numbers, for all axes."""
    x = random((2,) + SIZES[rank] + (1,), dtype='float32')
    close(
        check.eval(lambda x: getattr(K, POOLS[rank])(x, 2, strides=2), x),
        truth.pool(x.astype('float64'), (2,) * rank, 2, 'valid', 'max'),
    )


@given(
    sizes=st.lists(st.tuples(st.integers(1, 7), st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=2),
    padding=st.sampled_from(['valid', 'same']),
)
@covers('pool2d')
def test_any_pool(K, check, sizes, padding):
    """Pooling with any window and stride gives the values of the loops."""
    size, window, strides = zip(*[(max(n, k), k, s) for n, k, s in sizes])
    x = random((1,) + size + (2,), dtype='float32')
    values = check.eval(
        lambda x: tuple(K.pool2d(x, window, strides, padding, pool_mode=mode) for mode in ('max', 'avg')), x
    )
    for value, mode in zip(values, ('max', 'avg')):
        close(value, truth.pool(x.astype('float64'), window, strides, padding, mode))


# -- local convolutions ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize('data_format', FORMATS + [None])
@pytest.mark.parametrize(('window', 'strides'), [(3, 1), (2, 2), (1, 3), (6, 1)])
@covers('local_conv1d')
def test_local_conv1d(K, check, data_format, window, strides):
    """Each place has its own kernel, and x is (samples, steps, channels) in both data formats."""
    x = random((2, 6, 3), dtype='float32')
    kernel = random(((6 - window) // strides + 1, window * 3, 4), 1, dtype='float32')
    expected = truth.local(x.astype('float64'), kernel.astype('float64'), (window,), (strides,))
    check.everywhere(
        lambda x, w: K.local_conv1d(x, w, (window,), (strides,), data_format),
        [x, kernel],
        expected,
        dtype='float32',
        scale=20,
        unknown='none',
    )
    p = check.placeholder(x, (0,))
    close(
        check.run(K.local_conv1d(p, K.variable(kernel), (window,), (strides,), data_format), [(p, x)]),
        expected,
        scale=20,
    )


@pytest.mark.parametrize('data_format', FORMATS)
@pytest.mark.parametrize(
    ('window', 'strides'), [((2, 2), (1, 1)), ((3, 1), (2, 1)), ((2, 3), (1, 2)), ((4, 5), (1, 1))], ids=str
)
@covers('local_conv2d')
def test_local_conv2d(K, check, data_format, window, strides):
    """Features are in the order of the memory of the window: (kh, kw, channels) or (channels, kh, kw)."""
    x = truth.from_last(random((2, 4, 5, 3)), data_format).astype('float32')
    out = tuple((n - k) // s + 1 for n, k, s in zip((4, 5), window, strides))
    kernel = random((out[0] * out[1], window[0] * window[1] * 3, 2), 1, dtype='float32')
    expected = truth.local(x.astype('float64'), kernel.astype('float64'), window, strides, data_format)
    check.everywhere(
        lambda x, w: K.local_conv2d(x, w, window, strides, out, data_format),
        [x, kernel],
        expected,
        dtype='float32',
        scale=20,
        unknown='none',
    )
    p = check.placeholder(x, (0,))
    close(
        check.run(K.local_conv2d(p, K.variable(kernel), window, strides, out, data_format), [(p, x)]),
        expected,
        scale=20,
    )


@covers('local_conv1d', 'local_conv2d')
def test_local_conv_formats(K, check):
    """Without a data format, the setting at the time of the call decides for images. An unknown one is an error."""
    image, kernel = random((1, 2, 3, 3), dtype='float32'), random((4, 8, 2), 2)
    K.set_image_data_format('channels_first')
    close(
        check.eval(lambda b: K.local_conv2d(b, K.constant(kernel), (2, 2), (1, 1), (2, 2)), image),
        truth.local(image, kernel, (2, 2), (1, 1), 'channels_first'),
        scale=20,
    )
    with check.rejects('channels_middle'):
        K.local_conv1d(K.placeholder((2, 4, 3)), K.zeros((3, 6, 2)), (2,), (1,), 'channels_middle')
    with check.rejects('channels_middle'):
        K.local_conv2d(K.placeholder((1, 2, 3, 3)), K.constant(kernel), (2, 2), (1, 1), (2, 2), 'channels_middle')


# -- resizing --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('interpolation', ['nearest', 'bilinear'])
@pytest.mark.parametrize('data_format', FORMATS)
@covers('resize_images')
def test_resize_images(K, check, data_format, interpolation):
    """'nearest' repeats pixels. 'bilinear' is aligned at the top left."""
    x = random((2, 3, 4, 2))
    array = truth.from_last(x, data_format).astype('float32')
    for factors in ((1, 1), (2, 3), (3, 1)):
        if interpolation == 'nearest':
            expected = x.repeat(factors[0], 1).repeat(factors[1], 2)
        else:
            expected = truth.bilinear(x, *factors)

        def build(t, factors=factors):
            return K.resize_images(t, factors[0], factors[1], data_format, interpolation=interpolation)

        check.everywhere(build, [array], truth.from_last(expected, data_format), dtype='float32')


@covers('resize_images', 'resize_volumes')
def test_resize_by_the_setting(K, check):
    """None as the data format means the setting."""
    image, volume = random((1, 2, 2, 3)), random((1, 2, 2, 3, 1))
    K.set_image_data_format('channels_first')
    values = check.eval(
        lambda a, b: (K.resize_images(a, 2, 1, None), K.resize_volumes(b, 2, 1, 1, None)), image, volume
    )
    close(values[0], image.repeat(2, 2))
    close(values[1], volume.repeat(2, 2))


@covers('resize_images', 'resize_volumes')
def test_factors_from_a_division(K, check):
    """A factor may be a float that is whole. A fraction is an error."""
    image, volume = random((1, 2, 3, 1)), random((1, 2, 2, 3, 1))
    for two, three in ((2.0, 6 / 2.0), (np.float32(2), np.float64(3)), (np.array(2.0), np.int64(3))):
        values = check.eval(
            lambda a, b, two=two, three=three: (
                K.resize_images(a, two, three, 'channels_last'),
                K.resize_images(a, 1.0, two, 'channels_last', 'bilinear'),
                K.resize_volumes(b, two, 1.0, three, 'channels_last'),
            ),
            image,
            volume,
        )
        close(values[0], image.repeat(2, 1).repeat(3, 2))
        close(values[1], truth.bilinear(image, 1, 2))
        close(values[2], volume.repeat(2, 1).repeat(3, 3))
    for factor in (2.5, 0.0, -1.0, float('nan'), float('inf'), '2'):
        # A string is of no class that fits.
        with check.rejects('height_factor', error=(TypeError, ValueError)):
            K.resize_images(K.constant(image), factor, 2, 'channels_last')


@covers('resize_images')
def test_the_bilinear_convention(K, check):
    """[0, 1] doubled is [0, 0.5, 1, 1]."""
    value = check.eval(
        lambda x: K.resize_images(x, 1, 2, 'channels_last', 'bilinear'), np.array([0.0, 1.0]).reshape(1, 1, 2, 1)
    )
    close(value.ravel(), [0.0, 0.5, 1.0, 1.0])


@pytest.mark.parametrize('mode', ['max', 'avg'])
@covers('pool2d', 'conv1d', 'gradients')
def test_gradient_between_convolution_and_loss(K, check, mode):
    """One gradient alone, and all together. A compiler that makes one loop of all steps may not change the numbers."""
    x, kernel, weights = random((8, 6, 4)), random((3, 4, 5), seed=1), random((5, 3), seed=2)

    def build(x, kernel):
        images = K.expand_dims(K.tanh(K.conv1d(x, kernel, padding='same')), 2)
        pooled = K.batch_flatten(K.pool2d(images, (6, 1), (6, 1), 'valid', 'channels_last', mode))
        return K.square(K.dot(pooled, K.constant(weights, 'float64')) - 1)

    for wrt in ([0], [1], [0, 1]):
        check.gradients(build, x, kernel, wrt=wrt, second=False)


@pytest.mark.parametrize('data_format', FORMATS)
@covers('resize_volumes')
def test_resize_volumes(K, check, data_format):
    """Volumes are repeated along their three axes."""
    x = random((2, 2, 3, 1, 2))
    check.everywhere(
        lambda t: K.resize_volumes(t, 2, 1, 3, data_format),
        [truth.from_last(x, data_format).astype('float32')],
        truth.from_last(x.repeat(2, 1).repeat(3, 3), data_format),
        dtype='float32',
    )


@covers('resize_images', 'resize_volumes')
def test_resize_refuses(K, check):
    """Unknown formats, unknown interpolations, and factors that are no positive integers are errors."""
    image, volume = K.placeholder((1, 2, 2, 1)), K.placeholder((1, 2, 2, 2, 1))
    check.refuses('channels_middle', K.resize_images, image, 2, 2, 'channels_middle')
    check.refuses('channels_middle', K.resize_volumes, volume, 2, 2, 2, 'channels_middle')
    check.refuses('cubic', K.resize_images, image, 2, 2, 'channels_last', interpolation='cubic')
    for factor in (0, -1, 1.5):
        with check.rejects(error=(ValueError, TypeError)):
            K.resize_images(image, factor, 2, 'channels_last')
        with check.rejects(error=(ValueError, TypeError)):
            K.resize_volumes(volume, 2, factor, 2, 'channels_last')
