"""Runs of the JAX engine that fail at each place in turn: XLA writes new values where the old ones were."""

import numpy as np
import pytest
from faults import check_lines, check_lookups, check_no_memory, random_step, seeds

import keras_backend.engines.jax_backend as K
from keras_backend.kernels import random


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own, in float64."""
    K.clear_session()
    K.set_floatx('float64')


@pytest.mark.slow
def test_each_lookup_fails_on_jax():
    """Programs with updates: whichever lookup fails, no variable changes, and the next run is right."""
    assert sum([check_lookups(K, seed, IndexError) for seed in seeds(20, 40)])


def test_each_lookup_fails_on_jax_in_a_program():
    """The same in one program."""
    assert check_lookups(K, 2, IndexError)


@pytest.mark.slow
def test_ctrl_c_at_each_line_on_jax():
    """Ctrl-C leaves all variables as they were or all changed, and no lock held."""
    for seed in seeds(20, 20):
        K.clear_session()
        assert check_lines(random_step(K, seed))


def test_ctrl_c_at_each_line_on_jax_in_a_program():
    """The same in one program that writes rows."""
    assert check_lines(random_step(K, 2))


def test_a_request_too_large_on_jax():
    """A run without memory changes nothing, though JAX tells of it later and the arrays were given to XLA."""
    check_no_memory(K, MemoryError)


@pytest.mark.parametrize('error', [KeyboardInterrupt, MemoryError])
def test_a_draw_in_a_loop_fails_on_jax(monkeypatch, error):
    """XLA calls Python for it. Variables keep their values, Ctrl-C is Ctrl-C, and the engine runs on."""
    x, w = K.placeholder((3, 2)), K.variable([1.0, 2.0])
    total = K.sum(K.map_fn(lambda e: e + 0.0 * K.random_normal((2,), seed=1), x))
    step = K.function([x], [total], [K.update_add(w, w * total)])
    step([np.zeros((3, 2))])

    def fail(*_arguments):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(random, 'generator_at', fail)
        with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else Exception):
            step([np.ones((3, 2))])
    np.testing.assert_array_equal(K.get_value(w), [1.0, 2.0])
    assert step([np.ones((3, 2))]) == [6.0]
    np.testing.assert_array_equal(K.get_value(w), [7.0, 14.0])
