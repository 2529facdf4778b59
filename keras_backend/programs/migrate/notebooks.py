"""Notebooks as text: the places of their code, so that all else stays as it was."""

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Dict, List, NamedTuple, Tuple


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
