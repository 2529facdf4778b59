"""Engines that other people write: by the document that says how, complete ones, and broken ones of every kind."""

import doctest
import os
import re
import shlex
import textwrap

import pytest
from documents import blocks
from processes import fail, python, run
from shell import Shell

FOREIGN = os.path.dirname(os.path.abspath(__file__))

THREE = """
    def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None): return name
    def variable(value, dtype=None, name=None, constraint=None): return value
    def function(inputs, outputs, updates=None, **kwargs): return lambda values: outputs
"""


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


@pytest.fixture
def place(tmp_path):
    """Writes files to a folder of modules; returns the folder."""

    def write(**sources):
        for name, source in sources.items():
            path = tmp_path.joinpath('modules', *name.split('__')).with_suffix('.py')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(source))
        return tmp_path / 'modules'

    return write


# -- the document ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != 'posix', reason='its commands are for bash')
def test_document_on_writing_an_engine(shell):
    """docs/writing-an-engine.md: its files written, its commands run, they print what it shows."""
    same = doctest.OutputChecker().check_output
    printed, ran = None, 0
    for language, title, text in blocks('writing-an-engine.md'):
        if language == 'yaml':
            continue  # a workflow of GitHub
        if title:
            name, _, more = title.partition(' ')
            with open(str(shell.work / name), 'a' if more else 'w') as file:
                file.write('\n\n' * bool(more) + text)
        elif language == 'bash':
            status, printed = shell.run(text)
            assert status == 0, printed
            ran += 1
        else:
            assert same(text, printed, doctest.ELLIPSIS), f'{printed}\n-- is not --\n{text}'
    assert ran >= 8


# -- a complete one ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != 'posix', reason='its commands are for bash')
def test_complete_engine_in_a_package(shell):
    """An engine on the K graph, installed with pip and chosen by its entry point, has all of K and its numbers."""
    status, printed = shell.run(
        f'cp -r {shlex.quote(os.path.join(FOREIGN, "profile"))} package && pip install --no-deps ./package && rm -r '
        'package'
    )
    assert status == 0, printed
    assert (shell.site / 'profile_engine.py').exists()
    code = textwrap.dedent("""
        import numpy as np, keras_backend as K, profile_engine
        assert K.backend() == 'profile' and all(K.supports(name) for name in K.__all__)
        x, w = K.placeholder((None, 3)), K.variable(np.ones((3, 2)))
        last, _, _ = K.rnn(lambda x, s: (K.tanh(x + s[0]), [x]), K.expand_dims(K.dot(x, w)), [K.zeros_like(x[:, :1])])
        step = K.function([x], [K.sum(last)], updates=[K.update_sub(w, K.gradients(K.sum(last), [w])[0])])
        profile_engine.reset()
        step([np.eye(3)])
        assert 2 == profile_engine.calls['tanh'] and 'tanh' in profile_engine.report()
        x = np.random.normal(size=(2, 4, 4, 3))
        def build(K, x):
            return K.pool2d(K.conv2d(x, K.ones((3, 3, 3, 2)), padding='same'), (2, 2))
        assert K.compare(build, [x], ['numpy', 'profile'])
    """)
    status, printed = shell.run(f'cd /; KERAS_BACKEND=profile python -c {shlex.quote(code)}')
    assert status == 0, printed
    assert 'numpy, profile: 1 values are equal' in printed
    status, printed = shell.run('export KERAS_BACKEND=profile; python -m keras_backend')
    assert status == 0
    assert 'profile' in printed
    status, printed = shell.run('python -m keras_backend check profile -k "test_rnn or test_nn or test_function"')
    assert status == 0, printed[-2000:]
    assert ' 0 failed' in printed, printed[-2000:]
    present, composed, missing = re.search(r'functions: (\d+) present, (\d+) composed, (\d+) missing', printed).groups()
    assert (int(present) + int(composed), int(missing)) == (162, 0)


# -- broken ones -------------------------------------------------------------------------------------------------------

