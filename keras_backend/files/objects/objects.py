"""Objects in configurations: the name of a class of a table, called with plain values that the table allows."""

import inspect
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

# -- kinds -------------------------------------------------------------------------------------------------------------
# Kinds of plain values: numbers, flags, texts, and lists of them. Nothing else of a file is handed to a Keras.

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

_KINDS: Dict[str, Kind] = {
    'number': NUMBER, 'whole': WHOLE, 'count': COUNT, 'flag': FLAG, 'text': TEXT, 'numbers': NUMBERS, 'seed': SEED,
    'nothing': NOTHING, 'dtype': DTYPE,
}  # fmt: skip


def kind_of(words: str) -> Kind:
    """The kind that a table tells: 'number', 'whole or numbers', 'one of rows, columns', each with ' or None'."""
    if words.endswith(' or None'):
        return or_none(kind_of(words[: -len(' or None')]))
    if words.startswith('one of '):
        return choice(*words[len('one of ') :].split(', '))
    kinds = [_KINDS[word] for word in words.split(' or ')]
    return kinds[0] if len(kinds) == 1 else either(*kinds)


# -- entries -----------------------------------------------------------------------------------------------------------
# An object in a configuration: the name of its class, and its own configuration, as any Keras writes them.


def class_and_config(said: Any) -> Tuple[Any, Dict[str, Any]]:
    """The name of a class or function and its configuration. None and {}, if there is no object.

    Error: WrongValue, if this is nothing that Keras writes in the place of an object.
    """
    if said is None:
        return None, {}
    if isinstance(said, str):
        return said.split('>')[-1], {}
    if isinstance(said, dict):
        name, config = said.get('class_name'), said.get('config')
        if isinstance(name, str) and isinstance(config, str):  # a function
            return config.split('>')[-1], {}
        if isinstance(name, str) and (config is None or isinstance(config, dict)):
            return name.split('>')[-1], dict(config or {})
        if name is None and isinstance(said.get('name'), str):  # Keras 1
            return said['name'], {key: value for key, value in said.items() if key != 'name'}
    raise WrongValue(f'{shown(said)}, which is no object of Keras')


def snake_case(name: str) -> str:
    """The name of a function for that of a class: mean_squared_error for MeanSquaredError."""
    return re.sub('(?<=[a-z])(?=[A-Z])', '_', name).lower()


class Argument(NamedTuple):
    """An argument of a class. kind: what its value is. without_effect: values that are dropped where a Keras has no
    such argument, because they change nothing.
    """

    kind: Kind
    without_effect: Tuple[Any, ...] = (None,)


Arguments = Mapping[str, Argument]
Table = Mapping[str, Arguments]


def takes(kind: Any) -> List[str]:
    """The names of the arguments of a class, with those that it hands on to its bases; or those of a function."""
    if not inspect.isclass(kind):
        return list(inspect.signature(kind).parameters)
    names: List[str] = []
    for base in kind.__mro__:
        if '__init__' not in vars(base) or base is object:
            continue
        names += own_arguments(base)
        parameters = inspect.signature(vars(base)['__init__']).parameters.values()
        if not any([parameter.kind == parameter.VAR_KEYWORD for parameter in parameters]):
            break
    return names


def own_arguments(kind: Any) -> List[str]:
    """The names of the arguments of a class, without those that it only hands on."""
    parameters = inspect.signature(kind.__init__).parameters.values()
    return [one.name for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)][1:]


def name_in_table(name: str, table: Table) -> Optional[str]:
    """The class of a table for a name of a file: that of the class, or of its function. None, if there is none."""
    if name in table:
        return name
    return next((known for known in table if name in (snake_case(known), known.lower())), None)


def found(space: Any, names: List[str]) -> Optional[Any]:
    """The first class or function of these names in a module. names: those of a table, none of a file."""
    for name in names:
        if callable(getattr(space, name, None)):
            return getattr(space, name)
    return None


def values(arguments: Arguments, config: Mapping[str, Any], accepted: List[str], of: str) -> Dict[str, Any]:
    """The arguments for a class.

    arguments: those of the table. config: the configuration of the file. accepted: the names that the class of the
    installed Keras takes. of: the object, for errors. Error: WrongValue.
    """
    keywords = {}
    for key, value in config.items():
        argument = arguments.get(key)
        if argument is None:
            raise WrongValue(f'{of} with {shown(key)[1:-1]}={shown(value)}, an argument that it does not have')
        try:
            plain = checked(argument.kind, value, key)
        except WrongValue as error:
            raise WrongValue(f'{of} with {error}') from None
        if key in accepted:
            keywords[key] = plain
        elif not any([plain is inert or (inert is not None and plain == inert) for inert in argument.without_effect]):
            raise WrongValue(f'{of} with {key}={shown(plain)}')
    return keywords
