"""The values of small things: activations, initializers, regularizers, constraints, schedules, seeds, configuration."""

import random

import numpy as np
import tensorflow as tf
from grid_rows import safely, spread

POINTS = np.array([[-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 8.0]], 'float32')
ACTIVATIONS = (
    'elu',
    'exponential',
    'gelu',
    'hard_sigmoid',
    'linear',
    'mish',
    'relu',
    'selu',
    'sigmoid',
    'softmax',
    'softplus',
    'softsign',
    'swish',
    'tanh',
)
DRAWN = {
    'RandomNormal': [{}, {'mean': 1.0, 'stddev': 0.5}],
    'RandomUniform': [{}, {'minval': 0, 'maxval': 2}],
    'TruncatedNormal': [{}, {'stddev': 0.5}],
    'VarianceScaling': [
        {},
        {'scale': 2.0},
        {'mode': 'fan_out'},
        {'mode': 'fan_avg'},
        {'distribution': 'uniform'},
        {'distribution': 'untruncated_normal'},
        {'distribution': 'nonsense'},
    ],
    'GlorotNormal': [{}],
    'GlorotUniform': [{}],
    'HeNormal': [{}],
    'HeUniform': [{}],
    'LecunNormal': [{}],
    'LecunUniform': [{}],
    'Orthogonal': [{}, {'gain': 2.0}],
}
FIXED = {
    'Zeros': [{}],
    'Ones': [{}],
    'Constant': [{}, {'value': 2}, {'value': [1.0, 2.0]}],
    'Identity': [{}, {'gain': 2.0}],
}
SHORT = {
    'initializers': (
        'zeros',
        'ones',
        'zero',
        'one',
        'normal',
        'uniform',
        'random_normal',
        'random_uniform',
        'glorot_uniform',
        'glorot_normal',
        'he_normal',
        'he_uniform',
        'lecun_normal',
        'lecun_uniform',
        'orthogonal',
        'identity',
        'truncated_normal',
        'variance_scaling',
        'constant',
        'HeNormal',
        'nonsense',
        None,
    ),
    'regularizers': ('l1', 'l2', 'l1_l2', 'L1', 'L2', 'L1L2', 'OrthogonalRegularizer', 'nonsense', None),
    'constraints': (
        'max_norm',
        'MaxNorm',
        'maxnorm',
        'non_neg',
        'NonNeg',
        'nonneg',
        'unit_norm',
        'UnitNorm',
        'unitnorm',
        'min_max_norm',
        'radial_constraint',
        'nonsense',
        None,
    ),
    'activations': ('relu', 'swish', 'leaky_relu', 'silu', 'relu6', 'nonsense', None),
    'optimizers': ('adam', 'SGD', 'rmsprop', 'nonsense'),
    'losses': (None,),
    'metrics': (None,),
}


def drawn(name, options):
    """What is sure about an initializer that draws, and the numbers of a seed."""
    first = getattr(tf.keras.initializers, name)(seed=3, **options)
    second = getattr(tf.keras.initializers, name)(seed=3, **options)
    free = getattr(tf.keras.initializers, name)(**options)
    values = first(shape=(4, 3))
    spreadout = getattr(tf.keras.initializers, name)(seed=1, **options)(shape=(60, 60)).numpy()
    return {
        'seeded': values,
        'equal': bool(np.all(values == second(shape=(4, 3)))),
        'shape': first(shape=(4, 3)),
        'twice': bool(np.all(first(shape=(4, 3)) == values)),
        'config': first.get_config(),
        'free': bool(np.all(free(shape=(4, 3)) == free(shape=(4, 3)))),
        'dtype': first((2, 2), 'float16').dtype.name,
        'deviation': round(float(spreadout.std()), 2),
        'mean': round(abs(float(spreadout.mean())), 1),
        'convolution': list(first((3, 3, 2, 4)).shape),
    }


def fixed(name, options):
    """An initializer without chance."""
    made = getattr(tf.keras.initializers, name)(**options)
    return {
        'square': made(shape=(2, 2)),
        'long': safely(lambda: made(shape=(3, 2))),
        'config': made.get_config(),
        'int': safely(lambda: made(shape=(2, 2), dtype='int32')),
        'line': safely(lambda: made(shape=(2,))),
    }


