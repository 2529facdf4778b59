"""The primitives (`keras_backend.basics.library.Primitives`) in functions of `keras.ops`, by topic."""

from functools import wraps
from types import SimpleNamespace
from typing import Any, Callable, Dict

from ..tensors.operations import as_k_tensor
from ..tensors.sizes import at_once
from ..vendor import BACKEND, COMPUTED
from . import direct, elementwise, nn, reduction, shape


def _giving(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with tensors of K as results: what is composed of primitives uses operators."""

    @wraps(function)
    def of_any(*args: Any, **named: Any) -> Any:
        return as_k_tensor(function(*args, **named))

    return of_any


def _known(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which JAX computes at once of integers that are known, while it traces as well: they may be sizes."""

    @wraps(function)
    def of_integers(*xs: Any, **named: Any) -> Any:
        for x in xs:
            if x.__class__ not in COMPUTED or x.dtype.kind != 'i':
                return function(*xs, **named)
        with at_once():
            return function(*xs, **named)

    return of_integers


# What programs make shapes with.
_OF_SIZES = 'stack concatenate prod min max'.split()

PRIMITIVES: Dict[str, Callable[..., Any]] = {
    name: function for topic in (elementwise, reduction, shape, nn) for name, function in topic.PRIMITIVES.items()
}
direct.give(PRIMITIVES)
if BACKEND == 'jax':
    PRIMITIVES.update({name: _known(PRIMITIVES[name]) for name in _OF_SIZES})

F: Any = SimpleNamespace(**{name: _giving(function) for name, function in PRIMITIVES.items()})
