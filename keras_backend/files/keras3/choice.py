"""Which layers of a file Keras 3 computes with the same meaning by a layer of its own, their classes and arguments."""

from typing import Any, Dict, Optional, Sequence

from ..building.builder import RECURRENT
from ..building.spellings import Native, without
from ..layers.core import DRAWING_OF_KERAS_3
from ..layers.parameters import with_inner
from ..structure import File, Layer
from .functions import mask_of
from .own_layers import keras

# -- classes and arguments ---------------------------------------------------------------------------------------------
# Layers of Keras 2.3.1 that Keras 3 has with the same meaning: their classes and their arguments there.
#
# Source: the documentation of both, and their numbers side by side.


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
        'RandomBrightness Identity Normalization RMSNormalization '
        'AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D '
        'AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D'
    ),
    # Solarization does not take the data format that it writes.
    **{kind: Native(kind) for kind in DRAWING_OF_KERAS_3 if kind != 'Solarization'},
    'LeakyReLU': Native('LeakyReLU', {'alpha': 'negative_slope'}),
    **{kind: Native(kind, defaults=_GATES) for kind in ('LSTM', 'LSTMCell', 'ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D')},
    **{kind: Native(kind, defaults={**_GATES, 'reset_after': False}) for kind in ('GRU', 'GRUCell')},
    'CuDNNLSTM': Native('LSTM', fixed={'activation': 'tanh', 'recurrent_activation': 'sigmoid'}),
    'CuDNNGRU': Native('GRU', fixed={'activation': 'tanh', 'recurrent_activation': 'sigmoid', 'reset_after': True}),
}  # fmt: skip


def has(kind: str) -> Optional[Native]:
    """The class of Keras 3 for a kind; None, if this Keras has none."""
    native = TABLE.get(kind)
    return native if native is not None and hasattr(keras.layers, native.kind) else None


# They ask for the masks of their inputs, and Keras 3 combines masks in another way.
_MASKED = frozenset('Add Subtract Multiply Average Maximum Minimum Concatenate Softmax'.split())

# With channels first, TensorFlow computes them on a GPU alone. And Keras 3.15 on TensorFlow adds the bias along the
# last axis where that has as many places as there are filters.
_LAST = frozenset(
    'Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose DepthwiseConv1D DepthwiseConv2D '
    'SeparableConv1D SeparableConv2D ConvLSTM1D ConvLSTM2D ConvLSTM3D'.split()
)


def is_native(file: File, layer: Layer, inputs: Sequence[Any]) -> bool:
    """Whether a layer of Keras 3 has the meaning of this layer. inputs: KerasTensors; none for a layer in a layer."""
    kind, config = layer.kind, layer.config
    if kind in RECURRENT and file.library != 'keras 3' and _on('jax') and _holds_other_outputs(layer, inputs):
        return False
    if kind == 'Bidirectional':
        return _is_native_both_ways(file, layer, inputs)
    if any([config.get(key) for key in ('time_major', 'zero_output_for_mask', 'theano_padding', 'keras_1')]):
        return False
    if file.library != 'keras 3' and _has_another_mask(layer, inputs):
        return False
    if kind in ('TimeDistributed', 'RNN'):
        return all([is_native(file, inner, ()) or inner.kind == 'Lambda' or inner.model for inner in layer.inner])
    if has(kind) is None:
        return False
    if kind in _MASKED and _has_mask(inputs):
        return False
    if kind == 'MultiHeadAttention' and file.library != 'keras 3' and _has_mask(inputs):
        # Keras 3.15 takes the mask away from its inputs, so that other layers do not get it, a second attention among
        # them.
        return False
    if kind == 'LayerNormalization' and not _is_last(config.get('axis', -1), inputs):
        # Keras 3.15 on PyTorch takes the last axes, whatever the axes are.
        return False
    if kind.startswith('AveragePooling') and config.get('padding') == 'same' and _on('torch'):
        # Keras 3.15 counts zeros of the padding there.
        return False
    if kind.startswith('GRU') and config.get('reset_after') and not config.get('use_bias', True) and _on('jax'):
        # Keras 3.15 computes it in float64 where JAX has that, and then refuses its own state.
        return False
    if config.get('data_format') == 'channels_first' and kind in _LAST and _on('tensorflow'):
        return False
    if kind == 'SeparableConv1D' and config.get('padding') == 'causal':
        return False
    if kind == 'RandomCrop' and file.library != 'keras 3':
        # That of Keras 3.15 leaves images as they are when a model predicts.
        return False
    if file.library != 'keras 3' and config.get('interpolation') == 'bicubic':
        # Each engine of Keras 3.15 has another formula of it.
        return False
    # The package keras before version 3 reads images at index / factor, and Keras 3 from the centres of pixels.
    return not (kind == 'UpSampling2D' and config.get('interpolation') == 'bilinear')


def _holds_other_outputs(layer: Layer, inputs: Sequence[Any]) -> bool:
    """Whether Keras 3.15 on JAX gives another output than Keras 2 in the place of masked steps.

    It gives the first state there. That is the last output, unless the states began with others than zeros, or cells
    are on each other.
    """
    own = [layer, *layer.inner]
    begun = len(inputs) > 1 or any([inner.config.get('stateful') for inner in own])
    return _has_mask(inputs[:1]) and (begun or any([inner.kind == 'RNN' and len(inner.inner) > 1 for inner in own]))


# Of tf.keras: no mask comes out of them. Out of those of Keras 3 comes that of their input.
_END_MASKS = frozenset(
    'Identity Rescaling Normalization EinsumDense CategoryEncoding Discretization RandomFlip RandomRotation RandomZoom '
    'RandomTranslation RandomContrast RandomBrightness'.split()
)


def _has_another_mask(layer: Layer, inputs: Sequence[Any]) -> bool:
    """Whether another mask comes out of the layer of Keras 3 than out of that of Keras 2 and tf.keras.

    A TimeDistributed of Keras 3 knows no mask that the layer in it makes.
    """
    inner = list(with_inner(layer))[1:] if layer.kind == 'TimeDistributed' else []
    if any([one.kind == 'Masking' or (one.kind == 'Embedding' and one.config.get('mask_zero')) for one in inner]):
        return True
    return _has_mask(inputs) and (layer.kind in _END_MASKS or any([one.kind in RECURRENT for one in inner]))


def _is_native_both_ways(file: File, layer: Layer, inputs: Sequence[Any]) -> bool:
    """The same for Bidirectional, which in Keras 3 gives zeros in the places of steps that a mask takes out."""
    inner = [wrapped.config for wrapped in layer.inner]
    masked = _has_mask(inputs) and any([config.get('return_sequences') for config in inner])
    if masked and not all([config.get('zero_output_for_mask') for config in inner]):
        return False
    plain = [without(wrapped, 'zero_output_for_mask') for wrapped in layer.inner]
    return all([is_native(file, wrapped, ()) for wrapped in plain])


def _has_mask(inputs: Sequence[Any]) -> bool:
    return any([mask_of(x) is not None for x in inputs])


def _is_last(axis: Any, inputs: Sequence[Any]) -> bool:
    axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return axes == [-1] or bool(inputs and axes == [len(inputs[0].shape) - 1])


def _on(backend: str) -> bool:
    return bool(keras.backend.backend() == backend)
