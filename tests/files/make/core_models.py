"""Models of the layers of the core: dense nets, merges, activations, normalisation, embeddings. See `writing`."""

import numpy as np
from writing import NUMBERS, K, L, keras, main, model, numbers

Model, Sequential = keras.models.Model, keras.models.Sequential
EXPONENTIAL = NUMBERS >= (2, 2, 3)


@model('dense')
def dense():
    """A classifier as Sequential, compiled with Adam and a decay; kernels with regularizers and constraints."""
    keep = keras.regularizers.l1_l2(0.01, 0.02) if hasattr(keras.regularizers, 'l1_l2') else None
    net = Sequential(
        [
            L.Dense(5, activation='tanh', input_shape=(4,), kernel_regularizer=keep),
            L.Dropout(0.5),
            L.Dense(6, kernel_constraint=keras.constraints.MaxNorm(2.0, axis=0), use_bias=False),
            L.BatchNormalization(),
            L.Activation('relu'),
            L.Dense(3, activation='softmax', activity_regularizer=keras.regularizers.l2(0.01)),
        ]
    )
    options = {'decay': 1e-4} if NUMBERS < (2, 11) else {}
    net.compile(keras.optimizers.Adam(0.002, **options), 'categorical_crossentropy', metrics=['accuracy'])
    net.train_on_batch(numbers(2, 4), np.eye(3)[:2])
    return net, [numbers(5, 4)]


@model('dense_json', form='json')
def dense_json():
    """A Sequential as JSON, its weights beside it."""
    net = Sequential(name='small')
    net.add(L.Dense(3, activation='softplus', input_dim=4, name='first'))
    net.add(L.Dense(2, activation='sigmoid', name='second/part'))
    return net, [numbers(4, 4)]


@model('dense_yaml', form='yaml', needs=lambda: NUMBERS < (2, 5))
def dense_yaml():
    """A functional model as YAML, its weights beside it."""
    x = L.Input((3,), name='given')
    y = L.Dense(4, activation='elu', name='hidden')(x)
    z = L.Dense(2, activation='softmax', name='probabilities')(y)
    return Model(x, [z, y], name='two'), [numbers(4, 3)]


@model('dense_weights', form='weights')
def dense_weights():
    """Weights alone: two dense layers, a normalisation, and a layer without weights."""
    net = Sequential(name='net')
    net.add(L.Dense(3, input_dim=4, activation='relu', name='first'))
    net.add(L.Dropout(0.2, name='drop'))
    net.add(L.BatchNormalization(name='norm'))
    net.add(L.Dense(2, name='second'))
    return net, [numbers(4, 4)]


@model('merges')
def merges():
    """Every merge, several inputs and outputs; names with '/'."""
    x, y = L.Input((3,), name='left/x'), L.Input((3,), name='right/y')
    a = L.Dense(4, name='tower/left/dense', activation='relu')(x)
    b = L.Dense(4, name='tower/right/dense', activation='softsign')(y)
    outputs = [
        L.Add(name='merge/add')([a, b, a]),
        L.Subtract()([a, b]),
        L.Multiply()([a, b]),
        L.Average()([a, b, b]),
        L.Maximum()([a, b]),
        L.Concatenate(axis=-1)([a, y]),
        L.Dot(axes=1)([a, b]),
        L.Dot(axes=-1, normalize=True)([a, b]),
    ]
    if hasattr(L, 'Minimum'):
        outputs.append(L.Minimum()([a, b]))
    return Model([x, y], outputs), [numbers(5, 3), numbers(5, 3, seed=4)]


@model('dots')
def dots():
    """Products of tensors of three axes, concatenations along other axes, reshapes and permutations."""
    x, y = L.Input((4, 3)), L.Input((5, 3))
    product = L.Dot(axes=2)([x, y])
    weights = L.Softmax(axis=2)(product) if hasattr(L, 'Softmax') else L.Activation('softmax')(product)
    summed = L.Dot(axes=(2, 1))([weights, y])
    joined = L.Concatenate(axis=1)([x, y, summed])
    turned = L.Permute((2, 1))(joined)
    shaped = L.Reshape((-1, 13))(turned)
    flat = L.Flatten()(L.Reshape((3, 13, 1))(shaped))
    many = L.RepeatVector(2)(L.Dense(2)(flat))
    cosine = L.Dot(axes=2, normalize=True)([x, y])
    return Model([x, y], [summed, turned, many, cosine]), [numbers(2, 4, 3), numbers(2, 5, 3, seed=4)]


