"""SavedModels of functions of the TensorFlow engine: the part of its graph that a function needs, and its variables."""

from types import SimpleNamespace
from typing import Any, Dict, List, Tuple

import numpy as np
from tensorflow.core.framework import variable_pb2

from ...engines.tensorflow_backend.functions import Function
from ...engines.tensorflow_backend.sessions import current_session
from ...errors import ArgumentTypeError, ExportError
from ...graph.nodes.base import Unranked
from ..request import Names, Options
from .folder import load as load
from .folder import quiet, save
from .itself import tf

v1 = tf.compat.v1
_DRAWS = ('RandomUniform', 'RandomStandardNormal', 'TruncatedNormal', 'Multinomial', 'StatelessRandom')


class ExportedGraph:
    """A function of the TensorFlow engine that becomes a file: what the check reads of `request.Exported`."""

    def __init__(self, function: Any, options: Options, state: bool = True) -> None:
        # state: whether the file can have variables that last
        if not isinstance(function, Function):
            raise ArgumentTypeError(
                f'keras_backend.export: function has to be a result of K.function, got {function!r}.'
            )
        self.name, self.source = function.name, function
        if function.updates and options.updates not in ('state', 'leave_out'):
            raise ExportError(
                f'K.function: {self.name} has updates; write '
                + ("updates='state', so that the file assigns them, or " if state else '')
                + "updates='leave_out'. For new values as outputs build the function with keras_backend.load('numpy')."
            )
        if options.variables == 'inputs':
            raise ExportError(
                f'K.function: {self.name} is of the TensorFlow engine, whose variables stay in the file; leave '
                "variables='inputs' out, or build the function with keras_backend.load('numpy')."
            )
        if function._missing:
            names = ', '.join([op.name for op in function._missing])
            raise ExportError(f'K.function: {self.name} needs {names}, which is not among its inputs; list it there.')
        if len(function._fed) != len(function.inputs):
            raise ExportError(
                f'K.function: {self.name} has a sparse input or a feed_dict, which no file of TensorFlow has here.'
            )
        self.targets = function._targets if options.updates == 'state' else []
        self.function = Function(function.inputs, function.outputs, (), function.name)
        self.fetched = function._fetched if self.targets else self.function._fetched
        taken = Names()
        self.inputs = [_stand_in(t) for t in function._fed]
        self.outputs = [_stand_in(t) for t in self.fetched]
        self.input_names = taken.given('input_names', options.input_names, self.inputs)
        self.output_names = taken.given('output_names', options.output_names, self.outputs)
        ends = [t.op.name for t in self.fetched] + [op.name for op in self.targets]
        with quiet():
            self.part = v1.graph_util.extract_sub_graph(function._graph.as_graph_def(), ends)
        kept = [*self.part.node, *[node for f in self.part.library.function for node in f.node_def]]
        self.draws = any([node.op.startswith(_DRAWS) for node in kept])
        # Its variables stay in the file.
        self.fed_values: Dict[str, np.ndarray] = {}


def _stand_in(t: Any) -> Any:
    """What the check reads of a tensor of the K graph."""
    name = t.op.name
    dims: Any = Unranked(name) if t.shape.rank is None else tuple(t.shape.as_list())
    return SimpleNamespace(name=name, dims=dims, dtype=t.dtype.base_dtype.name, sparse=False)


def write(exported: ExportedGraph, path: str, options: Options) -> List[str]:
    """Write the folder; returns what its reader has to know."""
    values = values_of(exported)
    with quiet(), tf.Graph().as_default(), v1.Session() as session:
        inputs, outputs, variables = copied(exported, values, session)
        save(path, session, inputs, outputs, v1.train.Saver(variables) if variables else None)
    return ['It draws from the generator of TensorFlow.'] if exported.draws else []


def values_of(exported: ExportedGraph) -> Dict[str, np.ndarray]:
    """The values of the variables that the part has, by the names of their handles."""
    graph = exported.source._graph
    arrays: Dict[str, np.ndarray] = {}
    with quiet(), graph.as_default():
        session = current_session(exported.source._state)
        for node in exported.part.node:
            if node.op == 'VarHandleOp':
                (handle,) = graph.get_operation_by_name(node.name).outputs
                reads = [op.outputs[0] for op in handle.consumers() if op.type == 'ReadVariableOp']
                arrays[node.name] = session.run(reads[0])
    return arrays


def copied(exported: ExportedGraph, values: Dict[str, np.ndarray], session: Any) -> Tuple[Any, Any, Any]:
    """The part in the graph that is open: its inputs, its outputs and its variables, by their names."""
    graph = session.graph
    tf.graph_util.import_graph_def(exported.part, name='')
    variables = {name: _variable(graph, name, value, session) for name, value in values.items()}
    present = {node.name for node in exported.part.node}
    inputs = {
        name: graph.get_tensor_by_name(t.name) if t.op.name in present else v1.placeholder(t.dtype, t.shape, name)
        for name, t in zip(exported.input_names, exported.source._fed)
    }
    with tf.control_dependencies([graph.get_operation_by_name(op.name) for op in exported.targets]):
        results = [tf.identity(graph.get_tensor_by_name(t.name)) for t in exported.fetched]
    return inputs, dict(zip(exported.output_names, results)), variables


def _variable(graph: Any, name: str, value: np.ndarray, session: Any) -> Any:
    """The variable of a handle, with its value. The tensor that reads it is what TensorFlow saves."""
    (handle,) = graph.get_operation_by_name(name).outputs
    placeholder = v1.placeholder(value.dtype, value.shape)
    initialize = tf.raw_ops.AssignVariableOp(resource=handle, value=placeholder)
    session.run(initialize, {placeholder: value})
    read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=value.dtype)
    described = variable_pb2.VariableDef(
        variable_name=handle.name,
        initial_value_name=placeholder.name,
        initializer_name=initialize.name,
        snapshot_name=read.name,
        is_resource=True,
        trainable=True,
    )
    v1.add_to_collection(v1.GraphKeys.GLOBAL_VARIABLES, v1.Variable.from_proto(described))
    return read
