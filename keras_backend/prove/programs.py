"""Which Keras a program was written for, and the engines that can run it."""

import os
import re
from typing import List, NamedTuple

from .. import installed
from ..engines.table import ENGINES
from ..errors import KerasBackendError

KINDS = ('keras2', 'keras3', 'plain')

# The launcher of each kind, and the engines that run it if none were named.
LAUNCHERS = {'keras2': 'keras_backend.keras2', 'keras3': 'keras_backend.keras3', 'plain': ''}
DEFAULT = {
    'keras2': ('tensorflow', 'numpy', 'jax'),
    'keras3': ('tensorflow', 'jax', 'torch'),
    'plain': ('tensorflow', 'numpy', 'jax'),
}
OF_KERAS_3 = ('tensorflow', 'jax', 'torch')


class UsageError(KerasBackendError):
    """The command line of `prove` cannot be carried out."""


class Program(NamedTuple):
    """A program, and how it is run.

    Attributes
    ----------
    path : str
        The file.
    arguments : list of str
        Its command line.
    kind : str
        One of KINDS.
    """

    path: str
    arguments: List[str]
    kind: str


_KERAS_3 = re.compile(
    r'^\s*(?:from\s+tensorflow(?:\.python)?\s+import\s+.*\bkeras\b|(?:from|import)\s+tensorflow(?:\.python)?\.keras\b'
    r'|import\s+keras_backend\.keras3\b|from\s+keras_backend\s+import\s+.*\bkeras3\b)',
    re.MULTILINE,
)
_ATTRIBUTE = re.compile(r'\btf\.keras\b')
_KERAS_2 = re.compile(r'^\s*(?:from|import)\s+keras\b', re.MULTILINE)
_PLAIN = re.compile(r'^\s*(?:from|import)\s+keras_backend\b', re.MULTILINE)


def kind_of(text: str) -> str:
    """The kind of a program by its imports, or '' if it imports no Keras.

    Parameters
    ----------
    text : str
        The source of the program.
    """
    found = ('keras3', _KERAS_3), ('keras2', _KERAS_2), ('keras3', _ATTRIBUTE), ('plain', _PLAIN)
    for kind, pattern in found:
        if pattern.search(text):
            return kind
    return ''


def program(path: str, arguments: List[str], kind: str = '') -> Program:
    """The program of a command line.

    Parameters
    ----------
    path : str
        The file.
    arguments : list of str
        What the program is given.
    kind : str
        One of KINDS, or '' to tell it by the imports.

    Raises
    ------
    UsageError
        The file is missing, is no .py file, or imports no Keras.
    """
    if not os.path.isfile(path):
        raise UsageError(f'prove cannot find the program {path!r} in {os.getcwd()}; give the path of a .py file.')
    if not path.endswith('.py'):
        raise UsageError(
            f'prove runs .py files, and was given {path!r}. To make one of a notebook, type: '
            f'jupyter nbconvert --to script {path}'
        )
    if not kind:
        with open(path, encoding='utf-8', errors='replace') as stream:
            kind = kind_of(stream.read())
    if not kind:
        raise UsageError(
            f'{path} imports neither keras, tf.keras nor keras_backend; add: --with keras2, keras3 or plain.'
        )
    return Program(os.path.abspath(path), arguments, kind)


def engines(asked: List[str], kind: str) -> List[str]:
    """The engines to run on.

    Parameters
    ----------
    asked : list of str
        The names of the command line, or an empty list for those of DEFAULT that are installed.
    kind : str
        The kind of the program.

    Raises
    ------
    UsageError
        An engine is unknown or not installed, or was named twice.
    """
    if not asked:
        return [name for name in DEFAULT[kind] if _is_installed(name)]
    known = OF_KERAS_3 if kind == 'keras3' else tuple(ENGINES)
    for name in asked:
        if asked.count(name) > 1:
            raise UsageError(f'--engines names {name} twice; name each engine once.')
        if name not in known and (kind == 'keras3' or installed.spec(name) is None):
            raise UsageError(f'--engines {name}: this program can run on {", ".join(known)}; name some of these.')
        if name in known and not _is_installed(name):
            raise UsageError(
                f'The engine {name} is not installed in this environment; type: '
                f'pip install "{installed.requirement(name)}"'
            )
    return list(asked)


def _is_installed(name: str) -> bool:
    return any(installed.spec(library.module) is not None for library in ENGINES[name].libraries)
