"""Pooling NumPy kernels against loops over every window."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_backend.conformance import truth
from keras_backend.kernels import PRIMITIVES, spatial

k = PRIMITIVES


@st.composite
def poolings(draw):
    """(x, window, strides, padding): small integers, so that there are ties."""
    rank = draw(st.integers(1, 3))
    window = draw(st.tuples(*[st.integers(1, 3)] * rank))
    strides = draw(st.tuples(*[st.integers(1, 3)] * rank))
    padding = draw(st.sampled_from(['valid', 'same']))
    size = tuple([n + draw(st.integers(0, 4)) for n in window])
    x = np.random.RandomState(0).randint(0, 4, (2,) + size + (2,)).astype('float64')
    return x, window, strides, padding


def first_places(x, window, strides, padding):
    """For each output, the place in x that holds the first maximum in the order of the window."""
    numbers = np.arange(x.size, dtype='float64').reshape(x.shape)
    values, where = [truth.places(a, window, strides, 1, padding, np.nan) for a in (x, numbers)]
    shape = next(values)
    next(where)
    out = np.zeros(x.shape[:1] + shape + x.shape[-1:], int)
    for (index, patch), (_index, origin) in zip(values, where):
        patch = np.where(np.isnan(patch), -np.inf, patch).reshape(len(x), -1, x.shape[-1])
        best = patch.argmax(1)
        origin = np.take_along_axis(origin.reshape(patch.shape), best[:, None], 1)[:, 0]
        out[(slice(None),) + index] = origin
    return out


@given(poolings())
@settings(max_examples=80)
def test_max_pool(case):
    """Each maximum; the gradient goes to the first of equals; the third kernel reads at the same places."""
    x, window, strides, padding = case
    attrs = {'window': window, 'strides': strides, 'padding': padding}
    made, places = k['max_pool'](x, **attrs), first_places(*case)
    np.testing.assert_array_equal(made, x.ravel()[places])
    random = np.random.RandomState(1)
    g, v = random.randint(-9, 9, made.shape).astype('float64'), random.randn(*x.shape)
    expected = np.zeros(x.size)
    np.add.at(expected, places.ravel(), g.ravel())
    np.testing.assert_array_equal(k['max_pool_grad'](x, g, **attrs), expected.reshape(x.shape))
    np.testing.assert_array_equal(k['max_pool_select'](x, v, **attrs), v.ravel()[places])


@given(poolings())
@settings(max_examples=80)
def test_avg_pool(case):
    """The mean of the real entries; the gradient is the adjoint."""
    x, window, strides, padding = case
    attrs = {'window': window, 'strides': strides, 'padding': padding}
    made = k['avg_pool'](x, **attrs)
    np.testing.assert_allclose(made, truth.pool(x, window, strides, padding, 'avg'), 1e-12)
    g = np.random.RandomState(1).randn(*made.shape)
    back = k['avg_pool_grad'](g, x.shape, **attrs)
    assert back.shape == x.shape
    np.testing.assert_allclose((made * g).sum(), (x * back).sum(), 1e-9, 1e-9)


def test_pooling_of_no_images():
    """A batch of size zero passes."""
    x, attrs = np.zeros((0, 5, 5, 2)), {'window': (2, 2), 'strides': (2, 2), 'padding': 'same'}
    made = k['max_pool'](x, **attrs)
    assert made.shape == k['avg_pool'](x, **attrs).shape == k['max_pool_select'](x, x, **attrs).shape == (0, 3, 3, 2)
    assert k['max_pool_grad'](x, made, **attrs).shape == k['avg_pool_grad'](made, x.shape, **attrs).shape == x.shape


@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_pieces(monkeypatch, padding):
    """One image at a time or all at once: the same."""
    random = np.random.RandomState(0)
    x = random.randn(7, 5, 5, 3)
    attrs = {'window': (3, 2), 'strides': (2, 2), 'padding': padding}
    g = random.randn(*k['max_pool'](x, **attrs).shape)

    def everything():
        return [
            k['max_pool'](x, **attrs),
            k['max_pool_grad'](x, g, **attrs),
            k['max_pool_select'](x, x, **attrs),
            k['avg_pool'](x, **attrs),
            k['avg_pool_grad'](g, x.shape, **attrs),
        ]

    whole = everything()
    monkeypatch.setattr(spatial, '_POOLED', 1)
    for a, b in zip(whole, everything()):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('dtype', ['int32', 'uint8', 'int64', 'float16'])
def test_maxima_of_negative_numbers(dtype):
    """Padding is below every number of the dtype."""
    lowest = np.iinfo(dtype).min if dtype != 'float16' else -60000
    x = np.full((1, 3, 1), lowest, dtype)
    assert k['max_pool'](x, (2,), (1,), 'same').ravel().tolist() == [lowest] * 3


def test_infinite_gradients_stay_in_place():
    """What is not a maximum gets 0, not 0 times infinity."""
    x = np.array([1.0, 2, 4, 3]).reshape(1, 4, 1)
    g = np.array([np.inf, np.nan]).reshape(1, 2, 1)
    np.testing.assert_array_equal(k['max_pool_grad'](x, g, (2,), (2,), 'valid').ravel(), [0, np.inf, np.nan, 0])


def test_nan_is_a_maximum():
    """An undefined number is not hidden by larger ones."""
    x = np.array([1.0, np.nan, 3, 4]).reshape(1, 4, 1)
    np.testing.assert_array_equal(k['max_pool'](x, (2,), (2,), 'valid').ravel(), [np.nan, 4])
