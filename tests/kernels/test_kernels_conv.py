"""Convolutions of the NumPy kernels against loops over every output place, and their gradients as adjoints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_backend.conformance import truth
from keras_backend.errors import ShapeError
from keras_backend.kernels import PRIMITIVES, spatial

k = PRIMITIVES


@st.composite
def geometries(draw):
    """(spatial sizes, window, strides, padding, dilation) that give a result of size 0 at least."""
    rank = draw(st.integers(1, 3))
    window = draw(st.tuples(*[st.integers(1, 3)] * rank))
    strides = draw(st.tuples(*[st.integers(1, 3)] * rank))
    dilation = draw(st.tuples(*[st.integers(1, 2)] * rank))
    padding = draw(st.sampled_from(['valid', 'same', 'causal'] if rank == 1 else ['valid', 'same']))
    least = [(n - 1) * d if padding == 'valid' else 0 for n, d in zip(window, dilation)]
    size = tuple([n + draw(st.integers(0, 4)) for n in least])
    return size, window, strides, padding, dilation


def arrays(size, window, channels, last, batch=2):
    random = np.random.RandomState(0)
    return random.randn(*(batch,) + size + (channels,)), random.randn(*window + (channels, last))


KINDS = {'conv': truth.conv, 'depthwise_conv': truth.depthwise}


def agrees(kind, size, window, strides, padding, dilation, channels, last, batch=2):
    """The convolution equals the loops, and its gradients are its adjoints."""
    x, kernel = arrays(size, window, channels, last, batch)
    attrs = {'strides': strides, 'padding': padding, 'dilation': dilation}
    made = k[kind](x, kernel, **attrs)
    np.testing.assert_allclose(made, KINDS[kind](x, kernel, strides, padding, dilation), 1e-10, 1e-10)
    g = np.random.RandomState(1).randn(*made.shape)
    to_input = k[kind + '_input_grad'](g, kernel, x.shape, **attrs)
    to_kernel = k[kind + '_kernel_grad'](x, g, window=window, **attrs)
    assert to_input.shape == x.shape
    assert to_kernel.shape == kernel.shape
    # linear in x and in the kernel: the adjoints are checked along directions of their own
    other_x, other_kernel = np.random.RandomState(2).randn(*x.shape), np.random.RandomState(3).randn(*kernel.shape)
    for left, right in (
        ((k[kind](other_x, kernel, **attrs) * g).sum(), (other_x * to_input).sum()),
        ((k[kind](x, other_kernel, **attrs) * g).sum(), (other_kernel * to_kernel).sum()),
    ):
        np.testing.assert_allclose(left, right, 1e-9, 1e-9)


@pytest.mark.parametrize('kind', sorted(KINDS))
@given(geometries(), st.integers(1, 5), st.integers(1, 3), st.integers(1, 2))
@settings(max_examples=60)
def test_kernels_convolve_any_geometry(kind, geometry, channels, last, batch):
    """One to three axes; windows, strides, dilations, paddings; results of size zero included."""
    agrees(kind, *geometry, channels=channels, last=last, batch=batch)


@pytest.mark.parametrize('block', [1, 40, 500])
@pytest.mark.parametrize('channels', [1, 3, 4])
@pytest.mark.parametrize(
    'geometry',
    [
        ((5, 6), (3, 2), (1, 1), 'valid', (1, 1)),
        ((7, 5), (3, 3), (2, 1), 'same', (1, 2)),
        ((9,), (3,), (2,), 'causal', (2,)),
        ((4, 3, 5), (2, 3, 2), (1, 2, 1), 'same', (1, 1, 1)),
    ],
)
def test_blocks(monkeypatch, block, channels, geometry):
    """However the work is cut, by images, by rows or into single rows, the result is the same."""
    monkeypatch.setattr(spatial, '_BLOCK', block)
    monkeypatch.setattr(spatial, '_SUMS', block)
    monkeypatch.setattr(spatial, '_BLOCK', block)
    for kind in KINDS:
        agrees(kind, *geometry, channels=channels, last=2, batch=5)


def test_cross_correlation():
    """A kernel is not flipped, and 'same' pads the smaller half first."""
    x, kernel = np.arange(1.0, 6).reshape(1, 5, 1), np.array([1.0, 10]).reshape(2, 1, 1)
    attrs = {'strides': (1,), 'dilation': (1,)}
    assert k['conv'](x, kernel, padding='valid', **attrs).ravel().tolist() == [21, 32, 43, 54]
    assert k['conv'](x, kernel, padding='same', **attrs).ravel().tolist() == [21, 32, 43, 54, 5]
    assert k['conv'](x, kernel, padding='causal', **attrs).ravel().tolist() == [10, 21, 32, 43, 54]


def test_transposed_convolution():
    """The gradient with respect to the input scatters every product."""
    random = np.random.RandomState(0)
    g, kernel = random.randn(2, 3, 4, 3), random.randn(3, 2, 2, 3)
    made = k['conv_input_grad'](g, kernel, (2, 6, 7, 2), (2, 2), 'same', (1, 1))
    np.testing.assert_allclose(made, truth.transposed(g, kernel, (2, 6, 7, 2), (2, 2), 'same', (1, 1)), 1e-12)


@pytest.mark.parametrize(('dtype', 'tolerance'), [('float16', 2e-3), ('float32', 2e-6)])
@pytest.mark.parametrize('kind', sorted(KINDS))
def test_precision(kind, dtype, tolerance):
    """float16 is calculated in float32 and rounded once."""
    x, kernel = [a.astype(dtype) for a in arrays((12, 12), (3, 3), 16, 1 if kind != 'conv' else 8)]
    expected = KINDS[kind](x.astype('float64'), kernel.astype('float64'))
    made = k[kind](x, kernel, (1, 1), 'valid', (1, 1))
    np.testing.assert_allclose(made.astype('float64'), expected, tolerance, tolerance * np.abs(expected).max())


@pytest.mark.parametrize('kind', sorted(KINDS))
@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_convolutions_of_no_images(kind, padding):
    """A batch of size zero passes, and gives no gradient to the kernel."""
    x, kernel = arrays((5, 6), (3, 2), 4, 2, batch=0)
    attrs = {'strides': (1, 2), 'padding': padding, 'dilation': (1, 1)}
    made = k[kind](x, kernel, **attrs)
    assert made.shape == (0,) + KINDS[kind](np.zeros((1, 5, 6, 4)), kernel, (1, 2), padding).shape[1:]
    assert k[kind + '_input_grad'](made, kernel, x.shape, **attrs).shape == x.shape
    assert not k[kind + '_kernel_grad'](x, made, window=(3, 2), **attrs).any()


@pytest.mark.parametrize('kind', sorted(KINDS))
def test_no_channels(kind):
    """Nothing summed up is 0."""
    x, kernel = arrays((5, 5), (3, 3), 0, 2)
    attrs = {'strides': (1, 1), 'padding': 'valid', 'dilation': (1, 1)}
    made = k[kind](x, kernel, **attrs)
    assert made.shape == (2, 3, 3, 2 if kind == 'conv' else 0)
    assert not made.any()
    if kind == 'conv':
        assert k['conv_kernel_grad'](x, made, window=(3, 3), **attrs).shape == kernel.shape
        assert k['conv_input_grad'](made, kernel, x.shape, **attrs).shape == x.shape


def test_window_too_large():
    """A result of negative size is an error that gives the sizes."""
    x, kernel = arrays((2,), (4,), 1, 1)
    with pytest.raises(ShapeError, match='spans 4 places'):
        k['conv'](x, kernel, (1,), 'valid', (1,))
