"""Arguments of TensorFlow's functions, counted and checked as those of K are."""

from typing import Any, Callable, List

from ..python_code import operators
from ..python_code.limits import NotAllowed, count_of, in_words, running
from ..python_code.values import SIZED, elements
from .counted import LONGEST_SIZES


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
            return [value[place] for place in range(shape[0])]
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
