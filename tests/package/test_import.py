"""What `import keras_backend` does, says, and leaves undone."""

import ast
import os
import sys

import pytest
from processes import IMPORTED_FROM, fail, python, run

import keras_backend
from keras_backend.contract import CONTRACT
from keras_backend.engines.table import ENGINES

PACKAGE = os.path.dirname(os.path.abspath(keras_backend.__file__))

SOURCE = """
def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None): pass
def variable(value, dtype=None, name=None, constraint=None): return value
def function(inputs, outputs, updates=None, **kwargs): pass
def abs(x): return x if x >= 0 else -x
"""


@pytest.fixture
def there(tmp_path):
    """Options of a process that finds the engines my_engine and my_other, and runs on my_engine."""
    for name in ('my_engine', 'my_other'):
        (tmp_path / (name + '.py')).write_text(SOURCE)
    return dict(home=tmp_path / 'home', path=[tmp_path], backend='my_engine')


# -- what it says ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('name', 'title'), [('numpy', 'NumPy'), ('NUMPY ', 'NumPy'), ('my_engine', 'my_engine')])
def test_engine_is_named_once(there, name, title):
    """The engine is named on stderr once, nothing goes to stdout, and a second engine is loaded in silence."""
    code = 'import keras_backend as K; import keras_backend; from keras_backend import *; K.load("my_other")'
    assert (0, '', f'Using {title} backend.\n') == python('-c', code, **dict(there, backend=name))


@pytest.mark.parametrize(('value', 'told'), [('1', False), ('yes', False), ('0', True), ('', True), ('false', True)])
def test_quiet(there, value, told):
    """KERAS_BACKEND_QUIET silences it."""
    out = python('-c', 'import keras_backend', KERAS_BACKEND_QUIET=value, **there)
    assert (0, '', 'Using my_engine backend.\n' if told else '') == out


def test_without_stderr(there):
    """Programs without a stderr, as on Windows without a console, import in silence."""
    assert 'my_engine\n' == run('import sys; sys.stderr = None; import keras_backend as K; print(K.backend())', **there)


def test_failure_says_nothing_else(there):
    """An engine that cannot be used is not announced."""
    status, _out, err = python('-c', 'import keras_backend', **dict(there, backend='my_absent'))
    assert 1 == status
    assert 'Using' not in err
    assert 'my_absent' in err.splitlines()[-1]


# -- what is loaded when -----------------------------------------------------------------------------------------------


def test_import_loads_few_modules(tmp_path):
    """What a first call does not need is imported by who needs it."""
    program = "import sys, keras_backend; print(*[name for name in sys.modules if name.startswith('keras_backend')])"
    assert len(run(program, home=tmp_path, backend='numpy').split()) <= 90


def test_import_brings_no_internet(tmp_path):
    """What reads addresses and sends mail takes longer to import than K. NumPy has imported what NumPy needs."""
    code = 'import sys, numpy; before = set(sys.modules); import keras_backend; print(*(set(sys.modules) - before))'
    brought = set(run(code, home=tmp_path, backend='numpy').split())
    assert 'keras_backend.front.nn' in brought
    assert set() == brought & {'urllib', 'urllib.parse', 'http', 'ssl', 'socket', 'email', 'tempfile', 'asyncio'}


