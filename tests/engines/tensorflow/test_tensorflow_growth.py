"""Deep, wide and long programs on the TensorFlow engine: they work, and twice the size takes twice the work."""

import pytest
from growth import chain, check, check_growth, choices, layers, loops, steps, wide

tf = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402

SIZES = [(chain, 1000), (wide, 600), (layers, 100), (steps, 10000), (loops, 20), (choices, 40)]
SLOW = [(chain, 5000), (wide, 2500), (layers, 1000), (loops, 60), (choices, 300)]


@pytest.mark.parametrize(('case', 'n'), SIZES + [pytest.param(*size, marks=pytest.mark.slow) for size in SLOW])
def test_large_on_tensorflow(case, n):
    """Thousands of nodes, layers with gradients, a loop of 10,000 steps."""
    check(K, case, n)


@pytest.mark.parametrize(
    ('case', 'n', 'most'), [(chain, 25, 2.2), (wide, 25, 2.2), (layers, 10, 2.2), (loops, 3, 6), (choices, 5, 2.2)]
)
def test_growth_on_tensorflow(case, n, most):
    """The work of the engine grows as the program does; what TensorFlow does is not counted.

    Each loop copies the loops inside of it, so loops in each other take the square of their depth.
    """
    check_growth(K, case, n, most)
