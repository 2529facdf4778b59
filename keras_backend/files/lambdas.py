"""Functions of `Lambda` layers: from the text in a file to a function of K, without running what the file holds."""

import base64
import builtins
import contextlib
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from ..errors import KerasBackendError, LayerConfigError, RefusedCodeError, UnreadableCodeError
from .dialects.dialect import numbers
from .layers.parameters import all_layers
from .names import python_names, tensorflow_names
from .names.counted import counted
from .pseudo_code import source as pseudo_code
from .python_code import refusals as refusals_of
from .python_code import which_python
from .python_code.handlers import HANDLERS
from .python_code.limits import NotAllowed
from .python_code.machine import Cell, Function, World, copied, refused
from .python_code.marshal_data import MOST_BYTES, Version
from .python_code.refusals import Refusal
from .python_code.values import Allowed, Namespace, Tensors
from .structure import OF_DATA, File, Layer, in_short

# The names that programs gave to modules.
OF_K = ('K', 'KB', 'backend', 'keras_backend')
OF_TENSORFLOW = ('tf', 'tensorflow', 'ktf', 'KTF')
OF_NUMPY = ('np', 'numpy')
# The K that was asked for last, its functions, and the tables made of them.
_last: Dict[Optional[int], Tuple[Any, List[Any], Dict[str, Namespace]]] = {}


def function(
    text: str,
    K: Any,
    defaults: Optional[Iterable[Any]] = None,
    closure: Optional[Iterable[Any]] = None,
    names: Optional[Mapping[str, Any]] = None,
    likely: Optional[Iterable[Version]] = None,
    layer: Optional[str] = None,
    tensorflow: Optional[int] = None,
) -> Function:
    """The function that a `Lambda` layer of a file holds.

    text: the code as Keras stores it: marshalled, and in base64 since Keras 2.1. K: the module of K functions.
    defaults: the defaults of the arguments. closure: the values of the variables of the functions around it.
    names: global names of the program that wrote the file, with their values. These come first.
    likely: the Pythons that come first where the code fits several which mean different things.
    layer: the name of the layer, for errors. tensorflow: 1 or 2, whose meaning `tf.image.resize` has; None refuses it.
    Result: a function. A call of it interprets the code.
    Errors: UnreadableCodeError, if the text is no code of Python 2.7 or 3.5 to 3.13. RefusedCodeError, if it needs a
    variable of the functions around it that is not given. The function raises RefusedCodeError where the code does
    anything but compute with K, TensorFlow's names for it, NumPy and Python.
    """
    try:
        program = which_python.read(_bytes(text), likely)
        copies = [copied(tuple(values or ())) for values in (defaults, closure)]
    except RecursionError:
        raise UnreadableCodeError('The function is nested deeper than Python allows.') from None
    spaces, where = _spaces(K, tensorflow), '' if layer is None else f' of the layer {layer}'
    own = copied(dict(names or {}))
    world = World(program, _globals(spaces), own, _modules(spaces), Tensors(K), HANDLERS, where)
    interpreted = Function(world, program.code, copies[0], None, tuple([Cell(value) for value in copies[1]]), True)
    try:
        interpreted.closure += tuple([Cell(world.name(name)) for name in program.code.freevars[len(copies[1]) :]])
    except NotAllowed as error:
        raise refused(interpreted, error) from None
    return interpreted


def source(
    text: str,
    defaults: Optional[Iterable[Any]] = None,
    closure: Optional[Iterable[Any]] = None,
    likely: Optional[Iterable[Version]] = None,
) -> str:
    """The function that a `Lambda` layer of a file holds, as text that looks like its Python source.

    text, defaults, closure, likely: as for `function`. Nothing of the function is run.
    Result: a `lambda` or a `def`, after the values of the variables of the functions around it. Where the code is not
    that of Python's statements, its operations are listed.
    Errors: UnreadableCodeError, if the text is no code of Python 2.7 or 3.5 to 3.13.
    """
    try:
        return pseudo_code.source(which_python.read(_bytes(text), likely), defaults, closure)
    except RecursionError:
        raise UnreadableCodeError('The function is nested deeper than Python allows.') from None


def python_of(text: str) -> List[Version]:
    """The Pythons of which one wrote the code in a text, the oldest first. The code means the same in all of them.

    Errors: UnreadableCodeError, if the text is no code of Python 2.7 or 3.5 to 3.13.
    """
    return sorted(which_python.read(_bytes(text)).pythons)


