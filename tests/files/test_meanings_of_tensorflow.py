"""Functions of TensorFlow that files call, as functions of K: their numbers are those of NumPy."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K
from keras_backend.files.names.tensorflow_meanings import Meanings, Networks

TF, NN = Meanings(K), Networks(K)
X = np.random.RandomState(0).randn(2, 3, 4).astype('float32')
IMAGES = np.random.RandomState(1).randn(2, 4, 6, 3).astype('float32')


def value_of(tensor):
    """The value of a tensor."""
    return K.eval(tensor)


def same(tensor, expected):
    """Whether a tensor has these numbers in this shape."""
    result = value_of(tensor)
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_axes_of_one_are_squeezed():
    x = K.constant(X[:1, :, :1])
    same(TF.squeeze(x), X[0, :, 0])
    same(TF.squeeze(x, -1), X[:1, :, 0])
    same(TF.squeeze(x, squeeze_dims=[0]), X[0, :, :1])


def test_products_along_axes():
    x, w = K.constant(X), np.arange(8, dtype='float32').reshape(4, 2)
    for axes in 1, [[2], [0]], [[-1], [0]], [2, 0]:
        same(TF.tensordot(x, K.constant(w), axes), np.tensordot(X, w, 1))


@pytest.mark.parametrize('places', [[2, 0], [[1, 1], [0, 2]]])
def test_rows_that_are_gathered(places):
    table = K.constant(X[0])
    same(TF.gather(table, K.constant(places, 'int32')), X[0][np.array(places)])
    same(TF.embedding_lookup(table, K.constant(places, 'int32')), X[0][np.array(places)])


def test_elements_of_another_axis_that_are_gathered():
    for axis in 1, -1, 2:
        same(TF.gather(K.constant(X), [2, 0], axis=axis), np.take(X, [2, 0], axis))


def test_places_of_the_largest():
    for function, expected in (K.argmax, np.argmax), (K.argmin, np.argmin):
        places = TF.argument(function)
        same(places(K.constant(X)), expected(X, 0))
        same(places(K.constant(X), 2), expected(X, 2))
        same(places(K.constant(X), dimension=1), expected(X, 1))


def test_classes_and_choices():
    same(TF.one_hot(K.constant([2, 0], 'int32'), 3), np.eye(3)[[2, 0]])
    same(TF.where(K.constant(X) > 0, K.constant(X), K.constant(-X)), np.abs(X))
    same(TF.zeros((2, 3)), np.zeros((2, 3)))
    assert K.dtype(TF.zeros((2,), 'int32')) == 'int32'
    assert value_of(TF.random_uniform((9,))).max() <= 1
    drawn = value_of(TF.random_uniform((99,), 3, 5, 'float64'))
    assert (drawn.dtype, drawn.min() >= 3, drawn.max() < 5, drawn.max() > 4) == ('float64', True, True, True)


def test_blocks_of_pixels():
    """The pixels of a block are read row by row."""
    blocks = IMAGES.reshape(2, 2, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 2, 3, 12)
    same(TF.space_to_depth(K.constant(IMAGES), 2), blocks)
    same(TF.depth_to_space(K.constant(blocks), 2), IMAGES)


def test_losses_of_logits():
    labels = (X > 0.3).astype('float32')
    chance = 1 / (1 + np.exp(-X.astype('float64')))
    expected = -labels * np.log(chance) - (1 - labels) * np.log(1 - chance)
    loss = NN.sigmoid_cross_entropy_with_logits(labels=K.constant(labels), logits=K.constant(X))
    same(loss, expected)
    shares = np.exp(X) / np.exp(X).sum(-1, keepdims=True)
    loss = NN.softmax_cross_entropy_with_logits(labels=K.constant(labels), logits=K.constant(X))
    same(loss, -(labels * np.log(shares)).sum(-1))


def test_activations_of_tensorflow():
    same(NN.leaky_relu(K.constant(X)), np.where(X > 0, X, 0.2 * X))
    same(NN.leaky_relu(K.constant(X), 0.5), np.where(X > 0, X, 0.5 * X))
    same(NN.relu6(K.constant(X * 9)), np.clip(X * 9, 0, 6))


def test_mean_and_variance():
    for named, keep in ({}, False), ({'keep_dims': True}, True), ({'keepdims': True}, True):
        mean, variance = NN.moments(K.constant(X), [0, 2], **named)
        same(mean, X.mean((0, 2), keepdims=keep))
        same(variance, X.var((0, 2), keepdims=keep))


def test_running_sums():
    total = TF.cumulative(K.cumsum, K.zeros_like)
    same(total(K.constant(X), 1), np.cumsum(X, 1))
    same(total(K.constant(X), -1, reverse=True), np.cumsum(X[..., ::-1], 2)[..., ::-1])
    same(total(K.constant(X), 1, exclusive=True), np.cumsum(X, 1) - X)
    same(total(K.constant(X), exclusive=True, reverse=True), np.cumsum(X[::-1], 0)[::-1] - X)


def test_ranges_and_sums():
    same(TF.range(4), np.arange(4))
    same(TF.range(1, 7, 2), np.arange(1, 7, 2))
    assert (K.dtype(TF.range(4)), K.dtype(TF.range(0, 1.0, 0.25))) == ('int32', 'float32')
    same(TF.add_n([K.constant(X)] * 3), 3 * X)
    same(TF.constant(2.0, 'float32', (2, 2)), np.full((2, 2), 2.0))
