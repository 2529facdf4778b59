"""Which layers the grid tries, with which arguments on which inputs."""

import numpy as np
import tensorflow as tf
from grid_rows import positive, spread


class Make:
    """An argument that is made anew for each layer; the label is what the name of the row shows."""

    def __init__(self, label, function):
        self.label = label
        self.function = function

    def __call__(self):
        return self.function()


INPUTS = {
    'v': spread(2, 3),
    's': spread(2, 4, 3),
    'i': spread(2, 6, 5, 3),
    'i2': spread(2, 6, 5, 2),
    'i4': spread(2, 6, 5, 4),
    'cf': spread(2, 3, 6, 5),
    's4': spread(2, 6, 4),
    'vol': spread(2, 4, 5, 4, 2),
    'frames': spread(1, 3, 5, 5, 2),
    'lines': spread(1, 3, 5, 2),
    'volumes': spread(1, 2, 3, 4, 3, 1),
    'int': np.array([[1, 2, 0, 3], [3, 0, 0, 1]]),
    'ints': np.array([[1], [2]]),
    'p': positive(2, 4),
    'words': np.array([['a', 'b'], ['c', 'd']]),
    'text': np.array([['the cat sat'], ['The dog, sat!']]),
}

l2 = Make('L2(.1)', lambda: tf.keras.regularizers.L2(0.1))
ACTIVATIONS = [
    'relu',
    'elu',
    'selu',
    'sigmoid',
    'tanh',
    'softmax',
    'linear',
    'gelu',
    'swish',
    'softplus',
    'softsign',
    'exponential',
    'hard_sigmoid',
    Make('tf.nn.relu', lambda: tf.nn.relu),
]
WEIGHTS = {
    'use_bias': [False],
    'activation': ['relu'],
    'kernel_regularizer': ['l1', 'l2', l2],
    'bias_regularizer': ['l1'],
    'activity_regularizer': ['l2', l2],
    'kernel_constraint': ['non_neg'],
    'kernel_initializer': ['ones', 'he_normal'],
}
CONV = dict(WEIGHTS, padding=['same', 'SAME'], strides=[2], dilation_rate=[2])
POOL = {'pool_size': [3], 'strides': [1], 'padding': ['same']}

