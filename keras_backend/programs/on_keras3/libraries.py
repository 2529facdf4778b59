"""The cures for Python and other libraries that programs of 2019 to 2023 need, beside the Keras 3 of today."""

from typing import List

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
CURES = tuple(cure for cure in libraries.CURES if cure.apply not in LEFT_OUT)


def watch() -> None:
    """Apply each cure when its module is imported, or now if it is imported already."""
    libraries.watch(CURES)


def modules() -> List[str]:
    """The modules that the cures change, each once."""
    return list(dict.fromkeys(cure.module for cure in CURES))
