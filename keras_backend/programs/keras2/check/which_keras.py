"""Which Keras a program needs: the version that has most of what it uses."""

import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ...launcher.check.finding import Need
from . import versions

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


def choose(needs: Sequence[Need], asked: str = '') -> Choice:
    """The version that leaves the fewest needs unmet. asked: the version that the requirements of the program name."""
    kinds: Dict[Tuple[str, str], Need] = {}
    for need in needs:
        kinds.setdefault((need.what, need.rule), need)
    order = list(PREFERRED)
    near = nearest(asked) if asked else None
    if near:
        order.remove(near)
        order.insert(0, near)

    def unmet(version: str) -> List[Need]:
        return [need for need in kinds.values() if version not in need.versions]

    best = min(order, key=lambda version: (len(unmet(version)), order.index(version)))
    reasons = tuple(need for need in kinds.values() if best in need.versions and DEFAULT not in need.versions)
    return Choice(best, reasons, tuple(unmet(best)), asked)


def content(needs: Iterable[Need], choice: Choice, version: str) -> bool:
    """Whether a version leaves no more needs unmet than the chosen one."""
    unmet = {(need.what, need.rule) for need in needs if version not in need.versions}
    return len(unmet) <= len({(need.what, need.rule) for need in choice.unmet})


_ASKED = re.compile(r'(?<![\w.-])[Kk]eras\s*(==|~=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)')


def asked_for(text: str) -> str:
    """The version of Keras that a text asks for: requirements, setup.py, `!pip install keras==2.0.8`. '' if none."""
    found = [(sign, number) for sign, number in _ASKED.findall(text) if sign in ('==', '~=', '<=')]
    return found[0][1] if found else ''


def nearest(asked: str) -> Optional[str]:
    """The recorded version for a version that was asked for: the first that is not before it. None for others."""
    wanted = versions.numbers(asked)
    if wanted >= (2, 4) or wanted < (1,):
        return None
    return next((version for version in versions.all_versions() if versions.numbers(version) >= wanted), DEFAULT)
