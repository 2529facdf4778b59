"""The works in a tf.function, written by hand."""

import tensorflow as tf

from . import data


def library(who):
    return tf, f'TensorFlow {tf.__version__}'


def work(name, who):
    if data.built(name):
        return building(name)
    if name in ('product_update', 'transformer'):
        return None
    if name == 'call':
        product, values = tf.function(tf.matmul), data.values(name)
        return lambda: product(*values).numpy()
    if name == 'elementwise':
        return elementwise()
    if name == 'reductions':
        return reductions()
    if name == 'embedding_adam':
        return embedding_adam(name)
    makers = {'mlp': mlp, 'conv': conv, 'lstm': lstm, 'lstm_unrolled': lstm, 'gru': gru, 'bn_conv': bn_conv}
    weights = [tf.Variable(w) for w in data.start(name)]
    train, values = trained(makers.get(name, embedding)(name, weights), weights), data.values(name)
    return lambda: train(*values).numpy()


def descend(weights, gradients):
    for w, g in zip(weights, gradients):
        if isinstance(g, tf.IndexedSlices):
            w.scatter_sub(tf.IndexedSlices(data.RATE * g.values, g.indices))
        else:
            w.assign_sub(data.RATE * g)


def trained(loss, weights, signature=None):
    @tf.function(input_signature=signature)
    def train(x, target):
        with tf.GradientTape() as tape:
            value = loss(x, target)
        descend(weights, tape.gradient(value, weights))
        return value

    return train


def classified(target, scores):
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(target, scores))


def mlp(name, weights):
    def loss(x, target):
        for i in (0, 2, 4):
            x = tf.nn.bias_add(tf.matmul(x, weights[i]), weights[i + 1])
            x = tf.nn.relu(x) if i < 4 else x
        return classified(target, x)

    return loss


def conv(name, weights):
    def loss(x, target):
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, weights[0], 1, 'VALID'), weights[1]))
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, weights[2], 1, 'VALID'), weights[3]))
        x = tf.reshape(tf.nn.max_pool2d(x, 2, 2, 'VALID'), (-1, 9216))
        return classified(target, tf.nn.bias_add(tf.matmul(x, weights[4]), weights[5]))

    return loss


def lstm(name, weights):
    size = data.sizes_of(name)

    def loss(x, target):
        h = c = tf.zeros((tf.shape(x)[0], size['units']))
        for t in tf.range(size['steps']):
            z = tf.nn.bias_add(tf.matmul(x[:, t], weights[0]) + tf.matmul(h, weights[1]), weights[2])
            i, f, g, o = tf.split(z, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return tf.reduce_mean(tf.square(h - target))

    return loss


def gru(name, weights):
    size, (kernel, recurrent, bias) = data.GRU, weights

    def loss(x, target):
        mask = tf.reduce_any(tf.not_equal(x, 0.0), axis=-1, keepdims=True)
        h = tf.zeros((tf.shape(x)[0], size['units']))
        for t in tf.range(size['steps']):
            a = tf.split(tf.nn.bias_add(tf.matmul(x[:, t], kernel), bias[0]), 3, axis=1)
            b = tf.split(tf.nn.bias_add(tf.matmul(h, recurrent), bias[1]), 3, axis=1)
            z, r = tf.sigmoid(a[0] + b[0]), tf.sigmoid(a[1] + b[1])
            h = tf.where(mask[:, t], z * h + (1.0 - z) * tf.tanh(a[2] + r * b[2]), h)
        return tf.reduce_mean(tf.square(h - target))

    return loss


def elementwise():
    x = tf.Variable(data.floats(*data.FLOATS))

    @tf.function
    def f():
        y = tf.square(tf.nn.relu(x * 1.5 + 0.5)) - x
        return tf.exp(tf.tanh(tf.sqrt(tf.abs(y)))) + x

    return lambda: f().numpy()


def reductions():
    x = tf.Variable(data.floats(*data.FLOATS) + 0.2)

    @tf.function
    def f():
        return tf.reduce_mean(x), tf.reduce_sum(x), tf.reduce_max(x), tf.math.reduce_std(x)

    return lambda: [value.numpy() for value in f()]


def embedding(name, weights):
    return lambda x, target: tf.reduce_sum(tf.square(tf.gather(weights[0], x) - target))


def embedding_adam(name):
    table = tf.Variable(data.start(name)[0])
    m, v = tf.Variable(tf.zeros_like(table)), tf.Variable(tf.zeros_like(table))
    count = tf.Variable(0, dtype='int64')
    rate, first, second, epsilon = [data.ADAM[k] for k in ('rate', 'beta_1', 'beta_2', 'epsilon')]

    @tf.function
    def train(x, target):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.square(tf.gather(table, x) - target))
        g = tape.gradient(value, table)
        # The decay touches all rows, the gradient only some. Rows that occur twice are added up before the square.
        rows, where = tf.unique(g.indices)
        g = tf.math.unsorted_segment_sum(g.values, where, tf.size(rows))
        t = tf.cast(count.assign_add(1), 'float32')
        m.assign(first * m)
        m.scatter_add(tf.IndexedSlices((1 - first) * g, rows))
        v.assign(second * v)
        v.scatter_add(tf.IndexedSlices((1 - second) * tf.square(g), rows))
        scaled = rate * tf.sqrt(1 - second**t) / (1 - first**t)
        table.assign_sub(scaled * m / (tf.sqrt(v) + epsilon))
        return value

    values = data.values(name)
    return lambda: train(*values).numpy()


def bn_conv(name, weights):
    size = data.NORMALISED
    averages = [[tf.Variable(f(size['channels'])) for f in (data.zeros, data.ones)] for _ in range(2)]

    def loss(x, target):
        for i, (mean, variance) in zip((0, 3), averages):
            x, new_mean, new_variance = tf.compat.v1.nn.fused_batch_norm(
                tf.nn.conv2d(x, weights[i], 1, 'VALID'), weights[i + 1], weights[i + 2], epsilon=size['epsilon']
            )
            mean.assign_sub((1 - size['momentum']) * (mean - new_mean))
            variance.assign_sub((1 - size['momentum']) * (variance - new_variance))
            x = tf.nn.relu(x)
        return classified(target, tf.nn.bias_add(tf.matmul(tf.reduce_mean(x, (1, 2)), weights[6]), weights[7]))

    return loss


def building(name):
    layers, called = data.built(name)
    start, values = data.dense(layers), data.values(name)

    def build():
        weights = [[tf.Variable(w) for w in layer] for layer in start]

        def loss(x, target):
            for kernel, bias in weights:
                x = x + tf.nn.relu(tf.nn.bias_add(tf.matmul(x, kernel), bias))
            return tf.reduce_mean(tf.square(x - target))

        # For any batch, as the graph of K is.
        spec = tf.TensorSpec((None, data.BUILT['units']))
        train = trained(loss, [w for layer in weights for w in layer], [spec, spec])
        if called:
            return train(*values).numpy()
        train.get_concrete_function()
        return None

    return None, build
