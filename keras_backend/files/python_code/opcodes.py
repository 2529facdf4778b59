"""The instructions of each Python by their numbers: opcodes.json, which tools/record_opcodes.py writes."""

from typing import Any, Dict, Tuple

from ...basics.tables import beside
from .marshal_data import Version

_table: Dict[str, Any] = {}
_names: Dict[Version, Dict[int, str]] = {}


def _read() -> Dict[str, Any]:
    if not _table:
        _table.update(beside(__file__, 'opcodes.json'))
    return _table


def pythons() -> Tuple[Version, ...]:
    """The Pythons whose code can be read, the oldest first."""
    versions = [python.split('.') for python in _read()['pythons']]
    return tuple([(int(major), int(minor)) for major, minor in versions])


def caches(python: Version) -> Dict[str, int]:
    """The number of caches behind each instruction that has some."""
    return dict(_read()['caches'].get('{}.{}'.format(*python), {}))


def names(python: Version) -> Dict[int, str]:
    """The names of the instructions of a Python by their numbers."""
    if python not in _names:
        column = pythons().index(python)
        _names[python] = {row[column]: name for name, row in _read()['numbers'].items() if row[column] is not None}
    return _names[python]
