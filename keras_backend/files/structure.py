"""A model as a file has it: layers, their calls, their weights. Nothing here computes.

Every dialect (Keras 1, Keras 2, tf.keras, Keras 3) is read into this one form, in the spellings of Keras 2.3.1.
"""

import re
import struct
import zlib
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple


class Weight(NamedTuple):
    name: str
    array: Any


class Reference(NamedTuple):
    """The output number `output` of the call number `call` of the layer `layer`."""

    layer: str
    call: int
    output: int


def numbered(names: Iterable[str]) -> List[str]:
    """The names, each with a number where it comes again: dense, dense_1 ..."""
    counts: Dict[str, int] = {}
    found = []
    for name in names:
        again = counts[name] = counts.get(name, -1) + 1
        found.append(f'{name}_{again}' if again else name)
    return found


def leaves(value: Any) -> Iterator[Any]:
    """The References and constants in nested lists and dicts, in their order."""
    if isinstance(value, (list, tuple)) and not isinstance(value, Reference):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    else:
        yield value


def references(value: Any) -> List[Reference]:
    """The References in nested lists and dicts, in their order."""
    return [one for one in leaves(value) if isinstance(one, Reference)]


def replaced(value: Any, change: Callable[[Reference], Any]) -> Any:
    """Nested lists and dicts with `change(reference)` in the place of each Reference."""
    if isinstance(value, Reference):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [replaced(one, change) for one in value]
    if isinstance(value, dict):
        return {name: replaced(one, change) for name, one in value.items()}
    return value


class Call:
    """One use of a layer: `inputs` are References, or lists and dicts of them; `arguments` are those by keyword."""

    def __init__(self, inputs: List[Any], arguments: Optional[Dict[str, Any]] = None) -> None:
        """Keep what the layer is called with. An argument may be a Reference, too."""
        self.inputs = inputs
        self.arguments = arguments or {}

    def references(self) -> List[Reference]:
        """The tensors that the layer is called with."""
        return references([self.inputs, self.arguments])


class Layer:
    """A layer with its configuration and its weights.

    name: unique in its model. kind: the class as Keras 2.3.1 calls it ('Dense', 'Conv2D', 'LSTM', 'Model' ...).
    config: its configuration in the words of Keras 2.3.1. weights: in the order of Keras 2.3.1; kernels of convolutions
    have the axes of TensorFlow. inner: the layer of a TimeDistributed, the two of a Bidirectional, the cells of an RNN.
    model: the model that this layer is, for 'Model' and 'Sequential'. calls: its uses in the model around it.
    gets_masks: whether the masks of its inputs are handed to it. Keras 3 hands none to a layer with several arguments.
    written_as: the name of the class in the file.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        config: Dict[str, Any],
        inner: Optional[List['Layer']] = None,
        model: Optional['Model'] = None,
    ) -> None:
        """A layer without calls and weights."""
        self.name, self.kind, self.config, self.model = name, kind, config, model
        self.inner = inner or []
        self.weights: List[Weight] = []
        self.calls: List[Call] = []
        self.gets_masks = True
        self.written_as = kind


class Model:
    """Layers in the order of the file, of which `inputs` go in and `outputs` come out.

    inputs, outputs: References. sequential: whether the file has it as a Sequential, whose layers are called one after
    the other.
    """

    sequential = False

    def __init__(self, name: str, layers: List[Layer], inputs: List[Reference], outputs: List[Reference]) -> None:
        """Keep the parts of a model."""
        self.name, self.layers, self.inputs, self.outputs = name, layers, inputs, outputs
        self._by_name: Dict[str, Layer] = {}
        self._named = 0  # how many layers there were when the names were listed

    def layer(self, name: str) -> Layer:
        """The layer of this name. Error: KeyError."""
        # Layers may have been added. A name that is missing does not list the names again: files may have thousands.
        if self._named != len(self.layers):
            # Of two layers of one name, the first counts.
            self._by_name = {layer.name: layer for layer in reversed(self.layers)}
            self._named = len(self.layers)
        return self._by_name[name]

    def calls(self) -> List[Tuple[Layer, int]]:
        """The calls of the layers, each with its number, so that what a call needs comes before it.

        Otherwise they are in the order of the layers. Calls that wait for each other are left out.
        """
        every = [(layer, number) for layer in self.layers for number in range(len(layer.calls))]
        needs = {
            (layer.name, number): {(one.layer, one.call) for one in layer.calls[number].references()}
            for layer, number in every
        }
        waiting: Dict[Tuple[str, int], List[Tuple[Layer, int]]] = {}
        found: List[Tuple[Layer, int]] = []
        done: Set[Tuple[str, int]] = set()
        for start in every:
            ready = [start]
            while ready:
                layer, number = ready.pop()
                node = (layer.name, number)
                missing = needs[node] - done
                if missing:
                    waiting.setdefault(min(missing), []).append((layer, number))
                    continue
                found.append((layer, number))
                done.add(node)
                ready += reversed(waiting.pop(node, []))
        return found


class File:
    """All that a file says.

    path: its place. form: 'h5', 'keras', 'savedmodel', 'json' or 'yaml'. library: 'keras', 'tf.keras' or 'keras 3'.
    version: the version of Keras that wrote it. engine: the engine of that Keras, '' where the file does not say it.
    model: None in a file with weights alone. weights: the weights of each layer as the file has them.
    training: the configuration of training, None where there is none. lacks: what a file of a model does not have of
    its weights, as words behind its path; '' where it has them. names_weights: whether it has a list of weights, which
    may be empty.
    """

    def __init__(self, path: str, form: str, library: str, version: str, engine: str) -> None:
        """A file of which only the head is known."""
        self.path, self.form, self.library, self.version, self.engine = path, form, library, version, engine
        self.model: Optional[Model] = None
        self.weights: Dict[str, List[Weight]] = {}
        self.training: Optional[Dict[str, Any]] = None
        self.lacks = ''
        self.names_weights = False


# -- errors of others --------------------------------------------------------------------------------------------------
# Errors that are not of this package, where a part of a file makes them: what they are, and what they say in short.

# Anything may stand in the place of anything in a file, so any error of data may come of it. What is not an error of
# data is not here: a lack of memory, an interruption.
OF_DATA = (
    LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, NotImplementedError,
    RuntimeError, EOFError, OSError, AssertionError, struct.error, zlib.error,
)  # fmt: skip
_WIDTH = 300
# What Keras 3 puts around the message of an error in a layer: a line before it, and letters that make it bold.
_FRAMED = 'Exception encountered when calling '
_FRAME = re.compile(rf'\A{_FRAMED}.*|\x1b\[\d*m')


def in_short(error: BaseException) -> str:
    """The kind of an error and the first line of what it says."""
    lines = [line.strip() for line in _FRAME.sub('', str(error)).splitlines() if line.strip()]
    said = lines[0] if lines else ''
    return f'{type(error).__name__}: {said if len(said) <= _WIDTH else said[:_WIDTH] + "..."}'


def is_framed(error: BaseException) -> bool:
    """Whether a library has put its words around the message of an error, and so has made another error."""
    return str(error).startswith(_FRAMED)
