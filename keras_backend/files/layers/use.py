"""One call of a layer: its tensors, masks and activations, and small helpers of the functions of layers."""

from functools import reduce
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...errors import LayerConfigError, UnknownLayerError
from ..structure import Call, Layer, leaves

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


# -- activations -------------------------------------------------------------------------------------------------------
# Activations by the names of Keras 2.3.1, of tf.keras and of Keras 3.

# Activations that have a configuration: LeakyReLU, ELU, ThresholdedReLU, ReLU, Softmax.
#
# Source: the documentation of Keras 2.3.1.


Config = Mapping[str, Any]


def softmax(K: Any, x: Any, axis: int = -1) -> Any:
    """The exponentials of a tensor, with the sum 1 along an axis."""
    if K.ndim(x) == 2 and axis in (-1, 1):
        return K.softmax(x)
    e = K.exp(x - K.max(x, axis=axis, keepdims=True))
    return e / K.sum(e, axis=axis, keepdims=True)


def _number(config: Config, name: str, default: Optional[float]) -> Optional[float]:
    value = config.get(name, default)
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):  # an array of NumPy: {'type': 'ndarray', 'value': 0.3}
        value = value.get('value')
    return None if value is None else float(value)


def _leaky(K: Any, x: Any, config: Config) -> Any:
    slope = _number(config, 'alpha', None)
    return K.relu(x, alpha=_number(config, 'negative_slope', 0.3) if slope is None else slope)


def _relu(K: Any, x: Any, config: Config) -> Any:
    return K.relu(
        x,
        alpha=_number(config, 'negative_slope', 0.0) or 0.0,
        max_value=_number(config, 'max_value', None),
        threshold=_number(config, 'threshold', 0.0) or 0.0,
    )


def softmax_of(K: Any, x: Any, config: Config) -> Any:
    axis = config.get('axis', -1)
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    return softmax(K, x, axis)


FUNCTIONS: Dict[str, Callable[[Any, Any, Config], Any]] = {
    'LeakyReLU': _leaky,
    'ELU': lambda K, x, config: K.elu(x, _number(config, 'alpha', 1.0)),
    'ThresholdedReLU': lambda K, x, config: x * K.cast(K.greater(x, _number(config, 'theta', 1.0)), K.dtype(x)),
    'ReLU': _relu,
    'Softmax': softmax_of,
}


# -- by names ----------------------------------------------------------------------------------------------------------
# Activations by the names of Keras 2.3.1, of tf.keras and of Keras 3.
#
# Source: the documentation of Keras. The error function of `gelu` is formula 7.1.26 of M. Abramowitz and I. Stegun,
# Handbook of Mathematical Functions, 1964, whose error is below 1.5e-7.


Function = Callable[[Any], Any]

_ALPHA, _SCALE = 1.6732632423543772, 1.0507009873554805  # of selu
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def erf(K: Any, x: Any) -> Any:
    """The error function."""
    t = 1.0 / (1.0 + 0.3275911 * K.abs(x))
    polynomial = reduce(lambda total, factor: total * t + factor, reversed(_ERF))
    return K.sign(x) * (1.0 - polynomial * t * K.exp(-K.square(x)))


def _sigmoid_of_keras_3(K: Any, x: Any) -> Any:
    return K.clip(x / 6.0 + 0.5, 0.0, 1.0)


def _of_k(name: str) -> Callable[[Any, Any], Any]:
    return lambda K, x: getattr(K, name)(x)


TABLE: Dict[str, Callable[[Any, Any], Any]] = {
    'linear': lambda K, x: x,
    'softmax': softmax,
    'elu': lambda K, x: K.elu(x),
    'selu': lambda K, x: _SCALE * K.elu(x, _ALPHA),
    **{name: _of_k(name) for name in ('softplus', 'softsign', 'relu', 'tanh', 'sigmoid', 'hard_sigmoid')},
    'exponential': lambda K, x: K.exp(x),
    # tf.keras and Keras 3
    'hard_sigmoid_of_keras_3': _sigmoid_of_keras_3,
    'swish': lambda K, x: x * K.sigmoid(x),
    'silu': lambda K, x: x * K.sigmoid(x),
    'hard_silu': lambda K, x: x * _sigmoid_of_keras_3(K, x),
    'hard_swish': lambda K, x: x * _sigmoid_of_keras_3(K, x),
    'gelu': lambda K, x: 0.5 * x * (1.0 + erf(K, x / 2.0**0.5)),
    'gelu_approximate': lambda K, x: 0.5 * x * (1.0 + K.tanh(0.7978845608028654 * (x + 0.044715 * K.pow(x, 3)))),
    'mish': lambda K, x: x * K.tanh(K.softplus(x)),
    'relu6': lambda K, x: K.relu(x, max_value=6.0),
    'leaky_relu': lambda K, x: K.relu(x, alpha=0.2),
    'log_softmax': lambda K, x: x - K.logsumexp(x, axis=-1, keepdims=True),
}


def activation(K: Any, said: Any, layer: Layer, functions: Mapping[str, Callable[..., Any]]) -> Function:
    """The function that a configuration names.

    said: None, a name, {'class_name': 'function', 'config': name}, or the configuration of a layer such as LeakyReLU.
    layer: the layer whose activation it is. functions: those of the user, by name.
    Errors: UnknownLayerError, if there is none of this name.
    """
    name, config = said, None
    if isinstance(said, dict):
        name, config = said.get('class_name'), said.get('config')
        if isinstance(config, str):  # the class is 'function'
            name, config = config, None
        elif not isinstance(config, dict):
            config = {}
    if name is None:
        name = 'linear'
    if config is not None:
        return _of_layer(K, str(name), config, layer, functions)
    if name in functions:
        return functions[str(name)]
    if name not in TABLE:
        raise UnknownLayerError(
            f'The activation {str(name)[:60]!r} of the layer {layer.name} ({layer.kind}) has no meaning here; give it '
            f'with layers={{{str(name)[:60]!r}: function}}, a function x -> tensor.',
            layer.name,
            str(name),
        )
    function = TABLE[name]
    return lambda x: function(K, x)


def _of_layer(
    K: Any, kind: str, config: Dict[str, Any], layer: Layer, functions: Mapping[str, Callable[..., Any]]
) -> Function:
    if kind in FUNCTIONS:
        return lambda x: FUNCTIONS[kind](K, x, config)
    if kind == 'Activation':
        return activation(K, config.get('activation'), layer, functions)
    raise UnknownLayerError(
        f'The activation of the layer {layer.name} ({layer.kind}) is the layer {kind}, which has no meaning here.',
        layer.name,
        kind,
    )
