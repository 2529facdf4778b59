"""The layers of Keras 2.3.1, and some later and earlier ones, by their kinds."""

from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from . import (
    attention,
    convolutional,
    core,
    encoding,
    keras3_operations,
    merge,
    normalization,
    recurrent,
    tensorflow_operations,
)
from .use import Use


class Kind(NamedTuple):
    """call: a call -> the output, or a list of outputs. mask: (call, outputs) -> the mask, or a list of masks.

    Where mask is None, `call` gives both.
    """

    call: Callable[[Use], Any]
    mask: Optional[Callable[[Use, Any], Any]]


_IDENTITIES = (
    'ActivityRegularization AlphaDropout Dropout GaussianDropout GaussianNoise SpatialDropout1D SpatialDropout2D '
    'SpatialDropout3D'
).split()
# Of tf.keras. The random ones do nothing when a model predicts.
_LATER_IDENTITIES = (
    'Identity RandomFlip RandomRotation RandomZoom RandomTranslation RandomContrast RandomBrightness RandomHeight '
    'RandomWidth'
).split()
# Layers of tf.keras and Keras 3 that are not computed here.
OTHERS = (
    'AutoContrast ContrastLimitedAdaptiveHistogramEqualization DenseFeatures Equalization FlaxLayer '
    'GroupedQueryAttention HashedCrossing Hashing IntegerLookup JaxLayer MelSpectrogram Pipeline ReversibleEmbedding '
    'STFTSpectrogram StringLookup TFSMLayer TextVectorization TorchModuleWrapper'
).split()

