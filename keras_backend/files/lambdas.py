"""Functions of `Lambda` layers: from the text in a file to a function of K, without running what the file holds."""

import base64
import binascii
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Mapping, Optional

from ..errors import UnreadableCodeError
from .names import builtin_names, k_names, numpy_names, tensorflow_names
from .python_code import which_python
from .python_code.handlers import HANDLERS
from .python_code.limits import NotAllowed
from .python_code.machine import Cell, Function, World
from .python_code.marshal_data import Version
from .python_code.values import Allowed, Namespace, Tensors

# The names that programs gave to modules.
OF_K = ('K', 'KB', 'backend', 'keras_backend')
OF_TENSORFLOW = ('tf', 'tensorflow', 'ktf', 'KTF')
OF_NUMPY = ('np', 'numpy')


def function(
    text: str,
    K: Any,
    defaults: Optional[Iterable[Any]] = None,
    closure: Optional[Iterable[Any]] = None,
    names: Optional[Mapping[str, Any]] = None,
    likely: Optional[Iterable[Version]] = None,
) -> Function:
    """The function that a `Lambda` layer of a file holds.

    text: the code as Keras stores it: marshalled, and in base64 since Keras 2.1. K: the module of K functions.
    defaults: the defaults of the arguments. closure: the values of the variables of the functions around it.
    names: global names of the program that wrote the file, with their values. These come first.
    likely: the Pythons that come first where the code fits several which mean different things.
    Result: a function. A call of it interprets the code.
    Errors: UnreadableCodeError, if the text is no code of Python 2.7 or 3.5 to 3.13. The function raises
    RefusedCodeError where the code does anything but compute with K, TensorFlow's names for it, NumPy and Python.
    """
    program = which_python.read(_bytes(text), likely)
    spaces = _spaces(K)
    world = World(program, _globals(spaces, dict(names or {})), _modules(spaces), Tensors(K), HANDLERS)
    cells = [Cell(_constant(value)) for value in closure or ()]
    missing = len(program.code.freevars) - len(cells)
    if missing > 0:
        given = names or {}
        cells += [Cell(given[name]) for name in program.code.freevars[-missing:] if name in given]
    return Function(world, program.code, tuple([_constant(value) for value in defaults or ()]), None, tuple(cells))


def _bytes(text: str) -> bytes:
    raw = text.encode('ascii', 'ignore') if isinstance(text, str) else bytes(text)
    if isinstance(text, str) and len(raw) == len(text):
        try:
            return base64.b64decode(b''.join(raw.split()), validate=True)
        except binascii.Error:
            pass
    try:
        return text.encode('raw_unicode_escape') if isinstance(text, str) else raw
    except UnicodeEncodeError:
        raise UnreadableCodeError('The text of the function is neither base64 nor bytes.') from None


def _constant(value: Any) -> Any:
    """A default or a value of a closure, as JSON has it."""
    if isinstance(value, (type(None), bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)([_constant(one) for one in value])
    if isinstance(value, dict):
        return {str(name): _constant(one) for name, one in value.items()}
    return value


def _spaces(K: Any) -> Dict[str, Namespace]:
    k = k_names.namespace(K)
    tf = tensorflow_names.namespace(K, k)
    k = Namespace('K', {**k.members, 'tf': tf, 'np': numpy_names.NUMPY})
    keras = Namespace('keras', {'backend': k})
    return {
        **dict.fromkeys(OF_K, k), **dict.fromkeys(OF_TENSORFLOW, tf),
        **dict.fromkeys(OF_NUMPY, numpy_names.NUMPY), 'math': numpy_names.MATH, 'keras': keras,
    }  # fmt: skip


def _globals(spaces: Dict[str, Namespace], given: Dict[str, Any]) -> Callable[[str], Any]:
    def name(asked: str) -> Any:
        if asked in given and not isinstance(given[asked], ModuleType):
            value = given[asked]
            return Allowed(asked, value) if callable(value) and not isinstance(value, Allowed) else value
        for table in (builtin_names.NAMES, spaces):
            if asked in table:
                return table[asked]
        raise NotAllowed(
            f'it uses the name {asked} of the program that wrote the file; give it with '
            f'custom_objects={{{asked!r}: ...}}'
        )

    return name


def _modules(spaces: Dict[str, Namespace]) -> Callable[[str, Any], Any]:
    tops = {
        'keras': spaces['keras'], 'tensorflow': spaces['tf'], 'numpy': spaces['np'], 'math': spaces['math'],
    }  # fmt: skip

    def module(asked: str, names: Any) -> Any:
        """`import a.b` gives a, and `from a.b import c` gives a.b, of which c is taken."""
        top, *inner = asked.replace('tensorflow.python.keras', 'tensorflow.keras').split('.')
        if top not in tops:
            raise NotAllowed(f'it imports {asked}')
        found = tops[top]
        for part in inner if names else ():
            found = found.member(part)
        return found

    return module