@model('activations')
def activations():
    """Activations by name, and the layers that are activations."""
    x = L.Input((3, 4))
    names = 'softmax selu softsign hard_sigmoid linear'.split()
    outputs = [L.Activation(name)(x) for name in names + (['exponential'] if EXPONENTIAL else [])]
    slopes = {'negative_slope': 0.2} if NUMBERS >= (3,) else {'alpha': 0.2}
    outputs += [L.LeakyReLU(**slopes)(x), L.ELU(alpha=0.7)(x), L.PReLU()(x), L.PReLU(shared_axes=[1])(x)]
    if hasattr(L, 'ThresholdedReLU'):
        outputs.append(L.ThresholdedReLU(theta=0.3)(x))
    if hasattr(L, 'Softmax'):
        outputs += [L.Softmax(axis=1)(x), L.Softmax()(x)]
    if hasattr(L, 'ReLU'):
        more = {'negative_slope': 0.1, 'threshold': 0.2} if EXPONENTIAL else {}
        outputs += [L.ReLU(max_value=0.6)(x), L.ReLU(max_value=1.5, **more)(x)]
    outputs.append(L.Dense(2, activation='selu')(x))
    return Model(x, outputs), [numbers(2, 3, 4, low=-2, high=2)]


@model('noise')
def noise():
    """Layers that act in training alone, and a penalty of activity."""
    net = Sequential(
        [
            L.GaussianNoise(0.3, input_shape=(4, 3)),
            L.GaussianDropout(0.2),
            L.AlphaDropout(0.1),
            L.SpatialDropout1D(0.2),
            L.Dropout(0.3, noise_shape=(None, 1, 3)),
            L.ActivityRegularization(l1=0.01, l2=0.02),
            L.Dense(2, activation=keras.activations.tanh),
        ]
    )
    return net, [numbers(2, 4, 3)]


@model('normalization')
def normalization():
    """Batch normalisation along several axes, without scale, without centre, with a large epsilon."""
    x = L.Input((3, 4, 2))
    outputs = [
        L.BatchNormalization()(x),
        L.BatchNormalization(axis=1, epsilon=0.01, momentum=0.9)(x),
        L.BatchNormalization(axis=2, scale=False)(x),
        L.BatchNormalization(center=False, gamma_constraint=keras.constraints.NonNeg())(x),
        L.BatchNormalization(scale=False, center=False, beta_initializer='ones')(x),
    ]
    return Model(x, outputs), [numbers(2, 3, 4, 2)]


@model('embedding')
def embedding():
    """Words with padding at their end: masks through layers, and a mean of vectors."""
    words = L.Input((5,), dtype='int32', name='words')
    more = L.Input((5,), name='more')
    x = L.Embedding(7, 3, mask_zero=True, name='masked')(words)
    y = L.Embedding(7, 3, input_length=5)(more) if NUMBERS < (3,) else L.Embedding(7, 3)(more)
    x = L.TimeDistributed(L.Dense(4, activation='tanh'))(x)
    x = L.Dropout(0.2)(x)
    state = L.LSTM(3)(x)
    mean = L.GlobalAveragePooling1D()(y)
    return Model([words, more], [state, mean]), [
        np.array([[1, 2, 3, 0, 0], [4, 5, 6, 1, 2], [0, 0, 3, 2, 0]], 'int32'),
        np.array([[1, 2, 3, 0, 0], [4, 5, 6, 1, 2], [0, 0, 3, 2, 0]], 'float32'),
    ]


@model('masking')
def masking():
    """Steps that equal the value of a Masking layer are passed over, as far as masks reach."""
    x = L.Input((4, 3))
    masked = L.Masking(mask_value=2.0)(x)
    last = L.GRU(3)(masked)
    steps = L.SimpleRNN(2, return_sequences=True)(masked)
    joined = L.Concatenate()([L.LSTM(2, return_sequences=True)(masked), steps])
    after = L.LSTM(2)(joined)
    given = numbers(3, 4, 3)
    given[0, 2:] = 2
    given[1, 1] = 2
    return Model(x, [last, steps, after]), [given]


if __name__ == '__main__':
    assert K is not None
    main()
