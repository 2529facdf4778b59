"""Models of Keras 1, in its own words. See `writing`; the layers of Keras 1 alone are here."""

import numpy as np
from writing import OLD, K, L, backend, keras, main, model, numbers

Model, Sequential = keras.models.Model, keras.models.Sequential
THEANO = backend() == 'theano'
if OLD:
    from keras.layers import merge


@model('dense')
def dense():
    """A compiled Sequential: dense layers, normalisations, activations, noise."""
    net = Sequential()
    net.add(L.Dense(5, input_dim=4, init='uniform', W_regularizer=keras.regularizers.l2(0.01), name='first'))
    net.add(L.Activation('tanh'))
    net.add(L.BatchNormalization())
    net.add(L.Dropout(0.3))
    net.add(L.Dense(output_dim=6, activation='relu', bias=False, W_constraint=keras.constraints.maxnorm(2)))
    net.add(L.BatchNormalization(mode=0, axis=-1, epsilon=1e-2))
    net.add(L.PReLU())
    net.add(L.Dense(3, activation='softmax', activity_regularizer=keras.regularizers.activity_l2(0.01)))
    net.compile(keras.optimizers.SGD(lr=0.01, decay=1e-6, momentum=0.9, nesterov=True), 'categorical_crossentropy')
    net.train_on_batch(numbers(2, 4), np.eye(3)[:2])
    return net, [numbers(5, 4)]


@model('maxout', form='json')
def maxout():
    """Layers that Keras 2 dropped: maxout, highway, a dense layer over time, a soft threshold; JSON and weights."""
    net = Sequential()
    net.add(L.TimeDistributedDense(4, input_shape=(3, 2), activation='relu'))
    net.add(L.Flatten())
    net.add(L.MaxoutDense(5, nb_feature=3))
    net.add(L.Highway(activation='tanh'))
    net.add(L.MaxoutDense(3, bias=False))
    net.add(L.Highway())
    net.add(L.ParametricSoftplus(0.3, 2.0))
    net.add(L.SReLU())
    return net, [numbers(4, 3, 2)]


def towers(mode, **options):
    """Two branches of a Sequential that begins with a Merge."""
    left, right = Sequential(), Sequential()
    left.add(L.Dense(3, input_dim=4, activation='tanh'))
    right.add(L.Dense(3, input_dim=2))
    net = Sequential()
    net.add(L.Merge([left, right], mode=mode, **options))
    net.add(L.Dense(2, activation='sigmoid'))
    return net, [numbers(4, 4), numbers(4, 2, seed=4)]


@model('merge_concat')
def merge_concat():
    """A Sequential that begins with a Merge of two Sequentials, joined."""
    return towers('concat', concat_axis=-1)


@model('merge_sum', form='yaml')
def merge_sum():
    """A Sequential that begins with a Merge of two Sequentials, added; YAML and weights."""
    return towers('sum')


@model('merge_lambda')
def merge_lambda():
    """A Sequential that begins with a Merge by a function."""
    return towers(lambda pair: K.abs(pair[0] - pair[1]) * 2, output_shape=lambda shapes: shapes[0])


@model('merges')
def merges():
    """The function merge with every mode, in a functional model of several outputs."""
    x, y = L.Input(shape=(3,), name='left'), L.Input(shape=(3,), name='right')
    a, b = L.Dense(4, name='a')(x), L.Dense(4, activation='tanh', name='b')(y)
    outputs = [merge([a, b], mode=mode) for mode in ('sum', 'mul', 'ave', 'max', 'concat', 'dot')]
    outputs.append(merge([a, b], mode='cos', dot_axes=1))
    outputs.append(merge([a, b], mode=lambda pair: pair[0] - K.square(pair[1]), output_shape=(4,)))
    return Model(input=[x, y], output=outputs), [numbers(5, 3), numbers(5, 3, seed=4)]


@model('dots')
def dots():
    """Products along axes of tensors of three axes, and a concatenation along the second axis."""
    x, y = L.Input(shape=(4, 3)), L.Input(shape=(5, 3))
    product = merge([x, y], mode='dot', dot_axes=(2, 2))
    summed = merge([L.TimeDistributed(L.Activation('softmax'))(product), y], mode='dot', dot_axes=[2, 1])
    joined = merge([x, y], mode='concat', concat_axis=1)
    turned = L.Permute((2, 1))(joined)
    many = L.RepeatVector(2)(L.Flatten()(L.Reshape((9, 3))(turned)))
    return Model([x, y], [summed, turned, many]), [numbers(2, 4, 3), numbers(2, 5, 3, seed=4)]


