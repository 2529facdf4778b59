"""Every layer of Keras, by the kind of input that it takes."""

from keras import backend as K
from keras import layers as L

# What a model of this kind is fed with, after the batch axis. `channels_first` moves the last axis to the front.
SHAPES = {
    'vectors': (5,),
    'pairs': (5,),
    'steps': (6, 3),
    'recurrent': (6, 3),
    'masked': (6, 3),
    'tokens': (6,),
    'images': (8, 7, 2),
    'volumes': (5, 4, 6, 2),
    'movies': (3, 6, 5, 2),
}


def vectors():
    """Layers of (samples, features)."""
    return [
        L.Dense(4, activation='tanh'),
        L.Dense(3, use_bias=False, activation='selu'),
        L.Activation('softmax'),
        L.Activation('hard_sigmoid'),
        L.ActivityRegularization(l1=0.01, l2=0.02),
        L.LeakyReLU(0.2),
        L.ELU(0.7),
        L.PReLU(),
        L.ReLU(max_value=0.8, negative_slope=0.1, threshold=0.1),
        L.ThresholdedReLU(0.3),
        L.Softmax(),
        L.BatchNormalization(),
        L.BatchNormalization(center=False, scale=False),
        L.RepeatVector(3),
        L.Reshape((5, 1)),
        L.Lambda(lambda x: K.square(x) + K.mean(x, axis=-1, keepdims=True)),
        L.MaxoutDense(3, nb_feature=2),
        L.Highway(activation='relu'),
    ]


def pairs():
    """Layers of two tensors (samples, features)."""
    return [
        L.Add(),
        L.Subtract(),
        L.Multiply(),
        L.Average(),
        L.Maximum(),
        L.Minimum(),
        L.Concatenate(),
        L.Dot(axes=1),
        L.Dot(axes=-1, normalize=True),
    ]


def random():
    """Layers of (samples, features) that do something in training only, and that at random."""
    return [L.Dropout(0.5), L.GaussianDropout(0.2), L.GaussianNoise(0.3), L.AlphaDropout(0.2)]


def steps():
    """Layers of (samples, steps, features) without a memory."""
    return [
        L.Conv1D(4, 3),
        L.Conv1D(4, 3, padding='same', strides=2),
        L.Conv1D(4, 2, padding='causal', dilation_rate=2),
        L.SeparableConv1D(4, 3, depth_multiplier=2, padding='same'),
        L.LocallyConnected1D(2, 3),
        L.MaxPooling1D(2),
        L.AveragePooling1D(2, strides=1, padding='same'),
        L.GlobalMaxPooling1D(),
        L.GlobalAveragePooling1D(),
        L.Cropping1D((1, 2)),
        L.UpSampling1D(2),
        L.ZeroPadding1D((1, 2)),
        L.Permute((2, 1)),
        L.Flatten(),
        L.SpatialDropout1D(0.0),
        L.TimeDistributed(L.Dense(2, activation='relu')),
        L.PReLU(shared_axes=[1]),
    ]


def recurrent():
    """Layers of (samples, steps, features) with a memory; none of them relies on a mask."""
    return [
        L.SimpleRNN(4),
        L.SimpleRNN(4, return_sequences=True, go_backwards=True),
        L.GRU(4),
        L.GRU(4, return_sequences=True, implementation=2),
        L.GRU(4, reset_after=True, unroll=True),
        L.LSTM(4),
        L.LSTM(4, return_sequences=True, implementation=2, recurrent_activation='sigmoid'),
        L.LSTM(4, unroll=True, unit_forget_bias=False),
        L.Bidirectional(L.LSTM(3, return_sequences=True)),
        L.Bidirectional(L.GRU(3), merge_mode='sum'),
        L.RNN(L.LSTMCell(3)),
        L.RNN([L.GRUCell(3), L.SimpleRNNCell(2)], return_sequences=True),
    ]