NOT_AN_ENGINE = 'keras_backend.errors.NotAnEngine: '
FAILED = 'keras_backend.errors.EngineImportFailed: '
NOT_FOUND = 'keras_backend.errors.EngineNotFound: '
RECURSION = 'keras_backend.errors.EngineRecursion: '

BROKEN = {
    'a missing symbol': (THREE.replace('def variable', 'def variabel'), NOT_AN_ENGINE, 'it has no variable.'),
    'a symbol that is no function': (THREE + '\n    function = "soon"\n', NOT_AN_ENGINE, 'it has no function.'),
    'an empty file': ('', NOT_AN_ENGINE, 'it has no placeholder, no variable, no function.'),
    'a dependency that is not there': (
        'import numpy\nimport no_such_library\n',
        FAILED,
        "line 2: ModuleNotFoundError: No module named 'no_such_library'",
    ),
    'a name that its library lost': ('from numpy import no_such_name\n', FAILED, 'line 1: ImportError: cannot import'),
    'a syntax error': ('x = 1\ndef f(:\n', FAILED, 'line 2: SyntaxError: '),
    'bad indentation': ('def f():\nreturn 1\n', FAILED, 'line 2: IndentationError: '),
    'an error of its own': ('raise RuntimeError("no device")\n', FAILED, 'line 1: RuntimeError: no device'),
    'an exit': ('import sys\nsys.exit(3)\n', FAILED, 'line 2: SystemExit: 3'),
    'an assertion': ('assert False, "wrong version"\n', FAILED, 'line 1: AssertionError: wrong version'),
    'a typed error of its own': (
        'from keras_backend.errors import EngineNotInstalled\nraise EngineNotInstalled("type: apt install libmine")\n',
        'keras_backend.errors.EngineNotInstalled: ',
        'type: apt install libmine',
    ),
    'K while it is imported': (
        'import keras_backend as K\nhalf = K.constant(.5)\n',
        RECURSION,
        'inside functions only',
    ),
    'keras_backend in a cycle': ('from keras_backend import exp\n', RECURSION, 'inside functions only'),
    'itself in a cycle': ('import broken\nbroken.absent\n', FAILED, 'line 2: AttributeError: '),
    'a reason for a name that is none': (THREE + '\n    UNSUPPORTED = {"no_such_name": "why"}\n', None, None),
}


@pytest.mark.parametrize('kind', sorted(kind for kind in BROKEN if BROKEN[kind][1]))
def test_broken_engine(kind, place, tmp_path):
    """An engine that is broken is refused with what is wrong, where, who asked for it, and the error that caused it."""
    source, error, words = BROKEN[kind]
    folder = place(broken=source)
    last = fail('import keras_backend', home=tmp_path, backend='broken', path=[folder])
    assert last.startswith(error)
    assert words in last
    if error != 'keras_backend.errors.EngineNotInstalled: ':
        assert "asked for the engine 'broken' by the environment variable KERAS_BACKEND" in last
    if error in (FAILED, NOT_AN_ENGINE):
        assert str(folder / 'broken.py') in last


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('no_such_engine', "no module 'no_such_engine' on sys.path"),
        ('no_such_package.engine', "no module 'no_such_package' on sys.path"),
        ('half.absent', "no module 'half.absent'"),
        ('half.py', "no module 'half.py'"),
        ('modules/half.py', 'neither a built-in engine, nor an installed entry point, nor the dotted name'),
        ('half-engine', 'neither a built-in engine'),
        ('half..engine', 'neither a built-in engine'),
    ],
)
def test_name_that_is_none(name, words, place, tmp_path):
    """A name that leads to no module is told so, with the names that do."""
    last = fail('import keras_backend', home=tmp_path, backend=name, path=[place(half=THREE)])
    assert last.startswith(NOT_FOUND)
    assert words in last
    assert "'numpy'" in last


@pytest.mark.parametrize(('value', 'words'), [('5', 'backend'), ('["my_engine"]', 'backend'), ('null', 'backend')])
def test_name_of_a_wrong_type(value, words, tmp_path):
    """A name that is no text is an error of the file, with its line."""
    (tmp_path / 'keras.json').write_text(f'{{\n    "backend": {value}\n}}\n')
    last = fail('import keras_backend', home=tmp_path)
    assert last.startswith('keras_backend.errors.ConfigError: ')
    assert 'keras.json, line 2' in last
    assert words in last