def refusals(
    text: str,
    K: Any,
    closure: Optional[Iterable[Any]] = None,
    names: Optional[Mapping[str, Any]] = None,
    likely: Optional[Iterable[Version]] = None,
) -> List[Refusal]:
    """What the function that a `Lambda` layer of a file holds would be refused, as far as that is known without a call.

    text, K, closure, names, likely: as for `function`.
    Result: (line, function, name, reason) for each name, attribute, import and instruction that is not allowed, such
    as (3, 'sampling', 'K.eval', 'it uses K.eval, which is not among the names that are allowed'). An empty list does
    not mean that the function runs: what it does with values is known when it runs.
    Errors: UnreadableCodeError, if the text is no code of Python 2.7 or 3.5 to 3.13.
    """
    program, spaces = which_python.read(_bytes(text), likely), _spaces(K)
    count = len(tuple(closure or ()))
    return refusals_of.refusals(program, _globals(spaces), _modules(spaces), dict(names or {}), count)


def _bytes(text: Any) -> bytes:
    if not isinstance(text, (str, bytes)):
        raise UnreadableCodeError(f'The file has a {type(text).__name__} in the place of the text of a function.')
    if len(text) > 2 * MOST_BYTES:
        raise UnreadableCodeError(f'The text of the function has {len(text)} characters, more than {2 * MOST_BYTES}.')
    if isinstance(text, bytes):
        return text
    try:
        return base64.b64decode(''.join(text.split()), validate=True)
    except ValueError:  # Keras 2.0 and before
        return text.encode('raw_unicode_escape')


def _spaces(module: Any, tensorflow: Optional[int] = None) -> Dict[str, Namespace]:
    """The modules that code sees, by the names that programs gave them. They are kept while K and its functions are."""
    functions = [getattr(module, name, None) for name in tensorflow_names.NAMES]
    known = _last.get(tensorflow)
    if known is None or known[0] is not module or not all([a is b for a, b in zip(known[1], functions)]):
        known = _last[tensorflow] = (module, functions, _made_spaces(module, tensorflow))
    return known[2]


def _made_spaces(module: Any, tensorflow: Optional[int]) -> Dict[str, Namespace]:
    K = counted(module, tensorflow_names.NAMES)
    k = tensorflow_names.k_namespace(K)
    tf = tensorflow_names.namespace(K, k, tensorflow)
    k = Namespace('K', {**k.members, 'tf': tf, 'np': python_names.NUMPY})
    keras = Namespace('keras', {'backend': k, 'ops': tensorflow_names.ops_namespace(K, k, tf)})
    return {
        **dict.fromkeys(OF_K, k), **dict.fromkeys(OF_TENSORFLOW, tf),
        **dict.fromkeys(OF_NUMPY, python_names.NUMPY), 'math': python_names.MATH, 'keras': keras,
    }  # fmt: skip


def _globals(spaces: Mapping[str, Namespace]) -> Callable[[Mapping[str, Any], str], Any]:
    def name(given: Mapping[str, Any], asked: str) -> Any:
        if asked in given and not isinstance(given[asked], ModuleType):
            value = given[asked]
            return Allowed(asked, value) if callable(value) and not isinstance(value, Allowed) else value
        for table in (python_names.NAMES, spaces):
            if asked in table:
                return table[asked]
        if hasattr(builtins, asked):
            raise NotAllowed(f'it uses {asked} of Python, which is not among the names that are allowed')
        raise NotAllowed(
            f'it uses the name {asked} of the program that wrote the file; give it with '
            f'custom_objects={{{asked!r}: ...}}'
        )

    return name


def _modules(spaces: Mapping[str, Namespace]) -> Callable[[str, Any], Any]:
    tops = {
        'keras': spaces['keras'], 'tensorflow': spaces['tf'], 'numpy': spaces['np'], 'math': spaces['math'],
    }  # fmt: skip

    def module(asked: str, names: Any) -> Any:
        """`import a.b` gives a, and `from a.b import c` gives a.b, of which c is taken."""
        top, *inner = asked.replace('tensorflow.python.keras', 'tensorflow.keras').split('.')
        if top not in tops:
            raise NotAllowed(f'it imports {asked or "a part of the program that wrote the file"}')
        space = tops[top]
        for name in inner if names else ():
            if not isinstance(space, Namespace):
                raise NotAllowed(f'it imports {asked}')
            space = space.member(name)
        return space

    return module


# -- layers ------------------------------------------------------------------------------------------------------------
# Functions of the `Lambda` layers of a file: one that the user gives, or the one of the file, interpreted.

