"""Kinds of plain values: numbers, flags, texts, and lists of them. Nothing else of a file is handed to a Keras."""

from typing import Any, Callable, List, NamedTuple, Tuple

import numpy as np

# Metrics keep an array for each of these.
MOST = 10000
# A loop that counts to them is done in a day.
LARGEST = 1e300


class WrongValue(ValueError):
    """A value of another kind. The message is a clause: what is wrong."""


class Kind(NamedTuple):
    """What a value has to be. words: the kind in words. read: value -> the value for Keras. Error: WrongValue."""

    words: str
    read: Callable[[Any], Any]


def shown(value: Any) -> str:
    """A value of a file for a message: short, and without what a terminal obeys."""
    text = repr(value)
    return text if len(text) <= 60 else f'{text[:57]}...'


def checked(kind: Kind, value: Any, key: str) -> Any:
    """The value of an argument. key: the argument. Error: WrongValue."""
    try:
        return kind.read(value)
    except WrongValue:
        raise WrongValue(f'{key}={shown(value)}, which is not {kind.words}') from None


def _plain(value: Any) -> Any:
    """An array of one number as this number."""
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    return value.item() if isinstance(value, (np.ndarray, np.generic)) and value.size == 1 else value


def _number(value: Any) -> float:
    value = _plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or LARGEST < abs(value) < float('inf'):
        raise WrongValue
    return value


def _whole(value: Any) -> int:
    value = _number(value)
    if not abs(value) < 2**63 or value != int(value):
        raise WrongValue
    return int(value)


def _flag(value: Any) -> bool:
    value = _plain(value)
    if not isinstance(value, (bool, int)) or value not in (0, 1):
        raise WrongValue
    return bool(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 1000:
        raise WrongValue
    return value


def _numbers(value: Any) -> List[Any]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        raise WrongValue
    return [_numbers(entry) if isinstance(entry, (list, tuple)) else _number(entry) for entry in value]


def _count(value: Any) -> int:
    count = _whole(value)
    if not 0 <= count <= MOST:
        raise WrongValue
    return count


def _seed(value: Any) -> Any:
    """A seed. Keras 3 may write the generator that it makes of one."""
    if isinstance(value, dict) and value.get('class_name') == 'SeedGenerator' and isinstance(value.get('config'), dict):
        value = value['config'].get('seed')
    return None if value is None else _whole(value)


def _nothing(value: Any) -> Any:
    if value not in (None, [], False):
        raise WrongValue


NUMBER = Kind('a number', _number)
WHOLE = Kind('a whole number', _whole)
COUNT = Kind(f'a whole number from 0 to {MOST}', _count)
FLAG = Kind('True or False', _flag)
TEXT = Kind('a text', _text)
NUMBERS = Kind('a list of numbers', _numbers)
SEED = Kind('a whole number or None', _seed)
NOTHING = Kind('None', _nothing)


def choice(*texts: str) -> Kind:
    """One of these texts. Capital letters count as small ones where no other text has them."""
    known = {text.lower(): text for text in texts}

    def read(value: Any) -> str:
        if not isinstance(value, str) or value.lower() not in known:
            raise WrongValue
        return known[value.lower()]

    return Kind(f'one of {", ".join(texts)}', read)


def either(*kinds: Kind) -> Kind:
    """A value of one of these kinds."""

    def read(value: Any) -> Any:
        for kind in kinds:
            try:
                return kind.read(value)
            except WrongValue:
                pass
        raise WrongValue

    return Kind(' or '.join([kind.words for kind in kinds]), read)


def or_none(kind: Kind) -> Kind:
    """A value of this kind, or None."""
    return Kind(f'{kind.words} or None', lambda value: None if value is None else kind.read(value))


DTYPES: Tuple[str, ...] = tuple(
    'float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool string'.split()
)
DTYPE = or_none(choice(*DTYPES))
