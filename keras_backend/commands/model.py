"""`python -m keras_backend model FILE`: look into a file of Keras, predict with it, write it in a format of today."""

import io
import json
import os
import tempfile
import zipfile
import zlib
from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from .. import loader
from ..basics.exit_status import writing
from ..basics.terminal import printable
from ..errors import (
    ArgumentValueError,
    ExportError,
    KerasBackendError,
    LayerConfigError,
    UnknownLayerError,
    UnreadableFileError,
)
from ..files import function
from ..files.reading.limits import check
from ..files.reading.read import read
from ..files.structure import File, Layer, Model, Reference, in_short, numbered, references
from ..files.summary import Summary
from .model_options import NOTHING, Given, in_words_of_the_command

Say = Callable[[str], None]

# Numbers that are tried for sizes that a model leaves open, and how much smaller the second example is.
_SIZES = 8, 32, 96, 256
_OTHER = 3
# Inputs of this rank are images; a scale below this number is for their bytes.
_RANK_OF_IMAGES = 4
_OF_BYTES = 0.02
# Processors of some machines compute with the digits of half precision, whose predictions differ by as much.
_ROUGH = 2e-2
# How many batches of --example are predicted to check a file.
_CHECKED = 3


def run(
    path: str,
    weights: Optional[str],
    engine: Optional[str],
    arrays: Optional[Sequence[str]],
    target: Optional[str],
    as_json: bool,
    say: Say,
    limit: Optional[float] = None,
    own: Given = NOTHING,
    batch: Optional[int] = None,
    example: Optional[str] = None,
) -> int:
    """Carry out the command for one file. Result: the exit status.

    path, weights, engine, limit: as of `read`. arrays: the file of the inputs and that of the predictions. target: a
    file to write, .keras or of a format of `keras_backend.export`. as_json: print the summary as JSON. say: prints a
    line. own: what the user gives to the model. batch: rows of a batch of predictions. example: a file of
    inputs, as of `predict`, for what is written.
    """
    if example and not target:
        raise ArgumentValueError(f'--example {example} is for a file that is written. Give --save NEW, too.')
    with in_words_of_the_command():
        return _run(read(path, weights, engine, limit=limit), path, arrays, target, as_json, say, own, batch, example)


def _run(
    file: File,
    path: str,
    arrays: Optional[Sequence[str]],
    target: Optional[str],
    as_json: bool,
    say: Say,
    own: Given,
    batch: Optional[int],
    example: Optional[str],
) -> int:
    if (arrays or target) and file.model is None:
        raise UnreadableFileError(f'{path} has weights alone. Give its configuration as FILE, and --weights {path}.')
    if arrays:
        predict(file, arrays[0], arrays[1], say, own, batch)
    if target:
        with writing(target):
            save(file, target, say, own, example)
    return 0 if arrays or target else show(file, as_json, say)


def show(file: File, as_json: bool, say: Say) -> int:
    """Print the summary of a file. Result: the exit status, 1 if something stops it."""
    summary = Summary(file)
    # JSON has an escape for each letter that a terminal obeys but for this one.
    data = json.dumps(summary.data(), indent=1).replace('\x7f', '\\u007f') if as_json else ''
    for line in [data] if as_json else summary.lines():
        say(line)
    return 1 if summary.problem else 0


def predict(file: File, source: str, target: str, say: Say, own: Given = NOTHING, batch: Optional[int] = None) -> None:
    """Predict with the engine of the configuration. own, batch: as of `run`.

    source: .npy, or .npz with an array for each input, under the names of the input layers or in their order. target:
    the same for the outputs.
    """
    write_predictions(function(file, lambdas=own.lambdas, layers=own.functions), source, target, say, batch)


def write_predictions(model: Any, source: str, target: str, say: Say, batch: Optional[int] = None) -> None:
    """Predict with a function of a model. The other arguments: see `predict`."""
    predictions = model.predict(arrays_of_file(model, source), batch)
    outputs = predictions if isinstance(predictions, list) else [predictions]
    names = numbered(model.output_names)
    if len(outputs) != 1 and not target.endswith('.npz'):
        raise ArgumentValueError(f'The model has {len(outputs)} outputs. Give a file that ends in .npz for them.')
    if not target.endswith(('.npy', '.npz')):
        target += '.npy'  # as numpy.save does
    # NumPy's writer of .npz prints a traceback where the disk is full, so it writes to memory.
    content = io.BytesIO()
    if target.endswith('.npz'):
        np.savez(content, **dict(zip(names, outputs)))
    else:
        np.save(content, outputs[0])
    with writing(target), open(target, 'wb') as stream:
        stream.write(content.getbuffer())
    for name, output in zip(names, outputs):
        say(printable(f'{name}: {output.dtype} {output.shape} -> {target}'))


def save(file: File, target: str, say: Say, own: Given = NOTHING, example: Optional[str] = None) -> None:
    """Write the model as a file of Keras 3, or in the format of `keras_backend.export` that the ending tells.

    own, example: as of `run`.
    """
    if target.endswith('.keras'):
        _save_for_keras(file, target, say, own, example)
    else:
        _export(file, target, say, own, example)


