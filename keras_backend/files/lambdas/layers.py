"""Functions of the `Lambda` layers of a file: one that the user gives, or the one of the file, interpreted."""

import contextlib
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from ...errors import KerasBackendError, LayerConfigError, RefusedCodeError, UnreadableCodeError
from .. import lambdas
from ..dialects.dialect import numbers
from ..layers.parameters import all_layers
from ..python_code.machine import Function
from ..structure import File, Layer
from ..structure.foreign_errors import OF_DATA, in_short

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
            function = lambdas.function(
                stored['code'], self._K, stored['defaults'], stored['closure'], self._given, self._likely, layer.name,
                self.tensorflow,
            )  # fmt: skip
        return with_advice(function, advice, layer.name)


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
