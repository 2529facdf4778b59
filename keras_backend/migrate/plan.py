"""All about the way of one program: what it is, its ways, the changes, the patch. `report` puts it into words."""

import re
from typing import Any, Dict, List, NamedTuple, Sequence

from ..keras2.check import keras_rules, which_keras
from ..keras2.check.versions import all_versions
from ..launcher.check.files import of_path
from ..launcher.check.finding import STOPS, Need, Place
from . import patch, routes
from .code import HAS_ENDS, Change
from .documents import Document
from .edits import Result, migrated
from .what_program import KERAS_1, Written, written_for

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
        What the check of the chosen way finds.
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
    files: List[patch.Changed]
    remarks: List[str]

    @property
    def stops(self) -> bool:
        """Whether something was found that stops the program on the chosen way."""
        return any(one['severity'] == STOPS for one in self.check['findings'])


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
        The way. No error is raised for what cannot be read: a remark says so.
    """
    read, local = of_path(path)
    documents = [Document(one) for one in read]
    readable = [one for one in documents if not one.problem and HAS_ENDS]
    first = {one.path: migrated(one, routes.KERAS_2) for one in readable}
    spelled = [note for one in readable for note in _notes(one, first[one.path].changes + first[one.path].left)]
    written = written_for(
        path, read, local, tuple((note.place, _short(note)) for note in spelled if note.rule in _OF_KERAS_1)
    )
    advised = routes.advised(written)
    route = to or advised
    inside = routes.inside_keras(written)
    results = first if route == routes.KERAS_2 else {one.path: migrated(one, route, inside) for one in readable}
    remarks = _remarks(documents)
    keras = _Keras(written.keras2.choice.version, written.keras2.choice.version)
    if readable:
        keras = _keras_for(written, readable, first)
    if route == routes.KERAS_2 and keras.kept:
        results = {one.path: migrated(one, route, keep_keras_1=True) for one in readable}
        remarks.append(f'the spellings of Keras 1 stay, because the program also needs Keras 1: {keras.kept}')
    files = [_changed(one, results[one.path], remarks) for one in readable]
    changes = [note for one in readable for note in _notes(one, results[one.path].changes)]
    left = [note for one in readable for note in _notes(one, results[one.path].left)]
    chosen = routes.backend_for(written, route, backend)
    other = route == routes.KERAS_2 and keras.after != keras.before
    ways = routes.all_of(written, backend, keras.before)
    if route not in [one.name for one in ways]:
        remarks.append(f'the {routes.TITLES[route]} is no way for {written.kind}')
    return Plan(
        path,
        written,
        ways,
        advised,
        route,
        keras.after,
        routes.with_keras(written, backend, keras.after) if other else [],
        routes.check(written, route, chosen),
        changes,
        left,
        files,
        remarks,
    )


def _notes(document: Document, changes: Sequence[Change]) -> List[Note]:
    found = []
    for one in changes:
        found.append(Note(document.place(one.line), one.rule, one.reason))
    return found


def _short(note: Note) -> str:
    """What was found, without what to do."""
    return re.split(r'; write|, and ', note.reason)[0]


def _changed(document: Document, result: Result, remarks: List[str]) -> patch.Changed:
    try:
        new = document.written(result.cells)
    except UnicodeError:
        remarks.append(f'{document.path}: its encoding lacks a letter of the patch; save it as UTF-8')
        new = document.data
    return patch.Changed(document.path, document.data, new)


def _remarks(documents: List[Document]) -> List[str]:
    found = [f'{one.path}: {one.problem}' for one in documents if one.problem]
    if not HAS_ENDS:
        found.append('Python 3.8 or later makes the patch; this one has no places of ends in the tree of a program')
    for one in documents:
        if one.translated:
            told = 'the patch brings Python 2 into Python 3, as fissix does; look at each `/` of whole numbers'
            found.append(f'{one.path}: {told}')
        for place in one.broken if not one.problem else ():
            cell = f'cell {place + 1}' if one.path.endswith('.ipynb') else 'it'
            found.append(f'{one.path}: {cell} is not changed, because Python cannot read it')
    return found


class _Keras(NamedTuple):
    """The Keras of the launcher of Keras 2: before the patch, after it, and why the spellings of Keras 1 stay."""

    before: str
    after: str
    kept: str = ''


def _keras_for(written: Written, documents: List[Document], results: Dict[str, Result]) -> _Keras:
    found, oldest = written.keras2.choice.version, all_versions()[0]
    of_1 = [note for one in documents for note in _notes(one, results[one.path].left) if note.rule in _OF_KERAS_1]
    if of_1 and (found == oldest or written.kind == KERAS_1):
        # Half of it in the words of Keras 2 would run on neither.
        return _Keras(oldest, oldest, f'{_short(of_1[0])} ({of_1[0].place})')
    needs: List[Need] = []
    for one in documents:
        needs += keras_rules.judge(one.uses(results[one.path].cells), one.place).needs
    choice = which_keras.choose(needs, written.keras2.choice.asked)
    if found == oldest:
        lacking = [need for need in [*needs, *choice.unmet] if need.versions == (oldest,)]
        if choice.version == oldest or lacking:
            told = f'{lacking[0].what} ({lacking[0].place})' if lacking else 'its names'
            return _Keras(oldest, oldest, told)
    return _Keras(found, choice.version)
