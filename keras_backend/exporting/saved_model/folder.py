"""The format SavedModel of TensorFlow: a folder with one signature, 'serving_default'.

`tf.saved_model.load(path).signatures['serving_default'](x=...)` gives a dict of outputs. Variables of K are variables
there. With updates='state' each call assigns the new values.
"""

import contextlib
from typing import Any, Dict, Iterator, List

import numpy as np
import tensorflow as tf

from ...errors import ExportError
from ...graph.run.lowering import lowered
from ..options import Options
from ..request import Exported, Run
from .translation import Translation, shape_of

v1 = tf.compat.v1
_SIGNATURE = 'serving_default'
# The outputs of a signature have no order. This collection has the names of their tensors, in it.
_ORDER = 'keras_backend_outputs'


def write(exported: Exported, path: str, options: Options) -> List[str]:
    """Write the folder; returns what its reader has to know."""
    for t in [*exported.inputs, *exported.variables]:
        if t.sparse:
            raise ExportError(f'K.function: {t.name} is sparse, and a SavedModel of K has dense tensors only.')
    if exported.state and options.variables == 'inputs':
        raise ExportError(
            "keras_backend.export: updates='state' needs the variables in the file; leave variables='inputs' out."
        )
    notes = []
    with quiet(), tf.Graph().as_default(), v1.Session() as session:
        inputs = {
            name: v1.placeholder(t.dtype, shape_of(t), name) for name, t in zip(exported.input_names, exported.inputs)
        }
        pairs = list(zip(exported.variable_names, exported.variables, exported.values))
        fed = {name: v1.placeholder(v.dtype, shape_of(v), name) for name, v in zip(exported.fed_names, exported.fed)}
        held = {name: _variable(name, value) for name, _v, value in pairs if name not in fed}
        variables = {**fed, **{name: v.read_value() for name, v in held.items()}}
        inputs.update(fed)
        results = _results(exported, [inputs[name] for name in exported.input_names], variables)
        results = _assigned(exported, held, results)
        session.run(v1.global_variables_initializer())
        save(path, session, inputs, dict(zip(exported.output_names, results)))
    if exported.draws:
        notes.append('It draws from the generator of TensorFlow.')
    return notes


def save(path: str, session: Any, inputs: Dict[str, Any], outputs: Dict[str, Any], saver: Any = None) -> None:
    """Write what the graph that is open computes of some tensors, by their names."""
    named = {name: tf.identity(y, name) for name, y in outputs.items()}
    for y in named.values():
        v1.add_to_collection(_ORDER, y.name)
    signature = v1.saved_model.build_signature_def(
        {name: v1.saved_model.build_tensor_info(t) for name, t in inputs.items()},
        {name: v1.saved_model.build_tensor_info(t) for name, t in named.items()},
        v1.saved_model.signature_constants.PREDICT_METHOD_NAME,
    )
    builder = v1.saved_model.Builder(path)
    builder.add_meta_graph_and_variables(session, ['serve'], {_SIGNATURE: signature}, saver=saver)
    builder.save()


def load(path: str) -> Run:
    """The function that runs a file many times. Its variables last from call to call."""
    graph = tf.Graph()
    session = v1.Session(graph=graph)
    with quiet(), graph.as_default():
        signature = v1.saved_model.loader.load(session, ['serve'], path).signature_def[_SIGNATURE]
        order = [name.decode() if isinstance(name, bytes) else name for name in v1.get_collection(_ORDER)]
    inputs = {name: info.name for name, info in signature.inputs.items()}

    def run_once(values: Dict[str, np.ndarray]) -> List[np.ndarray]:
        fed = {inputs[name]: value for name, value in values.items() if name in inputs}
        results: List[np.ndarray] = session.run(order, fed)
        return results

    return run_once


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the word of TensorFlow that this way to write and read a SavedModel is an older one of two."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel('ERROR')
    try:
        yield
    finally:
        logger.setLevel(level)


def _variable(name: str, value: np.ndarray) -> Any:
    # the value is fed: a constant of a graph may not have 2 GiB
    return v1.Variable(value, name=name, use_resource=True)


def _results(exported: Exported, inputs: List[Any], variables: Dict[str, Any]) -> List[Any]:
    """The outputs, then the new values of `state`."""
    kernels: Any = exported.kernels
    lowering = lowered(exported.program, kernels)
    streams = {lowering.name(t) for t in exported.program.draws.values()}
    values: Dict[str, Any] = {}
    for name, data in lowering.constants.items():
        values[name] = data if name in streams else tf.constant(exported.array(data))
    names = {variable.id: name for name, variable in zip(exported.variable_names, exported.variables)}
    values.update((name, variables[names[v.id]]) for name, v in lowering.variables.items())
    values.update(zip(lowering.inputs, inputs))
    Translation(lowering, kernels).block(lowering.top, values)
    return [values[result.name] for result in lowering.results]


def _assigned(exported: Exported, held: Dict[str, Any], results: List[Any]) -> List[Any]:
    """The outputs, behind the assignments of new values, which come after everything that is read."""
    count = len(exported.outputs)
    if not exported.state:
        return results[:count]
    names = {variable.id: name for name, variable in zip(exported.variable_names, exported.variables)}
    with tf.control_dependencies(results):
        settled = [tf.identity(y) for y in results]
    with tf.control_dependencies(settled):
        assigns = [
            v1.assign(held[names[variable.id]], new) for (variable, _new), new in zip(exported.state, settled[count:])
        ]
    with tf.control_dependencies(assigns):
        return [tf.identity(y) for y in settled[:count]]
