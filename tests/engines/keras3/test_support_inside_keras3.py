"""docs/support-keras3.md says what the engine does on the backend that is tested here."""

import os
import subprocess
import sys

import keras
from checkout import ROOT

from keras_backend.conformance import _results
from keras_backend.engines import keras3_backend
from keras_backend.engines.table import INSIDE_KERAS_3

TOOL = os.path.join(ROOT, 'tools', 'make_support.py')


def test_support_page_of_keras_3():
    """The record of the backend, and the page, are what tools/make_support.py would write."""
    process = subprocess.run(
        [sys.executable, TOOL, '--check', INSIDE_KERAS_3],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=600,
    )
    assert (0, '') == (process.returncode, process.stdout.decode())


def test_a_report_names_the_backend():
    """The public table has a row for each backend that Keras runs on."""
    backend = keras.config.backend()
    found = _results.described(keras3_backend, 'keras_backend.engines.keras3_backend')
    titles = {'tensorflow': 'TensorFlow', 'jax': 'JAX', 'torch': 'PyTorch'}
    assert (f'keras3_{backend}', f'Keras 3 on {titles[backend]}') == (found['name'], found['title'])
    assert {'name': 'keras', 'version': keras.__version__} == found['library']
