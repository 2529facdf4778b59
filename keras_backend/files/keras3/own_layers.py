"""Keras 3 itself, and layers and activations that it lacks, or to which it gives another meaning.

A saved model that has one of them opens after `import keras_backend.files.keras3`.
"""

from importlib import import_module
from typing import Any, Callable, Dict, Sequence

from ...basics import installed
from ...errors import EngineError, LayerConfigError, WrongKeras
from ..building.layer_of_file import OfFile
from ..building.spellings import Spellings
from ..layers.use import tensor_list
from ..structure import Layer

# -- Keras 3 -----------------------------------------------------------------------------------------------------------
# Keras 3, as this package imports it, and K inside it.


def _imported() -> Any:
    version = installed.version(['keras'])
    if version is None or int(version.partition('.')[0]) < 3:
        raise WrongKeras(
            'keras_backend.files.load makes a model of Keras 3.12.1 or later, and '
            f'{"no Keras" if version is None else "Keras " + version} is installed. Type: pip install "keras>=3.12.1". '
            'keras_backend.files.function needs no Keras.'
        )
    return import_module('keras')


keras: Any = _imported()
registered: Any = keras.saving.register_keras_serializable('keras_backend')


def check_eager_mode() -> None:
    """Keras 3 on TensorFlow runs in eager mode, which the TensorFlow engine of K turns off. Error: EngineError."""
    if keras.backend.backend() == 'tensorflow' and not import_module('tensorflow').executing_eagerly():
        raise EngineError(
            'A model of Keras 3 on TensorFlow needs eager mode, which K on the TensorFlow engine has turned off in '
            'this process: `from keras_backend import files` and `import keras_backend as K` start it. Type '
            '`import keras_backend.files`, or use keras_backend.files.function, which needs no Keras.',
            'tensorflow',
        )


def k_inside_keras() -> Any:
    """K over what Keras 3 hands around, whatever engine `keras_backend` has."""
    return import_module('keras_backend.keras3')


# -- activations -------------------------------------------------------------------------------------------------------
# Activations with another meaning in Keras 3. A model with one opens after `import keras_backend.files.keras3`.


@registered
def hard_sigmoid_of_keras_2(x: Any) -> Any:
    """0.2 * x + 0.5, clipped to [0, 1]. That of Keras 3 is x / 6 + 0.5."""
    return keras.ops.cast(keras.ops.clip(0.2 * x + 0.5, 0.0, 1.0), x.dtype)


# Names of Keras 2 that have another meaning in Keras 3.
ACTIVATIONS: Dict[str, Callable[[Any], Any]] = {'hard_sigmoid': hard_sigmoid_of_keras_2}


@registered
class LayerOfFile(OfFile, keras.layers.Layer):
    """A layer with the meaning of Keras 2.3.1, computed with K.

    layer, library, functions: as of `OfFile.keep`. A program that opens a saved model gives the functions with
    `custom_objects`.
    """

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

    def call(self, inputs: Any, mask: Any = None, **arguments: Any) -> Any:
        """The outputs of the layer."""
        outputs, masks, _ = self.computed(inputs, mask, arguments)
        if mask is not None:
            # Keras keeps a mask with its tensor, so an input that comes out without its mask is another tensor.
            tensors = list(map(id, tensor_list(inputs)))
            outputs = [
                keras.ops.copy(output) if own is None and id(output) in tensors else output
                for output, own in zip(outputs, masks)
            ]
        return outputs[0] if len(outputs) == 1 else outputs

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The masks of the outputs."""
        outputs, masks, _ = self.computed(inputs, previous_mask, {})
        return masks[0] if len(outputs) == 1 else masks

    def get_config(self) -> Dict[str, Any]:
        """The layer as plain data."""
        return {**super().get_config(), **self.said()}
