"""The words of a proof: a table for the terminal, an object for JSON, a picture."""

import os
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from ...basics.exit_status import in_words
from ...errors import KerasBackendError
from .differences import SAMPLES, Difference, Line, Record
from .proof import DIED, GOOD, RESULTS, UNDECIDED, Call, Proof, Verdict

FORMAT = 1


def lines(proof: Proof) -> Iterator[str]:
    """The report, line by line.

    Parameters
    ----------
    proof : Proof
        What was found.
    """
    reference = proof.reference
    yield f'{proof.program.path}'
    because = '' if reference.run.name == proof.chosen else f', because {proof.chosen} died'
    yield f'reference: {_title(reference)}{because}'
    if reference.error:
        yield f'  died: {reference.error}'
        yield from _output(reference)
    for verdict in proof.verdicts:
        yield ''
        yield f'{_title(verdict.record)}: {verdict.verdict}'
        if verdict.outcome.lines:
            yield from _rows(verdict.outcome.lines, reference.run.name, verdict.record.run.name)
        elif verdict.verdict == UNDECIDED:
            yield '  both runs called no function of K and no `fit` or `predict`, and have no model with weights'
        if verdict.outcome.first is not None:
            yield '  the first difference: ' + sentence(verdict.outcome.first, verdict, reference)
            yield from _of_call(verdict)
        if verdict.verdict == UNDECIDED and verdict.outcome.chaos:
            yield (
                f'  {verdict.outcome.chaos}: the numbers are far from each other, but {reference.run.name} goes as far '
                'from itself when its last digits change. Fewer steps may tell: add --steps 5 --stop'
            )
        if verdict.verdict == RESULTS:
            yield (
                f'  {verdict.outcome.free}: some weights are far from each other, and {reference.run.name} goes as '
                'far from itself when its last digits change. They change no result of a call'
            )
        if verdict.verdict == DIED and verdict.record.error != reference.error:
            yield f'  died: {verdict.record.error}'
            yield from _output(verdict.record)
    notes = _notes(proof)
    if notes or proof.control:
        yield ''
    if proof.control:
        yield (
            f'note: {reference.run.name} differs from itself by up to {proof.control:.1e} when the last digits of its '
            f'inputs change. A run that is no further from it than {SAMPLES} times that, at each event, is equal but '
            'for rounding'
        )
    for note, names in notes.items():
        yield f'note: {note} ({", ".join(names)})'


def _title(record: Record) -> str:
    versions = ', '.join(f'{name} {version}' for name, version in record.versions.items() if name != 'keras_backend')
    return f'{record.run.name} ({versions})' if versions else record.run.name


def _output(record: Record) -> Iterator[str]:
    for line in record.run.output.strip().splitlines()[-12:]:
        yield '    ' + line


def _rows(found: List[Line], reference: str, name: str) -> Iterator[str]:
    width = max([len(line.name) for line in found] + [8])
    heads = f'{"first: " + reference:>22}  {name:>12}  {"last: " + reference:>21}  {name:>12}'
    moves = any(line.own for line in found)
    itself = f'  {reference} from itself' if moves else ''
    yield f'  {"":{width}}  calls  {heads}  difference{itself}'
    # Weights that are equal to the last digit are no news.
    shown_lines = [line for line in found if line.largest or line.kind == 'call']
    for line in shown_lines:
        numbers = f'{line.first[0]:22.7g}  {line.first[1]:12.7g}  {line.last[0]:21.7g}  {line.last[1]:12.7g}'
        own = f'  {line.own:{len(itself) - 2}.1e}' if moves else ''
        yield f'  {line.name:{width}}  {line.calls:5}  {numbers}  {line.largest:10.1e}{own}'


def sentence(found: Difference, verdict: Verdict, reference: Record) -> str:
    """A difference in words.

    Parameters
    ----------
    found : Difference
        The difference.
    verdict : Verdict
        The verdict of its engine.
    reference : Record
        The record of the reference.
    """
    name, other = verdict.record.run.name, reference.run.name
    if found.kind == 'missing':
        return f'{found.name}: {name} has {found.value}, {other} has {found.expected}'
    index = f'[{", ".join(map(str, found.index))}]' if found.index else ''
    what = {'value': '', 'shape': 'the shape ', 'number': 'this number of arrays: '}.get(found.kind, found.kind + ' ')
    text = f'{found.event}, {found.name}{index}: {name} has {what}{found.value}, {other} has {what}{found.expected}'
    if found.relative is not None and np.isfinite(found.relative):
        text += f' (relative {found.relative:.1e})'
    if found.part == 'inputs':
        text += '. The program itself made other inputs: look for what it draws or reads before this call'
    return text


def _of_call(verdict: Verdict) -> Iterator[str]:
    call = verdict.call
    if call is not None:
        index = f'[{", ".join(map(str, call.index))}]' if call.index else ''
        yield (
            f'  the first call of K that differs: K.{call.name} at {call.place}{index}: {call.value} and '
            f'{call.expected} (relative {call.relative:.1e})'
        )
    elif verdict.traced:
        yield f'  {verdict.traced} results of K at this event were compared, and all are equal'


