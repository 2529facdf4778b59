"""What Keras and its backend keep for their process: K leaves it, and the launcher changes what it lists."""

import importlib.util
import json
import os

import keras
from library_state import STEPS
from processes import run

from keras_backend.keras3.changed_classes import CHANGED

BACKEND = keras.backend.backend()
HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, '..', '..', 'files', 'models', 'keras122_python36_conv2d_tf.h5')

# The launcher watches imports and prepares children. `np.array` takes what NumPy has refused since 1.24.
OF_PROCESS = {'python: sys.meta_path', 'python: os.environ', 'numpy: function array', 'numpy: function asarray'}
# A loss reads variables before `fit` updates them.
OF_BACKEND = {'tensorflow': {'tensorflow: options'}}

PLAIN = """
import keras_backend.keras3 as K
step('import')
import keras_backend
N = keras_backend.load('numpy')
step('load')
from keras_backend import files
files.function({model!r}, K=N, engine='tensorflow')
step('files.function')
print(json.dumps(found))
"""

LAUNCHED = """
import keras_backend.keras3.launcher
step('launcher')
print(json.dumps(found))
"""


def _changes(program, home):
    # A stand-in of TensorFlow is none of the libraries.
    libraries = ['numpy', 'scipy.special', 'h5py', {'tensorflow': 'tensorflow'}.get(BACKEND, BACKEND), 'keras']
    libraries = [name for name in libraries if importlib.util.find_spec(name.partition('.')[0])]
    tools = os.path.join(HERE, '..', '..', 'tools')
    code = (STEPS + program).format(tools=tools, libraries=libraries, warm='', model=MODEL)
    return json.loads(run(code, home=home, backend=BACKEND).splitlines()[-1])


def test_import_and_files_change_nothing(tmp_path):
    """The import of K, of another engine, and a file that is opened."""
    found = _changes(PLAIN, tmp_path)
    # Files of Keras name the classes of K's operations.
    assert {name: ['keras: custom objects'] if name == 'import' else [] for name in found} == found


def test_launcher_changes_what_it_lists(tmp_path):
    """No class of the backend changes beyond the list, and what is listed does change."""
    found = _changes(LAUNCHED, tmp_path)['launcher']
    classes = [name for name in found if name.startswith(f'{BACKEND}: ') and '.' in name]
    assert sorted(f'{BACKEND}: {name}' for name in CHANGED[BACKEND]) == classes
    others = {name for name in found if name not in classes and not name.startswith('keras: ')}
    assert OF_PROCESS | OF_BACKEND.get(BACKEND, set()) == others
