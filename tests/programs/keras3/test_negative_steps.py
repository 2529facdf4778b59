"""Slices with a negative step, of tensors as the backend of Keras has them."""

import pytest
from keras3_backends import BACKENDS, passes

PROGRAM = """
import numpy as np
from tensorflow.keras import backend as K

value = np.arange(24.0, dtype='float32').reshape((2, 3, 4))
x = K.constant(value)
for key in [np.s_[::-1], np.s_[:, ::-1], np.s_[..., ::-2], np.s_[0, ::-1], np.s_[None, 1:, 2:0:-1], np.s_[0:2:-1],
            np.s_[:, -1, ::-3], np.s_[-5::-1]]:
    found = K.eval(x[key])
    assert found.shape == value[key].shape, (key, found.shape)
    assert (found == value[key]).all(), key
print('passed')
"""


@pytest.mark.parametrize('backend', [backend for backend in BACKENDS if backend != 'numpy'])
def test_slices_are_those_of_numpy(backend, tmp_path):
    """Steps down an axis give what NumPy gives, beside integers, other slices, None and the ellipsis."""
    passes(PROGRAM, backend, tmp_path)
