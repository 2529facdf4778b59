"""Updates by the gradient of a lookup, which is zero but for the rows that were read.

`K.gradients` gives a dense tensor, as large as the table, and notes beside it the rows and their values. An update is
built by the program from such tensors with the usual arithmetic, and that arithmetic is followed back here:

    w - rate * g                           only the rows change: they are subtracted from the variable in place
    m := b * m + (1 - b) * g               one pass over m, then the rows are added to it in place
    v := b * v + (1 - b) * square(g)       the same; values of one row are added up before they are squared

So the dense tensor is never made, unless something else needs it. A row that no lookup has read keeps its value also
where the rate is infinite or NaN; the dense formula would give NaN there.
"""

from typing import Any, Dict, NamedTuple, Optional, Tuple

from ._library import tf

# Operations of which a copy with other inputs is made where a part of them can be computed by rows.
_COPIED = frozenset(['Add', 'AddV2', 'Sub', 'Mul', 'RealDiv', 'Neg', 'Square', 'Sqrt', 'Rsqrt', 'Identity', 'Maximum'])
# Their inputs by name, where these are not x and y.
_NAMES = {'Identity': ['input']}
_SUMS = frozenset(['Add', 'AddV2'])


class Rows(NamedTuple):
    """A tensor that is zero but for some rows. A row that occurs twice has the sum of both values."""

    indices: Any
    values: Any


class Step(NamedTuple):
    """Rows that are added to a variable or subtracted from it."""

    operation: str
    rows: Rows


class RowsOfTensors:
    """What is known of the tensors of one function: which consist of few rows, and which depend on such a tensor."""

    def __init__(self) -> None:
        self._rows: Dict[int, Tuple[Any, Optional[Rows]]] = {}
        self._built: Dict[int, Tuple[Any, Any]] = {}
        self._reached: Dict[int, Tuple[Any, bool]] = {}

    def step(self, handle: Any, kind: str, value: Any) -> Optional[Step]:
        """The step of an assignment that changes few rows of a variable, else None."""
        if kind == 'AssignVariableOp' and value.op.type in _SUMS | {'Sub'}:
            for old, change in _orders(value.op):
                if old.op.type == 'ReadVariableOp' and old.op.inputs[0] is handle and not old.op.control_inputs:
                    rows = self._rows_of(change) if change.shape == value.shape else None
                    if rows is not None:
                        return Step('ResourceScatterSub' if value.op.type == 'Sub' else 'ResourceScatterAdd', rows)
        elif kind in ('AssignSubVariableOp', 'AssignAddVariableOp'):
            rows = self._rows_of(value)
            if rows is not None:
                return Step('ResourceScatterSub' if kind == 'AssignSubVariableOp' else 'ResourceScatterAdd', rows)
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
        inputs = [self.rebuilt(x) for x in op.inputs]
        if all([new is old for new, old in zip(inputs, op.inputs)]):
            return tensor
        return getattr(tf.raw_ops, op.type)(**dict(zip(_NAMES.get(op.type, 'xy'), inputs)))

    def _reaches(self, tensor: Any) -> bool:
        """Whether a tensor comes from rows by arithmetic alone."""
        known = self._reached.get(id(tensor))
        if known is None:
            found = _slices(tensor) is not None or (
                tensor.op.type in _COPIED
                and tensor.shape.is_fully_defined()
                and any([self._reaches(x) for x in tensor.op.inputs])
            )
            known = self._reached[id(tensor)] = tensor, found
        return known[1]

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
        parts = [self._rows_of(x) for x in op.inputs]
        if op.type in ('Identity', 'Neg', 'Square') and parts[0] is not None:
            if op.type == 'Square':
                return _squared(parts[0])
            return parts[0] if op.type == 'Identity' else Rows(parts[0].indices, -parts[0].values)
        if op.type == 'Mul' and op.inputs[0] is op.inputs[1] and parts[0] is not None:
            return _squared(parts[0])
        if op.type in ('Mul', 'RealDiv'):
            for i, rows in enumerate(parts[: 2 if op.type == 'Mul' else 1]):
                if rows is not None and parts[1 - i] is None:
                    other = self._beside(rows, op.inputs[1 - i], tensor)
                    if other is not None:
                        return Rows(rows.indices, rows.values * other if op.type == 'Mul' else rows.values / other)
        if (op.type in _SUMS or op.type == 'Sub') and op.inputs[0].shape == op.inputs[1].shape:
            first, second = parts
            if first is not None and second is not None:
                values = -second.values if op.type == 'Sub' else second.values
                indices = [tf.cast(rows.indices, tf.int64) for rows in (first, second)]
                return Rows(tf.concat(indices, 0), tf.concat([first.values, values], 0))
        return None

    def _beside(self, rows: Rows, other: Any, tensor: Any) -> Any:
        """The factor or divisor `other` for the rows, None where it is neither a scalar nor of the whole shape."""
        if other.shape.rank == 0:
            return other
        return tf.gather(self.rebuilt(other), rows.indices) if other.shape == tensor.shape else None


def _orders(op: Any) -> Any:
    """The two inputs of a sum in either order, those of a difference as they are."""
    pair = list(op.inputs)
    return [pair] if op.type == 'Sub' else [pair, pair[::-1]]


def _slices(tensor: Any) -> Any:
    """The slices that are noted beside the gradient of a lookup, if its shape is known."""
    slices = getattr(tensor, '_keras_backend_slices', None)
    return slices if slices is not None and tensor.shape.is_fully_defined() else None


def _squared(rows: Rows) -> Rows:
    indices, places = tf.unique(rows.indices)
    return Rows(indices, tf.square(tf.math.unsorted_segment_sum(rows.values, places, tf.size(indices))))
