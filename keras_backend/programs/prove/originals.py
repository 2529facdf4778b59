"""Environments with the original: Keras 2 on TensorFlow 1, or tf_keras. They are made once, when a version is named."""

import os
import shutil
from typing import Dict, List, NamedTuple, Optional, Sequence

from .. import environments
from ..launcher.libraries.library_pins import PINS
from .programs import Program, UsageError


class Original(NamedTuple):
    """What an environment is made of.

    Attributes
    ----------
    pythons : list of str
        The versions of Python that will do, the best first.
    packages : list of str
        What no program runs without.
    beside : list of str
        What programs of its time import. The environment is used without what cannot be installed.
    """

    pythons: List[str]
    packages: List[str]
    beside: List[str]


# The libraries of 2017 that TensorFlow 1 and Keras read files with: their versions have to fit.
_PINS = {library: f'{library}=={pin.version}' for library, pin in PINS['3.7'].items()}
_OF_2017 = ['tensorflow==1.15.5', 'protobuf<3.21', _PINS['numpy'], _PINS['h5py'], 'pyyaml', 'six']
_BESIDE_2017 = [pin for pin in _PINS.values() if pin not in _OF_2017] + ['decorator<5', 'tqdm', 'pip']
_BESIDE = 'scipy h5py pillow pandas matplotlib scikit-learn scikit-image imageio tqdm pip'.split()
ORIGINALS: Dict[str, Original] = {
    '2.3.1': Original(['3.7', '3.6'], ['keras==2.3.1', *_OF_2017], _BESIDE_2017),
    '2.2.4': Original(['3.7', '3.6'], ['keras==2.2.4', *_OF_2017], _BESIDE_2017),
    'tf_keras': Original(['3.12', '3.11', '3.10'], ['tensorflow<2.22', 'tf_keras<2.22'], _BESIDE),
    '2.15': Original(['3.11', '3.10', '3.9'], ['tensorflow==2.15.*'], _BESIDE),
    '2.10': Original(['3.10', '3.9', '3.8'], ['tensorflow==2.10.*', 'numpy<2'], _BESIDE),
}
OF_KIND = {'keras2': ('2.3.1', '2.2.4'), 'plain': ('2.3.1', '2.2.4'), 'keras3': ('tf_keras', '2.15', '2.10')}


def interpreter(asked: str, program: Program) -> str:
    """The path of the interpreter of the original.

    Parameters
    ----------
    asked : str
        A path, the name of a command, or one of ORIGINALS, whose environment is made if it is not there.
    program : Program
        The program. What it imports is installed in an environment that is made, where it can be.

    Returns
    -------
    str
        The path, or '' if nothing was asked for.

    Raises
    ------
    UsageError
        There is no such interpreter, the original is for other programs, or it could not be made.
    """
    if not asked:
        return ''
    if asked in ORIGINALS:
        if asked not in OF_KIND[program.kind]:
            raise UsageError(
                f'--original {asked}: the original of a program of the kind {program.kind} is one of '
                f'{", ".join(OF_KIND[program.kind])}, or the path of a python.'
            )
        return _make(asked, program.libraries)
    path: Optional[str] = shutil.which(asked)
    if path is None:
        raise UsageError(
            f'--original {asked}: there is no such interpreter; give the path of a python, or one of '
            f'{", ".join(OF_KIND[program.kind])} to have it made.'
        )
    return os.path.abspath(path)


def folder_of(name: str) -> str:
    """The folder of an environment."""
    return os.path.join(environments.folder_of_all(), f'original-{name}')


def _make(name: str, libraries: Sequence[str]) -> str:
    original = ORIGINALS[name]
    pinned = [environments.distribution(package) for package in (*original.packages, *original.beside)]
    more = [library for library in libraries if environments.distribution(library) not in pinned]
    try:
        return environments.make(folder_of(name), original.pythons, original.packages, True, [*original.beside, *more])
    except environments.CannotInstall as error:
        raise UsageError(
            f'--original {name} could not be made. {error} The path of a python that has the original will do, too.'
        ) from error