LAYERS: Dict[str, Kind] = {
    **{
        f'{keras3_operations.PREFIX}{name}': Kind(keras3_operations.operation, merge.ended)
        for name in keras3_operations.OPERATIONS
    },
    **dict.fromkeys(_IDENTITIES, Kind(core.identity, merge.kept)),
    **dict.fromkeys(_LATER_IDENTITIES, Kind(core.identity, merge.ended_in_tf_keras)),
    **dict.fromkeys([*core.DRAWING_OF_KERAS_3, 'MaxNumBoundingBoxes'], Kind(core.identity, merge.ended)),
    # core
    'Dense': Kind(core.dense, merge.kept),
    'Activation': Kind(core.activation, merge.kept),
    'Flatten': Kind(core.flatten, merge.refused),
    'Reshape': Kind(core.reshape, merge.refused),
    'Permute': Kind(core.permute, merge.refused),
    'RepeatVector': Kind(core.repeat_vector, merge.refused),
    'Lambda': Kind(core.lambda_layer, merge.of_lambda),
    'Masking': Kind(core.masking, merge.of_masking),
    'EinsumDense': Kind(encoding.einsum_dense, merge.ended_in_tf_keras),
    'CategoryEncoding': Kind(encoding.category_encoding, merge.ended_in_tf_keras),
    'Discretization': Kind(encoding.discretization, merge.ended_in_tf_keras),
    'Rescaling': Kind(core.rescaling, merge.ended_in_tf_keras),
    'Highway': Kind(core.highway, merge.refused),
    'MaxoutDense': Kind(core.maxout_dense, merge.refused),
    # convolutional
    **dict.fromkeys(['Conv1D', 'Conv2D', 'Conv3D'], Kind(convolutional.convolution, merge.refused)),
    **dict.fromkeys(['DepthwiseConv1D', 'DepthwiseConv2D'], Kind(convolutional.depthwise, merge.refused)),
    **dict.fromkeys(['SeparableConv1D', 'SeparableConv2D'], Kind(convolutional.separable, merge.refused)),
    **dict.fromkeys(
        ['Conv1DTranspose', 'Conv2DTranspose', 'Conv3DTranspose'], Kind(convolutional.transposed, merge.refused)
    ),
    **dict.fromkeys(['Cropping1D', 'Cropping2D', 'Cropping3D'], Kind(convolutional.cropping, merge.refused)),
    **dict.fromkeys(['ZeroPadding1D', 'ZeroPadding2D', 'ZeroPadding3D'], Kind(convolutional.padding, merge.refused)),
    **dict.fromkeys(['UpSampling1D', 'UpSampling2D', 'UpSampling3D'], Kind(convolutional.upsampling, merge.refused)),
    'Resizing': Kind(convolutional.resizing, merge.refused),
    'CenterCrop': Kind(convolutional.center_crop, merge.refused),
    'RandomCrop': Kind(convolutional.random_crop, merge.refused),
    # pooling
    **dict.fromkeys(
        'MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D AveragePooling2D AveragePooling3D'.split(),
        Kind(convolutional.pooling, merge.refused),
    ),
    **dict.fromkeys(
        'GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GlobalAveragePooling2D '
        'GlobalAveragePooling3D'.split(),
        Kind(convolutional.global_pooling, merge.refused),
    ),
    'GlobalAveragePooling1D': Kind(convolutional.global_pooling, merge.ended),
    **dict.fromkeys(
        'AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D AdaptiveMaxPooling1D '
        'AdaptiveMaxPooling2D AdaptiveMaxPooling3D'.split(),
        Kind(convolutional.adaptive_pooling, merge.ended),
    ),
    # local
    **dict.fromkeys(['LocallyConnected1D', 'LocallyConnected2D'], Kind(convolutional.locally_connected, merge.refused)),
    # recurrent
    **dict.fromkeys(
        'SimpleRNN GRU LSTM CuDNNGRU CuDNNLSTM RNN'.split(), Kind(recurrent.recurrent, recurrent.mask_of_recurrent)
    ),
    **dict.fromkeys(['ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D'], Kind(recurrent.conv_lstm, recurrent.mask_of_recurrent)),
    # embeddings
    'Embedding': Kind(core.embedding, core.zero_mask),
    # merge
    **dict.fromkeys(
        'Add Subtract Multiply Average Maximum Minimum'.split(), Kind(merge.element_wise, merge.mask_of_element_wise)
    ),
    'Concatenate': Kind(merge.concatenate, merge.mask_of_concatenate),
    'Dot': Kind(merge.dot, merge.ended),
    # advanced activations
    **dict.fromkeys(['LeakyReLU', 'ELU', 'ThresholdedReLU', 'ReLU'], Kind(core.element_wise, merge.kept)),
    'Softmax': Kind(core.softmax_layer, merge.kept),
    'PReLU': Kind(core.prelu, merge.kept),
    'ParametricSoftplus': Kind(core.parametric_softplus, merge.kept),
    'SReLU': Kind(core.srelu, merge.kept),
    # normalization
    'BatchNormalization': Kind(normalization.batch_normalization, merge.kept),
    'LayerNormalization': Kind(normalization.layer_normalization, merge.kept),
    'GroupNormalization': Kind(normalization.group_normalization, merge.kept),
    'RMSNormalization': Kind(normalization.rms_normalization, merge.ended),
    'UnitNormalization': Kind(normalization.unit_normalization, merge.kept),
    'Normalization': Kind(normalization.normalization, merge.ended_in_tf_keras),
    # attention
    **dict.fromkeys(['Attention', 'AdditiveAttention'], Kind(attention.attention, attention.mask_of_query)),
    'MultiHeadAttention': Kind(attention.multi_head_attention, attention.mask_of_query),
    # wrappers
    'TimeDistributed': Kind(recurrent.time_distributed, None),
    'Bidirectional': Kind(recurrent.bidirectional, recurrent.mask_of_bidirectional),
    # operations of TensorFlow as layers of tf.keras
    **dict.fromkeys(['TFOpLambda', 'SlicingOpLambda'], Kind(tensorflow_operations.function, merge.refused)),
    'TensorFlowOpLayer': Kind(tensorflow_operations.operation, merge.refused),
}


def results(use: Use) -> Tuple[Any, Any]:
    """The outputs of a layer of the table, and their masks."""
    kind = LAYERS[use.layer.kind]
    if kind.mask is None:
        outputs, masks = kind.call(use)
        return outputs, masks
    outputs = kind.call(use)
    return outputs, kind.mask(use, outputs)
