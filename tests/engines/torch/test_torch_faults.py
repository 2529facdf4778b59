"""Runs of the PyTorch engine that fail at each place in turn."""

import pytest
from faults import check_calls, check_lines, check_no_memory, random_step, seeds

import keras_backend.engines.torch_backend as K


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own, in float64."""
    K.clear_session()
    K.set_floatx('float64')


@pytest.mark.slow
def test_each_call_fails_on_torch():
    """200 programs with updates: whichever call fails, no variable changes, and the next run is right."""
    assert sum([check_calls(K, seed) for seed in seeds(20)]) > 100


def test_each_call_fails_on_torch_in_a_few_programs():
    """The same in three programs."""
    for seed in range(3):
        assert check_calls(K, seed)


@pytest.mark.slow
def test_ctrl_c_at_each_line_on_torch():
    """Ctrl-C leaves all variables as they were or all changed, and no lock held."""
    for seed in seeds(20, 40):
        K.clear_session()
        assert check_lines(random_step(K, seed))


def test_ctrl_c_at_each_line_on_torch_in_a_program():
    """The same in one program that writes rows."""
    assert check_lines(random_step(K, 2))


def test_a_request_too_large_on_torch():
    """A run without memory changes nothing."""
    check_no_memory(K, MemoryError)
