"""Reading and updating variables, said in other K functions."""

import numpy as np

from ..errors import ShapeError
from ._dims import label

K = None  # the engine's namespace, set by binding.rebind


def eval(x):
    return K.function([], [x])([])[0]


def get_value(x):
    return K.eval(x)


def batch_get_value(ops):
    return [K.get_value(x) for x in ops]


def set_value(x, value):
    _check(x, value)
    new = K.placeholder(shape=K.int_shape(x), dtype=K.dtype(x))
    K.function([new], [], updates=[K.update(x, new)])([value])


def batch_set_value(tuples):
    tuples = list(tuples)
    for x, value in tuples:
        _check(x, value)
    for x, value in tuples:
        K.set_value(x, value)


def _check(x, value):
    if K.int_shape(x) != np.shape(value):
        raise ShapeError(
            f'{label(x)} has shape {K.int_shape(x)} and cannot be set to a value of shape {np.shape(value)}.'
        )


def update_add(x, increment):
    return _increment(K.update(x, x + increment), lambda value: value + increment)


def update_sub(x, decrement):
    return _increment(K.update(x, x - decrement), lambda value: value - decrement)


def _increment(update, onto):
    # For an engine that applies it to what other updates of the same function make of the variable.
    if hasattr(update, '__dict__'):
        update.onto = onto
    return update


def moving_average_update(x, value, momentum):
    if K.int_shape(x) != K.int_shape(value) and None not in K.int_shape(value):
        raise ShapeError(
            f'{label(x)}, a moving average of shape {K.int_shape(x)}, cannot take in a value of shape '
            f'{K.int_shape(value)}.'
        )
    step = (value - x) * (1.0 - momentum)
    return _increment(K.update(x, x * momentum + value * (1.0 - momentum)), lambda other: other + step)
