"""Layers that Keras 3 lacks, or to which it gives another meaning.

A saved model that has one of them opens after `import keras_backend.files.keras3`.
"""

from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from ...errors import LayerConfigError
from ..building.layer_of_file import OfFile
from ..building.spellings import Spellings
from ..structure import Layer
from .library import k_inside_keras, keras, registered


@registered
class LayerOfFile(OfFile, keras.layers.Layer):
    """A layer with the meaning of Keras 2.3.1, computed with K.

    layer, library, functions: as of `OfFile.keep`. A program that opens a saved model gives the functions with
    `custom_objects`.
    """

    def __init__(
        self,
        layer: Mapping[str, Any],
        library: str = 'keras',
        functions: Optional[Mapping[str, Callable[..., Any]]] = None,
        **kwargs: Any,
    ) -> None:
        """Keep the layer. Its weights are made when the model is built."""
        super().__init__(**kwargs)
        self.keep(layer, library, functions)

    def k(self) -> Any:
        """K inside Keras 3."""
        return k_inside_keras()

    def parts(self) -> Spellings:
        """What regularizers and constraints of the file are in Keras 3."""
        return Spellings(keras, 'Keras 3', keras.saving.get_custom_objects())

    def value(self, variable: Any) -> Any:
        """The tensor of a variable."""
        return variable.value

    def assign(self, variable: Any, array: Any) -> None:
        """Give a variable a value."""
        variable.assign(array)

    def state(self, layer: Layer, number: int, shape: Sequence[int]) -> Any:
        """Error: LayerConfigError."""
        raise LayerConfigError(
            f'The layer {self.name} ({self.kind}) is stateful, and no layer of Keras 3 has its meaning.', self.name
        )

    def build(self, input_shape: Any = None) -> None:
        """Make the weights."""
        self.make_weights()
        self.built = True

    def call(self, inputs: Any, mask: Any = None, **arguments: Any) -> Any:
        """The outputs of the layer."""
        outputs, _, _ = self.computed(inputs, mask, arguments)
        return outputs[0] if len(outputs) == 1 else outputs

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The masks of the outputs."""
        outputs, masks, _ = self.computed(inputs, previous_mask, {})
        return masks[0] if len(outputs) == 1 else masks

    def get_config(self) -> Dict[str, Any]:
        """The layer as plain data."""
        return {**super().get_config(), **self.said()}
