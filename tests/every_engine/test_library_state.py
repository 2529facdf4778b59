"""What a library keeps for its process is what it was: after the import of an engine, and after what K and files do.

Each process imports the libraries first, so that what they set themselves is no matter of this. What changes all the
same is in `REASONS`.
"""

import decimal
import importlib.util
import json
import os
import sys
import warnings

import library_state
import numpy as np
import pytest
from processes import run

from keras_backend.config import settings

ENGINE = settings.get('backend').value
HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, '..', 'files', 'models')

LIBRARIES = ['numpy', 'scipy.special', 'scipy.fftpack', 'h5py', 'onnx', 'tensorflow', 'torch', 'jax', 'theano', 'cntk']

# What the engine runs on where Theano itself cannot.
HAS_PYTENSOR = sys.version_info >= (3, 12)

OF_THEANO = {}
if HAS_PYTENSOR:
    OF_THEANO['python: sys.getrecursionlimit'] = 'PyTensor sets it to 3000'
elif np.lib.NumpyVersion(np.__version__) >= '1.20.0':
    OF_THEANO['python: sys.meta_path'] = 'K finds for the modules of Theano what newer NumPys left out'

# Engine -> step -> what changes -> why.
MESSAGES = (
    'an operator or a method that has no meaning for a tensor of a graph says so in one sentence, in this process'
)
REASONS = {
    'jax': {
        'import': {'jax: config jax_enable_x64': 'K has float64 and int64, which JAX leaves out until this is set'},
        'use': {'jax: devices were started': 'the first value starts them'},
    },
    'theano': {
        'import': {'python: sys.excepthook': 'Theano sets one that says where in a graph an error began', **OF_THEANO}
    },
    'tensorflow': {
        'import': {
            'tensorflow: eager': 'K has placeholders, which TensorFlow has in graphs alone',
            'python: atexit': 'TensorFlow registers the end of its sessions',
            **{
                f'tensorflow: Tensor.{name}': MESSAGES
                for name in '__array__ __bool__ __getattr__ __getitem__ __iter__ __len__ __reduce_ex__ eval'.split()
            },
        }
    },
}

# What a library does for itself when it writes a file for the first time.
WARM = {
    'torch': 'import io, torch; program = torch.export.export(torch.nn.Linear(2, 2), (torch.zeros(1, 2),)); '
    'torch.export.save(program, io.BytesIO()); torch._dynamo.reset()',
    'jax': 'import jax.export',
    'theano': 'import setuptools, scipy.sparse' if HAS_PYTENSOR else 'import six.moves, numpy.distutils.misc_util',
}

PROGRAM = """
import importlib.util
import numpy as np
import keras_backend as K
step('import')
x = K.placeholder((None, 3))
f = K.function([x], [K.softmax(x * 2.0)])
f([np.ones((2, 3), 'float32')])
step('use')
N = K.load('numpy')
step('load')
from keras_backend import files
files.function({model!r}, engine='tensorflow')
step('files.function')
K.compare(lambda K, x: K.softmax(x), [np.ones((2, 3), 'float32')], ['numpy', {engine!r}])
step('compare')
if importlib.util.find_spec('onnx'):
    x = N.placeholder((None, 3))
    K.export(N.function([x], [N.softmax(x * 2.0)]), {folder!r} + '/f.onnx')
    step('export .onnx')
options = dict(jax=('/f.mlir',), torch=('/f.pt2',), tensorflow=('/f', 'saved_model')).get({engine!r})
if options:
    K.export(f, {folder!r} + options[0], *options[1:])
    step('export of the engine')
print(json.dumps(found))
"""


@pytest.mark.slow
def test_a_library_keeps_its_state(tmp_path):
    """Nothing changes, but for what REASONS has. Each reason is needed."""
    libraries = [name for name in LIBRARIES if _is_installed(name) and name not in ('theano', 'cntk')]
    libraries = [name for name in libraries if name not in ('tensorflow', 'torch', 'jax') or name == ENGINE]
    code = (library_state.STEPS + PROGRAM).format(
        tools=os.path.join(HERE, '..', 'tools'),
        libraries=libraries,
        model=os.path.join(MODELS, 'keras122_python36_conv2d_tf.h5'),
        folder=str(tmp_path),
        engine=ENGINE,
        warm=WARM.get(ENGINE, ''),
    )
    found = json.loads(run(code, home=tmp_path / 'home', backend=ENGINE).splitlines()[-1])
    expected = {name: sorted(REASONS.get(ENGINE, {}).get(name, {})) for name in found}
    assert expected == found


def test_changes_are_seen():
    """The look at the state sees what changes, and nothing where nothing does."""
    before = library_state.taken()
    assert [] == library_state.changes(before, library_state.taken())
    with np.errstate(over='raise'), decimal.localcontext() as context, warnings.catch_warnings():
        context.prec += 1
        warnings.simplefilter('error')
        found = library_state.changes(before, library_state.taken())
    expected = {'numpy: error state', 'python: decimal', 'python: warnings.filters'}
    assert expected <= set(found) <= expected | {'python: warnings.showwarning'}


def _is_installed(name):
    return importlib.util.find_spec(name.partition('.')[0]) is not None
