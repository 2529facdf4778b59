"""The same work on K and on its peers. Each runs in its own process, because a process has one mode of TensorFlow.

    python benchmarks/tensorflow_peers.py NAME WHO

reads numbers of calls from standard input, makes so many calls, and answers with the seconds that they took. `Peer` is
the other end.
"""

import os
import subprocess
import sys
import time

RATE = 0.01
MLP = (784, 512, 512, 10), 128
LARGE = {'steps': 50, 'batch': 32, 'inputs': 64, 'units': 128}
SMALL = {'steps': 50, 'batch': 8, 'inputs': 16, 'units': 16}


class Peer:
    """A process that runs one of the works below on request."""

    def __init__(self, name, who):
        self.name, self.who = name, who
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3', KERAS_BACKEND_QUIET='1')
        environment['KERAS_BACKEND'] = 'tensorflow'
        here = os.path.abspath(__file__)
        environment['PYTHONPATH'] = os.pathsep.join(
            [os.path.dirname(os.path.dirname(here))] + environment.get('PYTHONPATH', '').split(os.pathsep)
        )
        self._process = subprocess.Popen(
            [sys.executable, here, name, who],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )

    def seconds(self, number):
        """The seconds that `number` calls took."""
        self._process.stdin.write(f'{number}\n')
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f'{self.name} of {self.who} has ended with status {self._process.wait()}.')
        return float(answer)

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def race(name, *competitors, **options):
    """The best seconds per call of each of `competitors`. They take turns."""
    rounds, least = options.get('rounds', 9), options.get('least', 0.15)
    peers = [Peer(name, who) for who in competitors]
    try:
        # The first calls build and trace, so they are not measured.
        for peer in peers:
            peer.seconds(5)
        numbers = [max(1, int(least / (peer.seconds(5) / 5))) for peer in peers]
        best = [float('inf')] * len(peers)
        for _ in range(rounds):
            for i, (peer, number) in enumerate(zip(peers, numbers)):
                best[i] = min(best[i], peer.seconds(number) / number)
        return best
    finally:
        for peer in peers:
            peer.close()


# -- data --------------------------------------------------------------------------------------------------------------
def floats(*shape):
    import numpy as np

    return np.random.RandomState(len(shape)).uniform(-0.1, 0.1, shape).astype('float32')


def labels(batch):
    import numpy as np

    return np.eye(10, dtype='float32')[np.arange(batch) % 10]


def sizes_of(name):
    return LARGE if name == 'lstm' else SMALL


# -- K -----------------------------------------------------------------------------------------------------------------
def k(name):
    import keras_backend as K

    def sgd(loss, weights):
        return [(w, w - RATE * g) for w, g in zip(weights, K.gradients(loss, weights))]

    def classifier(x, scores, weights, *values):
        target = K.placeholder((None, 10))
        loss = K.mean(K.categorical_crossentropy(target, scores, from_logits=True))
        step = K.function([x, target], [loss], updates=sgd(loss, weights))
        return lambda: step(values)

    if name == 'call':
        x, y = K.placeholder((None, 64)), K.placeholder((64, 64))
        product = K.function([x, y], [K.dot(x, y)])
        values = [floats(32, 64), floats(64, 64)]
        return lambda: product(values)
    if name == 'mlp':
        sizes, batch = MLP
        weights = [K.variable(floats(a, b)) for a, b in zip(sizes, sizes[1:])]
        weights += [K.zeros((b,)) for b in sizes[1:]]
        x = h = K.placeholder((None, sizes[0]))
        for i in range(3):
            h = K.bias_add(K.dot(h, weights[i]), weights[3 + i])
            h = K.relu(h) if i < 2 else h
        return classifier(x, h, weights, floats(batch, sizes[0]), labels(batch))
    if name == 'conv':
        weights = [
            K.variable(floats(3, 3, 1, 32)),
            K.variable(floats(3, 3, 32, 64)),
            K.variable(floats(9216, 10)),
            K.zeros((32,)),
            K.zeros((64,)),
            K.zeros((10,)),
        ]
        x = K.placeholder((None, 28, 28, 1))
        h = K.relu(K.bias_add(K.conv2d(x, weights[0]), weights[3]))
        h = K.relu(K.bias_add(K.conv2d(h, weights[1]), weights[4]))
        h = K.batch_flatten(K.pool2d(h, (2, 2), (2, 2)))
        scores = K.bias_add(K.dot(h, weights[2]), weights[5])
        return classifier(x, scores, weights, floats(64, 28, 28, 1), labels(64))

    size = sizes_of(name)
    n = size['units']
    weights = [K.variable(floats(size['inputs'], 4 * n)), K.variable(floats(n, 4 * n)), K.zeros((4 * n,))]
    # With the batch size, because the peers know it when they are traced.
    x, target = K.placeholder((size['batch'], size['steps'], size['inputs'])), K.placeholder((size['batch'], n))

    def step(e, states):
        h, c = states
        z = K.bias_add(K.dot(e, weights[0]) + K.dot(h, weights[1]), weights[2])
        c = K.sigmoid(z[:, n : 2 * n]) * c + K.sigmoid(z[:, :n]) * K.tanh(z[:, 2 * n : 3 * n])
        h = K.sigmoid(z[:, 3 * n :]) * K.tanh(c)
        return h, [h, c]

    zero = K.constant(0.0, shape=(size['batch'], n))
    last = K.rnn(step, x, [zero, zero], unroll=name == 'lstm_unrolled')[0]
    loss = K.mean(K.square(last - target))
    train = K.function([x, target], [loss], updates=sgd(loss, weights))
    values = [floats(size['batch'], size['steps'], size['inputs']), floats(size['batch'], n)]
    return lambda: train(values)


