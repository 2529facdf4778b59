"""The versions of Keras that run here, and the packages that belong to each."""

from typing import Dict, Optional, Tuple

from .. import installed

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


def of_keras() -> Optional[str]:
    """The version of the Keras that is installed; None without one."""
    return installed.version(['keras'])


def numbers(version: str) -> Tuple[int, ...]:
    """A version as numbers that can be compared: '2.2.4' is (2, 2, 4)."""
    return tuple(int(part) for part in version.split('.')[:3] if part.isdigit())


def takes_modules(version: str) -> bool:
    """Whether the loader of this Keras takes the name of a module for an engine."""
    return numbers(version) >= (2, 2, 4)
