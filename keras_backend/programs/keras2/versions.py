"""The versions of Keras that run here, and the packages that belong to each."""

import functools
from typing import Dict, Optional, Tuple

from ...basics import installed
from .check.versions import numbers

_BESIDE = 'keras-applications==1.0.8', 'keras-preprocessing==1.1.2'

# The version of Keras -> its packages, as its metadata asks for them. Keras before 2.2 has them inside.
VERSIONS: Dict[str, Tuple[str, ...]] = {
    '1.2.2': (),
    '2.0.8': (),
    '2.1.6': (),
    '2.2.2': ('keras-applications==1.0.4', 'keras-preprocessing==1.0.2'),
    '2.2.4': _BESIDE,
    '2.2.5': _BESIDE,
    '2.3.0': _BESIDE,
    '2.3.1': _BESIDE,
}
NEWEST = '2.3.1'


@functools.lru_cache(maxsize=None)  # the search reads the metadata of all packages, which takes a tenth of a second
def of_keras() -> Optional[str]:
    """The version of the Keras that is installed; None without one."""
    return installed.version(['keras'])


def takes_modules(version: str) -> bool:
    """Whether the loader of this Keras takes the name of a module for an engine."""
    return numbers(version) >= (2, 2, 4)


def is_keras_1(version: str) -> bool:
    """Whether this is Keras 1."""
    return numbers(version) < (2,)