def _save_for_keras(file: File, target: str, say: Say, own: Given, example: Optional[str]) -> None:
    """Write a file of Keras 3, and print how far its predictions are from those of the model."""
    from ..files.keras3 import load, needs_import

    model = load(file, lambdas=own.lambdas, custom_objects=own.custom_objects)
    compared = _compared(file, model, own, example)
    # What goes wrong on the way leaves a file of this name as it was.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(target))) as folder:
        draft = os.path.join(folder, 'model.keras')
        model.save(draft)
        os.replace(draft, target)
    say(f'{target}: {model.count_params():,} parameters')
    say(printable(compared))
    kinds = needs_import(model)
    if kinds:
        say(f'Before load_model, `import keras_backend.files.keras3` is needed for {", ".join(kinds)}.')


def _compared(file: File, made: Any, own: Given, example: Optional[str]) -> str:
    """How far the predictions of a model of Keras 3 are from those of K, as a sentence. Error: ExportError."""
    if own.functions or own.classes:  # those of the user compute with Keras 3
        return 'Its predictions are not compared with those of K, because functions or classes of yours are in it.'
    try:
        model = function(file, lambdas=own.lambdas, K=loader.load('numpy'))
        given = examples_of(model, example)
        sizes = [] if given else _sizes_that_fit(file, model)
        if not given and not sizes:
            return (
                f'Its predictions are not compared with those of K: {file.path} leaves sizes open, and none of '
                f'{", ".join(map(str, _SIZES))} fits its layers. Give --example FILE with inputs.'
            )
        inputs = given[0] if given else _examples(file, sizes[0])
        expected = _results(model, inputs)
    except (UnknownLayerError, LayerConfigError) as error:  # a layer that Keras 3 has, and K has not
        return f'Its predictions are not compared with those of K. {error}'
    predicted = made.predict(inputs if len(inputs) > 1 else inputs[0], verbose=0)
    got = [np.asarray(array) for array in (predicted if isinstance(predicted, list) else [predicted])]
    what = f'the first rows of {example}' if example else 'random inputs'
    return _judged(file, model, inputs, expected, got, what)


def _judged(
    file: File, model: Any, inputs: List[Any], expected: List[np.ndarray], got: List[np.ndarray], what: str
) -> str:
    """What is said of predictions beside those of K. what: the inputs in words. Error: ExportError."""
    from ..exporting.checking import PLACES, difference_of, movement

    def difference(a: np.ndarray, b: np.ndarray) -> float:
        return difference_of(a.astype('float64'), b.astype('float64')) if a.shape == b.shape else float('inf')

    far = [difference(a, b) for a, b in zip(expected, got)]
    said = f'Predictions of {what} differ by at most {max(far):.2g} from those of {file.path}.'
    if all([f <= _ROUGH * max(1.0, _largest(a)) for f, a in zip(far, expected)]):
        return said
    if any([difference(a, b) for a, b in zip(expected, _results(model, inputs))]):
        return f'{said} {file.path} draws numbers, so this says nothing.'
    own = movement(lambda values: _results(model, values), inputs, expected)
    if all([f <= max(_ROUGH * max(1.0, _largest(a)), PLACES * o) for f, a, o in zip(far, expected, own)]):
        return f'{said} Its own move by {max(own):.2g} when inputs move by 1e-6, so this says little.'
    raise ExportError(
        f'{said} Its own move by {max(own):.2g} when inputs move by 1e-6, so nothing is written. Please tell us of the '
        'model; `keras_backend.files.load` makes the same one without this check.'
    )


def _results(model: Any, inputs: List[Any]) -> List[np.ndarray]:
    """The predictions of a model whose states are zero."""
    model.reset_states()
    results = model(inputs)
    return [np.asarray(result) for result in (results if isinstance(results, list) else [results])]


def _largest(array: np.ndarray) -> float:
    numbers = np.abs(array[np.isfinite(array)]) if array.dtype.kind == 'f' else np.abs(array)
    return float(np.max(numbers, initial=0.0))


def _export(file: File, target: str, say: Say, own: Given, example: Optional[str]) -> None:
    """Write what predicts by `keras_backend.export`, and print how far the file is from it."""
    from ..exporting.export import export

    # The K graph of any engine is the same, and NumPy is always here. Functions of the user have the K of the program.
    K = None if own.functions else loader.load('numpy')
    model = function(file, lambdas=own.lambdas, layers=own.functions, K=K)
    names = numbered(model.output_names)
    given = examples_of(model, example)
    sizes = [] if given else _sizes_that_fit(file, model) or _SIZES[-1:]
    examples = given[:_CHECKED] or [_examples(file, size) for size in sizes]
    # The states of stateful layers go in and come out.
    updates = 'outputs' if model.k_function.updates else None
    calibration = given if given and target.endswith('.tflite') else None
    options: Any = dict(updates=updates, output_names=names, check=examples, calibration=calibration)
    say(str(export(model.k_function, target, **options)))


