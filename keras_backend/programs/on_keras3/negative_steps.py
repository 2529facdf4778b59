"""`x[::-1]` of a tensor of PyTorch, which PyTorch refuses and the other backends take.

`program_code` makes the code of a program call `item` where a step is written that may be negative.
"""

from typing import Any

from .in_place import TENSORS

_PLAIN = (int, slice, type(None), type(Ellipsis))


def negative_steps(keras: Any) -> str:
    """Give tensors of PyTorch slices with a negative step, beside integers, other slices, None and the ellipsis."""
    return 'the code of the program' if keras.backend.backend() == 'torch' else ''


def item(x: Any, key: Any) -> Any:
    """`x[key]`."""
    if x.__class__ not in TENSORS:
        return x[key]
    from ...engines.keras3_backend.tensors.indexing import taken

    entries = key if isinstance(key, tuple) else (key,)
    for entry in entries:
        if entry.__class__ is slice and entry.step.__class__ is int and entry.step < 0:
            if all([isinstance(each, _PLAIN) and not isinstance(each, bool) for each in entries]):
                return taken(x, list(entries))
    return x[key]
