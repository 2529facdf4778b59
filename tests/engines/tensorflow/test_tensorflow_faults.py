"""Runs of the TensorFlow engine that fail at each place in turn."""

import pytest
from faults import check_lookups, check_no_memory, seeds

tf = pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own, in float64."""
    K.clear_session()
    K.set_floatx('float64')


@pytest.mark.slow
def test_each_lookup_fails_on_tensorflow():
    """200 programs with updates: whichever lookup fails, no variable changes, and the next run is right."""
    assert sum([check_lookups(K, seed, tf.errors.OpError) for seed in seeds(20)])


def test_each_lookup_fails_on_tensorflow_in_a_program():
    """The same in one program, whose loops in loops read variables in branches."""
    assert check_lookups(K, 57, tf.errors.OpError)


def test_a_request_too_large_on_tensorflow():
    """A run without memory changes nothing."""
    check_no_memory(K, MemoryError)