@pytest.mark.parametrize(
    ('code', 'loaded'),
    [
        ('import keras_backend', True),
        ('import keras_backend as K', True),
        ('from keras_backend import dot', True),
        ('from keras_backend import config, dot', True),
        ('from keras_backend import *', True),
        ('import importlib; importlib.import_module("keras_backend")', True),
        ('__import__("keras_backend")', True),
        ('def f():\n    import keras_backend\nf()', True),
        ('import keras_backend.config', False),
        ('import keras_backend.engines.numpy_backend', False),
        ('from keras_backend.binding import complete', False),
        ('from keras_backend import config', True),
        ('from keras_backend import load, __version__', True),
        ('from keras_backend.config import settings', False),
        ('from keras_backend.loader import load', False),
        ('import importlib; importlib.import_module("keras_backend.config")', False),
        ('import importlib.util; importlib.util.find_spec("keras_backend.config")', False),
        ('import runpy; runpy.run_module("keras_backend.errors")', False),
        ('import pickle; pickle.loads(b"ckeras_backend.config\\nfloatx\\n.")', False),
        ('import keras_backend.config; import keras_backend', False),
        ('import keras_backend.config; import keras_backend; keras_backend.dot', True),
        ('import keras_backend.config; from keras_backend import errors, load', False),
        ('import keras_backend.config; from keras_backend import dot', True),
        ('import keras_backend.config; from keras_backend import *', True),
        ('import keras_backend.config as c; import keras_backend; hasattr(keras_backend, "nonsense")', False),
        ('import keras_backend.config as c; import keras_backend; hasattr(keras_backend, "__wrapped__")', False),
        ('import keras_backend.config as c; import keras_backend; dir(keras_backend)', False),
        ('import keras_backend.config as c; import keras_backend; keras_backend.load("my_other")', False),
        ('import keras_backend.config as c; import keras_backend; keras_backend.supports("dot")', True),
    ],
)
def test_engine_is_loaded_when_k_is_wanted(there, code, loaded):
    """An import of the package by its name loads the engine; the import of a part by its own name does not."""
    assert f'{loaded}\n' == run(code + '\nimport sys; print("my_engine" in sys.modules)', **there)


@pytest.mark.parametrize('statement', ['import keras_backend', 'from keras_backend import config, load'])
def test_failure_stops_every_import_by_name(there, statement):
    """Where the engine cannot be loaded, imports of the package by its name fail with the reason; parts import."""
    last = fail(statement, **dict(there, backend='my_absent'))
    assert last.startswith("keras_backend.errors.EngineNotFound: keras_backend was asked for the engine 'my_absent'")
    code = 'from keras_backend.loader import load; print(load("my_other").backend())'
    assert 'my_other\n' == run(code, **dict(there, backend='my_absent'))


@pytest.mark.parametrize('statement', ['import keras_backend as K', 'from keras_backend import config'])
def test_package_that_is_run_as_a_program(there, tmp_path, statement):
    """`python -m my_package` loads the engine when my_package imports K, as it does without `-m`."""
    package = tmp_path / 'my_package'
    package.mkdir()
    (package / '__init__.py').write_text(f'{statement}\nimport sys\nprint("my_engine" in sys.modules)\n')
    (package / '__main__.py').touch()
    assert (0, 'True\n') == python('-m', 'my_package', **there)[:2]


def test_command_loads_no_engine(there):
    """`python -m keras_backend` tells about the engine without importing it."""
    status, _out, err = (
        python('-X', 'importtime', '-m', 'keras_backend', **there)
        if sys.version_info >= (3, 7)
        else python('-v', '-m', 'keras_backend', **there)
    )
    assert 0 == status
    assert 'keras_backend.loader' in err
    assert 'my_engine' not in err


def test_no_engine_is_imported_before_it_is_chosen(there):
    """On one engine nothing of another one, nor of its library, is imported."""
    theirs = [library.module for engine in ENGINES.values() for library in engine.libraries if engine.name != 'numpy']
    ours = [engine.module for engine in ENGINES.values()] + ['keras_backend.graph']
    code = (
        'import sys, keras_backend; '
        f'print([m for m in sys.modules if m.startswith({tuple(["scipy"] + theirs + ours)})])'
    )
    assert '[]\n' == run(code, **there)
    assert 'tensorflow' not in run(code, **dict(there, backend='numpy'))


def test_import_writes_nothing(there, tmp_path):
    """An import makes no file anywhere, and leaves an existing keras.json alone."""
    work = tmp_path / 'work'
    work.mkdir()
    run('import keras_backend', cwd=work, **there)
    assert [] == os.listdir(str(work))
    assert not there['home'].exists()
    there['home'].mkdir()
    path = there['home'] / 'keras.json'
    path.write_text('{ "backend":"theano" , "mine": [1,2]}')
    before = path.stat().st_mtime_ns, path.stat().st_ino
    run('import keras_backend', cwd=work, **there)
    assert '{ "backend":"theano" , "mine": [1,2]}' == path.read_text()
    assert before == (path.stat().st_mtime_ns, path.stat().st_ino)


