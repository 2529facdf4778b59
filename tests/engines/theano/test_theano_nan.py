"""What the rewriting of Theano and PyTensor in Python leaves as it is: formulas that are NaN of some numbers."""

import numpy as np
import pytest

modes = pytest.importorskip('keras_backend.engines.theano_backend.functions')
import keras_backend.engines.theano_backend as K  # noqa: E402


def test_terms_that_are_not_finite_do_not_cancel():
    """NaN and infinite numbers less themselves are NaN. With C code they are 0."""
    x = K.placeholder((3,))
    outputs = [x - x, -x + x, x + 1 - x, (x + 1) - (x + 1)]
    values = K.function([x], outputs, mode=modes.mode_to_run_once())([[np.nan, np.inf, 2.0]])
    assert [np.isnan(v).tolist() for v in values] == [[True, True, False]] * 4
