"""Random programs on the CNTK engine, whatever is divided between CNTK and NumPy."""

import importlib.util

import pytest

if importlib.util.find_spec('cntk') is None:
    pytest.skip('CNTK is not installed', allow_module_level=True)

import eager_programs
import program_checks

import keras_backend.engines.cntk_backend as K
from keras_backend.engines.cntk_backend.primitives import elementwise


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """The programs run on CNTK, and every test starts in a session of its own, in float64."""
    monkeypatch.setattr(eager_programs, 'K', K)
    monkeypatch.setattr(program_checks, 'K', K)
    K.clear_session()
    K.set_floatx('float64')


@pytest.mark.parametrize(('many', 'way'), [(1, 0), (1, 1 << 40), (1 << 14, 1 << 40)])
def test_programs(monkeypatch, many, way):
    """As on NumPy; with the tails of all graphs left to NumPy, with all that CNTK does slowly, and with neither."""
    monkeypatch.setattr(elementwise, '_MANY', many)
    monkeypatch.setattr(elementwise, '_WAY', way)
    for seed in range(12):
        K.clear_session()
        program_checks.hold(seed, True, statements=9)
    for seed in range(1000, 1008):
        K.clear_session()
        program_checks.hold(seed, False, statements=10, depth=4)
