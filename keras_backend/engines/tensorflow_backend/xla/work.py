"""The work of a call, from what can be counted before it: whether XLA would do it faster.

Counted are operations, the sizes of tensors and the steps of loops. They are the same in each run of a program, however
busy the machine is. So the bits of the results are, too: a clock would let XLA take over at another call each time.

Seconds here are those of a nominal machine, one thread of a server processor of 2024 with TensorFlow 2.20. They are
right within a factor of two or three, which is enough to tell when compiling pays.

A size that is not known before a run is taken from what is fed. The first axis of what is fed is the number of rows. A
loop goes over the largest open axis behind the first, or over the rows where no other axis is open.
"""

from typing import Any, Collection, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ....basics.tables import beside
from ....kernels.common import product
from ..vendor import function_definition, tf, tf2
from .cuts import LOOPS, called

Shapes = Sequence[Tuple[int, ...]]

# Seconds to start an operation of a loop, for one multiplication in a product of matrices, and for one element.
_START, _PRODUCT, ELEMENT = 1.2e-6, 25e-12, 0.2e-9
# What XLA saves of each operation of a loop: in a function with the gradient of a loop, and in another one. What it
# loses in each multiplication. An LSTM of 128 units on 32 rows takes .8 of the time in training, 1.07 in prediction.
_SAVED_TRAINING, _SAVED, _LOST = 1.2e-6, 0.35e-6, 5e-12
_IDLE = frozenset('Const Identity IdentityN NoOp Shape Size Rank'.split())
_PRODUCTS = frozenset('MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 Einsum'.split())


class Work(NamedTuple):
    """What a call starts, multiplies in products of matrices, and goes through; `gradients` of loops are among it."""

    operations: int
    products: int
    elements: int
    gradients: bool = False

    @property
    def seconds(self) -> float:
        """How long it takes plainly."""
        return self.operations * _START + self.products * _PRODUCT + self.elements * ELEMENT

    @property
    def saved(self) -> float:
        """How much of these seconds XLA saves."""
        return self.operations * (_SAVED_TRAINING if self.gradients else _SAVED) - self.products * _LOST


class Loops:
    """The loops of a function that is fed for the tensors `fed`."""

    def __init__(self, graph: Any, loops: Sequence[Any], fed: Sequence[Any]) -> None:
        self._fed = [(t.shape.as_list() if t.shape.rank is not None else None) for t in fed]
        self._loops = [_Loop(graph, op) for op in loops]
        self._gradients = any([_of_gradient(op) for op in loops])

    def work(self, shapes: Shapes) -> Work:
        """The work of a call with arrays of these shapes."""
        rows = max([1, *[shape[0] for shape in shapes if shape]])
        steps = max([size for static, shape in zip(self._fed, shapes) for size in _open(static, shape)], default=rows)
        largest = max(map(product, shapes), default=0)
        counts = [loop.work(rows, steps, largest) for loop in self._loops]
        operations, products, elements = [sum([count[i] for count in counts]) for i in range(3)]
        return Work(operations, products, elements, self._gradients)

    def seconds(self, shapes: Shapes) -> Optional[float]:
        """How long a call takes plainly, None if XLA is no faster."""
        work = self.work(shapes)
        return work.seconds if work.saved > 0 else None


class _Loop:
    """What can be counted in one loop before it is known what is fed."""

    def __init__(self, graph: Any, op: Any) -> None:
        limit = tf2.get_static_value(op.inputs[1])
        self._steps = None if limit is None or limit < 0 else int(limit)
        bodies = [function_definition(graph, name) for name in called(op.node_def)]
        # For each depth of loops in it: how many operations there are of each type.
        self._counts: List[Dict[str, int]] = []
        _count(graph, [body for body in bodies if body is not None], 0, self._counts)
        shapes = [t.shape.as_list() for t in op.inputs if t.shape.rank is not None and t.dtype != tf.variant]
        matrices = [t.shape.as_list() for t in op.inputs if _is_matrix(t)]
        multiplies = any([not _PRODUCTS.isdisjoint(kinds) for kinds in self._counts])
        # A product takes all rows by one of the matrices that the loop reads.
        self._matrices = sum(map(product, matrices)) if multiplies else 0
        self._read = [shape for shape in shapes if not (multiplies and shape in matrices)]

    def work(self, rows: int, steps: int, largest: int) -> Tuple[int, int, int]:
        """How many operations start, how many products there are, and how many elements they go through."""
        own = steps if self._steps is None else self._steps
        operations = sum([sum(kinds.values()) * steps**depth for depth, kinds in enumerate(self._counts)])
        read = sum([product([rows if size is None else size for size in shape]) for shape in self._read])
        return own * operations, own * rows * self._matrices, own * read + operations * largest


