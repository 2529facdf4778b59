"""Numbers of Python beside computed tensors, each made once: making a tensor takes longer than calculating with it."""

import math
from typing import Any, Callable, Dict, Tuple, Union

from ..vendor import BACKEND, COMPUTED
from .dtypes import name_of

Number = Union[int, float]
if BACKEND == 'torch':
    import torch
_FLOATS = frozenset(['float32', 'float64'])
_MADE: Dict[Tuple[Number, str], Any] = {}
_MOST = 1000


def beside(x: Any, number: Number, constant: Callable[[Number, str], Any]) -> Any:
    """The number as a scalar of the dtype of the tensor `x`, if that is float32 or float64; else the number itself.

    It is not for users, who could change it in place.
    """
    dtype = name_of(x)
    if dtype not in _FLOATS:
        return number
    # -0.0 and 0.0 are equal, and so one key; 1 and 1.0 are one number here.
    key = number, dtype
    made = _MADE.get(key)
    negative_zero = not number and math.copysign(1.0, number) < 0
    if made is None or negative_zero:
        try:
            made = _of_torch(number, dtype) if BACKEND == 'torch' else constant(number, dtype)
        except OverflowError:
            return number
        # Where a function is compiled the constant belongs to that function.
        if len(_MADE) < _MOST and not negative_zero and made.__class__ in COMPUTED:
            _MADE[key] = made
    return made


def _of_torch(number: Number, dtype: str) -> Any:
    # PyTorch takes a scalar of the CPU beside a tensor of any device.
    return torch.tensor(float(number), dtype=getattr(torch, dtype), device='cpu')
