"""The primitives of `library.Primitives` in operations of TensorFlow."""

from types import SimpleNamespace
from typing import Any, Callable, Dict

from ....library import PRIMITIVES as NAMES
from . import ctc, elementwise, linalg, random, reduction, shape, sparse, spatial

PRIMITIVES: Dict[str, Callable[..., Any]] = {
    **elementwise.BINARY,
    **{
        name: function
        for topic in (elementwise, reduction, shape, linalg, spatial, random, sparse, ctc)
        for name, function in vars(topic).items()
        if name in NAMES
    },
}
F: Any = SimpleNamespace(**PRIMITIVES)
