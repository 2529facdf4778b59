"""The rules of both launchers about Python, files and other libraries, and how a finding gets its words.

A launcher adds the rules about its Keras to `RULES`.
"""

import re
from typing import Dict, NamedTuple, Optional, Tuple

from ....basics.tables import beside

# -- findings ----------------------------------------------------------------------------------------------------------
# The tuples that the check works with.


STOPS, DIFFERS, NOTE = 'stops', 'differs', 'note'
SEVERITIES = (STOPS, DIFFERS, NOTE)


class Place(NamedTuple):
    """A line of a program. `cell` is the number of the cell in a notebook, from 1, and 0 elsewhere."""

    path: str
    line: int
    cell: int = 0

    def __str__(self) -> str:
        return f'{self.path}, cell {self.cell}, line {self.line}' if self.cell else f'{self.path}:{self.line}'


class Finding(NamedTuple):
    """One thing that would stop a program or change its numbers, or that is good to know."""

    path: str
    line: int
    rule: str
    reason: str
    advice: str
    severity: str
    cell: int = 0

    @property
    def place(self) -> Place:
        """The line that the finding is about."""
        return Place(self.path, self.line, self.cell)


class Use(NamedTuple):
    """A name that a program uses, in full: 'keras.layers.Dense'.

    Attributes
    ----------
    name : str
        The name, with the aliases of imports resolved.
    line : int
        The line of the text.
    guarded : bool
        Whether the program has another way if the name is missing: a `try`, a test of a version.
    call : bool
        Whether the name is called here. `keywords` and `positional` are the arguments.
    origin : str
        The name as it was written, if it was another one: 'tensorflow.keras.layers.Dense'.
    axes : tuple of int
        The axes of `K.batch_dot`, where they are written in the call.
    """

    name: str
    line: int
    guarded: bool = False
    call: bool = False
    keywords: Tuple[str, ...] = ()
    positional: int = 0
    origin: str = ''
    axes: Tuple[int, ...] = ()


class Need(NamedTuple):
    """A reason for a version of Keras: the versions that have a name or an idiom.

    Where `tells_time` is true, it stops no other version. It decides between versions that are equally good, because it
    tells when the program was written.
    """

    versions: Tuple[str, ...]
    place: Place
    what: str
    rule: str
    tells_time: bool = False


class Call(NamedTuple):
    """A call of a method of an object that is not known: `model.fit(x, nb_epoch=3)`.

    `first` is the kind of the first argument: 'text', 'Tuple', 'List' or another class of `ast`, '' if there is none.
    """

    method: str
    line: int
    keywords: Tuple[str, ...]
    positional: int
    guarded: bool
    first: str


# -- the type of a rule ------------------------------------------------------------------------------------------------
# The type of a rule.


# The headings of docs/legacy-errors.md.
SECTIONS = (
    'At the start',
    'Python',
    'Keras',
    'TensorFlow',
    'NumPy, h5py, Pillow',
    'Other libraries',
    'Models and files',
)


class Rule(NamedTuple):
    """A rule.

    Attributes
    ----------
    name : str
        The name of the rule, in the output of `--check`.
    section : str
        The heading of its row in docs/legacy-errors.md.
    severity : str
        'stops', 'differs' or 'note'.
    message : str
        What the program says, in Markdown: the first cell of its row. '' if it says nothing, so that there is no row.
    reason, advice : str
        The other two cells. `--check` may put words for the very program in their place.
    """

    name: str
    section: str
    severity: str
    message: str
    reason: str
    advice: str


START, PYTHON, KERAS, TENSORFLOW, ARRAYS, LIBRARIES, MODELS = SECTIONS


def in_table(module_file: str) -> Tuple[Rule, ...]:
    """The rules of the table `rules.json` beside a module."""
    return tuple(Rule(**{'message': '', **row}) for row in beside(module_file, 'rules.json')['rules'])


OF_ALL_PROGRAMS = in_table(__file__)

RULES: Dict[str, Rule] = {rule.name: rule for rule in OF_ALL_PROGRAMS}


def plain(text: str) -> str:
    """Markdown as text: a link is its words, and the page that it leads to."""
    return re.sub(r'\[([^\]]*)\]\(([^)]*)\)', r'\1 (docs/\2)', text)


def finding(
    rule: str, place: Place, reason: Optional[str] = None, advice: Optional[str] = None, severity: Optional[str] = None
) -> Finding:
    """A finding by the words of its rule, or by words for the very program."""
    words = RULES[rule]
    return Finding(
        place.path,
        place.line,
        rule,
        reason or plain(words.reason),
        advice or plain(words.advice),
        severity or words.severity,
        place.cell,
    )
