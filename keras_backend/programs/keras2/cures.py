"""The list of all cures: what each gives back to programs of 2017, and which programs need it.

Those for Python and other libraries are in `launcher/libraries`, which the launcher of Keras 3 uses, too.
The cures of `keras` and `tensorflow` are applied after Keras was imported on the configured engine.
"""
# ruff: noqa: F401 - cures.json names functions of the modules that are imported here

import functools
import sys
from importlib import import_module
from typing import List, Tuple

from ...errors import WrongKeras
from ..launcher import imports, own_modules
from ..launcher.cures import Cure, action, explanation, import_to_explain, in_table
from ..launcher.libraries import cures as libraries
from ..launcher.libraries import image_cures, pandas_groups, sklearn_arguments
from . import (
    backend_meanings,
    keras03,
    keras_cures,
    layer_cures,
    model_files,
    tensorflow_backend_cures,
    tensorflow_cures,
    versions,
    without_tensorflow,
)

CURES: Tuple[Cure, ...] = (*libraries.CURES, *own_modules.CURES, *in_table(globals()))


def check_installed() -> None:
    """Raise WrongKeras if Keras 2 is not installed."""
    version = versions.of_keras()
    if version is None or not version.startswith(('1.2.', '2.')):
        raise WrongKeras(
            'keras_backend.keras2 needs Keras 1.2.2 or Keras 2, and '
            f'{"none" if version is None else "Keras " + version} is installed; type: '
            f'python -m keras_backend.keras2 --keras {versions.NEWEST} PROGRAM.py (pip makes a folder for it), or: '
            f'pip install --no-deps keras=={versions.NEWEST} keras-applications keras-preprocessing '
            '(TensorFlow depends on Keras 3, but runs without it).'
        )


def watch() -> None:
    """Apply each cure when its module is imported, or now if it is imported already."""
    libraries.watch(cure for cure in CURES if cure.module not in ('keras', 'tensorflow'))
    imports.during('keras.engine.saving', without_tensorflow.files_of_cloud_on_demand)
    if 'keras' in sys.modules:
        _prepare()
    else:
        imports.before('keras', _prepare)
        imports.before('tensorflow', functools.partial(_prepare_for, 'tensorflow'))
        # Theano can be imported on the NumPy of today once its engine has made NumPy ready.
        imports.before('theano', functools.partial(_prepare_for, 'theano'))


_preparing: List[str] = []


def _prepare() -> None:
    """Import Keras on the configured engine, and apply the cures that belong to it."""
    if _preparing:  # the import below comes here again
        return
    _preparing.append('keras')
    try:
        with imports.kept():
            keras_cures.import_keras()
            keras = import_module('keras')
            mixed = keras_cures.short_name() == 'tensorflow'
            for cure in CURES:
                if cure.module == 'keras' or (cure.module == 'tensorflow' and mixed):
                    action(cure)(keras)
    finally:
        _preparing.clear()


def _prepare_for(library: str) -> None:
    """Import Keras before a library that the program imports first, where that is what the engine runs on."""
    # The default engine depends on what is installed, so that asking for it looks for TensorFlow, and comes here again.
    if _preparing:
        return
    _preparing.append(library)
    try:
        # On other engines the library stays as it is.
        with imports.kept():
            is_below = keras_cures.short_name() == library
    finally:
        _preparing.clear()
    if is_below:
        _prepare()


def explain() -> str:
    """The text of `--explain`: what each cure did in this process, and which programs need it."""
    modules = [cure.module for cure in CURES if cure.module not in ('keras', 'tensorflow')]
    keras = import_to_explain([*dict.fromkeys(modules), 'keras'])
    return explanation(f'Keras {keras.__version__} on the engine {keras_cures.short_name()}', CURES)