def regularizers():
    """Regularizers by their labels."""
    made = tf.keras.regularizers
    return {
        'L1': lambda: made.L1(0.1),
        'L2': lambda: made.L2(0.1),
        'L1L2': lambda: made.L1L2(0.1, 0.2),
        'l1': lambda: made.l1(),
        'l2': lambda: made.l2(),
        'l1_l2': lambda: made.l1_l2(),
        'l2 of .3': lambda: made.l2(l=0.3),
        'L1L2 of nothing': lambda: made.L1L2(),
        'orthogonal': lambda: made.OrthogonalRegularizer(0.1),
        'orthogonal columns': lambda: made.OrthogonalRegularizer(0.1, mode='columns'),
        'get l2': lambda: made.get('l2'),
    }


def constraints():
    """Constraints by their labels."""
    made = tf.keras.constraints
    return {
        'MaxNorm': lambda: made.MaxNorm(0.5),
        'max_norm axis': lambda: made.max_norm(0.5, axis=1),
        'NonNeg': made.NonNeg,
        'UnitNorm': made.UnitNorm,
        'UnitNorm axes': lambda: made.UnitNorm(axis=[0, 1]),
        'MinMaxNorm': lambda: made.MinMaxNorm(0.2, 0.5),
        'MinMaxNorm rate': lambda: made.MinMaxNorm(0.2, 0.5, rate=0.5),
        'RadialConstraint': made.RadialConstraint,
    }


def schedules():
    """Schedules by their labels."""
    made = tf.keras.optimizers.schedules
    return {
        'ExponentialDecay': lambda: made.ExponentialDecay(0.1, 3, 0.5),
        'ExponentialDecay stairs': lambda: made.ExponentialDecay(0.1, 3, 0.5, staircase=True),
        'PiecewiseConstantDecay': lambda: made.PiecewiseConstantDecay([2, 5], [0.1, 0.05, 0.01]),
        'PolynomialDecay': lambda: made.PolynomialDecay(0.1, 4),
        'PolynomialDecay cycle': lambda: made.PolynomialDecay(0.1, 4, 0.01, power=2.0, cycle=True),
        'InverseTimeDecay': lambda: made.InverseTimeDecay(0.1, 3, 0.5),
        'InverseTimeDecay stairs': lambda: made.InverseTimeDecay(0.1, 3, 0.5, staircase=True),
        'CosineDecay': lambda: made.CosineDecay(0.1, 5),
        'CosineDecay alpha': lambda: made.CosineDecay(0.1, 5, alpha=0.1),
        'CosineDecayRestarts': lambda: made.CosineDecayRestarts(0.1, 3),
        'CosineDecayRestarts options': lambda: made.CosineDecayRestarts(0.1, 2, t_mul=1.5, m_mul=0.5, alpha=0.01),
        'experimental.CosineDecay': lambda: tf.keras.experimental.CosineDecay(0.1, 5),
        'experimental.LinearCosineDecay': lambda: tf.keras.experimental.LinearCosineDecay(0.1, 5),
        'experimental.NoisyLinearCosineDecay': lambda: tf.keras.experimental.NoisyLinearCosineDecay(0.1, 5),
        'experimental.CosineDecayRestarts': lambda: tf.keras.experimental.CosineDecayRestarts(0.1, 3),
    }


def schedule_rows(make):
    """A schedule at eight steps."""
    schedule = make()
    return {
        'values': 'draws' if 'Noisy' in type(schedule).__name__ else [float(schedule(step)) for step in range(8)],
        'config': schedule.get_config(),
        'type': type(schedule(1)).__name__,
        'again': type(schedule).from_config(schedule.get_config()).get_config() == schedule.get_config(),
        'serialized': safely(lambda: tf.keras.optimizers.schedules.serialize(schedule)),
    }


def seed_all(number):
    """Every source of chance that layers take their seeds from."""
    random.seed(number)
    np.random.seed(number)
    tf.random.set_seed(number)


