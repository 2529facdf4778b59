"""The weights of each layer: their names, their order in Keras 2.3.1's `layer.weights`, and their shapes.

Source: the names and the order of `layer.weights` of Keras 2.3.1 (tf.keras for later layers), as a user sees them.
"""

from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..structure import Layer, Model, Weight
from .convolutional import rank_of
from .use import numbers


class Parameter(NamedTuple):
    """One weight. owner: the layer that uses it, which may be a cell of an RNN or a layer of a nested model."""

    name: str
    trainable: bool
    owner: Layer


Config = Mapping[str, Any]
Names = List[str]
NamesOf = Callable[[Layer], Tuple[Names, Names]]


def _kernels(*kernels: str) -> Callable[[Config], Names]:
    def names(config: Config) -> Names:
        return [*kernels, *(['bias'] if config.get('use_bias', True) else [])]

    return names


def _always(*names: str) -> Callable[[Config], Names]:
    return lambda config: list(names)


def _scale_and_center(config: Config) -> Names:
    return [name for name, option in (('gamma', 'scale'), ('beta', 'center')) if config.get(option, True)]


def _scale_of_attention(config: Config) -> Names:
    names = ['scale'] if config.get('use_scale') else []
    return names + (['concat_score_weight'] if config.get('score_mode') == 'concat' else [])


def _of_heads(config: Config) -> Names:
    weights = _kernels('kernel')(config)
    return [f'{name}/{weight}' for name in ('query', 'key', 'value', 'attention_output') for weight in weights]


def _has_bias(config: Config) -> bool:
    """Whether a layer of Keras 1 has a bias, which it calls `bias`."""
    return bool(config.get('use_bias', config.get('bias', True)))


_RECURRENT = _kernels('kernel', 'recurrent_kernel')

# The weights that are trained. A kind that is in no table here has none.
TRAINED: Dict[str, Callable[[Config], Names]] = {
    **dict.fromkeys(
        'Dense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose '
        'LocallyConnected1D LocallyConnected2D'.split(),
        _kernels('kernel'),
    ),
    **dict.fromkeys(['DepthwiseConv1D', 'DepthwiseConv2D'], _kernels('depthwise_kernel')),
    **dict.fromkeys(['SeparableConv1D', 'SeparableConv2D'], _kernels('depthwise_kernel', 'pointwise_kernel')),
    **dict.fromkeys(
        'SimpleRNN GRU LSTM SimpleRNNCell GRUCell LSTMCell ConvLSTM1D ConvLSTM2D ConvLSTM3D ConvLSTM2DCell'.split(),
        _RECURRENT,
    ),
    **dict.fromkeys(['CuDNNGRU', 'CuDNNLSTM'], _always('kernel', 'recurrent_kernel', 'bias')),
    **dict.fromkeys(['BatchNormalization', 'LayerNormalization', 'GroupNormalization'], _scale_and_center),
    'EinsumDense': lambda config: ['kernel', 'bias'] if config.get('bias_axes') else ['kernel'],
    'Embedding': _always('embeddings'),
    'PReLU': _always('alpha'),
    'ParametricSoftplus': _always('alphas', 'betas'),
    'SReLU': _always('t_left', 'a_left', 't_right', 'a_right'),
    'Attention': _scale_of_attention,
    'AdditiveAttention': lambda config: ['scale'] if config.get('use_scale', True) else [],
    'MultiHeadAttention': _of_heads,
    'Highway': lambda config: ['W', 'W_carry', *(['b', 'b_carry'] if _has_bias(config) else [])],
    'MaxoutDense': lambda config: ['W', 'b'] if _has_bias(config) else ['W'],
}  # fmt: skip

# The weights that are not trained.
KEPT: Dict[str, Callable[[Config], Names]] = {
    'BatchNormalization': _always('moving_mean', 'moving_variance'),
    'Normalization': lambda config: ['mean', 'variance', 'count'] if config.get('mean') is None else [],
}

# Layers whose `trainable` is that of the layers in them.
WRAPPERS = ('TimeDistributed', 'Bidirectional')


def names_of(layer: Layer) -> Tuple[Names, Names]:
    """The names of the weights that a layer has itself: those that are trained, and the others."""
    none = _always()
    return TRAINED.get(layer.kind, none)(layer.config), KEPT.get(layer.kind, none)(layer.config)


