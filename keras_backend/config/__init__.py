"""The settings: KERAS_BACKEND, keras.json and the defaults. Each setting knows its source.

They are read when a value is first needed. The functions below are K functions. Their docstrings are in the contract,
as for every K function.
"""

import json
import os
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from ..basics import installed
from ..engines.table import ENGINES
from . import keras_json
from .keras_json import CHECKS, DIM_ORDERINGS, OWN_BACKEND, nearest

if TYPE_CHECKING:
    import numpy

__all__ = [
    'DIM_ORDERINGS',
    'OWN_BACKEND',
    'Setting',
    'Settings',
    'backend',
    'cast_to_floatx',
    'check',
    'default_backend',
    'epsilon',
    'floatx',
    'follow',
    'image_data_format',
    'image_dim_ordering',
    'nearest',
    'normalize_data_format',
    'set_epsilon',
    'set_floatx',
    'set_image_data_format',
    'set_image_dim_ordering',
    'settings',
]

VARIABLE = 'KERAS_BACKEND'
FROM_VARIABLE = 'the environment variable KERAS_BACKEND'


class Setting(NamedTuple):
    key: str
    value: Any
    source: str
    overruled: Optional[Any]
    danger: Optional[str]


Setting.__doc__ = """A setting and where it came from.

`source` is 'default', a file with its line, the environment variable, or a call. `overruled` is the Setting that this
one replaced, or None. `danger` says why the source must not name a module to import, or is None.
"""

Saved = Tuple[Optional[str], Dict[str, Setting], Optional[Setting], Optional[str]]


