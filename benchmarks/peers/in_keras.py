"""The works in Keras 3, and in tf_keras."""

from . import data


def library(who):
    if who == 'tf_keras':
        import tf_keras

        return tf_keras, f'tf_keras {tf_keras.__version__}'
    import keras

    if not keras.__version__.startswith('3.'):
        raise ImportError(f'it needs Keras 3, and this is Keras {keras.__version__}')
    return keras, f'Keras {keras.__version__} on {keras.backend.backend()}'


def work(name, who):
    keras = library(who)[0]
    if name in ('elementwise', 'reductions'):
        return arithmetic(keras, name) if who == 'keras' else None
    if name == 'call':
        return call(keras, name) if who == 'tf_keras' else None
    if name == 'product_update':
        return None
    if name == 'transformer':
        return transformer(keras, name)
    if data.built(name):
        return building(keras, name)
    rate = data.ADAM['rate'] if name == 'embedding_adam' else data.RATE
    shape, layers = stack(keras.layers, name)
    dtype = 'int32' if name.startswith('embedding') else 'float32'
    model = keras.Sequential([keras.Input(shape, dtype=dtype)] + layers)
    if name == 'embedding_adam':
        settings = {k: data.ADAM[k] for k in ('beta_1', 'beta_2', 'epsilon')}
        optimizer = keras.optimizers.Adam(rate, **settings)
    else:
        optimizer = keras.optimizers.SGD(rate)
    model.compile(optimizer, loss_of(keras, name))
    for variable, value in zip(model.trainable_weights, data.start(name)):
        variable.assign(value)
    values = data.values(name)
    return lambda: model.train_on_batch(*values)


def transformer(keras, name):
    layers, size = keras.layers, data.TRANSFORMER
    n, heads = size['width'], size['heads']
    start = data.start(name)
    x = keras.Input((size['steps'], n))
    mixed = layers.MultiHeadAttention(heads, n // heads)(x, x)
    h = layers.LayerNormalization(epsilon=size['epsilon'])(x + mixed)
    inner = layers.Dense(n)(layers.Dense(size['hidden'], activation='relu')(h))
    model = keras.Model(x, layers.LayerNormalization(epsilon=size['epsilon'])(h + inner))
    model.compile(keras.optimizers.SGD(data.RATE), 'mse')
    # The layer has a kernel and a bias for each of query, key and value.
    parts = [part for i in range(3) for part in (start[0][:, i * n : (i + 1) * n], start[1][i * n : (i + 1) * n])]
    for variable, value in zip(model.trainable_weights, parts + start[2:]):
        variable.assign(value.reshape(variable.shape))
    values = data.values(name)
    return lambda: model.train_on_batch(*values)


def loss_of(keras, name):
    if name.startswith('embedding'):
        if keras.__name__ == 'keras':
            return lambda target, scores: keras.ops.sum(keras.ops.square(scores - target))
        import tensorflow as tf

        return lambda target, scores: tf.reduce_sum(tf.square(scores - target))
    if name in ('lstm', 'lstm_unrolled', 'gru'):
        return 'mse'
    return keras.losses.CategoricalCrossentropy(from_logits=True)


def stack(layers, name):
    """(shape of the input, layers) of a work."""
    if name == 'mlp':
        return data.MLP[0][:1], [layers.Dense(n, activation='relu' if n > 10 else None) for n in data.MLP[0][1:]]
    if name == 'conv':
        return (28, 28, 1), [
            layers.Conv2D(32, 3, activation='relu'),
            layers.Conv2D(64, 3, activation='relu'),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    if name in ('lstm', 'lstm_unrolled'):
        size = data.sizes_of(name)
        # The model of an unrolled work loops: Keras 3 takes minutes to build the other.
        return (size['steps'], size['inputs']), [layers.LSTM(size['units'])]
    if name == 'gru':
        return (data.GRU['steps'], data.GRU['inputs']), [layers.Masking(), layers.GRU(data.GRU['units'])]
    if name == 'bn_conv':
        size = data.NORMALISED
        block = [
            [
                layers.Conv2D(size['channels'], 3, use_bias=False),
                layers.BatchNormalization(momentum=size['momentum'], epsilon=size['epsilon']),
                layers.Activation('relu'),
            ]
            for _ in range(2)
        ]
        return size['image'], block[0] + block[1] + [layers.GlobalAveragePooling2D(), layers.Dense(10)]
    size = data.EMBEDDING
    return (size['length'],), [layers.Embedding(data.rows_of(name), size['width'])]


def call(keras, name):
    x, y = keras.Input((64,)), keras.Input((64,))
    product = keras.backend.function([x, y], keras.backend.dot(x, y))
    values = list(data.values(name))
    return lambda: product(values)


def arithmetic(keras, name):
    ops = keras.ops
    x = keras.Variable(data.floats(*data.FLOATS) + (0.2 if name == 'reductions' else 0.0))

    def f():
        if name == 'reductions':
            return ops.mean(x), ops.sum(x), ops.max(x), ops.std(x)
        y = ops.square(ops.relu(x * 1.5 + 0.5)) - x
        return [ops.exp(ops.tanh(ops.sqrt(ops.abs(y)))) + x]

    if keras.backend.backend() == 'tensorflow':
        import tensorflow as tf

        f = tf.function(f)
    return lambda: [ops.convert_to_numpy(value) for value in f()]


def building(keras, name):
    layers, called = data.built(name)
    if not called:
        return None  # a model is traced by its first call
    start, values, n = data.dense(layers), data.values(name), data.BUILT['units']

    def given(value):
        return lambda shape, dtype=None: value

    def build():
        x = h = keras.Input((n,))
        for kernel, bias in start:
            layer = keras.layers.Dense(
                n, activation='relu', kernel_initializer=given(kernel), bias_initializer=given(bias)
            )
            h = keras.layers.Add()([h, layer(h)])
        model = keras.Model(x, h)
        model.compile(keras.optimizers.SGD(data.RATE), 'mse')
        return model.train_on_batch(*values)

    return keras.backend.clear_session, build
