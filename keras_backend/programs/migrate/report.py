"""The report: text for people, one object for programs."""

import os
import shlex
from typing import Any, Dict, Iterator, List

from ..launcher.check.rules import DIFFERS, NOTE, STOPS, Place
from . import edits
from .plan import Note, Plan
from .routes import TITLES
from .what_program import MOST, TF_KERAS_1

# The originals that `prove` makes an environment for, by the way: tests/migrate holds the two together.
ORIGINALS = {'keras2': ('2.3.1', '2.2.4'), 'keras3': ('tf_keras',)}
# So many findings and notes are told; the launcher tells all.
FINDINGS = 8


def lines(plan: Plan, written: Dict[str, str]) -> Iterator[str]:
    """The report as lines. written: what was written where, told under the changes."""
    yield f'{plan.path}: {plan.written.kind}'
    for place, text in plan.written.reasons[:MOST]:
        yield f'  {place}: {text}'
    if len(plan.written.reasons) > MOST:
        yield f'  and {len(plan.written.reasons) - MOST} more'
    yield ''
    yield 'Ways:'
    for route in plan.routes:
        yield f'  {TITLES[route.name]}{" (advised)" if route.name == plan.advised else ""}: {route.why}'
        yield from (f'      {command}' for command in route.commands)
        if route.missing:
            yield f'      missing here: {"; ".join(route.missing)}'
    yield ''
    yield f'Found for the way "{TITLES[plan.route]}":'
    yield from _findings(plan)
    yield ''
    yield 'Changes:' if plan.changes else 'Changes: none'
    yield from _notes(plan.changes)
    if plan.left:
        yield ''
        yield 'For you to decide:'
        yield from _notes(plan.left)
    yield from (f'  {remark}' for remark in plan.remarks)
    if plan.after:
        yield f'  with the patch, the program runs on Keras {plan.version}:'
        yield from (f'      {command}' for command in plan.after)
    command = proof(plan)
    if command:
        yield ''
        yield 'The proof that the numbers are the old ones:'
        yield f'      {command}'
    yield from _patch(plan, written)


def proof(plan: Plan) -> str:
    """The line that compares the numbers of the program with the original's, or '' if `prove` cannot run it."""
    if plan.route not in ORIGINALS or not plan.path.endswith(('.py', '.ipynb')):
        return ''
    if plan.route == 'keras3' and plan.written.kind == TF_KERAS_1:
        return ''  # no original of this way has its names
    command = f'python -m keras_backend prove {shlex.quote(plan.path)}'
    if plan.route == 'keras2':
        command += f' --keras {plan.version}'
    originals = [name for name in ORIGINALS[plan.route] if plan.route == 'keras3' or name == plan.version]
    return f'{command} --original {originals[0]}' if originals else command


def _findings(plan: Plan) -> Iterator[str]:
    findings = plan.check['findings']
    if not findings:
        yield '  nothing'
    for severity, words in (STOPS, 'stops'), (DIFFERS, 'gives other numbers'), (NOTE, 'note'):
        of_kind = [finding for finding in findings if finding['severity'] == severity]
        for finding in of_kind[:FINDINGS]:
            yield f'  {words}: {Place(finding["path"], finding["line"], finding["cell"])}: {finding["reason"]}'
            yield f'      {"the patch does it" if finding["cured"] else finding["advice"]}'
        if len(of_kind) > FINDINGS:
            yield f'  {words}: {len(of_kind) - FINDINGS} more; the launcher with --check tells all'


def _notes(notes: List[Note]) -> Iterator[str]:
    return (f'  {note.place}: {note.reason}' for note in notes)


def _patch(plan: Plan, written: Dict[str, str]) -> Iterator[str]:
    for path, target in written.items():
        yield f'  {path}: {target}'
    data = edits.diff(plan.files)
    if data and not written:
        yield ''
        yield 'The patch:'
        yield from data.decode('utf-8', 'backslashreplace').splitlines()


def as_dict(plan: Plan, written: Dict[str, str]) -> Dict[str, Any]:
    """The report as a dict of plain values."""
    return {
        'path': plan.path,
        'kind': plan.written.kind,
        'reasons': [{**place._asdict(), 'what': text} for place, text in plan.written.reasons],
        'routes': [{**route._asdict(), 'advised': route.name == plan.advised} for route in plan.routes],
        'route': plan.route,
        'keras': plan.version if plan.route == 'keras2' else None,
        'commands_after_patch': plan.after,
        'check': plan.check,
        'stops': plan.stops,
        'changes': _plain(plan.changes),
        'left': _plain(plan.left),
        'proof': proof(plan),
        'remarks': plan.remarks,
        'files': [file.path for file in plan.files if file.old != file.new],
        'patch': edits.diff(plan.files).decode('utf-8', 'backslashreplace'),
        'patch_from': edits.base([file.path for file in plan.files]) if plan.files else os.getcwd(),
        'written': written,
    }


def _plain(notes: List[Note]) -> List[Dict[str, Any]]:
    return [{**note.place._asdict(), 'rule': note.rule, 'reason': note.reason} for note in notes]
