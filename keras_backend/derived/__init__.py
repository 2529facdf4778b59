"""A primitive in other primitives, for a library that lacks it (`basics.library` says what each primitive does).

Each function takes the primitives `F` of the library first, and then the arguments of the primitive. `F.library` is the
library. Numbers are passed as `F.library.number` makes them, and sizes as `F.library.items` gives them.
"""

from typing import Any, Callable, Dict

from . import conv, elementwise, reduction, shape

DERIVED: Dict[str, Callable[..., Any]] = {
    **elementwise.PRIMITIVES,
    **reduction.PRIMITIVES,
    **shape.PRIMITIVES,
    **conv.PRIMITIVES,
}
