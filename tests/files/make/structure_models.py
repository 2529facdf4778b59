"""Models in models, shared layers, frozen layers, inputs and outputs in unusual order. See `writing`."""

from writing import NUMBERS, K, L, keras, main, model, numbers

Model, Sequential = keras.models.Model, keras.models.Sequential


@model('nested')
def nested():
    """A model in a model, used twice and frozen in part; a Sequential in it; layers of the same names in both."""
    x = L.Input((3,), name='x')
    hidden = L.Dense(4, activation='tanh', name='hidden')(x)
    frozen = L.Dense(4, name='frozen')
    y = L.BatchNormalization(name='norm')(frozen(hidden))
    inner = Model(x, L.Dense(3, name='last')(y), name='inner')
    frozen.trainable = False
    a, b = L.Input((3,), name='a'), L.Input((3,), name='b')
    net = Sequential([L.Dense(2, input_shape=(3,), name='hidden'), L.BatchNormalization(name='norm')], name='net')
    joined = L.Add(name='add')([inner(a), inner(b)])
    return Model([b, a], [L.Dense(2, name='last')(net(joined)), inner(a)]), [numbers(4, 3), numbers(4, 3, seed=4)]


@model('frozen')
def frozen():
    """Layers that were frozen before saving, which changes the order of weights in wrappers and inner models."""
    x = L.Input((4, 3), name='x')
    body = Sequential(name='body')
    body.add(L.TimeDistributed(L.BatchNormalization(name='norm'), input_shape=(4, 3), name='each'))
    body.add(L.Bidirectional(L.GRU(2, name='gru'), name='both'))
    body.add(L.BatchNormalization(name='norm2'))
    body.add(L.Dense(3, name='head'))
    body.layers[-2].trainable = False
    body.layers[0].trainable = False
    y = L.BatchNormalization(name='outer_norm')(body(x))
    net = Model(x, L.Dense(2, name='out')(y))
    net.get_layer('outer_norm').trainable = False
    net.compile('rmsprop', 'mse')
    return net, [numbers(3, 4, 3)]


@model('siamese', needs=lambda: NUMBERS < (3,))
def siamese():
    """A shared Sequential on two images, and the distance of what it says; a contrastive loss."""
    base = Sequential(name='base')
    base.add(L.Conv2D(3, (2, 3), activation='relu', input_shape=(5, 6, 1), name='conv'))
    base.add(L.MaxPooling2D((2, 2), name='pool'))
    base.add(L.Flatten(name='flat'))
    base.add(L.Dense(4, activation='sigmoid', name='dense'))
    a, b = L.Input((5, 6, 1), name='left'), L.Input((5, 6, 1), name='right')
    distance = L.Lambda(euclidean, output_shape=(1,), name='distance')([base(a), base(b)])
    gap = L.Lambda(lambda pair: K.abs(pair[0] - pair[1]), output_shape=(4,), name='gap')([base(a), base(b)])
    net = Model([a, b], [distance, L.Dense(1, activation='sigmoid', name='same')(gap)])
    return net, [numbers(3, 5, 6, 1), numbers(3, 5, 6, 1, seed=4)]


def euclidean(vectors):
    """The distance of two vectors, as public siamese nets have it."""
    x, y = vectors
    return K.sqrt(K.maximum(K.sum(K.square(x - y), axis=1, keepdims=True), K.epsilon()))


@model('wiring')
def wiring():
    """Outputs out of order and twice, an input as output, layers that another model used before, calls with options."""
    x, y = L.Input((3,), name='first'), L.Input((2, 3), name='second')
    dense, norm = L.Dense(3, activation='tanh', name='dense'), L.BatchNormalization(name='norm')
    aside = dense(L.Input((3,), name='elsewhere'))
    norm(aside)
    one = norm(dense(x), training=False)
    two = dense(one)
    steps = L.TimeDistributed(dense, name='steps')(y)
    state = L.LSTM(3, name='lstm')(steps, initial_state=[one, two])
    outputs = [state, two, one, steps]
    return Model([y, x], outputs), [numbers(4, 2, 3), numbers(4, 3, seed=4)]


@model('deep')
def deep():
    """A Sequential in a Sequential in a functional model, each with a model of the same layer names."""
    inner = Sequential([L.Dense(3, activation='relu', input_shape=(4,), name='dense_1')], name='sequential_1')
    middle = Sequential([inner, L.Dense(2, name='dense_2')], name='sequential_2')
    x = L.Input((4,), name='input_1')
    y = L.Concatenate(name='concatenate_1')([middle(x), inner(x)])
    return Model(x, L.Dense(2, name='dense_1')(y), name='model_1'), [numbers(3, 4)]


@model('deep_weights', form='weights')
def deep_weights():
    """Weights alone of a Sequential in a Sequential, and of a bidirectional layer."""
    inner = Sequential([L.Dense(3, activation='relu', input_shape=(4, 2), name='dense')], name='inner')
    net = Sequential([inner, L.Bidirectional(L.LSTM(2, name='lstm'), name='both'), L.Dense(2, name='last')])
    return net, [numbers(3, 4, 2)]


if __name__ == '__main__':
    main()
