"""The works, their sizes, and the data that all peers share."""

import os

import numpy as np

RATE = 0.01
MLP = (784, 512, 512, 10), 128
CONV = 64
LSTM = {'steps': 50, 'batch': 32, 'inputs': 64, 'units': 128}
SMALL_LSTM = {'steps': 50, 'batch': 8, 'inputs': 16, 'units': 16}
GRU = {'steps': 100, 'batch': 32, 'inputs': 64, 'units': 64}
FLOATS = 2000, 2000
EMBEDDING = {'width': 128, 'batch': 32, 'length': 50}
ADAM = {'rate': 0.001, 'beta_1': 0.9, 'beta_2': 0.999, 'epsilon': 1e-7}
NORMALISED = {'image': (16, 16, 16), 'channels': 32, 'batch': 32, 'momentum': 0.99, 'epsilon': 1e-3}
TRANSFORMER = {'steps': 64, 'batch': 16, 'width': 128, 'heads': 4, 'hidden': 512, 'epsilon': 1e-3}
BUILT = {'units': 16, 'batch': 8}
# A GPU waits for its next kernel where the arrays are as small as above.
LARGE = bool(os.environ.get('PEERS_LARGE'))
if LARGE:
    MLP, CONV, FLOATS = ((784, 4096, 4096, 10), 4096), 2048, (8000, 8000)
    LSTM = {'steps': 50, 'batch': 512, 'inputs': 512, 'units': 1024}
    GRU = {'steps': 100, 'batch': 512, 'inputs': 512, 'units': 1024}
    EMBEDDING = {'width': 512, 'batch': 512, 'length': 50}
    NORMALISED = dict(NORMALISED, image=(64, 64, 64), channels=128, batch=256)
    TRANSFORMER = dict(TRANSFORMER, steps=256, batch=64, width=1024, heads=16, hidden=4096)

# (name, what it is, threads)
WORKS = (
    ('mlp', 'MLP 784-512-512-10, batch 128', 1),
    ('conv', 'conv 28x28x1-32-64-pool-10, batch 64', 1),
    ('lstm', 'LSTM T50 B32 I64 H128', 1),
    ('gru', 'masked GRU T100 B32 I64 H64', 1),
    ('elementwise', '10 element-wise ops on 4 M floats', 1),
    ('reductions', 'mean, sum, max, std of 4 M floats', 1),
    ('embedding_50k', 'embedding 50k x 128, SGD', 1),
    ('embedding_500k', 'embedding 500k x 128, SGD', 1),
    ('embedding_adam', 'embedding 50k x 128, Adam', 1),
    ('bn_conv', 'batch norm + conv, 2 threads', 2),
    ('build_200', 'building 200 nodes, and the first call', 1),
    ('build_800', 'building 800 nodes, and the first call', 1),
    ('trace_200', 'building 200 nodes, without a call', 1),
    ('trace_800', 'building 800 nodes, without a call', 1),
    ('lstm_unrolled', 'LSTM T50 B8 I16 H16, unrolled', 1),
    ('call', 'call, (32, 64) by (64, 64)', 1),
    ('product_update', 'product (32, 64) by (64, 64) and an update', 1),
    ('transformer', 'transformer block T64 B16 D128 H4', 1),
    ('layers_gru', 'layers of Keras 2: masked GRU T100 B32 I64 H64', 1),
    ('layers_lstm', 'layers of Keras 2: LSTM T50 B32 I64 H128', 1),
    ('layers_lstm_unrolled', 'layers of Keras 2: LSTM T50 B8 I16 H16, unrolled', 1),
    ('layers_embedding', 'layers of Keras 2: embedding 50k x 128', 1),
)


def floats(*shape):
    return np.random.RandomState(len(shape)).uniform(-0.1, 0.1, shape).astype('float32')


def zeros(*shape):
    return np.zeros(shape, 'float32')


def ones(*shape):
    return np.ones(shape, 'float32')


def labels(batch):
    return np.eye(10, dtype='float32')[np.arange(batch) % 10]


def sizes_of(name):
    return {'lstm': LSTM, 'gru': GRU}.get(name, SMALL_LSTM)


