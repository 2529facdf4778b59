"""Every exception that a user of keras_backend can meet, with what it means.

Each class derives from `KerasBackendError` and from the built-in exception that code written for the classic
backends expects in its place.
"""

from typing import Any, Callable, Optional, Sequence, Tuple

from .basics.terminal import printable

# The letters of a message, and those of its end, which says what to type next. No message of ours is as long by itself.
_LONGEST, _END = 4000, 600


class KerasBackendError(Exception):
    """Base of all errors raised by keras_backend on purpose."""

    # Whether a message may have several lines. Names of a model file cannot add lines to one that may not.
    _of_lines = True

    def __str__(self) -> str:
        """The message, without letters that a terminal obeys, and short: a part of it may be the text of a file."""
        message = super().__str__()
        if len(message) > _LONGEST:
            message = f'{message[: _LONGEST - _END]} [...] {message[-_END:]}'
        return printable(message, self._of_lines)


class ConfigError(KerasBackendError, ValueError):
    """A setting (keras.json, environment variable or `K.set_*` argument) has a value that is not accepted.

    Attributes: `key`, `value`, `source` (file and line, variable, or call), None where unknown.
    """

    def __init__(
        self, message: str, key: Optional[str] = None, value: Any = None, source: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.key, self.value, self.source = key, value, source


class EngineError(KerasBackendError, ImportError):
    """The configured engine cannot be used. Attribute: `engine`, the name that was asked for."""

    def __init__(self, message: str, engine: Optional[str] = None) -> None:
        super().__init__(message)
        self.engine = engine


class EngineNotFound(EngineError):
    """No module, built-in engine or entry point has the name that was asked for."""


class EngineNotInstalled(EngineError):
    """The engine exists but the library under it is not installed."""


class EngineImportFailed(EngineError):
    """The engine module was found and raised an error of its own while being imported (chained)."""


class NotAnEngine(EngineError):
    """The module was imported but lacks `placeholder`, `variable` or `function`."""


def lacking_primitives(engine: str, title: str, names: Sequence[str], declared: str) -> NotAnEngine:
    """The error for an engine whose table of primitives is not complete. declared: where they are declared."""
    return NotAnEngine(
        f'The {title} engine lacks the primitive{"s"[: len(names) != 1]} {", ".join(names)}; add '
        f'{"it" if len(names) == 1 else "them"} to its table PRIMITIVES ({declared} says what each does).',
        engine,
    )


class EngineRecursion(EngineError):
    """keras_backend was asked to load itself as an engine."""


class WrongKeras(KerasBackendError, ImportError):
    """Keras 2 or Keras 3 is asked for, and is not installed, or another Keras is in its place."""


class MissingFromStandIn(KerasBackendError, AttributeError):
    """A program asks the stand-in for TensorFlow for something else than `tf.keras`."""


class UnsupportedByEngine(KerasBackendError, NotImplementedError):
    """A function of K that this engine cannot do.

    Attributes: `function`, `engine`, `reason`, `way_out`.
    """

    def __init__(self, function: str, engine: str, reason: str, way_out: str) -> None:
        between = ';' if way_out[:1].islower() else '.'
        super().__init__(f'K.{function} is not available on the {engine} engine: {reason}{between} {way_out}')
        self.function, self.engine, self.reason, self.way_out = function, engine, reason, way_out


class ArgumentError(KerasBackendError):
    """An argument that a K function cannot take. Attribute: `function`, the K function, None until it is known."""

    function: Optional[str] = None

    def of(self, function: str, more: Optional[Callable[['ArgumentError'], str]] = None) -> 'ArgumentError':
        """The same error with the name of the K function in front, if no function is named yet.

        `more` says what is to be added to the message.
        """
        if self.function is None:
            self.function = function
            message = str(self)
            if more is not None:
                message += more(self)
            self.args = (message if message.startswith(('K.', 'keras_backend')) else f'K.{function}: {message}',)
        return self


class ForeignTensorError(ArgumentError, ValueError):
    """Tensors of two engines, or of an engine and a foreign library, met in one expression."""


class ClearedSessionError(ArgumentError, ValueError):
    """A tensor or function made before `K.clear_session()` was used after it."""


class ScopeError(ArgumentError, ValueError):
    """A tensor of a step function or a switch branch was used outside of it, or a K function where JAX traces."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a type that the K function does not take."""


class ArgumentValueError(ArgumentError, ValueError):
    """An argument with a value that the K function does not take."""


class ShapeError(ArgumentError, ValueError):
    """Shapes that do not fit each other or the operation, named with the tensors they belong to."""

    @classmethod
    def of_unknown_rank(cls, name: str, also: str = '') -> 'ShapeError':
        """The error where the rank of the tensor `name` is needed and not known. `also` is one more way to say it."""
        return cls(
            f'the number of axes of {name} is needed here and not known; make the placeholder with '
            f'K.placeholder(ndim=...) or K.placeholder(shape=...){also}.'
        )


class IndexOutOfRangeError(ShapeError, IndexError):
    """A place that an axis does not have.

    Attributes: `key`, the id of a node that reads there, None where unknown; `index`, the number that is out of range;
    `at`, the indices of this number in the tensor of numbers; `possible`, which numbers the axis has, in words.
    """

    key: Optional[int] = None
    index: Any = None
    at: Tuple[int, ...] = ()
    possible = ''

    @classmethod
    def of_index(cls, index: Any, size: int, least: int = 0, at: Sequence[int] = ()) -> 'IndexOutOfRangeError':
        """The error for an index of an axis of `size` that is not from `least` to `size` - 1."""
        possible = f'{least} to {size - 1}' if size else 'none at all'
        entry = f' It is the entry {[int(i) for i in at]} of the indices.' if len(at) else ''
        error = cls(f'Index {index} is out of range for an axis of size {size}; possible are {possible}.{entry}')
        error.index, error.at, error.possible = index, tuple(at), possible
        return error


class FeedError(ArgumentError, ValueError):
    """The values fed to a `K.function` do not fit its inputs (number, shape, dtype), or an input is missing."""


class UninitializedVariableError(KerasBackendError, RuntimeError):
    """A variable was read before it had a value, under `K.manual_variable_initialization(True)`."""


class ExportError(KerasBackendError, ValueError):
    """A function cannot be written as a file of some format, or the file does not give what the function gives.

    Attribute: `function`, the K function (or operator) that the format cannot say, None where it is none.
    """

    def __init__(self, message: str, function: Optional[str] = None) -> None:
        super().__init__(message)
        self.function = function


class OutOfMemoryError(KerasBackendError, MemoryError):
    """A run asked for more memory than there is."""


class ForkedProcessError(KerasBackendError, RuntimeError):
    """A library that had run before `os.fork` was asked to run in the child, where its threads do not exist."""


_LINES, _WIDTH = 20, 1000


def shortened(text: str, place: str) -> str:
    """A message of another library: its first lines, and a word about where the rest is."""
    lines = text.splitlines()
    kept = [line if len(line) <= _WIDTH else f'{line[:_WIDTH]}...' for line in lines[:_LINES]]
    if kept == lines:
        return text
    more = f'{len(lines) - _LINES} more lines' if len(lines) > _LINES else 'the rest'
    return '\n'.join([*kept, f'({more}: {place})'])


class UnreadableCodeError(KerasBackendError, ValueError):
    """A file holds bytes in the place of a function, and they are no code of a Python that can be read."""

    _of_lines = False


class RefusedCodeError(KerasBackendError, ValueError):
    """A function that a file holds asks for something that is not allowed, or for too much of it."""

    _of_lines = False


class UnreadableFileError(KerasBackendError, ValueError):
    """A file is no model, weights or program of Keras, or a part of it is missing or is not as Keras writes it."""

    _of_lines = False


class ExcessiveFileError(UnreadableFileError):
    """A model file asks for more memory or time than a file of its size may.

    Attributes: `resource` ('bytes', 'texts', 'entries', 'chunks', 'calls' or 'seconds') and `limit`, the most of it.
    """

    def __init__(self, message: str, resource: str, limit: int) -> None:
        super().__init__(message)
        self.resource, self.limit = resource, limit


class UnknownLayerError(KerasBackendError, ValueError):
    """A model has a layer, or an activation, that has no meaning here. Attributes: `layer` (its name), `kind`."""

    _of_lines = False

    def __init__(self, message: str, layer: str, kind: str) -> None:
        super().__init__(message)
        self.layer, self.kind = layer, kind


class WrongWeightsError(KerasBackendError, ValueError):
    """The weights of a layer are not those that its configuration needs. Attribute: `layer`, its name."""

    _of_lines = False

    def __init__(self, message: str, layer: str) -> None:
        super().__init__(message)
        self.layer = layer


class LayerConfigError(KerasBackendError, ValueError):
    """A layer of a model cannot be computed with the configuration or the inputs that it has. Attribute: `layer`."""

    _of_lines = False

    def __init__(self, message: str, layer: str) -> None:
        super().__init__(message)
        self.layer = layer


class UnsupportedMaskError(KerasBackendError, TypeError):
    """A layer that does not support masking gets a mask. Attribute: `layer`, its name."""

    _of_lines = False

    def __init__(self, message: str, layer: str) -> None:
        super().__init__(message)
        self.layer = layer