def _notes(proof: Proof) -> Dict[str, List[str]]:
    notes: Dict[str, List[str]] = {}
    for record in [proof.reference] + [verdict.record for verdict in proof.verdicts]:
        for note in record.notes:
            notes.setdefault(note, []).append(record.run.name)
    return notes


def data(proof: Proof) -> Dict[str, Any]:
    """The same as an object for JSON; docs/prove.md has its format.

    Parameters
    ----------
    proof : Proof
        What was found.
    """
    return {
        'format': FORMAT,
        'program': proof.program.path,
        'arguments': proof.program.arguments,
        'kind': proof.program.kind,
        'status': proof.status,
        'reference': _run(proof.reference),
        'chosen': proof.chosen,
        'control': _plain(proof.control),
        'engines': [
            dict(
                _run(verdict.record),
                verdict=verdict.verdict,
                compared=verdict.outcome.events,
                largest=_plain(verdict.outcome.largest),
                functions=[_plain(line._asdict()) for line in verdict.outcome.lines],
                losses=_plain(verdict.outcome.losses),
                first_difference=_plain(_found(verdict.outcome.first)),
                first_call=_plain(_found(verdict.call)),
            )
            for verdict in proof.verdicts
        ],
    }


def _found(found: Any) -> Any:
    return found._asdict() if isinstance(found, (Difference, Call)) else None


def _run(record: Record) -> Dict[str, Any]:
    return {
        'name': record.run.name,
        'seconds': round(record.run.seconds, 1),
        'events': len(record.events),
        'error': record.error,
        'notes': record.notes,
        'versions': record.versions,
    }


def _plain(value: Any) -> Any:
    """Numbers that JSON has: those that it lacks as texts."""
    if isinstance(value, dict):
        return {key: _plain(element) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def summary(proof: Proof) -> str:
    """The last line: what holds for all."""
    count = {verdict.verdict: 0 for verdict in proof.verdicts}
    for verdict in proof.verdicts:
        count[verdict.verdict] += 1
    names = {kind: [v.record.run.name for v in proof.verdicts if v.verdict == kind] for kind in count}
    text = '; '.join(f'{", ".join(names[kind])}: {kind}' for kind in count)
    name = proof.reference.run.name
    if proof.reference.error:
        return f'NOT PROVED. All died: {", ".join([name, *names[DIED]])}'
    if all(kind == DIED for kind in count):
        return f'NOT PROVED. {text}; so {name} has nothing to be compared with'
    if name != proof.chosen:
        return f'NOT PROVED, since {proof.chosen} died. The others, beside {name}: {text}'
    return f'{"PROVED" if all(kind in GOOD for kind in count) else "NOT PROVED"}, beside {name}. {text}'


# -- the picture -------------------------------------------------------------------------------------------------------
# The losses of all runs in one picture. It needs Matplotlib.


Losses = Dict[str, List[Tuple[float, float]]]


class NoPicture(KerasBackendError):
    """Says in a sentence why there is no picture, and what to type."""


def save(losses: Dict[str, Losses], reference: str, path: str) -> None:
    """Draw the first output of each function, step by step: a line for the reference, and marks for each engine.

    Parameters
    ----------
    losses : dict
        By engine, what `Outcome.losses` has.
    reference : str
        The name of the reference.
    path : str
        The file. Its suffix says the format.

    Raises
    ------
    NoPicture
        Matplotlib is not installed, or the file cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # without pyplot no window is ever opened
        from matplotlib.figure import Figure
    except ImportError:
        raise NoPicture('There is no picture: Matplotlib is not installed. Type: pip install matplotlib') from None
    names = _functions(losses)
    figure = Figure(figsize=(7, 3 * max(1, len(names))))
    FigureCanvasAgg(figure)
    for row, name in enumerate(names):
        axes = figure.add_subplot(len(names), 1, row + 1)
        drawn = False
        for number, (engine, engine_losses) in enumerate(losses.items()):
            pairs = engine_losses.get(name, [])
            steps = range(1, len(pairs) + 1)
            if not drawn:
                axes.plot(steps, [pair[0] for pair in pairs], color='black', label=reference)
                drawn = True
            axes.plot(steps, [pair[1] for pair in pairs], 'x+1234*'[number % 7], label=engine)
        axes.set_title(name)
        axes.set_xlabel('call')
        axes.legend()
    figure.tight_layout()
    kind = os.path.splitext(path)[1].lstrip('.').lower() or 'png'
    try:
        figure.savefig(path, dpi=100, format=kind)
    except OSError as error:
        raise NoPicture(f'There is no picture. {in_words(error, path)}') from error
    except ValueError as error:  # a suffix that Matplotlib does not know
        raise NoPicture(f'There is no picture: {path} cannot be written ({error}). Give another path.') from error


def _functions(losses: Dict[str, Losses]) -> List[str]:
    """Those that train; all others where none does. Four fit into a picture."""
    names = list(dict.fromkeys(name for engine_losses in losses.values() for name in engine_losses))
    training = [name for name in names if name.startswith('train') or name.endswith((' fit', ' train_on_batch'))]
    return (training or names)[:4]
