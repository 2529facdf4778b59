"""The changes that a machine can make safely, by topic. A rule takes the code and yields changes."""

from typing import Callable, Iterator, Tuple

from ..code import Change, Code
from . import arguments, imports, k_names, libraries, merges, models, optimizers, paths, python_names, tensorflow_names

RULES: Tuple[Callable[[Code], Iterator[Change]], ...] = (
    imports.judge,
    paths.judge,
    merges.judge,
    k_names.judge,
    arguments.judge,
    models.judge,
    optimizers.judge,
    tensorflow_names.judge,
    libraries.judge,
    python_names.judge,
)


def judge(code: Code) -> Iterator[Change]:
    """All changes of a program, in the order of the rules."""
    for rule in RULES:
        yield from rule(code)