def own_names(layer: Layer) -> Names:
    """The names of the weights that a layer has itself, in the order of `layer.weights`."""
    trained, kept = names_of(layer)
    return trained + kept


def inner_layers(layer: Layer) -> List[Layer]:
    """The layers in a layer, in the order in which their weights come: cells, wrapped layers, layers of a model."""
    return layer.model.layers if layer.model is not None else layer.inner


def with_inner(layer: Layer) -> Iterator[Layer]:
    """The layer and all layers in it."""
    yield layer
    for inside in inner_layers(layer):
        yield from with_inner(inside)


def all_layers(model: Optional[Model]) -> List[Layer]:
    """The layers of a model with all layers in them; none of a file without a model."""
    return [inner for layer in (model.layers if model is not None else []) for inner in with_inner(layer)]


def parameters(layer: Layer, names: NamesOf = names_of) -> List[Parameter]:
    """The weights of a layer in the order of Keras 2.3.1's `layer.weights`, with those of all layers in it.

    The trained weights of the layers in it come first, and then those that are not trained. A layer in a model or an
    RNN that has `trainable: False` in its configuration has none that are trained. names: as `names_of`, for files with
    weights of their own.
    """
    trained, kept = _both(layer, names)
    return trained + kept


def _both(layer: Layer, names: NamesOf, wrapped: bool = False) -> Tuple[List[Parameter], List[Parameter]]:
    trained: List[Parameter] = []
    kept: List[Parameter] = []
    inside = inner_layers(layer)
    if inside:
        for inner in inside:
            of_inner = _both(inner, names, layer.kind in WRAPPERS)
            trained += of_inner[0]
            kept += of_inner[1]
    else:
        trained, kept = [
            [Parameter(name, not number, layer) for name in some] for number, some in enumerate(names(layer))
        ]
    # The configuration of a model does not say whether it is frozen, and the order does not depend on it.
    if layer.model is None and not wrapped and layer.config.get('trainable', True) is False:
        return [], [parameter._replace(trainable=False) for parameter in trained + kept]
    return trained, kept


def shared_out(
    layer: Layer, weights: Sequence[Weight], names: NamesOf = names_of
) -> List[Tuple[Layer, Dict[str, Weight]]]:
    """The layers in `layer` that have weights, each with its part of a flat list, by name.

    Errors: ValueError, if the number of weights is not that of `parameters(layer, names)`.
    """
    expected = parameters(layer, names)
    if len(expected) != len(weights):
        raise ValueError(f'{len(expected)} weights were expected, and {len(weights)} were given.')
    by_owner: Dict[int, Tuple[Layer, Dict[str, Weight]]] = {}
    for parameter, weight in zip(expected, weights):
        by_owner.setdefault(id(parameter.owner), (parameter.owner, {}))[1][parameter.name] = weight
    return list(by_owner.values())


# -- shapes ------------------------------------------------------------------------------------------------------------
# The shapes that the weights of a layer need to have. None stands for a size that is not known or is not checked.

Shape = Tuple[Optional[int], ...]
Shapes = Dict[str, Shape]


def _channels(config: Config, shape: Sequence[Optional[int]]) -> Optional[int]:
    return shape[1 if config.get('data_format') == 'channels_first' else -1]


def _dense(kind: str, config: Config, shape: Shape) -> Shapes:
    units = int(config['units'])
    return {'kernel': (shape[-1], units), 'bias': (units,)}


def _convolution(kind: str, config: Config, shape: Shape) -> Shapes:
    size = numbers(config['kernel_size'], rank_of(kind))
    channels, filters = _channels(config, shape), int(config['filters'])
    groups = int(config.get('groups') or 1)
    of_group = None if channels is None else channels // groups
    last = (filters, channels) if 'Transpose' in kind else (of_group, filters)
    return {'kernel': (*size, *last), 'bias': (filters,)}


def _depthwise(kind: str, config: Config, shape: Shape) -> Shapes:
    size, channels = numbers(config['kernel_size'], rank_of(kind)), _channels(config, shape)
    multiplier = int(config.get('depth_multiplier') or 1)
    return {
        'depthwise_kernel': (*size, channels, multiplier),
        'bias': (None if channels is None else channels * multiplier,),
    }


def _separable(kind: str, config: Config, shape: Shape) -> Shapes:
    shapes, filters = _depthwise(kind, config, shape), int(config['filters'])
    ones = (1,) * rank_of(kind)
    return {**shapes, 'pointwise_kernel': (*ones, shapes['bias'][0], filters), 'bias': (filters,)}


