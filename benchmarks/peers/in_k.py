"""The works in K: keras_backend, and the backend of Keras 2 on TensorFlow 1, CNTK and Theano."""

import sys
from importlib.util import find_spec, module_from_spec

from . import data


def library(who):
    if who == 'original_cntk':
        return keras_on_cntk()
    if who == 'original_theano':
        import keras
        import theano
        from keras import backend as K

        return K, f'Keras {keras.__version__}, Theano {theano.__version__}'
    if who == 'original':
        import tensorflow

        version = tensorflow.__version__
        if not version.startswith('1.'):
            raise ImportError(f'it needs Keras 2 on TensorFlow 1, and this is TensorFlow {version}')
        import keras
        from keras import backend as K

        return K, f'Keras {keras.__version__}, TensorFlow {version}'
    import keras_backend as K

    return K, 'keras_backend in ' + K.__path__[0]


def keras_on_cntk():
    """Keras 2 on CNTK, which comes with the libraries that are found for ours."""
    # The package itself must not run: it would load the engine into this process.
    sys.modules['keras_backend'] = module_from_spec(find_spec('keras_backend'))
    from keras_backend.engines import cntk_libraries

    cntk_libraries.provide()
    import cntk
    import keras
    from keras import backend as K

    return K, f'Keras {keras.__version__}, CNTK {cntk.__version__}'


def work(name, who):
    K = library(who)[0]
    if data.built(name):
        return building(K, name)
    makers = {
        'call': call,
        'mlp': mlp,
        'conv': conv,
        'lstm': lstm,
        'lstm_unrolled': lstm,
        'gru': gru,
        'elementwise': elementwise,
        'reductions': reductions,
        'bn_conv': bn_conv,
        'embedding_adam': embedding_adam,
        'product_update': product_update,
        'transformer': transformer,
    }
    return makers.get(name, embedding)(K, name)


def sgd(K, loss, weights):
    # On TensorFlow 1 a number cannot be multiplied by the gradient of an embedding. A tensor can.
    rate = K.constant(data.RATE) if K.__name__ == 'keras.backend' else data.RATE
    return [(w, w - rate * g) for w, g in zip(weights, K.gradients(loss, weights))]


def trained(K, name, inputs, loss, updates):
    step, values = K.function(inputs, [loss], updates=updates), list(data.values(name))
    return lambda: step(values)[0]


def variables(K, name):
    return [K.variable(w) for w in data.start(name)]


def call(K, name):
    x, y = K.placeholder((None, 64)), K.placeholder((64, 64))
    product, values = K.function([x, y], [K.dot(x, y)]), list(data.values(name))
    return lambda: product(values)[0]


def classified(K, name, x, scores, weights, updates=()):
    target = K.placeholder((None, 10))
    if K.__name__ == 'keras.backend' and K.backend() == 'theano':
        scores._keras_shape = (None, 10)  # its loss asks for what layers of Keras 2 note
    loss = K.mean(K.categorical_crossentropy(target, scores, from_logits=True))
    return trained(K, name, [x, target], loss, sgd(K, loss, weights) + list(updates))


def mlp(K, name):
    weights = variables(K, name)
    x = h = K.placeholder((None, 784))
    for i in (0, 2, 4):
        h = K.bias_add(K.dot(h, weights[i]), weights[i + 1])
        h = K.relu(h) if i < 4 else h
    return classified(K, name, x, h, weights)


def conv(K, name):
    weights = variables(K, name)
    x = K.placeholder((None, 28, 28, 1))
    h = K.relu(K.bias_add(K.conv2d(x, weights[0]), weights[1]))
    h = K.relu(K.bias_add(K.conv2d(h, weights[2]), weights[3]))
    h = K.batch_flatten(K.pool2d(h, (2, 2), (2, 2)))
    return classified(K, name, x, K.bias_add(K.dot(h, weights[4]), weights[5]), weights)


