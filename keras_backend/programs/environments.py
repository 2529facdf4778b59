"""Environments that commands make: one for programs (`run --install`), one with an original (`prove --original`).

They lie beside keras.json, so that all programs of a user share them. An environment that has its file `complete` can
be used; the file lists what was installed. A file FOLDER.unfinished lies beside one that is being made, so that what an
attempt has left is told from a folder of the user. A lock keeps two processes from making the same one at once.
"""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence

from ..config import keras_json
from ..errors import KerasBackendError

if sys.platform != 'win32':
    import fcntl

_COMPLETE = 'complete'
# From the newest to the oldest that this package runs on.
PYTHONS = tuple(f'3.{minor}' for minor in range(13, 5, -1))
THIS_PYTHON = f'{sys.version_info[0]}.{sys.version_info[1]}'


class CannotInstall(KerasBackendError):
    """An environment or a package in it could not be installed."""


class Environment(NamedTuple):
    """What was made: its name, its folder, and what was installed, as pip takes it."""

    name: str
    folder: str
    packages: List[str]


def folder_of_all() -> str:
    """The folder that has all environments."""
    return os.path.join(os.path.dirname(keras_json.location()), 'keras_backend')


def python_of(folder: str) -> str:
    """The path of the interpreter of an environment."""
    inside = ('Scripts', 'python.exe') if os.name == 'nt' else ('bin', 'python')
    return os.path.join(folder, *inside)


def is_complete(folder: str) -> bool:
    """Whether an environment is there and can be used."""
    return os.path.isfile(os.path.join(folder, _COMPLETE)) and os.path.exists(python_of(folder))


def make(
    folder: str, pythons: Sequence[str], packages: Sequence[str], is_quiet: bool = False, optional: Sequence[str] = ()
) -> str:
    """Make an environment, or install what an earlier one lacks.

    Parameters
    ----------
    folder : str
        Where it lies.
    pythons : sequence of str
        The versions of Python that will do, the best first, such as '3.11'.
    packages : sequence of str
        What has to be there, as pip takes it.
    is_quiet : bool
        Whether the installer shows no progress.
    optional : sequence of str
        What is good to have there. What cannot be installed is told, and tried again the next time.

    Returns
    -------
    str
        The path of its interpreter.

    Raises
    ------
    CannotInstall
        The folder cannot be written, no such Python is here, or a package cannot be installed.
    """
    with _locked(folder):
        if not is_complete(folder):
            _create(folder, pythons)
        lacking = _lacking(folder, packages)
        if lacking:
            _install(folder, lacking, is_quiet)
            _note(folder, [*_noted(folder), *lacking])
        absent = _add_optional(folder, packages, _lacking(folder, optional), is_quiet)
        if absent:
            sys.stderr.write(
                f'{_in_words(absent)} could not be installed in {folder}, which is used without. A program that '
                f'imports it fails there. To see why, type: {_by_hand(python_of(folder), absent)}\n'
            )
    return python_of(folder)


def every() -> List[Environment]:
    """The environments of this user, and the folders with versions of Keras that launchers have fetched."""
    above = folder_of_all()
    found = []
    for name in _listed(above):
        if name.startswith('python-'):
            inside = [f'{name}/{keras}' for keras in _listed(os.path.join(above, name)) if keras.startswith('keras-')]
            found += [Environment(path, os.path.join(above, *path.split('/')), []) for path in inside]
        elif os.path.isfile(os.path.join(above, name, _COMPLETE)):
            found.append(Environment(name, os.path.join(above, name), _noted(os.path.join(above, name))))
    return found


def remove(name: str) -> Environment:
    """Remove the environment of this name, as `every` has it.

    Raises
    ------
    CannotInstall
        There is none of this name, or it cannot be removed.
    """
    known = {environment.name: environment for environment in every()}
    if name not in known:
        raise CannotInstall(f'There is no environment {name!r}; there are: {", ".join(known) or "none"}.')
    folder = known[name].folder
    try:
        with _locked(folder):
            shutil.rmtree(folder)
        os.remove(_lock_of(folder))
    except OSError as error:
        raise CannotInstall(f'{folder} cannot be removed: {error.strerror or error}.') from error
    return known[name]


