"""The built-in names of Python that interpreted code may use."""

import math
from typing import Any, Callable, Dict, List

import numpy as np

from ..python_code import operators
from ..python_code.limits import MOST_DIGITS, NotAllowed, in_words
from ..python_code.machine import Frame
from ..python_code.values import SIZED, Allowed, Builtin, Iterator, attribute, elements

# What isinstance knows by the name of a type.
TYPES: Dict[str, Any] = {
    'int': int, 'float': float, 'bool': bool, 'str': str, 'list': list, 'tuple': tuple, 'dict': dict, 'set': set,
    'long': int, 'unicode': str, 'basestring': str,
}  # fmt: skip


def _len(frame: Frame, value: Any) -> int:
    if isinstance(value, (*SIZED, np.ndarray)):
        return len(value)
    raise NotAllowed(f'it asks for the length of {in_words(value)}')


def _listed(frame: Frame, values: List[Any]) -> Any:
    """The result of map, filter and zip: a list in Python 2, and elements that can be taken once since."""
    return values if frame.world.program.is_python_2 else Iterator(values, frame.budget)


def _range(frame: Frame, *ends: Any) -> Any:
    numbers = _xrange(frame, *ends)
    return elements(numbers, frame.budget) if frame.world.program.is_python_2 else numbers


def _xrange(frame: Frame, *ends: Any) -> range:
    numbers = range(*ends)
    if max([abs(end) for end in ends]) >= 1 << 62:
        raise NotAllowed('it makes a range that is too long')
    return numbers


def _number(kind: Callable[..., Any]) -> Callable[..., Any]:
    def make(frame: Frame, value: Any = 0) -> Any:
        if not isinstance(value, (int, float, str, np.generic)) or (
            isinstance(value, str) and len(value) > MOST_DIGITS
        ):
            raise NotAllowed(f'it makes a number of {in_words(value)}')
        return kind(value)

    return make


def _bool(frame: Frame, value: Any = False) -> bool:
    return bool(value)


def _container(kind: Callable[..., Any]) -> Callable[..., Any]:
    def make(frame: Frame, value: Any = ()) -> Any:
        values = elements(value, frame.budget)
        if kind is set:
            frame.budget.make_keys(values)
        return kind(values)

    return make


def _dict(frame: Frame, value: Any = (), **more: Any) -> Dict[Any, Any]:
    if isinstance(value, dict):
        pairs: Any = list(value.items())
    else:
        pairs = [elements(pair, frame.budget) for pair in elements(value, frame.budget)]
    mapping: Dict[Any, Any] = {}
    for key, new in [*pairs, *more.items()]:
        operators.set_item(mapping, key, new, frame.budget)
    return mapping


def _zip(frame: Frame, *values: Any) -> Any:
    lists = [elements(value, frame.budget) for value in values]
    return _listed(frame, list(zip(*lists)))


def _enumerate(frame: Frame, value: Any, start: int = 0) -> Any:
    return Iterator(list(enumerate(elements(value, frame.budget), start)), frame.budget)


def _reversed(frame: Frame, value: Any) -> Any:
    return Iterator(elements(value, frame.budget)[::-1], frame.budget)


def _map(frame: Frame, function: Any, *values: Any) -> Any:
    lists = [elements(value, frame.budget) for value in values]
    if frame.world.program.is_python_2 and (function is None or len({len(sequence) for sequence in lists}) > 1):
        raise NotAllowed('it maps lists of different lengths, or nothing')
    return _listed(frame, [frame.call(function, list(args), {}) for args in zip(*lists)])


def _filter(frame: Frame, function: Any, value: Any) -> Any:
    if frame.world.program.is_python_2 and isinstance(value, (str, tuple)):
        raise NotAllowed(f'it filters {in_words(value)}')
    kept = [
        one for one in elements(value, frame.budget) if (one if function is None else frame.call(function, [one], {}))
    ]
    return _listed(frame, kept)


def _reduce(frame: Frame, function: Any, value: Any, *start: Any) -> Any:
    values = [*start, *elements(value, frame.budget)]
    if not values:
        raise TypeError('reduce() of no elements needs a start.')
    result = values[0]
    for element in values[1:]:
        result = frame.call(function, [result, element], {})
    return result


def _sum(frame: Frame, value: Any, start: Any = 0) -> Any:
    for element in elements(value, frame.budget):
        frame.budget.step()
        start = operators.binary('+', start, element, frame.budget)
    return start


