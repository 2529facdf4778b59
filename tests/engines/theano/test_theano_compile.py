"""How the Theano engine compiles: its headers, the BLAS, folders for processes, and what runs without a compiler."""

import ast
import os
import shutil
import subprocess
import sys

import pytest
from processes import environment, run

import keras_backend.engines.theano_backend  # noqa: F401 (before Theano, which newer Pythons import by way of it alone)

theano = pytest.importorskip('theano')
from keras_backend.engines.theano_backend.vendor import compiler  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which('g++') is None, reason='there is no C++ compiler')
FLAGS = 'base_compiledir=%s,optimizer=fast_compile,gcc.cxxflags=-O0 -g0'
ENGINE = """
import glob, os, sys
import numpy as np
import keras_backend.engines.theano_backend as K
import theano

x, w = K.placeholder((None, 3)), K.variable(np.ones((3, 2)))
f = K.function([x], [K.sum(K.tanh(K.dot(x, w)) * 2. + 1., axis=1)], updates=[(w, w * 2.)])
value = np.arange(6.).reshape(2, 3)
np.testing.assert_allclose((np.tanh(value.dot(np.ones((3, 2)))) * 2 + 1).sum(1), f([value])[0], rtol=1e-5)
np.testing.assert_array_equal(np.full((3, 2), 2.), K.get_value(w))
"""


def test_headers_are_compiled_once(tmp_path):
    """The headers are in the folder after a few modules, another process takes them, and none misses them when gone."""
    folder = tmp_path / 'compiled'
    code = (
        ENGINE
        + """
made = glob.glob(os.path.join(theano.config.compiledir, 'keras_headers', '*.gch'))
print(sorted((os.path.basename(path), os.path.getmtime(path), os.path.getsize(path) > 1000000) for path in made))
"""
    )
    flags = FLAGS % folder
    first = run(code, home=tmp_path, THEANO_FLAGS=flags)
    headers = ast.literal_eval(first.splitlines()[-1])
    assert headers
    assert all(is_large for _name, _time, is_large in headers)
    more = code.replace('K.tanh', 'K.sin').replace('np.tanh', 'np.sin')
    assert first == run(more, home=tmp_path, THEANO_FLAGS=flags)
    (header,) = [path for path in folder.glob('*/keras_headers/*.h') if os.path.getsize(str(path) + '.gch') > 1000000]
    os.remove(str(header) + '.gch')
    run(ENGINE.replace('K.tanh', 'K.cos').replace('np.tanh', 'np.cos'), home=tmp_path, THEANO_FLAGS=flags)


@pytest.mark.parametrize('folders', [1, 2])
def test_processes_compile_at_the_same_time(folders, tmp_path):
    """Two processes that start together come to the same results, in one folder and in one each, and write nothing."""
    processes = []
    for i in range(2):
        flags = FLAGS % (tmp_path / (f'compiled{i % folders}')) + ',compile.wait=1'
        processes.append(
            subprocess.Popen(
                [sys.executable, '-c', ENGINE],
                env=environment(tmp_path, THEANO_FLAGS=flags),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
    for process in processes:
        out, err = process.communicate(timeout=300)
        # Theano says when it waits for another process.
        said = [line for line in err.decode().splitlines() if 'theano.gof.compilelock' not in line]
        assert (0, b'', []) == (process.returncode, out, said)


def test_blas_is_found_and_used(tmp_path):
    """A BLAS that is there is linked, and products of matrices run on it."""
    if not compiler.flags_found():
        pytest.skip('there is no BLAS')
    code = (
        ENGINE
        + """
assert theano.config.blas.ldflags
g = K.function([x], [K.dot(x, w)])
g([value])
product, = [node.op for node in g.compiled.maker.fgraph.apply_nodes
            if isinstance(node.op, theano.tensor.blas.GemmRelated)]
assert theano.config.blas.ldflags.split()[0] in product.c_compile_args() + ['-l' + l for l in product.c_libraries()]
"""
    )
    run(code, home=tmp_path, THEANO_FLAGS=FLAGS % (tmp_path / 'compiled'))
    chosen = FLAGS % (tmp_path / 'compiled') + ',blas.ldflags='
    run(
        'import theano, keras_backend.engines.theano_backend\nassert not theano.config.blas.ldflags',
        home=tmp_path,
        THEANO_FLAGS=chosen,
    )


def test_same_numbers_without_a_compiler(tmp_path):
    """A convolutional and a recurrent step of training give the numbers of the NumPy engine with nothing compiled."""
    code = """
import numpy as np
import keras_backend.engines.numpy_backend as N
import keras_backend.engines.theano_backend as K

def trained(M):
    rng = np.random.RandomState(0)
    weights = [M.variable(rng.randn(*shape) * .3) for shape in ((3, 3, 2, 4), (4, 5), (5, 5))]
    x = M.placeholder((None, 6, 6, 2))
    h = M.pool2d(M.relu(M.conv2d(x, weights[0], padding='same')), (2, 2), (2, 2))
    h = M.reshape(h, (-1, 9, 4))
    zero = M.zeros_like(M.dot(h[:, 0], weights[1]))
    last, _, _ = M.rnn(lambda e, s: (lambda new: (new, [new]))(M.tanh(M.dot(e, weights[1]) + M.dot(s[0], weights[2]))),
                       h, [zero])
    loss = M.mean(M.categorical_crossentropy(M.softmax(last[:, ::-1]), M.softmax(last)))
    f = M.function([x], [loss], updates=[(w, w - .1 * g) for w, g in zip(weights, M.gradients(loss, weights))])
    losses = [f([rng.rand(3, 6, 6, 2)])[0] for _ in range(3)]
    return losses + M.batch_get_value(weights)
for a, b in zip(trained(K), trained(N)):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
print('done')
"""
    assert 'done' == run(code, home=tmp_path, THEANO_FLAGS=f'cxx=,base_compiledir={tmp_path / "none"}').strip()
    assert not [path for path in (tmp_path / 'none').glob('*/*') if path.is_dir()]


def test_values_are_those_of_numpy_in_the_default_mode(tmp_path):
    """With all of Theano's rewriting and the flags it comes with, a deep expression has the values of NumPy."""
    code = """
import numpy as np
import keras_backend.engines.theano_backend as K

x = K.placeholder((None, 4))
y = K.softmax(K.elu(x) * K.sigmoid(-x) + K.exp(K.clip(x, -1, 1)) / (1. + K.square(x)))
value = np.random.RandomState(0).randn(5, 4)
got, grad = K.function([x], [y] + K.gradients(K.sum(y * y), [x]))([value])

def truth(v):
    a = np.where(v > 0, v, np.expm1(v)) / (1 + np.exp(v)) + np.exp(np.clip(v, -1, 1)) / (1 + v * v)
    return np.exp(a) / np.exp(a).sum(1, keepdims=True)
np.testing.assert_allclose(truth(value), got, rtol=1e-5)
slope = np.zeros_like(value)
for i in np.ndindex(*value.shape):
    step = np.zeros_like(value)
    step[i] = 1e-6
    slope[i] = ((truth(value + step) ** 2).sum() - (truth(value - step) ** 2).sum()) / 2e-6
np.testing.assert_allclose(slope, grad, rtol=1e-3, atol=1e-5)
"""
    run(code, home=tmp_path, THEANO_FLAGS=f'base_compiledir={tmp_path / "compiled"}')
