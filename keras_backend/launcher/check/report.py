"""The parts of the report that both launchers have."""

import os
from typing import Iterator, Sequence, Tuple

from .finding import DIFFERS, NOTE, STOPS, Finding

HEADINGS = {STOPS: 'Would stop', DIFFERS: 'Would give other numbers', NOTE: 'Notes'}


def number_of_files(path: str, files: Sequence[str]) -> str:
    """How many files were read, in brackets; '' for one that was named itself."""
    count = len(files)
    return '' if count == 1 and not os.path.isdir(path) else f' ({count} file{"s"[: count != 1]})'


def told(findings: Sequence[Finding]) -> Iterator[str]:
    """The lines about the findings, by their severity."""
    for severity, heading in HEADINGS.items():
        of_kind = [finding for finding in findings if finding.severity == severity]
        if of_kind:
            yield ''
            yield f'{heading}:'
            for finding in of_kind:
                yield f'  {finding.place}: {finding.reason}'
                yield f'      {finding.advice}'


def no_stop(findings: Sequence[Finding]) -> Iterator[str]:
    """The line that says that nothing would stop."""
    if not any(finding.severity == STOPS for finding in findings):
        yield ''
        yield 'Nothing was found that would stop it.'


def imported(libraries: Sequence[Tuple[str, str]]) -> Iterator[str]:
    """The lines about other libraries."""
    if libraries:
        yield ''
        yield f'It imports: {", ".join(module for module, _ in libraries)}.'
        unknown = [module for module, name in libraries if not name]
        if unknown:
            yield f'Not found beside it, and no library that is known here: {", ".join(unknown)}.'
