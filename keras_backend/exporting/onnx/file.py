"""The format ONNX: writing a file, checking it, and running it by onnxruntime."""

import importlib
from typing import Any, Dict, List, Optional

import numpy as np
import onnx
from onnx import helper

from ...errors import ArgumentValueError, ExportError
from ...graph.nodes.base import known, ranked
from ...graph.nodes.tensor import Tensor
from ...graph.run.lowering import Lowering
from ..request import Exported, Options, Run
from .lowering import Translator, Values
from .writer import Writer, onnx_type, prune

# -- notes -------------------------------------------------------------------------------------------------------------
# What a reader of a file of ONNX has to know.


def notes(exported: Exported) -> List[str]:
    """A sentence for each thing that the file does in another way than the function."""
    sentences = []
    for name, t in zip(exported.input_names, exported.inputs):
        if t.sparse:
            sentences.append(f'{name} is dense in the file: ONNX has no sparse matrices.')
    if exported.draws:
        sentences.append(
            'Draws have the distribution of K and the numbers of what runs the file, whatever seed K was given.'
        )
    if exported.prints:
        sentences.append('K.print_tensor prints nothing in the file; the tensor passes through.')
    return sentences


# The oldest opset that the operators here are written for. Without a word a file has it, since most programs read it.
OLDEST = 17

# No file of ONNX can have 2 GiB. The rest is for what is no constant.
LARGEST = 2**31 - 2**26

_TOPICS = 'elementwise reduction shape linalg convolutions pool control'.split()
for _topic in _TOPICS:
    importlib.import_module(f'{__package__}.{_topic}')


def write(exported: Exported, path: str, options: Options) -> List[str]:
    """Write the file, and constants that are too many for it into one beside it; returns what a reader has to know."""
    onnx.save(model(exported, options, path + '.data'), path)
    return notes(exported)


def verify(path: str) -> None:
    """The checker of ONNX, with shape inference in its strict mode."""
    try:
        onnx.checker.check_model(path, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise ExportError(f'K.function: the checker of ONNX refuses the file: {error}') from error


def load(path: str) -> Run:
    """The function that runs a file many times."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4  # what ends the process: errors are raised
    session = onnxruntime.InferenceSession(path, settings, providers=['CPUExecutionProvider'])
    input_names = {node.name for node in session.get_inputs()}

    def run_once(values: Dict[str, np.ndarray]) -> List[np.ndarray]:
        return list(session.run(None, {name: value for name, value in values.items() if name in input_names}))

    return run_once


def model(exported: Exported, options: Options, beside: Optional[str] = None) -> onnx.ModelProto:
    """The function as a model of ONNX.

    beside: the path of a file for constants, should they be too many for one
    """
    if not exported.outputs:
        raise ExportError(
            f'K.function: {exported.name} has no outputs, so a file of ONNX would give nothing; give it outputs, or '
            "write updates='outputs' for the new values of its variables."
        )
    opset = _opset(options)
    w = Writer(opset)
    lowering = Lowering(exported.program, exported.kernels)
    fed = list(zip(exported.input_names, exported.inputs))
    values: Values = {lowering.name(t): w.take(name) for name, t in fed}
    for name in exported.output_names:
        w.take(name)
    named = zip(lowering.variables, exported.variables, exported.variable_names, exported.values)
    for key, variable, name, array in named:
        values[key] = w.take(name) if variable in exported.fed else w.constant(array, name=name)
    drawn = {lowering.name(t) for t in exported.program.draws.values()}
    for key, data in lowering.constants.items():
        values[key] = '' if key in drawn else w.constant(exported.array(data))
    Translator(exported, lowering).block(w, lowering.top, values)
    w.begin('outputs')
    for name, result in zip(exported.output_names, lowering.results):
        w.add('Identity', [values[result.name]], [name])
    dims: Dict[Any, str] = {}
    fed += list(zip(exported.fed_names, exported.fed))
    inputs = [_info(name, t, dims) for name, t in fed]
    outputs = [_info(name, t, dims) for name, t in zip(exported.output_names, exported.outputs)]
    graph = helper.make_graph(w.nodes, 'K', inputs, outputs)
    prune(graph)
    graph.initializer.extend(w.initializers(graph.node, beside if w.size() > LARGEST else None))
    imports = [helper.make_opsetid('', opset)]
    return helper.make_model(
        graph,
        opset_imports=imports,
        ir_version=helper.find_min_ir_version_for(imports),
        producer_name='keras_backend',
        doc_string=exported.name,
    )


def _opset(options: Options) -> int:
    newest = onnx.defs.onnx_opset_version()
    opset = OLDEST if options.opset is None else options.opset
    if not OLDEST <= opset <= newest:
        raise ArgumentValueError(
            f'keras_backend.export: opset={opset} cannot be written; give a number from {OLDEST} to {newest}, the '
            f'newest that onnx {onnx.__version__} knows.'
        )
    return opset


def _info(name: str, t: Tensor, dims: Dict[Any, str]) -> onnx.ValueInfoProto:
    """An input or output of the file. Each size that is not known has a name, and equal sizes have the same."""
    if not ranked(t):
        unranked: Any = t.dims
        raise ExportError(
            f'K.placeholder: the number of axes of {unranked.name} is not known, and a file of ONNX tells it of its '
            'inputs and outputs; give the placeholder a shape, with None for each size that is free.',
            'K.placeholder',
        )
    sizes = [d if known(d) else dims.setdefault(d, f'{name}_{axis}') for axis, d in enumerate(t.dims)]
    return helper.make_tensor_value_info(name, onnx_type(t.dtype), sizes)