@pytest.mark.parametrize('value', ['None', '3', 'b"numpy"', 'object()'])
def test_load_of_a_wrong_type(value, tmp_path):
    """`load` of what is no text says what it takes."""
    last = fail(f'import keras_backend; keras_backend.load({value})', home=tmp_path, backend='numpy')
    assert last.startswith('keras_backend.errors.ConfigError: ')
    assert 'keras_backend.load' in last


def test_wrong_signatures(place, tmp_path):
    """An engine whose functions take other arguments runs, and says which those are; the conformance tests fail."""
    folder = place(
        other=THREE
        + """
    def exp(value): return value
    def sum(x, axis=None, keep_dims=False): return x
    """
    )
    code = 'import keras_backend as K; print(sorted(K._engine.deviations.items()))'
    told = run(code, home=tmp_path, backend='other', path=[folder])
    assert "('exp', ('(value)', '(x)'))" in told
    assert 'keep_dims' in told
    assert 'placeholder' not in told
    command = ('-m', 'keras_backend', 'check', 'other', '-k', 'test_signature')
    status, out, _ = python(*command, home=tmp_path, path=[folder], cwd=tmp_path)
    assert status == 1
    assert 'test_signature_and_docstring[exp]' in out


def test_engine_that_was_written_for_keras(place, tmp_path):
    """An engine that takes helpers from Keras, which takes its backend from the engine: told, and how it goes."""
    folder = place(
        keras__backend__common='half = 0.5\n', for_keras='from keras.backend import common\n' + textwrap.dedent(THREE)
    )
    (folder / 'keras' / '__init__.py').write_text('from . import backend\n')
    (folder / 'keras' / 'backend' / '__init__.py').write_text(
        'import for_keras\nif not hasattr(for_keras, "placeholder"): raise ValueError("Invalid backend.")\n'
    )
    last = fail('import keras_backend', home=tmp_path, backend='for_keras', path=[folder])
    assert last.startswith(FAILED)
    assert 'ValueError: Invalid backend.' in last
    assert last.endswith('in turn asks for its own backend: type `import keras` before keras_backend')
    code = 'import keras, keras_backend as K; print(K.backend(), K.supports("get_value"))'
    assert 'for_keras True\n' == run(code, home=tmp_path, backend='for_keras', path=[folder])


def test_reason_for_a_name_that_is_none(place, tmp_path):
    """A reason in UNSUPPORTED for a name that K does not have does no harm."""
    folder = place(odd=BROKEN['a reason for a name that is none'][0])
    assert 'odd\n' == run('import keras_backend as K; print(K.backend())', home=tmp_path, backend='odd', path=[folder])


def test_broken_entry_point(place, tmp_path):
    """An entry point whose module is not there is told by its name and that of the module."""
    folder = place(half=THREE)
    info = folder / 'broken-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text('[keras_backend.engines]\nbroken = no_such_module\n')
    last = fail('import keras_backend', home=tmp_path, backend='broken', path=[folder])
    assert last.startswith(NOT_FOUND)
    assert "'broken'" in last
    assert 'no_such_module' in last


def test_failed_engine_is_tried_again(place, tmp_path):
    """After an engine failed, another one can be loaded in the same process, and the failed one once it is mended."""
    folder = place(late='raise RuntimeError("not yet")')
    code = textwrap.dedent("""
        import keras_backend
        from keras_backend.errors import EngineImportFailed
        try: keras_backend.load('late')
        except EngineImportFailed as error: assert isinstance(error.__cause__, RuntimeError)
        assert keras_backend.load('numpy')
        open(%r, 'w').write(%r)
        import importlib; importlib.invalidate_caches()
        print(keras_backend.load('late').backend())
    """) % (str(folder / 'late.py'), textwrap.dedent(THREE))
    assert 'late\n' == run(code, home=tmp_path, backend='numpy', path=[folder])
