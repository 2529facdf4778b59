"""Updates of variables, those of a few rows included."""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ...basics.calls import no_update
from ...basics.library import Tensor
from ...basics.shapes import known
from ...errors import ArgumentTypeError, ShapeError
from .tensors.graph import check, describe
from .tensors.tensors import converted, is_tensor, is_variable, static_shape, used
from .vendor import Operation, tf, tf2

# -- rows --------------------------------------------------------------------------------------------------------------
# Updates by the gradient of a lookup, which is zero but for the rows that were read.
#
# `K.gradients` gives a dense tensor, as large as the table, and notes beside it the rows and their values. An update
# is built by the program from such tensors with the usual arithmetic, and that arithmetic is followed back here:
#
#     w - rate * g                           only the rows change: they are subtracted from the variable in place
#     m := b * m + (1 - b) * g               one pass over m, then the rows are added to it in place
#     v := b * v + (1 - b) * square(g)       the same; values of one row are added up before they are squared
#     w - rate * clip(g, -c, c)              values of one row are added up before they are clipped
#     n = sqrt(sum(square(g)))               the sum of the rows
#     w - rate * switch(n >= c, g * c / n, g)    the rows are chosen; `n` is computed again from rows
#
# So the dense tensor is never made, unless something else needs it. A row that no lookup has read keeps its value also
# where the rate is infinite or NaN; the dense formula would give NaN there.


# Operations of which a copy with other inputs is made where a part of them can be computed by rows.
_COPIED = frozenset(
    'Add AddV2 Sub Mul RealDiv Neg Abs Square Sqrt Rsqrt Identity Maximum Minimum Greater GreaterEqual Less LessEqual '
    'Sum'.split()
)
# Their inputs by name, where these are not x and y.
_NAMES = {'Identity': ['input'], 'Sum': ['input', 'axis']}
_SUMS = frozenset(['Add', 'AddV2'])
# A tensor that is further away from rows is computed as it was written: Python does not follow sums of any length.
_FURTHEST = 100
# Dtypes for which a sum of rows that holds a lock has a kernel, on CPUs alone.
_LOCKED = (tf.float32, tf.float64)


class Rows(NamedTuple):
    """A tensor that is zero but for some rows. A row that occurs twice has the sum of both values."""

    indices: Any
    values: Any


class Step(NamedTuple):
    """Rows that are added to a variable (`sign` 1) or subtracted from it (-1)."""

    sign: int
    rows: Rows

    def checked(self, count: int) -> 'Step':
        """The same, for a variable with so many rows, with indices that are in range or fail before any update."""
        indices = self.rows.indices
        right = tf.reduce_all(tf.logical_and(indices >= 0, indices < tf.cast(count, indices.dtype)))
        what = f'The index of a row to update is not in [0, {count}):'
        with tf.control_dependencies([tf.raw_ops.Assert(condition=right, data=[tf.constant(what), indices])]):
            return self._replace(rows=self.rows._replace(indices=tf.identity(indices)))

    def apply(self, handle: Any) -> Any:
        """The operation that changes the variable of a handle."""
        indices, values = self.rows
        if values.dtype in _LOCKED and not tf2.config.list_physical_devices('GPU'):
            # A scatter has no lock, so other threads would read a half of it.
            rate = tf.constant(-self.sign, values.dtype)
            none = tf.constant(0, values.dtype)
            return tf.raw_ops.ResourceSparseApplyProximalGradientDescent(
                var=handle, alpha=rate, l1=none, l2=none, grad=values, indices=indices, use_locking=True
            )
        scatter = tf.raw_ops.ResourceScatterAdd if self.sign > 0 else tf.raw_ops.ResourceScatterSub
        return scatter(resource=handle, indices=indices, updates=values)


