"""What `commands.devices` makes of the answer of the process that it asks."""

import subprocess
from types import SimpleNamespace

import pytest

from keras_backend.commands import devices
from keras_backend.errors import EngineImportFailed


def answering(monkeypatch, out=b'', err=b'', status=0):
    """Let the process say this."""
    done = SimpleNamespace(stdout=out, stderr=err, returncode=status)
    monkeypatch.setattr(subprocess, 'run', lambda *_arguments, **_options: done)


@pytest.mark.parametrize('said', [b'', b'Using JAX.\n', b'a\nb\nc\n'])
def test_the_last_line_is_the_answer(said, monkeypatch):
    """Libraries say something of their own before it."""
    answering(monkeypatch, said + b'{"device": "GPU 0", "threads": "up to 3"}\n')
    assert ('GPU 0', 'up to 3') == devices.ask('jax', '')


def test_an_engine_that_cannot_be_imported(monkeypatch):
    answering(monkeypatch, b'{"error": "no jaxlib"}\n')
    with pytest.raises(EngineImportFailed, match=r'^no jaxlib$'):
        devices.ask('jax', '')


@pytest.mark.parametrize('out', [b'', b'Using CNTK.\n', b'a\n{"half":\n'])
def test_a_library_that_ends_the_process(out, monkeypatch):
    answering(monkeypatch, out, b'first\nIllegal instruction\n', -4)
    with pytest.raises(EngineImportFailed, match=r'status -4\): Illegal instruction$'):
        devices.ask('cntk', '')
    answering(monkeypatch, out, b'', 1)
    with pytest.raises(EngineImportFailed, match=r'status 1\): no word$'):
        devices.ask('cntk', '')
