"""Programs of 2019 to 2023 on Keras 3, inside Keras 3 on JAX and PyTorch, with the numbers of tf_keras.

tf_keras.json has these numbers; record_tf_keras.py tells what the lines at the head of a program mean.
"""

import importlib.util

import pytest
from keras3_backends import INSIDE, launch
from program_records import differences, headers, programs, recorded, result

from .record_tf_keras import FOLDER, KEYS, RECORD, path_of


def said_by(name):
    """What a program says that it needs."""
    return headers(path_of(name), KEYS)


# A program that is for another backend is not collected: nothing that is listed as passed or skipped did not run.
HERE = [name for name in programs(FOLDER) if 'needs' not in said_by(name) or importlib.util.find_spec('tensorflow')]
RUNS = [(name, backend) for name in HERE for backend in said_by(name).get('backends', INSIDE)]


def marks(name):
    """Programs that compile many models are slow."""
    return [pytest.mark.slow] if 'slow' in said_by(name) else []


@pytest.mark.parametrize(
    ('name', 'backend'), [pytest.param(*run, marks=marks(run[0])) for run in RUNS if run[1] in INSIDE]
)
def test_program_on_keras_3(name, backend, tmp_path):
    """A program ends well under the launcher, and its numbers are those of tf_keras."""
    folder = tmp_path / 'folder'
    folder.mkdir()
    record = recorded(RECORD).get(name, {})
    # Most are recorded with tf_keras, whose optimizers are those of TensorFlow 2.11 and later.
    options = ['--as', '2.15'] if any(version.startswith('tf_keras') for version in record) else []
    status, out, err = launch(*options, path_of(name), backend=backend, home=tmp_path / 'home', cwd=folder)
    assert 0 == status, out + err
    found = result(out)
    assert found, 'a result without numbers'
    if said_by(name).get('original') != ['no']:
        (expected,) = record.values()
        assert [] == differences(found, expected)


def test_record_of_tf_keras():
    """The record has every program that tf_keras runs, and no other."""
    wanted = [name for name in programs(FOLDER) if said_by(name).get('original') != ['no']]
    assert wanted == sorted(recorded(RECORD))
