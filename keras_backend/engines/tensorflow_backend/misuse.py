"""The errors of TensorFlow for a tensor of a graph that is used as a value, with what to write instead in front.

TensorFlow advises eager mode and `tf.function` there, which do not help code of K. The class of the error stays. A
tensor of a function that `tf.function` traces keeps the words of TensorFlow alone, for there they are right.
"""

import functools
import re
from typing import Any, Callable, Optional

from ...basics import misuse
from ...errors import ShapeError
from .sessions import current_session
from .tensors.graph import describe, state_of
from .variables import KVariable
from .vendor import SymbolicTensor, tf

REFUSALS = (TypeError, AttributeError, NotImplementedError)
SAYS = '. TensorFlow says: '
# How TensorFlow begins its advice, which is about eager mode and `tf.function`.
ADVICE = ' You can attempt'

_OUT_OF_RANGE = re.compile(r'slice index (-?\d+) of dimension (\d+) out of bounds')

NO_NUMBER = f'the value is not known while the graph is built; {misuse.NUMBER}'
NO_ASSIGNMENT = f'an assignment cannot change its elements; {misuse.ASSIGNMENT}'


def _is_of_k(x: Any) -> bool:
    """Whether a tensor belongs to a graph that no `tf.function` traces."""
    return isinstance(x, KVariable) or (isinstance(x, SymbolicTensor) and not x.graph.building_function)


def _explained(method: Callable[..., Any], sentence: Callable[..., Optional[str]]) -> Callable[..., Any]:
    """The method, whose errors begin with a sentence of ours, which may depend on the arguments."""

    @functools.wraps(method)
    def call(x: Any, *args: Any, **named: Any) -> Any:
        try:
            return method(x, *args, **named)
        except REFUSALS as error:
            words = sentence(*args) if _is_of_k(x) else None
            if words is None:
                raise
            # A variable reads itself into a tensor, whose error has our words already.
            theirs = str(error).rpartition(SAYS)[2].partition(ADVICE)[0]
            raise type(error)(f'{x.name}: {words}{SAYS}{theirs}') from None

    return call


def _in_our_session(method: Callable[..., Any], place: int) -> Callable[..., Any]:
    """`x.eval()` in the session of K, where none is given at `place` of the arguments and none is the default one."""

    @functools.wraps(method)
    def evaluate(x: Any, *args: Any, **named: Any) -> Any:
        has_session = named.get('session') or any([session is not None for session in args[place:]])
        if not has_session and _is_of_k(x) and tf.get_default_session() is None:
            args, named = args[:place], dict(named, session=current_session(state_of(x.graph)))
        return method(x, *args, **named)

    return evaluate


def _refused(sentence: str) -> Callable[..., Any]:
    """A method that TensorFlow does not have, which only says what to write instead."""

    def call(x: Any, *args: Any) -> Any:
        raise TypeError(f'{getattr(x, "name", x)}: {sentence}.')

    return call


def _within(method: Callable[..., Any]) -> Callable[..., Any]:
    """`x[item]`, with an error of ours where a number in `item` is known to be out of range."""

    @functools.wraps(method)
    def getitem(x: Any, *args: Any, **named: Any) -> Any:
        try:
            return method(x, *args, **named)
        except ValueError as error:
            match = _OUT_OF_RANGE.search(str(error)) if _is_of_k(x) else None
            if match is None:
                raise
            index, axis = match.groups()
            raise ShapeError(
                f'Index {index} is out of range for axis {axis} of {describe(x)} (shape {tuple(x.shape.as_list())}).'
            ) from None

    return getitem


def explain() -> None:
    """Put the sentences in front of TensorFlow's errors, once for the process."""
    if hasattr(tf.Tensor.__bool__, '__wrapped__'):
        return
    sentences = {
        '__bool__': misuse.BOOL,
        '__iter__': misuse.ITERATION,
        '__len__': misuse.LENGTH,
        '__array__': misuse.ARRAY,
        '__float__': NO_NUMBER,
        '__int__': NO_NUMBER,
        '__complex__': NO_NUMBER,
        '__index__': NO_NUMBER,
        '__setitem__': NO_ASSIGNMENT,
        'numpy': f'write {misuse.attribute("numpy")}',
        '__deepcopy__': f'to keep it, {misuse.PICKLING}',
        '__reduce_ex__': f'to keep it, {misuse.PICKLING}',
    }
    for name, words in sentences.items():
        for kind in (tf.Tensor, KVariable):
            method = getattr(kind, name, None)
            if method is not None:
                setattr(kind, name, _explained(method, lambda *args, words=words: words))
            elif name not in ('__index__', 'numpy', '__deepcopy__'):
                setattr(SymbolicTensor if kind is tf.Tensor else kind, name, _refused(words))

    for kind in (tf.Tensor, KVariable):
        kind.__getitem__ = _within(kind.__getitem__)

    tf.Tensor.eval = _in_our_session(tf.Tensor.eval, 1)
    KVariable.eval = _in_our_session(KVariable.eval, 0)

    def instead(name: str) -> Optional[str]:
        words = misuse.attribute(name)
        return None if words is None else f'write {words}'

    def lacking(x: Any, name: str) -> Any:
        raise AttributeError(f'{type(x).__name__!r} object has no attribute {name!r}')

    tf.Tensor.__getattr__ = _explained(tf.Tensor.__getattr__, instead)
    # TensorFlow's variables have none of their own.
    KVariable.__getattr__ = _explained(lacking, instead)
