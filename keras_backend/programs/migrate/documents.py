"""A file of a program as bytes, its code as cells, and what migrate does not take."""

import ast
import io
import json
import os
import re
import tokenize
import warnings
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ...errors import UnreadableFileError
from ..launcher.check import translation
from ..launcher.check.files import TOO_DEEP, Read
from ..launcher.check.reading import without_magics
from ..launcher.check.rules import Place
from ..launcher.check.uses import Uses, uses
from .code import Reading, tree
from .what_program import NO_KERAS, Written

_BOM = b'\xef\xbb\xbf'


class Document:
    """A file that can be written again with other code and the rest of its bytes as they were.

    Parameters
    ----------
    read : Read
        The file, as the check has read it.

    Attributes
    ----------
    cells : list of str
        The code, as it was written.
    plain : list of str
        The same lines without commands of notebooks, as Python 3 reads them.
    translated : list of int
        The cells, from 0, that were written in Python 2.
    problem : str
        Why no change can be made, '' if changes can be made.
    refused : bool
        Whether it is no text, or no notebook of Python.
    """

    def __init__(self, read: Read) -> None:
        self.path = read.source.path
        self._uses = read.uses
        # Each text is read by Python once.
        self._trees: Dict[str, Optional[ast.Module]] = {}
        self._readings: Dict[str, Reading] = {}
        if read.tree.tree is not None and not (read.tree.python2 or read.tree.broken or read.tree.commands):
            self._trees[read.source.text] = read.tree.tree
        self.cells: List[str] = []
        self.plain: List[str] = []
        self.translated: List[int] = []
        self.problem = ''
        self.data, self._before, self._encoding = b'', b'', 'utf-8'
        self._understand_file([finding.reason for finding in read.source.findings if finding.rule == 'unreadable'])

    def _understand_file(self, refused: List[str]) -> None:
        self.refused = bool(refused)
        if refused:
            self.problem = refused[0]
            return
        with open(self.path, 'rb') as stream:
            self.data = stream.read()
        try:
            text = self._decoded()
            if self.path.endswith('.ipynb'):
                self._notebook = Notebook(text)
                self.cells = list(self._notebook.cells)
            else:
                self.cells = [text]
        except (UnicodeError, SyntaxError, LookupError):  # what tokenize and codecs raise for a wrong encoding
            self.problem = 'the file has another encoding than it says; save it as UTF-8'
        except ValueError:
            self.problem = 'it is no notebook: its JSON is broken'
        else:
            self._understand()

    def _decoded(self) -> str:
        """The text. Errors: UnicodeError if it would not become the same bytes again."""
        if self.data.startswith((b'\xff\xfe', b'\xfe\xff')):
            raise UnicodeError('UTF-16')
        self._before = _BOM if self.data.startswith(_BOM) else b''
        rest = self.data[len(self._before) :]
        self._encoding = 'utf-8'
        if not self._before and not self.path.endswith('.ipynb'):
            self._encoding, _ = tokenize.detect_encoding(io.BytesIO(rest).readline)
        text = rest.decode(self._encoding)
        if text.encode(self._encoding) != rest:
            raise UnicodeError('the encoding is not unique')
        return text

    def _understand(self) -> None:
        """Find what Python reads of the cells; bring cells of Python 2 into Python 3."""
        self.original = list(self.cells)
        self.broken: List[int] = []
        for index, cell in enumerate(self.cells):
            plain = self._plain(cell)
            if self._tree(plain) is not None:
                self.plain.append(plain)
                continue
            new = _translated(cell, plain)
            if new is not None and self._tree(self._plain(new)) is not None:
                self.cells[index] = new
                self.translated.append(index)
                self.plain.append(self._plain(new))
            else:
                self.plain.append('\n' * len(re.findall(r'\r\n|\r|\n', cell)))
                self.broken.append(index)
        if not self.cells:
            self.problem = 'it has no cell with code'
        elif len(self.broken) == len(self.cells):
            self.problem = 'Python cannot read it' if translation.tool() else translation.ADVICE
        elif not self._can_be_visited():
            self.problem = TOO_DEEP

    def _can_be_visited(self) -> bool:
        try:
            self.reading(self.cells)
        except RecursionError:
            return False
        return True

    def _tree(self, text: str) -> Optional[ast.Module]:
        """The tree of a text, None if Python does not read it."""
        if text not in self._trees:
            self._trees[text] = tree(text)
        return self._trees[text]

    def _plain(self, cell: str) -> str:
        lines = _lines(cell)
        return lines if self._tree(lines) is not None else without_magics(lines)[0]

    def _whole(self, cells: List[str]) -> str:
        """What Python reads of changed cells, as one text."""
        texts = [self.plain[index] if index in self.broken else self._plain(cell) for index, cell in enumerate(cells)]
        return '\n'.join(texts)

    def reads(self, cells: List[str]) -> bool:
        """Whether Python reads changed cells."""
        return self._tree(self._whole(cells)) is not None

    def reading(self, cells: List[str]) -> Reading:
        """What Python makes of changed cells that it reads."""
        text = self._whole(cells)
        if text not in self._readings:
            tree = self._tree(text)
            assert tree is not None  # see `reads`
            self._readings[text] = Reading(tree)
        return self._readings[text]

    def uses(self, cells: List[str]) -> Uses:
        """The names that changed cells use."""
        return self._uses if cells == self.original else uses(self.reading(cells).tree)

    def place(self, line: int) -> Place:
        """The place of a line of all cells together."""
        if not self.path.endswith('.ipynb'):
            return Place(self.path, line)
        for number, cell in enumerate(self.original, 1):
            count = len(re.findall(r'\r\n|\r|\n', cell)) + 1
            if line <= count:
                return Place(self.path, line, number)
            line -= count
        return Place(self.path, 1, len(self.original))

    def calls(self, start: str, end: str) -> List[Place]:
        """Where a name that starts and ends so is called."""
        reading = self.reading(self.cells)
        names = [(node, reading.names.full(node.func)) for node in reading.nodes(ast.Call)]
        return [self.place(node.lineno) for node, name in names if name.startswith(start) and name.endswith(end)]

    def divisions(self) -> List[Place]:
        """Where `/` stands in what was Python 2, which had another one for whole numbers."""
        nodes = self.reading(self.cells).nodes(ast.BinOp) if self.translated else ()
        lines = sorted({node.lineno for node in nodes if _divides(node)})
        if '__future__' in ''.join(self.original) and 'division' in ''.join(self.original):
            return []
        return [place for place in map(self.place, lines) if place.cell - 1 in self.translated or not place.cell]

    def written(self, cells: List[str]) -> bytes:
        """The bytes of the file with other code. Errors: UnicodeError for letters that its encoding lacks."""
        if cells == self.original:
            return self.data
        text = self._notebook.with_cells(cells) if self.path.endswith('.ipynb') else cells[0]
        return self._before + text.encode(self._encoding)


