"""Deep, wide and long programs on the TensorFlow engine: they work, and twice the size takes twice the work."""

import pytest
from growth import chain, check, check_growth, choices, layers, loops, steps, wide

tf = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402

SIZES = [(chain, 1000), (wide, 600), (layers, 100), (steps, 10000), (loops, 4), (choices, 20)]
SLOW = [(chain, 5000), (wide, 2500), (layers, 1000)]
# To run where loops trace their steps once.
NESTED = [(loops, 60), (choices, 300)]


@pytest.mark.parametrize(('case', 'n'), SIZES + [pytest.param(*size, marks=pytest.mark.slow) for size in SLOW])
def test_large_on_tensorflow(case, n):
    """Thousands of nodes, layers with gradients, a loop of 10,000 steps."""
    check(K, case, n)


@pytest.mark.parametrize(('case', 'n'), [(chain, 25), (wide, 25), (layers, 10)])
def test_growth_on_tensorflow(case, n):
    """The work of the engine grows as the program does; what TensorFlow does is not counted."""
    check_growth(K, case, n)


@pytest.mark.xfail(strict=True, reason='a loop in a loop traces its step twice, and so do choices')
@pytest.mark.parametrize(('case', 'n'), [(loops, 1), (choices, 2)])
def test_growth_of_nesting_on_tensorflow(case, n):
    """Loops and choices in each other."""
    check_growth(K, case, n)
