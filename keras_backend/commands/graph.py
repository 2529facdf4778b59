"""`python -m keras_backend model FILE.pb`: look into a frozen graph of TensorFlow, predict with it, write it."""

import json
import os
from typing import Any, List, Optional, Sequence

import numpy as np

from .. import loader
from ..basics.exit_status import writing
from ..basics.terminal import printable
from ..errors import ArgumentValueError, LayerConfigError, UnknownLayerError
from ..files import function
from ..files.graphs.function import frozen, operations_of
from ..files.graphs.saved import saved
from .model import Say, arrays_of_file, examples_of, write_predictions
from .model_options import in_words_of_the_command

# How many rows are predicted to check a file, and how many operations a line of the summary names.
_ROWS = 8
_NAMED = 8


def run(
    path: str,
    arrays: Optional[Sequence[str]],
    target: Optional[str],
    as_json: bool,
    say: Say,
    batch: Optional[int] = None,
    example: Optional[str] = None,
) -> int:
    """Carry out the command for one graph. Arguments and result: as of `model.run`."""
    if example and not target:
        raise ArgumentValueError(f'--example {example} is for a file that is written. Give --save NEW, too.')
    with in_words_of_the_command():
        if arrays:
            write_predictions(function(path), arrays[0], arrays[1], say, batch)
        if target:
            with writing(target):
                _save(path, target, say, example)
        return 0 if arrays or target else _show(path, as_json, say)


def _show(path: str, as_json: bool, say: Say) -> int:
    """Print what a graph has. Result: the exit status, 1 if it cannot be computed."""
    graph = (saved if os.path.isdir(path) else frozen)(path).graph
    operations = operations_of(graph)
    problem, inputs, outputs = '', [], []  # type: str, List[Any], List[Any]
    try:
        model = function(path, K=loader.load('numpy'))
        inputs = [[*pair] for pair in zip(model.input_names, model.file.dtypes(), model.file.shapes())]
        outputs = model.output_names
    except (LayerConfigError, UnknownLayerError) as error:  # a node that has no meaning here
        problem = str(error)
    if as_json:
        data = {'file': path, 'nodes': sum(operations.values()), 'functions': len(graph.functions), 'inputs': inputs,
                'outputs': outputs, 'operations': operations, 'problem': problem}  # fmt: skip
        say(json.dumps(data, indent=1).replace('\x7f', '\\u007f'))
        return 1 if problem else 0
    say(printable(f'{path}: a graph of TensorFlow with {sum(operations.values())} nodes'))
    for name, dtype, shape in inputs:
        say(printable(f'input {name}: {dtype} {"of any shape" if shape is None else tuple(shape)}'))
    for name in outputs:
        say(printable(f'output {name}'))
    most = [f'{name} {count}' for name, count in list(operations.items())[:_NAMED]]
    say(printable(f'operations: {", ".join(most)}{" ..." if len(operations) > _NAMED else ""}'))
    if problem:
        say(printable(problem))
    return 1 if problem else 0


def _save(path: str, target: str, say: Say, example: Optional[str]) -> None:
    """Write what predicts by `keras_backend.export`, and print how far the file is from it."""
    from ..exporting.export import export

    if target.endswith('.keras'):
        raise ArgumentValueError(f'{path} is a graph, which has no layers for {target}. Write .onnx or another format.')
    K = loader.load('numpy')
    model = function(path, K=K)
    if example and not model.inputs:
        # A graph that needs sizes gets those of the example, and any number of rows.
        arrays = arrays_of_file(model, example, '--example')
        dtypes = dict(zip(model.input_names, model.file.dtypes()))
        tensors = {
            name: K.placeholder(shape=(None, *np.shape(array)[1:]), dtype=dtypes[name], name=printable(name))
            for name, array in zip(model.input_names, arrays)
        }
        model = function(path, inputs=tensors, K=K)
    examples = examples_of(model, example)[:3] or [_random(model)]
    say(str(export(model.k_function, target, output_names=model.output_names, check=examples)))


def _random(model: Any) -> List[np.ndarray]:
    """Random inputs of a graph. Error: ArgumentValueError, where a size or a range is not known."""
    draw = np.random.RandomState(0)
    arrays = []
    for name, dtype, shape in zip(model.input_names, model.file.dtypes(), model.file.shapes()):
        if shape is None or None in shape[1:] or 'float' not in dtype:
            raise ArgumentValueError(f'The input {name} has no size or range that is known. Give --example FILE.')
        arrays.append(draw.uniform(size=[size or _ROWS for size in shape]).astype(dtype))
    return arrays
