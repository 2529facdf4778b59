"""The format SavedModel of TensorFlow: a folder with one signature, 'serving_default'.

`tf.saved_model.load(path).signatures['serving_default'](x=...)` gives a dict of outputs. Variables of K are variables
there. With updates='state' each call assigns the new values.
"""

import contextlib
from typing import Any, Dict, Iterator, List, Type

import numpy as np

from ...errors import ExportError
from ...graph.nodes.base import known, ranked
from ...graph.nodes.tensor import Draws, Node, Tensor
from ...graph.run.failures import said
from ...graph.run.interpreter import Interpreter, Values
from ...graph.run.lowering import lowered
from ...graph.run.statements import Choice, Compute, Loop
from ..request import Exported, Options, Run
from .itself import tf
from .primitives import ELEMENTWISE, RANDOM, REDUCTION, SHAPE, Kernel
from .spatial import SPATIAL

v1 = tf.compat.v1

# -- statements --------------------------------------------------------------------------------------------------------
# The statements of a program as operations of the graph of TensorFlow that is open.

KERNELS: Dict[str, Kernel] = {**ELEMENTWISE, **REDUCTION, **SHAPE, **RANDOM, **SPATIAL}


def shape_of(t: Tensor) -> Any:
    """What is known of the shape of a tensor of K, as TensorFlow says it."""
    return [d if known(d) else None for d in t.dims] if ranked(t) else None


class Translation(Interpreter):
    """Runs the blocks of a lowering on symbolic tensors of TensorFlow."""

    def compute(self, compute: Compute, arguments: List[Any], values: Values) -> Any:
        """The result of a primitive."""
        node = compute.node
        kernel = KERNELS.get(node.op.name)
        who, name = said(node)
        if kernel is None:
            raise ExportError(f'{who}: a SavedModel cannot say {name}: no operation of TensorFlow does it here.', who)
        if any([x.sparse for x in node.inputs if not isinstance(x, Draws)]):
            raise ExportError(f'{who}: a SavedModel cannot say {name}, which reads a sparse matrix.', who)
        try:
            result = kernel(*arguments, **node.attrs)
        except (TypeError, ValueError, NotImplementedError) as error:
            reason = str(error).strip().splitlines()[0]
            raise ExportError(f'{who}: TensorFlow does not take {name}: {reason}', who) from error
        if not node.results and ranked(node):
            result.set_shape(shape_of(node))
        return result

    # Lists of what the steps of a loop collect, and the shapes that these lists keep from step to step.
    shapes_of_list: Any = tf.TensorShape(None)

    def empty(self, node: Node, length: Any, shape: Any) -> Any:
        """A list for entries of a shape."""
        return tf.TensorArray(node.dtype, length, element_shape=shape)

    def filled(self, entries: Any, at: Any, entry: Any, reverse: bool) -> Any:
        """The list with an entry more. reverse: the last entry comes first."""
        return entries.write(at, entry)

    def stacked(self, entries: Any, length: Any, shape: Any) -> Any:
        """All entries as a tensor of a shape."""
        return entries.stack()

    def handed_on(self, new: Any, states: List[Any]) -> Any:
        """The new value of a state, which may be one of the states of now."""
        return new

    def _loop(self, loop: Loop, values: Values) -> None:
        for size, (name, axis) in loop.sizes.items():
            values[size] = tf.shape(values[name])[axis]
        sequences = [values[name] for name, _is_list, _element in loop.elements]
        length = tf.shape(sequences[0] if sequences else values[loop.over_nothing])[0]
        program = self.lowering.program
        states = [loop.scan.states[i][0] for i in sorted(program.states[loop.scan.id])]
        nodes = [node for _key, node in sorted(program.collected[loop.scan.id].items())]
        shapes = [None if shape_of(node) is None else shape_of(node)[1:] for node in nodes]
        lists = [self.empty(node, length, shape) for node, shape in zip(nodes, shapes)]
        checked = {position for position, _index in loop.checked}
        # A size that the step seems to change is open; the number of axes stays.
        kept = [[None] * len(t.dims) if i in checked and ranked(t) else shape_of(t) for i, t in enumerate(states)]
        first = [tf.convert_to_tensor(values[name]) for name, _inner, _new in loop.states]
        invariants = [tf.TensorShape(shape) for shape in kept]

        def body(i: Any, now: Any, collected: Any) -> Any:
            at = length - 1 - i if loop.scan.reverse else i
            inside = dict(values)
            inside.update((element, s[at]) for s, (_n, _l, element) in zip(sequences, loop.elements))
            inside.update((inner, state) for state, (_f, inner, _n) in zip(now, loop.states))
            self.block(loop.block, inside)
            filled = [
                self.filled(array, at, inside[inner], loop.scan.reverse)
                for array, (_name, inner) in zip(collected, loop.collected)
            ]
            return i + 1, [self.handed_on(inside[new], now) for _first, _inner, new in loop.states], filled

        _steps, last, collected = v1.while_loop(
            lambda i, _now, _collected: i < length,
            body,
            (tf.constant(0), first, lists),
            shape_invariants=(tf.TensorShape([]), invariants, [self.shapes_of_list] * len(lists)),
            return_same_structure=True,
        )
        for node, array, (name, _inner) in zip(nodes, collected, loop.collected):
            values[name] = self.stacked(array, length, shape_of(node))
            values[name].set_shape(shape_of(node))
        state_of = {inner: value for (_first, inner, _new), value in zip(loop.states, last)}
        for final, inner in loop.finals:
            values[final] = state_of[inner]

    def choice(self, choice: Choice, values: Values) -> None:
        """One `tf.cond`."""
        condition = values[choice.condition]

        def branch(side: int) -> List[Any]:
            inside = dict(values)
            self.block(choice.branches[side], inside)
            return [tf.identity(inside[names[side]]) for _part, names in choice.parts]

        is_true = condition if condition.dtype == tf.bool else tf.not_equal(condition, tf.zeros((), condition.dtype))
        results = v1.cond(is_true, lambda: branch(0), lambda: branch(1), strict=True)
        nodes = [node for _key, node in sorted(self.lowering.program.chosen[choice.cond.id].items())]
        for node, (name, _names), value in zip(nodes, choice.parts, results):
            if ranked(node):
                value.set_shape(shape_of(node))
            values[name] = value


# -- the folder --------------------------------------------------------------------------------------------------------
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
        results = results_of(exported, [inputs[name] for name in exported.input_names], variables)
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


def results_of(
    exported: Exported, inputs: List[Any], variables: Dict[str, Any], translation: Type[Translation] = Translation
) -> List[Any]:
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
    translation(lowering, kernels).block(lowering.top, values)
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