def _open(static: Optional[Sequence[Optional[int]]], shape: Tuple[int, ...]) -> List[int]:
    """The sizes of the axes behind the first that are not known before a run."""
    return list(shape[1:]) if static is None else [size for size, known in zip(shape[1:], static[1:]) if known is None]


def _is_matrix(t: Any) -> bool:
    return bool(t.dtype.is_floating and (t.shape.rank or 0) >= 2 and t.shape.is_fully_defined())


def _of_gradient(op: Any) -> bool:
    """Whether a loop reads the lists that another one has kept for it."""
    return any([t.dtype == tf.variant and t.op.type in LOOPS for t in op.inputs])


def _count(graph: Any, functions: Sequence[Any], depth: int, counts: List[Dict[str, int]]) -> None:
    """Count the operations of these functions, at one depth of loops, and of those inside of them."""
    while len(counts) <= depth:
        counts.append({})
    for function in functions:
        for node in function.node_def:
            if node.op in _IDLE:
                continue
            counts[depth][node.op] = counts[depth].get(node.op, 0) + 1
            inner = [f for f in [function_definition(graph, name) for name in called(node)] if f is not None]
            if inner:
                _count(graph, inner, depth + (node.op in LOOPS), counts)


# -- chains of element-wise operations ---------------------------------------------------------------------------------
# Chains of element-wise operations on large tensors: which functions are such, and whether XLA is faster there.
#
# They spend their time on the way to memory, and a cluster goes there once.


_TABLE = beside(__file__, 'work.json')
_ELEMENT_WISE, _PLUMBING = frozenset(_TABLE['element-wise'].split()), frozenset(_TABLE['plumbing'].split())
_REDUCTIONS = frozenset(['Sum', 'Mean', 'Max', 'Min'])
# A shorter chain has no memory to save.
_CHAIN = 4
# What XLA saves of each element, in tenths of a nanosecond: of most operations the way to memory, less where the cache
# is large enough. Some functions are slower in XLA, and so are sums and maxima of a whole tensor.
_USUAL, _USUAL_IN_CACHE = 2.0, 0.6
_OTHERS: Dict[str, float] = _TABLE['saved']
# The elements of a tensor that is too large for most caches, and of one for which a cluster may be worth its call.
_LARGE, _LEAST = 2000000, 1000000


class Chain:
    """The operations of a function that is a chain."""

    def __init__(self, operations: Collection[Any]) -> None:
        kinds = [op.type for op in operations if op.type in _ELEMENT_WISE or op.type in _REDUCTIONS]
        others = sorted([_OTHERS[kind] for kind in kinds if kind in _OTHERS])
        # In an order of its own: sums of floats depend on it, and a set has none.
        self._others, self._usual, self._passes = sum(others), len(kinds) - len(others), len(kinds)
        self._largest = max([t.shape.num_elements() or 0 for op in operations for t in op.outputs], default=0)

    def seconds(self, shapes: Shapes) -> Optional[float]:
        """How long a call with arrays of these shapes takes plainly, None if XLA is no faster."""
        size = max([self._largest, *map(product, shapes)])
        saved = self._others + self._usual * (_USUAL if size >= _LARGE else _USUAL_IN_CACHE)
        return self._passes * size * ELEMENT if size >= _LEAST and saved > 0 else None


def is_chain(operations: Iterable[Any]) -> bool:
    """Whether these operations are element-wise, with reductions of whole tensors among them."""
    count = 0
    for op in operations:
        if op.type in _ELEMENT_WISE or (op.type in _REDUCTIONS and _of_whole(op)):
            count += 1
        elif op.type not in _PLUMBING:
            return False
    return count >= _CHAIN


def _of_whole(op: Any) -> bool:
    """Whether a reduction is over all of a tensor of known size; XLA would add up the columns of another one by one."""
    return op.inputs[0].shape.is_fully_defined() and over_all_axes(op)


def over_all_axes(op: Any) -> bool:
    """Whether a reduction is known to be over all axes of a tensor."""
    rank, axes = op.inputs[0].shape.rank, tf2.get_static_value(op.inputs[1])
    if rank is None or axes is None:
        return False
    return {int(a) % max(rank, 1) for a in axes.ravel()} >= set(range(rank))
