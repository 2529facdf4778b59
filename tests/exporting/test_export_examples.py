"""The examples of keras_backend.export: onnxruntime trains and explains as K does."""

import os
import re

import numpy as np
import onnxruntime
import pytest
from checkout import ROOT
from processes import python

EXAMPLES = os.path.join(ROOT, 'examples')


def said_by(name, tmp_path, *options):
    """What an example prints."""
    path = os.path.join(EXAMPLES, name)
    status, out, err = python(path, *options, home=tmp_path / 'home', backend='numpy', cwd=tmp_path)
    assert status == 0, out + err
    return out


@pytest.mark.parametrize('model', ['conv', 'lstm', 'mlp'])
def test_digits_by_onnxruntime(model, tmp_path):
    """The loss falls by the file as it falls by K, and another file reads with what K learned."""
    lines = said_by('export_digits.py', tmp_path, '--model', model).splitlines()
    by_file, by_k = [[float(n) for n in re.findall(r'\d\.\d{4}', line)] for line in lines if line.startswith('loss by')]
    assert by_file[1] < 0.4 * by_file[0]
    assert by_file == pytest.approx(by_k, abs=2e-3)
    assert float(re.search(r'read right by the second file: ([\d.]+)', '\n'.join(lines)).group(1)) > 75


def test_grad_cam_of_digits(tmp_path):
    """Heat is between 0 and 1, more of it lies on the digits than beside them, and the picture is drawn."""
    out = said_by('export_grad_cam.py', tmp_path)
    on, beside = map(float, re.search(r'heat on the ink ([\d.]+), beside it ([\d.]+)', out).groups())
    assert on > 1.2 * beside
    session = onnxruntime.InferenceSession(str(tmp_path / 'grad_cam.onnx'), providers=['CPUExecutionProvider'])
    heat, read = session.run(None, {'images': np.random.RandomState(0).uniform(size=(3, 8, 8)).astype('float32')})
    assert heat.shape == (3, 8, 8)
    assert 0 <= heat.min() <= heat.max() <= 1
    assert read.shape == (3,)
    assert (tmp_path / 'grad_cam.png').read_bytes().startswith(b'\x89PNG')