TABLE = [
    (
        'Dense',
        {'units': 2},
        'v s i',
        dict(WEIGHTS, activation=ACTIVATIONS, dtype=['float64', 'float16', 'mixed_float16']),
    ),
    ('Activation', {'activation': 'relu'}, 'v s', {'activation': ACTIVATIONS}),
    ('EinsumDense', {'equation': 'ab,bc->ac', 'output_shape': 2}, 'v', {'bias_axes': ['c'], 'activation': ['relu']}),
    ('Flatten', {}, 'v s i', {'data_format': ['channels_first', 'channels_last']}),
    ('Reshape', {'target_shape': (4, 3, 1)}, 's', {'target_shape': [(-1,), (2, -1), (12,), (5,)]}),
    ('Permute', {'dims': (2, 1)}, 's', {'dims': [(1, 2), (1, 3), (0, 1)]}),
    ('RepeatVector', {'n': 3}, 'v', {'n': [0]}),
    ('Masking', {}, 's', {'mask_value': [1.0]}),
    ('ActivityRegularization', {}, 'v', {'l1': [0.1], 'l2': [0.1]}),
    ('Lambda', {'function': Make('double', lambda: lambda x: x * 2)}, 'v', {'arguments': [{}]}),
    (
        'Embedding',
        {'input_dim': 5, 'output_dim': 2},
        'int',
        {'mask_zero': [True], 'input_length': [4, 3], 'embeddings_regularizer': ['l2'], 'dtype': ['float16']},
    ),
    # Without a dilation, for which four steps are too few: TensorFlow leaves the gradient as the memory was.
    (
        'Conv1D',
        {'filters': 2, 'kernel_size': 3},
        's s4',
        dict(CONV, padding=['same', 'causal'], groups=[3], dilation_rate=[]),
    ),
    (
        'Conv2D',
        {'filters': 2, 'kernel_size': 3},
        'i i4',
        dict(CONV, kernel_size=[1, (2, 3)], data_format=['channels_first'], groups=[2], strides=[2, (1, 2)]),
    ),
    ('Conv2D', {'filters': 2, 'kernel_size': 3, 'groups': 2}, 'i4', {}),
    ('Conv3D', {'filters': 2, 'kernel_size': 2}, 'vol', dict(CONV)),
    (
        'Conv1DTranspose',
        {'filters': 2, 'kernel_size': 3},
        's4',
        {'strides': [2], 'padding': ['same'], 'output_padding': [1]},
    ),
    ('Conv2DTranspose', {'filters': 2, 'kernel_size': 3}, 'i', dict(CONV, strides=[2, (1, 2)], output_padding=[1])),
    (
        'Conv2DTranspose',
        {'filters': 2, 'kernel_size': 3, 'strides': 2, 'padding': 'same'},
        'i',
        {'output_padding': [0, 1]},
    ),
    (
        'Conv3DTranspose',
        {'filters': 2, 'kernel_size': 2},
        'vol',
        {'strides': [2], 'padding': ['same'], 'use_bias': [False]},
    ),
    ('DepthwiseConv1D', {'kernel_size': 2}, 's', {'depth_multiplier': [2], 'padding': ['same'], 'strides': [2]}),
    (
        'DepthwiseConv2D',
        {'kernel_size': 3},
        'i',
        {
            'depth_multiplier': [2],
            'padding': ['same'],
            'strides': [2],
            'use_bias': [False],
            'dilation_rate': [2],
            'activation': ['relu'],
            'depthwise_regularizer': ['l2'],
        },
    ),
    (
        'SeparableConv1D',
        {'filters': 2, 'kernel_size': 2},
        's',
        {'depth_multiplier': [2], 'padding': ['same', 'causal']},
    ),
    (
        'SeparableConv2D',
        {'filters': 2, 'kernel_size': 3},
        'i',
        {
            'depth_multiplier': [2],
            'padding': ['same'],
            'strides': [2],
            'dilation_rate': [2],
            'pointwise_regularizer': ['l2'],
        },
    ),
    ('LocallyConnected1D', {'filters': 2, 'kernel_size': 2}, 's', {'implementation': [2, 3], 'use_bias': [False]}),
    ('LocallyConnected2D', {'filters': 2, 'kernel_size': 3}, 'i', {'implementation': [2, 3], 'strides': [2]}),
    ('Cropping1D', {}, 's', {'cropping': [0, (0, 2)]}),
    ('Cropping2D', {'cropping': 1}, 'i', {'cropping': [(1, 0), ((1, 0), (0, 2))], 'data_format': ['channels_first']}),
    ('Cropping3D', {}, 'vol', {'cropping': [((1, 0), (0, 2), (1, 1))]}),
    ('ZeroPadding1D', {}, 's', {'padding': [2, (0, 1)]}),
    ('ZeroPadding2D', {}, 'i', {'padding': [2, (0, 1), ((0, 1), (2, 0))], 'data_format': ['channels_first']}),
    ('ZeroPadding3D', {}, 'vol', {'padding': [2, (0, 1, 0)], 'data_format': ['channels_first']}),
    ('UpSampling1D', {}, 's', {'size': [3]}),
    (
        'UpSampling2D',
        {},
        'i',
        {
            'size': [3, (1, 2)],
            'data_format': ['channels_first'],
            'interpolation': ['bilinear', 'bicubic', 'area', 'lanczos3', 'gaussian', 'mitchellcubic'],
        },
    ),
    ('UpSampling3D', {}, 'vol', {'size': [(1, 2, 1)], 'data_format': ['channels_first']}),
    ('MaxPooling1D', {}, 's4', dict(POOL, data_format=['channels_first'])),
    ('MaxPooling2D', {}, 'i', dict(POOL, pool_size=[3, (1, 2)], data_format=['channels_first'])),
    ('MaxPooling3D', {}, 'vol', POOL),
    ('AveragePooling1D', {}, 's4', dict(POOL, data_format=['channels_first'])),
    ('AveragePooling2D', {}, 'i', dict(POOL, pool_size=[3, (1, 2)])),
    ('AveragePooling3D', {}, 'vol', POOL),
    ('GlobalMaxPooling1D', {}, 's', {'data_format': ['channels_first'], 'keepdims': [True]}),
    ('GlobalMaxPooling2D', {}, 'i', {'data_format': ['channels_first'], 'keepdims': [True]}),
    ('GlobalMaxPooling3D', {}, 'vol', {'data_format': ['channels_first'], 'keepdims': [True]}),
    ('GlobalAveragePooling1D', {}, 's', {'data_format': ['channels_first'], 'keepdims': [True]}),
    ('GlobalAveragePooling2D', {}, 'i', {'data_format': ['channels_first'], 'keepdims': [True]}),
    ('GlobalAveragePooling3D', {}, 'vol', {'data_format': ['channels_first'], 'keepdims': [True]}),
    (
        'BatchNormalization',
        {},
        'v s i',
        {
            'axis': [1, [-1], (1, 2)],
            'momentum': [0.5],
            'epsilon': [0.1],
            'center': [False],
            'scale': [False],
            'gamma_regularizer': ['l2'],
            'fused': [False],
            'renorm': [True],
            'virtual_batch_size': [1],
            'trainable': [False],
        },
    ),
    (
        'LayerNormalization',
        {},
        'v s i',
        {'axis': [1, [1, 2]], 'epsilon': [0.1], 'center': [False], 'scale': [False], 'beta_regularizer': ['l2']},
    ),
    ('UnitNormalization', {}, 'v s', {'axis': [1]}),
    ('GroupNormalization', {'groups': 3}, 'v i', {'groups': [1, -1], 'axis': [1]}),
    ('SpectralNormalization', {'layer': Make('Dense(2)', lambda: tf.keras.layers.Dense(2))}, 'v', {}),
    ('Dropout', {'rate': 0.5}, 'v', {'rate': [0.0], 'noise_shape': [(None, 1)], 'seed': [1]}),
    ('SpatialDropout1D', {'rate': 0.5}, 's', {}),
    ('SpatialDropout2D', {'rate': 0.5}, 'i', {'data_format': ['channels_first']}),
    ('SpatialDropout3D', {'rate': 0.5}, 'vol', {'data_format': ['channels_first']}),
    ('GaussianNoise', {'stddev': 0.5}, 'v', {}),
    ('GaussianDropout', {'rate': 0.5}, 'v', {}),
    ('AlphaDropout', {'rate': 0.5}, 'v', {'seed': [1]}),
    ('ReLU', {}, 'v', {'max_value': [0.5], 'negative_slope': [0.1], 'threshold': [0.2]}),
    ('LeakyReLU', {}, 'v', {'alpha': [0.0, 0.5]}),
    ('PReLU', {}, 'v i', {'shared_axes': [[1]], 'alpha_regularizer': ['l2']}),
    ('ELU', {}, 'v', {'alpha': [0.5]}),
    ('ThresholdedReLU', {}, 'v', {'theta': [0.5]}),
    ('Softmax', {}, 'v s', {'axis': [1, [1, 2]]}),
    ('TimeDistributed', {'layer': Make('Dense(2)', lambda: tf.keras.layers.Dense(2))}, 's i', {}),
    ('TimeDistributed', {'layer': Make('Conv1D(2, 2)', lambda: tf.keras.layers.Conv1D(2, 2))}, 'i', {}),
    ('Normalization', {'mean': 0.5, 'variance': 2.0}, 'v s', {'axis': [None], 'invert': [True]}),
    ('Rescaling', {'scale': 0.5}, 'v i', {'offset': [1.0]}),
    (
        'Resizing',
        {'height': 4, 'width': 3},
        'i',
        {'interpolation': ['nearest', 'bicubic', 'area', 'lanczos5'], 'crop_to_aspect_ratio': [True]},
    ),
    ('CenterCrop', {'height': 4, 'width': 3}, 'i', {'height': [7]}),
    ('Discretization', {'bin_boundaries': [-0.5, 0.0, 0.5]}, 'v', {'output_mode': ['one_hot', 'multi_hot', 'count']}),
    ('CategoryEncoding', {'num_tokens': 4}, 'int ints', {'output_mode': ['one_hot', 'multi_hot', 'count']}),
    ('Hashing', {'num_bins': 3}, 'words int', {'mask_value': ['a'], 'salt': [3]}),
    ('HashedCrossing', {'num_bins': 5}, 'words', {}),
    (
        'StringLookup',
        {'vocabulary': ['a', 'b', 'd']},
        'words',
        {'num_oov_indices': [0, 2], 'output_mode': ['multi_hot', 'count'], 'mask_token': ['a'], 'invert': [True]},
    ),
    (
        'IntegerLookup',
        {'vocabulary': [3, 2]},
        'int',
        {'num_oov_indices': [0, 2], 'output_mode': ['multi_hot'], 'mask_value': [0], 'mask_token': [0]},
    ),
    (
        'TextVectorization',
        {'vocabulary': ['cat', 'sat']},
        'text',
        {
            'standardize': ['lower', None],
            'ngrams': [2],
            'output_mode': ['multi_hot', 'count', 'binary'],
            'output_sequence_length': [2],
            'split': ['character'],
        },
    ),
]

