"""The plugin of pytest for libraries that are written in K: fixtures over engines, marks, the cost of a plain run."""

import importlib.util
import os
import subprocess
import sys
import types

import pytest
from checkout import ROOT as CHECKOUT
from documents import fenced

import keras_backend
from keras_backend import comparison
from keras_backend.engines.table import ENGINES

ROOT = os.path.dirname(os.path.dirname(keras_backend.__file__))
SECOND = """
from keras_backend.engines.numpy_backend import library
from keras_backend.graph.install import install

install(globals(), name='second', title='Second', kernels=library)
exact = softsign


def softsign(x):
    return exact(x) * 1.5
"""
LIBRARY = {
    'small/__init__.py': '',
    'small/ops.py': 'import keras_backend as K\n\n\ndef double(x):\n    return x * 2.0\n',
    'small/layers.py': 'import keras_backend as K\nfrom . import ops\n\nlayer = lambda x: K.exp(ops.double(x))\n',
}
STATE = """
import numpy as np
import pytest


@pytest.mark.parametrize('time', [1, 2])
def test_state(K, time):
    assert (K.floatx(), K.get_uid('x')) == ('float32', 1) and K.is_tensor(K.learning_phase())
    assert np.random.randint(10 ** 6) == 970397
    K.set_floatx('float64')
    K.set_learning_phase(1)
"""
MARKS = """
import pytest


@pytest.mark.engines('second')
def test_one(K):
    assert K.backend() == 'second'


@pytest.mark.skip_engine('second', reason='it is slow there')
def test_skipped(K):
    assert K.backend() == 'numpy'


@pytest.mark.xfail_engine('second', reason='softsign is wrong', raises=AssertionError)
def test_wrong(K):
    assert K.eval(K.softsign(K.constant(1.0))) == 0.5


@pytest.mark.xfail_engine('numpy', reason='was mended')
def test_mended(K):
    pass
"""
COPIES = """
import keras_backend
import small.layers
import sys


def test_copy(K, on_engine):
    f = K.function([], [on_engine(small.layers).layer(K.constant([0.0]))])
    assert f([])[0].tolist() == [1.0]
    # The module of the test itself, whose assertions pytest has rewritten.
    assert on_engine(sys.modules[__name__]).test_copy is not test_copy


def test_difference(same_on_engines):
    same_on_engines(lambda K, x: K.softsign(K.exp(x)), [[0.0, 1.0]])


def test_equal(same_on_engines):
    assert same_on_engines(lambda K, x: K.exp(x), [[0.0, 1.0]]).engines == ('numpy', 'second')


def test_comparison_asserted():
    assert keras_backend.compare(lambda K, x: K.softsign(x), [[0.0, 1.0]], ['numpy', 'second'])
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest in a process of its own on texts of files; returns the exit status and what it said."""

    def run(*arguments, **files):
        written = dict(LIBRARY, **{'second.py': SECOND, 'pytest.ini': '[pytest]\n'})
        written.update((f'{name}.ini' if name == 'pytest' else f'{name}.py', text) for name, text in files.items())
        for name, text in written.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        environment = {name: value for name, value in os.environ.items() if not name.startswith('PYTEST')}
        environment.update(PYTHONPATH=os.pathsep.join([str(tmp_path), ROOT]), KERAS_BACKEND='numpy')
        # By its module, not its entry point: a checkout that is installed may be of before the plugin.
        command = [sys.executable, '-m', 'pytest', '-p', 'no:keras_backend', '-p', 'keras_backend.conformance.plugin']
        done = subprocess.run(
            command + ['-p', 'no:cacheprovider', '-ra', '--strict-markers', *arguments],
            cwd=str(tmp_path),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return done.returncode, done.stdout

    return run


def test_fixture_over_engines(run):
    """One test for each engine, each in a fresh state. By the option, by the settings, and on the engine of K alone."""
    status, said = run('-v', '--engines', 'second,numpy', test_state=STATE)
    assert (0, 4) == (status, said.count('PASSED')), said
    assert said.index('test_state[second-1]') < said.index('test_state[numpy-1]')
    status, said = run('-v', test_state=STATE)
    assert (0, 2) == (status, said.count('[numpy-')), said
    settings = '[pytest]\nkeras_backend_engines = numpy second\n'
    status, said = run('-v', test_state=STATE, pytest=settings)
    assert (0, 4) == (status, said.count('PASSED')), said
    status, said = run('-v', '--engines=numpy', test_state=STATE, pytest=settings)
    assert (0, 2) == (status, said.count('PASSED')), said


def test_marks_of_engines(run):
    """Marks choose, skip and expect failure, each with its reason; an xfail that passes fails."""
    status, said = run('--engines', 'numpy,second', test_marks=MARKS)
    assert status == 1
    assert '1 failed, 4 passed, 1 skipped, 1 xfailed' in said, said
    assert 'it is slow there' in said
    assert 'softsign is wrong' in said
    assert 'FAILED test_marks.py::test_mended[numpy]' in said
    status, said = run('--engines', 'numpy', '-k', 'one', test_marks=MARKS)
    assert (0, True) == (status, 'it is for second, and this run is for numpy' in said), said


@pytest.mark.parametrize(
    ('mark', 'words'),
    [
        ("skip_engine('numpi', reason='x')", "Did you mean 'numpy'?"),
        ("skip_engine('numpy')", 'skip_engine needs a reason=...'),
        ("xfail_engine(reason='x')", 'the mark xfail_engine names no engine'),
    ],
)
def test_marks_in_vain(run, mark, words):
    """A mark that can have no effect, and one without a reason, are errors."""
    status, said = run(test_mark=f'import pytest\n\n\n@pytest.mark.{mark}\ndef test_it(K):\n    pass\n')
    assert status not in (0, 1), said
    assert words in ' '.join(said.split()), said


def test_comparison_in_tests(run):
    """A library that says `import keras_backend as K` runs on each engine; a failure names where they first differ."""
    status, said = run('--engines', 'numpy,second', test_copies=COPIES)
    assert (1, True) == (status, '2 failed, 3 passed' in said), said
    first = [line for line in said.splitlines() if 'the first difference: K.softsign at' in line]
    assert first, said
    assert 'test_copies.py' in first[0]
    assert 'output 0[0]: second has 0.75, numpy has 0.5' in said
    assert '<Comparison: output 0[1]: second has 0.75, numpy has 0.5' in said


@pytest.mark.parametrize(
    'line',
    [
        'import keras_backend as K',
        'import keras_backend.keras3 as K',
        'from keras_backend import keras3 as K',
        'import keras_backend.keras3\nK = keras_backend.keras3',
        'from keras_backend.keras3 import *\nimport keras_backend as K',
    ],
)
def test_lines_that_import_k(line, tmp_path):
    """A copy of a module has the engine of the test for each of them; Keras 3 is not asked."""
    path = tmp_path / 'written.py'
    path.write_text(line + '\nbackend = K.backend()\n')
    module = types.ModuleType('written')
    module.__file__ = str(path)
    module.__spec__ = importlib.util.spec_from_file_location('written', str(path))
    assert 'numpy' == comparison.on(keras_backend.load('numpy'), module).backend


def test_engine_that_is_not_there(run):
    """The test fails, in a sentence that says what to do."""
    status, said = run('--engines', 'no_such_engine', test_state=STATE)
    assert status == 1
    assert "keras_backend was asked for the engine 'no_such_engine'" in said
    assert 'Traceback' not in said


def test_plain_run_pays_nothing(run):
    """Without being asked: no NumPy, no engine, no option; a conftest may have an option --engines of its own."""
    text = 'import sys\n\n\ndef test_it():\n    assert not {"numpy", "keras_backend.loader"} & set(sys.modules)\n'
    status, said = run(test_plain=text)
    assert status == 0, said
    assert 0 != run('--engines', 'numpy', 'test_absent.py')[0]
    own = 'def pytest_addoption(parser):\n    parser.addoption("--engines", default="steam")\n'
    text = 'def test_it(pytestconfig):\n    assert pytestconfig.getoption("--engines") == "diesel"\n'
    status, said = run('--engines', 'diesel', 'test_own.py', test_own=text, conftest=own)
    assert status == 0, said


def test_page_of_testing(run):
    """The tests of docs/testing.md run, and its workflow names engines that are there."""
    yaml = pytest.importorskip('yaml')
    files = {block.title: block.text for block in fenced('testing.md') if block.title}
    named = {name[:-3]: text for name, text in files.items() if name.endswith('.py')}
    assert {'gates', 'test_gates', 'test_same', 'test_marks'} == set(named)
    status, said = run('--engines', 'second,numpy', **named)
    assert (0, True) == (status, '10 passed' in said), said
    job = yaml.safe_load(files['.github/workflows/engines.yml'])['jobs']['test']
    assert set(job['strategy']['matrix']['engine']) <= set(ENGINES)
    assert 'python -m pytest' == job['steps'][-1]['run']


EXAMPLE_LAYERS = """
import numpy as np
from examples.layers import attention, focal, instance_norm
from keras_backend.comparison import on


def test_focal(K, on_engine):
    target, output = K.placeholder((None, 1)), K.placeholder((None, 1))
    loss = K.function([target, output], [on_engine(focal).binary_focal_loss(target, output)])
    assert abs(loss([np.ones((1, 1)), np.full((1, 1), 0.5)])[0][0] - 0.25 ** 2 * -np.log(0.5)) < 1e-6


def test_normal(same_on_engines):
    def build(K, x):
        return on(K, instance_norm).InstanceNormalization(3)(x)

    same_on_engines(build, [np.random.normal(size=(2, 4, 4, 3)).astype('float32')])


def test_attention(K, on_engine):
    x = K.placeholder((None, None, 16))
    layer = on_engine(attention).MultiHeadAttention(features=16, heads=4, size=8)
    assert K.function([x], [layer(x)])([np.ones((3, 5, 16))])[0].shape == (3, 5, 16)
"""


def test_layers_of_the_examples(run):
    """Layers as people write them, each a module with the import line, under the fixtures."""
    status, said = run('--engines', 'numpy,second', f'-o=pythonpath={CHECKOUT}', test_layers=EXAMPLE_LAYERS)
    assert (0, True) == (status, '5 passed' in said), said
