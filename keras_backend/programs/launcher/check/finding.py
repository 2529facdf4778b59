"""The tuples that the check works with."""

from typing import NamedTuple, Tuple

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
