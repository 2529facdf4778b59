"""The primitives (`keras_backend.library.Primitives`) in functions of `keras.ops`, by topic."""

from functools import wraps
from types import SimpleNamespace
from typing import Any, Callable, Dict

from ..tensors.k_tensor import as_k_tensor
from . import direct, elementwise, linalg, nn, random, reduction, shape, sparse


def _giving(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with tensors of K as results: what is composed of primitives uses operators."""

    @wraps(function)
    def of_any(*args: Any, **named: Any) -> Any:
        return as_k_tensor(function(*args, **named))

    return of_any


PRIMITIVES: Dict[str, Callable[..., Any]] = {
    name: function
    for topic in (elementwise, reduction, shape, linalg, nn, random, sparse)
    for name, function in topic.PRIMITIVES.items()
}
direct.give(PRIMITIVES)

F: Any = SimpleNamespace(**{name: _giving(function) for name, function in PRIMITIVES.items()})
