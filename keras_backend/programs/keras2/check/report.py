"""The report of the check: text for people, JSON for programs."""

import json
import shlex
from typing import Any, Dict, Iterator, List

from ...launcher.check import report
from .program import Program
from .versions import span


def text(program: Program) -> str:
    """The report as text."""
    return '\n'.join(_lines(program))


def _lines(program: Program) -> Iterator[str]:
    files = report.number_of_files(program.path, program.files)
    if program.of_keras_3:
        yield f'{program.path}{files}: a program of TensorFlow 2 or Keras 3'
    elif not program.uses_keras:
        yield f'{program.path}{files}: does not import Keras'
    else:
        asked = f'; it asks for {program.choice.asked}' if program.choice.asked else ''
        yield f'{program.path}{files}: Keras {program.choice.version}{asked}'
    yield from report.told(program.findings)
    if program.choice.reasons and not program.of_keras_3:
        yield ''
        yield f'Keras {program.choice.version}, not 2.3.1, because of:'
        for need in program.choice.reasons[:10]:
            yield f'  {need.place}: {need.what} (Keras {span(need.versions)})'
    yield from report.no_stop(program.findings)
    yield from report.imported(program.libraries)
    if program.uses_keras or program.of_keras_3:
        yield ''
        yield 'Type:'
        for command in commands(program):
            yield f'  {command}'


def commands(program: Program) -> List[str]:
    """The commands to type next."""
    main = shlex.quote(program.main)
    found = report.to_install(program.libraries)
    if program.of_keras_3:
        return [*found, f'python -m keras_backend.keras3 {main}']
    engine = 'tensorflow' if program.engine == 'any' else program.engine
    run = f'KERAS_BACKEND={engine} python -m keras_backend.keras2 --keras {program.choice.version} {main}'
    if '.ipynb' in main:
        script = main.replace('.ipynb', '.py')
        found.append(f'jupyter nbconvert --to script {main}')
        run = run.replace(main, script)
    return [*found, run]


def as_json(program: Program) -> str:
    """The report as JSON."""
    return json.dumps(as_dict(program), indent=2)


def as_dict(program: Program) -> Dict[str, Any]:
    """The report as a dict of plain values."""
    return {
        **report.plain(program),
        'launcher': 'keras_backend.keras3' if program.of_keras_3 else 'keras_backend.keras2',
        'keras': program.choice.version if program.uses_keras and not program.of_keras_3 else None,
        'asked': program.choice.asked or None,
        'reasons': [
            {
                'path': need.place.path,
                'line': need.place.line,
                'cell': need.place.cell,
                'what': need.what,
                'versions': list(need.versions),
            }
            for need in program.choice.reasons
        ],
        'engine': program.engine,
        'commands': commands(program),
    }
