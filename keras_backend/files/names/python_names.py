"""The names of Python, `math` and NumPy that interpreted code may use."""

import math
from typing import Any, Callable, Dict, Iterable, List

import numpy as np

from ..python_code import operators
from ..python_code.limits import MOST_DIGITS, STEPS_OF_CALL, Budget, NotAllowed, count_of, in_words
from ..python_code.machine import Frame
from ..python_code.values import DTYPES, SIZED, Allowed, Builtin, Iterator, Namespace, attribute, elements
from .counted import arange, product

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


def _print(frame: Frame, *values: Any, **kwargs: Any) -> None:
    """Nothing is printed: a terminal obeys some texts."""


FUNCTIONS: Dict[str, Callable[..., Any]] = {
    'len': _len, 'range': _range, 'xrange': _xrange, 'int': _number(int), 'long': _number(int),
    'bool': lambda frame, value=False: bool(value),
    'float': _number(float), 'str': lambda frame, value='': operators.text_of(value),
    'list': _container(list), 'tuple': _container(tuple), 'set': _container(set), 'dict': _dict, 'zip': _zip,
    'enumerate': lambda frame, value, start=0: Iterator(
        list(enumerate(elements(value, frame.budget), start)), frame.budget
    ),
    'reversed': lambda frame, value: Iterator(elements(value, frame.budget)[::-1], frame.budget),
    'map': _map, 'filter': _filter, 'reduce': _reduce, 'sum': _sum,
    'min': _extreme('<'), 'max': _extreme('>'), 'sorted': _sorted, 'isinstance': _isinstance, 'print': _print,
    'type': _type, 'getattr': _getattr, 'hasattr': _hasattr, 'abs': _abs, 'round': _round,
    'any': lambda frame, value: any([bool(element) for element in elements(value, frame.budget)]),
    'all': lambda frame, value: all([bool(element) for element in elements(value, frame.budget)]),
    'pow': lambda frame, a, b: operators.binary('**', a, b, frame.budget),
    'slice': lambda frame, *ends: operators.ends_of_slice(*ends),
}  # fmt: skip

NAMES: Dict[str, Any] = {name: Builtin(name, function) for name, function in FUNCTIONS.items()}
NAMES.update({name: Builtin(name, FUNCTIONS['str']) for name in ('unicode', 'basestring')})
NAMES.update({'True': True, 'False': False, 'None': None, 'Ellipsis': Ellipsis})


# -- NumPy -------------------------------------------------------------------------------------------------------------
# The names of NumPy and of `math` that interpreted code may use: constants, dtypes, and arithmetic on arrays.

ARITHMETIC = (
    'sqrt exp log log2 log10 log1p expm1 sin cos tan tanh arctan abs floor ceil sign square power maximum minimum '
    'add subtract multiply divide prod sum mean std var max min argmax argmin cumsum clip round dot matmul array '
    'asarray reshape expand_dims squeeze concatenate stack transpose where ndim shape radians'
).split()
MAKERS = 'arange linspace zeros ones eye full tile repeat meshgrid'.split()
OF_MATH = 'sqrt exp log log2 log10 sin cos tan tanh floor ceil pow fabs atan atan2 hypot radians degrees'.split()
# An argument like `out` changes an array, and `where` shows memory as it was before.
KEYWORDS = (
    'a a_min a_max axes axis ddof decimals dtype endpoint fill_value indexing k keepdims num reps repeats shape start '
    'step stop x y N M'
).split()
WORDS = [*DTYPES, 'ij', 'xy']
OF_PYTHON = {'int': 'int64', 'float': 'float64', 'bool': 'bool'}


