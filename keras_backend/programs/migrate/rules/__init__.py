"""The changes that a machine can make safely, by topic. A rule takes the code and yields changes."""

from typing import Callable, Iterator, Tuple

from ..code import Change, Code
from . import arguments, imports, k_names, models

RULES: Tuple[Callable[[Code], Iterator[Change]], ...] = (
    imports.imports_of_k,
    imports.older_paths,
    arguments.calls_of_merge,
    k_names.names_of_k,
    arguments.older_arguments,
    models.methods_of_models,
    arguments.rates_of_optimizers,
    k_names.names_of_tensorflow,
    imports.names_of_libraries,
    imports.names_of_python2,
)


def judge(code: Code) -> Iterator[Change]:
    """All changes of a program, in the order of the rules."""
    for rule in RULES:
        yield from rule(code)
