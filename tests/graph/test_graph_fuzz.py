"""Random programs on the K graph beside the same programs on arrays: values, shapes, gradients, memory."""

import pytest
from program_checks import hold
from shares import one_in

import keras_backend.engines.numpy_backend as K


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own, in float64."""
    K.clear_session()
    K.set_floatx('float64')


@pytest.mark.parametrize('block', one_in(6, range(6)))
def test_smooth_programs(block):
    """Programs without kinks: loops, choices and draws in each other, fed in the middle, differentiated twice."""
    for seed in range(25 * block, 25 * block + 25):
        K.clear_session()
        hold(seed, True, statements=9)


def test_programs_with_kinks():
    """Programs with kinks and ties: values, shapes and memory."""
    for seed in range(1000, 1030):
        K.clear_session()
        hold(seed, False, statements=10, depth=4)