def _translated(cell: str, plain: str) -> Optional[str]:
    """A cell of Python 2 in Python 3, with its commands of notebooks as they were. None where that cannot be done."""
    if plain == _lines(cell):
        return translation.translated(cell)
    lines, kept = plain.split('\n'), {}
    for number, line in enumerate(cell.split('\n')):
        if line != lines[number]:
            kept[f'{lines[number]}  # command {number}'] = line
            lines[number] += f'  # command {number}'
    new = translation.translated('\n'.join(lines))
    for line, command in kept.items():
        if new is None or new.count(line) != 1 or not line.lstrip().startswith('pass '):
            return None
        new = new.replace(line, command)
    return new


def _divides(node: ast.BinOp) -> bool:
    """Whether a division may be one of whole numbers."""
    sides = [getattr(operand, 'value', None) for operand in (node.left, node.right)]
    calls = [getattr(getattr(operand, 'func', None), 'id', '') for operand in (node.left, node.right)]
    return isinstance(node.op, ast.Div) and 'float' not in [type(side).__name__ for side in sides] + calls


def _lines(text: str) -> str:
    return re.sub(r'\r\n|\r', '\n', text)


# -- what is refused ---------------------------------------------------------------------------------------------------
# What migrate does not take, in one sentence each.


def check_files(path: str, files: List[Read], documents: List[Document]) -> None:
    """Raise UnreadableFileError if there is no code, or if Python reads none of it."""
    if not files:
        raise UnreadableFileError(f'{path} has no program in it: no file ends in .py or .ipynb.')
    if len(files) == 1 and documents[0].refused:
        raise UnreadableFileError(f'migrate cannot read {path}: {documents[0].problem}.')
    if not any(file.source.text.strip() for file in files):
        notebook = path.endswith('.ipynb')
        raise UnreadableFileError(
            f'{path} has no cell with code, so there is nothing to migrate.'
            if notebook
            else f'{path} is empty, so there is nothing to migrate.'
        )
    tree = files[0].tree
    if len(files) == 1 and documents[0].problem and (tree.broken or tree.tree is None) and not tree.python2:
        line, fault = _fault(files[0].source.text)
        raise UnreadableFileError(
            f'Python cannot read {path}: {fault} at {files[0].source.place(line)}; mend it, and type the command again.'
        )


