"""`run --install`: an environment for a program, with all that it imports, and the program in it."""

import hashlib
import json
import os
import shutil
import subprocess
from typing import Any, Dict, List

from ...basics import installed
from ...engines.table import ENGINES
from .. import environments
from ..environments import CannotInstall
from ..migrate.routes import OF_KERAS_3, is_for_tf_keras
from .decision import Decision, of_keras_3
from .sizes import in_words

# A package may need a second look: what it brings decides what else is missing.
_ROUNDS = 3


def name_of(decision: Decision, python: str) -> str:
    """The name of the environment: one for each Python, Keras and engine."""
    of_tf_keras = 'tf_keras' if is_for_tf_keras(decision.written, decision.engine) else 'keras-3'
    keras = {'keras2': f'keras-{decision.keras}', 'keras3': of_tf_keras}.get(decision.way, 'k')
    return f'py{python}-{keras}-{decision.engine}'


def prepare(decision: Decision, options: List[str], folder: str = '') -> List[str]:
    """Make the environment of a program, and install what the program lacks there.

    Parameters
    ----------
    decision : Decision
        How the program runs, as on a new environment.
    options : list of str
        The command line of `run`: its options and the program, without the arguments of the program.
    folder : str
        Where the environment is to lie; '' for its place beside keras.json.

    Returns
    -------
    list of str
        The interpreter and its arguments that run the program there.

    Raises
    ------
    CannotInstall
        The environment cannot be made, or something cannot be installed.
    """
    # This Python before others; sorting leaves those in their order.
    python = environments.first_there(sorted(decision.pythons, key=lambda version: version != environments.THIS_PYTHON))
    folder = folder or os.path.join(environments.folder_of_all(), name_of(decision, python))
    interpreter = environments.make(folder, [python], _packages(decision))
    for _ in range(_ROUNDS):
        answer = _asked(interpreter, options)
        if answer['refused']:
            raise CannotInstall(answer['refused'])
        if not answer['missing']:
            return [interpreter, '-m', 'keras_backend', 'run', *options]
        environments.make(folder, [python], answer['missing'])
    raise CannotInstall(f'{" ".join(answer["missing"])} is installed in {folder}, and still cannot be imported there.')


def _packages(decision: Decision) -> List[str]:
    """What every program of this Keras and engine needs, installed at once so that the versions fit each other."""
    engine = ENGINES.get(decision.engine)
    extras = list(engine.extras) if engine is not None else []
    if decision.engine == 'tensorflow' and not _has_nvidia():
        extras = ['tensorflow-cpu']
    if is_for_tf_keras(decision.written, decision.engine) and decision.way == OF_KERAS_3:
        extras = ['tf-keras']  # it brings the TensorFlow of its version
    packages = installed.requirements(extras[0]) if extras else []
    if extras and not packages:
        packages = [installed.requirement(extras[0])]
    if of_keras_3(decision.written, decision.way):
        packages += installed.requirements('keras3')
    return ['numpy', *packages]


def _has_nvidia() -> bool:
    return os.path.exists('/proc/driver/nvidia') or shutil.which('nvidia-smi') is not None


def _asked(interpreter: str, options: List[str]) -> Dict[str, Any]:
    """What `run --check --json` says in an environment."""
    command = [interpreter, '-m', 'keras_backend', 'run', '--check', '--json', *options]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, env=variables()
    )
    try:
        answer: Dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = '\n'.join(done.stderr.strip().splitlines()[-4:])
        raise CannotInstall(f'{interpreter} cannot say what the program lacks. It wrote: {last}') from None
    return answer


# -- this package in the environment -----------------------------------------------------------------------------------


def variables() -> Dict[str, str]:
    """The environment variables of a process that finds this package, and nothing else of what is installed here."""
    paths = [path for path in os.environ.get('PYTHONPATH', '').split(os.pathsep) if path]
    found = {**os.environ, 'PYTHONPATH': os.pathsep.join([_folder_of_package(), *paths])}
    for name in ('PYTHONHOME', 'VIRTUAL_ENV'):
        found.pop(name, None)
    return found


def _folder_of_package() -> str:
    """A folder that holds a link to this package alone; where the system allows no link, a copy of this state."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(installed.__file__)))
    folder = os.path.join(environments.folder_of_all(), f'package-{_digest(package)}')
    link = os.path.join(folder, os.path.basename(package))
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(link):
        try:
            os.symlink(package, link, target_is_directory=True)
        except FileExistsError:  # another process was faster, or the package is no longer where it was
            if not os.path.exists(link):
                os.remove(link)
                os.symlink(package, link, target_is_directory=True)
        except OSError:  # Windows without the right to make links
            shutil.copytree(package, link)
    return folder


def _digest(package: str) -> str:
    """A name for the package; where it may have to be copied, for its state, too."""
    state = ''
    if os.name == 'nt':
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(package) for name in names]
        state = str(max(os.lstat(path).st_mtime for path in paths))
    return hashlib.sha256(f'{package} {state}'.encode()).hexdigest()[:12]


# -- the environments that are there -----------------------------------------------------------------------------------


def listed() -> List[str]:
    """A line for each environment: its name, its size, its folder."""
    found = environments.every()
    width = max([len(environment.name) for environment in found], default=0)
    return [
        f'{environment.name:{width}}  {in_words(environments.size(environment.folder)):>7}  {environment.folder}'
        for environment in found
    ] or [f'There are no environments in {environments.folder_of_all()}.']


def removed(name: str) -> List[str]:
    """Remove an environment, or 'all' of them; what was removed, a line each."""
    names = [environment.name for environment in environments.every()] if name == 'all' else [name]
    return [f'Removed {environments.remove(known).folder}.' for known in names] or listed()
