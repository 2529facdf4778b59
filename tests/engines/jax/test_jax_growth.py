"""Deep, wide and long programs on the JAX engine: they work, and twice the size takes twice the work."""

import pytest
from growth import (
    chain,
    check,
    check_growth,
    choices,
    choices_and_gradient,
    layers,
    loops,
    loops_and_gradient,
    steps,
    wide,
)

import keras_backend.engines.jax_backend as K

SIZES = [(chain, 300), (wide, 600), (layers, 60), (steps, 10000)]
SIZES += [(loops, 60), (loops_and_gradient, 10), (choices, 40), (choices_and_gradient, 10)]
# The time that XLA takes to compile a chain grows faster than the chain: docs/performance.md.
SLOW = [(chain, 2500), (wide, 2500), (layers, 1000), (loops_and_gradient, 30), (choices, 150)]


@pytest.mark.parametrize(('case', 'n'), SIZES + [pytest.param(*size, marks=pytest.mark.slow) for size in SLOW])
def test_large_on_jax(case, n):
    """Thousands of nodes, layers with gradients, 60 loops in each other, choices, a loop of 10,000 steps."""
    check(K, case, n)


@pytest.mark.parametrize(
    ('case', 'n', 'most'),
    [
        (chain, 25, 2.2),
        (wide, 25, 2.2),
        (layers, 10, 2.2),
        (loops, 3, 2.2),
        (choices, 5, 2.2),
        (loops_and_gradient, 3, 5),
        (choices_and_gradient, 3, 5),
    ],
)
def test_growth_on_jax(case, n, most):
    """The work of the engine grows as the program does; what XLA does is not counted."""
    check_growth(K, case, n, most)
