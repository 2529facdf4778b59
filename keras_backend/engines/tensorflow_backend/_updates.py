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
    """One update of a function: an assignment that can be made anew behind a barrier, or any other operation."""

    def __init__(self, given):
        self.value = self.variable = self.operation = None
        if isinstance(given, (tuple, list)) and len(given) == 2:
            self.variable = require_variable(given[0], 'An update of K.function')
            self.value = new_value(*given)
            self.key, self.name = id(_handle(self.variable)), describe(self.variable)
            return
        if isinstance(given, tf.Operation) or (is_tensor(given) and not is_variable(given)):
            check(given)
            self.operation = op = given if isinstance(given, tf.Operation) else given.op
            self.key = id(op)
            if op.type in _ASSIGNING and op.inputs[0].op.type == 'VarHandleOp':
                self.value, self.key, self.name = op.inputs[1], id(op.inputs[0]), describe(op.inputs[0])
            return
        raise TypeError('An update of K.function is a pair (variable, new value), the result of K.update or an '
                        'operation of TensorFlow, got %r.' % (given,))

    def apply(self):
        """The operation that assigns, made where the barrier holds."""
        if self.variable is not None:
            done = self.variable.assign(self.value, read_value=False)
            return getattr(done, 'op', done)
        op = self.operation
        with tf.control_dependencies(op.control_inputs):
            return _ASSIGNING[op.type](resource=op.inputs[0], value=op.inputs[1])


def _handle(variable):
    return getattr(variable, 'handle', variable)


def collect(given):
    """The updates of a function. No variable may be among them twice: it would depend on luck which one wins."""
    updates = [Update(u) for u in given]
    seen = set()
    for u in updates:
        if u.value is not None and u.key in seen:
            raise ValueError('%s is updated twice in one K.function; combine the two updates into one.' % u.name)
        seen.add(u.key)
    return updates


def behind_barrier(updates, outputs, running):
    """The operations that carry out `updates` once all outputs and all new values are computed.

    `running` are the operations that the outputs need: an update among them runs there.
    """
    assignments = [u for u in updates if u.value is not None and u.operation not in running]
    targets = [u.operation for u in updates if u not in assignments]
    if len(assignments) == 1 and not outputs:
        return targets + [u.apply() for u in assignments]
    if assignments:
        with tf.control_dependencies(list(outputs) + [u.value for u in assignments]):
            barrier = tf.no_op(name='barrier')
        with tf.control_dependencies([barrier]):
            targets += [u.apply() for u in assignments]
    return targets
