"""The settings under the names that programs of 2015 and 2016 read, such as `K._FLOATX`: live, and for reading only.

They are attributes of the class of a module of K. Python 3.6 has no other way to compute an attribute of a module, and
no Python has another way to refuse that one is set.
"""

from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Optional, Tuple

# name -> the K function that says the value, and what to write in place of setting the name
NAMES: Dict[str, Tuple[str, str]] = {
    '_BACKEND': ('backend', 'KERAS_BACKEND=ENGINE before the program starts, or python -m keras_backend use ENGINE'),
    '_FLOATX': ('floatx', 'K.set_floatx({!r})'),
    '_EPSILON': ('epsilon', 'K.set_epsilon({!r})'),
    '_IMAGE_DIM_ORDERING': ('image_dim_ordering', 'K.set_image_dim_ordering({!r})'),
    '_IMAGE_DATA_FORMAT': ('image_data_format', 'K.set_image_data_format({!r})'),
}


def reading(name: str, ask: Optional[Callable[[], Any]] = None) -> property:
    """The attribute of a class of modules for one of the names. `ask` says the value in place of the K function."""
    function, instead = NAMES[name]

    def get(module: ModuleType) -> Any:
        return (ask or getattr(module, function))()

    def refuse(module: ModuleType, value: Any) -> None:
        raise AttributeError(
            f'K.{name} shows what K.{function}() says, and cannot be set; type: {instead.format(value)}'
        )

    return property(get, refuse, doc=f'What `K.{function}()` says.')


class Namespace(ModuleType):
    """A module with all names of K. It has no `__getattr__`, which would slow down each access to a K function."""

    _BACKEND = reading('_BACKEND')
    _FLOATX = reading('_FLOATX')
    _EPSILON = reading('_EPSILON')
    _IMAGE_DIM_ORDERING = reading('_IMAGE_DIM_ORDERING')
    _IMAGE_DATA_FORMAT = reading('_IMAGE_DATA_FORMAT')

    def __reduce__(self) -> Any:
        # Those who pickle functions with their globals know plain modules only.
        return import_module, (self.__name__,)
