"""Operators, comparisons, items and texts of interpreted code, held to the limits."""

import operator
import re
from typing import Any, Callable, Dict

import numpy as np

from .limits import LARGEST_INTEGER, LONGEST_TEXT, STEPS_OF_CALL, Budget, NotAllowed, check_bits, in_words
from .values import HASHED, SEQUENCES, SIZED, TEXTS, Shape, Tensors, elements


def _whole(value: Any) -> bool:
    """Whether a value is an integer, or a tensor or an array of integers."""
    return isinstance(value, int) or 'int' in str(getattr(value, 'dtype', ''))


def _divide_of_python_2(a: Any, b: Any) -> Any:
    return a // b if _whole(a) and _whole(b) else a / b


BINARY: Dict[str, Callable[[Any, Any], Any]] = {
    '+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.truediv, '//': operator.floordiv,
    '%': operator.mod, '**': operator.pow, '@': operator.matmul, '&': operator.and_, '|': operator.or_,
    '^': operator.xor, '<<': operator.lshift, '>>': operator.rshift, 'old /': _divide_of_python_2,
}  # fmt: skip
UNARY: Dict[str, Callable[[Any], Any]] = {
    '-': operator.neg, '+': operator.pos, '~': operator.invert, 'not': operator.not_,
}  # fmt: skip
COMPARE: Dict[str, Callable[[Any, Any], Any]] = {
    '<': operator.lt, '<=': operator.le, '==': operator.eq, '!=': operator.ne, '>': operator.gt, '>=': operator.ge,
    'in': lambda a, b: a in b, 'not in': lambda a, b: a not in b,
    'is': operator.is_, 'is not': operator.is_not,
}  # fmt: skip
OF_PYTHON = (*SIZED, int, float, type(None))  # whose operators take little time


def binary(sign: str, a: Any, b: Any, budget: Budget) -> Any:
    """The result of an operator."""
    if isinstance(a, SEQUENCES) and isinstance(b, np.integer):
        b = int(b)  # which repeats a list, too
    if isinstance(b, SEQUENCES) and isinstance(a, np.integer):
        a = int(a)
    if isinstance(a, TEXTS) and sign == '%':
        return text_with(a, b, budget)
    if isinstance(a, int) and isinstance(b, int):
        _check_integers(sign, a, b)
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        pass
    elif isinstance(a, HASHED) or isinstance(b, HASHED):
        budget.walk(a, b)
        budget.make(sum([len(container) for container in (a, b) if isinstance(container, HASHED)]))
    elif isinstance(a, SEQUENCES) and isinstance(b, int):
        _count(budget, a, len(a) * max(b, 0))
    elif isinstance(a, int) and isinstance(b, SEQUENCES):
        _count(budget, b, len(b) * max(a, 0))
    elif isinstance(a, SEQUENCES) and isinstance(b, SEQUENCES):
        _count(budget, a, len(a) + len(b))
    else:
        budget.step(STEPS_OF_CALL)
        budget.walk(a, b)  # a list beside a tensor becomes an array
        if sign == '@':
            budget.multiply(a, b, True)
        else:
            budget.spread(a, b)
    return BINARY[sign](a, b)


def change(sign: str, a: Any, b: Any, budget: Budget) -> Any:
    """The result of `a += b` and the like, which change a list, a set or an array for everybody who has it."""
    if type(a) is list and sign == '+':
        a += elements(b, budget)
        return a
    result = binary(sign, a, b, budget)
    if type(a) is list and type(result) is list:
        a[:] = result
    elif type(a) is set and type(result) is set:
        budget.make_keys([*result])
        a.clear()
        a.update(result)
    elif isinstance(a, np.ndarray) and isinstance(result, (np.ndarray, np.generic)):
        np.copyto(a, result, casting='same_kind')
    else:
        return result
    return a


def _count(budget: Budget, sequence: Any, length: int) -> None:
    if isinstance(sequence, TEXTS):
        budget.text(length)
    else:
        budget.make(length)


def _check_integers(sign: str, a: int, b: int) -> None:
    bits = max(a.bit_length(), 1)
    if sign in ('+', '-'):
        check_bits(max(bits, b.bit_length()))
    elif sign == '*':
        check_bits(bits + b.bit_length())
    elif sign == '**':
        check_bits(bits * max(b, 0))
    elif sign == '<<':
        check_bits(bits + max(b, 0))


