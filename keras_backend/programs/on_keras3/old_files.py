"""`load_model` of files that Keras 1, Keras 2 and tf.keras wrote: `keras_backend.files` reads them.

Keras 3 refuses many of them (`groups`, `Lambda`, names with `/`, `TFOpLambda`, SavedModel ...). It takes some in
another meaning (`hard_sigmoid`, masks of merges).
"""

import functools
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..launcher import model_files
from . import optimizers_in_files
from .names_of_files import model_in

# Where programs take `load_model` from.
_PLACES = ('keras.models', 'keras.saving', 'keras._tf_keras.keras.models', 'keras._tf_keras.keras.saving')


def files_of_older_keras(keras: Any) -> str:
    """Let `load_model` open files of Keras 1, Keras 2 and tf.keras with their meaning, without running their code."""
    original = keras.saving.load_model
    load_model = _also_of_older_keras(original, keras)
    _CURED.append((original, load_model))
    changed = []
    for place in _PLACES:
        module = sys.modules.get(place)
        if module is not None and vars(module).get('load_model') is original:
            vars(module)['load_model'] = load_model
            changed.append(f'{place}.load_model')
    return ', '.join(changed)


# `load_model` of Keras 3, and ours.
_CURED: List[Tuple[Any, Any]] = []


def files_of_older_keras_in_the_second_copy(module: ModuleType) -> str:
    """Let `load_model` of the second copy of the module do the same, which `import tensorflow.keras.models` makes."""
    for original, load_model in _CURED:
        if vars(module).get('load_model') is original:
            vars(module)['load_model'] = load_model
            return f'{module.__name__}.load_model'
    return ''


def _also_of_older_keras(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def load_model(
        filepath: Any, custom_objects: Optional[Dict[str, Any]] = None, compile: bool = True, **kwargs: Any
    ) -> Any:
        filepath = model_in(filepath) or filepath
        if not is_older(filepath):
            _names_of_lambdas(custom_objects or {})
            found = original(filepath, custom_objects=custom_objects, compile=compile, **kwargs)
            return optimizers_in_files.completed(found, filepath)
        files = import_module('keras_backend.files.keras3')
        registered = model_files.of_the_program(keras.saving.get_custom_objects(), ('keras', 'keras_backend'))
        return files.load(filepath, custom_objects={**registered, **(custom_objects or {})}, compile=compile)

    return load_model


def _names_of_lambdas(custom_objects: Dict[str, Any]) -> None:
    """Let the code of a Lambda that Keras runs find K, and the modules that the program hands in."""
    found = vars(import_module('keras.src.utils.python_utils'))
    found.setdefault('K', sys.modules['keras.backend'])
    found.update({name: value for name, value in custom_objects.items() if isinstance(value, ModuleType)})


def is_older(path: Any) -> bool:
    """Whether a file is of a Keras before 3. What is no file of Keras is left to Keras 3, which says so."""
    writer = model_files.writer(path)
    return writer is not None and not writer.version.startswith('3')
