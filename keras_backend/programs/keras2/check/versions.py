"""Which Keras a program needs: which versions have its names, arguments and idioms."""

import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ....basics.tables import beside
from ...launcher.check import requirement_forms as forms
from ...launcher.check.rules import Need

_table: Dict[str, Any] = {}
_index: Dict[str, Dict[str, str]] = {}

Versions = Tuple[str, ...]


def table() -> Dict[str, Any]:
    """The recorded table."""
    if not _table:
        _table.update(beside(__file__, 'names.json'))
    return _table


def all_versions() -> Versions:
    """The versions that were recorded, the oldest first."""
    return tuple(table()['versions'])


def _by_name(key: str, groups: Dict[str, str]) -> Dict[str, str]:
    if key not in _index:
        _index[key] = {name: digits for digits, names in groups.items() for name in names.split()}
    return _index[key]


def _versions(places: str) -> Versions:
    known = all_versions()
    return tuple(known[int(digit)] for digit in places)


def numbers(version: str) -> Tuple[int, ...]:
    """A version as numbers that can be compared: '2.2.4' is (2, 2, 4)."""
    return tuple(int(word) for word in version.split('.') if word.isdigit())


def of_name(name: str) -> Optional[Versions]:
    """The versions that have a name of Keras, in full.

    Returns
    -------
    tuple of str or None
        The versions, () if no recorded version has the name. None if it is no name of Keras. All names
        of a module that could not be imported when the record was made count as there.
    """
    words = name.split('.')
    exist = _by_name('exist', table()['exist'])
    if words[0] != 'keras':
        return None
    module, rest = 'keras', words[1:]
    while rest and f'{module}.{rest[0]}' in exist:
        module, rest = f'{module}.{rest[0]}', rest[1:]
    if not rest:  # `keras.layers.merge` is a module of Keras 2, and a function of Keras 1
        above, _, short = module.rpartition('.')
        return _versions(''.join(sorted({*exist[module], *names_of(above).get(short, '')})))
    names = table()['modules'][module]
    if not names:
        return _versions(exist[module])
    digits = _by_name(module, names).get(rest[0])
    if digits is None:
        return ()
    return _versions(digits)


def module_of(name: str) -> str:
    """The module of Keras that a name in full belongs to."""
    exist = _by_name('exist', table()['exist'])
    words = name.split('.')
    count = len(words)
    while count > 1 and '.'.join(words[:count]) not in exist:
        count -= 1
    return '.'.join(words[:count])


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
    digits = _by_name('arguments ' + cls, groups).get(argument)
    if digits is None:
        return None
    seen = set(''.join(groups))
    return tuple(
        version for index, version in enumerate(all_versions()) if str(index) in digits or str(index) not in seen
    )


def of_idiom(idiom: str) -> Versions:
    """The versions where an idiom does what its authors expected."""
    return _versions(_by_name('idioms', table()['idioms'])[idiom])


def of_keras_2() -> Versions:
    """All versions of Keras 2."""
    return tuple(version for version in all_versions() if not version.startswith('1.'))


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


# -- the version of a program ------------------------------------------------------------------------------------------
# Which Keras a program needs: the version that has most of what it uses.


# Of versions that are equally good, the first is taken. docs/legacy-keras.md says the first two.
PREFERRED = ('2.3.1', '2.2.4', '2.2.5', '2.1.6', '2.2.2', '2.0.8', '2.3.0', '1.2.2')
DEFAULT = PREFERRED[0]


class Choice(NamedTuple):
    """The version for a program.

    Attributes
    ----------
    version : str
        The version.
    reasons : tuple of Need
        Why it is not 2.3.1.
    unmet : tuple of Need
        What the version does not have either.
    asked : str
        The version that the requirements of the program ask for, '' if they ask for none.
    """

    version: str
    reasons: Tuple[Need, ...]
    unmet: Tuple[Need, ...]
    asked: str = ''


def choose(needs: Sequence[Need], asked: str = '', only: str = '') -> Choice:
    """The version that leaves the fewest needs unmet.

    asked: the version that the requirements of the program name. only: the version that the user has chosen.
    """
    kinds: Dict[Tuple[str, str], Need] = {}
    for need in needs:
        kinds.setdefault((need.what, need.rule), need)
    order = list(PREFERRED)
    near = nearest(asked) if asked else None
    if near:
        order.remove(near)
        order.insert(0, near)

    def unmet(version: str, tells_time: bool = False) -> List[Need]:
        return [need for need in kinds.values() if version not in need.versions and need.tells_time == tells_time]

    def rank(version: str) -> Tuple[int, int, int]:
        # The version that the program asks for is that of its numbers.
        return len(unmet(version)), 0 if near else len(unmet(version, tells_time=True)), order.index(version)

    best = only or min(order, key=rank)
    reasons = tuple(need for need in kinds.values() if best in need.versions and DEFAULT not in need.versions)
    return Choice(best, reasons, tuple(unmet(best)), asked)


def content(needs: Iterable[Need], choice: Choice, version: str) -> bool:
    """Whether a version leaves no more needs unmet than the chosen one."""
    unmet = {
        (need.what, need.rule)
        for need in needs
        if version not in need.versions and (not need.tells_time or choice.version in need.versions)
    }
    return len(unmet) <= len({(need.what, need.rule) for need in choice.unmet})


# Names of Keras for pip and for conda.
KERAS = ('keras', 'keras-gpu', 'keras-base')
_ASKED = re.compile(
    r'(?<![\w.-])keras(?:-gpu|-base)?((?:\s*(?:==|~=|<=|>=|<|>)\s*\d+(?:\.\d+)*(?:\.\*)?\s*,?)+|=\d+(?:\.\d+)*)', re.I
)


def asked_for(text: str) -> str:
    """The version of Keras that a text asks for: README, `!pip install keras==2.0.8`. '' if it asks for none."""
    asked = (forms.spelled(forms.bounds_of(match.strip(' ,\n\t'))) for match in _ASKED.findall(text))
    return next(filter(None, asked), '')


def nearest(asked: str) -> Optional[str]:
    """The recorded version for what was asked for: '2.0.5', or bounds such as '>=2.0,<2.2'. None for other Keras.

    For bounds it is the version that is taken first of those that lie within. For a version it is the first that is not
    before it.
    """
    if not asked[:1].isdigit():
        bounds = forms.bounds_of(asked)
        within = next((version for version in PREFERRED if forms.fits(version, bounds)), None)
        if within or len(bounds) != 1 or bounds[0][0] != '=':
            return within
        asked = bounds[0][1]
    asked_numbers = numbers(asked)
    if asked_numbers >= (2, 4) or asked_numbers < (1,):
        return None
    return next((version for version in all_versions() if numbers(version) >= asked_numbers), DEFAULT)
