"""The tensors and the masks that a layer gets, from a call as a file has it."""

from typing import Any, Dict, List, Mapping, Tuple

from ..structure import Call, Layer, leaves
from .use import tensor_list

# Layers whose argument `mask` is not the mask of their inputs.
_WITH_MASK = ('Lambda', 'Softmax', 'Attention', 'AdditiveAttention')


def flat(layer: Layer, call: Call) -> Tuple[List[Any], Dict[str, Any]]:
    """The inputs of a call as one list, and the other arguments."""
    arguments = dict(call.arguments)
    given = list(leaves(call.inputs))
    if layer.kind == 'MultiHeadAttention':
        given += [arguments.pop(name) for name in ('value', 'key') if arguments.get(name) is not None]
    return given, arguments


def masks_of(layer: Layer, arguments: Mapping[str, Any], implied: List[Any]) -> List[Any]:
    """The masks of the inputs. implied: those that came out of the layers before."""
    said = arguments.get('mask')
    if said is not None and layer.kind not in _WITH_MASK:
        return tensor_list(said)
    return implied if layer.gets_masks else [None] * len(implied)
