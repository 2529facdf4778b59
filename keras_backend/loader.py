"""From the name of an engine to its namespace: find, import, check, bind; and what to say when a step fails."""

import os
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional

from .basics import installed
from .basics.live import Namespace
from .config import Setting, keras_json, nearest, settings
from .config import check as check_setting
from .engines.table import ENGINES, ENGINES_OF_KERAS_3, Library
from .errors import (
    ConfigError,
    EngineImportFailed,
    EngineNotFound,
    EngineNotInstalled,
    EngineRecursion,
    KerasBackendError,
    NotAnEngine,
    shortened,
)

if TYPE_CHECKING:
    from .binding import EngineInfo

GROUP = 'keras_backend.engines'


# Names that people type for an engine, as `tf` in `import tensorflow as tf`.
SHORT_NAMES = {'tf': 'tensorflow', 'th': 'theano', 'pytorch': 'torch', 'np': 'numpy', 'pytensor': 'theano'}


# Characters of the reason that a library gives. Theano gives a whole program in C++ where its compiler fails.
LONGEST_REASON = 600


class Found(NamedTuple):
    name: str
    title: str
    module: str
    kind: str


Found.__doc__ = """Where an engine is: `kind` is 'built-in', 'entry point' or 'module'."""

_lock = threading.RLock()
_loaded: Dict[str, ModuleType] = {}


def load(name: str) -> ModuleType:
    """The complete namespace of another engine, beside the one that K runs on.

    Parameters
    ----------
    name : str
        A built-in engine, an entry point of the group 'keras_backend.engines', or a dotted module.

    Returns
    -------
    module
        It has every name of K. The same name gives the same module. Its settings (`floatx` ...) are shared.

    Examples
    --------
    >>> import keras_backend
    >>> N = keras_backend.load('numpy')
    >>> N.eval(N.constant([1., 2.]) * 3.).tolist()
    [3.0, 6.0]
    """
    return namespace_of(check_setting('backend', name, 'keras_backend.load'), 'keras_backend.load')


def configured() -> ModuleType:
    """The namespace of the configured engine."""
    setting = settings.pin_backend()
    try:
        return namespace_of(setting.value, setting.source, setting.danger)
    except BaseException:
        settings.unpin_backend()
        raise


def namespace_of(name: str, source: str, danger: Optional[str] = None) -> ModuleType:
    """The namespace of engine `name`; `source` says who asked, `danger` why it must not name a module to import."""
    if name not in _loaded:
        engine = find(name, source, danger)
        namespace = bind(engine, check(engine, import_engine(engine, source), source))
        _loaded.setdefault(name, namespace)
    return _loaded[name]


def _asked(name: str, source: str) -> str:
    return f'keras_backend was asked for the engine {name!r} by {"default" if source == "default" else source}'


def _choices() -> str:
    there = [name for name in ENGINES if is_built(name)]
    others = sorted(installed.entry_points(GROUP))
    return f'Possible: {", ".join(repr(name) for name in there + others)}, or the dotted name of a module'


def is_built(name: str) -> bool:
    """Whether this version of keras_backend has the built-in engine."""
    spec = installed.spec(ENGINES[name].module)
    # A folder that only has files left over from another version is a namespace package, without a location.
    return spec is not None and spec.has_location


def find(name: str, source: str, danger: Optional[str] = None) -> Found:
    """Where the engine `name` is. Nothing of it is imported."""
    if name in ENGINES:
        if not is_built(name):
            raise EngineNotFound(
                f'{_asked(name, source)}, but this version of keras_backend does not have it. {_choices()}; '
                'type: python -m keras_backend use numpy',
                name,
            )
        return Found(name, ENGINES[name].title, ENGINES[name].module, 'built-in')
    points = installed.entry_points(GROUP)
    if name in points:
        return Found(name, name, points[name][0], 'entry point')
    meant = SHORT_NAMES.get(name.lower())
    if meant is not None:
        raise not_found(name, source, f'that is a short name of {meant!r}', meant)
    if name in ENGINES_OF_KERAS_3:
        raise EngineNotFound(
            f'{_asked(name, source)}. That is an engine of Keras 3, which reads the same keras.json; keras_backend '
            f'does not have it yet. {_choices()}; to leave the file to Keras 3, set KERAS_BACKEND=numpy.',
            name,
        )
    if name == 'keras_backend' or name in ('keras_backend.__init__', 'keras_backend.__main__'):
        raise EngineRecursion(
            f'{_asked(name, source)}, which is keras_backend itself. Name the module of an engine. {_choices()}.', name
        )
    if not all(word.isidentifier() for word in name.split('.')):
        raise not_found(
            name,
            source,
            'that is neither a built-in engine, nor an installed entry point, nor the '
            'dotted name of a module (a file is named like an import, with its folder on '
            'PYTHONPATH)',
        )
    if danger is not None and not name.startswith('keras_backend.engines.'):
        raise ConfigError(
            f'{source}: backend is {name!r}, a module, and a module is code, but {danger}. Mend that, or set '
            f'KERAS_BACKEND={name}.',
            key='backend',
            value=name,
            source=source,
        )
    return Found(name, name, name, 'module')


