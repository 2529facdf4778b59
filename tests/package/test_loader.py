"""From the name of an engine to its namespace, and what is said when that fails."""

import inspect
import json
import os
import pickle
import sys
import threading
import types
from unittest import mock

import pytest
from processes import fail, python, run

from keras_backend import config, loader
from keras_backend.basics import installed
from keras_backend.contract import CONTRACT, SETTINGS
from keras_backend.errors import (
    ConfigError,
    EngineError,
    EngineImportFailed,
    EngineNotFound,
    EngineNotInstalled,
    EngineRecursion,
    NotAnEngine,
    UnsupportedByEngine,
)

ENGINE = '''
    """An engine of floats."""
    def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
        return name

    def variable(value, dtype=None, name=None, constraint=None):
        return float(value)

    def function(inputs, outputs, updates=None, **kwargs):
        return lambda values: outputs

    def abs(x):
        return x if x >= 0 else -x

    def epsilon():
        return 'never taken'
'''


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Writes modules to a folder on sys.path; returns the folder."""
    folder = tmp_path / 'modules'
    folder.mkdir()

    def write(**sources):
        for name, source in sources.items():
            path = folder.joinpath(*name.split('__')).with_suffix('.py')
            for package in reversed([p for p in path.parents if folder in p.parents]):
                package.mkdir(exist_ok=True)
                (package / '__init__.py').touch()
            path.write_text(inspect.cleandoc(source) + '\n')
        return folder

    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield write
    for name in set(sys.modules) - before:
        if 'my_' in name:
            del sys.modules[name]
            loader._loaded.pop(name.rpartition('external.')[2], None)


def refused(name, error, source='the environment variable KERAS_BACKEND', danger=None):
    """The message with which an engine is refused."""
    # Another test of this process may have loaded the engine.
    with mock.patch.dict(loader._loaded, clear=True), pytest.raises(error) as caught:
        loader.namespace_of(name, source, danger)
    assert isinstance(caught.value, ImportError if error is not ConfigError else ValueError)
    assert error is ConfigError or name == caught.value.engine
    assert error is type(caught.value)
    return str(caught.value), caught.value


# -- what is found -----------------------------------------------------------------------------------------------------


def test_external_module(place):
    """A dotted module becomes a complete namespace: its functions, composed ones, settings, stubs; itself unchanged."""
    place(my_package__my_engine=ENGINE)
    K = loader.load('my_package.my_engine')
    import my_package.my_engine as module

    assert K is not module
    assert K.abs is module.abs
    assert {'_engine', 'softsign'}.isdisjoint(vars(module))
    assert 0.5 == K.softsign(1.0)
    assert K.softsign.__module__ == K.__name__
    assert config.epsilon() == K.epsilon()
    assert 'never taken' == module.epsilon()
    assert 'my_package.my_engine' == K.backend() == K._engine.name
    assert set(CONTRACT) == set(K.__all__)
    with pytest.raises(UnsupportedByEngine, match='my_package.my_engine'):
        K.ctc_decode(None, None)
    assert None is module.placeholder.__doc__
    assert K.__doc__ == module.__doc__
    assert pickle.loads(pickle.dumps(K.softsign)) is K.softsign
    assert dict.fromkeys(SETTINGS, 'setting') == {name: K._engine.origins[name] for name in SETTINGS}


def test_top_level_module(place):
    """A module without a dot is an engine, too."""
    place(my_engine=ENGINE)
    assert 3.0 == loader.load(' my_engine ').variable(3)


def test_module_that_computes_its_attributes(place):
    """Functions that a module makes on demand are found."""
    place(my_lazy=ENGINE)
    import my_lazy

    class Lazy(types.ModuleType):
        def __getattr__(self, name):
            if name == 'exp':
                return lambda x: 'lazy'
            raise AttributeError(name)

    my_lazy.__class__ = Lazy
    assert 'lazy' == loader.load('my_lazy').exp(1)


def test_module_with_an_engine_of_its_own(place):
    """A module that calls a thing of its own `_engine` is an engine like any other, and keeps the thing."""
    place(my_motor=inspect.cleandoc(ENGINE) + '\n_engine = "steam"\ndef exp(x): return _engine')
    K = loader.load('my_motor')
    assert 'my_motor' == K.backend()
    assert K._engine.supports('exp')
    assert 'steam' == K.exp(1.0)


def test_engine_that_completed_itself(place):
    """A module that calls `binding.complete` is its own namespace, with its own title."""
    place(
        my_complete=inspect.cleandoc(ENGINE) + '\nfrom keras_backend.binding import complete\n'
        'complete(globals(), title="Mine", name="mine")'
    )
    K = loader.load('my_complete')
    assert K is sys.modules['my_complete']
    assert ('Mine', 'mine') == (K._engine.title, K.backend())


@pytest.mark.parametrize('scan', [False, True])
def test_entry_point(place, monkeypatch, scan):
    """An entry point names a module; it is found with importlib.metadata, and without it as on Python 3.6 and 3.7."""
    folder = place(my_plugin=ENGINE)
    for name, points in [
        ('other-1.0.dist-info', '[console_scripts]\nmine = other:main\n'),
        ('my_dist-2.5.dist-info', '# x\n[keras_backend.engines]\nmine = my_plugin\n\n[x]\ny = z\n'),
    ]:
        (folder / name).mkdir()
        (folder / name / 'entry_points.txt').write_text(points)
        (folder / name / 'METADATA').write_text(
            'Metadata-Version: 2.1\nName: {}\nVersion: {}\n\nName: no\n'.format(*tuple(name[:-10].split('-')))
        )
    if scan:
        monkeypatch.setattr(installed, '_distributions', installed._scan)
    assert ('my_plugin', 'my_dist') == installed.entry_points(loader.GROUP)['mine']
    assert '2.5' == installed.version(['absent', 'My.Dist'])
    found = loader.find('mine', 'default')
    assert ('mine', 'mine', 'my_plugin', 'entry point') == found
    K = loader.namespace_of('mine', 'default')
    assert 0.5 == K.softsign(1.0)
    assert 'mine' == K.backend()
    loader._loaded.pop('mine')
    assert "'mine'" in refused('minne', EngineNotFound)[0]


def test_same_name_same_namespace(place):
    """An engine is loaded once per process, from many threads too."""
    place(my_once=ENGINE)
    loaded, gate = [], threading.Barrier(8)

    def load():
        gate.wait()
        loaded.append(loader.load('my_once'))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 8 == len(loaded)
    assert 1 == len({id(K) for K in loaded})


@pytest.mark.parametrize('spelled', ['numpy', ' NumPy ', 'keras_backend.engines.numpy_backend'])
def test_built_in(spelled):
    """The built-in engine is found by its name, blanks and letter case forgiven, and by its module."""
    import keras_backend.engines.numpy_backend as module

    assert loader.load(spelled) is module


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('tensorfow', ["no module 'tensorfow' on sys.path", "Did you mean 'tensorflow'?", "'numpy'"]),
        ('my_nowhere.engine', ["no module 'my_nowhere' on sys.path", 'KERAS_BACKEND']),
        ('json.engine', ["no module 'json.engine'"]),
        ('json.decoder.engine', ["no module 'json.decoder.engine'"]),
        ('/home/me/engine.py', ['dotted name of a module', 'PYTHONPATH']),
        ('my..engine', ['dotted name of a module']),
        ('my engine', ['dotted name of a module']),
        ('.engine', ['dotted name of a module']),
        ('openvino', ['engine of Keras 3', "'numpy'", 'KERAS_BACKEND=numpy']),
    ],
)
def test_no_such_engine(name, words):
    """A name that leads nowhere is told with who asked, what is possible and what was probably meant."""
    message, _error = refused(name, EngineNotFound)
    assert message.startswith(f'keras_backend was asked for the engine {name!r} by the environment variable KERAS_')
    for word in words:
        assert word in message


def test_engine_that_is_not_built_yet(monkeypatch):
    """A built-in name whose engine this version lacks says so."""
    monkeypatch.setattr(installed, 'spec', lambda module: None)
    message, _error = refused('theano', EngineNotFound, source='default')
    assert "asked for the engine 'theano' by default, but this version of keras_backend does not have it" in message
    assert 'python -m keras_backend use numpy' in message


@pytest.mark.parametrize(
    ('source', 'line', 'cause', 'words'),
    [
        ('import json\n\nraise RuntimeError("no device")', 3, RuntimeError, 'RuntimeError: no device'),
        ('x = 1\nimport my_absent_dependency', 2, ModuleNotFoundError, "No module named 'my_absent_dependency'"),
        ('from json import nothing', 1, ImportError, 'cannot import name'),
        ('x = 1\ny = = 2', 2, SyntaxError, 'invalid syntax'),
        ('import sys\nsys.exit("no licence")', 2, SystemExit, 'no licence'),
        ('import json\njson.loads("[")', 2, ValueError, 'JSONDecodeError'),
    ],
)
def test_module_that_fails(place, source, line, cause, words):
    """A module that fails on its own tells its own error, chained, with the line in it that failed."""
    folder = place(my_package__my_broken=source)
    message, error = refused('my_package.my_broken', EngineImportFailed)
    path = os.path.join(str(folder), 'my_package', 'my_broken.py')
    assert f'was found, but failed while being imported, at {path}, line {line}: ' in message
    assert words in message
    # That is a hint for modules that import Keras.
    assert 'before keras_backend' not in message
    assert isinstance(error.__cause__, cause)


def test_package_that_fails_inside(place):
    """In a package the line shown is the deepest of its own."""
    folder = place(my_rooms__linalg='x = 1\nimport json\njson.loads("")')
    (folder / 'my_rooms' / '__init__.py').write_text('from . import linalg')
    message, _error = refused('my_rooms', EngineImportFailed)
    assert f'at {os.path.join(str(folder), "my_rooms", "linalg.py")}, line 3: ' in message


@pytest.mark.parametrize(
    ('version', 'own_error', 'words'),
    [
        ((3, 11), False, f'Type: pip install "{installed.requirement("tensorflow")}"'),
        ((3, 11), True, f'Type: pip install "{installed.requirement("tensorflow")}"'),
        ((3, 6), False, 'cannot be: it needs Python 3.10 or later, and this is Python 3.6'),
    ],
)
def test_library_is_not_installed(monkeypatch, version, own_error, words):
    """Where the library of an engine is absent, the message says what to type, or that this Python is too old."""

    def absent(module):
        error = ModuleNotFoundError("No module named 'tensorflow'", name='tensorflow')
        if own_error:
            raise EngineNotInstalled('The engine says so itself.') from error
        raise error

    monkeypatch.setattr(loader, 'is_built', lambda name: True)
    monkeypatch.setattr(loader, 'import_module', absent)
    # Whatever is installed where the tests run.
    monkeypatch.setattr(loader, 'has_library', lambda name: name in ('numpy', 'jax'))
    monkeypatch.setattr(loader.sys, 'version_info', version + (0, 'final', 0))
    message, error = refused('tensorflow', EngineNotInstalled, source='/home/me/.keras/keras.json, line 5')
    assert 'by /home/me/.keras/keras.json, line 5, but TensorFlow is not installed' in message
    assert words in message
    assert error.__suppress_context__
    assert 'an engine whose library is here (jax, numpy): KERAS_BACKEND=jax' in message


@pytest.mark.parametrize(
    ('name', 'version', 'end'),
    [
        ('numpy', (3, 11), 'NumPy is not installed in {prefix}. Type: pip install "numpy"'),
        ('jax', (3, 11), 'JAX is not installed in {prefix}. Type: pip install "' + installed.requirement('jax') + '"'),
        ('cntk', (3, 11), 'and this is Python 3.11. Type: pip install "numpy", the engine for every Python'),
    ],
)
def test_nothing_is_installed(monkeypatch, name, version, end):
    """No engine runs without NumPy, so none is offered, though its library is here."""
    monkeypatch.setattr(loader, 'has_library', lambda name: name == 'torch')
    monkeypatch.setattr(loader.sys, 'version_info', version + (0, 'final', 0))
    assert loader.not_installed(name, 'default').endswith(end.format(prefix=sys.prefix))


def test_another_absent_library_is_a_failure(monkeypatch):
    """A built-in engine whose library lacks one of its own parts is not told to be absent."""

    def absent(module):
        raise ModuleNotFoundError("No module named 'google'", name='google')

    monkeypatch.setattr(loader, 'is_built', lambda name: True)
    monkeypatch.setattr(loader, 'import_module', absent)
    assert "No module named 'google'" in refused('tensorflow', EngineImportFailed)[0]


def test_errors_of_an_engine_are_its_own(place):
    """A typed error that an engine raises while it is imported arrives as it is."""
    place(my_picky='from keras_backend.errors import EngineError\nraise EngineError("libmpi.so.12 is missing", "mine")')
    with pytest.raises(EngineError, match='^libmpi.so.12 is missing$'):
        loader.load('my_picky')


@pytest.mark.parametrize(
    ('source', 'lacking'),
    [
        ('def variable(value): pass', 'no placeholder, no function'),
        ('placeholder = 1\ndef variable(value): pass\ndef function(inputs, outputs): pass', 'no placeholder'),
        ('', 'no placeholder, no variable, no function'),
    ],
)
def test_module_that_is_no_engine(place, source, lacking):
    """All required functions that a module lacks are told at once, with the file of the module."""
    folder = place(my_half=source)
    message, _error = refused('my_half', NotAnEngine)
    assert f'is not an engine: it has {lacking}. An engine has at least placeholder, variable, function.' in message
    assert os.path.join(str(folder), 'my_half.py') in message


def test_completed_engine_without_the_required(place):
    """Stubs for missing functions do not make an engine."""
    place(my_stubs='from keras_backend.binding import complete\ncomplete(globals(), title="Mine", name="mine")')
    assert 'no placeholder, no variable, no function' in refused('my_stubs', NotAnEngine)[0]


@pytest.mark.parametrize('name', ['keras_backend', 'keras_backend.__init__', 'keras_backend.__main__'])
def test_itself(name, tmp_path):
    """keras_backend is not its own engine, and an import that is told so fails."""
    assert 'which is keras_backend itself' in refused(name, EngineRecursion)[0]
    assert 'which is keras_backend itself' in fail('import keras_backend', home=tmp_path, backend=name)


def test_parts_of_itself_are_no_engines():
    """A part of keras_backend that is no engine is told so."""
    assert 'is not an engine' in refused('keras_backend.contract', NotAnEngine)[0]


def test_engine_that_needs_k(place, tmp_path):
    """An engine that touches K while it is imported as the engine of K is told what it may use."""
    folder = place(my_circle='import keras_backend as K\nhalf = K.constant(0.5)')
    for code in ('import keras_backend', 'import my_circle'):
        last = fail(code, home=tmp_path, backend='my_circle', path=[folder])
        assert last.startswith('keras_backend.errors.EngineRecursion: ')
        assert 'use K inside functions only' in last


@pytest.mark.slow
def test_engine_that_uses_k_in_functions(place, tmp_path):
    """An engine may import keras_backend and use K in its functions, whoever is imported first."""
    folder = place(my_user=inspect.cleandoc(ENGINE) + '\nimport keras_backend as K\ndef square(x): return K.abs(x) * x')
    code = '%s; import keras_backend as K; print(K.square(-3), K.backend())'
    for first in ('import my_user', 'import keras_backend', 'import keras_backend.config'):
        assert '-9 my_user\n' == run(code % first, home=tmp_path, backend='my_user', path=[folder])


@pytest.mark.slow
@pytest.mark.parametrize('name', ['my_house.engine', 'mine'])
def test_engine_that_asks_for_this_package_by_its_name(place, tmp_path, name):
    """The modules of an engine may import keras_backend by its name at their top, whoever is imported first."""
    folder = place(
        my_house__engine=inspect.cleandoc(ENGINE) + '\nfrom keras_backend import errors, loader\nfrom . import half\n'
        'import keras_backend as K\ndef square(x): return K.abs(x) * x * half'
    )
    (folder / 'my_house' / '__init__.py').write_text('from keras_backend import config\nhalf = 0.5\n')
    information = folder / 'my_house-1.0.dist-info'
    information.mkdir()
    (information / 'METADATA').write_text('Metadata-Version: 2.1\nName: my_house\nVersion: 1.0\n')
    (information / 'entry_points.txt').write_text('[keras_backend.engines]\nmine = my_house.engine\n')
    code = '%s; import keras_backend as K; print(K.square(-3.0), K.backend())'
    for first in 'import my_house', 'import my_house.engine', 'import keras_backend', 'import keras_backend.config':
        assert f'-4.5 {name}\n' == run(code % first, home=tmp_path, backend=name, path=[folder]), first


# -- trust -------------------------------------------------------------------------------------------------------------


def test_danger(place):
    """Where others could have written the file, a module is refused with the way out, and built-in engines are not."""
    place(my_engine=ENGINE)
    message, error = refused('my_engine', ConfigError, '/tmp/keras.json, line 2', 'everybody may write in /tmp')
    assert ('backend', 'my_engine', '/tmp/keras.json, line 2') == (error.key, error.value, error.source)
    assert 'everybody may write in /tmp. Mend that, or set KERAS_BACKEND=my_engine.' in message
    for name in ('numpy', 'keras_backend.engines.numpy_backend'):
        assert loader.find(name, '/tmp/keras.json, line 2', 'everybody may write in /tmp')


@pytest.mark.skipif(os.name != 'posix', reason='needs permissions')
def test_code_of_a_file_that_others_may_write_does_not_run(place, tmp_path):
    """A module named in a file that others may write is not imported; named by the variable it is."""
    folder = place(my_trap='open("trapped", "w").close()\n' + inspect.cleandoc(ENGINE))
    path = tmp_path / 'keras.json'
    path.write_text('{"backend": "my_trap"}')
    path.chmod(0o666)
    status, _out, err = python('-c', 'import keras_backend', home=tmp_path, path=[folder], cwd=tmp_path)
    assert 1 == status
    assert f'others may write the file (type: chmod go-w {path})' in err
    assert not (tmp_path / 'trapped').exists()
    run('import keras_backend', home=tmp_path, path=[folder], cwd=tmp_path, backend='my_trap')
    assert (tmp_path / 'trapped').exists()
    path.chmod(0o644)
    run('import keras_backend', home=tmp_path, path=[folder], cwd=tmp_path)


@pytest.mark.parametrize(
    ('record', 'expected'),
    [
        (None, 'keras_backend[jax]'),
        ({'url': 'file://{there}', 'dir_info': {}}, '{there}[jax]'),
        ({'url': 'file://{there}/gone', 'dir_info': {}}, 'keras_backend[jax]'),
        (
            {'url': 'https://example.org/k.git', 'vcs_info': {'vcs': 'git', 'commit_id': 'a1'}},
            'keras_backend[jax] @ git+https://example.org/k.git',
        ),
        ({'url': 'https://example.org/k.whl', 'archive_info': {}}, 'keras_backend[jax] @ https://example.org/k.whl'),
    ],
)
def test_what_to_give_to_pip(tmp_path, monkeypatch, record, expected):
    """Messages say what pip can install today: the folder or the address that the package came from, else its name."""
    folder = tmp_path / 'site' / 'keras_backend-9.dist-info'
    folder.mkdir(parents=True)
    (folder / 'METADATA').write_text('Metadata-Version: 2.1\nName: keras_backend\nVersion: 9\n')
    if record is not None:
        (folder / 'direct_url.json').write_text(json.dumps(record).replace('{there}', str(tmp_path)))
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setattr(installed, '__file__', str(tmp_path / 'site' / 'keras_backend' / 'basics' / 'installed.py'))
    assert expected.replace('{there}', str(tmp_path)) == installed.requirement('jax')


def test_checkout_is_given_to_pip(tmp_path, monkeypatch):
    """Where the package is imported from a checkout, pip is given the folder of the checkout."""
    (tmp_path / 'pyproject.toml').write_text('')
    monkeypatch.setattr(installed, '__file__', str(tmp_path / 'keras_backend' / 'basics' / 'installed.py'))
    assert f'{tmp_path}[torch]' == installed.requirement('torch')


@pytest.mark.parametrize(
    ('short', 'meant'), [('tf', 'tensorflow'), ('TF', 'tensorflow'), ('th', 'theano'), ('PyTorch', 'torch')]
)
def test_short_names(short, meant):
    """A short name of an engine is refused with the name that was meant."""
    message, _error = refused(short, EngineNotFound)
    assert f'Did you mean {meant!r}?' in message


def test_long_reasons_are_cut(tmp_path, monkeypatch):
    """Of what an engine says when it fails, the message has as much as can be read; the cause has all of it."""
    (tmp_path / 'my_wordy.py').write_text('raise ValueError("the reason " + "x" * 5000)')
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(EngineImportFailed, match='ValueError: the reason x+ ... ') as caught:
        loader.load('my_wordy')
    assert len(str(caught.value)) < 1200
    assert len(str(caught.value.__cause__)) > 5000