def convolutions(order):
    """Convolutions of images in an order of axes."""
    at = {'dim_ordering': order}
    first = order == 'th'
    K.set_image_dim_ordering(order)  # crops, padding and upsampling of Keras 1 do not write theirs
    x = L.Input(shape=(3, 8, 7) if first else (8, 7, 3))
    a = L.Convolution2D(4, 3, 2, activation='relu', subsample=(2, 1), name='conv', **at)(x)
    b = L.BatchNormalization(axis=1 if first else 3)(a)
    outputs = [L.MaxPooling2D((2, 2), strides=(1, 2), border_mode='valid', **at)(b)]
    outputs.append(L.AtrousConvolution2D(2, 3, 2, atrous_rate=(2, 2), **at)(x))
    shape = (None, 2, 10, 8) if first else (None, 10, 8, 2)
    outputs.append(L.Deconvolution2D(2, 3, 2, shape, border_mode='valid', subsample=(1, 1), **at)(x))
    c = L.ZeroPadding2D((1, 2), **at)(L.UpSampling2D((2, 1), **at)(b))
    c = L.Convolution2D(2, 2, 2, bias=False, **at)(L.Cropping2D(((1, 0), (1, 2)), **at)(c))
    c = L.AveragePooling2D((2, 2), **at)(c)
    outputs += [c, L.Dense(3)(L.Flatten()(c)), L.GlobalAveragePooling2D(**at)(b)]
    if not THEANO:
        outputs.append(L.SeparableConvolution2D(7, 2, 3, depth_multiplier=2, **at)(x))
    return Model(x, outputs), [numbers(2, 3, 8, 7) if first else numbers(2, 8, 7, 3)]


@model('conv2d_th')
def conv2d_th():
    """Convolutions, atrous and transposed ones, poolings and crops with dim_ordering 'th'."""
    return convolutions('th')


@model('conv2d_tf')
def conv2d_tf():
    """Convolutions, atrous and transposed ones, poolings and crops with dim_ordering 'tf'."""
    return convolutions('tf')


@model('conv2d_weights', form='weights')
def conv2d_weights():
    """Weights alone of a convolution and a dense layer on flat images, channels first."""
    net = Sequential()
    net.add(L.Convolution2D(2, 3, 2, input_shape=(3, 5, 4), dim_ordering='th', name='conv'))
    net.add(L.Flatten(name='flat'))
    net.add(L.Dense(3, name='dense'))
    return net, [numbers(2, 3, 5, 4)]


@model('conv1d')
def conv1d():
    """Convolutions over steps and volumes, atrous ones, local ones, poolings, crops."""
    x = L.Input(shape=(8, 3))
    a = L.Convolution1D(4, 3, border_mode='same', activation='relu', subsample_length=1)(x)
    b = L.Convolution1D(nb_filter=2, filter_length=2, subsample_length=2)(x)
    c = L.LocallyConnected1D(2, 3)(a)
    outputs = [
        L.MaxPooling1D(pool_length=2, stride=1)(a),
        L.AveragePooling1D(2)(b),
        L.ZeroPadding1D(1)(L.Cropping1D((1, 2))(L.UpSampling1D(2)(c))),
        L.GlobalMaxPooling1D()(a),
        L.GlobalAveragePooling1D()(c),
    ]
    if not THEANO:
        outputs.append(L.AtrousConvolution1D(2, 2, atrous_rate=2)(x))
    return Model(x, outputs), [numbers(2, 8, 3)]


@model('conv3d')
def conv3d():
    """Convolutions of volumes, their poolings, crops and padding, and a local layer."""
    order = 'th' if THEANO else 'tf'
    K.set_image_dim_ordering(order)
    x = L.Input(shape=(2, 4, 5, 6) if THEANO else (4, 5, 6, 2))
    at = {'dim_ordering': order}
    a = L.Convolution3D(3, 2, 3, 1, activation='tanh', **at)(L.ZeroPadding3D((0, 1, 0), **at)(x))
    outputs = [
        a,
        L.MaxPooling3D((1, 2, 1), **at)(a),
        L.UpSampling3D((1, 2, 1), **at)(L.Cropping3D(((1, 1), (1, 2), (3, 2)), **at)(x)),
        L.GlobalMaxPooling3D(**at)(a),
    ]
    return Model(x, outputs), [numbers(1, 2, 4, 5, 6) if THEANO else numbers(1, 4, 5, 6, 2)]


