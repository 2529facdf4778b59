"""The stack and the variables."""

from typing import Any

from ..instructions import Step
from ..limits import NotAllowed
from ..machine import Cell, Frame
from ..operations import REFUSED
from ..values import NULL
from .table import of, pushes


@of(REFUSED)
def _refuse(frame: Frame, step: Step) -> None:
    raise NotAllowed(f'its instruction {step.operation.value} is not allowed')


@of('nothing')
def _nothing(frame: Frame, step: Step) -> None:
    """No effect."""


@of('drop')
def _drop(frame: Frame, step: Step) -> None:
    frame.pop()


@of('rotate')
def _rotate(frame: Frame, step: Step) -> None:
    taken = frame.take(step.operation.takes)
    frame.stack += taken[-1:] + taken[:-1]


@of('repeat')
def _repeat(frame: Frame, step: Step) -> None:
    frame.stack += frame.stack[len(frame.stack) - step.operation.value :]


@of('copy')
def _copy(frame: Frame, step: Step) -> None:
    frame.push(frame.stack[len(frame.stack) - max(step.operation.value, 1)])


@of('swap')
def _swap(frame: Frame, step: Step) -> None:
    index = len(frame.stack) - max(step.operation.value, 1)
    frame.stack[index], frame.stack[-1] = frame.stack[-1], frame.stack[index]


pushes('null', lambda frame, value: NULL)
pushes('constant', lambda frame, value: value)
pushes('global', lambda frame, name: frame.world.name(name))


def _local(frame: Frame, name: str) -> Any:
    # Since Python 3.13 a shared variable is loaded as its cell by the same instruction.
    value = frame.locals[name] if name in frame.locals else frame.cells.get(name, NULL)
    return _known(frame, name, value)


def _cell_value(frame: Frame, name: str) -> Any:
    return _known(frame, name, frame.cells[name].value if name in frame.cells else NULL)


def _known(frame: Frame, name: str, value: Any) -> Any:
    if value is NULL:
        raise UnboundLocalError(f'{frame.code.name}() uses {name} before it has a value.')
    return value


pushes('local', _local)
pushes('local or null', lambda frame, name: frame.locals.pop(name, frame.cells.pop(name, NULL)))
pushes('cell value', _cell_value)
pushes('cell', lambda frame, name: frame.cells.setdefault(name, Cell()))


@of('make cell')
def _make_cell(frame: Frame, step: Step) -> None:
    name = step.operation.value
    frame.cells[name] = Cell(frame.locals.pop(name, NULL))


@of('set local')
def _set_local(frame: Frame, step: Step) -> None:
    name, value = step.operation.value, frame.pop()
    if isinstance(value, Cell):
        frame.cells[name] = value
    elif value is NULL:
        frame.locals.pop(name, None)
    else:
        frame.locals[name] = value


@of('delete local')
def _delete_local(frame: Frame, step: Step) -> None:
    frame.locals.pop(step.operation.value, None)


@of('set cell')
def _set_cell(frame: Frame, step: Step) -> None:
    frame.cells.setdefault(step.operation.value, Cell()).value = frame.pop()
