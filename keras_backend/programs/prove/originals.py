"""Environments with the original: Keras 2 on TensorFlow 1, or tf_keras. They are made once, when a version is named."""

import os
import shutil
import subprocess
import sys
from typing import Dict, List, NamedTuple, Optional

from ...config import keras_json
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
        return _made(asked)
    path: Optional[str] = shutil.which(asked)
    if path is None:
        raise UsageError(
            f'--original {asked}: there is no such interpreter; give the path of a python, or one of '
            f'{", ".join(OF_KIND[kind])} to have it made.'
        )
    return os.path.abspath(path)


def place(name: str) -> str:
    """The folder of an environment: beside keras.json, so that all programs of a user share it."""
    return os.path.join(os.path.dirname(keras_json.location()), 'keras_backend', f'original-{name}')


def _python(folder: str) -> str:
    inside = ('Scripts', 'python.exe') if os.name == 'nt' else ('bin', 'python')
    return os.path.join(folder, *inside)


def _made(name: str) -> str:
    folder = place(name)
    done = os.path.join(folder, 'complete')
    if os.path.exists(done):
        return _python(folder)
    original = ORIGINALS[name]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    sys.stderr.write(f'Installing {" ".join(original.packages)} in {folder}\n')
    uv = shutil.which('uv')
    if uv is not None:
        # uv brings a Python of this version if the machine has none.
        python = _found(original.pythons)
        _run(name, [uv, 'venv', '--quiet', '--python', python or original.pythons[0], folder])
        _run(name, [uv, 'pip', 'install', '--quiet', '--python', _python(folder), *original.packages])
    else:
        python = _found(original.pythons)
        if not python:
            raise UsageError(
                f'--original {name} needs Python {" or ".join(original.pythons)}, and none is on PATH or in pyenv; '
                'type: pip install uv (it brings one), or give the path of a python that has the original.'
            )
        _run(name, [python, '-m', 'venv', folder])
        _run(name, [_python(folder), '-m', 'pip', 'install', '--quiet', *original.packages])
    with open(done, 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(original.packages))
    return _python(folder)


def _found(versions: List[str]) -> str:
    """The path of the first of these versions of Python that this machine has, or ''."""
    for version in versions:
        for path in [shutil.which(f'python{version}'), *_of_pyenv(version)]:
            # A shim of pyenv is there for versions that are not active, too.
            if path and _answers(path):
                return path
    return ''


def _of_pyenv(version: str) -> List[str]:
    root = os.path.join(os.environ.get('PYENV_ROOT', os.path.expanduser('~/.pyenv')), 'versions')
    names = os.listdir(root) if os.path.isdir(root) else []
    return [_python(os.path.join(root, name)) for name in sorted(names) if name.startswith(version + '.')]


def _answers(path: str) -> bool:
    try:
        return subprocess.run([path, '-c', ''], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _run(name: str, command: List[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        output = '\n'.join(done.stdout.strip().splitlines()[-8:])
        raise UsageError(f'--original {name} could not be made. The command was: {" ".join(command)}\n{output}')
