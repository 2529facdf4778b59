"""Models of tf.keras and Keras 3 with what Keras 2.3.1 has not. See `writing`."""

import tensorflow as tf
from writing import LIBRARY, NUMBERS, L, keras, main, model, numbers

Model, Sequential = keras.models.Model, keras.models.Sequential
NEW = {'new': True}
TF = LIBRARY == 'tf.keras'
TF2 = NUMBERS >= (2, 4)


@model('operations', needs=lambda: TF)
def operations():
    """Operators and functions of TensorFlow on tensors of a model: sums, slices, means, joins, products."""
    x, y = L.Input((4, 3), name='x'), L.Input((4, 3), name='y')
    a = L.Dense(3, name='dense')(x)
    b = (a - y) * 2.0 + 1.0
    c = tf.reduce_mean(b, axis=1, keepdims=True) if TF2 else tf.reduce_mean(b, axis=1)
    d = a[:, 1:3, ::2]
    e = tf.concat([a, y], axis=-1)
    f = tf.matmul(a, y, transpose_b=True)
    g = tf.nn.relu(tf.abs(x) - 0.5)
    h = tf.sqrt(tf.reduce_sum(tf.square(a - x), axis=-1)) / (1.0 + tf.exp(-y[..., 0]))
    return Model([x, y], [b, c, d, e, f, g, h]), [numbers(2, 4, 3), numbers(2, 4, 3, seed=4)], NEW


@model('newer', needs=lambda: NUMBERS >= (2, 6))
def newer():
    """Groups of channels, normalisation of layers, rescaling, keepdims, bounded activations, transposed steps."""
    x = L.Input((6, 6, 4), name='image')
    scaling = L.Rescaling if hasattr(L, 'Rescaling') else L.experimental.preprocessing.Rescaling
    a = L.Conv2D(4, 3, groups=2, activation='relu', name='groups')(scaling(2.0, offset=-0.5, name='rescaling')(x))
    b = L.LayerNormalization(name='layer_norm', epsilon=0.01)(a)
    c = L.ReLU(max_value=6.0, name='relu6')(L.DepthwiseConv2D(2, name='depthwise')(b))
    outputs = [c, L.Conv1DTranspose(2, 3, strides=2, name='steps')(L.Reshape((16, 4))(b))]
    outputs.append(L.GlobalAveragePooling2D(keepdims=True, name='mean')(c))
    outputs.append(L.LayerNormalization(axis=[1, 2], scale=False, name='places')(a))
    if hasattr(L, 'GroupNormalization'):
        outputs.append(L.GroupNormalization(2, name='group_norm')(a))
    outputs.append(L.Activation('swish', name='swish')(x))
    return Model(x, outputs), [numbers(2, 6, 6, 4)], NEW


@model('attention', needs=lambda: TF2)
def attention():
    """Attention layers, with and without a scale, and of many heads; a dense layer by a formula."""
    x, y = L.Input((4, 6), name='query'), L.Input((5, 6), name='value')
    outputs = [
        L.Attention(name='dot')([x, y]),
        L.Attention(use_scale=True, name='scaled')([x, y]),
        L.AdditiveAttention(name='additive')([x, y]),
        L.MultiHeadAttention(2, 3, name='heads')(x, y),
    ]
    return Model([x, y], outputs), [numbers(2, 4, 6), numbers(2, 5, 6, seed=4)], NEW


@model('normalizer', needs=lambda: TF2)
def normalizer():
    """A Normalization layer with given statistics, a resized image and a bounded one."""
    place = L if hasattr(L, 'Rescaling') else L.experimental.preprocessing
    x = L.Input((3, 4, 2), name='image')
    y = place.Normalization(axis=-1, mean=[0.5, -0.5], variance=[2.0, 3.0], name='normalization')(x)
    return (
        Model(x, [y, place.Resizing(5, 6, name='resizing')(x), place.CenterCrop(2, 2, name='crop')(x)]),
        [numbers(2, 3, 4, 2)],
        NEW,
    )


def small():
    """A net of three kinds of layers."""
    x = L.Input((6, 3), name='x')
    y = L.Conv1D(4, 3, activation='relu', name='conv')(x)
    y = L.BatchNormalization(name='norm')(y)
    return Model(x, L.Dense(2, activation='softmax', name='out')(L.GlobalMaxPooling1D(name='pool')(y)), name='small')


@model('archive', form='keras', needs=lambda: NUMBERS >= (2, 13))
def archive():
    """An archive of Keras 3: a model that is used twice."""
    x, y = L.Input((6, 3), name='left'), L.Input((6, 3), name='right')
    inner = small()
    return Model([x, y], L.Add(name='add')([inner(x), inner(y)])), [numbers(2, 6, 3), numbers(2, 6, 3, seed=4)]


@model('archive_recurrent', form='keras', needs=lambda: NUMBERS >= (2, 13))
def archive_recurrent():
    """An archive of Keras 3: recurrent layers and wrappers."""
    x = L.Input((4, 3), name='x')
    steps = L.Bidirectional(L.LSTM(2, return_sequences=True, name='lstm'), name='both')(x)
    each = L.TimeDistributed(L.Dense(3, name='dense'), name='each')(steps)
    return Model(x, [each, L.GRU(2, name='gru')(each)]), [numbers(2, 4, 3)]


