"""Deep, wide and long programs on the NumPy engine: they work, and twice the size takes twice the work."""

import numpy as np
import pytest
from growth import (
    GROWING,
    LARGE,
    NESTED_GRADIENTS,
    check,
    check_growth,
    choices_and_gradient,
    loops_and_gradient,
    steps,
)

import keras_backend.engines.numpy_backend as K

# What loops in each other hand to the gradient has an axis for each, and NumPy 1 has no more than 32.
DEEP = 60 if np.lib.NumpyVersion(np.__version__) >= '2.0.0' else 25


@pytest.mark.slow
@pytest.mark.parametrize(('case', 'n'), [*LARGE, (loops_and_gradient, DEEP)])
def test_large_on_numpy(case, n):
    """10,000 nodes, 1,000 layers with gradients, 60 loops in each other, 300 choices, a loop of 10,000 steps."""
    check(K, case, n)


@pytest.mark.parametrize(('case', 'n'), GROWING)
def test_growth_on_numpy(case, n):
    """The work grows as the program does."""
    check_growth(K, case, n)


def test_a_loop_of_more_steps_is_no_more_work_to_build_on_numpy():
    """One step is recorded, however many run."""
    check_growth(K, steps, 10, most=0)


@pytest.mark.parametrize(('case', 'n'), NESTED_GRADIENTS)
def test_growth_of_nested_gradients_on_numpy(case, n):
    """What the innermost gradient reads goes through every loop and choice around it: the square of the depth."""
    check_growth(K, case, n, most=5)


@pytest.mark.slow
def test_gradient_of_300_choices():
    """300 choices in each other, and their gradient."""
    check(K, choices_and_gradient, 300)
