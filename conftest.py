"""What holds for all tests: the user's settings are out of reach, and no test changes those of the next one."""

import gc
import importlib.util
import json
import os
import sys
import tempfile

import pytest

# The 25,000 tests that pytest finds stay in memory until the end, so the garbage collector need not look at them.
gc.disable()

# Before NumPy is imported: tests are small, and threads of its BLAS fight each other for the cores.
for variable in 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS':
    os.environ.setdefault(variable, '1')

_home = tempfile.TemporaryDirectory(prefix='keras_home_')
os.environ['KERAS_HOME'] = _home.name
os.environ['KERAS_BACKEND_QUIET'] = '1'
os.environ.setdefault('KERAS_BACKEND', 'numpy')
# Else CNTK would see none of this work.
os.environ['KERAS_BACKEND_CNTK_GRAPHS'] = 'all'


# What KERAS_BACKEND says, and the folders and files of tests/ that run then. docs/architecture.md has a table of them.
ON_EVERY_ENGINE = ['every_engine', 'misuse', 'files', 'examples', 'documents', 'benchmarks', 'original', 'smoke']
# Of these folders, what needs no engine runs once, on NumPy.
ONCE = ['documents/test_documents.py', 'documents/test_readme.py', 'examples/test_example_layers.py']
ONCE += ['documents/test_engines_table.py', 'documents/test_revived.py', 'examples/test_array_api_engine.py']
ONCE += ['documents/test_figures.py', 'documents/test_long_sentences.py']
ONCE += [f'files/test_{name}.py' for name in ('attacks', 'audited_files', 'file_fuzz', 'fuzzing')]
ONCE += [f'files/test_{name}.py' for name in ('hostile_files', 'pseudo_code', 'refusals', 'separate_process')]
WITHOUT_ENGINES = [
    'package',
    'config',
    'contract',
    'user_module',
    'conformance',
    'external_engines',
    'front',
    'graph',
    'kernels',
    'keras2_check',
    'keras3_check',
    'prove',
    'migrate',
    'run',
    'notebooks',
]
# A patch needs Python 3.8, and so does a hook that audits.
OF_PATCHES = ['migrate/test_migrate_rules.py', 'migrate/test_migrate_sweep.py', 'programs/test_migrated_programs.py']
CLIENTS = ['clients', 'programs']
# Programs of 2019 to 2023, for Keras 3 alone; those of Keras 2.
OF_KERAS_3 = ['programs/keras3']
# The same on the package tf_keras.
OF_TF_KERAS = ['programs/tf_keras']
OF_KERAS_2 = [f'programs/test_{name}.py' for name in ('programs', 'saved_by_original', 'migrated_programs', 'run_door')]


# What takes most of the time and finds few errors that no other test finds. Single tests are marked where they are.
SLOW = ['original', 'examples', 'external_engines', 'benchmarks', 'conformance/test_conformance_tools.py']
SLOW += ['conformance/test_engines_plugin.py']
SLOW += ['misuse/test_run_values.py']
# Tests of the tools of the tests, and pages that are followed step by step.
SLOW += ['package/test_plugins.py', 'graph/test_program_tools.py', 'every_engine/test_how_to_add.py']
SLOW += ['package/test_how_to_add_an_engine.py', 'package/test_how_to_add_to_the_wings.py']
# Many processes, or engines that run in one.
SLOW += ['files/test_audited_files.py', 'every_engine/test_same_bits.py', 'every_engine/test_same_losses.py']
SLOW += ['every_engine/test_engines_together.py', 'every_engine/test_prove_engines.py']
SLOW += [
    'documents/test_readme.py',
    'documents/test_support_page.py',
    'package/test_import.py',
    'package/test_command.py',
]


