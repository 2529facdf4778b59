"""The names of NumPy and of `math` that interpreted code may use: constants, dtypes, and arithmetic on arrays."""

import math
from typing import Any, Callable, Dict, Iterable

import numpy as np

from ..python_code.limits import MOST_DIGITS, STEPS_OF_CALL, Budget, NotAllowed, count_of, in_words
from ..python_code.machine import Frame
from ..python_code.values import DTYPES, Allowed, Builtin, Namespace
from .counted import arange, product

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


def _count_shape(budget: Budget, shape: Any, *more: Any, **named: Any) -> None:
    budget.ask(product([shape]))


def _count_times(budget: Budget, array: Any, times: Any, *more: Any, **named: Any) -> None:
    budget.ask(count_of(budget.shape(array)) * product([times]))


def _count_repeated(budget: Budget, array: Any, repeats: Any, *more: Any, **named: Any) -> None:
    most = np.max(np.abs(np.asarray(repeats, dtype='float64')), initial=1)
    budget.ask(count_of(budget.shape(array)) * float(most))


def _count_numbers(budget: Budget, start: Any, stop: Any, num: Any = 50, *more: Any, **named: Any) -> None:
    budget.ask(count_of(budget.together([start, stop])) * product([num]))


def _count_eye(budget: Budget, N: Any, M: Any = None, *more: Any, **named: Any) -> None:
    budget.ask(product([N, N if M is None else M]))


def _count_grid(budget: Budget, *arrays: Any, **named: Any) -> None:
    budget.ask(len(arrays) * product([count_of(budget.shape(array)) for array in arrays]))


def _count_product(budget: Budget, a: Any, b: Any, *more: Any, **named: Any) -> None:
    budget.multiply(a, b, False)


def _count_rounding(budget: Budget, a: Any, decimals: Any = 0, *more: Any, **named: Any) -> None:
    if not isinstance(decimals, int) or abs(decimals) > MOST_DIGITS:
        raise NotAllowed(f'it rounds to more than {MOST_DIGITS} digits')
    budget.spread(a)


def _count_arange(budget: Budget, start: Any, stop: Any = None, step: Any = None, *more: Any, **named: Any) -> None:
    arange(budget, start, stop, step)


_COUNTS: Dict[str, Callable[..., None]] = {
    'arange': _count_arange, 'linspace': _count_numbers, 'zeros': _count_shape, 'ones': _count_shape,
    'full': _count_shape, 'round': _count_rounding,
    'eye': _count_eye, 'tile': _count_times, 'repeat': _count_repeated, 'meshgrid': _count_grid,
    'dot': _count_product, 'matmul': lambda budget, a, b, *more, **named: budget.multiply(a, b, True),
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
