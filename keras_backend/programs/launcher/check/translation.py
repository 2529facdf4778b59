"""Python 2 into Python 3, by fissix, or lib2to3 of Python 3.12 and before, where one of them is there.

They keep comments and blanks, and know 50 changes: a second copy of them here would know fewer.
"""

import ast
import importlib
import re
import warnings
from typing import Any, List, Optional

ADVICE = 'the program is written in Python 2, or Python cannot read it; pip install fissix, and migrate does both steps'
# The rules whose findings it cures.
CURED = 'python2', 'python2-name', 'python2-division'
# lib2to3 is no longer mended, and gone from Python 3.13.
_TOOLS = 'fissix', 'lib2to3'
_made: List[Any] = []


def tool() -> str:
    """The package that translates, '' without one."""
    for name in _TOOLS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                importlib.import_module(name + '.refactor')
        except ImportError:
            continue
        return name
    return ''


def translated(text: str) -> Optional[str]:
    """A text of Python 2 in Python 3, with its own ends of lines. None where no tool is there or it fails."""
    ends = set(re.findall(r'\r\n|\r|\n', text))
    name = tool()
    if not name or len(ends) > 1:
        return None
    end = ends.pop() if ends else '\n'
    plain = text.replace(end, '\n')
    missing = '' if plain.endswith('\n') else '\n'
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            source = str(_refactoring(name).refactor_string(plain + missing, 'program'))
    except Exception:  # noqa: BLE001 - whatever a tool says of a text that it cannot read
        return None
    source = re.sub(r'^(\s*import )(\w+) as \2$', r'\1\2', source, flags=re.MULTILINE)  # of `import cPickle as pickle`
    return source[: len(source) - len(missing)].replace('\n', end)


def _refactoring(name: str) -> Any:
    if not _made:
        refactor = importlib.import_module(name + '.refactor')
        fixers = refactor.get_fixers_from_package(name + '.fixes')
        extra = {f'{name}.fixes.fix_{fixer}' for fixer in ('buffer', 'idioms', 'set_literal', 'ws_comma')}
        _made.append(refactor.RefactoringTool([fixer for fixer in fixers if fixer not in extra]))
    return _made[0]


def tree_of(text: str) -> Optional[ast.Module]:
    """The tree of a text of Python 2. None where no tool is there or the result is no Python 3."""
    source = translated(text)
    if source is None:
        return None
    for spaced in (source, _with_spaces(source)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                return ast.parse(spaced)
        except (SyntaxError, ValueError):  # the first may mix tabs and spaces, which Python 2 took
            continue
    return None


def _with_spaces(text: str) -> str:
    """A text whose lines begin with spaces alone. Python 2 read a tab as the spaces up to the next eighth column."""
    return re.sub(r'^[ \t]+', lambda match: match.group().expandtabs(8), text, flags=re.MULTILINE)
