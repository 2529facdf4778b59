"""`keras.backend` for Keras before 2.2.4. The loaders of these versions know three engines by name, and no module.

The module that is made here takes the place of theirs. It has the functions of the engine, with the arguments and the
meaning of the version.
"""

import functools
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable

from ...contract import CONTRACT
from ..launcher import imports
from . import versions
from .keras1 import backend as keras1_backend

# The functions of `keras.backend.common`. Modules of Keras and programs import them from there, too.
COMMON = (
    'cast_to_floatx',
    'epsilon',
    'floatx',
    'image_data_format',
    'image_dim_ordering',
    'normalize_data_format',
    'set_epsilon',
    'set_floatx',
    'set_image_data_format',
    'set_image_dim_ordering',
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

    def make() -> None:
        if 'keras.backend' not in sys.modules:
            _make(engine, version)
            sys.stderr.write(f'Using {title} backend.\n')

    imports.before('keras.backend', make)


def _make(engine: str, version: str) -> None:
    functions = import_module(engine)
    names = {name: getattr(functions, name) for name in CONTRACT if hasattr(functions, name)}
    names.update({name: _with_truth(names[name]) for name in MAKING_VARIABLES if name in names})
    if versions.is_keras_1(version):
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
        made = function(*args, **kwargs)
        type(made).__bool__ = lambda self: True
        return made

    return make
