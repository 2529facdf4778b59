"""All about the way of one program: what it is, its ways, the changes, the patch. `report` puts it into words."""

import re
from typing import Any, Dict, List, NamedTuple, Sequence, Set, Tuple

from ..keras2.check import keras_rules, program, versions
from ..keras2.check.versions import all_versions
from ..launcher.check import accuracy, translation
from ..launcher.check.files import Read, of_path, of_source
from ..launcher.check.reading import of_bytes
from ..launcher.check.rules import STOPS, Need, Place
from . import documents as refused
from . import edits, routes
from .code import HAS_ENDS, NEEDS_3_8, Change
from .documents import Document
from .edits import Result, migrated
from .what_program import KERAS_1, Written, written_for

_K_OF_OURS = re.compile(r'^keras_backend\.(?:keras3\.)?')
# The rules that tell of Keras 1.
_OF_KERAS_1 = ('keras1-argument', 'merge', 'dim-ordering', 'samples-per-epoch')


class Note(NamedTuple):
    """A change, or what a person has to decide, with its place."""

    place: Place
    rule: str
    reason: str


class Plan(NamedTuple):
    """The way of a program.

    Attributes
    ----------
    path : str
        The program.
    written : Written
        What it was written for.
    routes : list of Route
        Its ways.
    advised : str
        The name of the best one.
    route : str
        The name of the chosen one.
    version : str
        The Keras of the launcher of Keras 2 after the changes.
    after : list of str
        The lines to type with the patch, where they are others than those of the chosen way.
    check : dict
        What the check of the chosen way finds. `cured` of a finding says whether the patch takes it away.
    changes, left : list of Note
        What is changed, and what a person has to decide.
    files : list of Changed
        The files before and after.
    remarks : list of str
        What else is to be known of the patch.
    """

    path: str
    written: Written
    routes: List[routes.Route]
    advised: str
    route: str
    version: str
    after: List[str]
    check: Dict[str, Any]
    changes: List[Note]
    left: List[Note]
    files: List[edits.Changed]
    remarks: List[str]

    @property
    def stops(self) -> bool:
        """Whether something stops the program on the chosen way, and the patch does not cure it."""
        return any(finding['severity'] == STOPS and not finding['cured'] for finding in self.check['findings'])


class _Keras(NamedTuple):
    """The Keras of the launcher of Keras 2: before the patch, after it, and why the spellings of Keras 1 stay."""

    before: str
    after: str
    kept: str = ''


def plan(path: str, to: str = '', backend: str = '') -> Plan:
    """Work out the way of a program.

    Parameters
    ----------
    path : str
        A file with the modules beside it that it imports, a notebook, or a folder. It has to exist.
    to : str
        The way: 'keras2', 'keras3', 'import', or '' for the advised one.
    backend : str
        The engine, or the backend of Keras 3; '' for the one that fits.

    Returns
    -------
    Plan
        The way. Of several files, a remark tells those that cannot be read.

    Raises
    ------
    UnreadableFileError
        Nothing can be read, or nothing of it has to do with Keras.
    """
    read, local = of_path(path)
    documents = [Document(file) for file in read]
    refused.check_files(path, read, documents)
    readable = [file for file in documents if not file.problem and HAS_ENDS]
    first = {file.path: migrated(file, routes.KERAS_2) for file in readable}
    spelled = [note for file in readable for note in _notes(file, first[file.path].changes + first[file.path].left)]
    written = written_for(
        path, read, local, tuple((note.place, _short(note)) for note in spelled if note.rule in _OF_KERAS_1)
    )
    refused.check_kind(written)
    advised = routes.advised(written)
    route = to or advised
    inside = routes.inside_keras(written)
    results = first if route == routes.KERAS_2 else {file.path: migrated(file, route, inside) for file in readable}
    remarks = _remarks(documents)
    keras = _Keras(written.keras2.choice.version, written.keras2.choice.version)
    if readable:
        keras = _keras_for(written, readable, first)
    if route == routes.KERAS_2 and keras.kept:
        results = {file.path: migrated(file, route, keep_keras_1=True) for file in readable}
        remarks.append(f'the spellings of Keras 1 stay, because the program also needs Keras 1: {keras.kept}')
    files = [_changed(file, results[file.path], remarks) for file in readable]
    changes = [note for file in readable for note in _of_python_2(file) + _notes(file, results[file.path].changes)]
    left = [note for file in readable for note in _divisions(file) + _notes(file, results[file.path].left)]
    if route == routes.KERAS_2:
        left += _flattened(read, readable, keras)
    chosen = routes.backend_for(written, route, backend)
    other = route == routes.KERAS_2 and keras.after != keras.before
    ways = routes.all_of(written, backend, keras.before)
    if route not in [way.name for way in ways]:
        remarks.append(f'the {routes.TITLES[route]} is no way for {written.kind}')
    return Plan(
        path,
        written,
        ways,
        advised,
        route,
        keras.after,
        program.commands(routes.with_keras(written, backend, keras.after)) if other else [],
        _check(written, route, chosen, files),
        changes,
        left,
        files,
        remarks,
    )


