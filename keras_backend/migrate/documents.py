"""A file of a program as bytes, and its code as cells: one for a file, several for a notebook."""

import io
import re
import tokenize
from typing import List, Tuple

from ..launcher.check.reading import read, without_magics
from . import python2
from .code import tree
from .notebooks import Notebook

_BOM = b'\xef\xbb\xbf'


class Document:
    """A file that can be written again with other code and the rest of its bytes as they were.

    Parameters
    ----------
    path : str
        The file.

    Attributes
    ----------
    cells : list of str
        The code, as it was written.
    plain : list of str
        The same lines without commands of notebooks, as Python 3 reads them.
    translated : bool
        Whether `cells` were written in Python 2.
    problem : str
        Why no change can be made, '' if changes can be made.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.cells: List[str] = []
        self.plain: List[str] = []
        self.translated = False
        self.problem = ''
        self.data, self._before, self._encoding = b'', b'', 'utf-8'
        self._read()

    def _read(self) -> None:
        source = read(self.path, self.path)
        refused = [one.reason for one in source.findings if one.rule == 'unreadable']
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
        except (UnicodeError, SyntaxError, LookupError):
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
        for place, cell in enumerate(self.cells):
            plain = _plain(cell)
            if _reads(plain):
                self.plain.append(plain)
                continue
            new = python2.translated(cell) if plain == _lines(cell) else None
            if new is not None and _reads(_lines(new)):
                self.cells[place], self.translated = new, True
                self.plain.append(_lines(new))
            else:
                self.plain.append('\n' * len(re.findall(r'\r\n|\r|\n', cell)))
                self.broken.append(place)
        if len(self.broken) == len(self.cells):
            self.problem = python2.ADVICE if not python2.tool() else 'Python cannot read it'

    def refreshed(self, cells: List[str]) -> List[str]:
        """`plain` for changed cells."""
        return [self.plain[place] if place in self.broken else _plain(cell) for place, cell in enumerate(cells)]

    def place(self, line: int) -> Tuple[int, int]:
        """The cell, from 1 (0 in a file), and the line in it, of a line of all cells together."""
        if not self.path.endswith('.ipynb'):
            return 0, line
        for number, cell in enumerate(self.original, 1):
            count = len(re.findall(r'\r\n|\r|\n', cell)) + 1
            if line <= count:
                return number, line
            line -= count
        return len(self.original), 1

    def written(self, cells: List[str]) -> bytes:
        """The bytes of the file with other code. Errors: UnicodeError for letters that its encoding lacks."""
        if cells == self.original:
            return self.data
        text = self._notebook.with_cells(cells) if self.path.endswith('.ipynb') else cells[0]
        return self._before + text.encode(self._encoding)


def _lines(text: str) -> str:
    return re.sub(r'\r\n|\r', '\n', text)


def _plain(cell: str) -> str:
    return without_magics(_lines(cell))[0]


def _reads(text: str) -> bool:
    try:
        tree(text)
    except SyntaxError:
        return False
    return True