def lstm(K, name):
    size, weights = data.sizes_of(name), variables(K, name)
    n = size['units']
    # With the batch size, because the peers know it when they are traced.
    x, target = K.placeholder((size['batch'], size['steps'], size['inputs'])), K.placeholder((size['batch'], n))

    def step(e, states):
        h, c = states
        z = K.bias_add(K.dot(e, weights[0]) + K.dot(h, weights[1]), weights[2])
        c = K.sigmoid(z[:, n : 2 * n]) * c + K.sigmoid(z[:, :n]) * K.tanh(z[:, 2 * n : 3 * n])
        h = K.sigmoid(z[:, 3 * n :]) * K.tanh(c)
        return h, [h, c]

    zero = K.constant(0.0, shape=(size['batch'], n))
    last = K.rnn(step, x, [zero, zero], unroll=name == 'lstm_unrolled', input_length=size['steps'])[0]
    loss = K.mean(K.square(last - target))
    return trained(K, name, [x, target], loss, sgd(K, loss, weights))


def gru(K, name):
    # As the layers of Keras do it: the batch size is unknown, and the mask is computed from the input.
    size, (kernel, recurrent, bias) = data.GRU, variables(K, name)
    n = size['units']
    x, target = K.placeholder((None, size['steps'], size['inputs'])), K.placeholder((None, n))
    mask = K.any(K.not_equal(x, 0.0), axis=-1)

    def step(e, states):
        h = states[0]
        a = K.bias_add(K.dot(e, kernel), bias[0])
        b = K.bias_add(K.dot(h, recurrent), bias[1])
        z = K.sigmoid(a[:, :n] + b[:, :n])
        r = K.sigmoid(a[:, n : 2 * n] + b[:, n : 2 * n])
        h = z * h + (1.0 - z) * K.tanh(a[:, 2 * n :] + r * b[:, 2 * n :])
        return h, [h]

    zero = K.tile(K.expand_dims(K.sum(K.zeros_like(x), axis=(1, 2))), [1, n])
    last = K.rnn(step, x, [zero], mask=mask)[0]
    loss = K.mean(K.square(last - target))
    return trained(K, name, [x, target], loss, sgd(K, loss, [kernel, recurrent, bias]))


def large(K, value):
    """A tensor with this value, the inputs of a function of it, and what they are fed with."""
    if K.backend() != 'cntk':
        return K.variable(value), [], []
    # CNTK computes nothing where no variable has changed and nothing is fed.
    x = K.placeholder((None,) + value.shape[1:])
    return x, [x], [value]


def elementwise(K, name):
    x, inputs, fed = large(K, data.floats(*data.FLOATS))
    y = K.square(K.relu(x * 1.5 + 0.5)) - x
    f = K.function(inputs, [K.exp(K.tanh(K.sqrt(K.abs(y)))) + x])
    return lambda: f(fed)[0]


def reductions(K, name):
    x, inputs, fed = large(K, data.floats(*data.FLOATS) + 0.2)
    f = K.function(inputs, [K.mean(x), K.sum(x), K.max(x), K.std(x)])
    return lambda: f(fed)


def embedded(K):
    size = data.EMBEDDING
    indices = K.placeholder((None, size['length']), dtype='int32')
    return indices, K.placeholder((None, size['length'], size['width']))


def embedding(K, name):
    (table,), (indices, target) = variables(K, name), embedded(K)
    loss = K.sum(K.square(K.gather(table, indices) - target))
    return trained(K, name, [indices, target], loss, sgd(K, loss, [table]))


