"""docs/support-keras3.md says what the engine does on the backend that is tested here."""

import os
import subprocess
import sys

from checkout import ROOT

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
