"""Rewritings of graphs for both libraries: sums by rows, the order of what overwrites, and loops."""

from collections import OrderedDict
from typing import Any, Dict, List, NamedTuple, Sequence, Set, Tuple, Union

import numpy as np

from ....kernels import PRIMITIVES
from .. import vendor
from ..primitives.kernel import Kernel
from ..vendor import T, theano

# -- by rows -----------------------------------------------------------------------------------------------------------
# Sums with the gradient of a lookup, computed by rows, as on the K graph (see `graph/run/row_updates.py`).
#
# The gradient of `K.gather` is the kernel `scatter_add`. The sum of an array and an element-wise function of that
# becomes `OntoRows`, which reads and writes only the rows that were looked up. In a mode that lets operations work in
# place, it writes into the array of a variable, after all else (see `modes.py`). A step with 1,280 of 100,000 rows of
# 64 numbers takes a fifteenth of the time of the dense formula.


Tensor = Any
scalar = theano.scalar
_ZERO = (scalar.Neg, scalar.Sqr, scalar.Abs, vendor.Sign, scalar.Sqrt, scalar.Identity)
_UNARY = (*_ZERO, scalar.Cast)
# functions that may have rows as the first operand, and as any
_FIRST, _ANY = (scalar.TrueDiv, scalar.Pow, scalar.Clip), (scalar.Mul, scalar.Maximum, scalar.Minimum)
_SUMS = {scalar.Add: 'add_rows', scalar.Sub: 'sub_rows'}


class Rows(vendor.Op):
    """The places and the sums that the kernel `rows` gives; of all rows where there are few."""

    __props__ = ()

    def make_node(self, size: Tensor, *given: Tensor) -> Any:
        sums = vendor.TensorType(given[1].dtype, (False, *given[1].type.broadcastable[given[0].type.ndim :]))
        return vendor.Apply(self, [size, *given], [T.lvector(), sums()])

    def perform(self, node: Any, inputs: Sequence[Any], outputs: Sequence[List[Any]]) -> None:
        size = int(inputs[0])
        indices, sums = PRIMITIVES['rows'](size, *inputs[1:])
        if indices is None:
            indices, sums = np.arange(size), np.concatenate([sums, np.zeros((1,) + sums.shape[1:], sums.dtype)])
        outputs[0][0], outputs[1][0] = indices.astype('int64', copy=False), sums


class OntoRows(vendor.Op):
    """`x`, which has `size` rows, with rows added or subtracted (kernel: 'add_rows' or 'sub_rows')."""

    __props__ = ('kernel', 'inplace')

    def __init__(self, kernel: str, inplace: bool = False) -> None:
        self.kernel, self.inplace = kernel, inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, x: Tensor, size: Tensor, places: Tensor, sums: Tensor) -> Any:
        return vendor.Apply(self, [x, size, places, sums], [x.type()])

    def infer_shape(self, node: Any, shapes: Sequence[Any]) -> List[Any]:
        return [shapes[0]]

    def perform(self, node: Any, inputs: Sequence[Any], outputs: Sequence[List[Any]]) -> None:
        x, size, indices, sums = inputs
        if x.shape != (int(size),) + sums.shape[1:]:
            raise ValueError(f'an array of shape {x.shape} and a gradient of {size} rows of shape {sums.shape[1:]}')
        whole = PRIMITIVES[self.kernel]
        outputs[0][0] = whole(x, indices, sums, x) if self.inplace else whole(x, indices, sums)


class _Chain(NamedTuple):
    """The rows that stand for an element-wise function of the gradient of a lookup."""

    lookups: List[Any]  # the nodes that it comes from
    bare: bool  # whether it is their sum, without a function
    zero: bool  # whether it is 0, and never NaN, in the rows that were not read
    size: Tensor
    places: Tensor
    sums: Tensor


class ByRows(vendor.GraphRewriter):
    """Finds such sums in a graph as it was written."""

    def add_requirements(self, graph: Any) -> None:
        graph.attach_feature(vendor.ReplaceValidate())

    def apply(self, graph: Any) -> None:
        chains: Dict[Tensor, _Chain] = {}
        pairs: List[Tuple[Tensor, Tensor]] = []
        for node in graph.toposort():
            if isinstance(node.op, Kernel):
                if node.op.primitive == 'scatter_add' and not node.outputs[0].type.broadcastable[0]:
                    chains[node.outputs[0]] = _started([node])
            elif chains and isinstance(node.op, vendor.Elemwise) and len(node.outputs) == 1:
                _see(node, chains, pairs)
            elif chains and isinstance(node.op, vendor.Sum):
                _total(node, chains, pairs)
            elif chains and isinstance(node.op, vendor.IfElse) and len(node.outputs) == 1:
                _choice(node, chains)
        if pairs:
            graph.replace_all_validate(pairs, reason='keras_by_rows')


