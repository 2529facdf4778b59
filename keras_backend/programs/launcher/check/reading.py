"""Files as text: any encoding, notebooks, magics of notebooks."""

import ast
import io
import json
import os
import re
import tokenize
import warnings
from typing import Any, Callable, Iterator, List, NamedTuple, Tuple

from .python2 import triple
from .rules import NOTE, STOPS, Finding, Place, finding

# Folders whose programs belong to others, or to no one.
LEFT_OUT = {'__pycache__', 'node_modules', 'site-packages', 'build', 'dist', 'venv', 'env', 'virtualenv'}
# A file beyond this is data. A notebook has pictures in it.
LARGEST, LARGEST_NOTEBOOK = 4 * 1024 * 1024, 128 * 1024 * 1024


class Source(NamedTuple):
    """A program as text.

    Attributes
    ----------
    path : str
        The path as it is told.
    text : str
        The code. The cells of a notebook are one text.
    places : tuple of Place
        Where each line of the text comes from, in a notebook. Empty for a file.
    commands : tuple of str
        The lines of a notebook that start with `!` or `%`.
    findings : tuple of Finding
        What was found while reading.
    """

    path: str
    text: str
    places: Tuple[Place, ...] = ()
    commands: Tuple[str, ...] = ()
    findings: Tuple[Finding, ...] = ()

    def place(self, line: int) -> Place:
        """The place of a line of the text."""
        if not self.places:
            return Place(self.path, line)
        return self.places[min(max(line, 1), len(self.places)) - 1]


def programs(path: str) -> List[str]:
    """The programs in a folder, or the file itself."""
    if not os.path.isdir(path):
        return [path]
    paths = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and not name.startswith('.'))
        folders[:] = [name for name in folders if not os.path.exists(os.path.join(folder, name, 'pyvenv.cfg'))]
        paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith(('.py', '.ipynb'))]
    return paths


def read(path: str, told: str) -> Source:
    """Read a program.

    Parameters
    ----------
    path : str
        The file.
    told : str
        Its path for messages.

    Returns
    -------
    Source
        The text. It is empty, with a finding, if there is nothing to read.
    """
    try:
        size = os.path.getsize(path)
        with open(path, 'rb') as stream:
            data = stream.read(_largest(path) + 1)
    except OSError as error:
        return _nothing(told, 'unreadable', f'the file cannot be read: {error.strerror or error}')
    return of_bytes(data, told, size)


def _largest(path: str) -> int:
    """The most bytes of a program, by its name."""
    return LARGEST_NOTEBOOK if path.endswith('.ipynb') else LARGEST


def of_bytes(data: bytes, path: str, size: int = 0) -> Source:
    """`read` of the bytes of a file. path: its path, for messages and for what kind of file it is."""
    shown_path = path
    if size > _largest(path):
        return _nothing(shown_path, 'unreadable', 'the file is too large for a program')
    if b'\0' in data.replace(b'\xff\xfe', b'')[:1024] and not data.startswith((b'\xff\xfe', b'\xfe\xff')):
        return _nothing(shown_path, 'unreadable', 'it is no text')
    if path.endswith('.ipynb'):
        return _notebook(data, shown_path)
    text, wrong = decoded(data)
    notes = (finding('encoding', Place(shown_path, wrong)),) if wrong else ()
    return Source(shown_path, text, findings=notes)


def _nothing(told: str, rule: str, reason: str, severity: str = STOPS) -> Source:
    """No text, and why. What was not read may hold anything, so nobody can say that it runs."""
    return Source(told, '', findings=(finding(rule, Place(told, 1), reason=reason, severity=severity),))


def decoded(data: bytes) -> Tuple[str, int]:
    """The text of a file, and the first line that Python 3 cannot decode (0 if there is none)."""
    wrong = 0
    try:
        if data.startswith((b'\xff\xfe', b'\xfe\xff')):
            text, wrong = data.decode('utf-16', 'replace'), 1
        else:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
    except UnicodeDecodeError as error:
        text, wrong = data.decode('latin-1'), data[: error.start].count(b'\n') + 1
    except (SyntaxError, LookupError):  # an encoding that Python does not know
        text, wrong = data.decode('latin-1'), 1
    return text.replace('\r\n', '\n').replace('\r', '\n').lstrip('\ufeff'), wrong


