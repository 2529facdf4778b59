"""A user's own module as an engine: its functions, and what can be composed of them."""

from types import MethodType
from typing import Any, Callable, Dict, Mapping, Set

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
