"""The eager K that the composed functions are tested on."""

import numpy as np
import pytest

from .eager_k import make


@pytest.fixture(params=['known', 'unknown'])
def K(request):
    """The eager K; 'unknown' hides every size from 5 upwards."""
    return make(5 if request.param == 'unknown' else None)


@pytest.fixture(autouse=True)
def _quiet():
    """Infinities are part of the tests, so NumPy need not warn of them."""
    with np.errstate(all='ignore'):
        yield


@pytest.fixture
def double():
    """Double precision on the K graph, and a session of its own."""
    import keras_backend.engines.numpy_backend as engine

    engine.set_floatx('float64')
    engine.clear_session()
