"""The example of the digits runs as its docstring says."""

import importlib.util
import os

import pytest
from checkout import ROOT
from processes import python

DIGITS = os.path.join(ROOT, 'examples', 'digits.py')


@pytest.mark.parametrize('model', ['conv', 'lstm', 'mlp'])
def test_digits(model, tmp_path):
    """The digits are read as accurately as the example asks of every engine, and the picture is drawn."""
    backend = os.environ['KERAS_BACKEND']
    status, out, err = python(DIGITS, '--model', model, home=tmp_path / 'home', backend=backend, cwd=tmp_path)
    assert 0 == status, out + err
    if importlib.util.find_spec('matplotlib') is None:
        assert 'Matplotlib is not installed' in err
    else:
        assert (tmp_path / 'digits.png').read_bytes().startswith(b'\x89PNG')


def test_accuracy_that_is_too_low(tmp_path):
    """The example fails where the digits are read less well than it was asked for."""
    options = ['--model', 'mlp', '--epochs', '1', '--require', '1.0']
    status, out, err = python(DIGITS, *options, home=tmp_path / 'home', backend='numpy', cwd=tmp_path)
    assert 1 == status, out + err
    assert 'is below 1.0000' in err