def masked():
    """Layers with a memory after a mask."""
    return [
        L.SimpleRNN(4, return_sequences=True),
        L.GRU(4),
        L.GRU(3, reset_after=True, return_sequences=True),
        L.LSTM(4, return_sequences=True),
        L.LSTM(4, go_backwards=True),
        L.LSTM(3, unroll=True),
        L.Bidirectional(L.LSTM(3, return_sequences=True)),
        L.TimeDistributed(L.Dense(2)),
    ]


def tokens():
    """Layers of integers."""
    return [L.Embedding(10, 4), L.Embedding(10, 3, input_length=6, embeddings_regularizer='l2')]


def images(data_format):
    """Layers of (samples, rows, columns, channels), or with the channels first."""
    d = {'data_format': data_format}
    axis = 1 if data_format == 'channels_first' else -1
    layers = [
        L.Conv2D(3, (3, 2), **d),
        L.Conv2D(3, 3, strides=2, padding='same', activation='relu', **d),
        L.Conv2D(3, 2, dilation_rate=(2, 1), **d),
        L.Conv2DTranspose(3, 3, **d),
        L.Conv2DTranspose(2, (3, 2), strides=2, padding='same', **d),
        L.SeparableConv2D(3, 3, depth_multiplier=2, **d),
        L.DepthwiseConv2D(3, strides=2, padding='same', **d),
        L.LocallyConnected2D(2, (3, 2), **d),
        L.MaxPooling2D((2, 3), **d),
        L.AveragePooling2D(3, strides=2, padding='same', **d),
        L.GlobalMaxPooling2D(**d),
        L.GlobalAveragePooling2D(**d),
        L.Cropping2D(((1, 2), (0, 1)), **d),
        L.UpSampling2D((2, 3), **d),
        L.UpSampling2D(2, interpolation='bilinear', **d),
        L.ZeroPadding2D(((1, 2), (0, 1)), **d),
        L.SpatialDropout2D(0.0, **d),
        L.BatchNormalization(axis=axis),
        L.Flatten(**d),
    ]
    return layers


def volumes(data_format):
    """Layers of (samples, three spatial axes, channels), or with the channels first."""
    d = {'data_format': data_format}
    return [
        L.Conv3D(3, 2, **d),
        L.Conv3D(2, 3, strides=(1, 2, 2), padding='same', **d),
        L.Conv3DTranspose(2, 2, strides=2, **d),
        L.MaxPooling3D(2, **d),
        L.AveragePooling3D(2, strides=1, padding='same', **d),
        L.GlobalMaxPooling3D(**d),
        L.GlobalAveragePooling3D(**d),
        L.Cropping3D(1, **d),
        L.UpSampling3D(2, **d),
        L.ZeroPadding3D(1, **d),
        L.SpatialDropout3D(0.0, **d),
    ]


def movies():
    """Layers of (samples, time, rows, columns, channels)."""
    return [
        L.ConvLSTM2D(3, 3),
        L.ConvLSTM2D(2, (3, 2), padding='same', return_sequences=True, go_backwards=True),
        L.TimeDistributed(L.Conv2D(2, 3)),
        L.Bidirectional(L.ConvLSTM2D(2, 3), merge_mode='ave'),
    ]


def kinds():
    """(name, layers, shape of a sample) for each kind of model."""
    for make in (vectors, pairs, steps, recurrent, masked, tokens, movies):
        yield make.__name__, make, SHAPES[make.__name__]
    for make in (images, volumes):
        shape = SHAPES[make.__name__]
        for data_format, sample in (('channels_last', shape), ('channels_first', shape[-1:] + shape[:-1])):
            yield f'{make.__name__}_{data_format}', lambda m=make, d=data_format: m(d), sample


def used():
    """The classes of all layers above, and of the cells and layers inside of them."""
    todo = [layer for _, make, _ in kinds() for layer in make()] + random()
    todo += [L.Masking(), L.InputLayer((1,))]
    found = set()
    while todo:
        layer = todo.pop()
        found.add(type(layer))
        for inside in ('layer', 'cell', 'cells'):
            parts = getattr(layer, inside, None)
            todo.extend(parts if isinstance(parts, list) else [parts] if parts is not None else [])
    return found
