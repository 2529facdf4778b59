"""One call of a layer: its tensors and masks, and small helpers of the functions of layers."""

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...errors import LayerConfigError
from ..structure import Call, Layer, leaves
from .activations import activation

# -- tensors and masks -------------------------------------------------------------------------------------------------
# The tensors and the masks that a layer gets, from a call as a file has it.


# Layers whose argument `mask` is not the mask of their inputs.
_WITH_MASK = ('Lambda', 'Softmax', 'Attention', 'AdditiveAttention')


def flat(layer: Layer, call: Call) -> Tuple[List[Any], Dict[str, Any]]:
    """The inputs of a call as one list, and the other arguments."""
    arguments = dict(call.arguments)
    inputs = list(leaves(call.inputs))
    if layer.kind == 'MultiHeadAttention':
        inputs += [arguments.pop(name) for name in ('value', 'key') if arguments.get(name) is not None]
    return inputs, arguments


def masks_of(layer: Layer, arguments: Mapping[str, Any], implied: List[Any]) -> List[Any]:
    """The masks of the inputs. implied: those that came out of the layers before."""
    mask = arguments.get('mask')
    if mask is not None and layer.kind not in _WITH_MASK:
        return tensor_list(mask)
    return implied if layer.gets_masks else [None] * len(implied)


Apply = Callable[[Layer, List[Any], List[Any], Mapping[str, Any], Optional[Layer]], Tuple[Any, Any]]


class Help(NamedTuple):
    """What the layers of a composition share.

    apply: (layer, inputs, masks, arguments, owner) -> (outputs, masks) of a layer in a layer. owner: the layer whose
    weights and states it has, None for its own. weights: the K variables of a layer by their names. lambdas: the
    function of a `Lambda`. functions: layers and activations of the user, by their names. state: (layer, number, shape)
    -> a variable that keeps a state of a stateful layer. updates: (variable, new value) of states. library: see
    `compose`.
    """

    apply: Apply
    weights: Callable[[Layer, Sequence[Any]], Mapping[str, Any]]
    lambdas: Optional[Callable[[Layer], Callable[..., Any]]]
    functions: Mapping[str, Callable[..., Any]]
    state: Callable[[Layer, int, Sequence[int]], Any]
    updates: List[Tuple[Any, Any]]
    library: str


class Use:
    """One call of a layer.

    K: the module of K functions. weights: K variables by the names in `parameters`. inputs, masks: tensors, and a mask
    or None for each. arguments: those by keyword, References replaced.
    """

    def __init__(
        self,
        K: Any,
        layer: Layer,
        weights: Mapping[str, Any],
        inputs: List[Any],
        masks: List[Any],
        arguments: Mapping[str, Any],
        helper: Help,
        owner: Optional[Layer] = None,
    ) -> None:
        """Keep the parts of a call. owner: the layer whose states it has, if they are not its own."""
        self.owner = owner or layer
        self.K, self.layer, self.weights = K, layer, weights
        self.inputs, self.masks, self.arguments, self.help = inputs, masks, arguments, helper
        self.config: Dict[str, Any] = layer.config

    def of(self, cell: Layer, shapes: Sequence[Any]) -> 'Use':
        """The same call for a cell of the layer. shapes: of the inputs that the cell gets."""
        return Use(self.K, cell, self.help.weights(cell, shapes), self.inputs, self.masks, self.arguments, self.help)

    @property
    def x(self) -> Any:
        """The first input."""
        return self.inputs[0]

    @property
    def mask(self) -> Any:
        """The mask of the first input."""
        return self.masks[0] if self.masks else None

    @property
    def shape(self) -> Tuple[Optional[int], ...]:
        """The static shape of the first input."""
        return tuple(self.K.int_shape(self.x))

    def option(self, name: str, default: Any = None) -> Any:
        """A value of the configuration. None is as good as absent."""
        value = self.config.get(name)
        return default if value is None else value

    @property
    def channels_first(self) -> bool:
        """Whether the channels are the second axis."""
        return bool(self.config.get('data_format') == 'channels_first')

    @property
    def data_format(self) -> str:
        """The data format that K functions get."""
        return 'channels_first' if self.channels_first else 'channels_last'

    def error(self, text: str) -> LayerConfigError:
        """An error about the configuration or the inputs. text: a sentence without its subject."""
        return LayerConfigError(f'The layer {self.layer.name} ({self.layer.kind}) {text}.', self.layer.name)

    def size(self, axis: int) -> Any:
        """The length of an axis of the first input: a number, or a tensor where it is not known."""
        known = self.shape[axis]
        return self.K.shape(self.x)[axis] if known is None else known

    def function(self, key: str = 'activation') -> Callable[[Any], Any]:
        """The activation that an entry of the configuration names."""
        return activation(self.K, self.config.get(key), self.layer, self.help.functions)


def numbers(value: Any, rank: int) -> Tuple[int, ...]:
    """One number for each axis, of a number or a list."""
    if isinstance(value, (list, tuple)):
        return tuple([int(number) for number in (value * rank if len(value) == 1 else value)])
    return (int(value),) * rank


def pairs(value: Any, rank: int) -> Tuple[Tuple[int, int], ...]:
    """The two numbers for each axis, of padding or cropping."""
    if not isinstance(value, (list, tuple)):
        return ((int(value), int(value)),) * rank
    if rank == 1 and len(value) == 2:
        return ((int(value[0]), int(value[1])),)
    ends = []
    for amount in value:
        first, last = amount if isinstance(amount, (list, tuple)) else (amount, amount)
        ends.append((int(first), int(last)))
    return tuple(ends)


def spatial_axes(use: Use, rank: int) -> Tuple[int, ...]:
    """The axes of rows, columns and so on."""
    first = 2 if use.channels_first else 1
    return tuple(range(first, first + rank))


def tensor_list(value: Any) -> List[Any]:
    """A list of tensors, of a tensor or a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]
