"""Layers and activations that Keras 2 lacks, or to which it gives another meaning than the file does.

Operations of tf.keras and Keras 3 are layers here, because every tensor of Keras 2 comes from a layer.
"""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ...errors import LayerConfigError
from ..building.layer_of_file import OfFile, as_json
from ..building.spellings import Spellings
from ..layers.use import TABLE, masks_of, tensor_list
from ..structure import Layer
from .spellings import k_of_keras, keras

_TENSOR = 'tensor of the call'


def template(value: Any, is_tensor: Callable[[Any], bool], tensors: List[Any]) -> Any:
    """The value as plain data, in which {'tensor of the call': number} stands for a tensor, added to `tensors`."""
    if is_tensor(value):
        tensors.append(value)
        return {_TENSOR: len(tensors) - 1}
    if isinstance(value, (list, tuple)):
        return [template(element, is_tensor, tensors) for element in value]
    if isinstance(value, dict):
        return {name: template(element, is_tensor, tensors) for name, element in value.items()}
    return as_json(value)


def _filled(said: Any, tensors: Sequence[Any]) -> Any:
    if isinstance(said, dict):
        if set(said) == {_TENSOR}:
            return tensors[said[_TENSOR]]
        return {name: _filled(element, tensors) for name, element in said.items()}
    return [_filled(element, tensors) for element in said] if isinstance(said, (list, tuple)) else said


class LayerOfFile(OfFile, keras.layers.Layer):
    """A layer of a file, computed with K.

    layer, library, functions: as of `OfFile.keep`. given: the inputs and the arguments of its calls, as `template` has
    them, where it gets anything but its inputs; None for a layer that gets these alone.
    """

    def __init__(
        self,
        layer: Mapping[str, Any],
        library: str = 'keras',
        functions: Optional[Mapping[str, Callable[..., Any]]] = None,
        given: Optional[Mapping[str, Any]] = None,
        **kwargs: Any,
    ) -> None:
        """Keep the layer. Its weights are made at its first call."""
        super().__init__(layer, library, functions, **kwargs)
        self.given = given
        self.stateful = bool(self._of_file.config.get('stateful'))
        self._states: Dict[Tuple[int, int], Any] = {}
        # Keras asks for the mask and the shape of an output after the call that made it.
        self._last: Tuple[List[Any], List[Any], List[Any]] = ([], [], [])

    # -- for OfFile --------------------------------------------------------------------------------------------------
    def k(self) -> Any:
        """K of Keras 2."""
        return k_of_keras()

    def value(self, variable: Any) -> Any:
        """The variable itself, which is a tensor."""
        return variable

    def assign(self, variable: Any, array: Any) -> None:
        """Give a variable a value."""
        self.k().set_value(variable, array)

    def parts(self) -> Spellings:
        """What regularizers and constraints of the file are in Keras 2."""
        return Spellings(keras, 'Keras 2', keras.utils.get_custom_objects())

    def state(self, layer: Layer, number: int, shape: Sequence[int]) -> Any:
        """The variable of a state, zero at first."""
        key = (id(layer), number)
        if key not in self._states:
            self._states[key] = self.k().zeros(tuple(shape))
        return self._states[key]

    # -- for Keras ---------------------------------------------------------------------------------------------------
    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The outputs of the layer."""
        outputs, _, updates = self._outputs_of(inputs, mask)
        if updates:
            self.add_update(updates, inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def _outputs_of(self, inputs: Any, mask: Any) -> Tuple[List[Any], List[Any], List[Any]]:
        """The outputs, their masks, and the updates of states."""
        tensors = tensor_list(inputs)
        masks = tensor_list(mask) if mask is not None else [None] * len(tensors)
        flat, arguments, own = tensors, {}, masks
        if self.given is not None:
            flat, arguments = _filled(self.given['inputs'], tensors), _filled(self.given['arguments'], tensors)
            of_tensors = {id(x): tensor_mask for x, tensor_mask in zip(tensors, masks)}
            own = [of_tensors.get(id(x)) for x in flat]
        own = masks_of(self._of_file, arguments, own)
        outputs, output_masks, updates = self.computed(flat, own, arguments)
        self._last = (tensors, outputs, output_masks)
        return outputs, output_masks, updates

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks of the outputs."""
        if [id(x) for x in tensor_list(inputs)] != [id(x) for x in self._last[0]]:
            self._outputs_of(inputs, mask)
        masks = self._last[2]
        return masks[0] if len(masks) == 1 else masks

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shapes of the outputs for inputs of these shapes."""
        K, last = self.k(), self._last
        shapes = [tuple(sizes) for sizes in (input_shape if isinstance(input_shape, list) else [input_shape])]
        outputs = last[1]
        if [K.int_shape(x) for x in last[0]] != shapes:
            dtypes = [K.dtype(x) for x in last[0]] or [None] * len(shapes)
            placeholders = [K.placeholder(shape=shape, dtype=dtype) for shape, dtype in zip(shapes, dtypes)]
            outputs, _, _ = self._outputs_of(placeholders, None)
            self._last = last
        output_shapes = [K.int_shape(x) for x in outputs]
        return output_shapes[0] if len(output_shapes) == 1 else output_shapes

    def reset_states(self, states: Any = None) -> None:
        """Set the states to zero. Error: LayerConfigError, if others are given."""
        if states is not None:
            raise LayerConfigError(
                f'reset_states of the layer {self.name} ({self.kind}) sets states to zero, and takes no others.',
                self.name,
            )
        for variable in self._states.values():
            self.assign(variable, np.zeros(self.k().int_shape(variable)))

    def get_config(self) -> Dict[str, Any]:
        """The layer as plain data."""
        more = {} if self.given is None else {'given': self.given}
        return {**super().get_config(), **self.said(), **more}


def _of_k(name: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return TABLE[name](k_of_keras(), x)

    function.__name__ = name
    return function


# Activations of later Keras, by names that this Keras does not have.
ACTIVATIONS: Dict[str, Callable[[Any], Any]] = {
    name: _of_k(name) for name in TABLE if not hasattr(keras.activations, name)
}
for _name, _object in {**ACTIVATIONS, 'LayerOfFile': LayerOfFile}.items():
    keras.utils.get_custom_objects().setdefault(_name, _object)
