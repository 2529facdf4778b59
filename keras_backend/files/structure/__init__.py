"""A model as a file has it: layers, their calls, their weights. Nothing here computes.

Every dialect (Keras 1, Keras 2, tf.keras, Keras 3) is read into this one form, in the spellings of Keras 2.3.1.
"""

from typing import Any, Dict, List, NamedTuple, Optional


class Weight(NamedTuple):
    name: str
    array: Any


# The output number `output` of the call number `call` of the layer `layer`.
class Reference(NamedTuple):
    layer: str
    call: int
    output: int


class Call:
    """One use of a layer: `inputs` are References, or lists and dicts of them; `arguments` are those by keyword."""

    def __init__(self, inputs: List[Any], arguments: Optional[Dict[str, Any]] = None) -> None:
        """Keep what the layer is called with. An argument may be a Reference, too."""
        self.inputs = inputs
        self.arguments = arguments or {}


class Layer:
    """A layer with its configuration and its weights.

    name: unique in its model. kind: the class as Keras 2.3.1 calls it ('Dense', 'Conv2D', 'LSTM', 'Model' ...).
    config: its configuration in the words of Keras 2.3.1. weights: in the order of Keras 2.3.1; kernels of convolutions
    have the axes of TensorFlow. inner: the layer of a TimeDistributed, the two of a Bidirectional, the cells of an RNN.
    model: the model that this layer is, for 'Model' and 'Sequential'. calls: its uses in the model around it.
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
        self.name = name
        self.kind = kind
        self.config = config
        self.inner = inner or []
        self.model = model
        self.weights: List[Weight] = []
        self.calls: List[Call] = []
        self.written_as = kind


class Model:
    """Layers in the order of the file, of which `inputs` go in and `outputs` come out.

    inputs, outputs: References. A Sequential is a model whose layers are called one after the other.
    """

    def __init__(self, name: str, layers: List[Layer], inputs: List[Reference], outputs: List[Reference]) -> None:
        """Keep the parts of a model."""
        self.name = name
        self.layers = layers
        self.inputs = inputs
        self.outputs = outputs

    def layer(self, name: str) -> Layer:
        """The layer of this name."""
        return next(layer for layer in self.layers if layer.name == name)


class File:
    """All that a file says.

    path: its place. form: 'h5', 'keras', 'savedmodel', 'json' or 'yaml'. library: 'keras', 'tf.keras' or 'keras 3'.
    version: the version of Keras that wrote it. engine: the engine of that Keras, '' where the file does not say it.
    model: None in a file with weights alone. weights: the weights of each layer as the file has them.
    training: the configuration of training, None where there is none.
    """

    def __init__(self, path: str, form: str, library: str, version: str, engine: str) -> None:
        """A file of which only the head is known."""
        self.path = path
        self.form = form
        self.library = library
        self.version = version
        self.engine = engine
        self.model: Optional[Model] = None
        self.weights: Dict[str, List[Weight]] = {}
        self.training: Optional[Dict[str, Any]] = None
