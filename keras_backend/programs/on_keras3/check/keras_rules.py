"""Keras in a program: names, methods and classes that Keras 3 lacks."""

from typing import Callable, FrozenSet, Iterator, List, Optional, Set

from ...launcher.check import accuracy
from ...launcher.check.rules import Finding, Place, Use
from ...launcher.check.uses import Uses
from .rules import GONE, OF_K, OF_TF_KERAS, finding

At = Callable[[int], Place]
_OF_V1 = 'tensorflow.compat.v1.keras.'
_METHODS = {'to_yaml': 'removed-idiom'}
_ATTRIBUTES = {'metrics_tensors': 'removed-idiom'}


def judge(found: Uses, place: At) -> Iterator[Finding]:
    """What a program uses of Keras that is not there."""
    seen: Set[str] = set()
    for use in found.names:
        name = _of_keras(use)
        if name and not use.guarded and name not in seen:
            seen.add(name)
            yield from _name(use, name, place)
    if uses_keras(found):
        yield from _methods(found, place)


def judge_accuracy(found: Uses, place: At, metrics: FrozenSet[str]) -> Iterator[Finding]:
    """The old name of 'accuracy' where a file reads it. metrics: `accuracy.metrics_of` the program."""
    old, new = accuracy.keys(found, metrics)
    if not new:
        yield from (
            finding('accuracy-key', place(read.line), f'{read.text}: Keras 3 calls it accuracy') for read in old
        )


def uses_keras(found: Uses) -> bool:
    """Whether a program imports Keras, or K for it."""
    return any(_of_keras(use) is not None or use.name.startswith('keras_backend.keras3') for use in found.names)


def _of_keras(use: Use) -> Optional[str]:
    """The name below `keras`, '' for Keras itself, None for names of others."""
    if use.name.startswith(_OF_V1):
        return use.name[len(_OF_V1) :]
    first, _, rest = use.name.partition('.')
    return rest if first == 'keras' else None


def _name(use: Use, name: str, place: At) -> Iterator[Finding]:
    where, written = place(use.line), use.origin or use.name
    words = name.split('.')
    gone = next((start for start in _starts(words) if start in GONE), '')
    if gone:
        yield finding('gone-from-keras', where, f'{written}: Keras 3 does not have it', GONE[gone])
    elif not use.origin and any(start in OF_TF_KERAS for start in _starts(words)):
        yield finding('of-tf-keras', where, f'{written}: Keras 3 has it under tf.keras alone')
    elif words[0] == 'backend' and len(words) > 1 and words[1] not in OF_K and not words[1].startswith('__'):
        yield finding('no-name-of-k', where, f'K has no {words[1]}')


def _starts(parts: List[str]) -> List[str]:
    return ['.'.join(parts[:count]) for count in range(1, len(parts) + 1)]


def _methods(found: Uses, place: At) -> Iterator[Finding]:
    for call in found.calls:
        if call.method in _METHODS and not call.guarded:
            yield finding(_METHODS[call.method], place(call.line))
    for name, line, guarded in found.attributes:
        if name in _ATTRIBUTES and not guarded:
            yield finding(_ATTRIBUTES[name], place(line), f'models of Keras 3 have no {name}')
