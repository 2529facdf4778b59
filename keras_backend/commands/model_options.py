"""What options of `python -m keras_backend model` give to a model: values, functions and classes of a program."""

import ast
import contextlib
import os
import runpy
from typing import Any, Dict, Iterator, NamedTuple, Optional, Sequence

from ..errors import ArgumentValueError, KerasBackendError

# What errors advise in the words of Python, and the options of the command that do it.
_OPTIONS = {
    'lambdas=': '--custom FILE.py with a function of this name, or --lambda NAME=VALUE',
    'layers=': '--custom FILE.py with a function of this name',
    'custom_objects=': '--custom FILE.py with an object of this name',
    'weights=': '--weights FILE',
    'engine=': '--engine theano or --engine tensorflow',
    'budget=': 'the variable KERAS_BACKEND_FILE_BUDGET=10',
    'format=': 'an ending of NEW: .keras, .onnx, .tflite, .mlir or .pt2; none is a SavedModel',
    'calibration': '--example FILE with other inputs',
}


class Given(NamedTuple):
    """values: of names that functions of the file use. functions, classes: those of a program of the user, by names."""

    values: Dict[str, Any]
    functions: Dict[str, Any]
    classes: Dict[str, Any]

    @property
    def lambdas(self) -> Dict[str, Any]:
        """What `files.function` and `files.load` take as `lambdas`."""
        return {**self.values, **self.functions}

    @property
    def custom_objects(self) -> Dict[str, Any]:
        """What `files.load` takes as `custom_objects`."""
        return {**self.functions, **self.classes}


NOTHING = Given({}, {}, {})


def given(assignments: Optional[Sequence[str]], program: Optional[str]) -> Given:
    """What --lambda and --custom give. program: a file of the user, which is run.

    Errors: ArgumentValueError. Those of the program.
    """
    names = _of_program(program) if program else {}
    functions = {name: value for name, value in names.items() if callable(value) and not isinstance(value, type)}
    classes = {name: value for name, value in names.items() if isinstance(value, type)}
    values = {name: value for name, value in names.items() if name not in functions and name not in classes}
    values.update(map(_assignment, assignments or ()))
    return Given(values, functions, classes)


def _assignment(text: str) -> Any:
    name, sign, value = text.partition('=')
    try:
        if not sign or not name.strip().isidentifier():
            raise ValueError
        return name.strip(), ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # as Python says that it is no value
        raise ArgumentValueError(
            f'--lambda {text[:100]}: write NAME=VALUE with a number, a text in quotes or a list: --lambda SIZE=224'
        ) from None


def _of_program(path: str) -> Dict[str, Any]:
    """The functions, classes and plain values that a file of the user makes, without what it imports."""
    if not os.path.isfile(path):
        raise ArgumentValueError(f'--custom {path}: there is no such file')
    module = 'custom_of_the_command'
    kept = {}
    for name, value in runpy.run_path(path, run_name=module).items():
        is_plain = isinstance(value, (bool, int, float, str, list, tuple))
        if not name.startswith('_') and (is_plain or getattr(value, '__module__', None) == module):
            kept[name] = value
    return kept


@contextlib.contextmanager
def in_words_of_the_command() -> Iterator[None]:
    """Add to an error the options that do what it advises in the words of Python."""
    try:
        yield
    except KerasBackendError as error:
        text = str(error)
        advice = [option for word, option in _OPTIONS.items() if word in text]
        if advice and '--' not in text:
            error.args = (f'{text} For this command: {"; ".join(advice)}.',)
        raise
