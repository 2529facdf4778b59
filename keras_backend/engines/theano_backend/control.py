"""Functions, gradients and branches."""

import functools

import numpy as np

from ...errors import ShapeError
from ...nested import alone, check_branches, leaves, like
from ._broadcast import aligned
from ._convert import cast, is_tensor, operand, unified
from ._function import Function
from ._graph import check, describe
from ._library import NullType, T, disconnected_grad, ifelse, io_toposort, theano
from ._operators import add
from ._static import dims_of, set_dims


def function(inputs, outputs, updates=None, **kwargs):
    return Function(inputs, outputs, updates, **kwargs)


def gradients(loss, variables):
    variables = [variables] if is_tensor(variables) else list(variables)
    losses = list(loss) if isinstance(loss, (list, tuple)) and loss else [loss]
    for x in losses + variables:
        if not is_tensor(x):
            operand(x)  # says so if it belongs to another library
            raise TypeError(f'K.gradients takes tensors, got {x!r}.')
        check(x)
    if not variables:
        return []
    losses = [operand(x) for x in losses]
    if len(losses) > 1:
        losses = [functools.reduce(add, [T.sum(x, dtype=x.dtype) for x in losses])]
    loss = losses[0]
    by = {id(x): x for x in variables if x.dtype.startswith('float')}
    if not by or not loss.dtype.startswith('float'):
        return [None] * len(variables)
    if loss.type.ndim:
        loss = T.sum(loss, dtype=loss.dtype)
    # Theano goes back from what is asked for, a few calls deep for each operation on the way; asked for all that lies
    # on the way, last things first, it is never more than one operation away from what it knows.
    way = [
        x
        for node in reversed(io_toposort([], [loss]))
        for x in node.outputs
        if getattr(x.type, 'dtype', '').startswith('float') and id(x) not in by
    ]
    found = theano.grad(
        loss, way + list(by.values()), disconnected_inputs='ignore', return_disconnected='None', null_gradients='return'
    )
    by_id = {key: None if g is None else _gradient(g, by[key]) for key, g in zip(by, found[len(way) :])}
    return [by_id.get(id(x)) for x in variables]


def _gradient(g, x):
    if isinstance(g.type, NullType):
        raise NotImplementedError(
            f'The gradient with respect to {describe(x)} passes an operation without one: {g.type.why_null}'
        )
    g = cast(g, x.dtype)
    # What another tensor of K is already has sizes of its own.
    return g if '_keras_dims' in g.__dict__ else set_dims(g, dims_of(x))


def stop_gradient(variables):
    if isinstance(variables, (list, tuple)):
        return [stop_gradient(x) for x in variables]
    return disconnected_grad(operand(variables))


def _value(expression):
    return expression() if callable(expression) else expression


def switch(condition, then_expression, else_expression):
    if condition is None:
        raise TypeError('K.switch got None for a condition; give a tensor or a bool.')
    if not is_tensor(condition) and not np.ndim(condition):
        chosen = alone(_value(then_expression if condition else else_expression))
        return like(chosen, [operand(value) for value in leaves(chosen)])
    condition = cast(operand(condition), 'bool')
    then, other = _value(then_expression), _value(else_expression)
    rank = condition.type.ndim
    if not rank:
        return _branch(condition, alone(then), alone(other))
    then, other = unified(then, other)
    full = max(then.type.ndim, other.type.ndim)
    if rank > full:
        raise ShapeError(f'The condition of K.switch has rank {rank}, more than the expressions of rank {full}.')
    condition = condition.dimshuffle(list(range(rank)) + ['x'] * (full - rank))
    return T.switch(*aligned(condition, then, other))


def _branch(condition, then, other):
    """One of two tensors or structures of tensors; the other one is not computed."""
    check_branches(then, other)
    # Each on its own: Theano has no gradient of a choice between several tensors of which some do not matter.
    return like(then, [ifelse(condition, *_alike(*pair)) for pair in zip(leaves(then), leaves(other))])


def _alike(then, other):
    """Two values as tensors of one type. A type of Theano has a rank: the lower one gets axes of size 1 in front."""
    pair = unified(then, other)
    rank = max([x.type.ndim for x in pair])
    pair = [
        x.dimshuffle(['x'] * (rank - x.type.ndim) + list(range(x.type.ndim))) if x.type.ndim < rank else x for x in pair
    ]
    flags = [a and b for a, b in zip(*[x.type.broadcastable for x in pair])]
    return [T.patternbroadcast(x, flags) for x in pair]
