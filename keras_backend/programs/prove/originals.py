"""Environments with the original: Keras 2 on TensorFlow 1, or tf_keras. They are made once, when a version is named."""

import os
import shutil
from typing import Dict, List, NamedTuple, Optional

from .. import environments
from .programs import UsageError


class Original(NamedTuple):
    """What an environment is made of: the versions of Python that will do, the best first, and the packages."""

    pythons: List[str]
    packages: List[str]


# The last versions that work together. The older TensorFlow cannot use newer ones of the others.
_BESIDE = [
    'protobuf<3.21',
    'h5py<3',
    'numpy<1.19',
    'scipy<1.6',
    'pandas<1.3',
    'scikit-learn<1',
    'matplotlib<3.6',
    'pillow',
]
ORIGINALS: Dict[str, Original] = {
    '2.3.1': Original(['3.7', '3.6'], ['keras==2.3.1', 'tensorflow==1.15.5', *_BESIDE]),
    '2.2.4': Original(['3.7', '3.6'], ['keras==2.2.4', 'tensorflow==1.15.5', *_BESIDE]),
    'tf_keras': Original(['3.12', '3.11', '3.10'], ['tensorflow<2.22', 'tf_keras<2.22', 'scipy', 'h5py', 'pillow']),
    '2.15': Original(['3.11', '3.10', '3.9'], ['tensorflow==2.15.*', 'scipy', 'h5py', 'pillow']),
    '2.10': Original(['3.10', '3.9', '3.8'], ['tensorflow==2.10.*', 'numpy<2', 'scipy', 'h5py', 'pillow']),
}
OF_KIND = {'keras2': ('2.3.1', '2.2.4'), 'plain': ('2.3.1', '2.2.4'), 'keras3': ('tf_keras', '2.15', '2.10')}


def interpreter(asked: str, kind: str) -> str:
    """The path of the interpreter of the original.

    Parameters
    ----------
    asked : str
        A path, the name of a command, or one of ORIGINALS, whose environment is made if it is not there.
    kind : str
        The kind of the program.

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
        if asked not in OF_KIND[kind]:
            raise UsageError(
                f'--original {asked}: the original of a program of the kind {kind} is one of '
                f'{", ".join(OF_KIND[kind])}, or the path of a python.'
            )
        return _make(asked)
    path: Optional[str] = shutil.which(asked)
    if path is None:
        raise UsageError(
            f'--original {asked}: there is no such interpreter; give the path of a python, or one of '
            f'{", ".join(OF_KIND[kind])} to have it made.'
        )
    return os.path.abspath(path)


def folder_of(name: str) -> str:
    """The folder of an environment."""
    return os.path.join(environments.folder_of_all(), f'original-{name}')


def _make(name: str) -> str:
    original = ORIGINALS[name]
    try:
        return environments.make(folder_of(name), original.pythons, original.packages, is_quiet=True)
    except environments.CannotInstall as error:
        raise UsageError(
            f'--original {name} could not be made. {error} The path of a python that has the original will do, too.'
        ) from error
