"""Gradients of products that sum over several axes, in any order. K.dot sums over one."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K


@pytest.mark.parametrize(('axes_x', 'axes_y'), [((1, 0), (0, 2)), ((0, 1), (2, 0)), ((0,), (2,)), ((), ())])
def test_gradient_of_tensordot(axes_x, axes_y):
    """The gradient of sum(w * product) in each factor is what is linear in it."""
    rng = np.random.RandomState(3)
    values = rng.randn(2, 3, 4), rng.randn(3, 5, 2)
    x, y = [K.variable(v, dtype='float64') for v in values]
    product = x.session.engine.F.tensordot(x, y, axes_x=axes_x, axes_y=axes_y)
    w = rng.randn(*np.tensordot(*values, (axes_x, axes_y)).shape)
    gradients = K.function([], K.gradients(K.sum(product * w), [x, y]))([])
    for i, gradient in enumerate(gradients):
        for at in np.ndindex(gradient.shape):
            one = list(values)
            one[i] = np.zeros_like(values[i])
            one[i][at] = 1.0
            assert np.isclose(gradient[at], np.sum(w * np.tensordot(*one, (axes_x, axes_y))))
