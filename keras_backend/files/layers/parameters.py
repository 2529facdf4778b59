"""What a file may say of a layer: its weights, the entries of its configuration, and the errors for all else.

Source of the weights: the names and the order of `layer.weights` of Keras 2.3.1 (tf.keras for later layers), as a
user sees them.
"""

import contextlib
import re
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...errors import KerasBackendError, LayerConfigError
from ..structure import OF_DATA, Layer, Model, Weight, in_short, is_framed
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
    'RMSNormalization': _always('scale'),
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


def _over_axes(kind: str, config: Config, shape: Shape) -> Shapes:
    axis = config.get('axis', -1)
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    own = tuple([shape[int(number) % len(shape)] for number in axes])
    return dict.fromkeys(['gamma', 'beta', 'moving_mean', 'moving_variance', 'scale'], own)


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
    **dict.fromkeys(['BatchNormalization', 'LayerNormalization', 'RMSNormalization'], _over_axes),
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


# -- errors ------------------------------------------------------------------------------------------------------------
# Where all that goes wrong for the configuration of a layer becomes an error that names the layer.


_MOST_ENTRIES = 3


def unfit(layer: Layer, text: str) -> LayerConfigError:
    """The error for a layer that cannot be. text: a sentence without its subject, which is the layer."""
    return LayerConfigError(f'The layer {layer.name} ({layer.kind}) {text}', layer.name)


@contextlib.contextmanager
def border(layer: Layer, of_user: Callable[[Layer], bool], verb: str = 'computed') -> Iterator[None]:
    """Let what a layer of a file makes go wrong end in LayerConfigError.

    of_user: whether a layer is code of the user, whose errors pass. verb: what cannot be done. Errors of ours pass, and
    where a library has put its words around one, the one inside comes out.
    """
    try:
        yield
    except (KerasBackendError, *OF_DATA) as error:
        own = _of_ours(error)
        if own is error:
            raise
        if own is not None:
            raise own from None
        if any(map(of_user, with_inner(layer))):
            raise
        entries = _entries(layer, error)
        raise unfit(layer, f'cannot be {verb} as it is configured{entries}: {in_short(error)}') from error


def _of_ours(error: BaseException) -> Optional[KerasBackendError]:
    """The error of ours that an error is, or that it has come from: Keras makes another one around it."""
    inner: Optional[BaseException] = error
    while inner is not None:
        if isinstance(inner, KerasBackendError) and not is_framed(inner):
            return inner
        inner = inner.__cause__ or inner.__context__
    return None


def _entries(layer: Layer, error: BaseException) -> str:
    """The entries of the configuration that the error speaks of."""
    words = set(re.findall(r'\w+', str(error)))
    spoken = [f'{key}={repr(value)[:60]}' for key, value in layer.config.items() if key in words and key != 'name']
    return f' ({", ".join(spoken[:_MOST_ENTRIES])})' if spoken else ''


# -- entries -----------------------------------------------------------------------------------------------------------
# An entry or an argument that no function of this package reads is that of a newer Keras, of a changed class, or of a
# file that somebody wrote by hand.

