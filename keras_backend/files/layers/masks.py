"""The masks that come out of layers, as Keras 2.3.1 has them."""

from typing import Any

from ...errors import UnsupportedMaskError
from ..structure import Layer
from .core import function_of
from .use import Use


def kept(use: Use, outputs: Any) -> Any:
    """The mask of the first input."""
    return use.mask


def ended(use: Use, outputs: Any) -> Any:
    """No mask, whatever the input has."""
    return None


def refused(use: Use, outputs: Any) -> Any:
    """No mask. Keras 2.3.1 refuses one of the input, and tf.keras ends it."""
    given = [mask for mask in use.masks if mask is not None]
    if given and use.help.library == 'keras':
        raise UnsupportedMaskError(
            f'Layer {use.layer.name} does not support masking, but was passed an input_mask. It is a {use.layer.kind}; '
            "Keras 2.3.1 refuses it, too. tf.keras ends the mask there: compose(..., library='tf.keras') does so.",
            use.layer.name,
        )
    return None


def ended_in_tf_keras(use: Use, outputs: Any) -> Any:
    """The mask of the first input in Keras 3, and none in tf.keras."""
    return None if use.help.library == 'tf.keras' else use.mask


def of_masking(use: Use, outputs: Any) -> Any:
    """Time steps that have an element other than the value of the mask."""
    K = use.K
    return K.any(K.not_equal(use.x, use.option('mask_value', 0.0)), axis=-1)


def of_lambda(use: Use, outputs: Any) -> Any:
    """What the function for masks gives, if the layer has one."""
    said = use.config.get('mask')
    if said is None:
        return None
    config = {**use.config, 'function': said, 'function_type': use.config.get('mask_type')}
    function = function_of(use, Layer(use.layer.name, use.layer.kind, config))
    inputs, masks = [values[0] if len(values) == 1 else list(values) for values in (use.inputs, use.masks)]
    return function(inputs, masks)
