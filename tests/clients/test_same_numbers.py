"""The same models with the same weights give the same predictions, losses and trained weights on every engine."""

import numpy as np
import pytest

from .cases import CASES


@pytest.mark.parametrize('name', CASES)
def test_same_as_on_numpy(name, reference):
    """All numbers of a case are those that the NumPy engine computes in another process, and none is lost."""
    found = CASES[name]()
    arrays, told = reference
    expected = {key[len(name) + 1 :]: arrays[key] for key in arrays.files if key.startswith(name + '/')}
    assert sorted(expected) == sorted(found), told
    for key, value in expected.items():
        assert np.isfinite(value).all(), key
        assert value.shape == found[key].shape, key
        np.testing.assert_allclose(found[key], value, rtol=1e-4, atol=1e-5, err_msg=key)


def test_training_changes_losses(reference):
    """Steps of training that did nothing would prove nothing."""
    arrays, _ = reference
    losses = {key: arrays[key] for key in arrays.files if key.endswith('/losses')}
    assert len(losses) > 20
    assert [] == [key for key, values in losses.items() if np.allclose(values[0], values[-1], rtol=1e-6)]