def embedding_adam(K, name):
    # The settings are variables, as those of the optimizers of Keras 2 are.
    (table,), (indices, target) = variables(K, name), embedded(K)
    loss = K.sum(K.square(K.gather(table, indices) - target))
    rate, first, second = [K.variable(data.ADAM[k]) for k in ('rate', 'beta_1', 'beta_2')]
    count = K.variable(0, dtype='int64')
    m, v = [K.zeros(K.int_shape(table)) for _ in range(2)]
    g = K.gradients(loss, [table])[0]
    new_count = count + 1
    t = K.cast(new_count, 'float32')
    scaled = rate * (K.sqrt(1.0 - K.pow(second, t)) / (1.0 - K.pow(first, t)))
    new_m = first * m + (1.0 - first) * g
    new_v = second * v + (1.0 - second) * K.square(g)
    new = table - scaled * new_m / (K.sqrt(new_v) + data.ADAM['epsilon'])
    return trained(K, name, [indices, target], loss, [(count, new_count), (m, new_m), (v, new_v), (table, new)])


def bn_conv(K, name):
    size, weights = data.NORMALISED, variables(K, name)
    x = h = K.placeholder((None,) + size['image'])
    updates = []
    for kernel, gamma, beta in (weights[:3], weights[3:6]):
        h, mean, variance = K.normalize_batch_in_training(
            K.conv2d(h, kernel), gamma, beta, [0, 1, 2], epsilon=size['epsilon']
        )
        h = K.relu(h)
        for average, value in ((K.zeros((size['channels'],)), mean), (K.ones((size['channels'],)), variance)):
            updates.append(K.moving_average_update(average, value, size['momentum']))
    scores = K.bias_add(K.dot(K.mean(h, axis=[1, 2]), weights[6]), weights[7])
    return classified(K, name, x, scores, weights, updates)


def product_update(K, name):
    (w,), x = variables(K, name), K.placeholder((None, 64))
    step, values = K.function([x], [K.dot(x, w)], updates=[(w, w * 0.999)]), list(data.values(name))
    return lambda: step(values)[0]


def transformer(K, name):
    size, weights = data.TRANSFORMER, variables(K, name)
    n, heads, steps = size['width'], size['heads'], size['steps']
    x, target = [K.placeholder((None, steps, n)) for _ in range(2)]

    def split(t):
        # K.batch_dot has one batch axis, so the heads become part of it.
        parts = K.permute_dimensions(K.reshape(t, (-1, steps, heads, n // heads)), (0, 2, 1, 3))
        return K.reshape(parts, (-1, steps, n // heads))

    def normalized(t, gamma, beta):
        mean = K.mean(t, axis=-1, keepdims=True)
        return (t - mean) / K.sqrt(K.var(t, axis=-1, keepdims=True) + size['epsilon']) * gamma + beta

    z = K.bias_add(K.dot(x, weights[0]), weights[1])
    q, k, v = [split(z[:, :, i * n : (i + 1) * n]) for i in range(3)]
    scores = K.softmax(K.batch_dot(q, k, axes=[2, 2]) * (n // heads) ** -0.5)
    mixed = K.reshape(K.batch_dot(scores, v, axes=[2, 1]), (-1, heads, steps, n // heads))
    mixed = K.reshape(K.permute_dimensions(mixed, (0, 2, 1, 3)), (-1, steps, n))
    h = normalized(x + K.bias_add(K.dot(mixed, weights[2]), weights[3]), weights[4], weights[5])
    inner = K.relu(K.bias_add(K.dot(h, weights[6]), weights[7]))
    y = normalized(h + K.bias_add(K.dot(inner, weights[8]), weights[9]), weights[10], weights[11])
    loss = K.mean(K.square(y - target))
    return trained(K, name, [x, target], loss, sgd(K, loss, weights))


def building(K, name):
    layers, called = data.built(name)
    start, values = data.dense(layers), list(data.values(name))

    def build():
        weights = [[K.variable(w) for w in layer] for layer in start]
        x, target = [K.placeholder((None, data.BUILT['units'])) for _ in range(2)]
        h = x
        for kernel, bias in weights:
            h = h + K.relu(K.bias_add(K.dot(h, kernel), bias))
        loss = K.mean(K.square(h - target))
        f = K.function([x, target], [loss], updates=sgd(K, loss, [w for layer in weights for w in layer]))
        return f(values)[0] if called else None

    return K.clear_session, build
