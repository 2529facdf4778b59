"""What holds for all tests: the user's settings are out of reach, and no test changes those of the next one."""

import glob
import json
import os
import tempfile

# Before NumPy is imported: tests are small, and threads of its BLAS fight each other for the cores.
for variable in 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS':
    os.environ.setdefault(variable, '1')

_home = tempfile.TemporaryDirectory(prefix='keras_home_')
os.environ['KERAS_HOME'] = _home.name
os.environ['KERAS_BACKEND_QUIET'] = '1'
os.environ.setdefault('KERAS_BACKEND', 'numpy')

# An engine other than NumPy has its own tests, in its own environment: KERAS_BACKEND says which those are.
_engine = os.environ['KERAS_BACKEND']
_tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tests')
_of_engines = {name: glob.glob(os.path.join(_tests, f'test_{name}_*.py')) for name in ('tensorflow', 'theano', 'cntk')}
_clients = [os.path.join(_tests, name) for name in ('clients', 'programs')]
if _engine.startswith('keras_backend.engines.'):
    # A client names its engine by the module.
    collect_ignore = [path for path in glob.glob(os.path.join(_tests, '*')) if path not in _clients]
elif _engine in _of_engines:
    _of_all = ('front', 'test_comparison.py', 'test_examples.py', 'test_layers_in_the_wild.py')
    _own = _of_engines[_engine] + [os.path.join(_tests, name) for name in _of_all]
    collect_ignore = [path for path in glob.glob(os.path.join(_tests, '*')) if path not in _own]
else:
    collect_ignore = [path for paths in _of_engines.values() for path in paths] + _clients

import hypothesis  # noqa: E402
import pytest  # noqa: E402

# The same examples on every run.
hypothesis.settings.register_profile('keras_backend', derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile('keras_backend')


@pytest.fixture(autouse=True)
def _settings():
    """The settings as they were, after every test."""
    from keras_backend import config  # here: the tests of a plain import have nothing imported before them

    saved = config.settings.saved()
    yield
    config.settings.restore(saved)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty KERAS_HOME, and no KERAS_BACKEND."""
    folder = tmp_path / 'home'
    folder.mkdir()
    monkeypatch.setenv('KERAS_HOME', str(folder))
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    return folder


@pytest.fixture
def write(home):
    """Writes keras.json: bytes, text, or an object."""

    def write(content):
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content, indent=4)
        path = home / 'keras.json'
        path.write_bytes(content if isinstance(content, bytes) else content.encode('utf-8'))
        path.chmod(0o644)
        return path

    return write
