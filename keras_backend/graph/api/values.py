"""Values of variables, and their updates."""

from ...arrays import array_of
from ...errors import ShapeError
from ..dims import known
from ..function import evaluate
from ..tensor import Tensor, Update, Variable

K = G = None


def _variable(x, what):
    if not isinstance(x, Variable):
        raise TypeError(f'{what} takes a variable, got {x!r}.')
    G.check(x)
    return x


def get_value(x):
    if not isinstance(x, Tensor):
        raise TypeError(f'K.get_value takes a variable, got {x!r}.')
    return evaluate(G, x)


def batch_get_value(ops):
    variables = [x for x in ops if isinstance(x, Variable)]
    if len(variables) < len(ops):
        return K.function([], list(ops))([])
    for x in variables:
        G.check(x)
    with G.lock:
        return [G.kernels.to_numpy(x.data) for x in variables]


def _data(x, value):
    value = array_of(value)
    if value.shape != tuple(x.data.shape):
        raise ShapeError(
            f'{x.name} has the shape {tuple(x.data.shape)} and cannot be set to a value of shape {value.shape}.'
        )
    return G.kernels.asarray(value, x.dtype)


def set_value(x, value):
    data = _data(_variable(x, 'K.set_value'), value)
    with G.lock:
        x.data = data


def batch_set_value(tuples):
    # all are checked before the first is set
    pairs = [(x, _data(_variable(x, 'K.batch_set_value'), value)) for x, value in tuples]
    with G.lock:
        for x, data in pairs:
            x.data = data


def update(x, new_x):
    x = _variable(x, 'K.update')
    new = G.cast(G.operand(new_x, x.dtype), x.dtype)
    if len(new.dims) != len(x.dims) or any(known(d) and known(e) and d != e for d, e in zip(new.dims, x.dims)):
        raise ShapeError(f'{x.name} of shape {x.shape} cannot be updated with {new.name} of shape {new.shape}.')
    G.in_scope(new, G.session.region)
    made = Update(x, new, G.session.region)
    made.deps = G.session.deps
    return made


def update_add(x, increment):
    increment = G.together(_variable(x, 'K.update_add'), increment)[1]
    return _increment(x, x + increment, lambda value: value + increment)


def update_sub(x, decrement):
    decrement = G.together(_variable(x, 'K.update_sub'), decrement)[1]
    return _increment(x, x - decrement, lambda value: value - decrement)


def moving_average_update(x, value, momentum):
    old = G.session.after_deps(_variable(x, 'K.moving_average_update'))
    value = G.together(x, value)[1]
    return _increment(
        x, x * momentum + value * (1.0 - momentum), lambda other: other + (value - old) * (1.0 - momentum)
    )


def _increment(x, new, onto):
    """The update of `x` that goes onto what other updates of the same function make of it."""
    made = K.update(x, new)
    made.onto = onto
    return made


def print_tensor(x, message=''):
    return G.record('print', (G.operand(x),), {'message': message})