def _left_out(engine):
    """The folders and files of tests/ that do not run for `engine`, which is what KERAS_BACKEND says.

    An engine that has no folder in tests/engines counts as NumPy. A client names its engine by the module. Inside of
    Keras 3, where KERAS_BACKEND says what Keras runs on, TEST_ENGINE is keras3, and tf_keras on that package.
    TEST_ORIGINAL=no leaves out original/.
    exporting/ runs where onnx is installed, and where TEST_EXPORT says that it has to be.
    The environment docs, which has built the site, says SITE and tests nothing else. TEST_NOTEBOOKS names the
    notebooks that run, and then nothing else does.
    """
    folders = {name for name in os.listdir(TESTS) if os.path.isdir(os.path.join(TESTS, name))} - {'engines'}
    engines = {'engines/' + name for name in os.listdir(os.path.join(TESTS, 'engines'))}
    if sys.version_info < (3, 8):
        engines |= {*OF_PATCHES, 'files/test_audited_files.py'}
    if 'SITE' in os.environ:
        return (folders | engines) - {'site'}
    if 'TEST_NOTEBOOKS' in os.environ:
        return (folders | engines) - {'notebooks'}
    folders.add('notebooks/test_notebooks_run.py')
    if engine.startswith('keras_backend.engines.'):
        return (folders | engines | {*OF_KERAS_3, *OF_TF_KERAS}) - set(CLIENTS)
    if os.environ.get('TEST_ENGINE') == 'tf_keras':
        return (folders | engines | {*OF_KERAS_2, *OF_KERAS_3}) - {'programs'}
    if os.environ.get('TEST_ENGINE') == 'keras3':
        return (folders | engines | {*OF_KERAS_2, *OF_TF_KERAS}) - {'programs', 'engines/keras3'}
    own = 'engines/' + engine if 'engines/' + engine in engines else 'engines/numpy'
    run = {own, *ON_EVERY_ENGINE, *(WITHOUT_ENGINES if own == 'engines/numpy' else [])}
    if importlib.util.find_spec('onnx') is not None or 'TEST_EXPORT' in os.environ:
        run.add('exporting')
    if os.environ.get('TEST_ORIGINAL') == 'no':
        run.remove('original')
    return (folders | engines | (set(ONCE) if own != 'engines/numpy' else set())) - run


TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tests')
collect_ignore = [os.path.join(TESTS, *name.split('/')) for name in _left_out(os.environ['KERAS_BACKEND'])]


def _unreached():
    """The files of tests that the change which .ci/run tests does not reach in this environment of tox."""
    if 'TEST_PLAN' not in os.environ:
        return []
    with open(os.environ['TEST_PLAN'], encoding='utf-8') as file:
        plan = json.load(file).get(os.environ.get('TOX_ENV_NAME', ''), {})
    return [os.path.join(os.path.dirname(TESTS), *path.split('/')) for path in plan.get('left_out', [])]


collect_ignore += _unreached()

# How CI runs a share of the slow tests, and counts what is skipped.
pytest_plugins = ['rotating', 'skip_budget']

# Their asserts show the values, as those of the tests do.
pytest.register_assert_rewrite('processes', 'launched', 'program_checks', 'threads_and_forks')


def pytest_configure(config):
    """The tests have what they need, and a run without arguments takes in the conformance tests."""
    config.slow_left_out = 0
    absent = [
        name for name in ('numpy', 'scipy', 'hypothesis', 'h5py', 'yaml') if importlib.util.find_spec(name) is None
    ]
    if int(pytest.__version__.split('.')[0]) < 7:
        absent.append('pytest 7 or later')
    if absent:
        raise pytest.UsageError(f'The tests need {" and ".join(absent)}; type: pip install ".[test]"')
    import hypothesis

    # The same examples on every run.
    hypothesis.settings.register_profile('keras_backend', derandomize=True, deadline=None, database=None)
    hypothesis.settings.load_profile('keras_backend')
    config.addinivalue_line('markers', 'slow: left out unless pytest is given -m ""')
    typed = set(config.args) & set(config.invocation_params.args)
    if (
        config.args == config.getini('testpaths')
        and not typed
        and os.path.join(TESTS, 'conformance') not in collect_ignore
    ):
        # Those of the package that is tested, which may be an installed one. They come first: to an older pytest the
        # fixtures of an installed conftest.py are for all tests, and those that are read later come before them.
        package = os.path.dirname(importlib.util.find_spec('keras_backend').origin)
        config.args = [os.path.join(package, 'conformance'), *config.args]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks what SLOW names, before the marks choose."""
    slow = tuple(os.path.join(TESTS, *name.split('/')) for name in SLOW)
    for item in items:
        if str(item.fspath).startswith(slow):
            item.add_marker('slow')


def pytest_collection_finish():
    if hasattr(gc, 'freeze'):  # Python 3.7
        gc.freeze()
    # A look at all young objects every 700 of them, which is usual, takes 5 % of the time.
    gc.set_threshold(20000, 20, 20)
    gc.enable()


def pytest_deselected(items):
    for item in items:
        item.config.slow_left_out += item.get_closest_marker('slow') is not None


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and 'TEST_PLAN' in os.environ:
        session.exitstatus = pytest.ExitCode.OK
    if hasattr(session.config, 'workeroutput'):
        session.config.workeroutput['slow'] = session.config.slow_left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A worker of pytest-xdist has chosen its tests."""
    node.config.slow_left_out = getattr(node, 'workeroutput', {}).get('slow', 0)


def pytest_unconfigure(config):
    """The last line of a run without the slow tests."""
    terminal = config.pluginmanager.get_plugin('terminalreporter')
    if terminal is not None and config.slow_left_out:
        terminal.write_line(f'{config.slow_left_out} slow tests were left out. To run all: python -m pytest -m ""')


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