PAIR = [spread(2, 3), spread(2, 3, step=0.9)]
PAIR_S = [spread(2, 4, 3), spread(2, 4, 3, step=0.9)]
MERGES = [
    (name, {}, inputs)
    for name in ('Add', 'Average', 'Maximum', 'Minimum', 'Multiply', 'Concatenate', 'Subtract')
    for inputs in (PAIR, PAIR + [spread(2, 3, step=0.2)])
]
MERGES += [
    ('Concatenate', {'axis': 1}, PAIR),
    ('Add', {}, [spread(2, 3), spread(2, 1)]),
    ('Add', {}, [spread(2, 4, 3), spread(2, 3)]),
    ('Dot', {'axes': 1}, PAIR),
    ('Dot', {'axes': 1, 'normalize': True}, PAIR),
    ('Dot', {'axes': 2}, PAIR_S),
    ('Dot', {'axes': (2, 2)}, PAIR_S),
    ('Dot', {'axes': -1}, PAIR_S),
    ('Attention', {}, PAIR_S),
    ('Attention', {'use_scale': True}, PAIR_S),
    ('Attention', {'causal': True}, PAIR_S),
    ('Attention', {'score_mode': 'concat'}, PAIR_S),
    ('AdditiveAttention', {}, PAIR_S),
    ('AdditiveAttention', {'use_scale': False}, PAIR_S),
    ('Attention', {}, [*PAIR_S, spread(2, 4, 3, step=0.2)]),
]

