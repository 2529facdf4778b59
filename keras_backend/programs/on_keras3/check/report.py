"""The report of the check: text for people, JSON for programs."""

import json
import shlex
from typing import Any, Dict, Iterator, List

from ....basics import installed
from ...launcher.check import report
from .program import Program


def text(program: Program) -> str:
    """The report as text."""
    return '\n'.join(_lines(program))


def _lines(program: Program) -> Iterator[str]:
    files = report.number_of_files(program.path, program.files)
    about = f'Keras 3 on {program.backend}' if program.uses_keras else 'does not import Keras'
    yield f'{program.path}{files}: {about}'
    yield from report.told(program.findings)
    yield from report.no_stop(program.findings)
    yield from report.imported(program.libraries)
    if program.uses_keras:
        yield ''
        yield 'Type:'
        for command in commands(program):
            yield f'  {command}'


def commands(program: Program) -> List[str]:
    """The commands to type next."""
    found = report.to_install(program.libraries)
    main = shlex.quote(program.path)
    if program.path.endswith('.ipynb'):
        found.append(f'jupyter nbconvert --to script {main}')
        main = shlex.quote(program.path[: -len('ipynb')] + 'py')
    elif len(program.files) != 1 and program.path not in program.files:
        main = 'PROGRAM.py'
    # What stands in the place of TensorFlow is for machines without it: `python -m keras_backend.keras3 --help`.
    stand_in = program.uses_tensorflow and program.backend != 'tensorflow' and installed.spec('tensorflow') is None
    launcher = 'python -m keras_backend.keras3' + (' --stand-in' if stand_in else '')
    return [*found, f'KERAS_BACKEND={program.backend} {launcher} {main}']


def as_json(program: Program) -> str:
    """The report as JSON."""
    return json.dumps(as_dict(program), indent=2)


def as_dict(program: Program) -> Dict[str, Any]:
    """The report as a dict of plain values."""
    return {
        **report.plain(program),
        'launcher': 'keras_backend.keras3',
        'backend': program.backend,
        'commands': commands(program),
    }
