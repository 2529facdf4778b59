"""What importing the Theano engine does to a process, and which library it takes."""

import importlib.util
import shutil
import sys

import numpy
import pytest
from processes import fail, python, run

from keras_backend.basics.installed import requirement

ORIGINAL = importlib.util.find_spec('theano') is not None
if not ORIGINAL and importlib.util.find_spec('pytensor') is None:
    pytest.skip('neither Theano nor PyTensor is installed', allow_module_level=True)

ENGINE = 'import keras_backend.engines.theano_backend as K\n'
LIBRARY = 'theano' if ORIGINAL else 'pytensor'
FLAGS = 'THEANO_FLAGS' if ORIGINAL else 'PYTENSOR_FLAGS'
with_theano = pytest.mark.skipif(not ORIGINAL, reason='Theano itself is not installed')

MODEL = """
import numpy as np
w, x = K.variable([1., 2.]), K.placeholder((None, 3, 2))
last = K.rnn(lambda e, s: (K.switch(K.sum(e) > 0., lambda: e * w, lambda: e) + s[0], [s[0] + 1.]), x,
             [K.zeros_like(x[:, 0])])[0]
f = K.function([x], [last, K.gradients(K.sum(last), [w])[0]], updates=[(w, w * 2.)])
assert [[3., 4.]] == f([np.ones((1, 3, 2))])[0].tolist()
assert [[4., 6.]] == f([np.ones((1, 3, 2))])[0].tolist()
print('done')
"""
SMALL = """
x = K.placeholder((2,))
assert [3., 5.] == K.function([x], [x * 2. + 1.])([[1., 2.]])[0].tolist()
print('done')
"""


def test_theano_import_is_quiet(tmp_path):
    """Nothing is written by the import or by a run, and what else is written comes through."""
    program = 'import sys\n' + ENGINE + MODEL + 'sys.stderr.write("mine")'
    status, out, err = python('-c', program, home=tmp_path)
    # Others that compile into the same folder at this time make Theano say that it waits.
    said = [line for line in err.splitlines() if 'theano.gof.compilelock' not in line]
    assert (0, 'done', ['mine']) == (status, out.strip(), said)


def test_import_leaves_the_process_as_it_was(tmp_path):
    """How NumPy answers a division by zero, warnings, loggers, imports, path and environment stay as they were."""
    code = (
        """
import builtins, logging, os, sys, warnings
import numpy as np
import scipy.sparse

def state():
    return (np.geterr(), list(warnings.filters), builtins.__import__, dict(os.environ), list(sys.path), os.getcwd(),
            logging.getLogger().level, list(logging.getLogger().handlers))
before = state()
"""
        + ENGINE
        + """
assert before == state(), (before, state())
"""
    )
    run(code, home=tmp_path)


def test_numpy_is_the_same_for_others(tmp_path):
    """Other code sees the NumPy that it would see without the engine: the same object, no more names, and no fewer."""
    code = (
        """
import sys, warnings
import numpy
from importlib import import_module
warnings.simplefilter('ignore')
NAMES = 'bool int float complex object str long Inf NaN infty float_ product sometrue distutils cast'.split()

def there():
    # A part of NumPy that Theano imports, from its file, may be there afterwards.
    names = [name for name in NAMES if not getattr(getattr(numpy, name, numpy), '__file__', None)]
    return numpy, names, {n: v for n, v in vars(numpy).items()
                          if type(v) is not type(sys) and n[:2] != '__'}
before = there()
"""
        + ENGINE
        + """
import late
assert late.numpy is numpy is sys.modules['numpy'] and late.basic is before[0]
assert before == there(), set(before[2]) ^ set(there()[2])
"""
    )
    (tmp_path / 'late.py').write_text('import numpy, numpy as basic\n')
    run(code, home=tmp_path, path=[tmp_path])


@with_theano
def test_modules_that_python_lost_are_lost_for_others(tmp_path):
    """What the modules of Theano are given in place of removed modules cannot be imported by anybody else."""
    code = (
        ENGINE
        + """
import sys
for name in ('distutils', 'imp', 'pkg_resources', 'numpy.distutils', 'distutils.sysconfig'):
    module = sys.modules.get(name)
    assert module is None or module.__spec__ is not None, name
"""
    )
    run(code, home=tmp_path)


