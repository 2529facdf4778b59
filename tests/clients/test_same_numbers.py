"""The same models with the same weights give the same predictions, losses and trained weights on every engine."""
import numpy as np
import pytest
from keras import backend as K

from .cases import CASES

NUMPY = K.backend() == 'keras_backend.engines.numpy_backend'


@pytest.mark.parametrize('name', CASES)
def test_same_as_on_numpy(name, reference):
    """All numbers of a case are those that the NumPy engine computes in another process, and none is lost."""
    found = CASES[name]()
    arrays, told = reference
    expected = {key[len(name) + 1:]: arrays[key] for key in arrays.files if key.startswith(name + '/')}
    assert sorted(expected) == sorted(found), told
    for key, value in expected.items():
        assert np.isfinite(value).all(), key
        assert value.shape == found[key].shape, key
        np.testing.assert_allclose(found[key], value, rtol=1e-4, atol=1e-5, err_msg=key)


@pytest.mark.parametrize('name', [n for n in CASES if n.startswith(('layers', 'digits', 'optimizer'))])
def test_training_moves_every_weight(name, reference):
    """A case in which training did nothing would prove nothing: losses change from one step to the next."""
    arrays, _ = reference
    losses = [arrays[key] for key in arrays.files if key == name + '/losses']
    for values in losses:
        assert not np.allclose(values[0], values[-1], rtol=1e-6)
