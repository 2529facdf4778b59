"""Deep, wide and long programs on the PyTorch engine: they work, and twice the size takes twice the work."""

import pytest
from growth import GROWING, LARGE, NESTED_GRADIENTS, check, check_growth, loops_and_gradient, steps

import keras_backend.engines.torch_backend as K


@pytest.mark.parametrize(('case', 'n'), [*LARGE, (loops_and_gradient, 60)])
def test_large_on_torch(case, n):
    """10,000 nodes, 1,000 layers with gradients, 60 loops in each other, 300 choices, a loop of 10,000 steps."""
    check(K, case, n)


@pytest.mark.parametrize(('case', 'n'), GROWING)
def test_growth_on_torch(case, n):
    """The work grows as the program does."""
    check_growth(K, case, n)


def test_a_loop_of_more_steps_is_no_more_work_to_build_on_torch():
    """One step is recorded, however many run."""
    check_growth(K, steps, 10, most=0)


@pytest.mark.parametrize(('case', 'n'), NESTED_GRADIENTS)
def test_growth_of_nested_gradients_on_torch(case, n):
    """What the innermost gradient reads goes through every loop and choice around it: the square of the depth."""
    check_growth(K, case, n, most=5)