def _recurrent(gates: int) -> Callable[[str, Config, Shape], Shapes]:
    def shapes(kind: str, config: Config, shape: Shape) -> Shapes:
        units = int(config['units'])
        bias: Shape = (2, gates * units) if config.get('reset_after') and gates == 3 else (gates * units,)
        if kind.startswith('CuDNN'):
            bias = (2 * gates * units,)
        return {'kernel': (shape[-1], gates * units), 'recurrent_kernel': (units, gates * units), 'bias': bias}

    return shapes


def _conv_lstm(kind: str, config: Config, shape: Shape) -> Shapes:
    filters, size = int(config['filters']), numbers(config['kernel_size'], rank_of(kind))
    channels = shape[2 if config.get('data_format') == 'channels_first' else -1]
    return {
        'kernel': (*size, channels, 4 * filters),
        'recurrent_kernel': (*size, filters, 4 * filters),
        'bias': (4 * filters,),
    }


def _batch_normalization(kind: str, config: Config, shape: Shape) -> Shapes:
    axis = config.get('axis', -1)
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    own = tuple([shape[int(number) % len(shape)] for number in axes])
    return dict.fromkeys(['gamma', 'beta', 'moving_mean', 'moving_variance'], own)


def _prelu(kind: str, config: Config, shape: Shape) -> Shapes:
    shared = [int(axis) for axis in config.get('shared_axes') or ()]
    return {'alpha': tuple([1 if axis in shared else size for axis, size in enumerate(shape)][1:])}


def _each_element(*names: str) -> Callable[[str, Config, Shape], Shapes]:
    return lambda kind, config, shape: {name: tuple(shape[1:]) for name in names}


def _highway(kind: str, config: Config, shape: Shape) -> Shapes:
    size = shape[-1]
    return {'W': (size, size), 'W_carry': (size, size), 'b': (size,), 'b_carry': (size,)}


def _maxout(kind: str, config: Config, shape: Shape) -> Shapes:
    units, features = int(config['output_dim']), int(config['nb_feature'])
    return {'W': (features, shape[-1], units), 'b': (features, units)}


SHAPES: Dict[str, Callable[[str, Config, Shape], Shapes]] = {
    'Dense': _dense,
    **dict.fromkeys('Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose'.split(), _convolution),
    **dict.fromkeys(['DepthwiseConv1D', 'DepthwiseConv2D'], _depthwise),
    **dict.fromkeys(['SeparableConv1D', 'SeparableConv2D'], _separable),
    **dict.fromkeys(['SimpleRNN', 'SimpleRNNCell'], _recurrent(1)),
    **dict.fromkeys(['GRU', 'GRUCell', 'CuDNNGRU'], _recurrent(3)),
    **dict.fromkeys(['LSTM', 'LSTMCell', 'CuDNNLSTM'], _recurrent(4)),
    **dict.fromkeys(['ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D'], _conv_lstm),
    **dict.fromkeys(['BatchNormalization', 'LayerNormalization'], _batch_normalization),
    'Embedding': lambda kind, config, shape: {'embeddings': (int(config['input_dim']), int(config['output_dim']))},
    'PReLU': _prelu,
    'ParametricSoftplus': _each_element('alphas', 'betas'),
    'SReLU': _each_element('t_left', 'a_left', 't_right', 'a_right'),
    'Highway': _highway,
    'MaxoutDense': _maxout,
}


def in_words(shape: Sequence[Optional[int]]) -> str:
    """A shape as text: (?, 3), where the first size is not known."""
    sizes = ['?' if size is None else str(size) for size in shape]
    return '(' + ', '.join(sizes) + (',)' if len(sizes) == 1 else ')')


def fits(found: Sequence[int], wanted: Optional[Sequence[Optional[int]]]) -> bool:
    """Whether a shape is the one that a layer needs. All are, where nothing is known of it."""
    if wanted is None:
        return True
    return len(found) == len(wanted) and all([b is None or a == b for a, b in zip(found, wanted)])


def wanted_shapes(kind: str, config: Config, shapes: List[Shape]) -> Shapes:
    """The shapes of the weights of a layer. shapes: those of its inputs."""
    return SHAPES[kind](kind, config, tuple(shapes[0])) if kind in SHAPES and shapes else {}
