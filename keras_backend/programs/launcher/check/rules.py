"""The rules of both launchers about Python, files and other libraries, and how a finding gets its words.

A launcher adds the rules about its Keras to `RULES`.
"""

import re
from typing import Dict, NamedTuple, Optional, Tuple

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
    """

    name: str
    line: int
    guarded: bool = False
    call: bool = False
    keywords: Tuple[str, ...] = ()
    positional: int = 0
    origin: str = ''


class Need(NamedTuple):
    """A reason for a version of Keras: the versions that have a name or an idiom."""

    versions: Tuple[str, ...]
    place: Place
    what: str
    rule: str


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


OF_ALL_PROGRAMS = (
    Rule(
        'python2',
        PYTHON,
        STOPS,
        "`Missing parentheses in call to 'print'`, `invalid syntax`",
        'the program is written in Python 2',
        '`pip install fissix`, then `python -m fissix -w train.py`, which rewrites the program in Python 3',
    ),
    Rule(
        'python2-name',
        PYTHON,
        STOPS,
        "`name 'xrange' is not defined`, `No module named 'cPickle'`, `has no attribute 'iteritems'`",
        'the name is one of Python 2',
        '`pip install fissix`, then `python -m fissix -w train.py`, which rewrites the program in Python 3',
    ),
    Rule(
        'python2-division',
        PYTHON,
        STOPS,
        "`'float' object cannot be interpreted as an integer`",
        '`7 / 2` is 3 in Python 2, and 3.5 in Python 3',
        'write `7 // 2` for sizes and indices',
    ),
    Rule(
        'python-removed',
        PYTHON,
        STOPS,
        "`No module named 'asyncore'`, `module 'string' has no attribute 'atoi'`",
        'Python has removed the name',
        'write the name that Python has today; `--check` says which',
    ),
    Rule('broken-syntax', PYTHON, STOPS, '`SyntaxError`', 'Python cannot read the line', 'mend the line'),
    Rule(
        'encoding',
        PYTHON,
        STOPS,
        '`Non-UTF-8 code starting with`',
        'the file has another encoding than UTF-8, and does not say which',
        'save it as UTF-8, or put `# -*- coding: latin-1 -*-` into the first line',
    ),
    Rule('unreadable', PYTHON, STOPS, '', 'the file cannot be read', 'nothing was checked here'),
    Rule('magic', PYTHON, STOPS, '', 'the line is a command of notebooks', 'delete the line'),
    Rule(
        'library-removed',
        ARRAYS,
        STOPS,
        "`module 'numpy' has no attribute 'irr'`",
        'a library has removed the name',
        'write the name of today, or install the version that `--check` names',
    ),
)

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
