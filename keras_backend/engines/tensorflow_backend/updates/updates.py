"""Updates of variables: made, recognised, and run after everything that reads the old values."""

from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ....basics.calls import no_update
from ....basics.library import Tensor
from ....basics.shapes import known
from ....errors import ArgumentTypeError, ShapeError
from ..tensors.graph import check, describe
from ..tensors.tensors import converted, is_tensor, is_variable, static_shape, used
from ..vendor import Operation, tf
from .rows import RowsOfTensors

_ASSIGNING = {
    'AssignVariableOp': tf.raw_ops.AssignVariableOp,
    'AssignAddVariableOp': tf.raw_ops.AssignAddVariableOp,
    'AssignSubVariableOp': tf.raw_ops.AssignSubVariableOp,
}


# The attribute of an assignment that says what it adds to its variable.
_INCREMENT = '_keras_backend_increment'


def require_variable(x: Any) -> Any:
    """`x` if it is a variable of this graph."""
    if not is_variable(x):
        raise ArgumentTypeError(f'a variable is needed, got {x!r}.')
    check(x)
    return x


def new_value(variable: Any, value: Tensor) -> Tensor:
    """The tensor `value` as one that fits `variable`, in dtype and shape."""
    value = converted(used(value), variable.dtype.base_dtype)
    wanted, found = static_shape(variable), value.shape
    if not found.is_compatible_with(wanted):
        raise ShapeError(
            f'{describe(variable)} of shape {wanted} cannot be updated with {describe(value)} of shape '
            f'{tuple(found.as_list())}.'
        )
    # An assignment that fails for its shape in a run would leave others done.
    return value if found.is_fully_defined() else tf.ensure_shape(value, wanted)


def same_shape(variable: Any, value: Tensor) -> bool:
    """Whether a tensor has the shape of a variable for certain, so that it can be added to it in place."""
    shape = static_shape(variable)
    return all(map(known, shape)) and value.shape.rank is not None and shape == static_shape(value)


class Update:
    """One update of a function: an assignment that can be made anew behind a barrier, or any other operation.

    `values` are the tensors that it takes, empty for an operation that is run as it is. `adds` says whether it changes
    the value that the variable has by then, rather than replacing it.
    """

    def __init__(self, given: Any, rows: RowsOfTensors) -> None:
        self._rows = rows
        self.values: Tuple[Tensor, ...] = ()
        self.operation: Optional[Operation] = None
        self.adds = False
        self._control: Sequence[Operation] = ()
        self._variable: Any = None
        self._increment: Optional[Tuple[str, Tensor]] = None
        if isinstance(given, (tuple, list)) and len(given) == 2:
            self._variable = require_variable(given[0])
            self._assign(_handle(given[0]), 'AssignVariableOp', new_value(*given))
            return
        if isinstance(given, tf.Operation) or (is_tensor(given) and not is_variable(given)):
            check(given)
            self.operation = op = given if isinstance(given, tf.Operation) else given.op
            if op.type in _ASSIGNING and op.inputs[0].op.type == 'VarHandleOp':
                self._control, self._increment = op.control_inputs, getattr(op, _INCREMENT, None)
                self._assign(op.inputs[0], op.type, op.inputs[1])
            else:
                self.key = id(op)
            return
        raise no_update(given, ', or operations of TensorFlow')

    def _assign(self, handle: Tensor, kind: str, value: Tensor) -> None:
        self.key, self._handle, self._kind, self._value = id(handle), handle, kind, value
        self.adds = kind != 'AssignVariableOp' or self._increment is not None
        few = self._rows.step(handle, kind, value) if handle.dtype == tf.resource else None
        if few is not None:
            few = few.checked(value.shape[0])
            self.values = few.rows
            self._make = lambda: few.apply(handle)
            return
        step = _descent(handle, kind, value)
        if step is None:
            self._take(kind, self._rows.rebuilt(value))
            return
        self.values = step
        # Locked, so that no other thread reads a half of it.
        self._make = lambda: tf.raw_ops.ResourceApplyGradientDescent(
            var=handle, alpha=step[0], delta=step[1], use_locking=True
        )

    def _take(self, kind: str, value: Tensor) -> None:
        handle, variable = self._handle, self._variable
        self.values = (value,)
        if handle.dtype == tf.resource:
            self._make = lambda: _ASSIGNING[kind](resource=handle, value=value)
        else:
            self._make = lambda: variable.assign(value, read_value=False).op

    def follow(self) -> None:
        """Let another update of the same variable come before this one, which has read the value from before both."""
        if self._increment is not None:
            kind, change = self._increment
            # A tensor that TensorFlow adds in place has the shape of the variable.
            self._take(kind, tf.broadcast_to(change, tf.shape(self._value)))
        elif self._kind == 'AssignVariableOp':
            self._take(self._kind, self._value)

    def apply(self) -> Operation:
        """The operation that assigns, made where the barrier holds."""
        with tf.control_dependencies(self._control):
            return self._make()


def note_increment(update: Tensor, kind: str, change: Tensor) -> Tensor:
    """Keep with `update`, an assignment, the tensor that it adds or subtracts, and the kind of operation that does."""
    setattr(update.op, _INCREMENT, (kind, change))
    return update


def _handle(variable: Any) -> Tensor:
    return getattr(variable, 'handle', variable)


def _descent(handle: Tensor, kind: str, value: Tensor) -> Optional[Tuple[Tensor, Tensor]]:
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
        if (
            rate.shape.rank == 0
            and gradient.shape.is_compatible_with(value.shape)
            and gradient.shape.is_fully_defined()
        ):
            return rate, gradient
    return None


def collect(given: Iterable[Any], fed: Iterable[Tensor] = ()) -> List[Update]:
    """The updates of a function, each operation once, without assignments that a later one replaces."""
    updates: List[Update] = []
    operations, keys, rows = set(), set(), RowsOfTensors(fed)
    for u in [Update(u, rows) for u in given]:
        if u.operation in operations:
            continue
        if u.operation is not None:
            operations.add(u.operation)
        if u.values and u.key in keys:
            u.follow()
            if not u.adds:
                updates = [other for other in updates if other.key != u.key]
        updates.append(u)
        keys.add(u.key)
    return updates


def behind_barrier(updates: Sequence[Update], outputs: Iterable[Tensor], running: Set[Operation]) -> List[Operation]:
    """The operations that carry out `updates` once all outputs and all new values are computed.

    `running` are the operations that the outputs need: an update among them runs there.
    """
    assignments = [u for u in updates if u.values and u.operation not in running]
    targets = [u.operation for u in updates if u not in assignments]
    assigned = {id(op.inputs[0]) for op in running if op.type in _ASSIGNING}
    for u in assignments:
        if u.key in assigned:
            u.follow()
    if len(assignments) == 1 and not outputs:
        return targets + [u.apply() for u in assignments]
    if assignments:
        with tf.control_dependencies(list(outputs) + [value for u in assignments for value in u.values]):
            barrier = tf.no_op(name='barrier')
        last: Dict[int, Operation] = {}
        for u in assignments:
            with tf.control_dependencies([last.get(u.key, barrier)]):
                last[u.key] = u.apply()
            targets.append(last[u.key])
    return targets