def _extreme(sign: str) -> Callable[..., Any]:
    def choose(frame: Frame, *values: Any) -> Any:
        candidates: List[Any] = elements(values[0] if len(values) == 1 else values, frame.budget)
        if not candidates:
            raise ValueError('min() and max() need an element.')
        best = candidates[0]
        for candidate in candidates[1:]:
            best = candidate if operators.compare(sign, candidate, best, frame.budget) else best
        return best

    return choose


def _sorted(frame: Frame, value: Any, key: Any = None, reverse: bool = False) -> Any:
    unordered = elements(value, frame.budget)
    keys = unordered if key is None else [frame.call(key, [element], {}) for element in unordered]
    frame.budget.compare(keys, keys)
    order = sorted(range(len(unordered)), key=keys.__getitem__, reverse=bool(reverse))
    return [unordered[index] for index in order]


def _abs(frame: Frame, value: Any) -> Any:
    frame.budget.spread(value)
    return abs(value)


def _round(frame: Frame, value: Any, digits: Any = None) -> Any:
    if digits is not None and (not isinstance(digits, int) or abs(digits) > MOST_DIGITS):
        raise NotAllowed(f'it rounds to more than {MOST_DIGITS} digits')
    if not frame.world.program.is_python_2:
        return round(value) if digits is None else round(value, digits)
    if digits is not None or not isinstance(value, (int, float, np.number)):
        raise NotAllowed(f'it rounds {in_words(value)}, or to digits, as Python 2 does')
    return math.copysign(math.floor(abs(value) + 0.5), value)  # a half goes away from zero, and a float comes out


def _isinstance(frame: Frame, value: Any, kinds: Any) -> bool:
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    if not all([isinstance(kind, Allowed) and kind.name in TYPES for kind in named]):
        raise NotAllowed('it asks whether a value is of another type than a number, a string or a container')
    return isinstance(value, tuple([TYPES[kind.name] for kind in named]))


def _type(frame: Frame, value: Any) -> Any:
    """The type as a name, so that two of them are the same for the same type."""
    for kind in (bool, int, float, str, tuple, list, dict, set):
        if isinstance(value, kind):
            return NAMES[kind.__name__]
    raise NotAllowed(f'it asks for the type of {in_words(value)}')


def _getattr(frame: Frame, value: Any, name: Any, *default: Any) -> Any:
    if default and not _hasattr(frame, value, name):
        return default[0]
    return attribute(value, name, frame.world.tensors)


def _hasattr(frame: Frame, value: Any, name: Any) -> bool:
    try:
        attribute(value, name, frame.world.tensors)
    except NotAllowed:
        return False
    return True


def _any(frame: Frame, value: Any) -> bool:
    return any([bool(element) for element in elements(value, frame.budget)])


def _all(frame: Frame, value: Any) -> bool:
    return all([bool(element) for element in elements(value, frame.budget)])


def _print(frame: Frame, *values: Any, **kwargs: Any) -> None:
    """Nothing is printed: a terminal obeys some texts."""


FUNCTIONS: Dict[str, Callable[..., Any]] = {
    'len': _len, 'range': _range, 'xrange': _xrange, 'int': _number(int), 'long': _number(int), 'bool': _bool,
    'float': _number(float), 'str': lambda frame, value='': operators.text_of(value),
    'list': _container(list), 'tuple': _container(tuple), 'set': _container(set), 'dict': _dict, 'zip': _zip,
    'enumerate': _enumerate, 'reversed': _reversed, 'map': _map, 'filter': _filter, 'reduce': _reduce, 'sum': _sum,
    'min': _extreme('<'), 'max': _extreme('>'), 'sorted': _sorted, 'isinstance': _isinstance, 'print': _print,
    'type': _type,
    'getattr': _getattr, 'hasattr': _hasattr, 'any': _any, 'all': _all,
    'abs': _abs, 'round': _round,
    'pow': lambda frame, a, b: operators.binary('**', a, b, frame.budget),
    'slice': lambda frame, *ends: operators.ends_of_slice(*ends),
}  # fmt: skip

NAMES: Dict[str, Any] = {name: Builtin(name, function) for name, function in FUNCTIONS.items()}
NAMES.update({name: Builtin(name, FUNCTIONS['str']) for name in ('unicode', 'basestring')})
NAMES.update({'True': True, 'False': False, 'None': None, 'Ellipsis': Ellipsis})
