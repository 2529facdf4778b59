"""The format TFLite: a file .tflite, by the converter of TensorFlow.

Its inputs and outputs have the order and the names of the function: `tf.lite.Interpreter(path).get_input_details()`.
"""

import contextlib
import importlib
import re
import warnings
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

from ...errors import ArgumentValueError, ExportError, FeedError
from ...graph.nodes.base import known, ranked
from ...graph.nodes.tensor import Node
from ..request import Exported, Options, Run
from ..saved_model.folder import Translation, quiet, results_of, shape_of
from ..saved_model.itself import tf

v1 = tf.compat.v1

Graph = Tuple[Any, Dict[str, Any], List[Any]]  # a graph of constants, its inputs by their names, its outputs

_SELECT = (
    'It needs Select TF ops: TensorFlow Lite alone has no operations for a part of it. The interpreter '
    'of some TensorFlow has them, and a program for a phone adds tensorflow-lite-select-tf-ops.'
)
_INT8 = 'It computes with int8 where TensorFlow Lite can, and with floats elsewhere. Inputs and outputs are as before.'
_WEIGHTS = 'Only its weights are int8, and it computes with floats: the converter cannot round '
_OF_LOOPS, _OF_ALL = 'what a loop computes.', 'all that it computes.'
_LOOPS = " The TensorFlow engine makes such lists for a loop: build the function with keras_backend.load('numpy')."
_LACKS_SELECT = re.compile(r'Select TensorFlow op.*\(Flex(\w+)\)', re.DOTALL)


class _Flat(Translation):
    """Collects the steps of a loop end to end: TensorFlow Lite has no lists of tensors whose shape is not known.

    A list is the numbers of all entries, and the shape of the last one.
    """

    shapes_of_list = (tf.TensorShape([None]), tf.TensorShape([None]))

    def empty(self, node: Node, length: Any, shape: Any) -> Any:
        """A list without entries."""
        if shape is None:
            raise ExportError(f'K.rnn: the number of axes of {node.name} is not known, as TensorFlow Lite needs it.')
        return tf.zeros([0], node.dtype), tf.zeros([len(shape)], 'int32')

    def filled(self, entries: Any, at: Any, entry: Any, reverse: bool) -> Any:
        """The list with the numbers of an entry at its end, or at its beginning."""
        flat = tf.reshape(entry, [-1])
        return tf.concat([flat, entries[0]] if reverse else [entries[0], flat], 0), tf.shape(entry)

    def stacked(self, entries: Any, length: Any, shape: Any) -> Any:
        """The numbers in their shape. Sizes that are known hold without a step, too."""
        numbers, last = entries
        sizes = [last[axis] if size is None else size for axis, size in enumerate(shape[1:])]
        return tf.reshape(numbers, tf.stack([length, *sizes]))

    def handed_on(self, new: Any, states: List[Any]) -> Any:
        """The new value of a state. TensorFlow Lite writes states one after the other, so what is one needs a copy."""
        source = new
        while source.op.type == 'Identity':
            source = source.op.inputs[0]
        if not any([source is state for state in states]):
            return new
        # The converter leaves out simpler ways to copy.
        backwards = tf.reverse(tf.reshape(new, [-1]), [0])
        return tf.reshape(tf.reverse(backwards, [0]), tf.shape(new))


def write(exported: Exported, path: str, options: Options) -> List[str]:
    """Write the file; returns what its reader has to know."""
    return write_graph(exported, path, options, _of_program)


def write_graph(exported: Any, path: str, options: Options, graph_of: Callable[[Any], Graph]) -> List[str]:
    """Write the file of a graph; returns what its reader has to know."""
    if not exported.outputs:
        raise ExportError(
            f'K.function: {exported.name} has no outputs, so a file of TensorFlow Lite has nothing to do.'
        )
    runs = None if options.calibration is None else _runs(exported, options.calibration)
    graph, fed, fetched = graph_of(exported)
    with quiet(), tf.Graph().as_default(), v1.Session() as session:
        inputs = [v1.placeholder(t.dtype, t.shape, name) for name, t in fed.items()]
        present = {node.name for node in graph.node}
        known_inputs = {t.name: x for t, x in zip(fed.values(), inputs) if t.op.name in present}
        results = tf.graph_util.import_graph_def(graph, known_inputs, [t.name for t in fetched], 'K')
        outputs = [tf.identity(y, name) for name, y in zip(exported.output_names, results)]
        content, notes = _converted(exported, session, inputs, outputs, runs)
    with open(path, 'wb') as stream:
        stream.write(content)
    if exported.draws:
        notes.append('It draws from the generator of TensorFlow.')
    return notes


def _reason(error: Exception) -> str:
    """What TensorFlow Lite says, in one line."""
    lacking = _LACKS_SELECT.search(str(error))
    if lacking:
        return (
            f'TensorFlow Lite has no {lacking.group(1)} of its own for these dtypes, so the file needs Select TF ops, '
            f'which the interpreter of TensorFlow {tf.__version__} has not.'
            + (_LOOPS if 'TensorList' in lacking.group(1) else ' check=False without calibration writes it unchecked.')
        )
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _interpreter(path: str) -> Any:
    with open(path, 'rb') as stream, warnings.catch_warnings():
        warnings.simplefilter('ignore')  # that another package will have the interpreter one day
        return tf.lite.Interpreter(model_content=stream.read())


