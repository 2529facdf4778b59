"""Functions of K and TensorFlow that count what they make before they make it.

The arguments that are sizes are in a table, by the names that the API gives them. The result of every other function
has an element for each element of its arguments, spread over each other, or fewer.
"""

from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterable, List, Mapping

import numpy as np

from ...basics.tables import beside
from ...contract import CONTRACT
from ..python_code import operators
from ..python_code.limits import STEPS_OF_CALL, Budget, NotAllowed, count_of, in_words, running
from ..python_code.values import SIZED, elements

# Functions by their arguments that are sizes of what they make, or numbers of what they try.
SIZES: Dict[str, str] = beside(__file__, 'sizes.json')
LONGEST_SIZES = 100
LONGEST_WORD = 100


def counted(K: Any, names: Iterable[str]) -> Any:
    """K with these functions alone. Each counts what it makes in the budget of the call that runs."""
    return SimpleNamespace(**{name: _counted(K, name) for name in names if hasattr(K, name)})


def _counted(K: Any, name: str) -> Callable[..., Any]:
    function, parameters = getattr(K, name), CONTRACT[name].parameters
    count = _COUNTS.get(name, _of_sizes)

    def run(*args: Any, **kwargs: Any) -> Any:
        arguments = {**dict(zip(parameters, args)), **kwargs}
        others = [value for key, value in kwargs.items() if key not in parameters]
        sizes = [arguments.get(key) for key in SIZES.get(name, '').split()]
        if sizes:  # an older spelling of one may be among the others
            sizes += others
        values = [value for key, value in arguments.items() if key not in SIZES.get(name, '').split()]
        _check_texts(name, [*args, *kwargs.values()])
        count(running(), arguments, values, sizes, K)
        return function(*args, **kwargs)

    return run


def _check_texts(name: str, values: Iterable[Any]) -> None:
    """Refuse long texts. An array of texts has the longest one as often as there are others."""
    for value in values:
        if isinstance(value, (list, tuple)):
            _check_texts(name, value)
        elif isinstance(value, (str, bytes)) and len(value) > LONGEST_WORD:
            raise NotAllowed(f'it gives K.{name} a text of {len(value)} characters, more than {LONGEST_WORD}')


def product(sizes: Iterable[Any], K: Any = None) -> float:
    """The product of all numbers in sizes."""
    result = 1.0
    for number in numbers(sizes, K):
        result *= max(abs(number), 1.0)
    return result


def numbers(values: Iterable[Any], K: Any = None) -> List[float]:
    """All numbers in values. A tensor counts with its value, if it has one now."""
    floats: List[float] = []
    for value in values:
        if isinstance(value, (int, float, np.number)):
            floats.append(float(value))
        elif isinstance(value, (list, tuple)):
            floats += numbers(value, K)
        elif isinstance(value, range):
            floats += numbers(list(value), K)
        elif isinstance(value, np.ndarray) or (K is not None and K.is_tensor(value)):
            floats += _of_tensor(value, K)
    return floats


def _of_tensor(value: Any, K: Any) -> List[float]:
    if not isinstance(value, np.ndarray):
        try:
            value = np.asarray(K.get_value(value), dtype='float64')
        except Exception:  # noqa: BLE001 - of any engine: the sizes are known when the model runs
            return []
    if np.size(value) > LONGEST_SIZES:
        raise NotAllowed(f'it gives {np.size(value)} numbers as sizes')
    return [float(number) for number in np.asarray(value, dtype='float64').reshape(-1)]


