"""Functions, gradients, choices and loops."""
import numpy as np

from ...errors import ShapeError
from ._convert import cast, is_tensor, operand, own, promote, static_shape, together
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
            raise TypeError('K.gradients takes K tensors, got %r.' % (x,))
        check(x)
    graph()
    return [_dense(g) for g in tf.gradients([operand(x) for x in losses], variables)]


def _dense(gradient):
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
        return operand(_value(then_expression if condition else else_expression))
    condition = operand(condition)
    if condition.dtype != tf.bool:
        condition = tf.not_equal(condition, tf.zeros((), condition.dtype))
    rank = len(static_shape(condition))
    if not rank:
        return _branch(condition, then_expression, else_expression)
    then, other = together(_value(then_expression), _value(else_expression))
    full = max(len(static_shape(then)), len(static_shape(other)))
    if rank > full:
        raise ShapeError('The condition of K.switch has rank %d, more than the expressions of rank %d.' % (rank, full))
    for _ in range(full - rank):
        condition = tf.expand_dims(condition, -1)
    return tf.where_v2(condition, then, other)


def _branch(condition, then_expression, else_expression):
    """The value of one of the two expressions; the other one is not computed if it is a callable."""
    made = []

    def branch(expression, dtype=None):
        def build():
            value = operand(_value(expression))
            made.append(value)
            return value if dtype is None else cast(value, dtype)
        return build

    try:
        chosen = tf.cond(condition, branch(then_expression), branch(else_expression))
    except (TypeError, ValueError):
        if len(made) != 2 or made[0].dtype == made[1].dtype:
            raise
        dtype = promote(made[0].dtype, made[1].dtype)
        chosen = tf.cond(condition, branch(then_expression, dtype), branch(else_expression, dtype))
    then, other = [static_shape(value) for value in made[-2:]]
    if len(then) != len(other):
        raise ShapeError('The two branches of K.switch differ in rank: they have the shapes %s and %s.' % (then, other))
    return chosen


def foldl(fn, elems, initializer=None, name=None):
    return fold(fn, elems, initializer, False, 'K.foldl')


def foldr(fn, elems, initializer=None, name=None):
    return fold(fn, elems, initializer, True, 'K.foldr')
