"""Layers of Keras 2.3.1 that Keras 3 has with the same meaning: their classes and their arguments there.

Source: the documentation of both, and their numbers side by side.
"""

import inspect
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional

from ...errors import LayerConfigError
from ..structure import Layer
from .library import keras


class Native(NamedTuple):
    """A class of Keras 3.

    renamed: names of Keras 2 -> names of its arguments. fixed: arguments that no file says. defaults: those of Keras 2
    that differ from those of Keras 3, for older files, which do not say them.
    """

    kind: str
    renamed: Dict[str, str] = {}
    fixed: Dict[str, Any] = {}
    defaults: Dict[str, Any] = {}


def _same(names: str) -> Dict[str, Native]:
    return {name: Native(name) for name in names.split()}


_GATES = {'recurrent_activation': 'hard_sigmoid'}

TABLE: Dict[str, Native] = {
    **_same(
        'Dense Activation Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D Flatten Reshape Permute '
        'RepeatVector ActivityRegularization Masking '
        'Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose SeparableConv1D SeparableConv2D '
        'DepthwiseConv1D DepthwiseConv2D UpSampling1D UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D '
        'ZeroPadding3D Cropping1D Cropping2D Cropping3D '
        'MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D AveragePooling2D AveragePooling3D '
        'GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D '
        'GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D '
        'Embedding BatchNormalization LayerNormalization GroupNormalization UnitNormalization '
        'SimpleRNN SimpleRNNCell '
        'Add Subtract Multiply Average Maximum Minimum Concatenate Dot '
        'ELU PReLU ReLU Softmax GaussianNoise GaussianDropout AlphaDropout '
        'Attention AdditiveAttention MultiHeadAttention EinsumDense Rescaling Resizing CenterCrop Discretization '
        'CategoryEncoding RandomFlip RandomRotation RandomZoom RandomTranslation RandomContrast RandomCrop '
        'RandomBrightness Identity Normalization'
    ),
    'LeakyReLU': Native('LeakyReLU', {'alpha': 'negative_slope'}),
    **{kind: Native(kind, defaults=_GATES) for kind in ('LSTM', 'LSTMCell', 'ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D')},
    **{kind: Native(kind, defaults={**_GATES, 'reset_after': False}) for kind in ('GRU', 'GRUCell')},
    'CuDNNLSTM': Native('LSTM', fixed={'activation': 'tanh', 'recurrent_activation': 'sigmoid'}),
    'CuDNNGRU': Native('GRU', fixed={'activation': 'tanh', 'recurrent_activation': 'sigmoid', 'reset_after': True}),
}  # fmt: skip

# Entries that change no number, or that say the same as others.
HARMLESS: FrozenSet[str] = frozenset(
    'name trainable dtype batch_input_shape input_shape input_dim input_length implementation unroll autocast dynamic '
    'forget_bias_init beta_init gamma_init query_shape key_shape value_shape '
    'ragged sparse fused consume_less experimental_autocast input_dtype batch_shape build_input_shape keras_1 '
    'use_legacy_format theano_padding zero_output_for_mask stacked num_constants _num_constants synchronized weights '
    'virtual_batch_size adjustment renorm_clipping renorm_momentum'.split()
)
# Entries that a kind inherits and does not use.
UNUSED: Dict[str, FrozenSet[str]] = {
    'DepthwiseConv1D': frozenset('filters kernel_initializer kernel_regularizer kernel_constraint groups'.split()),
    'SeparableConv1D': frozenset('kernel_initializer kernel_regularizer kernel_constraint groups'.split()),
    'BatchNormalization': frozenset(['mode']),
    'Conv1DTranspose': frozenset(['groups', 'output_shape']),
    'Embedding': frozenset(['activity_regularizer', 'dropout']),
    'LayerNormalization': frozenset(['activity_regularizer']),
    'Dot': frozenset(['axis']),
    'Flatten': frozenset(),
}
UNUSED['DepthwiseConv2D'] = UNUSED['DepthwiseConv1D']
UNUSED['SeparableConv2D'] = UNUSED['SeparableConv1D']
UNUSED['Conv2DTranspose'] = UNUSED['Conv3DTranspose'] = UNUSED['Conv1DTranspose']

Convert = Callable[[Any], Any]


class Converters(NamedTuple):
    """What makes values of configurations those of Keras 3."""

    activation: Convert
    initializer: Convert
    regularizer: Convert
    constraint: Convert


def arguments(layer: Layer, native: Native, accepted: List[str], convert: Converters) -> Dict[str, Any]:
    """The arguments of a class of Keras 3 for a layer of a file.

    accepted: the names of its arguments. Error: LayerConfigError, if the file says something that Keras 3 cannot do.
    """
    found: Dict[str, Any] = {}
    unused = UNUSED.get(layer.kind, frozenset())
    for key, value in {**native.defaults, **layer.config}.items():
        name = native.renamed.get(key, key)
        if name in native.fixed or key in unused:
            continue
        if name in accepted and name not in ('name', 'trainable', 'dtype', 'weights'):
            found[name] = _converted(name, value, convert)
        elif key not in HARMLESS and not key.endswith('_initializer') and not _says_nothing(value):
            raise LayerConfigError(
                f'The layer {layer.name} ({layer.kind}) has {key}={str(value)[:60]}, which the layer {native.kind} of '
                f'Keras 3 does not have. Give a class of yours: custom_objects={{{layer.kind!r}: YourLayer}}.',
                layer.name,
            )
    found.update(native.fixed)
    for key in ('activation', 'recurrent_activation'):
        # None means the activation 'linear', and not the default of Keras 3.
        if key in found and found[key] is None:
            found[key] = 'linear'
    return {key: value for key, value in found.items() if not (value is None and _has_default(key))}


def _says_nothing(value: Any) -> bool:
    return value is None or value is False or value in ([], {}, '', 'default')


def _has_default(key: str) -> bool:
    """Whether None in the file leaves the default of Keras 3: an initializer that it does not know, an axis format."""
    return key.endswith('_initializer') or key == 'data_format'


def _converted(name: str, value: Any, convert: Converters) -> Any:
    if name in ('activation', 'recurrent_activation'):
        return convert.activation(value)
    if name.endswith('_initializer'):
        return convert.initializer(value)
    if name.endswith('_regularizer'):
        return convert.regularizer(value)
    if name.endswith('_constraint'):
        return convert.constraint(value)
    if value == 'bilinear_of_tensorflow_2':
        return 'bilinear'
    if isinstance(value, list) and name not in ('axes',):
        return tuple([tuple(item) if isinstance(item, list) else item for item in value])
    return value


def accepted_by(kind: str) -> List[str]:
    """The names of the arguments of a class of Keras 3."""
    return [name for name in inspect.signature(getattr(keras.layers, kind).__init__).parameters if name != 'self']


def has(kind: str) -> Optional[Native]:
    """The class of Keras 3 for a kind; None, if this Keras has none."""
    native = TABLE.get(kind)
    return native if native is not None and hasattr(keras.layers, native.kind) else None
