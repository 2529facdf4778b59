"""Versions of Keras: those that run here, their folders, and `keras.backend` of the oldest."""

import functools
import os
import shutil
import sys
import tempfile
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple

from ...basics import installed
from ...contract import CONTRACT
from ...errors import WrongKeras
from .. import environments
from ..launcher import imports
from . import keras1 as keras1_backend
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


# -- keras.backend before 2.2.4 ----------------------------------------------------------------------------------------
# `keras.backend` for Keras before 2.2.4. The loaders of these versions know three engines by name, and no module.
#
# The module that is made here takes the place of theirs. It has the functions of the engine, with the arguments and
# the meaning of the version.


# The functions of `keras.backend.common`. Modules of Keras and programs import them from there, too.
COMMON = tuple(
    'cast_to_floatx epsilon floatx image_data_format image_dim_ordering normalize_data_format set_epsilon set_floatx '
    'set_image_data_format set_image_dim_ordering'.split()
)

MAKING_VARIABLES = 'variable', 'zeros', 'ones', 'eye', 'random_normal_variable', 'random_uniform_variable'


def install(engine: str, title: str, version: str) -> None:
    """Let Keras import a `keras.backend` that is made from an engine.

    Parameters
    ----------
    engine : str
        The module that is the engine.
    title : str
        The name of the engine in the line that Keras writes when it is imported.
    version : str
        The version of Keras.
    """

    def make_backend() -> None:
        if 'keras.backend' not in sys.modules:
            _make(engine, version)
            sys.stderr.write(f'Using {title} backend.\n')

    imports.before('keras.backend', make_backend)


def _make(engine: str, version: str) -> None:
    functions = import_module(engine)
    names = {name: getattr(functions, name) for name in CONTRACT if hasattr(functions, name)}
    names.update({name: _with_truth(names[name]) for name in MAKING_VARIABLES if name in names})
    if is_keras_1(version):
        names.update(keras1_backend.functions(functions))
    module, common = ModuleType('keras.backend', functions.__doc__), ModuleType('keras.backend.common')
    module.__path__ = [f'{folder}/backend' for folder in sys.modules['keras'].__path__]
    vars(common).update({name: names[name] for name in COMMON if name in names})
    vars(module).update(names, backend=lambda: engine, common=common)
    sys.modules.update({'keras.backend': module, 'keras.backend.common': common})


def _with_truth(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; the variables that it makes are true.

    TensorFlow 1 said so, and layers of Keras before 2.2 write `if self.bias:` for a bias that may be None.
    """

    @functools.wraps(function)
    def make(*args: Any, **kwargs: Any) -> Any:
        variable = function(*args, **kwargs)
        type(variable).__bool__ = lambda self: True
        return variable

    return make


# -- --keras VERSION ---------------------------------------------------------------------------------------------------
# `--keras VERSION`: a folder with that version of Keras, made by pip once, that is on the path before all others.


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
    words = asked.split('.')
    versions = [version for version in VERSIONS if version.split('.')[: len(words)] == words]
    if not versions:
        raise WrongKeras(f'--keras {asked}: the versions that run here are {", ".join(VERSIONS)}.')
    return max(versions, key=numbers)


def place(version: str) -> str:
    """The folder of a version of Keras: in the folder of keras.json, so that all programs of a user share it.

    Some of what lies there is compiled, so each Python has its own.
    """
    python = f'python-{sys.version_info[0]}.{sys.version_info[1]}'
    return os.path.join(environments.folder_of_all(), python, f'keras-{version}')


def is_there(version: str) -> bool:
    """Whether a version of Keras was fetched before."""
    return os.path.isdir(os.path.join(place(version), 'keras'))


def lacking(version: str) -> List[str]:
    """What a start with this version of Keras has to find in the environment, and does not.

    A Keras that is fetched brings along what is not installed when it is fetched.

    Parameters
    ----------
    version : str
        One of `versions.VERSIONS`.

    Returns
    -------
    list of str
        The packages, as pip knows them.
    """
    in_environment = installed.version(['keras']) == version
    if not in_environment and not is_there(version):
        return []
    folders = [] if in_environment else [place(version)]
    return [
        package
        for module, package in NEEDED.items()
        if installed.spec(module) is None and PathFinder.find_spec(module, folders) is None
    ]


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
    if is_there(version):
        return folder
    above = os.path.dirname(folder)
    try:
        os.makedirs(above, exist_ok=True)
        work = tempfile.TemporaryDirectory(dir=above)
    except OSError as error:
        raise WrongKeras(environments.cannot_write(f'Keras {version} cannot be installed', above, error)) from error
    packages = [f'keras=={version}', *VERSIONS[version]]
    packages += [package for module, package in NEEDED.items() if installed.spec(module) is None]
    sys.stderr.write(f'Installing {" ".join(packages)} in {folder}\n')
    # A folder that is there is complete: pip works beside it, and two processes do not meet.
    with work:
        pip = installer()
        if not pip:
            raise WrongKeras(f'{OPTION} needs pip, and this environment has none; type: python -m ensurepip')
        target = os.path.join(work.name, 'made')
        command = [*pip, '--quiet', '--no-deps', '--target', target, *packages]
        output = environments.failure(command)
        if output is not None:
            typed = environments.typed(command)
            raise WrongKeras(f'Keras {version} could not be installed. The command was: {typed}\n{output}')
        try:
            os.rename(target, folder)
        except OSError:  # another process was faster
            if not os.path.isdir(os.path.join(folder, 'keras')):
                shutil.rmtree(folder, ignore_errors=True)
                os.rename(target, folder)
    return folder


def installer() -> List[str]:
    """The command that installs: pip, or uv where the environment has no pip. It is empty where neither is there."""
    if installed.spec('pip') is not None:
        return [sys.executable, '-m', 'pip', 'install']
    uv = shutil.which('uv')
    return [] if uv is None else [uv, 'pip', 'install', '--python', sys.executable]


def put_on_path(version: str) -> None:
    """Let this process and its children import this version of Keras."""
    folder = make(version)
    sys.path.insert(1, folder)
    paths = [path for path in os.environ.get('PYTHONPATH', '').split(os.pathsep) if path and path != folder]
    os.environ['PYTHONPATH'] = os.pathsep.join([folder, *paths])


def split(arguments: List[str]) -> Tuple[str, List[str]]:
    """The version that `--keras` names, '' without one, and the rest of the command line.

    Parameters
    ----------
    arguments : list of str
        The command line of the launcher.

    Raises
    ------
    WrongKeras
        The version is missing, or is none that runs here.
    """
    if arguments and arguments[0].startswith(OPTION + '='):
        return version_asked_for(arguments[0][len(OPTION) + 1 :]), arguments[1:]
    if arguments[:1] != [OPTION]:
        return '', arguments
    if len(arguments) < 2:
        raise WrongKeras(f'{OPTION} needs a version; type one of: {", ".join(VERSIONS)}.')
    return version_asked_for(arguments[1]), arguments[2:]