def _of_sizes(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    count = count_of(budget.together(values))
    times = product(sizes, K)
    budget.ask(count if times == 1 else times * max(count, 1))


def arange(budget: Budget, start: Any, stop: Any = None, step: Any = None) -> None:
    """Count the numbers from start to stop."""
    first, last = (0, start) if stop is None else (start, stop)
    ends = [float(end) if isinstance(end, (int, float, np.number)) else 0.0 for end in (first, last, step)]
    budget.ask(abs(ends[1] - ends[0]) / (abs(ends[2]) or 1.0))


def _arange(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    arange(budget, *[next(iter(numbers([given.get(key)], K)), None) for key in ('start', 'stop', 'step')])


def _eye(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    side = product(sizes, K)
    budget.ask(side if isinstance(given.get('size'), (list, tuple)) else side**2)


def _dot(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    budget.multiply(given.get('x'), given.get('y'), False)


def _batch_dot(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    x, y = [budget.shape(given.get(key)) or () for key in 'xy']
    axes: Any = given.get('axes')
    if axes is None:
        axes = (len(x) - 1, max(len(y) - 2, 1))
    axes = axes if isinstance(axes, (list, tuple)) else (axes, axes)
    if not x or not y or len(axes) != 2 or not all([isinstance(axis, int) for axis in axes]):
        return  # K refuses them
    rest = count_of(_without(x, axes[0])) * count_of(_without(y[1:], axes[1] - (axes[1] > 0)))
    budget.ask(rest * max(1, (x[axes[0] % len(x)] or 1) / 1000))


def _without(shape: Any, axis: int) -> Any:
    axis %= max(len(shape), 1)
    return shape[:axis] + shape[axis + 1 :]


def _conv(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    count = count_of(budget.shape(given.get('x', given.get('inputs'))))
    for key in ('kernel', 'depthwise_kernel', 'pointwise_kernel'):
        count *= (budget.shape(given.get(key)) or (1,))[-1] or 1
    budget.ask(max(count, product(sizes, K)))


def _rnn(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    shape = budget.shape(given.get('inputs')) or ()
    if given.get('unroll') is not False:
        budget.step(STEPS_OF_CALL * int(max(product(sizes, K), *[size or 1 for size in shape[:2]], 1)))
    _of_sizes(budget, given, values, sizes, K)


def _gather(budget: Budget, given: Mapping[str, Any], values: List[Any], sizes: List[Any], K: Any) -> None:
    shape = budget.shape(given.get('reference')) or ()
    budget.ask(count_of(budget.shape(given.get('indices'))) * count_of(shape[1:]))


_Count = Callable[[Budget, Mapping[str, Any], List[Any], List[Any], Any], None]
_COUNTS: Dict[str, _Count] = {
    'arange': _arange, 'eye': _eye, 'dot': _dot, 'batch_dot': _batch_dot, 'gather': _gather, 'rnn': _rnn,
    **dict.fromkeys(
        'conv1d conv2d conv3d conv2d_transpose conv3d_transpose depthwise_conv2d separable_conv1d separable_conv2d '
        'local_conv1d local_conv2d'.split(), _conv,
    ),
}  # fmt: skip


# -- arguments of TensorFlow -------------------------------------------------------------------------------------------
# Arguments of TensorFlow's functions, counted and checked as those of K are.


def weighed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that counts the elements of its arguments: it may compare them, negate them, or take their parts."""

    def run(*args: Any, **kwargs: Any) -> Any:
        budget = running()
        for value in [*args, *kwargs.values()]:
            budget.ask(count_of(budget.shape(value)))
        return function(*args, **kwargs)

    return run


def listed(value: Any) -> List[Any]:
    """The elements of a list, or those of a tensor or an array that has few."""
    if not isinstance(value, SIZED):
        shape = running().shape(value)
        if shape and shape[0] is not None and shape[0] <= LONGEST_SIZES:
            return [value[index] for index in range(shape[0])]
    return elements(value, running())


def binary(sign: str, a: Any, b: Any) -> Any:
    """The result of an operator, counted in the call that runs."""
    return operators.binary(sign, a, b, running())


def axis_of(axis: Any, rank: int) -> int:
    """An axis from 0. `%` of a text would be something else."""
    if not isinstance(axis, int):
        raise NotAllowed(f'it takes {in_words(axis)} for an axis')
    if not -rank <= axis < rank:
        raise ValueError(f'A tensor with {rank} axes has no axis {str(axis)[:20]}.')
    return axis % rank
