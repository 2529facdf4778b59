"""The report of the check: text for people, JSON for programs."""

import json
import os
import shlex
from typing import Any, Dict, Iterator, List

from ...launcher.check.finding import DIFFERS, NOTE, STOPS
from .program import Program
from .versions import span

HEADINGS = {STOPS: 'Would stop', DIFFERS: 'Would give other numbers', NOTE: 'Notes'}


def text(program: Program) -> str:
    """The report as text."""
    return '\n'.join(_lines(program))


def _lines(program: Program) -> Iterator[str]:
    count = len(program.files)
    files = '' if count == 1 and not os.path.isdir(program.path) else f' ({count} file{"s"[: count != 1]})'
    if program.of_keras_3:
        yield f'{program.path}{files}: a program of TensorFlow 2 or Keras 3'
    elif not program.uses_keras:
        yield f'{program.path}{files}: does not import Keras'
    else:
        asked = f'; it asks for {program.choice.asked}' if program.choice.asked else ''
        yield f'{program.path}{files}: Keras {program.choice.version}{asked}'
    for severity, heading in HEADINGS.items():
        of_kind = [finding for finding in program.findings if finding.severity == severity]
        if of_kind:
            yield ''
            yield f'{heading}:'
            for finding in of_kind:
                yield f'  {finding.place}: {finding.reason}'
                yield f'      {finding.advice}'
    if program.choice.reasons and not program.of_keras_3:
        yield ''
        yield f'Keras {program.choice.version}, not 2.3.1, because of:'
        for need in program.choice.reasons[:10]:
            yield f'  {need.place}: {need.what} (Keras {span(need.versions)})'
    if not any(finding.severity == STOPS for finding in program.findings):
        yield ''
        yield 'Nothing was found that would stop it.'
    if program.libraries:
        yield ''
        yield f'It imports: {", ".join(module for module, _ in program.libraries)}.'
        unknown = [module for module, name in program.libraries if not name]
        if unknown:
            yield f'Not found beside it, and no library that is known here: {", ".join(unknown)}.'
    if program.uses_keras or program.of_keras_3:
        yield ''
        yield 'Type:'
        for command in commands(program):
            yield f'  {command}'


def commands(program: Program) -> List[str]:
    """The commands to type next."""
    main = shlex.quote(program.main)
    libraries = ' '.join(shlex.quote(name) for _, name in program.libraries if name)
    found = [f'pip install {libraries}'] if libraries else []
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
        'path': program.path,
        'files': list(program.files),
        'launcher': 'keras_backend.keras3' if program.of_keras_3 else 'keras_backend.keras2',
        'uses_keras': program.uses_keras,
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
        'libraries': [{'module': module, 'pip': name or None} for module, name in program.libraries],
        'findings': [dict(finding._asdict()) for finding in program.findings],
        'commands': commands(program),
    }
