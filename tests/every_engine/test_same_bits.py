"""A seeded program gives the same bits in each run, whatever else the machine does."""

import os

import pytest
from processes import ENGINE
from same_bits import check_same_bits

# The others take longer to start, or to compile what they run.
pytestmark = [] if ENGINE == 'numpy' else [pytest.mark.slow]


def test_seven_trainings_give_the_same_bits(tmp_path):
    """Losses of all steps and weights, of dense, convolutional and recurrent networks, with draws and averages."""
    check_same_bits(tmp_path, **{'KERAS_BACKEND': os.environ['KERAS_BACKEND']})