class RowsOfTensors:
    """A record of the tensors of one function: which consist of few rows, and which depend on such a tensor.

    A tensor that is `fed` may have any value, whatever it would be computed from.
    """

    def __init__(self, fed: Iterable[Any] = ()) -> None:
        self._fed = {id(t) for t in fed}
        self._rows: Dict[int, Tuple[Any, Optional[Rows]]] = {}
        self._built: Dict[int, Tuple[Any, Any]] = {}
        # How many operations a tensor is away from the furthest rows, 0 if it comes from none.
        self._distances: Dict[int, Tuple[Any, int]] = {}

    def step(self, handle: Any, kind: str, value: Any) -> Optional[Step]:
        """The step of an assignment that changes few rows of a variable, else None."""
        if kind == 'AssignVariableOp' and value.op.type in _SUMS | {'Sub'}:
            for old, change in _orders(value.op):
                if old.op.type == 'ReadVariableOp' and old.op.inputs[0] is handle and not old.op.control_inputs:
                    rows = self._rows_of(change) if change.shape == value.shape else None
                    if rows is not None:
                        return Step(-1 if value.op.type == 'Sub' else 1, rows)
        elif kind in ('AssignSubVariableOp', 'AssignAddVariableOp'):
            rows = self._rows_of(value)
            if rows is not None:
                return Step(-1 if kind == 'AssignSubVariableOp' else 1, rows)
        return None

    def rebuilt(self, tensor: Any) -> Any:
        """The same value, with rows added or subtracted in place of sums with tensors that consist of few rows."""
        if not self._reaches(tensor) or self._rows_of(tensor) is not None:
            return tensor
        known = self._built.get(id(tensor))
        if known is None:
            known = self._built[id(tensor)] = tensor, self._rebuild(tensor)
        return known[1]

    def _rebuild(self, tensor: Any) -> Any:
        op = tensor.op
        if op.type in _SUMS or op.type == 'Sub':
            for whole, addend in _orders(op):
                rows = self._rows_of(addend) if whole.shape == addend.shape == tensor.shape else None
                if rows is not None:
                    scatter = tf.raw_ops.TensorScatterSub if op.type == 'Sub' else tf.raw_ops.TensorScatterAdd
                    indices = tf.expand_dims(rows.indices, -1)
                    return scatter(tensor=self.rebuilt(whole), indices=indices, updates=rows.values)
        if op.type == 'Sum':
            # A sum over all axes, with rows that occur twice in it.
            rows = self._rows_of(op.inputs[0]) if tensor.shape.num_elements() == 1 else None
            if rows is not None:
                return tf.reshape(tf.reduce_sum(rows.values), tensor.shape)
        inputs = [self.rebuilt(x) for x in op.inputs]
        if all([new is old for new, old in zip(inputs, op.inputs)]):
            return tensor
        more = {'keep_dims': op.get_attr('keep_dims')} if op.type == 'Sum' else {}
        return getattr(tf.raw_ops, op.type)(**dict(zip(_NAMES.get(op.type, 'xy'), inputs)), **more)

    def _reaches(self, tensor: Any) -> bool:
        """Whether a tensor comes from rows by arithmetic alone, and by few operations."""
        todo = [tensor]
        while todo:
            t = todo[-1]
            if id(t) in self._distances:
                todo.pop()
                continue
            distance = 0
            if id(t) not in self._fed and _slices(t) is not None:
                distance = 1
            elif id(t) not in self._fed and t.shape.is_fully_defined() and (t.op.type in _COPIED or _choice(t)):
                operands = _choice(t) or t.op.inputs
                unknown = [x for x in operands if id(x) not in self._distances]
                if unknown:
                    todo += unknown
                    continue
                furthest = max([self._distances[id(x)][1] for x in operands])
                distance = furthest + 1 if 0 < furthest < _FURTHEST else 0
            self._distances[id(t)] = t, distance
        return self._distances[id(tensor)][1] > 0

    def _rows_of(self, tensor: Any) -> Optional[Rows]:
        if not self._reaches(tensor):
            return None
        known = self._rows.get(id(tensor))
        if known is None:
            known = self._rows[id(tensor)] = tensor, self._find_rows(tensor)
        return known[1]

    def _find_rows(self, tensor: Any) -> Optional[Rows]:
        slices, op = _slices(tensor), tensor.op
        if slices is not None:
            return Rows(slices.indices, slices.values)
        if _choice(tensor):
            return self._chosen(*_choice(tensor))
        operands = [self._rows_of(x) for x in op.inputs]
        if op.type in ('Identity', 'Neg', 'Square') and operands[0] is not None:
            if op.type == 'Square':
                return _squared(operands[0])
            return operands[0] if op.type == 'Identity' else Rows(operands[0].indices, -operands[0].values)
        if op.type == 'Mul' and op.inputs[0] is op.inputs[1] and operands[0] is not None:
            return _squared(operands[0])
        if op.type in ('Mul', 'RealDiv'):
            for i, rows in enumerate(operands[: 2 if op.type == 'Mul' else 1]):
                if rows is not None and operands[1 - i] is None and op.inputs[i].shape == tensor.shape:
                    other = self._beside(rows, op.inputs[1 - i], tensor)
                    if other is not None:
                        return Rows(rows.indices, rows.values * other if op.type == 'Mul' else rows.values / other)
        if op.type in ('Maximum', 'Minimum'):
            for rows, limit in zip(operands, op.inputs[::-1]):
                if rows is not None and _keeps_zero(op.type, limit):
                    rows = _summed(rows)
                    limited = tf.maximum if op.type == 'Maximum' else tf.minimum
                    return rows._replace(values=limited(rows.values, limit))
        if (op.type in _SUMS or op.type == 'Sub') and op.inputs[0].shape == op.inputs[1].shape:
            first, second = operands
            if first is not None and second is not None:
                values = -second.values if op.type == 'Sub' else second.values
                indices = [tf.cast(rows.indices, tf.int64) for rows in (first, second)]
                return Rows(tf.concat(indices, 0), tf.concat([first.values, values], 0))
        return None

    def _chosen(self, condition: Any, then: Any, other: Any) -> Optional[Rows]:
        """One of two tensors that have the same rows."""
        first, second = self._rows_of(then), self._rows_of(other)
        if first is None or second is None or first.indices is not second.indices:
            return None
        return Rows(first.indices, tf.where(self.rebuilt(condition), first.values, second.values))

    def _beside(self, rows: Rows, other: Any, tensor: Any) -> Any:
        """The factor or divisor `other` for the rows, None where it is neither a scalar nor of the whole shape."""
        if other.shape.rank == 0:
            return self.rebuilt(other)
        return tf.gather(self.rebuilt(other), rows.indices) if other.shape == tensor.shape else None


