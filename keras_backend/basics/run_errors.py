"""Errors that come out of a run, in words that name the K function and the tensor.

Shapes that only a run knows are checked by the library that computes. Nothing is looked at while all goes well: a
failed run says afterwards where it stopped, and the engine asks here for the error of ours.
"""

import re
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Type

from ..errors import (
    ArgumentError,
    ArgumentValueError,
    IndexOutOfRangeError,
    KerasBackendError,
    OutOfMemoryError,
    ShapeError,
)

# The K function that a program is calling, None where it calls none, and after a call inside of another one, such as
# those of a step. It is that of one of the threads: to know that of each would cost every call more than a word in an
# error is worth.
CALLING: List[Optional[str]] = [None]

# Errors of kernels and libraries for shapes and values that they cannot take. An error of any other class stays.
OF_VALUES = (ValueError, TypeError, IndexError, RuntimeError, ArithmeticError, AssertionError)
# Words in a RuntimeError which say that shapes are not to blame.
_OF_THE_MACHINE = ('CUDA error', 'cuDNN error', 'CUBLAS_STATUS')
_OF_MEMORY = ('out of memory', "can't allocate memory", 'OOM when allocating', 'RESOURCE_EXHAUSTED')


def is_of_values(error: BaseException) -> bool:
    """Whether values or shapes may be what an error of a run is about."""
    if not isinstance(error, OF_VALUES) or isinstance(error, (RecursionError, NotImplementedError)):
        return False
    return not (isinstance(error, RuntimeError) and any([words in str(error) for words in _OF_THE_MACHINE]))


def is_of_memory(error: BaseException) -> bool:
    """Whether a run asked for more memory than there is."""
    if isinstance(error, KerasBackendError):
        return False
    return isinstance(error, MemoryError) or any([words in str(error) for words in _OF_MEMORY])


def out_of_memory(error: BaseException, who: str, node: str, run: str) -> OutOfMemoryError:
    """The error of ours for that. who, node, run: see `put`; node may be ''."""
    at = f' at {node}' if node else ''
    return OutOfMemoryError(f'{who}: there is not enough memory{at}, when {run} ran: {sentence(error)}.')


def written(primitive: str) -> str:
    """How a program writes a primitive."""
    from ..contract import CONTRACT  # takes milliseconds, and this is an error
    from .tables import beside

    operators: Dict[str, str] = beside(__file__, 'instead.json')['primitives']
    if primitive in operators:
        return operators[primitive]
    return f'K.{primitive}' if primitive in CONTRACT else 'K.gradients' if primitive.endswith('_grad') else 'K.function'


def caller(key: int, signatures: Iterable[Tuple[int, int, str]]) -> Optional[str]:
    """The K function that was being called when the node `key` was made, None for an operator.

    signatures: of what K functions returned, the key, the key at the start of the call, and the name.
    """
    around = [(end, name) for end, started, name in signatures if started < key <= end]
    return f'K.{min(around)[1]}' if around else None


def sentence(error: BaseException) -> str:
    """The first line of the message of a library. The lines after it are about parts of the library."""
    return str(error).strip().partition('\n')[0].rstrip('.') or type(error).__name__


def put(
    error: BaseException,
    who: str,
    node: str,
    run: str,
    operands: Sequence[str],
    by_rule: Optional[BaseException] = None,
) -> ArgumentError:
    """The error of ours for one that a run has raised.

    who: the K function or operator. node: the name of the tensor that was computed. run: the name of the function.
    operands: what it was computed of. by_rule: what the rule for shapes says of these.
    """
    error = _of_place(error, who)
    kind = _kind(error)
    of, origin = ' and '.join(operands), f'It came out at {node}, when {run} ran.'
    if by_rule is not None:
        reason = str(by_rule)
    elif not isinstance(error, KerasBackendError):
        reason = f'this cannot be computed of {of or "these values"}: {sentence(error)}.'
    else:
        reason, origin = str(error), origin.replace(', when', f', of {of}, when' if of else ', when', 1)
    ours: ArgumentError = kind(f'{who}: {reason} {origin}')
    ours.function = who[2:] if who.startswith('K.') else who
    return ours


# TensorFlow's sentence for a place that is out of range.
_OF_INDICES = re.compile(r'indices(?:\[([\d,]*)\])? = (-?\d+) is not in \[0, (\d+)\)')
# The K functions whose indices are labels of classes.
_OF_LABELS = ('K.sparse_categorical_crossentropy',)


def _of_place(error: BaseException, who: str) -> BaseException:
    """The error in words of ours where it is about an index that is out of range."""
    error = of_tensorflow(error) or error
    if who in _OF_LABELS and isinstance(error, IndexOutOfRangeError) and error.index is not None:
        return of_label(error)
    return error


def of_tensorflow(error: BaseException) -> Optional[IndexOutOfRangeError]:
    """The error of ours where TensorFlow says that an index is out of range, else None."""
    match = _OF_INDICES.search(str(error))
    if match is None:
        return None
    at = [int(number) for number in (match.group(1) or '').split(',') if number]
    return IndexOutOfRangeError.of_index(int(match.group(2)), int(match.group(3)), at=at)


def of_label(error: IndexOutOfRangeError) -> IndexOutOfRangeError:
    """The error for an index that is the label of a class."""
    row = f' in row {error.at[0]}' if error.at else ''
    position = f', at {[int(i) for i in error.at]},' if len(error.at) > 2 else ''
    return IndexOutOfRangeError(
        f'the label {error.index}{row} of target{position} is no class of output; possible are {error.possible}. '
        'Labels that have no class are left out by ignore_class=.'
    )


# How kernels and libraries say that a place is out of range.
_OF_PLACES = re.compile(r'out of (range|bounds)|is not in \[|does not fit axis')


def _kind(error: BaseException) -> Type[ArgumentError]:
    if isinstance(error, ArithmeticError) or 'ivision by zero' in str(error):
        return ArgumentValueError
    if isinstance(error, IndexOutOfRangeError):
        return IndexOutOfRangeError
    return IndexOutOfRangeError if _OF_PLACES.search(sentence(error)) else ShapeError


def described(name: str, value: Any) -> str:
    """An operand, for people."""
    shape: Any = getattr(value, 'shape', None)
    return name if shape is None else f'{name} of shape {tuple(shape)}'
