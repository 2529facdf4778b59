"""Operators, comparisons, items and texts of interpreted code, held to the limits."""

import operator
import re
from typing import Any, Callable, Dict

import numpy as np

from .limits import Budget, NotAllowed, check_bits
from .values import SEQUENCES, Shape, Tensors


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


def binary(sign: str, a: Any, b: Any, budget: Budget) -> Any:
    """The result of an operator."""
    if isinstance(a, (str, bytes)) and sign == '%':
        return text_with(a, b, budget)
    if isinstance(a, int) and isinstance(b, int):
        _check_integers(sign, a, b)
    elif isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        budget.ask([a.size, b.size] if sign == '@' else np.broadcast(a, b).shape)
    elif isinstance(a, SEQUENCES) or isinstance(b, SEQUENCES):
        if sign == '*' and (isinstance(a, int) or isinstance(b, int)):
            count, sequence = (a, b) if isinstance(a, int) else (b, a)
            budget.make(max(count, 0) * len(sequence))
        elif isinstance(a, SEQUENCES) and isinstance(b, SEQUENCES):
            budget.make(len(a) + len(b))
        else:
            budget.walk(a, b)  # a tensor and a list, which becomes an array
    return BINARY[sign](a, b)


def _check_integers(sign: str, a: int, b: int) -> None:
    bits = a.bit_length()
    if sign == '*':
        check_bits(bits + b.bit_length())
    elif sign == '**':
        check_bits(bits * max(b, 0))
    elif sign == '<<':
        check_bits(bits + max(b, 0))


def compare(sign: str, a: Any, b: Any, budget: Budget) -> Any:
    """The result of a comparison."""
    if sign not in ('is', 'is not'):
        budget.walk(a, b)
    return COMPARE[sign](a, b)


def text_with(pattern: Any, values: Any, budget: Budget) -> str:
    """`pattern % values` of numbers and strings, without widths, which may be of any size."""
    given = values if isinstance(values, tuple) else (values,)
    if not isinstance(pattern, str) or not re.match(r'([^%]|%%|%(\.\d)?[sdifg])*$', pattern):
        raise NotAllowed(f'it formats {str(pattern)[:40]!r}')
    texts = [one if isinstance(one, (int, float)) else text_of(one) for one in given]
    budget.make(len(pattern) + sum([len(str(text)) for text in texts]))
    return pattern % tuple(texts)


def text_of(value: Any) -> str:
    """The text of a number, a string or None."""
    if not isinstance(value, (str, int, float, type(None))):
        raise NotAllowed(f'it makes a text of a {type(value).__name__}')
    return str(value)


def item(value: Any, key: Any, tensors: Tensors, budget: Budget) -> Any:
    """`value[key]`."""
    budget.walk(key)
    if isinstance(value, (*SEQUENCES, dict, range)):
        if isinstance(key, slice):
            budget.make(len(value))
        found = value[key]
        return Shape(found) if isinstance(value, Shape) and isinstance(key, slice) else found
    if tensors.are(value):
        return value[key]
    raise NotAllowed(f'it indexes a {type(value).__name__}')


def set_item(value: Any, key: Any, new: Any, budget: Budget) -> None:
    """`value[key] = new` of a list or a dict."""
    if type(value) not in (list, dict) or isinstance(key, slice):
        raise NotAllowed(f'it sets an element of a {type(value).__name__}')
    budget.walk(key)
    budget.make(1)
    value[key] = new
