"""A tree for any text: what Python 3 refuses is repaired or left out, and told with its line."""

import ast
import re
import time
import warnings
from typing import List, NamedTuple, Optional, Set, Tuple

from . import python2
from .reading import without_magics

# So often, and for so many seconds, a text is read again. A line that is left out costs one reading.
MOST, SECONDS = 60, 2.0


class Tree(NamedTuple):
    """The readable part of a text.

    Attributes
    ----------
    tree : ast.Module or None
        The tree. None if too many lines could not be read.
    python2 : tuple of int
        Lines that only Python 2 reads.
    broken : tuple of int
        Lines that no Python reads, or that were not understood. They are left out of the tree.
    commands : tuple of str
        Magics of notebooks that were in a file.
    names : tuple of (str, int)
        Dotted names of the lines that were left out, with their lines.
    """

    tree: Optional[ast.Module]
    python2: Tuple[int, ...] = ()
    broken: Tuple[int, ...] = ()
    commands: Tuple[str, ...] = ()
    names: Tuple[Tuple[str, int], ...] = ()


def parse(text: str) -> Tree:
    """Read a text as Python 3; where that fails, as Python 2; where that fails, without the line."""
    try:
        return Tree(_tree(text))
    except _REFUSED:  # whatever Python raises for a text that it cannot read
        pass
    text, commands = without_magics(text)
    lines = text.expandtabs(8).split('\n')
    old: Set[int] = set()
    broken: Set[int] = set()
    until = time.monotonic() + SECONDS
    for _ in range(MOST):
        if time.monotonic() > until:
            break
        try:
            return Tree(_tree('\n'.join(lines)), _sorted(old), _sorted(broken), tuple(commands), _names(text, broken))
        except SyntaxError as error:
            index = min(max((error.lineno or 1) - 1, 0), len(lines) - 1)
            indented = isinstance(error, IndentationError) and 'expected an indented' not in str(error)
        except _REFUSED:  # whatever Python raises for a text that it cannot read
            break
        if not old:
            old |= _all_repaired(lines)
            if old:
                continue
        _leave_out(lines, index, broken, indented)
    every = set(range(1, len(lines) + 1))
    return Tree(None, _sorted(old), _sorted(broken), tuple(commands), _names(text, every))


_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # escapes that Python does not know
        tree = ast.parse(text + '\n')
    return tree


def _sorted(lines: Set[int]) -> Tuple[int, ...]:
    return tuple(sorted(lines))


def _all_repaired(lines: List[str]) -> Set[int]:
    """Repair all lines of Python 2 outside of texts in triple quotes. Returns their numbers."""
    numbers: Set[int] = set()
    inside, index = '', 0
    while index < len(lines):
        line = lines[index]
        was_inside, inside = inside, python2.triple(line, inside)
        if was_inside:
            index += 1
            continue
        if inside:
            after = index + 1
            while after < len(lines) and python2.triple(lines[after], inside):
                after += 1
            whole = '\n'.join(lines[index : after + 1])
            repaired, after, inside = python2.repaired(whole), min(after + 1, len(lines)), ''
        else:
            whole, after = python2.logical_line(lines, index)
            repaired = python2.repaired(whole)
        if repaired != whole:
            numbers.add(index + 1)
            pieces = repaired.split('\n')
            lines[index:after] = pieces + [''] * (after - index - len(pieces))
        index = after
    return numbers


def _leave_out(lines: List[str], place: int, broken: Set[int], indented: bool) -> None:
    """Put `pass` in the place of a line. If it has been left out before, the fault lies before it.

    Nothing is put in the place of a line whose indentation is wrong.
    """
    if indented and lines[place].strip() and place + 1 not in broken:
        lines[place] = ''
        broken.add(place + 1)
        return
    while place >= 0 and (not lines[place].strip() or place + 1 in broken):
        place -= 1
    if place < 0:
        place = next((i for i, line in enumerate(lines) if line.strip() and i + 1 not in broken), 0)
    indent = re.match(r'\s*', lines[place])
    # A header keeps its block.
    header = lines[place].rstrip().endswith(':')
    lines[place] = (indent.group() if indent else '') + ('if 1:' if header and 'if 1:' not in lines[place] else 'pass')
    broken.add(place + 1)


_DOTTED = re.compile(r'(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+')


def _names(text: str, broken: Set[int]) -> Tuple[Tuple[str, int], ...]:
    names = []
    for number, line in enumerate(text.split('\n'), 1):
        if number in broken:
            code = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#.*', '', line)
            names += [(name, number) for name in _DOTTED.findall(code)]
    return tuple(names)