# The Pythons of the time of a Keras: those of each version up to this one, the usual one first.
_PYTHONS: List[Tuple[Tuple[int, ...], List[Tuple[int, int]]]] = [
    ((2, 3, 99), [(3, 6), (3, 7), (3, 5), (2, 7)]),
    ((2, 4, 99), [(3, 7), (3, 6), (3, 8)]),
    ((2, 8, 99), [(3, 7), (3, 8), (3, 9)]),
    ((2, 11, 99), [(3, 7), (3, 8), (3, 9), (3, 10)]),
    ((2, 99), [(3, 10), (3, 9), (3, 11), (3, 8)]),
    ((99,), [(3, 11), (3, 10), (3, 12), (3, 13), (3, 9)]),
]


def likely_pythons(file: File) -> List[Tuple[int, int]]:
    """The Pythons on which the Keras of a file ran, the usual one first."""
    version = numbers(file.version)
    return next(pythons for newest, pythons in _PYTHONS if version <= newest)


def tensorflow_of(file: File) -> Optional[int]:
    """The version of TensorFlow that a file's functions had, None where it can be 1 and 2."""
    if file.library == 'keras':
        return 1 if numbers(file.version) < (2, 3) else None
    return 2 if numbers(file.version) >= (2, 3) else None


def lambda_layers(file: File) -> List[Layer]:
    """All Lambda layers of a file, with those in models in its model."""
    return [layer for layer in all_layers(file.model) if layer.kind == 'Lambda']


class Functions:
    """Gives each `Lambda` layer its function, for the K of an engine.

    file: the file. K: the module of K functions. given: functions by the name of a layer or of the function of a layer,
    and values of global names of the program that wrote the file. argument: the one by which the user gives these, for
    errors. `tensorflow` is as of `tensorflow_of`.
    """

    def __init__(
        self, file: File, K: Any, given: Optional[Mapping[str, Any]] = None, argument: str = 'lambdas'
    ) -> None:
        """Nothing is read before a function is asked for."""
        self._K, self._argument = K, argument
        self._given: Dict[str, Any] = dict(given or {})
        self._likely: Iterable[Tuple[int, int]] = likely_pythons(file)
        self.tensorflow = tensorflow_of(file)
        self._found: Dict[Tuple[int, str], Callable[..., Any]] = {}

    def __call__(self, layer: Layer, part: str = 'function') -> Callable[..., Any]:
        """The function of a layer. part: 'function', 'mask' or 'output_shape'.

        Errors: UnreadableCodeError, RefusedCodeError, with the layer and with the way to put another in its place.
        """
        stored = layer.config[part]
        key = (id(layer), part)
        if key not in self._found:
            self._found[key] = self._function(layer, stored, part)
        return self._found[key]

    def is_given(self, layer: Layer) -> bool:
        """Whether the function of a `Lambda` is one of the user."""
        stored = layer.config.get('function')
        names = [layer.name, str(stored.get('name')) if isinstance(stored, dict) else '']
        return layer.kind == 'Lambda' and any([callable(self._given.get(name)) for name in names])

    def _function(self, layer: Layer, stored: Mapping[str, Any], part: str) -> Callable[..., Any]:
        names = [layer.name, str(stored.get('name'))] if part == 'function' else [str(stored.get('name'))]
        functions = [self._given[name] for name in names if callable(self._given.get(name))]
        if functions:
            return functions[0]  # type: ignore[no-any-return]
        advice = f'A function of yours takes its place with {self._argument}={{{layer.name!r}: function}}.'
        if 'code' not in stored:
            raise RefusedCodeError(
                f'The layer {layer.name} calls the function {stored.get("name")} of the program that wrote the file, '
                f'and the file has its name alone. {advice}'
            )
        with advised(advice, UnreadableCodeError, RefusedCodeError):
            interpreted = function(
                stored['code'], self._K, stored['defaults'], stored['closure'], self._given, self._likely, layer.name,
                self.tensorflow,
            )  # fmt: skip
        return with_advice(interpreted, advice, layer.name)


@contextlib.contextmanager
def advised(advice: str, *kinds: Any) -> Iterator[None]:
    """Let errors of these kinds say how another function takes the place of the one in the file."""
    try:
        yield
    except kinds as error:
        raise type(error)(f'{error} {advice}') from None


def with_advice(made: Function, advice: str, layer: str = '') -> Callable[..., Any]:
    """The function, whose refusals have the advice. It has the name and the arguments of the one in the file.

    layer: the name of a layer that the other errors of the function are to name.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        with advised(advice, RefusedCodeError):
            try:
                return made(*args, **kwargs)
            except KerasBackendError:
                raise
            except (*OF_DATA, NameError) as error:
                if not layer:
                    raise
                message = f'The function of the layer {layer} ends in an error, {in_short(error)}'
                raise LayerConfigError(f'{message}{"" if message.endswith(".") else "."} {advice}', layer) from error

    function.__signature__ = made.signature()  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = made.code.name
    return function