def seeds():
    """What a global seed makes of layers, of chance and of `set_seed(None)`."""

    def kernel():
        seed_all(5)
        layer = tf.keras.layers.Dense(3)
        layer.build((None, 2))
        return layer.kernel

    def layers():
        seed_all(5)
        model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,)), tf.keras.layers.Dense(2)])
        return [weight for weight in model.get_weights()]

    def dropout():
        seed_all(5)
        return tf.keras.layers.Dropout(0.5)(tf.ones((3, 4)), training=True)

    def drawn():
        seed_all(5)
        return [tf.random.normal((3,)), tf.random.uniform((3,)), tf.random.shuffle(tf.range(6))]

    def none():
        return tf.random.set_seed(None)

    def utility():
        tf.keras.utils.set_random_seed(5)
        return [np.random.rand(2), tf.random.normal((2,))]

    def of_k():
        seed_all(5)
        return [tf.keras.backend.random_normal((3,)), tf.keras.backend.random_uniform((3,), seed=2)]

    def lstm():
        seed_all(5)
        layer = tf.keras.layers.LSTM(2)
        layer.build((None, None, 2))
        return layer.get_weights()

    return {
        function.__name__: safely(function) for function in (kernel, layers, dropout, drawn, none, utility, of_k, lstm)
    }


def serialized(module, value):
    """An object there and back."""
    module = getattr(tf.keras, module)
    content = module.serialize(value)
    return {'content': content, 'back': type(module.deserialize(content)).__name__}


def rows(rows, record):
    """Writes the rows of small things."""
    for name in ACTIVATIONS:
        rows.add(f'activation {name}', lambda name=name: getattr(tf.keras.activations, name)(tf.constant(POINTS)))
        rows.add(
            f'activation {name} get', lambda name=name: tf.keras.activations.serialize(tf.keras.activations.get(name))
        )
    rows.add(
        'activation relu options', lambda: tf.keras.activations.relu(POINTS, alpha=0.1, max_value=2.0, threshold=0.5)
    )
    rows.add('activation elu options', lambda: tf.keras.activations.elu(POINTS, alpha=0.1))
    rows.add('activation softmax axis', lambda: tf.keras.activations.softmax(tf.constant(spread(2, 3)), axis=0))
    rows.add('activation gelu approximate', lambda: tf.keras.activations.gelu(POINTS, approximate=True))
    rows.add('activation softmax of a line', lambda: tf.keras.activations.softmax(tf.constant([1.0, 2.0])))
    for name, several in DRAWN.items():
        for options in several:
            rows.each(f'initializer {name}({options})', drawn, name, options)
    for name, several in FIXED.items():
        for options in several:
            rows.each(f'initializer {name}({options})', fixed, name, options)
    for name, make in regularizers().items():
        rows.each(
            f'regularizer {name}',
            lambda make=make: {
                'value': make()(tf.constant(spread(3, 2))),
                'config': make().get_config(),
                'class': type(make()).__name__,
            },
        )
    for name, make in constraints().items():
        rows.each(
            f'constraint {name}',
            lambda make=make: {
                'value': make()(tf.constant(spread(3, 2))),
                'config': make().get_config(),
                'image': safely(lambda: make()(tf.constant(spread(3, 3, 1, 2)))),
            },
        )
    for name, make in schedules().items():
        rows.each(f'schedule {name}', schedule_rows, make)
    for module, names in SHORT.items():
        for name in names:
            rows.add(
                f'{module}.get({name!r})',
                lambda module=module, name=name: type(getattr(tf.keras, module).get(name)).__name__,
            )
    rows.each('seeds', seeds)
    for module, make in {
        'initializers': lambda: tf.keras.initializers.HeNormal(seed=1),
        'regularizers': lambda: tf.keras.regularizers.L2(0.1),
        'constraints': lambda: tf.keras.constraints.MaxNorm(2.0),
        'activations': lambda: tf.keras.activations.relu,
        'layers': lambda: tf.keras.layers.Dense(2, name='it'),
    }.items():
        rows.each(f'serialize {module}', lambda module=module, make=make: serialized(module, make()))
