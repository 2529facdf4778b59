"""`--keras VERSION`: a folder with that version of Keras, made by pip once, that is on the path before all others."""

import os
import shutil
import subprocess
import sys
import tempfile
from typing import List, Optional

from ...basics import installed
from ...config import keras_json
from ...errors import WrongKeras
from . import versions

OPTION = '--keras'

# The modules that every version imports -> the package that pip knows.
NEEDED = {'yaml': 'pyyaml', 'six': 'six', 'h5py': 'h5py', 'scipy': 'scipy'}


def version_asked_for(asked: str) -> str:
    """The version that `--keras` names: a version, or the beginning of one, whose newest is taken.

    Parameters
    ----------
    asked : str
        '2.2.4', or '2.2' for the newest of 2.2, or '1'.

    Raises
    ------
    WrongKeras
        No version that runs here begins so.
    """
    parts = asked.split('.')
    found = [version for version in versions.VERSIONS if version.split('.')[: len(parts)] == parts]
    if not found:
        raise WrongKeras(f'--keras {asked}: the versions that run here are {", ".join(versions.VERSIONS)}.')
    return max(found, key=versions.numbers)


def place(version: str) -> str:
    """The folder of a version of Keras: in the folder of keras.json, so that all programs of a user share it.

    Some of what lies there is compiled, so each Python has its own.
    """
    python = f'python-{sys.version_info[0]}.{sys.version_info[1]}'
    return os.path.join(os.path.dirname(keras_json.location()), 'keras_backend', python, f'keras-{version}')


def make(version: str) -> str:
    """The folder of a version of Keras. pip makes it if it is not there.

    Parameters
    ----------
    version : str
        One of `versions.VERSIONS`.

    Raises
    ------
    WrongKeras
        pip could not install it: the message has the command and its last lines. Or the folder cannot be written.
    """
    folder = place(version)
    if os.path.isdir(os.path.join(folder, 'keras')):
        return folder
    above = os.path.dirname(folder)
    try:
        os.makedirs(above, exist_ok=True)
        work = tempfile.TemporaryDirectory(dir=above)
    except OSError as error:
        raise WrongKeras(
            f'Keras {version} cannot be installed in {above}: {error.strerror or error}. '
            'Set KERAS_HOME to a folder that can be written.'
        ) from error
    packages = [f'keras=={version}', *versions.VERSIONS[version]]
    packages += [package for module, package in NEEDED.items() if installed.spec(module) is None]
    sys.stderr.write(f'Installing {" ".join(packages)} in {folder}\n')
    # A folder that is there is complete: pip works beside it, and two processes do not meet.
    with work:
        made = os.path.join(work.name, 'made')
        command = [*_installer(), '--quiet', '--no-deps', '--target', made, *packages]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        if done.returncode:
            said = '\n'.join(done.stdout.strip().splitlines()[-8:])
            raise WrongKeras(f'Keras {version} could not be installed. The command was: {" ".join(command)}\n{said}')
        try:
            os.rename(made, folder)
        except OSError:  # another process was faster
            if not os.path.isdir(os.path.join(folder, 'keras')):
                shutil.rmtree(folder, ignore_errors=True)
                os.rename(made, folder)
    return folder


def _installer() -> List[str]:
    """The command that installs: pip, or uv where the environment has no pip."""
    if installed.spec('pip') is not None:
        return [sys.executable, '-m', 'pip', 'install']
    uv = shutil.which('uv')
    if uv is None:
        raise WrongKeras(f'{OPTION} needs pip, and this environment has none; type: python -m ensurepip')
    return [uv, 'pip', 'install', '--python', sys.executable]


def put_on_path(version: str) -> None:
    """Let this process and its children import this version of Keras."""
    folder = make(version)
    sys.path.insert(1, folder)
    places = [path for path in os.environ.get('PYTHONPATH', '').split(os.pathsep) if path and path != folder]
    os.environ['PYTHONPATH'] = os.pathsep.join([folder, *places])


def take(arguments: List[str]) -> List[str]:
    """The command line without `--keras VERSION`, whose Keras is on the path then.

    Raises
    ------
    WrongKeras
        The version is missing, or is none that runs here, or cannot be installed.
    """
    asked: Optional[str] = None
    if arguments and arguments[0].startswith(OPTION + '='):
        asked, arguments = arguments[0][len(OPTION) + 1 :], arguments[1:]
    elif arguments and arguments[0] == OPTION:
        if len(arguments) < 2:
            raise WrongKeras(f'{OPTION} needs a version; type one of: {", ".join(versions.VERSIONS)}.')
        asked, arguments = arguments[1], arguments[2:]
    if asked is not None:
        put_on_path(version_asked_for(asked))
    return arguments
