"""Making tensors, values and updates, composed, on an eager K: all sizes known, and most of them hidden."""

import numpy as np
import pytest

from keras_backend.errors import ShapeError

from .eager_k import N, close, draw, make, tensor


def test_making(K):
    """Constants, zeros, ones and the identity matrix have the asked values, shapes and dtypes."""
    x = draw(N, 3)
    assert 'int32' == K.dtype(K.constant(3, dtype='int32', shape=(2, 2)))
    close(np.full((2, 3), 7.0), K.constant(7, shape=(2, 3)))
    close([[1, 2], [3, 4]], K.constant([1, 2, 3, 4], shape=(2, 2)))
    close(np.zeros((2, 3)), K.zeros((2, 3)))
    close(np.ones((N, 2)), K.ones([K.shape(x)[0], 2]))
    close(np.zeros((N, 3)), K.zeros(K.shape(x)))
    close(np.ones((N, 3)), K.ones_like(x))
    assert 'int32' == K.dtype(K.zeros_like(x, dtype='int32'))
    close(np.eye(3), K.eye(3))
    close(x, K.identity(x))
    close(np.ones(4), K.ones(4))


def test_making_refuses_what_does_not_fit(K):
    """A wrong number of values, None as a size and a size that is no integer of at least 0 are errors."""
    with pytest.raises(ShapeError, match='does not fill'):
        K.constant([1, 2, 3], shape=(2, 2))
    with pytest.raises(ShapeError, match='K.shape'):
        K.zeros((None, 2))
    with pytest.raises(ValueError, match='size'):
        K.eye(-1)


def test_composed_asking(K):
    """Sizes, ranks and counts follow from the static shape, or from the run where it is unknown."""
    x = draw(2, 3)
    assert (6, 2, (2, 3)) == (K.count_params(x), K.ndim(x), K.get_variable_shape(x))
    assert 18 == int(K.size(draw(N, 3)))
    assert not K.is_sparse(x)
    assert K.to_dense(x) is x
    assert not K.is_keras_tensor(x)
    with pytest.raises(ValueError, match='has to be a K tensor'):
        K.is_keras_tensor('x')


def test_counting_an_unknown_shape_is_an_error():
    """count_params cannot answer for an unknown dimension."""
    with pytest.raises(ValueError, match='cannot be counted'):
        make(5).count_params(draw(N, 3))


def test_random_variables_follow_their_seed(K):
    """A seed fixes the values; without one numpy.random.seed does."""
    close(K.random_uniform_variable((3, 2), -1.0, 2.0, seed=3), K.random_uniform_variable((3, 2), -1.0, 2.0, seed=3))
    np.random.seed(1)
    a = K.random_normal_variable((500,), 5.0, 0.1)
    np.random.seed(1)
    close(a, K.random_normal_variable((500,), 5.0, 0.1))
    assert abs(np.mean(np.asarray(a)) - 5.0) < 0.02


def test_updates_and_values():
    """Updates add, subtract and average; values are read and set one by one or in batches."""
    store = {}

    def update(x, new):
        store[id(x)] = new
        return new

    def function(inputs, outputs, updates=None):
        return lambda fed: [np.asarray(output) for output in outputs]

    K = make(update=update, function=function)
    x = tensor([1.0, 2.0])
    close([2.0, 4.0], K.update_add(x, x))
    close([0.5, 1.0], K.update_sub(x, x * 0.5))
    close([1.2, 2.4], K.moving_average_update(x, 3.0 * x, 0.9))
    close([1.0, 2.0], K.get_value(x))
    close([[1.0, 2.0], [1.0, 2.0]], K.batch_get_value([x, x]))
    seen = []
    K = make(set_value=lambda x, value: seen.append(value))
    K.batch_set_value([(x, [1.0, 2.0]), (x, [3.0, 4.0])])
    close([[1.0, 2.0], [3.0, 4.0]], seen)
    with pytest.raises(ShapeError, match='cannot be set'):
        K.batch_set_value([(x, [5.0, 6.0]), (x, [1.0, 2.0, 3.0])])
    assert 2 == len(seen)
