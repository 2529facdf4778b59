"""The two names of the metric 'accuracy' in what a program reads: 'acc' before Keras 2.3, 'accuracy' since.

A model may be compiled in one file and its history read in another, so all files of a program are asked.
"""

from typing import FrozenSet, Iterable, List, NamedTuple, Set

from .uses import Uses

_KEYS = {'acc', 'val_acc'}
_NEW_KEYS = {'accuracy', 'val_accuracy'}


class Read(NamedTuple):
    """A name that is read: its line, whether a callback watches it, and how the program writes it."""

    line: int
    is_watched: bool
    text: str


class Keys(NamedTuple):
    """The names that a file reads: those before Keras 2.3 and those since. A program may know both."""

    old: List[Read]
    new: List[Read]


def metrics_of(files: Iterable[Uses]) -> FrozenSet[str]:
    """Which of 'acc' and 'accuracy' the files of a program give to models as metrics."""
    return frozenset(name for uses in files for name in _metrics(uses))


def _metrics(uses: Uses) -> FrozenSet[str]:
    metrics = {text for name, text, _ in uses.options if name == 'metrics'}
    # A list of metrics may be a variable.
    metrics.update(text for text, _ in uses.strings if text == 'accuracy')
    return frozenset(metrics & {'acc', 'accuracy'})


def keys(uses: Uses, metrics: FrozenSet[str]) -> Keys:
    """The names of 'accuracy' that a file reads.

    Parameters
    ----------
    uses : Uses
        What the file uses.
    metrics : frozenset of str
        `metrics_of` the program, which counts where the file itself compiles no model so.
    """
    known = _metrics(uses) or metrics
    if known != {'accuracy'}:
        return Keys([], [])
    old, new = _read(uses, _KEYS), _read(uses, _NEW_KEYS)
    for text, line in uses.strings:
        old += [Read(line, False, f'{{{key}}} in the name of a file') for key in sorted(_KEYS) if _formats(text, key)]
    new += [Read(line, False, text) for text, line in uses.strings if '{val_accuracy' in text]
    return Keys(list(dict.fromkeys(old)), new)


def _read(uses: Uses, names: Set[str]) -> List[Read]:
    """Where a file first takes one of these names from a dict, and where a callback watches it."""
    indexed = dict(reversed(uses.keys))
    watched = {text: line for name, text, line in reversed(uses.options) if name == 'monitor'}
    reads = [Read(indexed[name], False, f'[{name!r}]') for name in sorted(names) if name in indexed]
    return reads + [Read(watched[name], True, f'monitor={name!r}') for name in sorted(names) if name in watched]


def _formats(text: str, key: str) -> bool:
    return f'{{{key}:' in text or f'{{{key}}}' in text
