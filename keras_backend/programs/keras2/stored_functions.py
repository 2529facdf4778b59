"""`Lambda` layers of files: Python's byte code in them is interpreted by `keras_backend.files`, and never run.

A file may come from another Python, whose byte code this Python does not know, and from anybody.
"""

import functools
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, Optional, Set

from ...errors import RefusedCodeError

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
    from ...files.lambdas import layers

    given = dict(_given_by_the_program(globs))
    layer = getattr(_state, 'layer', None)
    if callable(given.get(layer)):
        return given[layer]  # type: ignore[no-any-return]
    K = sys.modules['keras.backend']
    advice = f'A function of yours takes its place with custom_objects={{{layer!r}: function}}.'
    with layers.advised(advice, RefusedCodeError):
        code, defaults, closure, said = stored
        tensorflow = said if said in (1, 2) else None
        made = lambdas.function(code, K, defaults, closure, given, layer=layer, tensorflow=tensorflow)
    # Keras asks a function for its arguments, and stores its name in a summary.
    function: Any = layers.with_advice(made, advice)
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
