"""Every name that programs have for Keras leads to tf_keras: `keras`, `tensorflow.keras`, private copies, old paths.

`keras.X` is `tf_keras.X`, or else `tf_keras.src.X`. What lies elsewhere today, or is no module any more, is in tables.
A module also gives what a program reads as an attribute and has not imported: `tf.keras.layers.experimental`.
"""

import contextlib
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional

from ...basics.tables import beside
from ..launcher import imports
from ..launcher.cures import on_one_device, warn_once

TF_KERAS = 'tf_keras'
# The names of the one package. TensorFlow asks for the third of them where a program reads `tf.keras`.
NAMES = ('keras', 'tensorflow.keras', 'tf_keras.api._v2.keras', 'tensorflow.compat.v2.keras')
# The copy of Keras inside TensorFlow, which TensorFlow itself goes on with.
PRIVATE = 'tensorflow.python.keras'
# The names of Keras in TensorFlow 1, which tf_keras has as a package of its own.
_V1 = 'tf_keras.api._v1.keras'
OF_TENSORFLOW_1 = ('tensorflow.compat.v1.keras',)
# These, too, for programs of TensorFlow 1.
IN_TENSORFLOW_1 = ('tensorflow.contrib.keras', 'tensorflow.keras')
_UTILS_OF_SKLEARN = 'keras_backend.programs.on_keras3.wrappers_of_sklearn'

_TABLE = beside(__file__, 'names.json')
# The path below Keras -> the path below tf_keras. Paths below it move with it.
MOVED: Dict[str, str] = _TABLE['moved']

# The first word of a path -> the modules that have the names that are not in their own module.
HOMES: Dict[str, List[str]] = {
    word: [module for name in names for module in _TABLE['homes_groups'].get(name, [name])]
    for word, names in _TABLE['homes'].items()
}
# Modules that tf_keras has under no name. Their names are looked for in the homes of their first word.
GONE: List[str] = _TABLE['gone']
# Where a name is another one today.
RENAMED: Dict[str, str] = _TABLE['renamed']


class State:
    """Whether tf_keras is complete. While it is imported, it gets what TensorFlow has under its own names."""

    complete = False


# -- modules -----------------------------------------------------------------------------------------------------------


def module_at(path: str) -> Optional[ModuleType]:
    """The module of tf_keras for a path below Keras, such as 'layers.core'; None where there is none."""
    plain = _plain(path)
    # As the parent of a module gets it as an attribute, a path below `src` has to lead below `src`, where it can.
    for name in (path, f'src.{plain}', _moved(plain)):
        module = _imported(name) if name is not None else None
        if module is not None:
            return _giving(module, plain)
    return _older(plain) if plain in GONE else None


_COPIES = 'api._v2.keras _tf_keras.keras api.keras python.keras _impl.keras api src python _impl'.split()


def _plain(path: str) -> str:
    """A path without the words that name a copy of the package: 'src.layers', 'api._v2.keras.layers', 'api.layers'."""
    for start in _COPIES:
        if (path + '.').startswith(start + '.'):
            return path[len(start) + 1 :]
    return path


def _moved(path: str) -> Optional[str]:
    """Where a path has moved to, below tf_keras; None if it has not."""
    parent = path
    while parent and parent not in MOVED:
        parent = parent.rpartition('.')[0]
    return MOVED[parent] + path[len(parent) :] if parent else None


def _imported(path: str) -> Optional[ModuleType]:
    """A module of tf_keras itself; None where it has none of this name."""
    name = f'{TF_KERAS}.{path}'.rstrip('.')
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not error.name or not (name + '.').startswith(error.name + '.'):
            raise
        return None


# Path -> the module that was made for it.
_made: Dict[str, ModuleType] = {}


def _older(path: str) -> ModuleType:
    if path == 'wrappers.scikit_learn' and path not in _made:
        estimators: Any = import_module(_UTILS_OF_SKLEARN)
        _made[path] = estimators.module(f'{TF_KERAS}.{path}')
    if path not in _made:
        module = ModuleType(f'{TF_KERAS}.{path}', 'Names of an older Keras, as tf_keras has them.')
        module.__path__ = []
        sys.modules[module.__name__] = _made[path] = _giving(module, path)
    return _made[path]


# -- attributes --------------------------------------------------------------------------------------------------------


def _giving(module: ModuleType, path: str) -> ModuleType:
    """The module, which gives names that are missing in it from now on."""
    names = vars(module)
    if getattr(names.get('__getattr__'), '__module__', '') != __name__:
        names['__getattr__'] = _missing(module, path, names.get('__getattr__'))
    return module


