"""Rearranging, composed, on an eager K: all sizes known, and most of them hidden."""

import numpy as np
import pytest

from keras_backend.conformance.truth import bilinear
from keras_backend.errors import ShapeError
from keras_backend.front.shape import resized_from_centres

from .eager_k import N, both, close, draw, first, last, make, tensor


def test_rearranging(K):
    """Flattening, adding, removing, stacking and reversing axes agree with NumPy."""
    x, y = draw(N, 2, 7), draw(N, 2, 7)
    a, b = np.asarray(x), np.asarray(y)
    close(a.ravel(), K.flatten(x))
    close(a.reshape(N, 14), K.batch_flatten(x))
    close(np.zeros((N, 0)), K.batch_flatten(draw(N, 0, 3)))
    for axis in (0, 1, 3, -1, -4):
        close(np.expand_dims(a, axis), K.expand_dims(x, axis))
        close(np.stack([a, b], axis), K.stack([x, y], axis=axis))
        close(a, K.squeeze(K.expand_dims(x, axis), axis))
    for axes in (0, [1], (0, -1), [0, 1, 2]):
        close(np.flip(a, axes if isinstance(axes, int) else tuple(axes)), K.reverse(x, axes))


def test_squeezing_what_is_longer():
    """A longer axis is refused where it is known, and in the run where it is not."""
    with pytest.raises(ShapeError, match='squeezed'):
        make().squeeze(draw(N, 2), 0)
    with pytest.raises(ValueError):
        make(5).squeeze(draw(N, 7, 2), 0)
    with pytest.raises(ValueError, match='at least one'):
        make().stack([])


def test_repeating(K):
    """Repetitions of rows, elements and whole tensors agree with NumPy."""
    x = draw(N, 2)
    a = np.asarray(x)
    close(np.repeat(a[:, None], 3, 1), K.repeat(x, 3))
    close(np.repeat(a[:, None], N, 1), K.repeat(x, K.shape(x)[0]))
    close(np.zeros((N, 0)), K.repeat_elements(x, 0, 1))
    for axis, n in ((0, 2), (1, 3), (-1, 1)):
        close(np.repeat(a, n, axis), K.repeat_elements(x, n, axis))
    close(np.tile(a, (1, 2)), K.tile(x, [2]))
    close(np.tile(a, (2, 3)), K.tile(x, (2, 3)))
    close(np.tile(a, (1, 2)), K.tile(x, 2))
    close(np.tile(a, (2, 1, 3)), K.tile(x, (2, 1, 3)))
    close(np.tile(a, (N, 1)), K.tile(x, [K.shape(x)[0], 1]))
    assert 'bool' == K.dtype(K.tile(tensor([True, False]), 2))


def test_slices(K):
    """slice counts from a start, to the end where the size is -1, by numbers or by tensors."""
    x = draw(N, 4)
    close(np.asarray(x)[1:3, 2:], K.slice(x, [1, 2], [2, -1]))
    close(np.asarray(x)[1:3, 2:], K.slice(x, tensor([1, 2], 'int32'), (2, -1)))
    close(np.asarray(x)[: N - 1], K.slice(x, [0, 0], [K.shape(x)[0] - 1, 4]))
    for start, size in (([0], [1]), ([0, 3], [1, 2]), ([0, -1], [1, 1])):
        with pytest.raises(ShapeError):
            K.slice(x, start, size)


def test_composed_one_hot(K):
    """one_hot marks the class; a number that is no class gives zeros."""
    close([[[0, 1, 0], [1, 0, 0]], [[0, 0, 1], [0, 0, 0]]], K.one_hot(tensor([[1, 0], [2, 3]], 'uint8'), 3))
    assert (2, 2, 0) == K.int_shape(K.one_hot(tensor([[1, 0], [2, 3]], 'uint8'), 0))


@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_padding(K, data_format):
    """Zeros surround the spatial axes in the asked widths."""
    x = draw(N, 5, 2)
    close(np.pad(x, ((0, 0), (2, 1), (0, 0)), 'constant'), K.temporal_padding(x, (2, 1)))
    for rank, pad in ((2, K.spatial_2d_padding), (3, K.spatial_3d_padding)):
        x = draw(*((N,) + (5, 6, 2)[:rank] + (2,)))
        widths = ((1, 2), (0, 3), (1, 1))[:rank]
        truth = np.pad(x, ((0, 0),) + widths + ((0, 0),), 'constant')
        if data_format == 'channels_first':
            close(first(truth), pad(first(x), widths, data_format))
        else:
            close(truth, pad(x, widths, data_format))


