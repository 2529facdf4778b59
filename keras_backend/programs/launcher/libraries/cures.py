"""The list of the cures for Python and for other libraries: what each gives back, and which programs need it.

Both launchers apply it. No cure here is about Keras or TensorFlow.
"""
# ruff: noqa: F401 - cures.json names functions of the modules that are imported here

from types import ModuleType
from typing import Iterable, Tuple

from .. import imports
from ..cures import Cure, action, in_table
from . import (
    colab_cures,
    h5py_cures,
    image_cures,
    matplotlib_axes,
    matplotlib_cures,
    networkx_cures,
    numpy_cures,
    old_modules_cures,
    pandas_cures,
    pandas_dates,
    pandas_groups,
    pandas_methods,
    pandas_tables,
    protobuf_cures,
    python_cures,
    scipy_cures,
    skimage_cures,
    sklearn_arguments,
    sklearn_cures,
    yaml_cures,
)

CURES: Tuple[Cure, ...] = in_table(globals())


def watch(cures: Iterable[Cure]) -> None:
    """Apply each of these cures when its module is imported, or now if it is imported already."""
    for cure in cures:
        imports.after(cure.module, action(cure))
    imports.instead('scipy.misc', lambda: ModuleType('scipy.misc'))