def load(path: str) -> Run:
    """The function that runs a file many times."""
    interpreter = _interpreter(path)

    def run_once(values: Dict[str, np.ndarray]) -> List[np.ndarray]:
        inputs = interpreter.get_input_details()
        for entry in inputs:
            if not np.size(values[entry['name']]):
                # its operations end the process
                raise FeedError(
                    f'{entry["name"]} has no entries, and TensorFlow Lite computes with nothing of that kind.'
                )
            interpreter.resize_tensor_input(entry['index'], np.shape(values[entry['name']]))
        try:
            interpreter.allocate_tensors()
            for entry in inputs:
                interpreter.set_tensor(entry['index'], np.asarray(values[entry['name']], entry['dtype']))
            interpreter.invoke()
        except (RuntimeError, ValueError) as error:
            raise ExportError(_reason(error)) from error
        return [interpreter.get_tensor(entry['index']) for entry in interpreter.get_output_details()]

    return run_once


def _of_program(exported: Exported) -> Graph:
    """The graph of a function of the K graph. In the graph of a function loops keep nothing for a gradient."""
    for t in [*exported.inputs, *exported.variables]:
        if t.sparse:
            raise ExportError(f'K.function: {t.name} is sparse, and TensorFlow Lite has dense tensors only.')
    with quiet(), _without_intermediates(), tf.__internal__.FuncGraph('K').as_default() as graph:
        named = [*zip(exported.input_names, exported.inputs), *zip(exported.fed_names, exported.fed)]
        fed = {name: v1.placeholder(t.dtype, shape_of(t)) for name, t in named}
        values = zip(exported.variable_names, exported.values)
        variables = {name: fed[name] if name in fed else tf.constant(value) for name, value in values}
        results = results_of(exported, [fed[name] for name in exported.input_names], variables, _Flat)
        results = [tf.identity(y) for y in results]
    return graph.as_graph_def(), fed, results


@contextlib.contextmanager
def _without_intermediates() -> Iterator[None]:
    """Loops and choices give nothing but their results. The TensorFlow engine lets them give what a gradient needs."""
    module: Any = importlib.import_module('tensorflow.python.ops.control_flow_util_v2')
    # TensorFlow has a setter, and nothing that reads it.
    before = module._EXPERIMENTAL_OUTPUT_ALL_INTERMEDIATES_OVERRIDE
    module.set_output_all_intermediates(False)
    try:
        yield
    finally:
        module.set_output_all_intermediates(before)


def _converted(
    exported: Any, session: Any, inputs: List[Any], outputs: List[Any], runs: Any
) -> Tuple[bytes, List[str]]:
    """The content of the file, and what its reader has to know."""
    definition = session.graph.as_graph_def()
    nodes = [*definition.node, *[node for function in definition.library.function for node in function.node_def]]
    has_loop = any([node.op in ('While', 'StatelessWhile') for node in nodes])
    # Whether Select TF ops are taken, and whether all is rounded.
    attempts = [(False, True)] if runs is not None and not has_loop else []
    for has_select, is_rounded in [*attempts, (False, False), (True, False)]:
        converter = v1.lite.TFLiteConverter.from_session(session, inputs, outputs)
        notes = []
        if runs is not None:
            notes.append(_INT8 if is_rounded else _WEIGHTS + (_OF_LOOPS if has_loop else _OF_ALL))
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
        if is_rounded:
            converter.representative_dataset = lambda: iter(runs)
        if has_select:
            notes.append(_SELECT)
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
            converter._experimental_lower_tensor_list_ops = False  # as the converter says
        try:
            return converter.convert(), notes
        except Exception as error:  # the converter has no public class for its errors
            if has_select:
                raise ExportError(
                    f'K.function: {exported.name} cannot become a file of TensorFlow Lite: {_reason(error)}'
                ) from error
    raise AssertionError('the last converter gives or raises')


def _runs(exported: Any, calibration: Any) -> List[List[np.ndarray]]:
    """The values of each run, checked, with those of variables that are fed."""
    runs = []
    for values in calibration:
        given = list(values) if isinstance(values, (list, tuple)) else [values]
        if len(given) != len(exported.inputs):
            raise ArgumentValueError(
                f'keras_backend.export: a run of calibration has {len(given)} values; give {len(exported.inputs)}, for '
                f'{", ".join(exported.input_names)}.'
            )
        arrays = []
        for name, t, value in zip(exported.input_names, exported.inputs, given):
            array = np.asarray(value, t.dtype)
            if ranked(t) and not _fits(array.shape, t.dims):
                raise ArgumentValueError(
                    f'keras_backend.export: calibration has shape {array.shape} for {name}, whose shape is '
                    f'{tuple([d if known(d) else None for d in t.dims])}.'
                )
            arrays.append(array)
        runs.append([*arrays, *exported.fed_values.values()])
    return runs


def _fits(shape: Tuple[int, ...], dims: Any) -> bool:
    return len(shape) == len(dims) and all([not known(d) or size == d for size, d in zip(shape, dims)])