def find_here(name: str, source: str, danger: Optional[str] = None) -> Found:
    """The result of `find`; an error if it is a module that does not exist. The packages above it are imported."""
    engine = find(name, source, danger)
    if engine.kind == 'module' and not installed.spec(engine.module):
        raise not_found(name, source, 'there is no such module on sys.path')
    return engine


def not_found(name: str, source: str, why: str, meant: Optional[str] = None) -> EngineNotFound:
    """The error for a name that leads nowhere, with the nearest one that does, unless `meant` says which."""
    meant = meant or nearest(name, list(ENGINES) + sorted(installed.entry_points(GROUP)))
    return EngineNotFound(
        f'{_asked(name, source)}, but {why}. {(f"Did you mean {meant!r}? " if meant else "")}{_choices()}.', name
    )


def being_imported(module: str) -> bool:
    """Whether a module is in the midst of its own import."""
    spec = getattr(sys.modules.get(module), '__spec__', None)
    return bool(getattr(spec, '_initializing', False))


def is_on_its_way(name: str) -> bool:
    """Whether an engine, or a package that it lies in, is in the midst of its own import; never so for ours."""
    if name in ENGINES:
        return False
    words = installed.entry_points(GROUP).get(name, (name, ''))[0].split('.')
    modules = ['.'.join(words[:n]) for n in range(1, len(words) + 1)]
    return words[0] != __package__ and any(being_imported(module) for module in modules)


def import_engine(found: Found, source: str) -> ModuleType:
    """The module of an engine, or the error that says why there is none."""
    try:
        module = import_module(found.module)
    except KerasBackendError as error:
        # The engine knows best, but for who asked for it.
        if _lacks_library(found, error.__cause__):
            raise EngineNotInstalled(not_installed(found.name, source), found.name) from None
        raise
    except ModuleNotFoundError as error:
        if _lacks_library(found, error):
            raise EngineNotInstalled(not_installed(found.name, source), found.name) from None
        if error.name and (found.module + '.').startswith(error.name + '.'):
            raise not_found(found.name, source, f'there is no module {error.name!r} on sys.path') from error
        raise _failed(found, source, error) from error
    except (Exception, SystemExit) as error:
        raise _failed(found, source, error) from error
    # Other threads are waited for in import_module: the import that goes on is the one this call stands in.
    if being_imported(found.module):
        raise EngineRecursion(
            f'{_asked(found.name, source)}, which touches K while it is being imported as the engine of K. In an '
            'engine, take '
            'what you need from keras_backend.config and keras_backend.binding, and use K inside '
            'functions only.',
            found.name,
        )
    return module


def _lacks_library(found: Found, error: Optional[BaseException]) -> bool:
    return (
        found.kind == 'built-in'
        and isinstance(error, ModuleNotFoundError)
        and (error.name or '').partition('.')[0] == ENGINES[found.name].libraries[0].module
    )


def has_library(name: str) -> bool:
    """Whether the library of a built-in engine is installed, on a Python that it is for."""
    needed = library(name)
    return needed.pythons.include(sys.version_info[:2]) and installed.spec(needed.module) is not None


def library(name: str) -> Library:
    """The library of a built-in engine: the one that is installed, else the one to install on this Python."""
    possible = ENGINES[name].libraries
    there = [library for library in possible if installed.spec(library.module)]
    supported = [library for library in possible if library.pythons.include(sys.version_info[:2])]
    return (there + supported + list(possible))[0]


def not_installed(name: str, source: str) -> str:
    """The message for a built-in engine whose library is absent, with the command to type."""
    needed = library(name)
    message = f'{_asked(name, source)}, but {needed.title} is not installed in {sys.prefix}'
    version = sys.version_info[:2]
    # Each engine needs NumPy, so nothing is here without it.
    there = [other for other in ENGINES if other != name and has_library(other)] if has_library('numpy') else []
    here = f' an engine whose library is here ({", ".join(there)}): KERAS_BACKEND={there[0]}' if there else ''
    if needed.pythons.include(version):
        return f'{message}. Type: pip install "{ENGINES[name].requirement}"' + (f'; or choose{here}' if here else '')
    message += f', and cannot be: it needs {needed.pythons}, and this is Python {version[0]}.{version[1]}'
    return f'{message}. Choose{here}' if here else f'{message}. Type: pip install "numpy", the engine for every Python'