def unary(sign: str, value: Any, budget: Budget) -> Any:
    """The result of an operator with one side."""
    if not isinstance(value, OF_PYTHON):
        budget.step(STEPS_OF_CALL)
        budget.spread(value)
    return UNARY[sign](value)


def compare(sign: str, a: Any, b: Any, budget: Budget) -> Any:
    """The result of a comparison."""
    if sign in ('in', 'not in'):
        b = _searched(a, b, budget)
    elif sign not in ('is', 'is not'):
        budget.compare(a, b)
    return COMPARE[sign](a, b)


def _searched(key: Any, value: Any, budget: Budget) -> Any:
    """The container in which `in` searches."""
    if not isinstance(value, (*SIZED, np.ndarray)):
        raise NotAllowed(f'it searches in {in_words(value)}')
    cost = budget.walk(key)
    if isinstance(value, TEXTS):
        search_text(key, value, budget)
    elif isinstance(value, HASHED):
        budget.hash_into(value, cost)
    elif isinstance(value, range):
        # Python looks at all of its elements for a key that is no integer.
        return value if isinstance(key, int) else elements(value, budget)
    elif isinstance(value, np.ndarray):
        budget.spread(value, key)
    else:
        budget.compare(value, key)
        budget.step(cost * len(value) // 100)
    return value


def search_text(key: Any, text: Any, budget: Budget) -> None:
    """Count the search for one text in another, which some Pythons do at every place from the start."""
    if isinstance(key, TEXTS):
        budget.step(len(key) * len(text) // 1000)


def text_with(pattern: Any, values: Any, budget: Budget) -> str:
    """`pattern % values` of numbers and strings, without widths, which may be of any size."""
    arguments = values if isinstance(values, tuple) else (values,)
    if not isinstance(pattern, str) or len(pattern) > LONGEST_TEXT:
        raise NotAllowed(f'it formats {in_words(pattern)}')
    if not re.match(r'([^%]|%%|%(\.\d)?[sdifg])*$', pattern):
        raise NotAllowed(f'it formats {pattern[:40]!r}')
    texts = [value if isinstance(value, (int, float)) else text_of(value) for value in arguments]
    # The longest number is the largest integer, or the largest float without an exponent.
    budget.text(len(pattern) + sum([len(value) if isinstance(value, str) else LARGEST_INTEGER // 3 for value in texts]))
    return pattern % tuple(texts)


def text_of(value: Any) -> str:
    """The text of a number, a string or None."""
    if not isinstance(value, (str, int, float, type(None))):
        raise NotAllowed(f'it makes a text of {in_words(value)}')
    return str(value)


def ends_of_slice(*ends: Any) -> slice:
    """A slice of numbers and tensors. Python frees a slice of a slice, and so on, by a recursion without a limit."""
    for end in ends:
        if isinstance(end, (*SIZED, slice)):
            raise NotAllowed(f'it makes a slice of {in_words(end)}')
    return slice(*ends)


def item(value: Any, key: Any, tensors: Tensors, budget: Budget) -> Any:
    """`value[key]`."""
    cost = budget.walk(key)
    if isinstance(value, dict):
        budget.hash_into(value, cost)
        return value[key]
    if isinstance(value, (*SEQUENCES, range)):
        if isinstance(key, slice):
            budget.make(0 if isinstance(value, range) else len(value))
        picked = value[key]
        return Shape(picked) if isinstance(value, Shape) and isinstance(key, slice) else picked
    if tensors.are(value):
        budget.step(STEPS_OF_CALL)
        budget.pick(value, key)
        return value[key]
    raise NotAllowed(f'it indexes {in_words(value)}')


def set_item(value: Any, key: Any, new: Any, budget: Budget) -> None:
    """`value[key] = new` of a list or a dict."""
    if type(value) not in (list, dict) or isinstance(key, slice):
        raise NotAllowed(f'it sets an element of {in_words(value)}')
    cost = budget.walk(key)
    budget.make(1)
    if type(value) is dict:
        budget.hash_into(value, cost)
    value[key] = new
