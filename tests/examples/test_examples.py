"""The examples run as the README says."""

import os
import subprocess
import sys

import pytest
from checkout import ROOT

pytest.importorskip('sklearn', reason='pip install "keras_backend[examples]"')


@pytest.mark.parametrize('model', ['conv', 'lstm', 'mlp'])
def test_digits(model, tmp_path):
    """The digits are read as accurately as the example asks of every engine, and the picture is drawn."""
    picture = tmp_path / 'digits.png'
    environment = dict(os.environ, KERAS_HOME=str(tmp_path), OMP_NUM_THREADS='1')
    command = [
        sys.executable,
        os.path.join(ROOT, 'examples', 'digits.py'),
        '--model',
        model,
        '--require',
        '0.95',
        '--picture',
        str(picture),
    ]
    run = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding='utf-8',
        errors='replace',
        cwd=str(tmp_path),
    )
    assert 0 == run.returncode, run.stdout
    assert picture.read_bytes().startswith(b'\x89PNG')
