"""The K functions that a module has, called as K calls them."""

from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from ..contract import CONTRACT
from ..errors import UnsupportedByEngine


class Functions:
    """The K functions of a module as attributes. One that the module lacks is an error when it is asked for.

    A function may know fewer arguments than K: arguments at the end that have their default are left out.
    """

    def __init__(self, title: str, own: Mapping[str, Callable[..., Any]]) -> None:
        self._title, self.names = title, frozenset(own)
        self._own: Dict[str, Callable[..., Any]] = {
            name: shortened(function, CONTRACT[name].function.__defaults__ or ()) for name, function in own.items()
        }

    def has(self, name: str) -> bool:
        """Whether the module has the K function."""
        return name in self._own

    def get(self, name: str) -> Optional[Callable[..., Any]]:
        """The K function, None if the module does not have it."""
        return self._own.get(name)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            return self._own[name]
        except KeyError:
            raise UnsupportedByEngine(
                name, self._title, 'the engine does not define it', 'Define it in the engine.'
            ) from None


def shortened(function: Callable[..., Any], defaults: Tuple[Any, ...]) -> Callable[..., Any]:
    """A function of a user's module, called without the arguments at the end that have their default.

    It may know fewer arguments than K.
    """

    def call(*args: Any) -> Any:
        left = len(args)
        for default, value in zip(reversed(defaults), reversed(args)):
            if value is not default:
                break
            left -= 1
        return function(*args[:left])

    return call