def _missing(module: ModuleType, path: str, own: Optional[Callable[[str], Any]]) -> Callable[[str], Any]:
    def attribute(name: str) -> Any:
        if own is not None:
            with contextlib.suppress(AttributeError):
                return own(name)
        value = None if name.startswith('__') or not State.complete else _named(path, name)
        if value is None:
            raise AttributeError(f'module {module.__name__!r} has no attribute {name!r}')
        setattr(module, name, value)
        return value

    return attribute


def _named(path: str, name: str) -> Any:
    """What a module of an older Keras has under a name; None where tf_keras has it nowhere."""
    if name == 'multi_gpu_model' and path.partition('.')[0] == 'utils':
        return multi_gpu_model
    own = [f'src.{path}'] if path else []
    for spelled in (name, RENAMED.get(name)):
        for home in (*own, *HOMES.get(path.partition('.')[0], ())) if spelled else ():
            module = _imported(home)
            if module is not None and spelled in vars(module):
                return vars(module)[spelled]
    below = _below(path, name)
    return module_at(f'{path}.{name}'.lstrip('.')) if below is None and not name.startswith('_') else below


def _below(path: str, name: str) -> Any:
    """What one of the modules beside and below a path has under a name, such as `_Merge` for `layers.merge`."""
    start = f'{TF_KERAS}.src.{path.partition(".")[0]}.'
    modules = [sys.modules[other] for other in sorted(sys.modules) if path and other.startswith(start)]
    return next((vars(module)[name] for module in modules if name in vars(module)), None)


def multi_gpu_model(model: Any, gpus: Any = None, cpu_merge: bool = True, cpu_relocation: bool = False) -> Any:
    """A model with the inputs and outputs of `model`, on one device; TensorFlow took it away in 2.4."""
    warn_once('multi_gpu_model: the model runs on one device; TensorFlow shares batches by tf.distribute.')
    return on_one_device(model)


# -- names -------------------------------------------------------------------------------------------------------------


def _answer(top: str) -> Callable[[str], Optional[ModuleType]]:
    def module_of(name: str) -> Optional[ModuleType]:
        return module_at(name[len(top) + 1 :]) if _is_complete() else None

    return module_of


def _of_tensorflow_1(top: str) -> Callable[[str], Optional[ModuleType]]:
    def module_of(name: str) -> Optional[ModuleType]:
        if not _is_complete():
            return None
        path = _plain(name[len(top) + 1 :])
        with contextlib.suppress(ModuleNotFoundError):
            return _giving(import_module(f'{_V1}.{path}'.rstrip('.')), path)
        return module_at(path)

    return module_of


def _is_complete() -> bool:
    """Whether tf_keras is there: imported now, unless this is its own import or that of TensorFlow."""
    tensorflow = getattr(sys.modules.get('tensorflow'), '__spec__', None)
    if not State.complete and TF_KERAS not in sys.modules and not getattr(tensorflow, '_initializing', False):
        import_module(TF_KERAS)
    return State.complete


@contextlib.contextmanager
def _being_imported() -> Iterator[None]:
    """While tf_keras is imported, it and TensorFlow have TensorFlow's own copy."""
    sys.modules.update(_kept)
    try:
        yield
    finally:
        _kept.update(imports.forgotten(PRIVATE))


# TensorFlow's own copy, by the names of its modules.
_kept: Dict[str, ModuleType] = {}


def _hide_private_copy(tensorflow: ModuleType) -> None:
    if not State.complete and TF_KERAS not in sys.modules:
        _kept.update(imports.forgotten(PRIVATE))


def _complete(module: ModuleType) -> None:
    State.complete = True
    for name, public in list(sys.modules.items()):
        if name.partition('.')[0] == TF_KERAS and not name.startswith(('tf_keras.src', 'tf_keras.api')):
            _giving(public, name[len(TF_KERAS) + 1 :])


def keras_of_tensorflow_1() -> ModuleType:
    """The package of tf_keras with the names of TensorFlow 1, whose modules give names of older ones, too."""
    package = import_module(_V1)
    for name, module in list(sys.modules.items()):
        if (name + '.').startswith(_V1 + '.'):
            _giving(module, name[len(_V1) + 1 :])
    return package


def watch(of_1: bool) -> None:
    """Let each name of Keras be tf_keras when a program imports it. of_1: whether the program is of TensorFlow 1."""
    for name in NAMES:
        imports.answered(name, _answer(name))
    imports.answered(PRIVATE, _answer(PRIVATE))
    for name in (*OF_TENSORFLOW_1, *(IN_TENSORFLOW_1 if of_1 else ())):
        imports.answered(name, _of_tensorflow_1(name))
    imports.during(TF_KERAS, _being_imported)
    imports.after(TF_KERAS, _complete)
    imports.after('tensorflow', _hide_private_copy)