def _see(node: Any, chains: Dict[Tensor, _Chain], pairs: List[Tuple[Tensor, Tensor]]) -> None:
    """Continue a chain with `node`, or end it."""
    kind, inputs = type(node.op.scalar_op), node.inputs
    operands = [chains.get(x) for x in inputs]
    if not any(operands):
        return
    out = node.outputs[0]
    if kind in _SUMS:
        if len(inputs) != 2 or inputs[0].type.broadcastable != inputs[1].type.broadcastable:
            return
        x, y = operands
        if x and y and x.places is y.places:
            chains[out] = x._replace(bare=False, zero=x.zero and y.zero, sums=node.op(x.sums, y.sums))
        elif x and y and x.bare and y.bare and kind is scalar.Add and x.size is y.size:
            chains[out] = _started(x.lookups + y.lookups)
        elif y or kind is scalar.Add:
            chain: Any  # one of the two is there
            chain, other = (y, inputs[0]) if y else (x, inputs[1])
            if other.type == out.type:
                pairs.append((out, OntoRows(_SUMS[kind])(other, chain.size, chain.places, chain.sums)))
    elif kind in _UNARY or kind in _ANY or (kind in _FIRST and operands[0]):
        first = next(chain for chain in operands if chain)
        if all([c.places is first.places if c else x.type.broadcastable[0] for x, c in zip(inputs, operands)]):
            sums = [chain.sums if chain else x for x, chain in zip(inputs, operands)]
            zero = (kind in _ZERO or kind is scalar.Mul) and all([chain and chain.zero for chain in operands])
            chains[out] = first._replace(bare=False, zero=zero, sums=node.op(*sums))


def _total(node: Any, chains: Dict[Tensor, _Chain], pairs: List[Tuple[Tensor, Tensor]]) -> None:
    """A sum over all axes is that of the rows."""
    chain = chains.get(node.inputs[0])
    if chain and chain.zero and node.outputs[0].type.ndim == 0:
        pairs.append((node.outputs[0], node.op(chain.sums)))


def _choice(node: Any, chains: Dict[Tensor, _Chain]) -> None:
    """A choice between two chains with the same places."""
    condition, *sides = node.inputs
    x, y = [chains.get(side) for side in sides]
    if x and y and x.places is y.places:
        chains[node.outputs[0]] = x._replace(
            bare=False, zero=x.zero and y.zero, sums=T.switch(T.neq(condition, 0), x.sums, y.sums)
        )


def _started(lookups: List[Any]) -> _Chain:
    size = lookups[0].inputs[2]
    indices, sums = Rows()(size, *[x for node in lookups for x in node.inputs[:2]])
    return _Chain(lookups, True, True, size, indices, sums)


@vendor.local_optimizer([OntoRows], inplace=True)
def in_place(node: Any) -> Union[List[Any], bool]:
    """The sum in the array of its first operand."""
    if not isinstance(node.op, OntoRows) or node.op.inplace:
        return False
    return [OntoRows(node.op.kernel, True)(*node.inputs)]


# -- order -------------------------------------------------------------------------------------------------------------
# The order of the operations of a function: what overwrites a variable comes last.


class _OverwritesLast(vendor.Feature):
    """A feature of a graph: an operation that overwrites a variable waits for all outputs and new values."""

    def orderings(self, graph: Any) -> 'OrderedDict[Any, List[Any]]':
        handler = getattr(graph, 'destroy_handler', None)
        if handler is None or not handler.destroyers:
            return OrderedDict()
        last = [node for root, node in handler.refresh_droot_impact()[2].items() if root.owner is None]
        # The operations that come after one of `last`: they read its result, or overwrite what it reads.
        behind: Set[Any]
        behind, more, others = set(), set(last), handler.orderings(graph)
        before = {node: [x.owner for x in node.inputs] + list(others.get(node, ())) for node in graph.apply_nodes}
        while more:
            behind |= more
            more = {node for node, first in before.items() if node not in behind and not behind.isdisjoint(first)}
        # An operation after an overwriting can fail, too, so all that it needs comes first.
        needed = list(graph.outputs) + [x for node in graph.apply_nodes if node in behind for x in node.inputs]
        first = list(OrderedDict.fromkeys([x.owner for x in needed if x.owner is not None and x.owner not in behind]))
        return OrderedDict((node, list(first)) for node in last)


class KeepsOrder(vendor.GraphRewriter):
    """Puts the feature on a graph that is not rewritten any more."""

    def add_requirements(self, graph: Any) -> None:
        """Nothing is needed beforehand."""

    def apply(self, graph: Any) -> None:
        graph.attach_feature(_OverwritesLast())


# -- loops -------------------------------------------------------------------------------------------------------------
# Loops whose step hands on what it was given, for the modes that run in Python.


@vendor.local_optimizer(None)
def handed_on(node: Any) -> Union[List[Any], bool]:
    """A loop with copies of its inputs as results: Theano empties the cell of a result, and with it that of the input.

    Such loops come with second derivatives.
    """
    if not vendor.is_loop(node):
        return False
    graph = node.op if vendor.NAME == 'Theano' else node.op.fgraph
    if not _given(graph):
        return False
    if vendor.NAME == 'Theano':
        op = type(node.op)(graph.inputs, _copied(graph), node.op.info)
    else:
        graph = graph.unfreeze()
        op = node.op.clone_with_inner_graph(theano.graph.FunctionGraph(graph.inputs, _copied(graph), clone=True))
    results: List[Any] = op(*node.inputs, return_list=True)
    return results


def _given(graph: Any) -> List[Any]:
    """The results of a step that are its inputs, random states apart."""
    return [x for x in graph.outputs if x in graph.inputs and hasattr(x.type, 'broadcastable')]


def _copied(graph: Any) -> List[Any]:
    inputs = _given(graph)
    return [_copy(x) if x in inputs else x for x in graph.outputs]


_copy = theano.compile.ops.DeepCopyOp()  # which no rewriting takes away
_rewriting = vendor.in2out(handed_on, ignore_newtrees=True, name='keras_handed_on')
# At 47.8, which is before anything is computed in place.
if vendor.NAME == 'Theano':
    theano.compile.mode.optdb.register('keras_handed_on', _rewriting, 47.8, 'keras_python')
else:
    theano.compile.mode.optdb.register('keras_handed_on', _rewriting, 'keras_python', position=47.8)
