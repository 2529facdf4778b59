"""Values of variables: getting, setting, updating, printing."""

import numpy as np

from ...arrays import array_of, numbers
from ...errors import ShapeError
from ._checks import Print
from ._convert import is_tensor, operand, unified
from ._dependent import after, latest
from ._function import evaluate
from ._graph import describe, engine
from ._library import SharedVariable, T
from ._operators import add, mul, sub
from ._static import dims_of, visible
from ._updates import Update, new_value, require_variable


def get_value(x):
    if not is_tensor(x):
        raise TypeError(f'K.get_value takes a variable, got {x!r}.')
    return evaluate(x, 'K.get_value')


def batch_get_value(ops):
    with engine.lock:
        return [get_value(x) for x in ops]


def _array(x, value, what):
    require_variable(x, what)
    value, said = array_of(value), visible(dims_of(x))
    # Of a variable that Theano made alone, not all sizes are known, and they may change.
    if len(said) != len(value.shape) or any([n is not None and n != m for n, m in zip(said, value.shape)]):
        raise ShapeError(f'{describe(x)} has the shape {said} and cannot be set to a value of shape {value.shape}.')
    return np.array(numbers(value), x.dtype, order='C')


def set_value(x, value):
    batch_set_value([(x, value)])


def batch_set_value(tuples):
    # All are checked before the first one is set.
    pairs = [(x, _array(x, value, 'K.set_value')) for x, value in tuples]
    with engine.lock:
        for x, array in pairs:
            x.container.storage[0] = array


def update(x, new_x):
    return _update(require_variable(x, 'K.update'), new_x)


def update_add(x, increment):
    increment = unified(require_variable(x, 'K.update_add'), increment)[1]
    return _update(x, add(x, increment), lambda value: add(value, increment))


def update_sub(x, decrement):
    decrement = unified(require_variable(x, 'K.update_sub'), decrement)[1]
    return _update(x, sub(x, decrement), lambda value: sub(value, decrement))


def moving_average_update(x, value, momentum):
    old = latest(require_variable(x, 'K.moving_average_update'), engine.session.deps)
    rest, value = sub(1.0, momentum), unified(old, value)[1]
    return _update(x, add(mul(old, momentum), mul(value, rest)), lambda other: add(other, mul(sub(value, old), rest)))


def _update(x, new, onto=None):
    new, deps = new_value(x, new), engine.session.deps
    if deps:
        new = latest(new, deps) if isinstance(new, SharedVariable) else after(new, deps)
    made = T.tensor_copy(new)
    made._keras_update = Update(x, new, onto)
    # It reads what it should already; made anew for the block it would not be this update any more.
    made._keras_session = engine.session
    if deps:
        made._keras_updates = deps
    return made


def print_tensor(x, message=''):
    return Print(message)(operand(x))
