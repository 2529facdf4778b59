"""The engine as a front: the functions of the topics beside this file, and composed ones for the rest."""

from typing import Any, Callable, Iterable

from ...contract import CONTRACT
from ...front.composed import Composed


class Theano(Composed):
    name, title = 'theano', 'Theano'


engine = Theano()


def composed(name: str) -> Callable[..., Any]:
    """The composed form of a function that this engine overrules in some cases only."""
    method: Callable[..., Any] = getattr(super(Theano, engine), name)
    return method


def take(topics: Iterable[Any], wrapped: Callable[[Any], Any] = lambda function: function) -> None:
    """Make the functions of these modules methods of the engine."""
    for topic in topics:
        for name, function in vars(topic).items():
            if name in CONTRACT and getattr(function, '__module__', None) == topic.__name__:
                setattr(Theano, name, staticmethod(wrapped(function)))
