"""Names that a program has registered: `get_custom_objects().update({'swish2': f})`, `custom_object_scope`.

Keras 3 looks initializers and optimizers up among them, and no other functions and classes.
"""

import functools
import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, List, Tuple

from .classes_of_keras import HOMES
from .classes_of_programs import is_of_a_program
from .older_defaults import l1_l2
from .older_names import OLDER

_PLACES = ('activations', 'losses', 'metrics', 'regularizers', 'constraints')
_FUNCTIONS = ('get', 'deserialize')
# The functions of Keras 3, and ours.
_CURED: List[Tuple[Any, Any]] = []
PLACES = [f'tensorflow.keras.{name}' for name in _PLACES]


def names_of_programs(keras: Any) -> str:
    """Let `Dense(8, activation='swish2')`, `loss='my_loss'` and the like find what the program has registered."""
    changed = []
    for name in _PLACES:
        home = import_module(f'keras.src.{name}')
        for function in _FUNCTIONS:
            original = vars(home)[function]
            _CURED.append((original, _also_registered(original, keras)))
        for place in ('keras.src', *HOMES):
            module = sys.modules.get(f'{place}.{name}')
            if module is not None and names_of_programs_in_the_second_copy(module):
                changed.append(f'{place}.{name}')
    return ', '.join(changed)


def names_of_programs_in_the_second_copy(module: ModuleType) -> str:
    """Let the functions of the second copy of a module do the same, which `import tensorflow.keras.losses` makes."""
    changed = []
    for function in _FUNCTIONS:
        for original, cured in _CURED:
            if vars(module).get(function) is original:
                setattr(module, function, cured)
                changed.append(f'{module.__name__}.{function}')
    return ', '.join(changed)


def _also_registered(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def find(identifier: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(identifier, str):
            found = keras.saving.get_registered_object(identifier)
            # Functions and classes of Keras itself are registered for files. Elsewhere they mean what they meant.
            if found is not None and (is_of_a_program(found) or not hasattr(found, '__qualname__')):
                return found() if inspect.isclass(found) else found
            if identifier == 'l1_l2' and original.__module__.startswith('keras.src.regularizers'):
                return l1_l2()
            older = OLDER.get(identifier)
            if older is not None and original.__module__.startswith(('keras.src.losses', 'keras.src.metrics')):
                return getattr(keras.losses, older)
        return original(identifier, *args, **kwargs)

    return find