# -- notebooks ---------------------------------------------------------------------------------------------------------

# Magics whose cell is Python all the same.
PYTHON_CELLS = ('time', 'timeit', 'capture', 'prun', 'python', 'python3', 'memit')
_MAGIC = re.compile(r'^(\s*)(?:%[A-Za-z_]|!|\?{1,2}[A-Za-z_]|[A-Za-z_][\w.]*\?{1,2}\s*$)')
_ASSIGNED = re.compile(r'^(\s*[A-Za-z_][\w, ]*=\s*)(?:!|%[A-Za-z_])')


def _notebook(data: bytes, told: str) -> Source:
    try:
        book = json.loads(decoded(data)[0])
        cells = list(_cells(book))
    except (ValueError, AttributeError, TypeError, RecursionError):  # JSON of another form than a notebook
        return _nothing(told, 'unreadable', 'it is no notebook: its JSON is broken')
    language = _language(book)
    if language not in ('python', 'ipython', ''):
        return _nothing(told, 'unreadable', f'the notebook is written in {language}', NOTE)
    lines: List[str] = []
    positions: List[Place] = []
    commands: List[str] = []
    for number, code in cells:
        kept, magics = without_magics(code)
        commands += magics
        for line, text in enumerate(kept.split('\n'), 1):
            lines.append(text)
            positions.append(Place(told, line, number))
    return Source(told, '\n'.join(lines), tuple(positions), tuple(commands))


def cells_of(path: str) -> List[Tuple[int, str]]:
    """The cells of code of a notebook, with their numbers from 1 on. The file was read before: see `read`."""
    with open(path, 'rb') as stream:
        return list(_cells(json.loads(decoded(stream.read())[0])))


def _language(book: Any) -> str:
    about = book.get('metadata') or {}
    language = (about.get('kernelspec') or {}).get('language') or (about.get('language_info') or {}).get('name') or ''
    return str(language).lower()


def _cells(book: Any) -> Iterator[Tuple[int, str]]:
    cells = book.get('cells')
    if cells is None:  # format 3 and before
        cells = [cell for sheet in book.get('worksheets') or [] for cell in sheet.get('cells') or []]
    number = 0
    for cell in cells:
        if cell.get('cell_type') != 'code':
            continue
        number += 1
        code = cell.get('source', cell.get('input', ''))
        yield number, (code if isinstance(code, str) else ''.join(code)).replace('\r\n', '\n')


def without_magics(
    code: str, instead: Callable[[str, bool], str] = lambda line, is_assigned: ''
) -> Tuple[str, List[str]]:
    """Code with its magics replaced by `pass`, line by line, and the magics.

    instead : callable
        Gives the expression that a magic is replaced by, from the magic and whether its value is assigned; '' leaves it
        out.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            ast.parse(code)  # a `%` at the start of a line may go on with the line before
        return code, []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Whatever Python raises for a text that it cannot read.
        pass
    lines, magics = code.split('\n'), []
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith('#')), '').strip()
    if first.startswith('%%') and first[2:].split(' ')[0] not in PYTHON_CELLS:
        return '\n'.join('' for _ in lines), [first]
    goes_on, inside = False, ''
    for index, line in enumerate(lines):
        was_inside, inside = inside, triple(line, inside)
        if was_inside:
            continue
        assigned = _ASSIGNED.match(line)
        magic = _MAGIC.match(line)
        if goes_on or magic or line.startswith('%%') or assigned:
            continued = line.rstrip().endswith('\\')
            is_alone = not goes_on and not continued
            text = line[assigned.end(1) if assigned else 0 :].strip()
            expression = instead(text, assigned is not None) if is_alone else ''
            if expression:
                lines[index] = (assigned or magic).group(1) + expression  # type: ignore[union-attr]
                continue
            magics.append(line.strip())
            indent = '' if magic is None else magic.group(1)
            lines[index] = (
                f'{assigned.group(1)}None' if assigned and not goes_on else '' if goes_on else f'{indent}pass'
            )
            goes_on = continued
    return '\n'.join(lines), magics
