"""Updates by the gradient of a lookup, which is zero but for the rows that were read.

`K.gradients` gives a dense tensor, as large as the table, and notes beside it the rows and their values. An update is
built by the program from such tensors with the usual arithmetic, and that arithmetic is followed back here:

    w - rate * g                           only the rows change: they are subtracted from the variable in place
    m := b * m + (1 - b) * g               one pass over m, then the rows are added to it in place
    v := b * v + (1 - b) * square(g)       the same; values of one row are added up before they are squared
    w - rate * clip(g, -c, c)              values of one row are added up before they are clipped
    n = sqrt(sum(square(g)))               the sum of the rows
    w - rate * switch(n >= c, g * c / n, g)    the rows are chosen; `n` is computed again from rows

So the dense tensor is never made, unless something else needs it. A row that no lookup has read keeps its value also
where the rate is infinite or NaN; the dense formula would give NaN there.
"""

from typing import Any, Dict, Iterable, NamedTuple, Optional, Tuple

from ..vendor import tf, tf2

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
            for whole, part in _orders(op):
                rows = self._rows_of(part) if whole.shape == part.shape == tensor.shape else None
                if rows is not None:
                    scatter = tf.raw_ops.TensorScatterSub if op.type == 'Sub' else tf.raw_ops.TensorScatterAdd
                    places = tf.expand_dims(rows.indices, -1)
                    return scatter(tensor=self.rebuilt(whole), indices=places, updates=rows.values)
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
                given = _choice(t) or t.op.inputs
                unknown = [x for x in given if id(x) not in self._distances]
                if unknown:
                    todo += unknown
                    continue
                furthest = max([self._distances[id(x)][1] for x in given])
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
        parts = [self._rows_of(x) for x in op.inputs]
        if op.type in ('Identity', 'Neg', 'Square') and parts[0] is not None:
            if op.type == 'Square':
                return _squared(parts[0])
            return parts[0] if op.type == 'Identity' else Rows(parts[0].indices, -parts[0].values)
        if op.type == 'Mul' and op.inputs[0] is op.inputs[1] and parts[0] is not None:
            return _squared(parts[0])
        if op.type in ('Mul', 'RealDiv'):
            for i, rows in enumerate(parts[: 2 if op.type == 'Mul' else 1]):
                if rows is not None and parts[1 - i] is None and op.inputs[i].shape == tensor.shape:
                    other = self._beside(rows, op.inputs[1 - i], tensor)
                    if other is not None:
                        return Rows(rows.indices, rows.values * other if op.type == 'Mul' else rows.values / other)
        if op.type in ('Maximum', 'Minimum'):
            for rows, limit in zip(parts, op.inputs[::-1]):
                if rows is not None and _keeps_zero(op.type, limit):
                    rows = _summed(rows)
                    limited = tf.maximum if op.type == 'Maximum' else tf.minimum
                    return rows._replace(values=limited(rows.values, limit))
        if (op.type in _SUMS or op.type == 'Sub') and op.inputs[0].shape == op.inputs[1].shape:
            first, second = parts
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
    found = vars(tensor).get('_keras_backend_choice')
    alike = found is not None and all([(x.shape, x.dtype) == (tensor.shape, tensor.dtype) for x in found[1:]])
    return found if alike else None


def _summed(rows: Rows) -> Rows:
    """The same tensor, with each row once."""
    indices, places = tf.unique(rows.indices)
    return Rows(indices, tf.math.unsorted_segment_sum(rows.values, places, tf.size(indices)))


def _squared(rows: Rows) -> Rows:
    rows = _summed(rows)
    return rows._replace(values=tf.square(rows.values))


def _keeps_zero(kind: str, limit: Any) -> bool:
    """Whether 0 stays 0 beside a number that is known."""
    value = tf.get_static_value(limit) if limit.shape.rank == 0 else None
    return value is not None and bool(value <= 0 if kind == 'Maximum' else value >= 0)
