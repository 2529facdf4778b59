"""K over a user's module: its own functions as they are, and the others from the front, where they can be made."""

import dis
from functools import lru_cache, reduce
from types import CodeType, FunctionType, MethodType
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from ..basics import dtypes
from ..basics.dtypes import foreign, numbers
from ..basics.library import PRIMITIVES, Tensor
from ..contract import CONTRACT, SETTINGS
from ..derived import DERIVED
from ..front import Front
from ..front.base import Api
from .library import ModuleLibrary
from .primitives import OPERATORS, SAID, WITHOUT_FUNCTIONS, said_by

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


# -- needs -------------------------------------------------------------------------------------------------------------
# Which K functions can be made of those that a module has, read from the byte code of the functions.
#
# The front says a K function in primitives (`self.F.exp`), methods of the library (`self.library.constant`) and other
# K functions (`self.sum`). A derived primitive is said in primitives and methods of the library. A method of the
# library of a module is said in K functions of the module (`self.K.update`). Where it asks for one first
# (`self.K.has('constant')`) and the module has it, no other is needed. So the code says what a function needs, and no
# list has to be kept.
#
# An example: `K.softsign` reads `self.abs`, and `K.abs` reads `self.F.abs`. Where the module has no `abs`, the derived
# primitive reads `F.mul`, which is an operator, and `F.sign`. That reads `F.cast` and others. In the end there are
# functions of the module, or one that is lacking.


_METHODS = frozenset(name for name, value in vars(ModuleLibrary).items() if isinstance(value, FunctionType))
# ('K', name) is a K function, ('F', name) a primitive, ('library', name) a method of the library.
Need = Tuple[str, str]

# The library guesses where a module does not say it, which is not good enough for an answer to a user.
_ITS_OWN = frozenset(['is_tensor', 'is_variable'])
# The meanings of names of variables and attributes: in the front, and in methods of the library.
_IN_FRONT = {'self': 'K', 'K': 'K', 'F': 'F', 'library': 'library'}
_IN_LIBRARY = {'self': 'library', 'K': 'K', 'F': 'F'}


class Needs:
    """Which K functions a front can make of those that a module has.

    Parameters
    ----------
    front : type
        The class whose methods say the K functions.
    library : ModuleLibrary
        The module.
    refused : frozenset of str
        K functions that are not to be made.
    """

    def __init__(self, front: type, library: ModuleLibrary, refused: FrozenSet[str]) -> None:
        self._front, self._library = front, library
        self._there: Set[Need] = {('K', name) for name in (*library.K.names, *SETTINGS)}
        self._wanted: Dict[Need, Optional[FrozenSet[Need]]] = {}
        waiting: List[Need] = [('K', name) for name in CONTRACT if name not in refused]
        while waiting:
            need = waiting.pop()
            if need not in self._wanted and need not in self._there:
                needs = self._of(need)
                # A function may call itself.
                self._wanted[need] = needs = None if needs is None else needs - {need}
                waiting.extend(needs or ())
        grown = True
        while grown:
            more = {n for n, needs in self._wanted.items() if needs is not None and needs <= self._there}
            grown = not more <= self._there
            self._there |= more

    def met(self, name: str) -> bool:
        """Whether K function `name` is there or can be made."""
        return ('K', name) in self._there

    def lacking(self, name: str) -> List[str]:
        """The K functions that the module would need next for K function `name`."""
        names = [self._function(need) for need in self._wanted.get(('K', name)) or () if need not in self._there]
        return sorted({n for n in names if n is not None and n != name})

    def _function(self, need: Need) -> Optional[str]:
        """The K function that stands for what is lacking."""
        kind, name = need
        if kind == 'F':
            return SAID[name].functions[0] if name in SAID else None
        if kind == 'library':
            inner = [self._function(n) for n in self._wanted[need] or () if n not in self._there]
            return inner[0] if inner else None
        return name

    def _of(self, need: Need) -> Optional[FrozenSet[Need]]:
        """The needs of `need` itself; None where nothing can make it."""
        kind, name = need
        if kind == 'K':
            return None if name in _ITS_OWN else needs_of(getattr(self._front, name))
        if kind == 'library':
            method = getattr(ModuleLibrary, name)
            asked = {word for code in _codes(method.__code__) for word in code.co_consts if isinstance(word, str)}
            # A method asks for a function of the module that does all of it, before it takes others.
            return frozenset() if asked & self._library.K.names else needs_of(method, True)
        if name in OPERATORS or name in WITHOUT_FUNCTIONS or said_by(self._library.K, name) is not None:
            return frozenset()
        return needs_of(DERIVED[name]) if name in DERIVED else None


@lru_cache(maxsize=None)
def needs_of(function: FunctionType, in_library: bool = False) -> FrozenSet[Need]:
    """The needs of a function, and those of the functions of its module that it calls."""
    return frozenset(_collected(function, _IN_LIBRARY if in_library else _IN_FRONT, set())[0])


def _collected(function: FunctionType, meanings: Dict[str, str], seen: Set[FunctionType]) -> Tuple[Set[Need], bool]:
    """The same, and whether the function hands on names of primitives: to `binary`, to `getattr`, to a helper."""
    seen.add(function)
    needs: Set[Need] = set()
    by_name, strings = False, set()
    for code in _codes(function.__code__):
        words = {value for value in code.co_consts if isinstance(value, str)}
        strings |= words
        for receiver, name in _reads(code, meanings):
            if receiver is None:
                helper = function.__globals__.get(name)
                by_name = by_name or name == 'getattr'
                if isinstance(helper, FunctionType) and helper.__module__ == function.__module__ and helper not in seen:
                    inner, hands_on = _collected(helper, meanings, seen)
                    needs |= inner
                    by_name = by_name or hands_on
            elif receiver == 'K':
                by_name = by_name or name == 'binary'
                if name in CONTRACT and name not in words:
                    needs.add((receiver, name))
            elif name in (PRIMITIVES if receiver == 'F' else _METHODS):
                needs.add((receiver, name))
    if by_name:
        needs |= {('F', name) for name in strings if name in PRIMITIVES}
    return needs, by_name


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of the functions inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _reads(code: CodeType, meanings: Dict[str, str]) -> Iterator[Tuple[Optional[str], str]]:
    """The reads of code: ('F', 'exp') for `self.F.exp`, ('K', 'sum') for `self.sum`, (None, 'f') for a global `f`."""
    before: Any = None
    for instruction in dis.get_instructions(code):
        value = instruction.argval
        # Python 3.13 reads two variables by one instruction.
        value = value[-1] if isinstance(value, tuple) and value else value
        if instruction.opname in ('LOAD_ATTR', 'LOAD_METHOD'):
            if before in meanings:
                yield meanings[before], value
        elif instruction.opname == 'LOAD_GLOBAL':
            yield None, value
        before = value if isinstance(value, str) and 'LOAD' in instruction.opname else None