# Entries that change no number, or that say the same as others.
HARMLESS: FrozenSet[str] = frozenset(
    'name trainable dtype batch_input_shape input_shape input_dim input_length implementation unroll autocast dynamic '
    'forget_bias_init beta_init gamma_init query_shape key_shape value_shape '
    'ragged sparse fused consume_less experimental_autocast input_dtype batch_shape build_input_shape keras_1 '
    'use_legacy_format theano_padding zero_output_for_mask stacked num_constants _num_constants synchronized weights '
    'virtual_batch_size adjustment renorm_clipping renorm_momentum'.split()
)
# Entries that count while a model is trained, or that choose how the same numbers are computed.
_OF_TRAINING = frozenset(
    'rate noise_shape seed stddev dropout recurrent_dropout momentum l1 l2 unit_forget_bias rng_type force_generator '
    'factor height_factor width_factor x_factor y_factor brightness_factor contrast_factor saturation_factor '
    'hue_factor addition_factor threshold_factor num_ops num_chains chain_depth all_ops sigma max_number '
    'fill_mode fill_value value_range bounding_box_format lora_rank lora_alpha '
    'flash_attention use_cudnn init alpha_init beta_init t_left_init a_left_init t_right_init a_right_init '
    'transform_bias'.split()
)
# Entries that functions of layers read, or from which the shapes of weights follow.
_READ = frozenset(
    'activation alpha antialias arguments attention_axes axes axis bias bias_axes bin_boundaries causal center '
    'crop_to_aspect_ratio cropping data_format depth_multiplier dilation_rate dims epsilon equation filters function '
    'go_backwards groups height interpolation invert keepdims kernel_size key_dim mask mask_value mask_zero max_value '
    'mean merge_mode mode n nb_feature negative_slope normalize num_heads num_tokens offset output_dim output_mode '
    'output_padding output_shape output_size pad_to_aspect_ratio padding pool_size recurrent_activation reset_after '
    'return_sequences return_state scale score_mode shared_axes size stateful strides target_shape theta threshold '
    'time_major units use_bias use_scale value_dim variance width'.split()
)
_KNOWN = HARMLESS | _OF_TRAINING | _READ
_ENDS = ('_initializer', '_regularizer', '_constraint')
# Operations of TensorFlow and of Keras 3, and functions, take any arguments. They refuse those that they do not know.
_FREE = ('TFOpLambda', 'SlicingOpLambda', 'TensorFlowOpLayer', 'Lambda', 'ops.')

_OVER_TIME = 'SimpleRNN GRU LSTM CuDNNGRU CuDNNLSTM RNN ConvLSTM1D ConvLSTM2D ConvLSTM3D Bidirectional'.split()
_ATTENTION = 'Attention AdditiveAttention MultiHeadAttention'.split()
_MERGES = 'Add Subtract Multiply Average Maximum Minimum Concatenate Dot'.split()
_WITH_SEVERAL_INPUTS = frozenset([*_OVER_TIME, *_ATTENTION, *_MERGES])
_ARGUMENTS: Dict[str, FrozenSet[str]] = {
    **dict.fromkeys(_OVER_TIME, frozenset(['initial_state', 'constants'])),
    **dict.fromkeys(
        _ATTENTION, frozenset('use_causal_mask return_attention_scores attention_mask value key'.split())
    ),
}  # fmt: skip
_OF_ALL = frozenset(['mask', 'training'])


def says_nothing(value: Any) -> bool:
    """Whether the value of an entry asks for nothing."""
    return (
        value is None or value is False or (isinstance(value, (str, list, dict)) and value in ([], {}, '', 'default'))
    )


def is_free(kind: str) -> bool:
    """Whether a kind takes any entries and arguments."""
    return kind.startswith(_FREE)


def check_entries(layer: Layer) -> None:
    """Refuse a layer, or one in it, with an entry that nothing here reads. Error: LayerConfigError."""
    for inner in with_inner(layer):
        if inner.model is not None or is_free(inner.kind):
            continue
        for key, value in inner.config.items():
            if key not in _KNOWN and not str(key).endswith(_ENDS) and not says_nothing(value):
                raise _error(layer, inner, f'has {str(key)[:60]}={str(value)[:60]}')


def check_call(layer: Layer, inputs: Sequence[Any], arguments: Mapping[str, Any]) -> None:
    """Refuse a call with inputs or arguments that the function of the layer does not take. Error: LayerConfigError."""
    # What a TimeDistributed is called with goes to the layer in it, whose call is checked.
    if is_free(layer.kind) or layer.model is not None:
        return
    if len(inputs) > 1 and layer.kind not in _WITH_SEVERAL_INPUTS:
        raise _error(layer, layer, f'is called with {len(inputs)} inputs')
    for name, value in arguments.items():
        known = layer.kind == 'TimeDistributed' or name in _ARGUMENTS.get(layer.kind, ()) or name in _OF_ALL
        if not known and not says_nothing(value):
            raise _error(layer, layer, f'is called with the argument {str(name)[:60]}')


def _error(layer: Layer, inner: Layer, what: str) -> LayerConfigError:
    return LayerConfigError(
        f'The layer {inner.name} ({inner.kind}) {what}, which is not done here. A function of yours takes the place of '
        f'such layers: layers={{{layer.kind!r}: function}}.',
        layer.name,
    )
