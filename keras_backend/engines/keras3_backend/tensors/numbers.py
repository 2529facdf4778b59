"""Numbers of Python beside the tensors of PyTorch, each made once."""

import math
from typing import Any, Dict, Tuple, Union

from ..vendor import BACKEND

Number = Union[int, float]
if BACKEND == 'torch':
    import torch

    _FLOATS = frozenset([torch.float32, torch.float64])
_MADE: Dict[Tuple[Number, Any], Any] = {}
_MOST = 1000


def beside(x: Any, number: Number) -> Any:
    """The number as a scalar of the dtype of the tensor `x`, if that is float32 or float64; else the number itself.

    PyTorch takes a scalar of the CPU beside a tensor of any device. It is not for users, who could change it in place.
    """
    dtype = x.dtype
    if dtype not in _FLOATS:
        return number
    # -0.0 and 0.0 are equal, and so one key; 1 and 1.0 are one number here.
    key = number, dtype
    made = _MADE.get(key)
    negative_zero = not number and math.copysign(1.0, number) < 0
    if made is None or negative_zero:
        try:
            made = torch.tensor(float(number), dtype=dtype, device='cpu')
        except OverflowError:
            return number
        if len(_MADE) < _MOST and not negative_zero:
            _MADE[key] = made
    return made
