"""What a file may say of a layer that is computed with K, and the errors for all else.

An entry or an argument that no function of this package reads is that of a newer Keras, of a changed class, or of a
file that somebody wrote by hand.
"""

import contextlib
import re
from typing import Any, Callable, Dict, FrozenSet, Iterator, Mapping, Optional, Sequence

from ...errors import KerasBackendError, LayerConfigError
from ..structure import OF_DATA, Layer, in_short, is_framed
from .parameters import with_inner

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
    'factor height_factor width_factor fill_mode fill_value value_range bounding_box_format lora_rank lora_alpha '
    'flash_attention use_cudnn init alpha_init beta_init t_left_init a_left_init t_right_init a_right_init '
    'transform_bias'.split()
)
# Entries that functions of layers read, or from which the shapes of weights follow.
_READ = frozenset(
    'activation alpha antialias arguments attention_axes axes axis bias bias_axes bin_boundaries causal center '
    'crop_to_aspect_ratio cropping data_format depth_multiplier dilation_rate dims epsilon equation filters function '
    'go_backwards groups height interpolation invert keepdims kernel_size key_dim mask mask_value mask_zero max_value '
    'mean merge_mode mode n nb_feature negative_slope normalize num_heads num_tokens offset output_dim output_mode '
    'output_padding output_shape pad_to_aspect_ratio padding pool_size recurrent_activation reset_after '
    'return_sequences return_state scale score_mode shared_axes size stateful strides target_shape theta threshold '
    'time_major units use_bias use_scale value_dim variance width'.split()
)
_KNOWN = HARMLESS | _OF_TRAINING | _READ
_ENDS = ('_initializer', '_regularizer', '_constraint')
# Operations of TensorFlow and of Keras 3, and functions, take any arguments. They refuse those that they do not know.
_FREE = ('TFOpLambda', 'SlicingOpLambda', 'TensorFlowOpLayer', 'Lambda', 'ops.')

_RECURRENT = 'SimpleRNN GRU LSTM CuDNNGRU CuDNNLSTM RNN ConvLSTM1D ConvLSTM2D ConvLSTM3D Bidirectional'.split()
_ATTENTION = 'Attention AdditiveAttention MultiHeadAttention'.split()
_MERGES = 'Add Subtract Multiply Average Maximum Minimum Concatenate Dot'.split()
_WITH_SEVERAL_INPUTS = frozenset([*_RECURRENT, *_ATTENTION, *_MERGES])
_ARGUMENTS: Dict[str, FrozenSet[str]] = {
    **dict.fromkeys(_RECURRENT, frozenset(['initial_state', 'constants'])),
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
