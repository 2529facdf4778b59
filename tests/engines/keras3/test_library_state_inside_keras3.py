"""What Keras and its backend keep for their process: K leaves it, and the launcher changes what it lists."""

import importlib.util
import json
import os

import keras
from library_state import STEPS
from processes import run

from keras_backend.basics.tables import beside
from keras_backend.programs.on_keras3 import values_of_tensors

BACKEND = keras.backend.backend()
HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, '..', '..', 'files', 'models', 'keras122_python36_conv2d_tf.h5')

OF_PROCESS = {
    # The launcher watches imports and prepares children.
    'python: sys.meta_path',
    'python: os.environ',
    # `np.array` takes what NumPy has refused since 1.24.
    'numpy: function array',
    'numpy: function asarray',
    # Numbers are shown as NumPy 1 showed them.
    'numpy: print options',
}
# A loss reads variables before `fit` updates them.
OF_BACKEND = {'tensorflow': {'tensorflow: options'}}

# What Keras sets for itself at the first layer, and what each further one changes.
WARM = 'import keras; keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])'
OF_LAYERS = ['keras: state object_name_uids', 'python: random']  # names by number, and seeds of initializers
# Files of Keras name the classes of K's operations, and of the layers that are computed with K.
EXPECTED = {
    'import': ['keras: custom objects'],
    'files.load': ['keras: custom objects', *OF_LAYERS],
    'use': OF_LAYERS[:1],
}

PLAIN = """
import importlib.util
import numpy
import keras_backend.keras3 as K
step('import')
import keras_backend
N = keras_backend.load('numpy')
step('load')
from keras_backend import files
files.function({model!r}, K=N, engine='tensorflow')
step('files.function')
files.load({model!r}, engine='tensorflow')
step('files.load')
x = K.placeholder((None, 3))
f = K.function([x], [K.softmax(x * 2.0)])
f([numpy.ones((2, 3), 'float32')])
step('use')
keras_backend.compare(lambda K, x: K.softmax(x), [numpy.ones((2, 3), 'float32')], ['numpy', N])
step('compare')
x = N.placeholder((None, 3))
if importlib.util.find_spec('onnx'):
    keras_backend.export(N.function([x], [N.softmax(x * 2.0)]), {folder!r} + '/f.onnx')
step('export')
print(json.dumps(found))
"""

LAUNCHED = """
import keras_backend.keras3.launcher
step('launcher')
print(json.dumps(found))
"""


def _changes(program, home):
    # A stand-in of TensorFlow is none of the libraries.
    libraries = ['numpy', 'scipy.special', 'h5py', 'onnx', {'tensorflow': 'tensorflow'}.get(BACKEND, BACKEND), 'keras']
    libraries = [name for name in libraries if importlib.util.find_spec(name.partition('.')[0])]
    tools = os.path.join(HERE, '..', '..', 'tools')
    code = (STEPS + program).format(tools=tools, libraries=libraries, warm=WARM, model=MODEL, folder=str(home))
    return json.loads(run(code, home=home, backend=BACKEND).splitlines()[-1])


def test_import_and_use_change_what_is_listed(tmp_path):
    """The import of K, of another engine, a file that is opened, a function, a comparison and an export."""
    found = _changes(PLAIN, tmp_path)
    assert {name: EXPECTED.get(name, []) for name in found} == found


def test_launcher_changes_what_it_lists(tmp_path):
    """No class of the backend changes beyond the list, and what is listed does change."""
    found = _changes(LAUNCHED, tmp_path)['launcher']
    classes = [name for name in found if name.startswith(f'{BACKEND}: ') and '.' in name]
    reasons = beside(values_of_tensors.__file__, 'changed_classes.json')[BACKEND]
    assert sorted(f'{BACKEND}: {name}' for names in reasons.values() for name in names) == classes
    others = {name for name in found if name not in classes and not name.startswith('keras: ')}
    assert OF_PROCESS | OF_BACKEND.get(BACKEND, set()) == others