def test_configured_by_the_file(there):
    """Without the variable the file decides."""
    there['home'].mkdir()
    (there['home'] / 'keras.json').write_text('{"backend": "my_other", "floatx": "float64"}')
    code = 'import keras_backend as K; print(K.backend(), K.floatx())'
    assert 'my_other float64\n' == run(code, **dict(there, backend=None))


def test_bad_settings_stop_the_import(there):
    """A broken file stops the import with the error that shows file and line, and creates nothing."""
    there['home'].mkdir()
    path = there['home'] / 'keras.json'
    path.write_text('{"backend": "my_other",\n "floatx": 1}')
    last = fail('import keras_backend', **dict(there, backend=None))
    assert last.startswith(f'keras_backend.errors.ConfigError: {path}, line 2: floatx is 1, but it must be')


def test_failed_import_can_be_repeated(there):
    """After a failure the import can be tried again with other settings in the same process."""
    code = '\n'.join(
        [
            'import os',
            'try: import keras_backend',
            'except ImportError as error: print(error.engine)',
            'os.environ["KERAS_BACKEND"] = "my_engine"',
            'import keras_backend; print(keras_backend.backend())',
        ]
    )
    assert 'my_absent\nmy_engine\n' == run(code, **dict(there, backend='my_absent'))


# -- the face ----------------------------------------------------------------------------------------------------------


def test_names_are_plain_attributes(there):
    """After loading, K is a module whose functions are those of the engine, with no layer between."""
    code = '\n'.join(
        [
            'import sys, types, keras_backend as K, my_engine',
            'assert isinstance(K, types.ModuleType) and not hasattr(type(K), "__getattr__")',
            'assert type(K).__getattribute__ is types.ModuleType.__getattribute__',
            'assert vars(K)["abs"] is my_engine.abs',
            'assert K.softsign.__module__ == "keras_backend.external.my_engine"',
            f'assert K.softsign(1.0) == 0.5 and len(K.__all__) == {len(CONTRACT)} and K.__version__',
            'assert K.supports("softsign") and not K.supports("conv2d") and not K.supports("nonsense")',
            'assert {"load", "supports", "dot"} <= set(dir(K))',
            'try: K.sofmax',
            'except AttributeError as error: print(error)',
        ]
    )
    # Python 3.6 does not ask a module for what it lacks.
    instead = '; write K.softmax' if sys.version_info >= (3, 7) else ''
    assert f"module 'keras_backend' has no attribute 'sofmax'{instead}\n" == run(code, **there)


def test_star_import(there):
    """`from keras_backend import *` brings the names of K, and only them."""
    code = 'before = set(dir()); from keras_backend import *; print(",".join(sorted(set(dir()) - before - {"before"})))'
    assert ','.join(sorted(CONTRACT)) + '\n' == run(code, **there)


def test_second_engine(there):
    """`load` gives another engine beside K, and changes nothing about K."""
    code = '\n'.join(
        [
            'import keras_backend as K',
            'before = dict(vars(K))',
            'N = K.load("my_other")',
            'assert dict(vars(K)) == before and K.load("my_other") is N and N.abs is not K.abs',
            'K.set_floatx("float64")',
            'print(K.backend(), N.backend(), N.floatx(), N.softsign(-1.0))',
            'print(K._BACKEND, N._BACKEND, N._FLOATX)',
        ]
    )
    assert 'my_engine my_other float64 -0.5\nmy_engine my_other float64\n' == run(code, **there)


def test_old_name_of_a_setting_loads_the_engine(there):
    """`K._BACKEND` is a name of K: the first touch of it loads the engine, whatever was imported before."""
    code = 'import keras_backend.config; import keras_backend as K; print(K._BACKEND)'
    assert 'my_engine\n' == run(code, **there)


def test_module_that_completes_itself(there, tmp_path):
    """An engine that has all names of K in its own module has the old names of settings, too."""
    ending = 'from keras_backend.binding import complete\ncomplete(globals(), title="Mine", name="mine")\n'
    (tmp_path / 'mine.py').write_text(SOURCE + ending)
    code = 'import mine; print(mine._FLOATX, mine._BACKEND)'
    assert 'float32 mine\n' == run(code, **there)


