"""TFLite of functions of the TensorFlow engine: the part of its graph that a function needs, without variables."""

from typing import List

from ..request import Options
from ..saved_model.folder import quiet
from ..saved_model.itself import tf
from ..saved_model.of_engine import ExportedGraph as ExportedGraph
from ..saved_model.of_engine import copied, values_of
from .file import Graph, write_graph
from .file import load as load

v1 = tf.compat.v1


def write(exported: ExportedGraph, path: str, options: Options) -> List[str]:
    """Write the file; returns what its reader has to know."""
    return write_graph(exported, path, options, _frozen)


def _frozen(exported: ExportedGraph) -> Graph:
    """The part, with values of now in the place of variables."""
    values = values_of(exported)
    with quiet(), tf.Graph().as_default() as graph, v1.Session() as session:
        fed, outputs, variables = copied(exported, values, session)
        names = [y.op.name for y in outputs.values()]
        present = {op.name for op in graph.get_operations()}
        for name, read in variables.items():
            # TensorFlow asks for values under this name. Rows of a variable are gathered without such a read.
            if f'{name}/Read/ReadVariableOp' not in present:
                tf.raw_ops.ReadVariableOp(
                    resource=read.op.inputs[0], dtype=read.dtype, name=f'{name}/Read/ReadVariableOp'
                )
        part = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), names)
    return part, fed, list(outputs.values())