def _orders(op: Any) -> Any:
    """The two inputs of a sum in either order, those of a difference as they are."""
    pair = list(op.inputs)
    return [pair] if op.type == 'Sub' else [pair, pair[::-1]]


def _slices(tensor: Any) -> Any:
    """The slices that are noted beside the gradient of a lookup, if its shape is known, and not empty."""
    # getattr takes 3 us for what is not there: TensorFlow makes an error. Most tensors have none.
    slices = vars(tensor).get('_keras_backend_slices')
    return slices if slices is not None and tensor.shape.num_elements() else None


def _choice(tensor: Any) -> Any:
    """(condition, value, other value) of a choice between two tensors of one shape and dtype, else None."""
    choice = vars(tensor).get('_keras_backend_choice')
    alike = choice is not None and all([(x.shape, x.dtype) == (tensor.shape, tensor.dtype) for x in choice[1:]])
    return choice if alike else None


def _summed(rows: Rows) -> Rows:
    """The same tensor, with each row once."""
    indices, segment_ids = tf.unique(rows.indices)
    return Rows(indices, tf.math.unsorted_segment_sum(rows.values, segment_ids, tf.size(indices)))


def _squared(rows: Rows) -> Rows:
    rows = _summed(rows)
    return rows._replace(values=tf.square(rows.values))


def _keeps_zero(kind: str, limit: Any) -> bool:
    """Whether 0 stays 0 beside a number that is known."""
    value = tf.get_static_value(limit) if limit.shape.rank == 0 else None
    return value is not None and bool(value <= 0 if kind == 'Maximum' else value >= 0)


# -- updates -----------------------------------------------------------------------------------------------------------
# Updates of variables: made, recognised, and run after everything that reads the old values.


_ASSIGNING = {
    kind: getattr(tf.raw_ops, kind) for kind in ('AssignVariableOp', 'AssignAddVariableOp', 'AssignSubVariableOp')
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
    expected, shape = static_shape(variable), value.shape
    if not shape.is_compatible_with(expected):
        raise ShapeError(
            f'{describe(variable)} of shape {expected} cannot be updated with {describe(value)} of shape '
            f'{tuple(shape.as_list())}.'
        )
    # An assignment that fails for its shape in a run would leave others done.
    return value if shape.is_fully_defined() else tf.ensure_shape(value, expected)


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
