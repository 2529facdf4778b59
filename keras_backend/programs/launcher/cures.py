"""Cures: what a launcher changes for older programs, and how `--explain` tells it.

A cure is a function. It takes the module that it changes, and returns the names of what it changed, or '' if there was
nothing to do. It is applied when the program imports that module. No module is imported only to be cured.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, NamedTuple, Sequence


class Cure(NamedTuple):
    """One cure: the module that it changes, the function that changes it, and the programs that need it."""

    module: str
    apply: Callable[[ModuleType], str]
    programs: str


# Name of a cure -> what it changed in this process.
applied: Dict[str, str] = {}


def name(cure: Cure) -> str:
    """The name of a cure: the name of its file without '_cures', and the name of its function."""
    return f'{cure.apply.__module__.rpartition(".")[2].replace("_cures", "")}.{cure.apply.__name__}'


def action(cure: Cure) -> Callable[[ModuleType], None]:
    """A function that applies a cure to its module and notes what it changed."""

    def act(module: ModuleType) -> None:
        done = cure.apply(module)
        if done or name(cure) not in applied:
            applied[name(cure)] = done

    return act


def import_to_explain(modules: Iterable[str]) -> Any:
    """Import these modules in order, so that their cures are applied. Returns Keras, which alone has to be there."""
    for module in modules:
        try:
            import_module(module)
        except ImportError:
            if module == 'keras':
                raise
    return sys.modules['keras']


def explanation(headline: str, cures: Sequence[Cure]) -> str:
    """The text of `--explain`: what each cure did in this process, and which programs need it."""
    lines = [f'{headline}; Python {sys.version.split()[0]}', '']
    for cure in cures:
        done = applied.get(name(cure))
        state = 'not imported here' if done is None else done or 'nothing to do here'
        lines += [
            f'{name(cure)}: {(cure.apply.__doc__ or "").strip()}',
            f'    needed by: {cure.programs}',
            f'    here: {state}',
        ]
    return '\n'.join(lines)
