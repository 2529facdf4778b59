"""K over a user's module: its own functions as they are, and the others from the front, where they can be made."""

from functools import reduce
from types import MethodType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ..basics import dtypes
from ..basics.arrays import foreign, numbers
from ..basics.library import Tensor
from ..contract import CONTRACT
from ..front import Front
from ..front.base import Api
from .library import ModuleLibrary
from .needs import Needs

_NUMBERS = (bool, int, float, np.generic)


class Adapted(Front):
    """The functions of a module, completed by those of the front.

    A function of the module is used as it is, and may know fewer arguments than K. Numbers stay numbers: operators of
    the module's tensors take them.
    """

    # The functions of the module decide what they take; it may lack those that would tell a tensor.
    checked = False

    def __init__(
        self, own: Mapping[str, Callable[..., Any]], name: str, title: str, runs_on: str, refused: Mapping[str, str]
    ) -> None:
        library = ModuleLibrary(own, name, title, runs_on)
        super().__init__(library)
        self.own = library.K.names
        self.reasons: Dict[str, str] = {}
        needs = Needs(Front, library, frozenset(refused))
        for n in CONTRACT:
            if n in own:
                # Instances are asked before their classes.
                vars(self)[n] = own[n]
            elif n in refused or not needs.met(n):
                vars(self)[n] = MethodType(vars(Api)[n], self)
                names = ', '.join([f'K.{other}' for other in needs.lacking(n)])
                why = f'it is composed of {names}, which the engine lacks' if names else 'the engine does not define it'
                self.reasons[n] = refused.get(n) or why

    def why_not(self, name: str) -> str:
        return self.reasons.get(name, super().why_not(name))

    def is_class(self, labels: Tensor, classes: Tensor) -> Tensor:
        if self.supports('gather'):
            return super().is_class(labels, classes)
        return self.any(self.equal(self.expand_dims(labels, -1), classes), axis=-1)

    # -- values ------------------------------------------------------------------------------------------------------
    def operand(self, x: Any, dtype: Optional[str] = None) -> Any:
        if isinstance(x, _NUMBERS) or self.library.is_tensor(x):
            return x
        return super().operand(x, dtype)

    def floating(self, x: Any) -> Any:
        x = self.operand(x)
        return x if dtypes.is_float(self.library.dtype(x)) or isinstance(x, _NUMBERS) else self.cast(x, self.floatx())

    def converted(self, x: Any, dtype: str) -> Any:
        here = self.library.dtype(x)
        return x if here == dtype or isinstance(x, _NUMBERS) or not dtypes.is_known(here) else self.cast(x, dtype)

    def together(self, *values: Any) -> List[Any]:
        return self._as(self._met(values), values)

    def binary(self, name: str, x: Any, y: Any) -> Tensor:
        dtype = self._met([x, y])
        x, y = self._as(dtype, [x, y])
        return self._of_one_dtype(name, x, y, dtype or '')

    def _as(self, dtype: Optional[str], values: Sequence[Any]) -> List[Any]:
        """Values as tensors of a dtype, each of its own where that is None; numbers stay."""
        if dtype is None:
            return [self.operand(v) for v in values]
        return [self.converted(self.operand(v, dtype), dtype) for v in values]

    def _met(self, values: Sequence[Any]) -> Optional[str]:
        """The dtype in which values meet. None if all are numbers, or if K does not have a dtype among them."""
        tensors, others = [], []
        for v in values:
            if isinstance(v, (np.ndarray, *_NUMBERS)) or not self.library.is_tensor(v):
                if foreign(v):
                    self.operand(v)  # refuses it
                others.append(v)
            else:
                tensors.append(v)
        met = [self.library.dtype(x) for x in tensors or [v for v in others if not isinstance(v, _NUMBERS)]]
        if not met or not all([dtypes.is_known(dtype) for dtype in met]):
            return None
        joined = reduce(dtypes.promote, met)
        return reduce(dtypes.beside, [v if isinstance(v, _NUMBERS) else numbers(v) for v in others], joined)