def _failed(found: Found, source: str, error: BaseException) -> EngineImportFailed:
    hint = ''
    if found.kind != 'built-in' and _passes_keras(error):
        hint = '. It imports Keras, which in turn asks for its own backend: type `import keras` before keras_backend'
    words = shortened(str(error), 'in the error that this one comes from')
    if len(words) > LONGEST_REASON:
        words = words[:LONGEST_REASON] + ' ... (the traceback has the rest)'
    return EngineImportFailed(
        f'{_asked(found.name, source)}. The module {found.module} was found, but failed while being imported, at '
        f'{_place(found, error)}: {type(error).__name__}: {words}{hint}',
        found.name,
    )


def _passes_keras(error: BaseException) -> bool:
    """Whether an error came by way of the backend of Keras, where engines written for Keras find their helpers."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get('__name__') == 'keras.backend':
            return True
        trace = trace.tb_next
    return False


def _place(found: Found, error: BaseException) -> str:
    """File and line where the import of an engine failed, in the engine's own code if the trace passes there."""
    import traceback  # takes milliseconds, and most imports succeed

    if isinstance(error, SyntaxError) and error.filename:
        return f'{error.filename}, line {error.lineno}'
    steps = [step for step in traceback.extract_tb(error.__traceback__) if 'importlib' not in step[0]]
    spec = installed.spec(found.module)
    home = getattr(spec, 'origin', None) or ''
    if getattr(spec, 'submodule_search_locations', None):
        home = os.path.dirname(home) + os.sep
    at_home = [step for step in steps if home and step[0].startswith(home)]
    step = (at_home or steps)[-1]
    return f'{step[0]}, line {step[1]}'


def check(found: Found, module: ModuleType, source: str) -> ModuleType:
    """The module, if it is an engine."""
    from .contract import REQUIRED

    info = completed(module)
    if info is not None:
        lacking = [name for name in REQUIRED if not info.supports(name)]
    else:
        lacking = [name for name in REQUIRED if not callable(getattr(module, name, None))]
    if lacking:
        path = getattr(module, '__file__', None)
        raise NotAnEngine(
            f'{_asked(found.name, source)}, but the module {found.module}{(f" ({path})" if path else "")} is not an '
            f'engine: it has no {", no ".join(lacking)}. An engine has at least {", ".join(REQUIRED)}.',
            found.name,
        )
    return module


def completed(module: ModuleType) -> Optional['EngineInfo']:
    """The `EngineInfo` of a module that called `binding.complete`; None for other modules."""
    from .binding import EngineInfo

    info = getattr(module, '_engine', None)
    return info if isinstance(info, EngineInfo) else None  # a user's module may use the name for its own things


def bind(found: Found, module: ModuleType) -> ModuleType:
    """The complete namespace of an engine module: itself if it completed itself, else a facade with its names."""
    if completed(module) is not None:
        return module
    from .binding import complete
    from .contract import CONTRACT

    name = 'keras_backend.external.' + found.module
    with _lock:
        if name in sys.modules:
            return sys.modules[name]
        facade = Namespace(name, module.__doc__)
        facade.__file__ = getattr(module, '__file__', None)
        names: Dict[str, Any] = {n: value for n, value in vars(module).items() if n[:2] != '__' or n[-2:] != '__'}
        # A module may compute its attributes.
        names.update((n, getattr(module, n)) for n in CONTRACT if n not in names and hasattr(module, n))
        vars(facade).update(names)
        complete(vars(facade), title=found.title, name=found.name, module=facade)
        # Its composed functions are pickled by this name.
        sys.modules[name] = facade
        return facade


def announce(engine: 'EngineInfo', chosen: Setting) -> None:
    """Say on stderr which engine runs, on which library where there is a choice, and why if nobody chose it."""
    if os.environ.get('KERAS_BACKEND_QUIET', '').strip().lower() in ('', '0', 'false', 'no') and sys.stderr is not None:
        why = ''
        if chosen.source == 'default' and chosen.value != keras_json.DEFAULTS['backend']:
            why = (
                ' No engine was chosen, and TensorFlow is not installed. '
                'Type `python -m keras_backend use ENGINE` to choose one for good.'
            )
        library = f' ({engine.library})' if engine.library else ''
        sys.stderr.write(f'Using {engine.title} backend{library}.{why}\n')
