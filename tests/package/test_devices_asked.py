"""What `commands.devices` makes of the answer of the process that it asks."""

import json
import subprocess
import sys
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


# -- what each library is asked ----------------------------------------------------------------------------------------


@pytest.fixture
def four_processors(monkeypatch):
    monkeypatch.setattr(devices, 'processors', lambda: 4)


@pytest.mark.parametrize(
    ('gpus', 'threads', 'expected'),
    [
        ([], 0, ('CPU', 'up to 4')),
        ([('GPU', 'a')], 2, ('GPU Tesla', 'up to 2')),
        ([('GPU', 'a'), ('GPU', 'b')], 2, ('GPU Tesla, GPU b', 'up to 2')),
    ],
)
def test_devices_of_tensorflow(gpus, threads, expected, four_processors, monkeypatch):
    listed = [SimpleNamespace(device_type=kind, name=name) for kind, name in gpus]
    settings = SimpleNamespace(
        experimental=SimpleNamespace(
            get_device_details=lambda gpu: {'device_name': 'Tesla'} if gpu.name == 'a' else {}
        ),
        list_physical_devices=lambda kind: listed if kind == 'GPU' else [],
        threading=SimpleNamespace(get_intra_op_parallelism_threads=lambda: threads),
    )
    monkeypatch.setitem(sys.modules, 'tensorflow', SimpleNamespace(config=settings))
    assert devices._tensorflow() == expected


@pytest.mark.parametrize(
    ('kind', 'has_gpu', 'expected'),
    [
        ('cpu', False, 'CPU'),
        ('cpu', True, 'CPU, beside a GPU (see torch.set_default_device)'),
        ('cuda', True, 'GPU Tesla'),
        ('mps', False, 'MPS'),
    ],
)
def test_devices_of_pytorch(kind, has_gpu, expected, monkeypatch):
    cuda = SimpleNamespace(is_available=lambda: has_gpu, get_device_name=lambda device: 'Tesla')
    empty = SimpleNamespace(device=SimpleNamespace(type=kind))
    library = SimpleNamespace(cuda=cuda, empty=lambda shape: empty, get_num_threads=lambda: 3)
    monkeypatch.setitem(sys.modules, 'torch', library)
    assert devices._torch() == (expected, '3')


@pytest.mark.parametrize(
    ('platform', 'count', 'expected'), [('cpu', 1, 'CPU'), ('gpu', 1, 'gpu Tesla'), ('cpu', 8, 'CPU, 8 of them')]
)
def test_devices_of_jax(platform, count, expected, four_processors, monkeypatch):
    chips = [SimpleNamespace(platform=platform, device_kind='Tesla')] * count
    monkeypatch.setitem(sys.modules, 'jax', SimpleNamespace(devices=lambda: chips))
    assert devices._jax() == (expected, 'up to 4')


@pytest.mark.parametrize(
    ('library', 'settings', 'expected'),
    [
        ('theano', {'cxx': 'g++', 'openmp': True, 'device': 'cpu'}, ('CPU, compiled by g++', 'up to 4')),
        ('theano', {'cxx': 'g++', 'openmp': False, 'device': 'cuda0'}, ('cuda0, compiled by g++', 'those of its BLAS')),
        ('pytensor', {'cxx': ''}, ('CPU, without a C++ compiler, which is slow', 'those of its BLAS')),
    ],
)
def test_devices_of_theano(library, settings, expected, four_processors, monkeypatch):
    monkeypatch.setitem(sys.modules, 'theano', None)
    monkeypatch.setitem(sys.modules, library, SimpleNamespace(config=SimpleNamespace(**settings)))
    assert devices._theano() == expected


def test_devices_of_cntk(monkeypatch):
    limits = SimpleNamespace(get_max_num_cputhreads=lambda: 2)
    library = SimpleNamespace(device=SimpleNamespace(use_default_device=lambda: 'CPU 1'), cntk_py=limits)
    monkeypatch.setitem(sys.modules, 'cntk', library)
    assert devices._cntk() == ('CPU 1', '2')


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
