"""`x[::-1]` of a tensor of PyTorch, which PyTorch refuses and the other backends take."""

import functools
from typing import Any

_PLAIN = (int, slice, type(None), type(Ellipsis))


def negative_steps(keras: Any) -> str:
    """Give tensors of PyTorch slices with a negative step, beside integers, other slices, None and the ellipsis."""
    if keras.backend.backend() != 'torch':
        return ''
    import torch

    from ..engines.keras3_backend.tensors.indexing import taken

    original = torch.Tensor.__getitem__

    @functools.wraps(original)
    def item(x: Any, key: Any) -> Any:
        entries = key if key.__class__ is tuple else (key,)
        for entry in entries:
            if entry.__class__ is slice and entry.step.__class__ is int and entry.step < 0:
                if all([isinstance(each, _PLAIN) and not isinstance(each, bool) for each in entries]):
                    return taken(x, list(entries))
        return original(x, key)

    setattr(torch.Tensor, '__getitem__', item)  # noqa: B010
    return 'torch.Tensor.__getitem__'
