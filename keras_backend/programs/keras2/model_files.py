"""Model files under `python -m keras_backend.keras2`: those of other Keras, and functions of `Lambda` layers."""

import functools
import json
import re
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Set

from ...errors import KerasBackendError, RefusedCodeError
from ..launcher import cures
from ..launcher.cures import around
from . import versions
from .check.versions import numbers

# -- files of other Keras ----------------------------------------------------------------------------------------------
# `load_model` and `model_from_json` of what tf.keras, Keras 1 and Keras 3 wrote: `keras_backend.files` reads them.
#
# Keras 2 knows no `Functional`, no operations of TensorFlow, no `.keras` file and no SavedModel. It takes some files
# of Keras 1 and of Theano in another meaning.


# Errors of Keras 2 about a file that it does not know.
_OF_KERAS = (TypeError, ValueError, LookupError, AttributeError, NotImplementedError)
# What Keras 2 says of a name: "Unknown loss function:my_loss", "Unknown layer: MyLayer".
_UNKNOWN = re.compile(r'Unknown [a-z ]+: ?(\w+)')


def loaded(keras: ModuleType) -> str:
    """Let `load_model` and `model_from_json` open what any Keras wrote, with its meaning, without running its code."""
    models = import_module('keras.models')
    if versions.is_keras_1(keras.__version__) or hasattr(models.load_model, '_of_keras2'):
        return ''
    replaced = {
        'load_model': _load_model(models.load_model, keras),
        'model_from_json': _from_text(models.model_from_json),
    }
    originals = {name: getattr(models, name) for name in replaced}
    for name, value in list(sys.modules.items()):
        if name.split('.')[0] == 'keras' and isinstance(value, ModuleType):
            for known, original in originals.items():
                if vars(value).get(known) is original:
                    setattr(value, known, replaced[known])
    return 'keras.models.load_model'


def _load_model(original: Callable[..., Any], keras: ModuleType) -> Callable[..., Any]:
    @functools.wraps(original)
    def load_model(
        filepath: Any, custom_objects: Optional[Dict[str, Any]] = None, compile: bool = True, engine: Any = None
    ) -> Any:
        """As `load_model` of Keras. engine: 'theano' or 'tensorflow', which files of Keras 1 do not say."""
        writer = cures.writer(filepath)
        if writer is None:
            return original(filepath, custom_objects=custom_objects, compile=compile)
        if engine is None and _is_of_keras_2(writer):
            padded = _padded_by_theano(filepath, writer)
            if padded is not None:
                return _files().load(padded, _given(custom_objects), compile)
            if _has_ours(writer.config):
                _files()
            try:
                return original(filepath, custom_objects=custom_objects, compile=compile)
            # All that Keras 2 raises about a file that it does not know. It is raised again unless the file is read.
            except _OF_KERAS as error:
                model = None
                if not _is_what_the_original_says(error, writer.version, keras.__version__):
                    model = _of_another_version(filepath, _given(custom_objects), compile)
                if model is None:
                    raise
                return model
        return _files().load(filepath, _given(custom_objects), compile, engine)

    load_model._of_keras2 = True  # type: ignore[attr-defined]
    return load_model


def _is_what_the_original_says(error: BaseException, writer: str, version: str) -> bool:
    """Whether Keras 2 itself says this of a file: its own version wrote it, or it names something of the program."""
    unknown = _UNKNOWN.search(str(error))
    if unknown is None:
        return numbers(writer) == numbers(version)
    layers, activations = [import_module(f'keras_backend.files.layers.{name}') for name in ('table', 'use')]
    return unknown.group(1) not in (*layers.LAYERS, *activations.TABLE)


def _of_another_version(filepath: Any, names: Dict[str, Any], compile: bool) -> Any:
    """The model of a file of another Keras 2. None where it is not read, or not compiled as asked."""
    try:
        file = import_module('keras_backend.files').read(filepath)
        model = _files().load(file, names, compile)
    # The error of Keras itself says more to a program of Keras 2, whatever ours is.
    except (KerasBackendError, *_OF_KERAS):
        return None
    return None if compile and file.training and getattr(model, 'optimizer', None) is None else model


@around
def _from_text(original: Any, json_string: Any, custom_objects: Optional[Dict[str, Any]] = None) -> Any:
    """As `model_from_json` of Keras."""
    config = json.loads(json_string)
    version = str(config.get('keras_version') or '') if isinstance(config, dict) else '2'
    if numbers(version)[:1] == (1,) or (_is_version_2(version) and config.get('class_name') != 'Functional'):
        if _has_ours(json_string):
            _files()
        return original(json_string, custom_objects=custom_objects)
    read = import_module('keras_backend.files.reading.read')
    return _files().load(read.configuration(json_string, 'model_from_json'), _given(custom_objects), False)


def _files() -> Any:
    return import_module('keras_backend.files.keras2')


def _is_version_2(version: str) -> bool:
    return '-tf' not in version and (not version or (2,) <= numbers(version) < (2, 4))


