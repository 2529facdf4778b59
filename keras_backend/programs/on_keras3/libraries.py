"""The cures for Python and other libraries that programs of 2019 to 2023 need, and whether Keras 3 is there."""

import os
from typing import List

from ...basics import installed
from ...config import configured_backend
from ...errors import WrongKeras
from ..launcher import own_modules
from ..launcher.libraries import cures as libraries
from ..launcher.libraries import h5py_cures, numpy_cures

# What would change the meaning of code inside Keras 3. Programs of 2019 and later did without, or were warned.
LEFT_OUT = (
    # Such a file can run code. Keras 3 reads weights by np.load, and programs say allow_pickle=True since NumPy 1.16.3.
    numpy_cures.object_files,
    # Keras 3 expects text from attributes, as h5py 3 reads them, and splits what does not fit into one.
    h5py_cures.bytes_of_attributes,
    h5py_cures.arrays_of_text,
    # Code of today opens a file that it may not write by h5py.File(path).
    h5py_cures.file_mode,
)
CURES = (*[cure for cure in libraries.CURES if cure.apply not in LEFT_OUT], *own_modules.CURES)


def watch() -> None:
    """Apply each cure when its module is imported, or now if it is imported already."""
    libraries.watch(CURES)


def modules() -> List[str]:
    """The modules that the cures change, each once."""
    return list(dict.fromkeys(cure.module for cure in CURES))


# -- Keras itself ------------------------------------------------------------------------------------------------------
# Whether the launcher can run here: Keras 3, its backend, and tf.keras.


def check_installed() -> None:
    """Raise WrongKeras if Keras 3 or its backend is not installed, or if tf.keras is not Keras 3 here."""
    version = installed.version(['keras'])
    if version is None or int(version.partition('.')[0]) < 3:
        here = 'none' if version is None else f'Keras {version}'
        raise WrongKeras(
            f'keras_backend.keras3 needs Keras 3.12.1 or later, and {here} is installed; '
            'type: pip install "keras>=3.12.1".'
        )
    if installed.spec('tensorflow') is None and configured_backend() == 'tensorflow':
        others = [name for name in ('jax', 'torch') if installed.spec(name)]
        advice = f'KERAS_BACKEND={others[0]} python ...' if others else 'pip install tensorflow, jax or torch.'
        raise WrongKeras(
            'Keras 3 runs on TensorFlow where KERAS_BACKEND names no other backend, and TensorFlow is not installed; '
            f'type: {advice}'
        )
    if os.environ.get('TF_USE_LEGACY_KERAS', '').strip().lower() in ('1', 'true'):
        raise WrongKeras(
            'TF_USE_LEGACY_KERAS makes tf.keras the older Keras, tf_keras, which has the names of K itself; type '
            '`python` instead of `python -m keras_backend.keras3`, or unset TF_USE_LEGACY_KERAS to run on Keras 3.'
        )
