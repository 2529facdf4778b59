"""What holds for all tests: the user's settings are out of reach, and no test changes those of the next one."""

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
# Else CNTK would see none of this work.
os.environ['KERAS_BACKEND_CNTK_GRAPHS'] = 'all'


def _ignored(engine):
    """The folders of tests/ that have no tests for `engine`, which is what KERAS_BACKEND says.

    An engine runs its own folder, every_engine/ and original/, unless TEST_ORIGINAL is no. The NumPy engine, or one
    that has no folder, runs all that no other engine and no client has for itself. Inside of Keras 3, where
    KERAS_BACKEND says what Keras runs on, TEST_ENGINE is keras3.
    """
    tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tests')
    folders = {name: os.path.join(tests, name) for name in os.listdir(tests)}
    if 'SITE' in os.environ:
        # The environment docs has built the site, and tests nothing else.
        return [path for name, path in folders.items() if name != 'site']
    engines = {name: os.path.join(folders['engines'], name) for name in os.listdir(folders['engines'])}
    clients = ('clients', 'programs')
    # Programs of 2019 to 2023, for Keras 3 alone.
    younger = os.path.join(folders['programs'], 'keras3')
    if engine.startswith('keras_backend.engines.'):
        # A client names its engine by the module.
        return [path for name, path in folders.items() if name not in clients] + [younger]
    if os.environ.get('TEST_ENGINE') == 'keras3':
        others = [path for name, path in folders.items() if name not in ('engines', 'programs')]
        others.append(os.path.join(folders['programs'], 'test_programs.py'))
        others.append(os.path.join(folders['programs'], 'test_saved_by_original.py'))
        return others + [path for name, path in engines.items() if name != 'keras3']
    own = engine if engine in engines else 'numpy'
    others = [path for name, path in engines.items() if name != own]
    if os.environ.get('TEST_ORIGINAL') == 'no':
        others.append(folders['original'])
    if own == 'numpy':
        return others + [folders[name] for name in (*clients, 'site')]
    return others + [path for name, path in folders.items() if name not in ('engines', 'every_engine', 'original')]


collect_ignore = _ignored(os.environ['KERAS_BACKEND'])

import hypothesis  # noqa: E402
import pytest  # noqa: E402

# Their asserts show the values, as those of the tests do.
pytest.register_assert_rewrite('processes', 'program_checks', 'threads_and_forks')

# The same examples on every run.
hypothesis.settings.register_profile('keras_backend', derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile('keras_backend')


@pytest.fixture(autouse=True)
def _settings():
    """The settings as they were, after every test."""
    from keras_backend.config import settings  # a part, which loads no engine

    saved = settings.saved()
    yield
    settings.restore(saved)


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