def test_padding_refuses(K):
    """Widths below zero, missing widths and wrong ranks are errors."""
    for bad in ((-1, 0), (1, 2, 3), 'ab'):
        with pytest.raises(ValueError, match='padding'):
            K.temporal_padding(draw(2, 3, 4), bad)
    with pytest.raises(ValueError, match='padding'):
        K.spatial_2d_padding(draw(2, 3, 4, 1), ((1, 1),))
    with pytest.raises(ShapeError, match='4 axes'):
        K.spatial_2d_padding(draw(2, 3, 4))
    with pytest.raises(ValueError, match='data_format'):
        K.spatial_2d_padding(draw(2, 3, 4, 1), data_format='middle')


@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_resizing(K, data_format):
    """Nearest repeats, bilinear interpolates from the top left corner; both layouts agree."""
    x = draw(2, N, 5, 3)
    forth, back = both(data_format)
    close(np.repeat(np.repeat(x, 2, 1), 3, 2), back(K.resize_images(forth(x), 2, 3, data_format)))
    close(bilinear(x, 2, 3), back(K.resize_images(forth(x), 2, 3, data_format, 'bilinear')))
    x = draw(2, 3, N, 2, 1)
    truth = np.repeat(np.repeat(np.repeat(x, 2, 1), 1, 2), 3, 3)
    close(truth, back(K.resize_volumes(forth(x), 2, 1, 3, data_format)))
    with pytest.raises(ValueError, match='height_factor'):
        K.resize_images(draw(2, 3, 3, 1), 0.5, 1, data_format)
    with pytest.raises(ValueError, match='interpolation'):
        K.resize_images(draw(2, 3, 3, 1), 2, 2, data_format, 'cubic')


def test_composed_bias_add(K):
    """Biases of both ranks are added, in both layouts; for channels first the wide one is reshaped."""
    for rank in (2, 3, 4, 5):
        shape = (N, 2, 4, 2)[: rank - 1] + (3,)
        x, b = draw(*shape), draw(3)
        close(x + np.asarray(b), K.bias_add(x, b, 'channels_last'))
        close(x + np.asarray(b), last(K.bias_add(first(x), b, 'channels_first')))
        wide = draw(*shape[1:])
        close(np.asarray(x) + np.asarray(wide), K.bias_add(x, wide))
        image = draw(*((N, 3) + shape[1:-1]))
        truth = np.asarray(image) + np.asarray(wide).reshape(image.shape[1:])
        close(truth, K.bias_add(image, wide, 'channels_first'))
    for x, b in (((2, 3), (1, 1, 3)), ((2, 3), (4,)), ((3,), (3,)), ((2, 4, 4, 3), (4, 3))):
        with pytest.raises(ShapeError):
            K.bias_add(draw(*x), draw(*b))


@pytest.mark.parametrize('dtype', ['int32', 'float32', 'float64'])
def test_pixels_from_their_centres(dtype):
    """`resize_images` of tf.keras 2: each new pixel lies between the centres of two old ones; all are float32."""
    import keras_backend.engines.numpy_backend as engine

    x = np.array([[0, 8], [16, 40]], dtype)
    along = np.array([[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]])
    expected = along @ x @ along.T
    for data_format, shape, result in (
        ('channels_last', (1, 2, 2, 1), (1, 4, 4, 1)),
        ('channels_first', (1, 1, 2, 2), (1, 1, 4, 4)),
    ):
        given = engine.constant(x.reshape(shape), dtype)
        resized = engine.eval(resized_from_centres(engine, given, 2, 2, data_format))
        assert (resized.dtype.name, resized.shape) == ('float32', result)
        np.testing.assert_allclose(resized.reshape(4, 4), expected, rtol=1e-6)
    with pytest.raises(ShapeError, match='of rank 4'):
        resized_from_centres(engine, engine.constant(x, dtype), 2, 2, 'channels_last')
