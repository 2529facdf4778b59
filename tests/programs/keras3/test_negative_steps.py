"""Slices with a negative step, of tensors as the backend of Keras has them."""

import pytest
from keras3_backends import BACKENDS, passes

PROGRAM = """
import numpy as np
from tensorflow.keras import backend as K

value = np.arange(24.0, dtype='float32').reshape((2, 3, 4))
x = K.constant(value)
pairs = [(x[::-1], value[::-1]), (x[:, ::-1], value[:, ::-1]), (x[..., ::-2], value[..., ::-2]), (x[0, ::-1], value[0, ::-1]),
         (x[None, 1:, 2:0:-1], value[None, 1:, 2:0:-1]), (x[0:2:-1], value[0:2:-1]), (x[:, -1, ::-3], value[:, -1, ::-3]),
         (x[-5::-1], value[-5::-1])]
step = -1
pairs.append((x[:, ::step], value[:, ::step]))
for place, (found, expected) in enumerate(pairs):
    found = K.eval(found)
    assert found.shape == expected.shape, (place, found.shape)
    assert (found == expected).all(), place
print('passed')
"""


@pytest.mark.parametrize('backend', [backend for backend in BACKENDS if backend != 'numpy'])
def test_slices_are_those_of_numpy(backend, tmp_path):
    """Steps down an axis give what NumPy gives, beside integers, other slices, None and the ellipsis."""
    passes(PROGRAM, backend, tmp_path)
