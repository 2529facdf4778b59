"""Values of variables: getting, setting, updating, printing."""

import itertools
import sys

import numpy as np

from ...errors import ClearedSessionError, ShapeError
from ._convert import as_array, is_tensor, operand, own, static_shape
from ._feed import private_copy
from ._function import Function, evaluate
from ._graph import describe, state_of
from ._library import INLINE, EagerTensor, get_default_session, tf, tf2
from ._session import connect, initial_tensor
from ._updates import new_value, note_increment, require_variable, same_shape

# Functions that read or set several variables at once are kept; a program has few such groups.
_GROUPS = 32
_PRINTED = itertools.count()


def get_value(x):
    if isinstance(x, EagerTensor):
        value = x.numpy()
        return value.copy() if isinstance(value, np.ndarray) else value
    if not is_tensor(x):
        raise TypeError(f'K.get_value takes a variable, got {x!r}.')
    return evaluate(x, 'K.get_value')


def batch_get_value(ops):
    ops = list(ops)
    for x in ops:
        if not is_tensor(x):
            raise TypeError(f'K.batch_get_value takes variables, got {x!r}.')
    if not ops:
        return []
    return _kept('get', ops, lambda: Function([], ops, name='K.batch_get_value'))([])


def _kept(what, tensors, make):
    """The function for this group of tensors, made once."""
    groups = state_of(tensors[0].graph).groups
    key = (what,) + tuple([id(t) for t in tensors])
    if key not in groups:
        while len(groups) >= _GROUPS:
            groups.pop(next(iter(groups)))
        # The tensors are kept, too, or else others might be born with their ids.
        groups[key] = make(), tensors
    return groups[key][0]


class _Setter:
    """Assigns arrays to variables by way of their own initialisers, which adds nothing to the graph."""

    def __init__(self, variables):
        self._feeds = [initial_tensor(v) for v in variables]
        self._targets = [v.initializer for v in variables]
        self._state = state_of(variables[0].graph)
        self._bound = None, None

    def __call__(self, *arrays):
        session, run = self._bound
        if session is None or session is not (get_default_session() or self._state.session):
            if self._state.dead:
                raise ClearedSessionError('This variable was made before K.clear_session() and is gone; make it again.')
            session, run = self._bound = connect(self._state, self._feeds, [], self._targets, INLINE)
        run(*arrays)


class _Slot:
    """What K.set_value keeps of a variable."""

    def __init__(self, x):
        self.name, self.type, self.shape = describe(x), x.dtype.base_dtype, static_shape(x)
        self._numpy = np.dtype(self.type.as_numpy_dtype)
        self.assign = _Setter([x])

    def array(self, value):
        """`value` as a private array that fits the variable."""
        if value.__class__ is np.ndarray and value.dtype is self._numpy and value.shape == self.shape:
            return private_copy(value)
        own(value)
        array = as_array(value, self.type)
        if array.shape != self.shape:
            raise ShapeError(
                f'{self.name} has the shape {self.shape} and cannot be set to a value of shape {array.shape}.'
            )
        # What was converted is a copy already.
        return private_copy(array) if array is value or array.base is not None else array


def _slot(x, what):
    slot = getattr(x, '_keras_backend_slot', None)
    if slot is None:
        slot = require_variable(x, what)._keras_backend_slot = _Slot(x)
    return slot


def set_value(x, value):
    slot = _slot(x, 'K.set_value')
    slot.assign(slot.array(value))


def batch_set_value(tuples):
    # All are checked before the first one is set; of two values of one variable the last one counts.
    arrays = {id(x): (x, _slot(x, 'K.batch_set_value').array(value)) for x, value in tuples}
    variables = [x for x, _array in arrays.values()]
    if len({id(initial_tensor(x)) for x in variables}) < len(variables):
        # Variables that were made from one tensor cannot be told apart by what is fed.
        for x, array in arrays.values():
            _slot(x, 'K.batch_set_value').assign(array)
    elif variables:
        _kept('set', variables, lambda: _Setter(variables))(*[array for _x, array in arrays.values()])


def update(x, new_x):
    return require_variable(x, 'K.update').assign(new_value(x, new_x))


def update_add(x, increment):
    return _in_place(x, increment, 'K.update_add', 'assign_add', 'AssignAddVariableOp', lambda a, b: a + b)


def update_sub(x, decrement):
    return _in_place(x, decrement, 'K.update_sub', 'assign_sub', 'AssignSubVariableOp', lambda a, b: a - b)


def moving_average_update(x, value, momentum):
    require_variable(x, 'K.moving_average_update')
    # As a decrement, two of them both count, wherever they run.
    return update_sub(x, (operand(x) - _like(x, value)) * (1 - _like(x, momentum)))


def _in_place(x, change, what, method, kind, combine):
    require_variable(x, what)
    change = _like(x, change)
    if same_shape(x, change):
        return getattr(x, method)(change)
    return note_increment(update(x, combine(operand(x), change)), kind, change)


def _like(x, value):
    """`value` as a tensor of the dtype of the variable `x`."""
    dtype = x.dtype.base_dtype
    value = operand(value, dtype)
    return value if value.dtype == dtype else tf.cast(value, dtype)


def print_tensor(x, message=''):
    x = operand(x)
    # What stands for the value is different each time, for equal ones of these operations would be merged into one.
    place = f'{{value {next(_PRINTED)}}}'
    gap = ' ' if message and not message[-1].isspace() else ''
    text = tf.strings.format(message + gap + place, [x], placeholder=place, summarize=-1)
    with tf.control_dependencies([tf2.print(text, output_stream=sys.stderr)]):
        return tf.identity(x)