def start(name):
    """The first weights of a work, in the order that Keras gives them."""
    if name == 'mlp':
        return [w for a, b in zip(MLP[0], MLP[0][1:]) for w in (floats(a, b), zeros(b))]
    if name == 'conv':
        return [floats(3, 3, 1, 32), zeros(32), floats(3, 3, 32, 64), zeros(64), floats(9216, 10), zeros(10)]
    if name in ('lstm', 'lstm_unrolled'):
        size = sizes_of(name)
        n = size['units']
        return [floats(size['inputs'], 4 * n), floats(n, 4 * n), zeros(4 * n)]
    if name == 'gru':
        n = GRU['units']
        return [floats(GRU['inputs'], 3 * n), floats(n, 3 * n), zeros(2, 3 * n)]
    if name.startswith('embedding'):
        return [floats(rows_of(name), EMBEDDING['width'])]
    if name == 'bn_conv':
        inputs, n = NORMALISED['image'][-1], NORMALISED['channels']
        return [
            floats(3, 3, inputs, n),
            ones(n),
            zeros(n),
            floats(3, 3, n, n),
            ones(n),
            zeros(n),
            floats(n, 10),
            zeros(10),
        ]
    if name == 'product_update':
        return [floats(64, 64)]
    if name == 'transformer':
        n, hidden = TRANSFORMER['width'], TRANSFORMER['hidden']
        first = [floats(n, 3 * n), zeros(3 * n), floats(n, n), zeros(n), ones(n), zeros(n)]
        return [*first, floats(n, hidden), zeros(hidden), floats(hidden, n), zeros(n), ones(n), zeros(n)]
    raise KeyError(name)


def values(name):
    """The inputs of a work."""
    if name == 'mlp':
        return floats(MLP[1], MLP[0][0]), labels(MLP[1])
    if name == 'conv':
        return floats(CONV, 28, 28, 1), labels(CONV)
    if name in ('lstm', 'lstm_unrolled'):
        size = sizes_of(name)
        return floats(size['batch'], size['steps'], size['inputs']), floats(size['batch'], size['units'])
    if name == 'gru':
        x = floats(GRU['batch'], GRU['steps'], GRU['inputs'])
        for sample, length in zip(x, lengths()):
            sample[length:] = 0
        return x, floats(GRU['batch'], GRU['units'])
    if name.startswith('embedding'):
        shape = EMBEDDING['batch'], EMBEDDING['length']
        indices = np.random.RandomState(0).randint(0, rows_of(name), shape).astype('int32')
        return indices, floats(*(shape + (EMBEDDING['width'],)))
    if name == 'bn_conv':
        return floats(*((NORMALISED['batch'],) + NORMALISED['image'])), labels(NORMALISED['batch'])
    if name == 'call':
        return floats(32, 64), floats(64, 64)
    if name == 'product_update':
        return (floats(32, 64),)
    if name == 'transformer':
        shape = TRANSFORMER['batch'], TRANSFORMER['steps'], TRANSFORMER['width']
        return floats(*shape), floats(*shape[::-1]).transpose(2, 1, 0).copy()
    if built(name):
        return floats(BUILT['batch'], BUILT['units']), floats(BUILT['batch'], BUILT['units'])
    raise KeyError(name)


def lengths():
    """The lengths of the sequences of the masked GRU."""
    return np.random.RandomState(1).randint(GRU['steps'] // 2, GRU['steps'] + 1, GRU['batch'])


def rows_of(name):
    return 500000 if name.endswith('500k') else 50000


def built(name):
    """(layers, whether the first call counts) of a work that builds. A layer is four nodes and two variables."""
    if not name.startswith(('build_', 'trace_')):
        return None
    return int(name.split('_')[1]) // 4, name.startswith('build')


def model(name):
    """Whether the work is a model of Keras 2."""
    return name.startswith('model_')


def layers(name):
    """Whether the work trains layers of Keras 2."""
    return name.startswith('layers_')


def dense(layers):
    """The weights of the layers that are built."""
    n = BUILT['units']
    return [(floats(n, n) / 4, zeros(n)) for _ in range(layers)]