def size(folder: str) -> int:
    """The size of a folder on disk in bytes; links do not count."""
    total = 0
    for place, _, names in os.walk(folder):
        paths = [os.path.join(place, name) for name in names]
        total += sum(os.lstat(path).st_size for path in paths if not os.path.islink(path))
    return total


def cannot_write(what: str, folder: str, error: OSError) -> str:
    """The sentence for a folder of the user in which nothing can be made. what: a sentence up to 'in'."""
    return f'{what} in {folder}: {error.strerror or error}. Set KERAS_HOME to a folder that can be written.'


def _listed(folder: str) -> List[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


# -- the interpreter ---------------------------------------------------------------------------------------------------


def find_python(versions: Sequence[str]) -> str:
    """The path of the first of these versions of Python that this machine has, or ''."""
    for version in versions:
        if version == THIS_PYTHON:
            return sys.executable
        for path in [shutil.which(f'python{version}'), *_of_pyenv(version)]:
            # A shim of pyenv is there for versions that are not active, too.
            if path and _answers(path):
                return path
    return ''


def _of_pyenv(version: str) -> List[str]:
    root = os.path.join(os.environ.get('PYENV_ROOT', os.path.expanduser('~/.pyenv')), 'versions')
    return [python_of(os.path.join(root, name)) for name in _listed(root) if name.startswith(version + '.')]


def _answers(path: str) -> bool:
    try:
        return subprocess.run([path, '-c', ''], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def first_there(versions: Sequence[str]) -> str:
    """The first of these versions of Python that this machine has, or the first of all, which uv may bring."""
    return next((version for version in versions if find_python([version])), versions[0])


def _create(folder: str, pythons: Sequence[str]) -> None:
    unfinished = folder + '.unfinished'
    if os.path.exists(unfinished):
        shutil.rmtree(folder, ignore_errors=True)
    elif os.path.exists(python_of(folder)):
        # An environment that the user has made.
        _note(folder, [])
        return
    elif os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise CannotInstall(f'{folder} has other files and is no environment; name an empty or a new folder.')
    with open(unfinished, 'w', encoding='utf-8'):
        pass
    _create_empty(folder, pythons)
    _note(folder, [])
    os.remove(unfinished)


def _create_empty(folder: str, pythons: Sequence[str]) -> None:
    python, uv = find_python(pythons), shutil.which('uv')
    if uv is not None:
        # uv brings a Python of this version if the machine has none.
        _run([uv, 'venv', '--quiet', '--python', python or pythons[0], folder], folder)
    elif python:
        _run([python, '-m', 'venv', folder], folder)
    else:
        raise CannotInstall(
            f'It needs Python {" or ".join(pythons)}, and none is on PATH or in pyenv; type: pip install uv (it brings '
            'one).'
        )


# -- packages ----------------------------------------------------------------------------------------------------------


def _lacking(folder: str, packages: Sequence[str]) -> List[str]:
    there = _noted(folder)
    return [package for package in packages if package not in there]


def _add_optional(folder: str, needed: Sequence[str], packages: Sequence[str], is_quiet: bool) -> List[str]:
    """Install all that can be installed beside what is needed; returns what cannot."""
    if not packages:
        return []
    try:
        # With what is needed in the command, no version of it is changed.
        _install(folder, [*needed, *packages], is_quiet)
    except CannotInstall:
        if len(packages) == 1:
            return list(packages)
        # Which one it is, the installer does not say: each is tried alone.
        return [name for package in packages for name in _add_optional(folder, needed, [package], is_quiet)]
    _note(folder, [*_noted(folder), *packages])
    return []


def _by_hand(python: str, packages: Sequence[str]) -> str:
    return typed([python, '-m', 'pip', 'install', *packages])


def _install(folder: str, packages: Sequence[str], is_quiet: bool) -> None:
    """Install with uv, where it is there, or pip. The output goes where messages go."""
    sys.stderr.write(f'Installing {_in_words(packages)} in {folder}\n')
    uv, python = shutil.which('uv'), python_of(folder)
    options = ['--quiet'] if is_quiet else []
    if uv is not None:
        command = [uv, 'pip', 'install', *options, '--python', python, *packages]
        if _shown(command, is_quiet) is None:
            return
        # uv does not read the configuration of pip, which may name the index that a company allows.
        _run([python, '-m', 'ensurepip'], folder)
    _for_wheels(python)
    command = [python, '-m', 'pip', 'install', '--disable-pip-version-check', *options, *packages]
    said = _shown(command, is_quiet)
    if said is not None:
        raise CannotInstall(
            f'{_in_words(packages)} could not be installed in {folder}. The command was: {typed(command)}\n{said}'
        )


def _in_words(packages: Sequence[str]) -> str:
    """Packages as a person reads them: without the markers of pip."""
    return ', '.join(package.partition(';')[0].replace(' ', '') for package in packages)


def typed(command: Sequence[str]) -> str:
    """A command as a person types it."""
    return ' '.join(map(shlex.quote, command))


def _for_wheels(python: str) -> None:
    """A pip that knows the wheels of today: that of Python 3.6 and 3.7 is too old for them."""
    version = subprocess.run([python, '-c', 'import sys; print(sys.version_info >= (3, 8))'], stdout=subprocess.PIPE)
    if version.stdout.strip() == b'False':
        _shown([python, '-m', 'pip', 'install', '--quiet', '--upgrade', 'pip'], True)


def distribution(package: str) -> str:
    """The name of a package, without its version and its marker."""
    return re.split(r'[\s<>=!~;]', package.strip())[0].lower()


def _shown(command: List[str], is_quiet: bool) -> Optional[str]:
    """Run a command; None where it succeeds, else the last lines that it wrote and that nobody has seen."""
    if not is_quiet:
        return None if subprocess.run(command, stdout=sys.stderr.fileno()).returncode == 0 else ''
    return failure(command)


def failure(command: List[str]) -> Optional[str]:
    """Run a command that shows nothing; None where it succeeds, else the last lines that it wrote."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return None if done.returncode == 0 else '\n'.join(done.stdout.strip().splitlines()[-8:])


def _run(command: List[str], folder: str) -> None:
    said = _shown(command, True)
    if said is not None:
        raise CannotInstall(f'{folder} could not be made. The command was: {typed(command)}\n{said}')


# -- what was installed, and the lock ----------------------------------------------------------------------------------


def _noted(folder: str) -> List[str]:
    with open(os.path.join(folder, _COMPLETE), encoding='utf-8') as stream:
        return stream.read().split('\n')[:-1]


def _note(folder: str, packages: Sequence[str]) -> None:
    path = os.path.join(folder, _COMPLETE)
    with open(path + '.new', 'w', encoding='utf-8') as stream:
        stream.write(''.join(package + '\n' for package in packages))
    os.replace(path + '.new', path)


def _lock_of(folder: str) -> str:
    return os.path.abspath(folder) + '.lock'


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    """One process at a time may change an environment. The system frees the lock of a process that ends."""
    above = os.path.dirname(os.path.abspath(folder))
    try:
        os.makedirs(above, exist_ok=True)
        stream = open(_lock_of(folder), 'a', encoding='utf-8')
    except OSError as error:
        raise CannotInstall(cannot_write('An environment cannot be made', above, error)) from error
    with stream:
        _wait(stream.fileno(), folder)
        yield


def _wait(descriptor: int, folder: str) -> None:
    if sys.platform == 'win32':
        _wait_on_windows(descriptor)
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write(f'Another process changes {folder}; this one waits for it.\n')
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _wait_on_windows(descriptor: int) -> None:
    import msvcrt
    import time

    windows: Any = msvcrt
    while True:
        try:
            windows.locking(descriptor, windows.LK_NBLCK, 1)
            return
        except OSError:  # another process has it
            time.sleep(1)