@with_theano
@pytest.mark.skipif('bool' in vars(numpy), reason='this NumPy has all the names')
def test_theano_sees_the_names_it_knows(tmp_path):
    """Modules of Theano have the names that NumPy had in its days, without a warning, also in what is imported late."""
    code = (
        """
import sys, warnings
warnings.simplefilter('error')
"""
        + ENGINE
        + """
import theano.tensor.basic, theano.sandbox.rng_mrg
for module in (theano.tensor.basic, theano.sandbox.rng_mrg):
    assert module.np.bool is bool and module.np.float is float
    assert module.np.ndarray is sys.modules['numpy'].ndarray
"""
    )
    run(code, home=tmp_path)


@with_theano
def test_theano_of_the_user_is_the_same(tmp_path):
    """`import theano` after K gives the library that K runs on, and its tensors mix with those of K."""
    code = (
        ENGINE
        + """
import theano, theano.tensor as T
x = K.placeholder((2,))
assert [1., 4.] == K.function([x], [T.sqr(x)])([[1., 2.]])[0].tolist()
assert [1., 4.] == theano.function([x], K.square(x), mode='FAST_COMPILE')([1., 2.]).tolist()
"""
    )
    run(code, home=tmp_path)


@pytest.mark.skipif(shutil.which('g++') is None, reason='there is no C++ compiler')
def test_functions_are_compiled(tmp_path):
    """With a compiler there is C code behind a function, in the folder that the library was told."""
    flags = f'base_compiledir={tmp_path / "compiled"}'
    run(ENGINE + SMALL, home=tmp_path, **{FLAGS: flags})
    assert list((tmp_path / 'compiled').glob('*/*/mod.cpp'))


def test_without_a_compiler(tmp_path):
    """Where no compiler is found one warning says so, and everything works."""
    program = 'import os, warnings\nos.environ["PATH"] = "/nowhere"\n' + ENGINE + MODEL
    status, out, err = python('-W', 'always', '-c', program, home=tmp_path, **{FLAGS: ''})
    assert (0, 'done') == (status, out.strip()), err
    warned = [line for line in err.splitlines() if 'compiler' in line]
    assert 1 == len(warned), err
    assert 'g++' in warned[0], err


def test_told_to_do_without_a_compiler(tmp_path):
    """Who has chosen to compile nothing hears nothing of it."""
    status, out, err = python('-c', ENGINE + MODEL, home=tmp_path, **{FLAGS: 'cxx='})
    assert (0, 'done', '') == (status, out.strip(), err)


def test_floatx_is_that_of_keras_unless_the_user_said_otherwise(tmp_path):
    """Beside K's settings those of the library follow floatx, but for what its own flags say."""
    code = ENGINE + 'from keras_backend.engines.theano_backend.vendor import theano\nprint(theano.config.floatX)'
    assert 'float32' == run(code, home=tmp_path, **{FLAGS: ''}).strip()
    assert 'float64' == run(code, home=tmp_path, **{FLAGS: 'floatX=float64'}).strip()


def test_which_library_runs_is_said(tmp_path):
    """The line at the load names the library and its version, and so does the command."""
    status, _out, err = python('-c', 'import keras_backend', home=tmp_path, backend='theano')
    title, version = ('Theano', '1.0.5') if ORIGINAL else ('PyTensor', importlib.import_module('pytensor').__version__)
    assert (0, f'Using Theano backend ({title} {version}).') == (status, err.strip())
    out = python('-m', 'keras_backend', home=tmp_path)[1]
    line = next(line for line in out.splitlines() if line.strip().startswith('theano '))
    assert [title, version] == line.partition(';')[0].split()[1:]


@with_theano
def test_numpy_2_is_refused(tmp_path):
    """Theano beside NumPy 2 is one sentence with what to type, at the import and in the report, and nothing else."""
    newer = 'import numpy\nnumpy.__version__ = "2.1.3"\n'
    message = fail(newer + 'import keras_backend as K\nK.exp(1.)', home=tmp_path, backend='theano')
    sentence = 'Theano 1.0.5 does not run on NumPy 2.1.3; type: pip install "numpy<'
    assert sentence in message
    report = newer + 'from keras_backend.commands.report import Report\nprint(*Report().lines(), sep="\\n")'
    said = python('-c', report, home=tmp_path, backend='theano')[1]
    assert sentence in said.split('Settings')[0]
    assert f'Theano 1.0.5; {sentence}' in said


def test_neither_library_is_installed(tmp_path):
    """Without any of them the error says what to type, for the Python that runs."""
    code = 'import sys\nsys.modules.update(theano=None, pytensor=None)\nimport keras_backend as K\nK.exp(1.)'
    message = fail(code, home=tmp_path, backend='theano')
    wanted = 'Theano' if sys.version_info < (3, 12) else 'PyTensor'
    assert f'{wanted} is not installed' in message
    assert f'pip install "{requirement("theano")}"' in message
