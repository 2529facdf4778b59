"""Shape arithmetic against counting and NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keras_backend.basics.shapes as shapes
from keras_backend.errors import ShapeError

sizes = st.integers(1, 12)
few = settings(derandomize=True, deadline=None, max_examples=200, database=None)


def windows(n, k, stride, dilation):
    """The places a window can start at, by trying them."""
    return [start for start in range(0, n, stride) if start + (k - 1) * dilation < n]


@few
@given(n=sizes, k=st.integers(1, 5), stride=st.integers(1, 4), dilation=st.integers(1, 3))
def test_lengths_count_windows(n, k, stride, dilation):
    """A length is the number of windows that fit, once the pads are added."""
    for padding in ('valid', 'same', 'causal'):
        before, after = shapes.pads(padding, n, k, stride, dilation)
        count = len(windows(n + before + after, k, stride, dilation))
        if padding == 'valid' and n < (k - 1) * dilation + 1:
            assert 0 == count
            continue
        assert count == shapes.conv_output_length(n, k, stride, padding, dilation)
        if padding == 'same':
            assert -(-n // stride) == count
            assert 0 <= after - before <= 1


@few
@given(n=sizes, k=st.integers(1, 5), stride=st.integers(1, 4), dilation=st.integers(1, 3))
def test_transposed_pads_are_those_of_the_way_back(n, k, stride, dilation):
    """The first place kept is the number of zeros that the forward convolution puts in front."""
    for padding in ('valid', 'same'):
        if padding == 'valid' and n < (k - 1) * dilation + 1:
            continue
        image = shapes.conv_output_length(n, k, stride, padding, dilation)
        front = shapes.pads(padding, n, k, stride, dilation)[0]
        assert front == shapes.transposed_pads(image, n, k, stride, padding, dilation)
        shapes.check_transpose(image, n, k, stride, padding, dilation)
        with pytest.raises(ShapeError, match='Correct output_shape'):
            shapes.check_transpose(image + 1, n, k, stride, padding, dilation)


def test_windows_that_do_not_fit():
    """A negative length is an error that names the sizes; a length of 0 is none."""
    assert 0 == shapes.conv_output_length(2, 3, 1, 'valid')
    with pytest.raises(ShapeError, match='spans 5 places.* size 3'):
        shapes.conv_output_length(3, 3, 1, 'valid', 2)


def test_unknown_sizes_in_shape_arithmetic():
    """An unknown size stays itself where the size cannot change, and is None elsewhere."""
    unknown = object()
    for n in (None, unknown):
        assert n is shapes.conv_output_length(n, 3, 1, 'same')
        assert n is shapes.conv_output_length(n, 1, 1, 'valid')
        assert shapes.conv_output_length(n, 3, 1, 'valid') is None
        assert shapes.conv_output_length(n, 3, 2, 'same') is None
        assert (1, 1) == shapes.same_pads(n, 3, 1)
        assert (None, None) == shapes.same_pads(n, 3, 2)
        assert (0, 0) == shapes.same_pads(n, 1, 2)
        assert shapes.product((2, n)) is None
        assert 0 == shapes.product((0, n))
    assert (unknown, 3) == shapes.broadcast((unknown, 1), (unknown, 3))
    assert (None, 3) == shapes.broadcast((None, 1), (1, 3)) == shapes.broadcast((3,), (unknown, None)[1:], (None, 1))
    assert (5,) == shapes.broadcast((None,), (5,))


@few
@given(st.lists(st.lists(st.sampled_from([1, 1, 2, 3]), max_size=3), min_size=1, max_size=3))
def test_broadcast_agrees_with_numpy(several):
    """Known shapes broadcast as NumPy's do, and fail where NumPy's do."""
    try:
        truth = np.broadcast(*[np.empty(s) for s in several]).shape
    except ValueError:
        with pytest.raises(ShapeError, match='do not broadcast'):
            shapes.broadcast(*several)
    else:
        assert truth == shapes.broadcast(*several)


def test_normalized_axes():
    """Axes count from either end, once each, and only where there are any."""
    assert (2, 0) == (shapes.normalize_axis(-1, 3), shapes.normalize_axis(np.int64(-3), 3))
    assert ((0, 1), (1,), (2, 0), ()) == (
        shapes.normalize_axes(None, 2),
        shapes.normalize_axes(1, 2),
        shapes.normalize_axes([-1, 0], 3),
        shapes.normalize_axes((), 2),
    )
    for axis, ndim, message in ((3, 3, '-3 to 2'), (-4, 3, 'axis=-4'), (0, 0, 'none at all')):
        with pytest.raises(ShapeError, match=message):
            shapes.normalize_axis(axis, ndim)
    with pytest.raises(ShapeError, match='twice'):
        shapes.normalize_axes([0, -2], 2)
    for axis in (1.5, 'a', True, None):
        with pytest.raises(TypeError, match='integer'):
            shapes.normalize_axis(axis, 2)
    assert ((4,), (1, 4)) == (shapes.reduce((3, 4), (0,)), shapes.reduce((3, 4), (0,), True))


def test_arguments():
    """Strides, paddings and choices of any accepted form are normalised, all others named."""
    assert (2, 2) == shapes.spatial(2, 2, 'strides') == shapes.spatial([2, 2], 2, 'strides')
    assert ((1, 2), (3, 3)) == shapes.pad_widths([(1, 2), 3], 2)
    assert 'same' == shapes.padding_name('same')
    for call, message in (
        (lambda: shapes.spatial((1, 0), 2, 'strides'), 'strides'),
        (lambda: shapes.spatial((1,), 2, 'strides'), 'strides'),
        (lambda: shapes.spatial('a', 1, 'strides'), r"integer, got 'a'"),
        (lambda: shapes.positive(1.5, 'rep'), 'rep'),
        (lambda: shapes.pad_widths(3, 2), 'padding'),
        (lambda: shapes.padding_name('full'), "'valid' or 'same'"),
        (lambda: shapes.padding_name(['same']), 'padding'),
        (lambda: shapes.dropped_fraction(1.0), 'level'),
    ):
        with pytest.raises(ValueError, match=message):
            call()
