"""The magics of a notebook: what each means where a notebook runs without IPython."""

import ast
import re
import warnings
from typing import List, NamedTuple, Optional, Tuple

from ..launcher.check.reading import PYTHON_CELLS, without_magics

# Line magics whose rest of the line is Python.
_TIMED = re.compile(r'^(\s*)%(?:time|timeit|prun|memit)(?:\s+-\w+(?:\s+\d+)?)*\s+(?=\S)', re.M)
_ENVIRONMENT = re.compile(r'^(\s*)%(?:env|set_env)\s+(\w+)[=\s]\s*(.*)$', re.M)
_WRITEFILE = re.compile(r'^%%(?:writefile|file)\s+(?:(-a)\s+)?(\S+)\s*$')
# They change how a notebook looks, or what runs anyway.
QUIET = ('matplotlib', 'load_ext', 'reload_ext', 'autoreload', 'config', 'pylab', 'tensorflow_version', 'precision')


class Cell(NamedTuple):
    """A cell without its magics.

    Attributes
    ----------
    code : str
        Python, with as many lines as the cell.
    file : tuple of (str, str)
        The name and the mode of the file that the cell writes, 'w' or 'a'; ('', '') where it writes none.
    skipped : list of str
        The lines that do not run here.
    """

    code: str
    file: Tuple[str, str]
    skipped: List[str]


def cell(text: str) -> Cell:
    """Read a cell.

    `%time x = f()` is `x = f()`, `%env A=b` sets a variable, and `%%writefile name` writes the cell. Lines that begin
    with `!`, and other magics, are left out; those that only change how a notebook looks are not told.
    """
    first, _, rest = text.lstrip('\n').partition('\n')
    written = _WRITEFILE.match(first)
    if written is not None:
        return Cell(rest, (written.group(2), 'a' if written.group(1) else 'w'), [])
    if first.startswith('%%') and first[2:].split(' ')[0] in PYTHON_CELLS:
        text = text.replace(first, '', 1)
    text = _TIMED.sub(r'\1', text)
    text = _ENVIRONMENT.sub(
        lambda match: f'{match.group(1)}import os; os.environ[{match.group(2)!r}] = {match.group(3)!r}', text
    )
    code, skipped = without_magics(text)
    return Cell(code, ('', ''), [line for line in skipped if not line.lstrip('%').startswith(QUIET)])


def parsed(code: str) -> Optional[ast.Module]:
    """The tree of a text; None where Python 3 does not read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return ast.parse(code)
    except (SyntaxError, ValueError):  # the second is that of a text with a null byte
        return None


def is_python_3(text: str) -> bool:
    """Whether Python 3 reads a cell without its magics."""
    return parsed(cell(text).code) is not None
