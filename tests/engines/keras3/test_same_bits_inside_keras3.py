"""A seeded program gives the same bits in each run, inside Keras 3, too."""

import os

import pytest
from same_bits import check_same_bits


@pytest.mark.slow
def test_seven_trainings_give_the_same_bits_inside_keras3(tmp_path):
    """On the backend that Keras runs on."""
    check_same_bits(tmp_path, 'keras_backend.keras3', KERAS_BACKEND=os.environ['KERAS_BACKEND'])
