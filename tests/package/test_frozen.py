"""A program that PyInstaller has frozen runs K, and opens a model file."""

import os
import subprocess
import sys

import pytest
from files_of_models import arguments

pytestmark = pytest.mark.slow
PROGRAM = """
import sys
import numpy as np
import keras_backend as K
from keras_backend import files

x = K.placeholder((None, 3))
f = K.function([x], [K.softmax(x)])
print(K.backend(), f([np.zeros((1, 3))])[0].sum())
print(len(files.function(sys.argv[1]).weights), files.read(sys.argv[1]).version)
"""


def test_frozen_program(tmp_path):
    """Nothing is on the command line of PyInstaller but the program: the hook is found by its entry point."""
    pytest.importorskip('PyInstaller')
    (tmp_path / 'program.py').write_text(PROGRAM)
    command = [sys.executable, '-m', 'PyInstaller', '--log-level', 'ERROR', '--onedir', 'program.py']
    left = {name: value for name, value in os.environ.items() if not name.startswith(('PYTHON', 'COVERAGE'))}
    said = subprocess.run(command, cwd=str(tmp_path), env=left, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert 0 == said.returncode, said.stdout.decode()
    alone = {**left, 'KERAS_BACKEND': 'numpy', 'KERAS_BACKEND_QUIET': '1', 'KERAS_HOME': str(tmp_path / 'home')}
    path = arguments('keras224_python37_deep')['path']
    frozen = os.path.join(str(tmp_path), 'dist', 'program', 'program')
    ran = subprocess.run([frozen, path], cwd=str(tmp_path), env=alone, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (0, b'') == (ran.returncode, ran.stderr)
    assert ['numpy', '1.0'] == ran.stdout.decode().split()[:2]
    assert '2.2.4' == ran.stdout.decode().split()[-1]
