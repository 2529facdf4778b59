"""The tensors inside of branches and loops that a gradient may need.

TensorFlow can build the gradient of a branch or loop that has run only if the branch has handed out all tensors that
the gradient needs. It hands out every tensor of the branch, if told to. Each costs operations in both branches and
outside: a dropout of 14 operations has 13 such tensors. Few of them can be asked for. A gradient passes from the
results to what the branch takes from outside, and uses the inputs and outputs of the operations on this path alone:

    mask = cast(random_uniform(shape(x)) > rate)         nothing from outside is behind the mask, but the shape of x
    y = x * mask                                         on the path from x to y: x, mask and y are kept

Lists of tensors are on the path, but a loop that kept the list to which it writes would have to copy it in each step:
T steps would copy T elements each. No gradient of a step needs the list itself.
"""

from typing import Any, List, Set

from ._library import tf

# Operations with a float result that no gradient passes.
_CUT = frozenset(['ZerosLike', 'OnesLike', 'StopGradient', 'Const'])


def needed(graph: Any, tensors: List[Any]) -> List[Any]:
    """Those of `tensors`, which are made in the graph of a branch or a loop, that a gradient may need."""
    reached: Set[int] = {id(t) for t in graph.inputs if _passes(t.dtype)}
    kept: Set[int] = set()
    for op in graph.get_operations():
        if op.type in _CUT or not any([id(t) in reached for t in op.inputs]):
            continue
        results = [t for t in op.outputs if _passes(t.dtype)]
        if results:
            reached.update(map(id, results))
            kept.update(map(id, op.inputs))
            kept.update(map(id, op.outputs))
    # A constant is made anew where it is needed.
    return [t for t in tensors if id(t) in kept and t.op.type != 'Const' and t.dtype != tf.variant]


def _passes(dtype: Any) -> bool:
    """Whether a gradient may pass a tensor of this dtype. It passes variables and lists of tensors, too."""
    return dtype.is_floating or dtype.is_complex or dtype in (tf.resource, tf.variant)