# -- its peers -----------------------------------------------------------------------------------------------------
def keras(name):
    os.environ['KERAS_BACKEND'] = 'tensorflow'
    import keras as library

    return _keras(name, library)


def tf_keras(name):
    import tf_keras as library

    if name == 'call':
        x, y = library.Input((64,)), library.Input((64,))
        product = library.backend.function([x, y], library.backend.dot(x, y))
        values = [floats(32, 64), floats(64, 64)]
        return lambda: product(values)
    return _keras(name, library)


def _keras(name, library):
    layers = library.layers
    if name == 'mlp':
        sizes, batch = MLP
        stack = [layers.Dense(n, activation='relu' if n > 10 else None) for n in sizes[1:]]
        shape, values = sizes[:1], (floats(batch, sizes[0]), labels(batch))
    elif name == 'conv':
        stack = [
            layers.Conv2D(32, 3, activation='relu'),
            layers.Conv2D(64, 3, activation='relu'),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
        shape, values = (28, 28, 1), (floats(64, 28, 28, 1), labels(64))
    else:
        size = sizes_of(name)
        stack = [layers.LSTM(size['units'])]
        shape = size['steps'], size['inputs']
        values = floats(size['batch'], *shape), floats(size['batch'], size['units'])
    model = library.Sequential([library.Input(shape)] + stack)
    loss = 'mse' if name.startswith('lstm') else library.losses.CategoricalCrossentropy(from_logits=True)
    model.compile(library.optimizers.SGD(RATE), loss)
    return lambda: model.train_on_batch(*values)


def tf_function(name):
    import tensorflow as tf

    if name == 'call':
        product = tf.function(tf.matmul)
        values = floats(32, 64), floats(64, 64)
        return lambda: product(*values).numpy()
    if name == 'mlp':
        sizes, batch = MLP
        weights = [tf.Variable(floats(a, b)) for a, b in zip(sizes, sizes[1:])]
        weights += [tf.Variable(tf.zeros((b,))) for b in sizes[1:]]
        values = floats(batch, sizes[0]), labels(batch)

        def loss(x, target):
            for i in range(3):
                x = tf.nn.bias_add(tf.matmul(x, weights[i]), weights[3 + i])
                x = tf.nn.relu(x) if i < 2 else x
            return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(target, x))
    elif name == 'conv':
        weights = [tf.Variable(v) for v in (floats(3, 3, 1, 32), floats(3, 3, 32, 64), floats(9216, 10))]
        weights += [tf.Variable(tf.zeros((n,))) for n in (32, 64, 10)]
        values = floats(64, 28, 28, 1), labels(64)

        def loss(x, target):
            x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, weights[0], 1, 'VALID'), weights[3]))
            x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, weights[1], 1, 'VALID'), weights[4]))
            x = tf.reshape(tf.nn.max_pool2d(x, 2, 2, 'VALID'), (-1, 9216))
            x = tf.nn.bias_add(tf.matmul(x, weights[2]), weights[5])
            return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(target, x))
    else:
        size = sizes_of(name)
        n = size['units']
        weights = [tf.Variable(v) for v in (floats(size['inputs'], 4 * n), floats(n, 4 * n))]
        weights += [tf.Variable(tf.zeros((4 * n,)))]
        values = floats(size['batch'], size['steps'], size['inputs']), floats(size['batch'], n)

        def loss(x, target):
            h = c = tf.zeros((tf.shape(x)[0], n))
            for t in tf.range(size['steps']):
                z = tf.nn.bias_add(tf.matmul(x[:, t], weights[0]) + tf.matmul(h, weights[1]), weights[2])
                i, f, g, o = tf.split(z, 4, axis=1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            return tf.reduce_mean(tf.square(h - target))

    @tf.function
    def train(x, target):
        with tf.GradientTape() as tape:
            value = loss(x, target)
        for w, g in zip(weights, tape.gradient(value, weights)):
            w.assign_sub(RATE * g)
        return value

    return lambda: train(*values).numpy()


def serve(name, who):
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)  # keeps the output of libraries out of the answers
    work = {'k': k, 'keras': keras, 'tf_keras': tf_keras, 'tf_function': tf_function}[who](name)
    for line in sys.stdin:
        number = int(line)
        started = time.perf_counter()
        for _ in range(number):
            work()
        out.write(f'{time.perf_counter() - started!r}\n')
        out.flush()


if __name__ == '__main__':
    serve(*sys.argv[1:])
