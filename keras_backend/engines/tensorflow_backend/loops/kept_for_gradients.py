"""The tensors inside of branches and loops that a gradient may need.

TensorFlow can build the gradient of a branch or loop that has run only if the branch has handed out all tensors that
the gradient needs. It hands out every tensor of the branch, if told to. Each costs operations in both branches and
outside: a dropout of 14 operations has 13 such tensors. Few of them can be asked for. A gradient passes from the
results to what the branch takes from outside, and uses the inputs and outputs of the operations on this path alone:

    mask = cast(random_uniform(shape(x)) > rate)         nothing from outside is behind the mask, but the shape of x
    y = x * mask                                         on the path from x to y: x, mask and y are kept

Lists of tensors are on the path. A list that the body takes from outside is not kept: a loop that writes to such a list
would have to copy it in each step, T elements in each of T steps. No gradient of a step needs this list. The lists that
the body makes anew are kept: a loop inside of the body reads its sequence from one and hands out others for its own
gradient.

A tensor that a loop carries is kept, even if the body does not use it: its gradient is zeros of the same shape.

A branch deep inside of others keeps nothing. All around it would have to hand out what it keeps, so time and memory
would grow with the square of the depth. TensorFlow then adds what is needed when it makes the gradient.
"""

from typing import Any, List, Set

from ..vendor import branches_around, tf

# Operations with a float result that no gradient passes.
_CUT = frozenset(['ZerosLike', 'OnesLike', 'StopGradient', 'Const'])

# Operations that a gradient passes as it is. TensorFlow puts one behind each tensor that a branch hands out. That would
# double what a branch in a branch hands out, at each level.
_SAME = frozenset(['Identity', 'IdentityN'])

# Operations that give the list that they take, changed.
_WRITING = frozenset(['TensorListPushBack', 'TensorListPopBack', 'TensorListSetItem', 'TensorListResize'])
_LOOPS = frozenset(['While', 'StatelessWhile'])

# A network has few branches inside of each other.
_DEEP = 16


def needed(graph: Any, tensors: List[Any]) -> List[Any]:
    """Those of `tensors`, which are made in the graph of a branch or a loop, that a gradient may need."""
    if branches_around(graph, _DEEP) == _DEEP:
        return []
    reached: Set[int] = {id(t) for t in graph.inputs if _passes(t.dtype)}
    outside: Set[int] = {id(t) for t in graph.inputs if t.dtype == tf.variant}
    outputs = set(map(id, graph.outputs))
    kept = {id(t) for t in graph.inputs if _is_number(t.dtype) and id(t) not in outputs}
    for op in graph.get_operations():
        if op.type in _CUT or not any([id(t) in reached for t in op.inputs]):
            continue
        results = [t for t in op.outputs if _passes(t.dtype)]
        if results:
            reached.update(map(id, results))
            if op.type not in _SAME:
                kept.update(map(id, op.inputs))
                kept.update(map(id, op.outputs))
        outside.update([id(t) for t in op.outputs if t.dtype == tf.variant and _is_changed(t, outside)])
    # A constant is made anew where it is needed.
    return [t for t in tensors if id(t) in kept and t.op.type != 'Const' and id(t) not in outside]


def _is_changed(t: Any, lists: Set[int]) -> bool:
    """Whether the list `t` is one of `lists`, changed by the operation that gives it, or is changed in the body."""
    if t.op.type in _LOOPS:
        return t.value_index < len(t.op.inputs) and id(t.op.inputs[t.value_index]) in lists
    return t.op.type in _WRITING or any([id(i) in lists for i in t.op.inputs])


def _passes(dtype: Any) -> bool:
    """Whether a gradient may pass a tensor of this dtype. It passes variables and lists of tensors, too."""
    return _is_number(dtype) or dtype in (tf.resource, tf.variant)


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_floating or dtype.is_complex)
