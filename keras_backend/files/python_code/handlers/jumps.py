"""Jumps, loops and results."""

from typing import Any, Callable, Dict

from ..instructions import Step
from ..limits import NotAllowed, in_words
from ..machine import Frame
from ..values import NULL, Iterator
from .table import of

JUMPS: Dict[str, Callable[[Any], bool]] = {
    'true': bool,
    'false': lambda value: not value,
    'none': lambda value: value is None,
    'not none': lambda value: value is not None,
}


@of('jump')
def _jump(frame: Frame, step: Step) -> None:
    frame.place = step.target


@of('jump if')
def _jump_if(frame: Frame, step: Step) -> None:
    if JUMPS[step.operation.value](frame.pop()):
        frame.place = step.target


@of('jump or drop')
def _jump_or_drop(frame: Frame, step: Step) -> None:
    if bool(frame.stack[-1]) is step.operation.value:
        frame.place = step.target
    else:
        frame.pop()


@of('next')
def _next(frame: Frame, step: Step) -> None:
    iterator = frame.stack[-1]
    if not isinstance(iterator, Iterator):
        raise NotAllowed(f'it goes through the elements of {in_words(iterator)}')
    value = iterator.next()
    if value is not NULL:
        frame.push(value)
        return
    if step.operation.value:
        frame.push(NULL)
    else:
        frame.pop()
    frame.place = step.target


@of('block')
def _block(frame: Frame, step: Step) -> None:
    frame.blocks.append((step.target, len(frame.stack)))


@of('end block')
def _end_block(frame: Frame, step: Step) -> None:
    frame.blocks.pop()


@of('break')
def _break(frame: Frame, step: Step) -> None:
    frame.place, depth = frame.blocks.pop()
    del frame.stack[depth:]


@of('return')
def _return(frame: Frame, step: Step) -> None:
    frame.result = frame.pop()
    if frame.result is NULL:
        raise NotAllowed('it returns nothing')


@of('return constant')
def _return_constant(frame: Frame, step: Step) -> None:
    frame.result = step.operation.value


@of('yield')
def _yield(frame: Frame, step: Step) -> None:
    frame.budget.make(1)
    frame.yielded.append(frame.pop())
    frame.push(None)
