"""`read(path, limit=SECONDS)`: what a library in C does to a damaged file is an error of ours."""

import os

import pytest
from files_of_models import arguments

from keras_backend import files
from keras_backend.__main__ import main
from keras_backend.errors import ConfigError, UnreadableFileError

PATH = arguments('keras224_python37_deep')['path']
# In the place of HDF5, which does both at damage: which bytes do it is another matter in each version.
ENDS = [
    ('import os\nos.abort()', 200, 'ends the process that reads it, with the status'),
    ('import time\ntime.sleep(60)', 1, 'is not read within 1 seconds, the limit'),
]


@pytest.mark.parametrize(('program', 'limit', 'message'), ENDS)
def test_library_that_does_not_come_back(program, limit, message, tmp_path, monkeypatch):
    (tmp_path / 'h5py.py').write_text(program)
    # Here h5py is imported already. The other process looks for it.
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UnreadableFileError, match=message):
        files.read(PATH, limit=limit)


def test_file_that_is_read():
    assert files.read(PATH, limit=200).weights.keys() == files.read(PATH).weights.keys()


@pytest.mark.slow
def test_limit_of_the_command(capsys):
    assert main(['model', PATH, '--limit', '200']) == 0
    assert 'parameters' in capsys.readouterr().out


def test_errors_are_those_of_a_reading_without_a_limit(tmp_path):
    path = tmp_path / 'x.h5'
    path.write_bytes(b'\x89HDF\r\n\x1a\n' + os.urandom(8))
    with pytest.raises(UnreadableFileError, match='no HDF5 file that can be opened'):
        files.read(str(path), limit=200)


@pytest.mark.parametrize('limit', [0, -1, '5', True, float('nan')])
def test_limits_that_are_none(limit):
    with pytest.raises(ConfigError, match='limit'):
        files.read(PATH, limit=limit)
