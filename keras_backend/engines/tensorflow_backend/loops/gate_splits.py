"""Slices that together make up a whole tensor, taken in one operation.

Layers compute all gates of a cell at once and take them apart by slicing. The gradient of a slice is a tensor of the
size of the whole that is zero elsewhere, and these are then added up; the gradient of a split is one concatenation. A
call of the step function shows which of its slices belong together. Where what it makes is copied into a loop, parts of
one split take the place of these (see `step.py`). Where it is called again, the second call gets them. A training step
of an LSTM takes three quarters of the time then.
"""

import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ....basics.library import Tensor
from ..tensors.tensors import static_shape
from ..vendor import Operation, tf, tf2, watching

# More parts than a cell has gates are rather steps of something else, of which each may be needed alone.
_MOST = 16

Part = Tuple[int, int, int, int]  # see `_part`
Found = Tuple[Tensor, Optional[Part]]
Entry = Tuple[Part, int, Tuple[int, ...], int]  # see `_planned`


class Slices:
    """A record of the slices of one step function, in the order in which it takes them."""

    def __init__(self) -> None:
        self._plan: Optional[Dict[int, Entry]] = None

    @contextlib.contextmanager
    def around_step(self) -> Iterator[None]:
        """Around a call of the step function: the first one is watched, slices of later ones are replaced."""
        found: List[Found] = []
        splits: Dict[Any, Tuple[List[Tensor], Tensor]] = {}
        count = [0]

        def look(op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None) -> Any:
            if op_type == 'StridedSlice':
                found.append((inputs[0], _part(outputs[0].op)))
            return outputs

        def replace(op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None) -> Any:
            if op_type != 'StridedSlice':
                return outputs
            count[0] += 1
            assert self._plan is not None
            planned = self._plan.get(count[0] - 1)
            if planned is None or planned[0] != _part(outputs[0].op):
                return outputs
            _, axis, sizes, place = planned
            key = id(graph), id(inputs[0]), axis, sizes
            if key not in splits:
                # With the tensor, or else another might be born with its id.
                splits[key] = tf.split(inputs[0], sizes, axis), inputs[0]
            return [splits[key][0][place]]

        first = self._plan is None
        with watching(look if first else replace):
            yield
        if first:
            self._plan = _planned(found)


def parts_of(slices: Sequence[Operation]) -> Dict[Operation, Tuple[int, Tuple[int, ...], int]]:
    """For those of `slices` that together make up a whole: {operation: (axis, sizes of the parts, its own)}."""
    plan = _planned([(op.inputs[0], _part(op)) for op in slices])
    return {slices[number]: entry[1:] for number, entry in plan.items()}


def _part(op: Operation) -> Optional[Part]:
    """(axis, size of the axis, first, last + 1) of a slice along one axis that is known before a run, else None."""
    value = op.inputs[0]
    if value.shape.rank is None or any(
        [op.get_attr(mask) for mask in ('ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask')]
    ):
        return None
    begin, end, strides = [tf2.get_static_value(t) for t in op.inputs[1:]]
    if begin is None or end is None or strides is None or any(strides != 1):
        return None
    open_begin, open_end = op.get_attr('begin_mask'), op.get_attr('end_mask')
    part = None
    for axis, size in enumerate(static_shape(value)[: len(begin)]):
        first = 0 if open_begin >> axis & 1 else int(begin[axis])
        last: Any = size if open_end >> axis & 1 else int(end[axis])
        if first == 0 and last == size:
            continue
        if part is not None or size is None or first < 0:
            return None
        part = axis, size, first, min(last, size)
    return part


def _planned(found: Sequence[Found]) -> Dict[int, Entry]:
    """For each slice that belongs to a group: what it takes, along which axis, the sizes of the parts, and its own."""
    groups: Dict[Tuple[int, int], List[Tuple[int, Part]]] = {}
    for number, (value, part) in enumerate(found):
        if part is not None:
            groups.setdefault((id(value), part[0]), []).append((number, part))
    plan = {}
    for members in groups.values():
        axis, size = members[0][1][:2]
        spans = sorted({part[2:] for _, part in members})
        edges = [first for first, _last in spans] + [size]
        if 1 < len(spans) <= _MOST and edges[0] == 0 and edges[1:] == [last for _first, last in spans]:
            sizes = tuple([last - first for first, last in spans])
            for number, part in members:
                plan[number] = part, axis, sizes, spans.index(part[2:])
    return plan
