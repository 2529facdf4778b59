"""Functions, gradients, choices and loops."""

import numpy as np

from ...errors import ShapeError
from ...nested import alone, check_branches, leaves, like
from ._convert import cast, is_tensor, operand, own, promote, together
from ._function import Function
from ._graph import check, graph
from ._library import tf
from ._loop import fold
from ._updates import is_variable


def function(inputs, outputs, updates=None, **kwargs):
    return Function(inputs, outputs, updates, **kwargs)


def gradients(loss, variables):
    variables = [variables] if is_tensor(variables) else list(variables)
    losses = list(loss) if isinstance(loss, (list, tuple)) and loss else [loss]
    for x in losses + variables:
        if not is_tensor(x):
            own(x)
            raise TypeError(f'K.gradients takes K tensors, got {x!r}.')
        check(x)
    graph()
    return [_dense(g, x) for g, x in zip(tf.gradients([operand(x) for x in losses], variables), variables)]


def _dense(gradient, x):
    if isinstance(gradient, tf.Tensor) and gradient.shape.rank is None:
        # A choice between branches of unlike rank forgets it on the way back, too.
        gradient.set_shape(x.shape)
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    dense = tf.convert_to_tensor(gradient)
    # For an optimizer that can make use of it: a lookup touches few of many rows.
    dense._keras_backend_slices = gradient
    return dense


def stop_gradient(variables):
    if isinstance(variables, (list, tuple)):
        return [tf.stop_gradient(operand(v)) for v in variables]
    return tf.stop_gradient(operand(variables))


def _value(expression):
    return expression() if callable(expression) and not is_variable(expression) else expression


def switch(condition, then_expression, else_expression):
    if condition is None:
        raise TypeError('K.switch got None for a condition; give a tensor or a bool.')
    if not is_tensor(condition) and not np.ndim(condition):
        chosen = alone(_value(then_expression if condition else else_expression))
        return like(chosen, [operand(value) for value in leaves(chosen)])
    condition = operand(condition)
    if condition.dtype != tf.bool:
        condition = tf.not_equal(condition, tf.zeros((), condition.dtype))
    rank = condition.shape.rank
    if rank == 0:
        return _branch(condition, then_expression, else_expression)
    then, other = together(_value(then_expression), _value(else_expression))
    ranks = [rank, then.shape.rank, other.shape.rank]
    if None in ranks:
        return tf.where_v2(condition, then, other)
    full = max(ranks[1:])
    if rank > full:
        raise ShapeError(f'The condition of K.switch has rank {rank}, more than the expressions of rank {full}.')
    for _ in range(full - rank):
        condition = tf.expand_dims(condition, -1)
    return tf.where_v2(condition, then, other)


def _branch(condition, *expressions):
    """The value of one of two expressions; the other one is not computed if it is a callable."""
    structures, made = [], []

    def branch(expression, dtypes=None):
        def build():
            structures.append(alone(_value(expression)))
            check_branches(structures[0], structures[-1])
            made.append([operand(value) for value in leaves(structures[-1])])
            return made[-1] if dtypes is None else [cast(value, dtype) for value, dtype in zip(made[-1], dtypes)]

        return build

    try:
        chosen = tf.cond(condition, *[branch(expression) for expression in expressions])
    except (TypeError, ValueError):
        if len(made) != 2:
            raise
        found = [[value.dtype for value in values] for values in made]
        if found[0] == found[1]:
            raise
        met = [promote(a, b) for a, b in zip(*found)]
        chosen = tf.cond(condition, *[branch(expression, met) for expression in expressions])
    return like(structures[-1], chosen if isinstance(chosen, (list, tuple)) else [chosen])


def foldl(fn, elems, initializer=None, name=None):
    return fold(fn, elems, initializer, False, 'K.foldl')


def foldr(fn, elems, initializer=None, name=None):
    return fold(fn, elems, initializer, True, 'K.foldr')