def _is_of_keras_2(writer: cures.Writer) -> bool:
    if not writer.config:  # an archive, or a folder
        return False
    dialect = import_module('keras_backend.files.dialects.dialect')
    return _is_version_2(writer.version or dialect.writer('', writer.config)[1])


def _padded_by_theano(path: Any, writer: cures.Writer) -> Any:
    """The file, if Theano wrote it and has padded its convolutions in another way than the engines of K do."""
    if writer.engine != 'theano' or '"same"' not in writer.config:
        return None
    try:
        file = import_module('keras_backend.files').read(path)
    except (KerasBackendError, ValueError):  # Keras reads the file then, or says what is wrong
        return None
    layers = import_module('keras_backend.files.layers.parameters').all_layers(file.model)
    return file if any([layer.config.get('theano_padding') for layer in layers]) else None


def _has_ours(config: str) -> bool:
    """Whether a configuration names what `files.keras2` adds to Keras 2."""
    table = import_module('keras_backend.files.layers.use').TABLE
    known = vars(import_module('keras.activations'))
    return any([f'"{name}"' in config for name in ('LayerOfFile', *[name for name in table if name not in known])])


def _given(custom_objects: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """The names of the program: those that it has registered, and those that it gives."""
    registered = import_module('keras.utils').get_custom_objects()
    return {**cures.of_the_program(registered, ('keras_backend',)), **(custom_objects or {})}


# -- functions of Lambda layers ----------------------------------------------------------------------------------------
# `Lambda` layers of files: Python's byte code in them is interpreted by `keras_backend.files`, and never run.
#
# A file may come from another Python, whose byte code this Python does not know, and from anybody.


_state = threading.local()


def interpreted(keras: ModuleType) -> str:
    """Let the functions that Keras finds in files and configurations be interpreted.

    What this process has stored itself, as `clone_model` does, is its own code, and is loaded as before.
    """
    module = import_module('keras.utils.generic_utils')
    if hasattr(module.func_load, '_of_keras2'):
        return ''
    dump, load = module.func_dump, module.func_load
    own: Set[str] = set()

    @functools.wraps(dump)
    def func_dump(func: Any) -> Any:
        stored = getattr(func, '_stored', None)
        if stored is None:
            stored = dump(func)
            own.add(stored[0])
        return stored

    @functools.wraps(load)
    def func_load(code: Any, defaults: Any = None, closure: Any = None, globs: Optional[Dict[str, Any]] = None) -> Any:
        # The fourth is the version of TensorFlow, where `files.keras2` knows it.
        stored = (*code, *[None] * 3)[:4] if isinstance(code, (tuple, list)) else (code, defaults, closure, None)
        if stored[0] in own:
            return load(code, defaults, closure, globs)
        return _interpreted(stored, globs or {})

    func_load._of_keras2 = True  # type: ignore[attr-defined]
    for name, value in list(sys.modules.items()):
        if name.split('.')[0] == 'keras' and isinstance(value, ModuleType):
            for known, replacement in (('func_dump', func_dump), ('func_load', func_load)):
                if known in vars(value):
                    setattr(value, known, replacement)
    _name_layers(import_module('keras.layers').Lambda)
    return 'keras.utils.generic_utils.func_load'


def _interpreted(stored: Any, globs: Dict[str, Any]) -> Callable[..., Any]:
    from ...files import lambdas  # imports NumPy

    objects = dict(_given_by_the_program(globs))
    layer = getattr(_state, 'layer', None)
    if callable(objects.get(layer)):
        return objects[layer]  # type: ignore[no-any-return]
    K = sys.modules['keras.backend']
    advice = f'A function of yours takes its place with custom_objects={{{layer!r}: function}}.'
    with lambdas.advised(advice, RefusedCodeError):
        code, defaults, closure, version = stored
        tensorflow = version if version in (1, 2) else None
        stored_function = lambdas.function(code, K, defaults, closure, objects, layer=layer, tensorflow=tensorflow)
    # Keras asks a function for its arguments, and stores its name in a summary.
    function: Any = lambdas.with_advice(stored_function, advice)
    function._stored = stored if stored[3] is not None else stored[:3]
    return function  # type: ignore[no-any-return]


def _given_by_the_program(globs: Dict[str, Any]) -> Iterator[Any]:
    """The names that the program gives as `custom_objects`. Keras mixes them with those of its own module."""
    own = vars(import_module('keras.layers.core'))
    yield from import_module('keras.utils').get_custom_objects().items()
    yield from [(name, value) for name, value in globs.items() if own.get(name, globs) is not value]


def _name_layers(Lambda: Any) -> None:
    """Let errors tell the layer whose function is refused."""
    method: Any = Lambda.__dict__['from_config'].__func__

    def from_config(cls: Any, config: Dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        _state.layer = config.get('name')
        try:
            return method(cls, config, *args, **kwargs)
        finally:
            _state.layer = None

    Lambda.from_config = classmethod(functools.wraps(method)(from_config))