MASKED = [
    ('Dense', {'units': 2}),
    ('Activation', {'activation': 'relu'}),
    ('Flatten', {}),
    ('Masking', {}),
    ('Dropout', {'rate': 0.5}),
    ('Conv1D', {'filters': 2, 'kernel_size': 2}),
    ('GlobalAveragePooling1D', {}),
    ('GlobalMaxPooling1D', {}),
    ('MaxPooling1D', {}),
    ('BatchNormalization', {}),
    ('LayerNormalization', {}),
    ('Softmax', {}),
    ('ReLU', {}),
    ('LeakyReLU', {}),
    ('Permute', {'dims': (2, 1)}),
    ('Reshape', {'target_shape': (3, 4)}),
    ('ZeroPadding1D', {}),
    ('UpSampling1D', {}),
    ('Lambda', {'function': Make('double', lambda: lambda x: x * 2)}),
    ('TimeDistributed', {'layer': Make('Dense(2)', lambda: tf.keras.layers.Dense(2))}),
    ('LSTM', {'units': 2}),
    ('LSTM', {'units': 2, 'return_sequences': True}),
    ('GRU', {'units': 2}),
    ('GRU', {'units': 2, 'return_sequences': True, 'reset_after': False}),
    ('SimpleRNN', {'units': 2}),
    ('SimpleRNN', {'units': 2, 'unroll': True, 'return_sequences': True}),
    ('LSTM', {'units': 2, 'go_backwards': True}),
    ('GRU', {'units': 2, 'zero_output_for_mask': True, 'return_sequences': True}),
    ('Bidirectional', {'layer': Make('LSTM(2)', lambda: tf.keras.layers.LSTM(2))}),
    ('Bidirectional', {'layer': Make('GRU(2, True)', lambda: tf.keras.layers.GRU(2, return_sequences=True))}),
]