def test_late_change_is_noticed(there):
    """KERAS_BACKEND set after the import changes nothing and is told once, with both names and the way out."""
    code = '\n'.join(
        [
            'import os, warnings, keras_backend as K',
            'def tell():',
            '    with warnings.catch_warnings(record=True) as caught:',
            '        warnings.simplefilter("always")',
            '        print(K.backend(), [(str(w.message), w.lineno) for w in caught])',
            'tell(); os.environ["KERAS_BACKEND"] = " MY_engine" [1:].lower(); tell()',
            'os.environ["KERAS_BACKEND"] = "theano"; tell(); tell()',
            'del os.environ["KERAS_BACKEND"]; tell()',
        ]
    )
    lines = run(code, **there).splitlines()
    message = (
        "KERAS_BACKEND now says 'theano', but keras_backend runs on 'my_engine' since it was imported. Set the "
        "variable before the import, or use keras_backend.load('theano')."
    )
    assert [f'my_engine {told!r}' for told in ([], [], [(message, 5)], [], [])] == lines


def test_change_before_the_engine_is_loaded_is_obeyed(there):
    """What counts is the variable when the engine is loaded, not when a part of the package was imported."""
    code = '\n'.join(
        [
            'import os',
            'import keras_backend.config as config',
            'print(config.backend())',
            'os.environ["KERAS_BACKEND"] = "my_other"',
            'import keras_backend as K',
            'print(K.backend())',
        ]
    )
    assert 'my_engine\nmy_other\n' == run(code, **there)


def test_first_touch_from_many_threads(there):
    """Threads that touch an unloaded K at the same time get one engine, announced once."""
    code = '\n'.join(
        [
            'import threading, keras_backend.config, keras_backend as K',
            'gate, seen = threading.Barrier(8), []',
            'def touch():',
            '    gate.wait()',
            '    seen.append(K.softsign)',
            'threads = [threading.Thread(target=touch) for _ in range(8)]',
            'for t in threads: t.start()',
            'for t in threads: t.join()',
            'print(len(seen), len(set(seen)))',
        ]
    )
    assert (0, '8 1\n', 'Using my_engine backend.\n') == python('-c', code, **there)


def test_functions_travel_between_processes(there):
    """Functions of an external engine are pickled by name, and found again in a fresh process that imported K."""
    code = 'import pickle, keras_backend as K; print(list(pickle.dumps([K.softsign, K.conv2d, K.abs])))'
    data = ast.literal_eval(run(code, **there))
    back = f'import pickle, keras_backend as K; print(pickle.loads(bytes({data!r})) == [K.softsign, K.conv2d, K.abs])'
    assert 'True\n' == run(back, **there)


# -- the house ---------------------------------------------------------------------------------------------------------


def sources():
    """Paths of the package's Python files."""
    return [os.path.join(folder, name) for folder, _, names in os.walk(PACKAGE) for name in names if name[-3:] == '.py']


def test_no_long_files():
    """No file has more than 450 lines, as the formatter lays them out, unless its docstring says why."""
    for path in sources():
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        assert text.count('\n') <= 450 or 'Longer' in (ast.get_docstring(ast.parse(text)) or ''), path


def test_one_package_is_tested():
    """The tests and the processes they start import the same package."""
    assert os.path.samefile(os.path.join(IMPORTED_FROM, 'keras_backend'), PACKAGE)


def test_no_foreign_modules_among_the_names(tmp_path):
    """Editors offer what `dir(K)` has: no module of Python is among it, only parts of this package."""
    code = (
        'import keras_backend as K, types\n'
        'modules = {name: value for name, value in vars(K).items() if isinstance(value, types.ModuleType)}\n'
        'own = lambda name, value: name.startswith("_") or value.__name__.startswith("keras_backend.")\n'
        'assert modules and "dot" in dir(K)\n'
        'print([name for name, value in modules.items() if not own(name, value)])\n'
    )
    assert '[]\n' == run(code, home=tmp_path, backend='numpy')