class Settings:
    """All settings of this process.

    The attribute `path` is the path of the keras.json that was read, whether or not there is one.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.path: Optional[str] = None
        self._values: Dict[str, Setting] = {}
        self._pinned: Optional[Setting] = None
        self._warned: Optional[str] = None

    def reset(self) -> None:
        """Forget everything that was read or set. The next question reads it again."""
        self.restore((None, {}, None, None))

    def saved(self) -> Saved:
        """The state with which `restore` brings back the settings of this moment."""
        with self._lock:
            self._follow()
            return self.path, dict(self._values), self._pinned, self._warned

    def restore(self, saved: Saved) -> None:
        """Bring back what `saved` returned."""
        with self._lock:
            self.path, values, self._pinned, self._warned = saved
            self._values = dict(values)
            for key in self._values:
                self._tell(key)

    def value(self, key: str) -> Any:
        """The value of one setting."""
        if may_be_there():
            return self.get(key).value
        try:
            return self._values[key].value
        except KeyError:
            return self.get(key).value

    def get(self, key: str) -> Setting:
        """The Setting of one key: its value, its source, and the Setting that it replaced."""
        with self._lock:
            if not self._values:
                self.read()
            if key == 'backend':
                return self._pinned or self._backend()
            self._follow()
            return self._values[key]

    def all(self) -> List[Setting]:
        """Every Setting, in the order that the documents of Keras have."""
        return [self.get(key) for key in keras_json.DEFAULTS]

    def set(self, key: str, value: Any, call: str) -> None:
        """Set one setting. `call` names the call that does so, such as 'K.set_floatx'."""
        value = check(key, value, call)
        with self._lock:
            self.get(key)
            self._put(key, value, call)
            self._tell(key)

    def _follow(self) -> None:
        keras = client()
        if keras is None:
            return
        if not self._values:
            self.read()
        for key in SHARED:
            value = getattr(keras, key)()
            if value != self._values[key].value:
                self._put(key, value, 'keras.backend.set_' + key)

    def _put(self, key: str, value: Any, call: str) -> None:
        before = self._values[key]
        while before.overruled is not None:  # `before` is from an earlier call
            before = before.overruled
        self._values[key] = Setting(key, value, call, before, None)

    def _tell(self, key: str) -> None:
        keras = client() if key in SHARED else None
        if keras is not None:
            getattr(keras, 'set_' + key)(self._values[key].value)

    def read(self) -> None:
        """Read keras.json, if there is one. The first bad value raises ConfigError."""
        with self._lock:
            path = keras_json.location()
            file = keras_json.read(path)
            # Without the default engine, which `_backend` looks for where neither file nor variable names one.
            values = {
                key: Setting(key, value, 'default', None, None)
                for key, value in keras_json.DEFAULTS.items()
                if key != 'backend'
            }
            if file is not None:
                for problem in file.problems():
                    raise problem
                for sentence in file.misspelt():
                    warnings.warn(sentence, stacklevel=2)
                for key in file.known():
                    if not (key == 'backend' and file.is_untouched):
                        self._take(values, key, file)
            # One assignment, because `value` reads without the lock.
            self.path, self._values = path, values

    def _take(self, values: Dict[str, Setting], key: str, found: keras_json.SettingsFile) -> None:
        item = found.items[key]
        source, danger = found.source(item.line), found.danger
        value = check(key, item.value, source)
        if key == 'image_dim_ordering':
            warnings.warn(
                f'{source}: "image_dim_ordering": "{value}" is now "image_data_format": "{DIM_ORDERINGS[value]}".',
                DeprecationWarning,
                stacklevel=2,
            )
            if 'image_data_format' in found.items:
                return
            key, value = 'image_data_format', DIM_ORDERINGS[value]
        if key == OWN_BACKEND:
            key = 'backend'
        values[key] = Setting(key, value, source, None, danger)

    def _backend(self) -> Setting:
        asked, below = os.environ.get(VARIABLE, ''), self._values.get('backend')
        if asked.strip():
            return Setting('backend', check('backend', asked, FROM_VARIABLE), FROM_VARIABLE, below, None)
        if below is None:
            below = self._values['backend'] = Setting('backend', default_backend(), 'default', None, None)
        return below

    def pin_backend(self) -> Setting:
        """The Setting of the engine. From now on it stays the same, also if the environment changes."""
        with self._lock:
            self._pinned = self._pinned or self.get('backend')
            return self._pinned

    def unpin_backend(self) -> None:
        """Let KERAS_BACKEND decide again, after an engine could not be loaded."""
        with self._lock:
            self._pinned = None

    def notice_late_change(self) -> None:
        """Warn if KERAS_BACKEND names another engine than the one that runs, once for each value."""
        asked, pinned = os.environ.get(VARIABLE, ''), self._pinned
        if pinned is None or asked == self._warned or not asked.strip():
            return
        self._warned = asked
        engine = check('backend', asked, FROM_VARIABLE)
        if engine != pinned.value:
            warnings.warn(
                f'KERAS_BACKEND now says {engine!r}, but keras_backend runs on {pinned.value!r} since it was imported. '
                'Set the '
                f'variable before the import, or use keras_backend.load({engine!r}).',
                stacklevel=3,
            )


def default_backend() -> str:
    """The engine that runs where nothing was chosen: TensorFlow where it is installed, as with Keras; else NumPy."""
    library = ENGINES['tensorflow'].libraries[0]
    there = library.pythons.include(sys.version_info[:2]) and installed.spec(library.module) is not None
    return 'tensorflow' if there else 'numpy'


settings = Settings()


def check(key: str, value: Any, source: str) -> Any:
    """The value of a setting as it is kept, or a ConfigError that names `source` and says what is accepted."""
    return CHECKS[key](key, value, source)


def backend() -> str:
    settings.notice_late_change()
    name: str = settings.get('backend').value
    return name


def epsilon() -> float:
    value: float = settings.value('epsilon')
    return value


def set_epsilon(e: float) -> None:
    settings.set('epsilon', e, 'K.set_epsilon')


def floatx() -> str:
    value: str = settings.value('floatx')
    return value


def set_floatx(floatx: str) -> None:
    settings.set('floatx', floatx, 'K.set_floatx')


def cast_to_floatx(x: Any) -> 'numpy.ndarray':
    import numpy  # not at the top: only this function needs it

    return numpy.asarray(x, dtype=floatx())


def image_data_format() -> str:
    value: str = settings.value('image_data_format')
    return value


def set_image_data_format(data_format: str) -> None:
    settings.set('image_data_format', data_format, 'K.set_image_data_format')


def image_dim_ordering() -> str:
    ordering = {new: old for old, new in DIM_ORDERINGS.items()}
    return ordering[image_data_format()]


def set_image_dim_ordering(dim_ordering: str) -> None:
    ordering = check('image_dim_ordering', dim_ordering, 'K.set_image_dim_ordering')
    settings.set('image_data_format', DIM_ORDERINGS[ordering], 'K.set_image_dim_ordering')


def normalize_data_format(value: Optional[str]) -> str:
    if value is None:
        return image_data_format()
    spelled = value.lower() if isinstance(value, str) else value
    if isinstance(spelled, str) and spelled in DIM_ORDERINGS:
        warnings.warn(f'data_format {value!r} is now {DIM_ORDERINGS[spelled]!r}.', DeprecationWarning, stacklevel=2)
        return DIM_ORDERINGS[spelled]
    checked: str = check('image_data_format', spelled, 'K.normalize_data_format')
    return checked


# -- Keras as a client -------------------------------------------------------------------------------------------------
# It has settings of its own.

SHARED = 'epsilon', 'floatx', 'image_data_format'

_followed: Any = None


def follow(settings: Any) -> None:
    """From now on, let the settings be those of this object: what Keras 3 says, below our engine."""
    global _followed
    _followed = settings


def may_be_there() -> bool:
    """Whether anybody else may hold settings; costs next to nothing."""
    return _followed is not None or 'keras.backend' in sys.modules


def client() -> Any:
    """Who holds the settings: the `keras.backend` of a Keras 2 that runs on an engine of ours, or Keras 3; or None."""
    if _followed is not None:
        return _followed
    # Looked up each time. Keras may be imported before the engine or after it, and it has no settings while it is being
    # imported.
    keras = sys.modules.get('keras.backend')
    try:
        engine = sys.modules.get(keras.backend()) if keras is not None else None
    except (AttributeError, TypeError):  # Keras is being imported, or is no Keras
        return None
    there = '_engine' in getattr(engine, '__dict__', ()) and all(hasattr(keras, 'set_' + key) for key in SHARED)
    # The `keras.backend` that we make for older versions of Keras has the settings of the engine itself.
    return keras if there and keras is not None and keras.epsilon is not getattr(engine, 'epsilon', None) else None


# -- the backend of Keras 3 --------------------------------------------------------------------------------------------
# It reads the same file as K and has names of its own in it.


def configured_backend() -> str:
    """The backend that Keras will read: of the environment, or of its file of settings."""
    try:
        with open(keras_json.location(), encoding='utf-8') as file:
            saved = json.load(file)
    except (OSError, ValueError):  # no file, or one that Keras cannot read either
        saved = {}
    return os.environ.get('KERAS_BACKEND') or (saved.get('backend') if isinstance(saved, dict) else '') or 'tensorflow'