def _sizes_that_fit(file: File, model: Any) -> List[int]:
    """Numbers for the sizes that the model leaves open, which its layers can compute with. Small ones come first.

    Result: two of them, one where its layers take no other, none where they take none of those that are tried.
    """
    read: Any = file.model
    shapes = [read.layer(reference.layer).config['batch_input_shape'] for reference in read.inputs]
    if not any([None in shape[1:] for shape in shapes]):
        return [_SIZES[0], _SIZES[0] - _OTHER]
    fitting: List[int] = []
    for size in _SIZES:
        if _fits(file, model, size):
            if _fits(file, model, size - _OTHER):
                return [size, size - _OTHER]
            fitting.append(size)
        if len(fitting) > 1:
            break
    return fitting


def _fits(file: File, model: Any, size: int) -> bool:
    """Whether a model predicts something where its open sizes are this number."""
    try:
        return all([result.size for result in _results(model, _examples(file, size))])
    except (KerasBackendError, ValueError, IndexError):  # too small for a window, as each engine says it
        return False
    finally:
        model.reset_states()


def _examples(file: File, free: int = 8) -> List[Any]:
    """Inputs at random of the size and range of a model.

    Rows of an Embedding where they go into one, pixels for images, normal numbers elsewhere. free: the number in the
    place of each size that the model leaves open.
    """
    model: Any = file.model
    draw = np.random.RandomState(free)
    arrays = []
    for reference in model.inputs:
        config = model.layer(reference.layer).config
        shape = [size or free for size in config['batch_input_shape']]
        dtype = config.get('dtype') or 'float32'
        taking = _taking(model, reference)
        rows = [layer.config['input_dim'] for layer in taking if layer.kind == 'Embedding']
        scales = [layer.config.get('scale') for layer in taking if layer.kind == 'Rescaling']
        if rows:
            array = draw.randint(0, min(rows), shape)
        elif any([isinstance(scale, float) and abs(scale) < _OF_BYTES for scale in scales]):
            array = draw.uniform(0, 255, shape)
        elif len(shape) == _RANK_OF_IMAGES:
            array = draw.uniform(0, 1, shape)
        elif np.dtype(dtype).kind == 'f':
            array = draw.normal(size=shape)
        else:  # classes, places, flags
            array = draw.randint(0, 2, shape)
        arrays.append(array.astype(dtype))
    return arrays


def _taking(model: Model, reference: Reference) -> List[Layer]:
    """The layers that a tensor goes into, those of models in the model, too."""
    found: List[Layer] = []
    for layer in model.layers:
        for call in layer.calls:
            taken = references(call.inputs)
            if reference not in taken:
                continue
            found.append(layer)
            if layer.model is not None and len(layer.model.inputs) == len(taken):
                found += _taking(layer.model, layer.model.inputs[taken.index(reference)])
    return found


def examples_of(model: Any, example: Optional[str]) -> List[List[Any]]:
    """The batches of the file of --example; none without it."""
    if not example:
        return []
    arrays = arrays_of_file(model, example, '--example')
    rows = {len(array) if np.ndim(array) else 0 for array in arrays}
    if len(arrays) != len(model.inputs) or len(rows) != 1 or not max(rows):
        shapes = ', '.join([str(np.shape(array)) for array in arrays])
        raise ArgumentValueError(
            f'--example {example} has arrays of the shapes {shapes}; the model takes an array with the same number of '
            f'rows for each of {", ".join(model.input_names)}.'
        )
    return model.batches([np.asarray(a, t.dtype) for a, t in zip(arrays, model.inputs)])  # type: ignore[no-any-return]


def arrays_of_file(model: Any, source: str, option: str = '--predict') -> List[Any]:
    """The arrays of a file of NumPy, in the order of the inputs of a model. option: that names it, for errors."""
    check(source)
    try:
        content = _loaded(source)
    except (
        ValueError,
        EOFError,
        RuntimeError,
        zipfile.BadZipFile,
        zlib.error,
        MemoryError,
    ) as error:  # as NumPy has it
        raise UnreadableFileError(
            f'{source} has no arrays of numbers as NumPy writes them; give {option} a file of numpy.save (.npy) or '
            f'numpy.savez (.npz). NumPy says: {_first_sentence(in_short(error))}'
        ) from None
    if isinstance(content, np.ndarray):
        return [content]
    names = list(content)
    order = model.input_names if set(model.input_names) <= set(names) else names
    return [content[name] for name in order]


def _first_sentence(text: str) -> str:
    # The second one of NumPy is the advice to run what a file holds.
    return text.partition('. If you trust')[0]


def _loaded(source: str) -> Any:
    """The array of a file, or the arrays by their names."""
    content = np.load(source, allow_pickle=False)
    if isinstance(content, np.ndarray):
        return content
    with content:
        return {name: content[name] for name in content.files}
