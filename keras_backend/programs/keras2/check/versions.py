"""Which Keras has a name, an argument, an idiom: names.json, which tools/record_keras_versions.py writes."""

import json
import os
from typing import Any, Dict, Optional, Tuple

_table: Dict[str, Any] = {}
_index: Dict[str, Dict[str, str]] = {}

Versions = Tuple[str, ...]


def table() -> Dict[str, Any]:
    """The recorded table."""
    if not _table:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'names.json'), encoding='utf-8') as stream:
            _table.update(json.load(stream))
    return _table


def all_versions() -> Versions:
    """The versions that were recorded, the oldest first."""
    return tuple(table()['versions'])


def _by_name(key: str, groups: Dict[str, str]) -> Dict[str, str]:
    if key not in _index:
        _index[key] = {name: places for places, names in groups.items() for name in names.split()}
    return _index[key]


def _versions(places: str) -> Versions:
    known = all_versions()
    return tuple(known[int(place)] for place in places)


def numbers(version: str) -> Tuple[int, ...]:
    """A version as numbers that can be compared: '2.2.4' is (2, 2, 4)."""
    return tuple(int(part) for part in version.split('.') if part.isdigit())


def of_name(name: str) -> Optional[Versions]:
    """The versions that have a name of Keras, in full.

    Returns
    -------
    tuple of str or None
        The versions, () if no recorded version has the name. None if it is no name of Keras. All names
        of a module that could not be imported when the record was made count as there.
    """
    parts = name.split('.')
    exist = _by_name('exist', table()['exist'])
    if parts[0] != 'keras':
        return None
    module, rest = 'keras', parts[1:]
    while rest and f'{module}.{rest[0]}' in exist:
        module, rest = f'{module}.{rest[0]}', rest[1:]
    if not rest:  # `keras.layers.merge` is a module of Keras 2, and a function of Keras 1
        above, _, short = module.rpartition('.')
        return _versions(''.join(sorted({*exist[module], *names_of(above).get(short, '')})))
    names = table()['modules'][module]
    if not names:
        return _versions(exist[module])
    places = _by_name(module, names).get(rest[0])
    if places is None:
        return ()
    return _versions(places)


def module_of(name: str) -> str:
    """The module of Keras that a name in full belongs to."""
    exist = _by_name('exist', table()['exist'])
    parts = name.split('.')
    count = len(parts)
    while count > 1 and '.'.join(parts[:count]) not in exist:
        count -= 1
    return '.'.join(parts[:count])


def names_of(module: str) -> Dict[str, str]:
    """The names of a module of Keras in any version."""
    return _by_name(module, table()['modules'].get(module, {}))


def of_argument(cls: str, argument: str) -> Optional[Versions]:
    """The versions whose class takes an argument; a version where the arguments were not seen counts as one.

    None if nothing is known about the argument.
    """
    groups = table()['arguments'].get(cls)
    if not groups:
        return None
    places = _by_name('arguments ' + cls, groups).get(argument)
    if places is None:
        return None
    seen = set(''.join(groups))
    return tuple(
        version for place, version in enumerate(all_versions()) if str(place) in places or str(place) not in seen
    )


def of_idiom(idiom: str) -> Versions:
    """The versions where an idiom does what its authors expected."""
    return _versions(_by_name('idioms', table()['idioms'])[idiom])


def span(versions: Versions) -> str:
    """Versions in words: '2.0.8 to 2.2.4'."""
    known = all_versions()
    if not versions:
        return 'no version'
    first, last = known.index(versions[0]), known.index(versions[-1])
    if first == last:
        return versions[0]
    if last - first + 1 == len(versions):
        return f'{versions[0]} to {versions[-1]}'
    return ', '.join(versions)
