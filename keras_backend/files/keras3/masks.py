"""The masks of a call, as arguments of a layer of Keras 3.

Keras 3 hands the mask of an input to a layer by itself where no other argument has tensors. Keras 2 does so always.
"""

from typing import Any, Dict

from ..building.builder import RECURRENT
from ..layers.core import as_given, takes
from ..structure import Call, Layer
from .own_layers import LayerOfFile


def of_call(layer: Layer, made: Any, call: Call) -> Dict[str, Any]:
    """The masks of the inputs by the names of the arguments; nothing where no input has one.

    made: the layer of Keras 3. call: its call with KerasTensors.
    """
    # The layer gets the other inputs of a recurrent one as its states.
    inputs = call.inputs[:1] if layer.kind in RECURRENT and not isinstance(made, LayerOfFile) else call.inputs
    masks = [mask_of(x) for x in inputs]
    if all([mask is None for mask in masks]) or not takes(made.call, 'mask'):
        return {}
    return {'mask': as_given(masks)}


def mask_of(x: Any) -> Any:
    """The mask that a KerasTensor carries; None if it carries none."""
    return getattr(x, '_keras_mask', None)
