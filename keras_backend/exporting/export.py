"""`keras_backend.export`: a K function becomes a file that others run."""

import importlib
import os
import shutil
import tempfile
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ..basics import installed
from ..errors import ArgumentTypeError, ArgumentValueError, EngineNotInstalled, ExportError
from .checking import ExportReport
from .checking import check as _check
from .request import Exported, Options, Run


class Format(NamedTuple):
    """A format.

    module:    here, with `write(exported, path, options)`, which returns what a reader of the file has to know, and
               `load(path)`, which returns a function from arrays by the names of inputs to a list of arrays in the
               order of the output names. It may have `verify(path)`, a checker
    endings:   of names of files that have it
    writes:    libraries without which no file can be written
    runs:      libraries without which no file can be run
    extra:     the extra of this package that has these libraries
    state:     whether a file can have variables that last
    is_folder: whether it is a folder
    of_engine: the module for functions of the TensorFlow engine, if it has such files as they are
    is_small:  whether the file can have int8 where the function has floats
    """

    module: str
    endings: Tuple[str, ...]
    writes: Tuple[str, ...]
    runs: Tuple[str, ...]
    extra: str
    state: bool = False
    is_folder: bool = False
    of_engine: str = ''
    is_small: bool = False


FORMATS: Dict[str, Format] = {
    'onnx': Format('onnx.file', ('.onnx',), ('onnx',), ('onnxruntime',), 'export'),
    # jax.export writes and reads by flatbuffers, which JAX does not ask for; onnxruntime does.
    'stablehlo': Format(
        'stablehlo', ('.mlir', '.stablehlo'), ('jax', 'flatbuffers'), ('jax', 'flatbuffers'), 'jax,export'
    ),
    'torch_export': Format('torch_export', ('.pt2',), ('torch',), ('torch',), 'torch'),
    'tflite': Format(
        'tflite.file',
        ('.tflite',),
        ('tensorflow',),
        ('tensorflow',),
        'tensorflow',
        of_engine='tflite.of_engine',
        is_small=True,
    ),
    'saved_model': Format(
        'saved_model.folder', (), ('tensorflow',), ('tensorflow',), 'tensorflow', True, True, 'saved_model.of_engine'
    ),
}


def export(
    function: Callable[..., Any],
    path: Union[str, 'os.PathLike[str]'],
    format: Optional[str] = None,
    updates: Optional[str] = None,
    variables: Optional[str] = None,
    input_names: Optional[Sequence[str]] = None,
    output_names: Optional[Sequence[str]] = None,
    check: Union[bool, Sequence[Sequence[Any]]] = True,
    opset: Optional[int] = None,
    calibration: Optional[Sequence[Sequence[Any]]] = None,
) -> ExportReport:
    """Write a K function as a file that others run, and run it beside the function.

    Sizes that are None in the placeholders stay free in the file.

    Parameters
    ----------
    function : result of K.function
        On the NumPy, PyTorch, JAX or CNTK engine; for SavedModel and TFLite also on the TensorFlow engine.
    path : str
        Where the file goes. Its ending tells the format: .onnx; .mlir or .stablehlo; .pt2; .tflite; a folder is a
        SavedModel.
    format : str, optional
        'onnx', 'stablehlo', 'torch_export', 'tflite' or 'saved_model'.
    updates : str, optional
        What becomes of the updates of the function. 'outputs': the new values are further outputs, so a training step
        is a file. 'state': the file assigns them, in a SavedModel. 'leave_out': they are left out. Without a word a
        function with updates is refused.
    variables : str, optional
        'constants': their values of now are part of the file. 'inputs': they are fed, after the inputs of the function.
        'updated': those that an update changes are fed, and the others are constants. Without a word it is 'updated'
        with updates='outputs', and 'constants' else.
    input_names, output_names : list of str, optional
        Else inputs and outputs have the names of their tensors, and new values that of the variable with `_new`.
    check : bool or list
        Whether the file is run beside the function, at several sizes. A list holds what is fed then: a list of values
        for each run.
    opset : int, optional
        The version of the operators of ONNX. Without one it is 17.
    calibration : list, optional
        For .tflite: a list of values for each run, as they occur. From them TensorFlow Lite takes the ranges of
        numbers, and the file computes with int8 where it can. In a function with a loop only the weights are int8.
        Inputs and outputs stay as they are. The check runs the first three, and tells the largest difference.

    Returns
    -------
    report : ExportReport
        It has `path`, `format`, `inputs`, `outputs`, `variables` (name -> array, of those that are fed),
        `differences` and `notes`; `print` shows it.

    Raises
    ------
    ExportError
        If the format cannot say what the function does, or the file does not give what the function gives. Then no
        file is left.
    """
    options = Options(updates, variables, input_names, output_names, opset, calibration)
    target = _path(path)
    name = _format(target, format)
    chosen = FORMATS[name]
    if options.updates == 'state' and not chosen.state:
        raise ExportError(
            f"keras_backend.export: updates='state' needs a format whose files have variables, and {name} has none; "
            "write updates='outputs', or format='saved_model'."
        )
    if options.calibration is not None and not chosen.is_small:
        raise ArgumentValueError(
            f'keras_backend.export: calibration= is for files of int8, which {name} has not; leave it out, or write '
            'a file that ends in .tflite.'
        )
    needed = chosen.writes + (chosen.runs if check is not False else ())
    if chosen.of_engine and type(function).__module__.startswith('keras_backend.engines.tensorflow_backend.'):
        _need(name, needed, chosen.extra)
        module = importlib.import_module(f'{__package__}.{chosen.of_engine}')
        exported: Any = module.ExportedGraph(function, options, chosen.state)
    else:
        exported = Exported(function, options)
        _need(name, needed, chosen.extra)
        module = importlib.import_module(f'{__package__}.{chosen.module}')
    fed = exported.fed_values
    report = ExportReport(target, name, [*exported.input_names, *fed], exported.output_names)
    report.variables = fed
    # What is half done, or wrong, never lies at the path. A file may have others beside it, which it knows by name.
    folder = tempfile.mkdtemp(prefix='.export_', dir=os.path.dirname(os.path.abspath(target)))
    try:
        draft = os.path.join(folder, os.path.basename(target))
        report.notes.extend(module.write(exported, draft, options) or ())
        if not chosen.is_folder:
            for name in sorted(set(os.listdir(folder)) - {os.path.basename(target)}):
                report.notes.append(f'It reads {name}, which has to lie beside it.')
        if check is not False:
            verify = getattr(module, 'verify', None)
            if verify is not None:
                verify(draft)
            examples = (options.calibration or ())[:3] if check is True else _examples(check)
            run = _runner(module, draft, has_state=options.updates == 'state')
            _check(exported, run, examples, report, is_exact=options.calibration is None)
        _move(folder, os.path.dirname(os.path.abspath(target)), os.path.basename(target))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _path(path: Any) -> str:
    try:
        target = os.fspath(path)
    except TypeError:
        target = None
    if not isinstance(target, str) or not target.strip('/'):
        raise ArgumentTypeError(f'keras_backend.export: path is the name of a file, got {path!r}.')
    target = target.rstrip('/')
    folder = os.path.dirname(os.path.abspath(target))
    if not os.path.isdir(folder):
        raise ArgumentValueError(f'keras_backend.export: path={path!r} is in the folder {folder}, which is not there.')
    return target


