"""Decoding of connectionist temporal classification as operators of ONNX, which has none of its own."""

from typing import List

from ...graph.nodes.tensor import Node
from .lowering import REFUSED, lowers
from .pieces import filled, join
from .reduction import largest_place
from .writer import Name, Writer

REFUSED['ctc_beam'] = (
    'a beam search needs lists that grow, and ONNX has tensors; write greedy=True, or make K.log(y_pred) an output and '
    'search outside of the file'
)


@lowers('ctc_greedy')
def ctc_greedy(w: Writer, node: Node, y: Name, lengths: Name) -> List[Name]:
    """The best label of each time, without repetitions and blanks, moved together to the left."""
    dtype = node.inputs[0].dtype
    zero, one = w.constant(0, 'int64'), w.constant(1, 'int64')
    sizes = w.op('Shape', y)
    batch, time = w.op('Slice', sizes, w.ints(0), w.ints(1)), w.op('Gather', sizes, one)
    blank = w.op('Sub', w.op('Gather', sizes, w.constant(2, 'int64')), one)
    ends = w.op('Reshape', w.cast(lengths, 'int64'), w.ints(-1, 1))
    counts = w.op('Less', w.op('Range', zero, time, one), ends)
    best = largest_place(w, y, dtype, 2)
    # at the first time there is no label before; nothing is -1
    before = w.op('Pad', w.slice(best, 1, 0, -1), w.ints(0, 1, 0, 0), w.constant(-1, 'int64'))
    new = w.op('Not', w.op('Equal', best, before))
    kept = w.op('And', w.op('And', counts, new), w.op('Not', w.op('Equal', best, blank)))
    number = w.op('CumSum', w.cast(kept, 'int64'), one)
    # one more column takes what is not kept; it goes in the end, as does what is wider than the longest path
    width = w.op('Reshape', time, w.ints(1))
    column = w.op('Where', kept, w.op('Sub', number, one), time)
    paths = filled(w, join(w, [batch, w.op('Add', width, w.ints(1))]), -1, 'int64')
    paths = w.op('ScatterElements', paths, column, best, axis=1)
    counted = w.op('Concat', w.op('Reshape', number, w.ints(-1)), w.ints(0), axis=0)
    paths = w.op('Slice', paths, w.ints(0), w.reduce('ReduceMax', counted, (0,), True), w.ints(1))

    largest = w.squeeze(w.op('GatherElements', y, w.unsqueeze(best, 2), axis=2), 2)
    largest = w.cast(largest, 'float64')
    inside = w.op('Where', counts, largest, w.constant(0, 'float64'))
    return [paths, w.cast(w.op('Neg', w.reduce('ReduceSum', inside, (1,), True)), dtype)]
