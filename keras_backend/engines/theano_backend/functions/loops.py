"""Loops whose step hands on what it was given, for the modes that run in Python."""

from typing import Any, List, Union

from ..vendor import NAME, in2out, is_loop, local_optimizer, theano


@local_optimizer(None)
def handed_on(node: Any) -> Union[List[Any], bool]:
    """A loop with copies of its inputs as results: Theano empties the cell of a result, and with it that of the input.

    Such loops come with second derivatives.
    """
    if not is_loop(node):
        return False
    graph = node.op if NAME == 'Theano' else node.op.fgraph
    if not _given(graph):
        return False
    if NAME == 'Theano':
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
_rewriting = in2out(handed_on, ignore_newtrees=True, name='keras_handed_on')
# At 47.8, which is before anything is computed in place.
if NAME == 'Theano':
    theano.compile.mode.optdb.register('keras_handed_on', _rewriting, 47.8, 'keras_python')
else:
    theano.compile.mode.optdb.register('keras_handed_on', _rewriting, 'keras_python', position=47.8)