def check_kind(written: Written) -> None:
    """Raise UnreadableFileError for a program that has nothing to do with Keras."""
    if written.kind == NO_KERAS:
        path = written.keras2.path
        clause = f'No program in {path} uses' if os.path.isdir(path) else f'{path} does not use'
        raise UnreadableFileError(f'{clause} Keras, so there is nothing to migrate.')


def _fault(text: str) -> Tuple[int, str]:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            ast.parse(text)
        except SyntaxError as error:
            return error.lineno or 1, str(error.msg)
        except ValueError as error:
            return 1, str(error)
        except (RecursionError, MemoryError):  # both mean that it is nested too deep
            pass
    return 1, TOO_DEEP


# -- notebooks ---------------------------------------------------------------------------------------------------------
# Notebooks as text: the places of their code, so that all else stays as it was.


class _Node(NamedTuple):
    """A value of JSON: its place in the text, and its parts."""

    start: int
    end: int
    value: Any


_BLANK = re.compile(r'[ \t\n\r]*')
_OTHER = re.compile(r'[^\s,\]}]+')


class Notebook:
    """A notebook.

    Parameters
    ----------
    text : str
        Its JSON.

    Attributes
    ----------
    cells : list of str
        The code of its code cells.

    Raises
    ------
    ValueError
        The text is no notebook.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        json.loads(text)
        book = _read(text, _BLANK.match(text).end())  # type: ignore[union-attr]
        self._sources = [_source(cell) for cell in _cells(book)]
        self.cells = [''.join(string.value for string in strings) for _, strings in self._sources]

    def with_cells(self, cells: List[str]) -> str:
        """The JSON with other code, and all else as it is."""
        changes: List[Tuple[int, int, str]] = []
        for (node, strings), old, new in zip(self._sources, self.cells, cells):
            if new != old:
                changes += self._changed(node, strings, new)
        text = self._text
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _changed(self, node: _Node, parts: List[_Node], new: str) -> List[Tuple[int, int, str]]:
        if isinstance(node.value, str):
            return [(node.start, node.end, self._literal(new, node))]
        lines = re.findall(r'[^\n]*\n|[^\n]+', new)
        before = self._text[node.start + 1 : parts[0].start]
        between = self._text[parts[0].end : parts[1].start] if len(parts) > 1 else ',' + (before or ' ')
        if len(lines) == len(parts):
            pairs = zip(parts, lines)
            return [(old.start, old.end, self._literal(line, old)) for old, line in pairs if old.value != line]
        known = {old.value: self._text[old.start : old.end] for old in parts}
        text = between.join(known.get(line) or self._literal(line, parts[0]) for line in lines)
        return [(parts[0].start, parts[-1].end, text)]

    def _literal(self, value: str, old: _Node) -> str:
        """A string of JSON, with letters beyond ASCII written as the old one wrote them."""
        escaped = '\\u' in self._text[old.start : old.end] or self._text.isascii()
        return json.dumps(value, ensure_ascii=escaped)


def _cells(book: _Node) -> List[Dict[str, _Node]]:
    sheets = book.value.get('worksheets')
    nodes = [book.value.get('cells')] if sheets is None else [sheet.value.get('cells') for sheet in sheets.value]
    cells = [cell.value for node in nodes if node is not None for cell in node.value]
    return [cell for cell in cells if cell.get('cell_type', _Node(0, 0, '')).value == 'code']


def _source(cell: Dict[str, _Node]) -> Tuple[_Node, List[_Node]]:
    node = cell.get('source', cell.get('input', _Node(0, 0, '')))
    return node, [node] if isinstance(node.value, str) else node.value


def _read(text: str, start: int) -> _Node:
    """The value at a place. The text is known to be JSON."""
    letter = text[start]
    if letter == '"':
        value, end = scanstring(text, start + 1, False)
        return _Node(start, end, value)
    if letter not in '[{':
        match = _OTHER.match(text, start)
        return _Node(start, match.end() if match else start + 1, None)
    members: Dict[str, _Node] = {}
    items: List[_Node] = []
    position = _skip(text, start + 1)
    while text[position] not in ']}':
        if letter == '{':
            key, position = scanstring(text, position + 1, False)
            position = _skip(text, _skip(text, position) + 1)
            members[key] = _read(text, position)
            position = members[key].end
        else:
            items.append(_read(text, position))
            position = items[-1].end
        position = _skip(text, position)
        if text[position] == ',':
            position = _skip(text, position + 1)
    return _Node(start, position + 1, members if letter == '{' else items)


def _skip(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    return match.end() if match else place
