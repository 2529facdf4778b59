"""Where PyTorch on a GPU does not do what it does on a CPU: places out of range, and integers of large numbers."""

from typing import Any, Sequence

import torch
from torch import Tensor

from ..kernels.rows import first_place, refuse_place


def check_places(places: Tensor, size: int, least: int = 0) -> None:
    """Refuse places outside of an axis of `size`, where they do not lie on the CPU.

    A GPU that reads outside of an array computes nothing more for this process. The run waits for the GPU here.
    """
    if places.numel() and not places.is_meta and not bool(((places >= least) & (places < size)).all()):
        at = first_place(((places < least) | (places >= size)).cpu().numpy())
        refuse_place(int(places[at]), size, least, at=at)


def check_index(x: Tensor, key: Sequence[Any]) -> None:
    """The same for the tensors in an index of NumPy, `x[key]`."""
    axis, taken = 0, len([entry for entry in key if entry is not None and entry is not Ellipsis])
    for entry in key:
        if entry is Ellipsis:
            axis += x.dim() - taken
        elif entry is not None:
            if isinstance(entry, Tensor):
                check_places(entry, x.shape[axis], -x.shape[axis])
            axis += 1


def to_integers(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Floats as integers of `dtype`, which truncates. Of what it cannot hold it has the low bits, as a CPU has them.

    A GPU takes the nearest number that the dtype holds, and 0 for NaN. On a CPU, NaN and all that an int32 (or int64)
    cannot hold is the smallest number of that.
    """
    wide = torch.int64 if dtype == torch.int64 else torch.int32
    limit, x = 2.0 ** (torch.iinfo(wide).bits - 1), x.double()
    return torch.where((x >= -limit) & (x < limit), x, -limit).to(wide).to(dtype)
