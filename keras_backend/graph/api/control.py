"""Functions, gradients, choices and maps."""

import functools
import operator

import numpy as np

from ...errors import ShapeError
from ...nested import alone, check_branches, leaves, like
from ..control import collect, cond, final, scan
from ..function import Function
from ..gradient import gradients as _gradients
from ..tensor import Tensor

K = G = None


def function(inputs, outputs, updates=None, **kwargs):
    name = kwargs.pop('name', None)
    if kwargs:
        raise ValueError(
            f'K.function of the {G.title} engine does not know {", ".join(sorted(kwargs))}; these arguments belong to '
            'TensorFlow sessions.'
        )
    return Function(G, inputs, outputs, updates, name)


def gradients(loss, variables):
    single = isinstance(variables, Tensor)
    variables = [variables] if single else list(variables)
    losses = list(loss) if isinstance(loss, (list, tuple)) and loss else [loss]
    for t in losses + variables:
        if not isinstance(t, Tensor):
            raise TypeError(f'K.gradients takes K tensors, got {t!r}.')
    if len(losses) > 1:
        losses = [functools.reduce(operator.add, [K.sum(t) for t in losses])]
    return _gradients(G, losses[0], variables)


def stop_gradient(variables):
    if isinstance(variables, (list, tuple)):
        return [G.F.stop_gradient(G.operand(v)) for v in variables]
    return G.F.stop_gradient(G.operand(variables))


def _branch(expression):
    return expression() if callable(expression) and not isinstance(expression, Tensor) else expression


def switch(condition, then_expression, else_expression):
    if not isinstance(condition, (Tensor, bool, int, float, np.ndarray, np.generic)):
        raise TypeError(f'The condition of K.switch is a tensor or a number, got {condition!r}.')
    if not isinstance(condition, Tensor):
        chosen = alone(_branch(then_expression if condition else else_expression))
        return like(chosen, [G.operand(value) for value in leaves(chosen)])
    if not condition.dims:
        return _lazy_switch(condition, then_expression, else_expression)
    condition = G.cast(condition, 'bool')
    then, other = G.together(_branch(then_expression), _branch(else_expression))
    rank = max(len(then.dims), len(other.dims))
    if len(condition.dims) > rank:
        raise ShapeError(
            f'The condition {condition.name} of K.switch has rank {len(condition.dims)}, more than the expressions of '
            f'rank {rank}.'
        )
    for axis in range(len(condition.dims), rank):
        condition = G.F.expand_dims(condition, axis=axis)
    return G.F.where(condition, then, other)


def _lazy_switch(condition, *expressions):
    made = []

    def recorded(expression):
        def record():
            made.append(alone(_branch(expression)))
            check_branches(made[0], made[-1])
            return leaves(made[-1])

        return record

    values = cond(G, condition, [recorded(expression) for expression in expressions])
    return like(made[0], values)


def map_fn(fn, elems, name=None, dtype=None):
    several = isinstance(elems, (list, tuple))
    sequences = [_sequence(e, 'K.map_fn') for e in (elems if several else [elems])]
    results = []

    def step(elements, _states):
        result = fn(type(elems)(elements) if several else elements[0])
        results.append(result)
        return [G.operand(r) for r in (result if isinstance(result, (list, tuple)) else [result])], []

    loop, mapped = scan(G, step, sequences, [], what='the function of K.map_fn')
    mapped = [collect(G, loop, m) for m in mapped]
    if dtype is not None:
        mapped = [K.cast(m, dtype) for m in mapped]
    return type(results[0])(mapped) if isinstance(results[0], (list, tuple)) else mapped[0]


def _sequence(x, what):
    x = G.operand(x)
    if not x.dims:
        raise ShapeError(f'{what} goes over axis 0, but {x.name} is a scalar.')
    return x


def _fold(fn, elems, initializer, reverse, what):
    elems = _sequence(elems, what)
    if initializer is None:
        initializer, elems = (elems[-1], elems[:-1]) if reverse else (elems[0], elems[1:])
    loop, _ = scan(
        G,
        lambda elements, states: ([], [fn(states[0], elements[0])]),
        [elems],
        [G.operand(initializer)],
        reverse,
        'the function of ' + what,
    )
    return final(G, loop, 0)


def foldl(fn, elems, initializer=None, name=None):
    return _fold(fn, elems, initializer, False, 'K.foldl')


def foldr(fn, elems, initializer=None, name=None):
    return _fold(fn, elems, initializer, True, 'K.foldr')