@model('archive_sequential', form='keras', needs=lambda: NUMBERS >= (2, 13))
def archive_sequential():
    """An archive of a compiled Sequential with a convolution, and layers of Keras 2.3.1."""
    net = Sequential([L.Input((5, 6, 2)), L.Conv2D(3, (3, 2), activation='relu'), L.MaxPooling2D((2, 1))])
    for layer in (L.DepthwiseConv2D((1, 2)), L.BatchNormalization(), L.Flatten(), L.Dropout(0.1), L.Dense(2)):
        net.add(layer)
    net.compile('sgd', 'mse')
    return net, [numbers(2, 5, 6, 2)]


@model('archive_masks', form='keras', needs=lambda: NUMBERS >= (3,))
def archive_masks():
    """An archive with masks, cells and states."""
    words = L.Input((4,), dtype='int32', name='words')
    x = L.Embedding(6, 3, mask_zero=True, name='embedding')(words)
    steps, h, c = L.LSTM(3, return_sequences=True, return_state=True, name='lstm')(x)
    y = L.RNN([L.GRUCell(2), L.SimpleRNNCell(3)], name='cells')(steps)
    z = L.GRU(3, name='gru')(steps, initial_state=h)
    return Model(words, [steps, y, z, L.Multiply()([h, c])]), [(numbers(3, 4, low=0, high=5.99)).astype('int32')]


@model('archive_masks_in_a_row', form='keras', needs=lambda: NUMBERS >= (3,))
def archive_masks_in_a_row():
    """An archive of a Sequential whose layers hand on a mask, which the file does not say."""
    net = Sequential([L.Input((5,), dtype='int32'), L.Embedding(6, 3, mask_zero=True)])
    for layer in (L.LSTM(3, return_sequences=True), L.Dropout(0.1), L.GRU(2), L.Dense(2)):
        net.add(layer)
    return net, [(numbers(4, 5, low=0, high=3.99)).astype('int32')]


@model('archive_masks_inside', form='keras', needs=lambda: NUMBERS >= (3,))
def archive_masks_inside():
    """An archive of a model around a Sequential that makes a mask, of which the layer behind it knows."""
    x = L.Input((5, 3), name='x')
    inner = Sequential([L.Input((5, 3)), L.Masking(), L.SimpleRNN(3, return_sequences=True)], name='inner')
    given = numbers(4, 5, 3)
    given[numbers(4, 5, seed=8) > 0.3] = 0
    return Model(x, L.GRU(2, name='gru')(inner(x))), [given]


@model('ops', form='keras', needs=lambda: NUMBERS >= (3,))
def ops():
    """Operations of Keras 3 on tensors of a model."""
    x = L.Input((4, 3), name='x')
    y = keras.ops.mean(L.Dense(3, name='dense')(x) * 2.0 + 1.0, axis=1)
    return Model(x, [y, x[:, 1:, :2], keras.ops.concatenate([x, -x], axis=-1)]), [numbers(2, 4, 3)], NEW


@model('archive_numbers', form='keras', needs=lambda: NUMBERS >= (2, 12))
def archive_numbers():
    """An archive of several layers of each class, of which some have no weights, in models and wrappers."""
    x = L.Input((4,), name='x')
    dense = [L.Dense(4, name='dense%d' % number) for number in range(8)]
    activation = [L.Activation('tanh', name='activation%d' % number) for number in range(4)]
    plain = Sequential([L.Input((4,)), activation[0]], name='plain')
    y = Sequential([L.Input((4,)), dense[0], dense[1]], name='two')(plain(x))
    y = Sequential([L.Input((4,)), dense[2]], name='one')(y)
    a, b, c = [L.Input((4,)) for _ in range(3)]
    y = Model(b, L.PReLU(name='prelu')(dense[3](b)), name='with')(Model(a, activation[1](a), name='without')(y))
    y = dense[5](Model(c, dense[4](c), name='last')(y))
    y = L.Bidirectional(L.LSTM(2, return_sequences=True), name='both')(L.RepeatVector(3, name='repeat')(y))
    for number, inner in enumerate((activation[2], dense[6], activation[3], dense[7])):
        y = L.TimeDistributed(inner, name='each%d' % number)(y)
    y = L.RNN([L.LSTMCell(4), L.LSTMCell(4)], return_sequences=True, name='cells')(y)
    heads = [L.MultiHeadAttention(2, 3, use_bias=bool(number), name='heads%d' % number) for number in range(2)]
    return Model(x, [y, heads[1](heads[0](y, y), y)]), [numbers(2, 4)]


@model('flat', needs=lambda: TF)
def flat():
    """Flatten of what is flat, which Keras 2 refuses and tf.keras does not."""
    x = L.Input((4,), name='x')
    flattened = L.Flatten(name='flatten')(x)
    return Model(x, L.Dense(2, name='last')(L.Flatten(name='again')(L.Dense(3, name='dense')(flattened)))), [
        numbers(2, 4)
    ]


@model('wrapped', form='yaml', needs=lambda: TF and NUMBERS < (2, 4))
def wrapped():
    """YAML in which tf.keras wrote shapes and lists as objects."""
    net = Sequential([L.Dense(3, input_shape=(4,), name='dense'), L.BatchNormalization(name='normal')], name='net')
    net.add(L.Dense(2, name='last'))
    return net, [numbers(2, 4)]


@model('folder', form='savedmodel', needs=lambda: TF)
def folder():
    """A SavedModel of a small net."""
    return small(), [numbers(2, 6, 3)]


@model('folder_recurrent', form='savedmodel', needs=lambda: TF)
def folder_recurrent():
    """A SavedModel of a Sequential with a recurrent layer."""
    net = Sequential([L.SimpleRNN(3, input_shape=(4, 2), name='rnn'), L.Dense(2, name='dense')], name='words')
    return net, [numbers(2, 4, 2)]


if __name__ == '__main__':
    main()