def _of_numbers(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    count = _COUNTS.get(name, Budget.spread)

    def run(frame: Frame, *args: Any, **kwargs: Any) -> Any:
        frame.budget.step(STEPS_OF_CALL)
        frame.budget.walk(*args, *kwargs.values())
        for key in kwargs:
            if key not in KEYWORDS:
                raise NotAllowed(f'it calls np.{name} with the argument {key}')
        values = [_given(name, value) for value in args]
        named = {key: _given(name, value) for key, value in kwargs.items()}
        count(frame.budget, *values, **named) if name in _COUNTS else count(frame.budget, *values, *named.values())
        result = function(*values, **named)
        if isinstance(result, np.ndarray):
            if result.dtype.kind not in 'biufc':
                raise NotAllowed(f'it makes an array of other things than numbers with np.{name}')
            return result if result.flags.writeable else result.copy()
        return result

    return run


def _given(name: str, value: Any) -> Any:
    """An argument for a function of NumPy: numbers, dtypes, and arrays, which no function can change."""
    if isinstance(value, Allowed) and value.name in OF_PYTHON:
        return OF_PYTHON[value.name]
    if isinstance(value, np.ndarray) and value.dtype.kind in 'biufc':
        shown = value.view()
        shown.flags.writeable = False
        return shown
    if isinstance(value, (list, tuple)):
        sizes = {len(element) if isinstance(element, (list, tuple)) else None for element in value}
        if len(sizes) > 1:
            raise NotAllowed(f'it gives np.{name} lists of several lengths')
        # A list or a tuple with a word or None in it could be a dtype of any size.
        if any([element is None or isinstance(element, (str, Allowed)) for element in value]):
            raise NotAllowed(f'it gives np.{name} a list of other things than numbers')
        return type(value)([_given(name, element) for element in value])
    if isinstance(value, range):
        return [*value]
    if isinstance(value, int) and value.bit_length() < 64:
        return value
    if value is None or isinstance(value, (float, complex, np.bool_, np.number)):
        return value
    if isinstance(value, str) and value in WORDS:
        return value
    raise NotAllowed(f'it gives np.{name} {in_words(value)}, and NumPy takes numbers, dtypes and arrays here')


def _count_repeated(budget: Budget, array: Any, repeats: Any, *more: Any, **named: Any) -> None:
    most = np.max(np.abs(np.asarray(repeats, dtype='float64')), initial=1)
    budget.ask(count_of(budget.shape(array)) * float(most))


def _count_numbers(budget: Budget, start: Any, stop: Any, num: Any = 50, *more: Any, **named: Any) -> None:
    budget.ask(count_of(budget.together([start, stop])) * product([num]))


def _count_grid(budget: Budget, *arrays: Any, **named: Any) -> None:
    budget.ask(len(arrays) * product([count_of(budget.shape(array)) for array in arrays]))


def _count_rounding(budget: Budget, a: Any, decimals: Any = 0, *more: Any, **named: Any) -> None:
    if not isinstance(decimals, int) or abs(decimals) > MOST_DIGITS:
        raise NotAllowed(f'it rounds to more than {MOST_DIGITS} digits')
    budget.spread(a)


def _count_arange(budget: Budget, start: Any, stop: Any = None, step: Any = None, *more: Any, **named: Any) -> None:
    arange(budget, start, stop, step)


_COUNTS: Dict[str, Callable[..., None]] = {
    'arange': _count_arange, 'linspace': _count_numbers, 'round': _count_rounding, 'repeat': _count_repeated,
    **dict.fromkeys(['zeros', 'ones', 'full'], lambda budget, shape, *more, **named: budget.ask(product([shape]))),
    'eye': lambda budget, N, M=None, *more, **named: budget.ask(product([N, N if M is None else M])),
    'tile': lambda budget, array, times, *more, **named: (
        budget.ask(count_of(budget.shape(array)) * product([times]))
    ),
    'meshgrid': _count_grid,
    'dot': lambda budget, a, b, *more, **named: budget.multiply(a, b, False),
    'matmul': lambda budget, a, b, *more, **named: budget.multiply(a, b, True),
}  # fmt: skip


def _named(names: Iterable[str]) -> Dict[str, Any]:
    return {name: Builtin(f'np.{name}', _of_numbers(name, getattr(np, name))) for name in names}


NUMPY = Namespace(
    'np',
    {
        'pi': np.pi, 'e': np.e, 'inf': np.inf, 'nan': np.nan, 'newaxis': None, 'Inf': np.inf, 'NaN': np.nan,
        **{name: name for name in DTYPES},
        'bool_': 'bool', 'int': 'int64', 'float': 'float64', 'float_': 'float64', 'int_': 'int64',
        **_named(ARITHMETIC),
        **_named(MAKERS),
    },
)  # fmt: skip

MATH = Namespace(
    'math', {'pi': math.pi, 'e': math.e, **{name: Allowed(f'math.{name}', getattr(math, name)) for name in OF_MATH}}
)
