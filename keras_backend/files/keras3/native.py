"""Layers of Keras 2.3.1 that Keras 3 has with the same meaning: their classes and their arguments there.

Source: the documentation of both, and their numbers side by side.
"""

from typing import Dict, Optional

from ..building.native_arguments import Native
from .library import keras


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


def has(kind: str) -> Optional[Native]:
    """The class of Keras 3 for a kind; None, if this Keras has none."""
    native = TABLE.get(kind)
    return native if native is not None and hasattr(keras.layers, native.kind) else None