def _format(target: str, given: Optional[str]) -> str:
    """The name of the format."""
    known = ', '.join(map(repr, FORMATS))
    ending = os.path.splitext(target)[1]
    of_ending = [name for name, candidate in FORMATS.items() if ending in candidate.endings]
    name = given or (of_ending[0] if of_ending else '' if ending else 'saved_model')
    if given is not None and given not in FORMATS:
        raise ArgumentValueError(f'keras_backend.export: format={given!r} is not known; write one of {known}.')
    if not name:
        raise ArgumentValueError(
            f'keras_backend.export: the ending of path={target!r} tells no format; write format= and one of {known}.'
        )
    # A SavedModel may take the place of another one, and of an empty folder.
    names = os.listdir(target) if os.path.isdir(target) else []
    if os.path.isdir(target) and not (FORMATS[name].is_folder and (not names or 'saved_model.pb' in names)):
        raise ArgumentValueError(f'keras_backend.export: path={target!r} is a folder; give the name of a new one.')
    return name


def module_of(name: str) -> Any:
    """The module of a format, whose files can be written and run here."""
    if name not in FORMATS:
        known = ', '.join(map(repr, FORMATS))
        raise ArgumentValueError(f'{name!r} is no format of keras_backend.export; write one of {known}.')
    chosen = FORMATS[name]
    _need(name, chosen.writes + chosen.runs, chosen.extra)
    return importlib.import_module(f'{__package__}.{chosen.module}')


def _runner(module: Any, path: str, has_state: bool) -> Run:
    """What runs a file. It is loaded at the first run, and one with state, which begins anew then, at each."""
    loaded: List[Run] = []

    def run(values: Dict[str, Any]) -> List[Any]:
        if has_state or not loaded:
            loaded[:] = [module.load(path)]
        return loaded[0](values)

    return run


def _need(name: str, libraries: Tuple[str, ...], extra: str) -> None:
    missing = [library for library in libraries if installed.spec(library) is None]
    if missing:
        raise EngineNotInstalled(
            f'keras_backend.export: format={name!r} needs {" and ".join(sorted(set(missing)))}. Type: pip install '
            f"'{installed.requirement(extra)}'"
        )


def _examples(check: Any) -> Sequence[Any]:
    if not isinstance(check, (list, tuple)) or not check:
        raise ArgumentTypeError(
            f'keras_backend.export: check is True, False, or a list with a list of values for each run, got {check!r}.'
        )
    return check


def _move(folder: str, to: str, last: str) -> None:
    """Put what lies in a folder into another one, over what is there: `last` once all others are there."""
    for name in sorted(os.listdir(folder), key=lambda name: name == last):
        target = os.path.join(to, name)
        if os.path.isdir(target):
            shutil.rmtree(target)
        os.replace(os.path.join(folder, name), target)
