"""The weights of each layer: their names, their order in Keras 2.3.1's `layer.weights`, and whether they are trained.

Source: the names and the order of `layer.weights` of Keras 2.3.1 (tf.keras for later layers), as a user sees them.
"""

from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..structure import Layer, Model, Weight


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


def _of_additive_attention(config: Config) -> Names:
    return ['scale'] if config.get('use_scale', True) else []


def _of_heads(config: Config) -> Names:
    weights = _kernels('kernel')(config)
    return [f'{name}/{weight}' for name in ('query', 'key', 'value', 'attention_output') for weight in weights]


def _has_bias(config: Config) -> bool:
    """Whether a layer of Keras 1 has a bias, which it calls `bias`."""
    return bool(config.get('use_bias', config.get('bias', True)))


def _of_highway(config: Config) -> Names:
    return ['W', 'W_carry', 'b', 'b_carry'] if _has_bias(config) else ['W', 'W_carry']


def _of_maxout(config: Config) -> Names:
    return ['W', 'b'] if _has_bias(config) else ['W']


_RECURRENT = _kernels('kernel', 'recurrent_kernel')

# The weights that are trained. A kind that is in no table here has none.
TRAINED: Dict[str, Callable[[Config], Names]] = {
    **dict.fromkeys(
        'Dense EinsumDense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose '
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
    'Embedding': _always('embeddings'),
    'PReLU': _always('alpha'),
    'ParametricSoftplus': _always('alphas', 'betas'),
    'SReLU': _always('t_left', 'a_left', 't_right', 'a_right'),
    'Attention': _scale_of_attention,
    'AdditiveAttention': _of_additive_attention,
    'MultiHeadAttention': _of_heads,
    'Highway': _of_highway,
    'MaxoutDense': _of_maxout,
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
