"""Models with functions in Lambda layers, in the idioms of public programs. See `writing`."""

import numpy as np
from writing import LIBRARY, NUMBERS, K, L, backend, keras, main, model, numbers

Model, Sequential = keras.models.Model, keras.models.Sequential
CUSTOM = {}
if backend() == 'tensorflow':
    import tensorflow as tf

    CUSTOM['tf'] = tf
    ONE = int(tf.__version__.split('.')[0]) == 1


def tensorflow():
    """Whether the functions may call TensorFlow."""
    return bool(CUSTOM) and NUMBERS < (3,)


def sampling(args):
    """The sampling of a variational autoencoder, here with a deviation of zero."""
    z_mean, z_log_var = args
    batch, dim = K.shape(z_mean)[0], K.int_shape(z_mean)[1]
    epsilon = K.random_normal(shape=(batch, dim), mean=0.0, stddev=0.0)
    return z_mean + K.exp(0.5 * z_log_var) * epsilon


def attention(pair):
    """The sum of vectors, weighted."""
    vectors, weights = pair
    return K.sum(vectors * K.expand_dims(weights, -1), axis=1)


def shuffle(x, groups):
    """The channels in another order, as ShuffleNet has it."""
    height, width, channels = K.int_shape(x)[1:]
    x = K.reshape(x, [-1, height, width, groups, channels // groups])
    x = K.permute_dimensions(x, (0, 1, 2, 4, 3))
    return K.reshape(x, [-1, height, width, channels])


def crop(start, end):
    """A function of its own for each part of the features, with values of the function around it."""

    def part(x):
        return x[:, start:end]

    return part


@model('functions', needs=lambda: NUMBERS < (3,))
def functions():
    """Vectors: normalised, cut, weighted, squeezed, one-hot, sampled; a function with values around it."""
    x, words = L.Input((4, 3), name='steps'), L.Input((1,), dtype='int32', name='word')
    flat = L.Dense(4, name='dense')(L.Lambda(lambda t: K.mean(t, axis=1), output_shape=(3,), name='mean')(x))
    weights = L.Lambda(lambda t: K.softmax(K.sum(t, axis=-1)), output_shape=(4,), name='weights')(x)
    one_hot = L.Lambda(
        lambda t: K.one_hot(K.cast(K.squeeze(t, axis=1), 'int32'), 5), output_shape=(5,), name='one_hot'
    )(words)
    outputs = [
        L.Lambda(lambda t: K.l2_normalize(t, axis=-1), output_shape=(4,), name='normalise')(flat),
        L.Lambda(crop(1, 3), output_shape=(2,), name='part')(flat),
        L.Lambda(attention, output_shape=(3,), name='attention')([x, weights]),
        L.Lambda(lambda t: t[:, -1, :], output_shape=lambda s: (s[0], s[2]), name='last')(x),
        L.Lambda(lambda t: K.reshape(t, (K.shape(t)[0], -1)), output_shape=(12,), name='flatten')(x),
        L.Dense(2, name='words')(one_hot),
        L.Lambda(sampling, output_shape=(4,), name='z')([flat, L.Dense(4, name='log_var')(flat)]),
        L.Lambda(lambda t, n=2: K.repeat(t, n), output_shape=(2, 4), name='repeat')(flat),
    ]
    return Model([x, words], outputs), [numbers(3, 4, 3), np.array([[1], [4], [0]], 'int32')]


@model('functions_images', needs=tensorflow, custom=CUSTOM)
def functions_images():
    """Images: shuffled channels, pixels of depth, resized by tf.image, padded, normalised, split; K.tf and tf."""
    x = L.Input((4, 4, 4), name='image')
    y = L.Conv2D(8, 1, name='conv')(x)
    resize = (lambda t: tf.image.resize_bilinear(t, (8, 6))) if ONE else (lambda t: tf.image.resize(t, (8, 6)))
    nearest = (
        (lambda t: tf.image.resize_nearest_neighbor(t, (8, 8), align_corners=True))
        if ONE
        else (lambda t: tf.image.resize(t, (8, 8), method='nearest'))
    )
    outputs = [
        L.Lambda(shuffle, arguments={'groups': 2}, name='shuffle')(y),
        L.Lambda(lambda t: tf.nn.depth_to_space(t, 2), name='pixels')(y),
        L.Lambda(resize, name='resize')(x),
        L.Lambda(nearest, name='nearest')(x),
        L.Lambda(lambda t: tf.pad(t, [[0, 0], [1, 1], [2, 0], [0, 0]], mode='REFLECT'), name='pad')(x),
        L.Lambda(lambda t: (t / 127.5) - 1.0, name='scale')(x),
        L.Lambda(lambda t: K.concatenate([t[:, ::2, :, :2], t[:, 1::2, :, 2:]], axis=-1), name='halves')(x),
        L.Lambda(lambda t: K.spatial_2d_padding(t, ((0, 1), (1, 0))), name='zeros')(x),
    ]
    return Model(x, outputs), [numbers(2, 4, 4, 4)]


@model('functions_archive', form='keras', needs=lambda: NUMBERS >= (2, 13))
def functions_archive():
    """Lambda layers in an archive of Keras 3."""
    return functions() if LIBRARY == 'tf.keras' else plain()


def plain():
    """Functions of operators and slices, which every engine has."""
    x = L.Input((4, 3), name='steps')
    y = L.Lambda(lambda t: t[:, 1:, :2] * 2.0 - 1.0, name='part')(x)
    z = L.Lambda(lambda t: keras.ops.mean(t, axis=-1), name='mean')(L.Dense(3, name='dense')(y))
    return Model(x, [y, z]), [numbers(2, 4, 3)]


if __name__ == '__main__':
    main()
