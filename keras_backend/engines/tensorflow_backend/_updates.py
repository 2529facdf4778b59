"""Updates of variables: made, recognised, and run after everything that reads the old values."""
from ...errors import ShapeError
from ...shapes import known
from ._convert import Variable, as_dtype, cast, is_tensor, operand, static_shape
from ._graph import check, describe
from ._library import UnreadVariable, tf

_ASSIGNING = {'AssignVariableOp': tf.raw_ops.AssignVariableOp, 'AssignAddVariableOp': tf.raw_ops.AssignAddVariableOp,
              'AssignSubVariableOp': tf.raw_ops.AssignSubVariableOp}


def is_variable(x):
    """Whether `x` is a variable itself rather than the result of an update."""
    return isinstance(x, Variable) and not isinstance(x, UnreadVariable)


def require_variable(x, what):
    """`x` if it is a variable of this graph."""
    if not is_variable(x):
        raise TypeError('%s takes a variable, got %r.' % (what, x))
    check(x)
    return x


def new_value(variable, value):
    """`value` as a tensor that fits `variable`, in dtype and shape."""
    dtype = as_dtype(variable.dtype)
    value = cast(operand(value, dtype), dtype)
    wanted, found = static_shape(variable), value.shape
    if not found.is_compatible_with(wanted):
        raise ShapeError('%s of shape %s cannot be updated with %s of shape %s.'
                         % (describe(variable), wanted, describe(value), tuple(found.as_list())))
    # An assignment that fails for its shape in a run would leave others done.
    return value if found.is_fully_defined() else tf.ensure_shape(value, wanted)


def same_shape(variable, value):
    """Whether a tensor has the shape of a variable for certain, so that it can be added to it in place."""
    shape = static_shape(variable)
    return all(map(known, shape)) and value.shape.rank is not None and shape == static_shape(value)


class Update(object):
    """One update of a function: an assignment that can be made anew behind a barrier, or any other operation.

    `values` are the tensors that it takes, empty for an operation that is run as it is.
    """

    def __init__(self, given):
        self.values, self.operation, self._control = (), None, ()
        if isinstance(given, (tuple, list)) and len(given) == 2:
            variable = require_variable(given[0], 'An update of K.function')
            self._assign(variable, _handle(variable), 'AssignVariableOp', new_value(*given))
            return
        if isinstance(given, tf.Operation) or (is_tensor(given) and not is_variable(given)):
            check(given)
            self.operation = op = given if isinstance(given, tf.Operation) else given.op
            if op.type in _ASSIGNING and op.inputs[0].op.type == 'VarHandleOp':
                self._control = op.control_inputs
                self._assign(None, op.inputs[0], op.type, op.inputs[1])
            else:
                self.key = id(op)
            return
        raise TypeError('An update of K.function is a pair (variable, new value), the result of K.update or an '
                        'operation of TensorFlow, got %r.' % (given,))

    def _assign(self, variable, handle, kind, value):
        self.key, self.name = id(handle), describe(handle)
        step = _descent(handle, kind, value)
        if step is not None:
            self.values = step
            # Locked, so that no other thread reads a half of it.
            self._make = lambda: tf.raw_ops.ResourceApplyGradientDescent(
                var=handle, alpha=step[0], delta=step[1], use_locking=True)
        elif handle.dtype == tf.resource:
            self.values = (value,)
            self._make = lambda: _ASSIGNING[kind](resource=handle, value=value)
        else:
            self.values = (value,)
            self._make = lambda: variable.assign(value, read_value=False).op

    def apply(self):
        """The operation that assigns, made where the barrier holds."""
        with tf.control_dependencies(self._control):
            return self._make()


def _handle(variable):
    return getattr(variable, 'handle', variable)


def _descent(handle, kind, value):
    """(rate, gradient) of an update of the form `w - rate * gradient`, else None.

    TensorFlow takes such a step in place, in one pass over the memory instead of three.
    """
    if kind == 'AssignVariableOp' and value.op.type == 'Sub':
        old, value = value.op.inputs
        if old.op.type != 'ReadVariableOp' or old.op.inputs[0] is not handle or old.op.control_inputs:
            return None
    elif kind != 'AssignSubVariableOp':
        return None
    if value.op.type != 'Mul' or not value.dtype.is_floating or not value.shape.is_fully_defined():
        return None
    for rate, gradient in (value.op.inputs, reversed(value.op.inputs)):
        if rate.shape.rank == 0 and gradient.shape.is_compatible_with(value.shape) and \
                gradient.shape.is_fully_defined():
            return rate, gradient
    return None


def collect(given):
    """The updates of a function. No variable may be among them twice: it would depend on luck which one wins."""
    updates = [Update(u) for u in given]
    seen = set()
    for u in updates:
        if u.values and u.key in seen:
            raise ValueError('%s is updated twice in one K.function; combine the two updates into one.' % u.name)
        seen.add(u.key)
    return updates


def behind_barrier(updates, outputs, running):
    """The operations that carry out `updates` once all outputs and all new values are computed.

    `running` are the operations that the outputs need: an update among them runs there.
    """
    assignments = [u for u in updates if u.values and u.operation not in running]
    targets = [u.operation for u in updates if u not in assignments]
    if len(assignments) == 1 and not outputs:
        return targets + [u.apply() for u in assignments]
    if assignments:
        with tf.control_dependencies(list(outputs) + [value for u in assignments for value in u.values]):
            barrier = tf.no_op(name='barrier')
        with tf.control_dependencies([barrier]):
            targets += [u.apply() for u in assignments]
    return targets
