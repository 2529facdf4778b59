"""A user's own module as an engine: its functions, and what can be composed of them."""

from functools import reduce
from types import MethodType
from typing import Any, Callable, Dict, List, Mapping, Optional, Set

import numpy as np

from . import dtypes
from .contract import CONTRACT, SETTINGS
from .front.api import Api
from .front.composed import NEEDS, Composed


class Adapted(Composed):
    """The functions of a module, completed by composed ones. It has no library, so nothing is said in primitives.

    A function of the module is used as it is, and may know fewer arguments than K.
    """

    # The functions of the module decide what they take; it may lack those that would tell a tensor.
    checked = False

    def __init__(
        self, own: Mapping[str, Callable[..., Any]], name: str, title: str, runs_on: str, refused: Mapping[str, str]
    ) -> None:
        self.name, self.title, self.runs_on = name, title, runs_on
        self.reasons: Dict[str, str] = {}
        there = _reached(set(own) | set(SETTINGS), set(refused))
        for n in CONTRACT:
            if n in own:
                # Instances are asked before their classes.
                vars(self)[n] = own[n]
            elif n not in there:
                vars(self)[n] = MethodType(vars(Api)[n], self)
                self.reasons[n] = refused.get(n) or _lacking(n, there)

    def floating(self, x: Any) -> Any:
        dtype = self._dtype_of(x)
        if dtype is None or dtypes.is_float(dtype) or not self.supports('cast'):
            return x
        return self.cast(x, self.floatx())

    def together(self, *values: Any) -> List[Any]:
        found = [self._dtype_of(value) for value in values]
        arrays = [value for value, dtype in zip(values, found) if dtype and isinstance(value, np.ndarray)]
        tensors = [dtype for value, dtype in zip(values, found) if dtype and not isinstance(value, np.ndarray)]
        if not (tensors or arrays) or not self.supports('cast'):
            return list(values)
        if tensors:
            joined = reduce(dtypes.promote, tensors)
            joined = reduce(dtypes.promote, [dtypes.beside(joined, array) for array in arrays], joined)
        else:
            # Arrays of NumPy may be the tensors of the module.
            joined = reduce(dtypes.promote, [array.dtype.name for array in arrays])
        for value in values:
            if isinstance(value, (int, float)):
                joined = dtypes.beside(joined, value)
        return [value if dtype in (None, joined) else self.cast(value, joined) for value, dtype in zip(values, found)]

    def _dtype_of(self, x: Any) -> Optional[str]:
        """The dtype of a tensor of the module; None for other values, and for a dtype that K does not have."""
        if x is None or isinstance(x, (int, float, list, tuple)):
            return None
        dtype = x.dtype.name if isinstance(x, (np.ndarray, np.generic)) else self.dtype(x)
        return dtype if dtypes.is_known(dtype) else None

    def why_not(self, name: str) -> str:
        return self.reasons.get(name, super().why_not(name))


def _reached(there: Set[str], refused: Set[str]) -> Set[str]:
    """The names that are there, and those that can be composed of them."""
    grown = True
    while grown:
        more = {n for n, wanted in NEEDS.items() if n not in there and n not in refused and wanted <= there}
        there, grown = there | more, bool(more)
    return there


def _lacking(name: str, there: Set[str]) -> str:
    if name not in NEEDS:
        return 'the engine does not define it'
    names = ', '.join([f'K.{n}' for n in sorted(NEEDS[name] - there)])
    return f'it is composed of {names}, which the engine lacks'
