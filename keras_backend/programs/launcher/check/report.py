"""The parts of the report that both launchers have."""

import os
import re
import shlex
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from .rules import DIFFERS, NOTE, STOPS, Finding

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


def no_stop(program: Any) -> Iterator[str]:
    """The line that says that nothing would stop."""
    if not any(finding.severity == STOPS for finding in program.findings):
        first = ', once what is missing here is installed' if program.missing else ''
        yield ''
        yield f'Nothing was found that would stop it{first}.'


def to_install(program: Any) -> List[str]:
    """The command that installs what is missing here, or all other libraries where nobody looked; none for nothing."""
    libraries = [name for _, name in program.libraries if name]
    names = libraries if program.missing is None else program.missing
    return [f'pip install {" ".join(map(shlex.quote, names))}'] if names else []


def typed(line: str, path: str) -> str:
    """The line that starts a program, as a person types it: a notebook is started by `run`."""
    if not path.endswith('.ipynb'):
        return line
    # `run` knows by itself whether something has to stand in for TensorFlow.
    launcher = re.compile(r'python (?:-m keras_backend[.](\w+) (?:--stand-in )?)?')
    way = launcher.search(line)
    name = (way.group(1) if way is not None else None) or 'import'
    return launcher.sub(f'python -m keras_backend run --with {name} ', line)


def plain(program: Any) -> Dict[str, Any]:
    """The part of the report as plain values that tells of files, other libraries and findings."""
    return {
        'path': program.path,
        'files': list(program.files),
        'uses_keras': program.uses_keras,
        'libraries': [{'module': module, 'pip': name or None} for module, name in program.libraries],
        'missing': None if program.missing is None else list(program.missing),
        'findings': [dict(finding._asdict()) for finding in program.findings],
    }


def imported(libraries: Sequence[Tuple[str, str]]) -> Iterator[str]:
    """The lines about other libraries."""
    if libraries:
        yield ''
        yield f'It imports: {", ".join(module for module, _ in libraries)}.'
        unknown = [module for module, name in libraries if not name]
        if unknown:
            yield f'Not found beside it, and no library that is known here: {", ".join(unknown)}.'