def carried_through(layer, *shapes):
    """The mask behind a layer that merges."""
    inputs = [
        tf.keras.layers.Masking()(tf.constant(spread(*shape)) * tf.constant([[[1.0], [0.0], [1.0], [1.0]]]))
        for shape in shapes
    ]
    return getattr(layer(inputs), '_keras_mask', None)


def attention(call, **arguments):
    """MultiHeadAttention on fixed numbers."""
    from grid_rows import set_numbers

    layer = tf.keras.layers.MultiHeadAttention(**dict({'num_heads': 2, 'key_dim': 3}, **arguments))
    layer(*PAIR_S)
    set_numbers(layer)
    outputs = layer(*PAIR_S, **call)
    return [outputs, [[weight.name.split('/')[-1], list(weight.shape)] for weight in layer.weights]]


MASK = np.array([[[1, 0, 1, 1]] * 4] * 2) == 1
SPECIAL = {
    'MultiHeadAttention': lambda: attention({}),
    'MultiHeadAttention scores': lambda: attention({'return_attention_scores': True}),
    'MultiHeadAttention mask': lambda: attention({'attention_mask': MASK}),
    'MultiHeadAttention causal': lambda: attention({'use_causal_mask': True}),
    'MultiHeadAttention value_dim': lambda: attention({}, value_dim=2),
    'MultiHeadAttention use_bias': lambda: attention({}, use_bias=False),
    'MultiHeadAttention output_shape': lambda: attention({}, output_shape=5),
    'MultiHeadAttention attention_axes': lambda: attention({}, attention_axes=(1,)),
    'MultiHeadAttention key': lambda: attention({'key': spread(2, 4, 3, step=0.2)}),
    'mask of Add': lambda: carried_through(tf.keras.layers.Add(), (2, 4, 3), (2, 4, 3)),
    'mask of Concatenate': lambda: carried_through(tf.keras.layers.Concatenate(), (2, 4, 3), (2, 4, 3)),
    'mask of Concatenate 1': lambda: carried_through(tf.keras.layers.Concatenate(axis=1), (2, 4, 3), (2, 4, 3)),
    'mask of Multiply': lambda: carried_through(tf.keras.layers.Multiply(), (2, 4, 3), (2, 4, 3)),
    'mask of Dot': lambda: carried_through(tf.keras.layers.Dot(axes=2), (2, 4, 3), (2, 4, 3)),
    'mask of Attention': lambda: carried_through(tf.keras.layers.Attention(), (2, 4, 3), (2, 4, 3)),
    'Attention mask': lambda: tf.keras.layers.Attention()(PAIR_S, mask=[None, tf.constant(MASK[:, 0])]),
    'Attention scores': lambda: tf.keras.layers.Attention()(PAIR_S, return_attention_scores=True),
    'Embedding of floats': lambda: list(tf.keras.layers.Embedding(5, 2)(np.array([[1.0, 2.0]])).shape),
    'Dense of ints': lambda: tf.keras.layers.Dense(2, kernel_initializer='ones')(np.array([[1, 2]])),
    'Dense of float64': lambda: tf.keras.layers.Dense(2, kernel_initializer='ones')(np.array([[1.0, 2.0]])),
    'add': lambda: tf.keras.layers.add(PAIR),
    'subtract': lambda: tf.keras.layers.subtract(PAIR),
    'concatenate': lambda: tf.keras.layers.concatenate(PAIR),
    'dot': lambda: tf.keras.layers.dot(PAIR, axes=1),
    'maximum': lambda: tf.keras.layers.maximum(PAIR),
    'average': lambda: tf.keras.layers.average(PAIR),
}
