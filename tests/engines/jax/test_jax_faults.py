"""Runs of the JAX engine that fail at each place in turn: XLA writes new values where the old ones were."""

import pytest
from faults import check_lines, check_lookups, check_no_memory, random_step, seeds

import keras_backend.engines.jax_backend as K


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own, in float64."""
    K.clear_session()
    K.set_floatx('float64')


def test_each_lookup_fails_on_jax():
    """Programs with updates: whichever lookup fails, no variable changes, and the next run is right."""
    assert sum([check_lookups(K, seed, IndexError) for seed in seeds(20, 40)])


def test_ctrl_c_at_each_line_on_jax():
    """Ctrl-C leaves all variables as they were or all changed, and no lock held."""
    for seed in seeds(20, 20):
        K.clear_session()
        assert check_lines(random_step(K, seed))


def test_a_request_too_large_on_jax():
    """A run without memory changes nothing, though JAX tells of it later and the arrays were given to XLA."""
    check_no_memory(K, MemoryError)
