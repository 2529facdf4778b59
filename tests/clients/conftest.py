"""Keras on the engine that KERAS_BACKEND names by its module, and what it computes on the NumPy engine."""

import os
import subprocess
import sys

import numpy as np
import pytest
from checkout import TESTS

TODAY = sys.version_info >= (3, 10)
if TODAY:  # Keras 2 cannot be imported there as it is: docs/legacy-keras.md
    import keras_backend.keras2  # noqa: F401


def run_client(arguments, engine, folder):
    """Run Python with Keras on an engine, in a process of its own."""
    runner = ['-m', 'keras_backend.keras2'] if TODAY else []
    environment = dict(os.environ, KERAS_BACKEND=f'keras_backend.engines.{engine}_backend')
    environment['PYTHONPATH'] = os.pathsep.join(filter(None, [os.environ.get('PYTHONPATH'), TESTS]))
    return subprocess.run(
        [sys.executable] + runner + arguments,
        env=environment,
        cwd=str(folder),
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )


@pytest.fixture(scope='session')
def reference(tmp_path_factory):
    """(the arrays of every case as the NumPy engine computes them, what went wrong there)."""
    folder = tmp_path_factory.mktemp('reference')
    done = run_client(['-m', 'clients.cases', str(folder / 'arrays.npz')], 'numpy', folder)
    return np.load(str(folder / 'arrays.npz')), done.stderr


@pytest.fixture(autouse=True)
def _fresh(_settings):
    """A new graph for every test."""
    from .cases import ENGINE

    ENGINE.clear_session()
    np.random.seed(0)
    yield
    ENGINE.set_learning_phase(0)
    ENGINE.clear_session()
