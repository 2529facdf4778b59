"""Python in a program: names of Python 2, and names that Python 3 has removed."""

from typing import Callable, Dict, Iterator, List, Set

from ....basics.tables import beside
from .rules import DIFFERS, Finding, Place, finding
from .syntax import Tree
from .uses import Uses

_TABLE: Dict[str, Dict[str, str]] = beside(__file__, 'python.json')
# A builtin name of Python 2 -> the name of today.
BUILTINS = _TABLE['builtins']
METHODS = _TABLE['methods']
# A module or name of Python 2 -> the name of today.
MODULES = _TABLE['modules']
# A name that Python 3 removed and `keras_backend.keras2` does not give back -> the name of today.
REMOVED = _TABLE['removed']

At = Callable[[int], Place]


def judge_text(tree: Tree, place: At) -> List[Finding]:
    """The lines that Python 3 cannot read."""
    findings = []
    if tree.python2:
        others = len(tree.python2) - 1
        more = f', in this line and {others} other{"s"[: others != 1]}' if others else ''
        where = place(tree.python2[0])
        advice = f'pip install fissix, then python -m fissix -w {where.path}' if not where.cell else None
        findings.append(finding('python2', where, f'the program is written in Python 2{more}', advice))
    findings += [finding('broken-syntax', place(line)) for line in tree.broken[:5]]
    findings += [finding('magic', place(1), f'{command} is a command of notebooks') for command in tree.commands[:3]]
    return findings


def judge(found: Uses, tree: Tree, place: At, local: Set[str]) -> Iterator[Finding]:
    """Names that Python does not have.

    Parameters
    ----------
    found : Uses
        What the program uses.
    tree : Tree
        How it was read.
    place : callable
        The place of a line.
    local : set of str
        Modules of the program itself.
    """
    seen: Set[str] = set()
    for name, line, guarded in found.bare:
        if name in BUILTINS and not guarded and name not in seen and not (name == 'reduce' and found.stars):
            seen.add(name)
            yield finding('python2-name', place(line), f'{name} is a name of Python 2', f'write {BUILTINS[name]}')
    for name, line, guarded in found.attributes:
        if name in METHODS and not guarded and name not in seen:
            seen.add(name)
            yield finding('python2-name', place(line), f'.{name}() is of Python 2', f'write {METHODS[name]}')
    for use in found.names:
        if use.guarded or use.name.split('.')[0] in local:
            continue
        for rule, names in ('python2-name', MODULES), ('python-removed', REMOVED):
            name = _longest(use.name, names)
            if name and name not in seen:
                seen.add(name)
                reason = 'is of Python 2' if rule == 'python2-name' else 'is gone from Python'
                yield finding(rule, place(use.line), f'{name} {reason}', f'write {names[name]}')
    if tree.python2 and found.divisions:
        lines = sorted(set(found.divisions))
        yield finding('python2-division', place(lines[0]), severity=DIFFERS)


def _longest(name: str, table: object) -> str:
    """The longest part of a name, from its start, that is in a table; '' if there is none."""
    words = name.split('.')
    for count in range(len(words), 0, -1):
        prefix = '.'.join(words[:count])
        if prefix in table:  # type: ignore[operator]
            return prefix
    return ''