def _check(written: Written, route: str, backend: str, files: List[edits.Changed]) -> Dict[str, Any]:
    """What the check finds, and what of it the patch takes away."""
    report = routes.check(written, route, backend)
    changed = {
        file.path: _as_before(of_source(of_bytes(file.new, file.path))) for file in files if file.new != file.old
    }
    after: Set[Tuple[str, str]] = set()
    if changed and report['findings']:
        read = [changed.get(file.source.path, file) for file in written.files]
        path, keras2 = written.keras2.path, written.keras2
        checked = program.of_files(path, read, written.local) if route == routes.KERAS_2 else keras2
        rest = routes.check(written._replace(files=tuple(read), keras2=checked), route, backend)
        after = {(finding['rule'], _of_keras(finding['reason'])) for finding in rest['findings']}
    for finding in report['findings']:
        finding['cured'] = bool(changed) and (finding['rule'], _of_keras(finding['reason'])) not in after
    return report


def _as_before(changed: Read) -> Read:
    """A changed file with the names of K that it had: our K lacks on an engine what `keras.backend` lacks there."""
    names = [use._replace(name=_K_OF_OURS.sub('keras.backend.', use.name)) for use in changed.uses.names]
    return changed._replace(uses=changed.uses._replace(names=names))


def _of_keras(reason: str) -> str:
    """A reason in the words for `keras`, whichever Keras the program took the name from."""
    return reason.replace('tensorflow.keras.', 'keras.')


def _notes(document: Document, changes: Sequence[Change]) -> List[Note]:
    notes = []
    for change in changes:
        notes.append(Note(document.place(change.line), change.rule, change.reason))
    return notes


def _of_python_2(document: Document) -> List[Note]:
    cells = [index + 1 for index in document.translated] if document.path.endswith('.ipynb') else [0]
    places = [Place(document.path, 1, cell) for cell in cells] if document.translated else []
    return [Note(place, 'python2', f'Python 2 becomes Python 3, as {translation.tool()} does') for place in places]


def _divisions(document: Document) -> List[Note]:
    reason = '`/` of whole numbers gives a fraction in Python 3; write // where Python 2 was to cut it off'
    return [Note(place, 'division', reason) for place in document.divisions()]


def _flattened(files: List[Read], documents: List[Document], keras: _Keras) -> List[Note]:
    """Where another Keras puts the numbers of images in another order, so that weights of a file mean another thing."""
    first = {'th', 'channels_first'} & {text for file in files for text, _ in file.uses.strings}
    if not first or not keras.before < '2.2' <= keras.after:
        return []
    reason = "Flatten() moves channels since Keras 2.2; Flatten(data_format='channels_last') keeps the order of before"
    return [Note(place, 'flatten', reason) for file in documents for place in file.calls('keras.layers.', '.Flatten')]


def _short(note: Note) -> str:
    """What was found, without what to do."""
    return re.split(r'; write|, and ', note.reason)[0]


def _changed(document: Document, result: Result, remarks: List[str]) -> edits.Changed:
    try:
        new = document.written(result.cells)
    except UnicodeError:
        remarks.append(f'{document.path}: its encoding lacks a letter of the patch; save it as UTF-8')
        new = document.data
    return edits.Changed(document.path, document.data, new)


def _remarks(documents: List[Document]) -> List[str]:
    remarks = [f'{document.path}: {document.problem}' for document in documents if document.problem]
    if not HAS_ENDS:
        remarks.append(NEEDS_3_8)
    for document in documents:
        for index in document.broken if not document.problem else ():
            cell = f'cell {index + 1}' if document.path.endswith('.ipynb') else 'it'
            remarks.append(f'{document.path}: {cell} is not changed, because Python cannot read it')
    return remarks


def _keras_for(written: Written, documents: List[Document], results: Dict[str, Result]) -> _Keras:
    version, oldest = written.keras2.choice.version, all_versions()[0]
    of_1 = [note for file in documents for note in _notes(file, results[file.path].left) if note.rule in _OF_KERAS_1]
    if of_1 and (version == oldest or written.kind == KERAS_1):
        # Half of it in the words of Keras 2 would run on neither.
        return _Keras(oldest, oldest, f'{_short(of_1[0])} ({of_1[0].place})')
    needs: List[Need] = []
    uses = [file.uses(results[file.path].cells) for file in documents]
    metrics = accuracy.metrics_of(uses)
    for file, used in zip(documents, uses):
        needs += keras_rules.judge(used, file.place, metrics).needs
    choice = versions.choose(needs, written.keras2.choice.asked)
    if version == oldest:
        lacking = [need for need in [*needs, *choice.unmet] if need.versions == (oldest,)]
        if choice.version == oldest or lacking:
            reason = f'{lacking[0].what} ({lacking[0].place})' if lacking else 'its names'
            return _Keras(oldest, oldest, reason)
    return _Keras(version, choice.version)