@model('recurrent')
def recurrent():
    """LSTM and GRU with each way to compute, other gates, backwards, a bidirectional layer, a distributed one."""
    x = L.Input(shape=(5, 3))
    a = L.SimpleRNN(3, return_sequences=True)(x)
    b = L.LSTM(2, consume_less='cpu', go_backwards=True, return_sequences=True)(a)
    outputs = [
        b,
        L.LSTM(2, consume_less='mem', forget_bias_init='zero', inner_activation='sigmoid')(x),
        L.GRU(2, consume_less='cpu')(x),
        L.GRU(2, consume_less='mem', inner_activation='tanh', activation='relu')(b),
        L.TimeDistributed(L.Dense(2, activation='softmax'))(b),
    ]
    return Model(x, outputs), [numbers(2, 5, 3)]


@model('recurrent_gpu')
def recurrent_gpu():
    """LSTM and GRU with consume_less='gpu', and bidirectional layers."""
    x = L.Input(shape=(5, 3))
    outputs = [
        L.LSTM(3, consume_less='gpu', dropout_W=0.1, dropout_U=0.2)(x),
        L.GRU(2, consume_less='gpu')(x),
        L.Bidirectional(L.LSTM(2, return_sequences=True), merge_mode='concat')(x),
        L.Bidirectional(L.GRU(2, consume_less='gpu'), merge_mode='sum')(x),
    ]
    return Model(x, outputs), [numbers(2, 5, 3)]


@model('stateful', form='json')
def stateful():
    """A stateful LSTM: y is the first prediction, `again` the one after it; JSON and weights."""
    net = Sequential()
    net.add(L.LSTM(3, stateful=True, return_sequences=True, batch_input_shape=(2, 3, 2)))
    net.add(L.GRU(2, stateful=True))
    return net, [numbers(2, 3, 2)], {'twice': True}


@model('embedding')
def embedding():
    """Words with padding: a mask through an LSTM, a Masking layer, and a siamese pair with a distance."""
    left, right = L.Input(shape=(4,), dtype='int32', name='left'), L.Input(shape=(4,), dtype='int32', name='right')
    words = L.Embedding(output_dim=3, input_dim=6, mask_zero=True, input_length=4, name='words')
    lstm = L.LSTM(2, name='shared')
    a, b = lstm(words(left)), lstm(words(right))
    masked = L.Masking(mask_value=0.5)(L.Lambda(lambda t: t, name='same')(L.Embedding(6, 2, name='plain')(right)))
    state = L.GRU(2, name='gru')(masked)
    given = np.array([[1, 2, 3, 0], [4, 5, 0, 0], [0, 3, 1, 2]], 'int32')
    likeness = merge([a, b], mode=measure, output_shape=one, name='likeness')
    return Model([left, right], [likeness, state]), [given, given[::-1].copy()]


def measure(pair):
    """The distance of a pair of vectors, as a likeness."""
    return K.exp(-K.sum(K.abs(pair[0] - pair[1]), axis=1, keepdims=True))


def one(shapes):
    """The shape of one number."""
    return (shapes[0][0], 1)


@model('nested')
def nested():
    """A frozen model in a model, used twice, and a Sequential in a functional model."""
    inner_x = L.Input(shape=(3,), name='inner_x')
    hidden = L.Dense(4, activation='tanh', name='hidden')(inner_x)
    frozen = L.Dense(4, name='frozen', trainable=False)(hidden)
    inner = Model(inner_x, L.BatchNormalization(name='norm')(frozen), name='inner')
    net = Sequential([L.Dense(2, input_dim=4, name='one'), L.Dense(3, activation='relu', name='two')], name='net')
    x, y = L.Input(shape=(3,), name='x'), L.Input(shape=(3,), name='y')
    z = merge([inner(x), inner(y)], mode='sum', name='sum')
    return Model([x, y], L.Dense(2, name='last')(net(z))), [numbers(4, 3), numbers(4, 3, seed=4)]


@model('lambdas_of_code')
def lambdas_of_code():
    """Functions as programs of the time had them: a normalisation, a mean, a slice, a repetition, a shape."""
    x = L.Input(shape=(4, 3))
    mean = L.Lambda(lambda t: K.mean(t, axis=1), output_shape=lambda s: (s[0], s[2]))(x)
    outputs = [
        mean,
        L.Lambda(lambda t: K.l2_normalize(t, axis=-1), output_shape=(3,))(mean),
        L.Lambda(lambda t: t[:, 1:, :2], output_shape=(3, 2))(x),
        L.Lambda(lambda t: K.sum(K.repeat(t, 2), axis=-1), output_shape=lambda s: (s[0], 2))(mean),
        L.Lambda(lambda t, scale: t * scale + 1, arguments={'scale': 2.5}, output_shape=lambda s: s)(x),
    ]
    return Model(x, outputs), [numbers(2, 4, 3)]


if __name__ == '__main__':
    main()
