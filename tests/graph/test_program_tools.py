"""The tools of random programs: wrong engines are found, and what is found becomes small."""

import sys
from itertools import islice

import numpy as np
import pytest
from engine_programs import Difference, compare, truths_of
from run_programs import tally
from shrink_programs import as_entry, said, shrunk
from wide_programs import Wide

import keras_backend.engines.numpy_backend as K

# The truth takes means of nothing, too.
pytestmark = pytest.mark.filterwarnings('ignore:Mean of empty slice', 'ignore:Degrees of freedom')


@pytest.fixture(autouse=True)
def restored():
    yield
    K.set_floatx('float32')
    K.clear_session()


class Wrong:
    """The NumPy engine with one function of another meaning."""

    def __init__(self, name, function):
        self._wrong = {name: function}

    def __getattr__(self, name):
        return self._wrong.get(name) or getattr(K, name)


WRONG = {
    'a digit': ('tanh', lambda x: K.tanh(x) * 1.00001),
    'one dtype': ('argmax', lambda x, axis=-1: K.cast(K.argmax(x, axis), 'int32')),
    'zeros': ('relu', lambda x, **kwargs: K.relu(x, **kwargs) + K.cast(K.equal(x, 0), K.dtype(x))),
    'no values': (
        'sum',
        lambda x, axis=None, keepdims=False: K.sum(x, axis, keepdims) + 0 / K.cast(K.size(x), K.dtype(x)),
    ),
    'an update': ('update_add', K.update_sub),
    'the first gradient': ('sin', lambda x: K.sin(K.stop_gradient(x)) + (x - K.stop_gradient(x))),
    'the second gradient': (
        'square',
        lambda x: K.stop_gradient(K.square(x)) + K.stop_gradient(2 * x) * (x - K.stop_gradient(x)),
    ),
}


KINDS = {'one dtype': 'dtype', 'the first gradient': 'gradient 1', 'the second gradient': 'gradient 2'}


def programs_with(function, order=0):
    """Seeds of programs that call the function and have gradients of this order."""
    for seed in range(1000):
        program = Wide(seed)
        if function in program.text and program.orders >= order:
            yield seed


@pytest.mark.parametrize('name', WRONG)
def test_wrong_engine_is_found(name):
    """One of the first programs that call the function shows what is wrong with it."""
    wrong, kind = Wrong(*WRONG[name]), KINDS.get(name, 'value')
    found = set()
    for seed in islice(programs_with(WRONG[name][0], int(kind[-1]) if kind[-1].isdigit() else 0), 12):
        _counts, kinds = tally(wrong, 'numpy', [seed], report=lambda text: None)
        found.update(kinds)
        if kind in found:
            break
    # A wrong first gradient has a wrong second one, which another program may show before.
    assert kind in found <= {kind, 'gradient 2'}


@pytest.mark.skipif(sys.version_info < (3, 9), reason='ast.unparse came with Python 3.9')
@pytest.mark.slow
def test_found_program_becomes_small():
    wrong = Wrong('softplus', lambda x: K.softplus(x) + 0.1)
    small = (Wide(seed, statements=3) for seed in range(1000))
    case = next(program.case() for program in small if 'softplus' in program.text and not program.orders)
    before, case = case.text, shrunk(wrong, case, seconds=10)
    assert said(wrong, case) == 'value'
    assert said(K, case) is None
    assert 'softplus' in case.text
    assert len(case.text) < len(before) / 2
    assert 'Found(' in as_entry(case, 'softplus was off by 0.1')


def test_truth_allows_for_rounding_alone():
    """A result moved by far less than its digits is right; one moved by more is not."""
    case = Wide(0).case()
    (truth, *_) = truths_of(case)
    name = next(n for n, v in truth.base.top.items() if v.dtype == case.floatx and v.data.size)
    exact = truth.base.top[name].data.astype(case.floatx)
    assert truth.compare(name, exact) > 0
    with pytest.raises(Difference, match='not'):
        truth.compare(name, (exact + 0.5).astype(case.floatx))
    assert np.all(np.isfinite(exact))
    assert compare(K, case, [truth]).feeds == 1
