"""Layers that merge several tensors into one, and the masks that come out of layers."""

from functools import reduce
from typing import Any, Callable, Dict, List

from ...errors import UnsupportedMaskError
from ..structure import Layer
from .core import function_of
from .use import Use

# -- masks -------------------------------------------------------------------------------------------------------------
# The masks that come out of layers, as Keras 2.3.1 has them.


def kept(use: Use, outputs: Any) -> Any:
    """The mask of the first input."""
    return use.mask


def ended(use: Use, outputs: Any) -> Any:
    """No mask, whatever the input has."""
    return None


def refused(use: Use, outputs: Any) -> Any:
    """No mask. Keras 2.3.1 refuses one of the input, and tf.keras ends it."""
    masks = [mask for mask in use.masks if mask is not None]
    if masks and use.help.library == 'keras':
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
    mask_function = use.config.get('mask')
    if mask_function is None:
        return None
    config = {**use.config, 'function': mask_function, 'function_type': use.config.get('mask_type')}
    function = function_of(use, Layer(use.layer.name, use.layer.kind, config))
    inputs, masks = [values[0] if len(values) == 1 else list(values) for values in (use.inputs, use.masks)]
    return function(inputs, masks)


def _of_one_rank(use: Use) -> List[Any]:
    """The inputs. Those with fewer axes get new ones behind the first."""
    K = use.K
    ranks = [K.ndim(x) for x in use.inputs]
    tensors = []
    for x, rank in zip(use.inputs, ranks):
        for _ in range(max(ranks) - rank):
            x = K.expand_dims(x, 1)
        tensors.append(x)
    return tensors


def _average(K: Any, values: List[Any]) -> Any:
    return reduce(lambda a, b: a + b, values) / float(len(values))


_FUNCTIONS: Dict[str, Callable[[Any, List[Any]], Any]] = {
    'Add': lambda K, values: reduce(lambda a, b: a + b, values),
    'Subtract': lambda K, values: values[0] - values[1],
    'Multiply': lambda K, values: reduce(lambda a, b: a * b, values),
    'Average': _average,
    'Maximum': lambda K, values: reduce(K.maximum, values),
    'Minimum': lambda K, values: reduce(K.minimum, values),
}


def element_wise(use: Use) -> Any:
    """Add, Subtract, Multiply, Average, Maximum and Minimum."""
    if len(use.inputs) < 2 or (use.layer.kind == 'Subtract' and len(use.inputs) != 2):
        raise use.error(
            f'got {len(use.inputs)} inputs; it merges {"2" if use.layer.kind == "Subtract" else "2 or more"}'
        )
    return _FUNCTIONS[use.layer.kind](use.K, _of_one_rank(use))


def concatenate(use: Use) -> Any:
    """Concatenate."""
    return use.K.concatenate(use.inputs, axis=int(use.option('axis', -1)))


def dot(use: Use) -> Any:
    """Dot: the products along one axis of each of two tensors."""
    K, axes = use.K, use.config['axes']
    x, y = use.inputs
    both = list(axes) if isinstance(axes, (list, tuple)) else [axes, axes]
    both = [int(axis) % K.ndim(tensor) for axis, tensor in zip(both, (x, y))]
    if use.option('normalize', False):
        x, y = K.l2_normalize(x, axis=both[0]), K.l2_normalize(y, axis=both[1])
    products = K.batch_dot(x, y, both)
    # The cosine of Keras 1 has one axis more.
    return K.expand_dims(products, 1) if use.option('normalize', False) and use.option('keras_1', False) else products


def mask_of_element_wise(use: Use, outputs: Any) -> Any:
    """A place is kept that all inputs with a mask keep."""
    K = use.K
    masks = [mask for mask in use.masks if mask is not None]
    return K.all(K.concatenate([K.expand_dims(mask, 0) for mask in masks], axis=0), axis=0) if masks else None


def mask_of_concatenate(use: Use, outputs: Any) -> Any:
    """The masks, concatenated as the inputs. One along the last axis keeps a place that all keep."""
    K = use.K
    if all([mask is None for mask in use.masks]):
        return None
    masks = []
    for x, mask in zip(use.inputs, use.masks):
        if mask is None:
            masks.append(K.equal(x, x))
        else:
            masks.append(mask if K.ndim(mask) >= K.ndim(x) else K.expand_dims(mask))
    return K.all(K.concatenate(masks, axis=int(use.option('axis', -1))), axis=-1)
