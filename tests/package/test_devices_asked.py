"""What `commands.devices` makes of the answer of the process that it asks."""

import json
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


def test_a_library_that_takes_too_long(monkeypatch):
    def run(*arguments, **options):
        raise subprocess.TimeoutExpired(arguments, options['timeout'])

    monkeypatch.setattr(subprocess, 'run', run)
    with pytest.raises(EngineImportFailed, match=r'^The import of the jax engine takes more than 180 seconds\.$'):
        devices.ask('jax', '')


def answered(capsys, engine):
    """The answer of this process."""
    devices.main(engine, 'this test')
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_errors_are_answers(monkeypatch, capsys):
    """What a library raises is told in one line, and an engine that is not there by the sentence of the loader."""
    assert 'this test' in answered(capsys, 'numpi')['error']

    def ask():
        raise RuntimeError('no driver')

    monkeypatch.setitem(devices._ASK, 'numpy', ask)
    assert {'error': 'The numpy engine can be imported, but not asked: RuntimeError: no driver'} == answered(
        capsys, 'numpy'
    )


@pytest.mark.parametrize(
    ('config', 'name'),
    [
        (SimpleNamespace(show=lambda mode: {'Build Dependencies': {'blas': {'name': 'mkl', 'version': '1'}}}), 'mkl 1'),
        (SimpleNamespace(show=lambda: None, blas_opt_info={'libraries': ['openblas']}), 'openblas'),
        (SimpleNamespace(show=lambda: None, blas_opt_info={}), 'a BLAS that it does not name'),
    ],
)
def test_the_blas_of_old_and_new_numpy(config, name):
    assert name == devices._blas_name(SimpleNamespace(__config__=config))
