"""The NumPy engine while threads build, run and clear, and while Ctrl-C comes."""

import sys

import pytest
from under_load import check_building_beside_running, check_clearing_under_load, check_ctrl_c

import keras_backend.engines.numpy_backend as K


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def test_twenty_threads_build_beside_twenty_that_run_on_numpy():
    """All get their own numbers, and no update is lost."""
    check_building_beside_running(K)


def test_clear_session_under_load_on_numpy():
    """What is cleared is told by a ClearedSessionError, and the engine goes on."""
    check_clearing_under_load(K)


@pytest.mark.skipif(sys.version_info < (3, 9), reason='Ctrl-C may leave a lock held before Python 3.9')
def test_ctrl_c_in_a_run_on_numpy():
    """All updates of a run are there or none, and no lock is held."""
    check_ctrl_c(K)
