"""The values of losses: functions, classes with each reduction and argument, sample weights, gradients, names."""

import numpy as np
import tensorflow as tf
from grid_rows import positive, safely, spread

BINARY = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]], 'float32')
ONE_HOT = np.eye(4, dtype='float32')[[2, 0, 3]]
SPARSE = np.array([2, 0, 3])
PROBABILITIES = positive(3, 4)
SCORES = spread(3, 4)
COUNTS = 3 * positive(3, 4, step=0.9)
NAMES = {
    'MeanSquaredError': [COUNTS],
    'MeanAbsoluteError': [COUNTS],
    'MeanAbsolutePercentageError': [COUNTS],
    'MeanSquaredLogarithmicError': [COUNTS],
    'BinaryCrossentropy': [BINARY],
    'CategoricalCrossentropy': [ONE_HOT],
    'SparseCategoricalCrossentropy': [SPARSE, SPARSE[:, None]],
    'Hinge': [2 * BINARY - 1, BINARY],
    'SquaredHinge': [2 * BINARY - 1],
    'CategoricalHinge': [ONE_HOT],
    'LogCosh': [COUNTS],
    'Poisson': [COUNTS],
    'KLDivergence': [ONE_HOT, BINARY],
    'Huber': [COUNTS],
    'CosineSimilarity': [COUNTS],
    'BinaryFocalCrossentropy': [BINARY],
    'CategoricalFocalCrossentropy': [ONE_HOT],
}
OPTIONS = {
    'BinaryCrossentropy': [{'from_logits': True}, {'label_smoothing': 0.2}, {'axis': 0}],
    'CategoricalCrossentropy': [{'from_logits': True}, {'label_smoothing': 0.2}],
    'SparseCategoricalCrossentropy': [{'from_logits': True}, {'ignore_class': 0}],
    'Huber': [{'delta': 0.2}],
    'CosineSimilarity': [{'axis': 0}],
    'BinaryFocalCrossentropy': [
        {'from_logits': True},
        {'gamma': 1.0},
        {'label_smoothing': 0.2},
        {'alpha': 0.5},
        {'apply_class_balancing': True},
    ],
    'CategoricalFocalCrossentropy': [{'from_logits': True}, {'gamma': 1.0}, {'label_smoothing': 0.2}, {'alpha': 0.5}],
}
FUNCTIONS = (
    'mean_squared_error',
    'mean_absolute_error',
    'mean_absolute_percentage_error',
    'mean_squared_logarithmic_error',
    'binary_crossentropy',
    'categorical_crossentropy',
    'sparse_categorical_crossentropy',
    'hinge',
    'squared_hinge',
    'categorical_hinge',
    'log_cosh',
    'logcosh',
    'poisson',
    'kl_divergence',
    'kullback_leibler_divergence',
    'huber',
    'cosine_similarity',
    'binary_focal_crossentropy',
    'categorical_focal_crossentropy',
    'MSE',
    'MAE',
    'MAPE',
    'MSLE',
    'KLD',
    'mse',
    'mae',
    'mape',
    'msle',
    'kld',
)
SHORT = (
    'mse',
    'MAE',
    'mean_squared_error',
    'crossentropy',
    'bce',
    'BCE',
    'kld',
    'cosine',
    'cosine_proximity',
    'logcosh',
    'log_cosh',
    'huber',
    'huber_loss',
    'Huber',
    'MeanSquaredError',
    'mean_squared_logarithmic_error',
    'nonsense',
)
WEIGHTS = {
    'none': None,
    'scalar': 2.0,
    'rows': np.array([1.0, 0.0, 3.0], 'float32'),
    'column': np.array([[1.0], [0.0], [3.0]], 'float32'),
    'wrong': np.array([1.0, 2.0], 'float32'),
}


def made(name, **options):
    """A loss."""
    return getattr(tf.keras.losses, name)(**options)


def value_rows(name, targets, options):
    """A loss with every sample weight, and its gradient."""
    loss = made(name, **options)
    outputs = tf.constant(SCORES if options.get('from_logits') or 'Hinge' in name else PROBABILITIES)
    result = {f'weight {key}': safely(loss, targets, outputs, sample_weight=weight) for key, weight in WEIGHTS.items()}
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        value = tf.reduce_sum(loss(targets, outputs))
    result['gradient'] = tape.gradient(value, outputs)
    result['config'] = loss.get_config()
    result['name'] = loss.name
    return result


def three_axes(name, weight):
    """A loss of sequences."""
    outputs = tf.constant(positive(2, 3, 4))
    if name.startswith('Sparse'):
        targets = np.array([[0, 1, 2], [3, 0, 1]])
    else:
        targets = np.eye(4, dtype='float32')[[[0, 1, 2], [3, 0, 1]]]
    return made(name)(targets, outputs, sample_weight=weight)


def masked(name):
    """A loss whose outputs carry a mask."""
    steps = tf.constant(positive(2, 3, 4)) * tf.constant([[[1.0], [1.0], [0.0]], [[1.0], [0.0], [0.0]]])
    outputs = tf.keras.layers.Masking()(steps)
    targets = np.eye(4, dtype='float32')[[[0, 1, 2], [3, 0, 1]]]
    return made(name)(targets, outputs)


def own_function():
    """A class of one's own, and Loss over a function."""

    class Own(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(tf.abs(y_true - y_pred) ** 3, axis=-1)

    loss = Own(name='cubes')
    return {
        'value': loss(COUNTS, PROBABILITIES),
        'weighted': loss(COUNTS, PROBABILITIES, sample_weight=WEIGHTS['rows']),
        'config': loss.get_config(),
        'sum': Own(reduction='sum')(COUNTS, PROBABILITIES),
    }


def shapes(name):
    """Targets of other shapes and types."""
    function = getattr(tf.keras.losses, name)
    pairs = {
        'column': ([[1.0], [0.0]], [[0.2], [0.7]]),
        'flat': ([1.0, 0.0], [0.2, 0.7]),
        'mixed': ([1.0, 0.0], [[0.2], [0.7]]),
        'ints': ([[1], [0]], [[0.2], [0.7]]),
        'bools': ([[True], [False]], [[0.2], [0.7]]),
        'float64': (np.array([[1.0]]), np.array([[0.3]])),
        'edge': ([[1.0, 0.0]], [[0.0, 1.0]]),
    }
    return {
        key: safely(lambda pair=pair: function(tf.constant(pair[0]), tf.constant(pair[1])))
        for key, pair in pairs.items()
    }


def rows(rows, record):
    """Writes the rows of losses."""
    for name, several in NAMES.items():
        for number, targets in enumerate(several):
            rows.each(f'{name}() {number}', value_rows, name, targets, {})
            for reduction in ('auto', 'none', 'sum', 'sum_over_batch_size', 'nonsense'):
                rows.each(f'{name}({reduction}) {number}', value_rows, name, targets, {'reduction': reduction})
            for options in OPTIONS.get(name, ()):
                rows.each(f'{name}({options}) {number}', value_rows, name, targets, options)
        for key, weight in {
            'none': None,
            'rows': np.array([1.0, 2.0], 'float32'),
            'steps': np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]], 'float32'),
        }.items():
            rows.add(f'{name} of sequences {key}', three_axes, name, weight)
        if not name.startswith('Sparse'):
            rows.add(f'{name} of masked', masked, name)
    for name in FUNCTIONS:
        targets = SPARSE if 'sparse' in name else ONE_HOT
        rows.add(
            f'function {name}',
            lambda name=name, targets=targets: getattr(tf.keras.losses, name)(targets, PROBABILITIES),
        )
        rows.add(
            f'function {name} of metrics',
            lambda name=name, targets=targets: getattr(tf.keras.metrics, name)(targets, PROBABILITIES),
        )
    for name in ('binary_crossentropy', 'mean_squared_error', 'hinge', 'categorical_crossentropy'):
        rows.each(f'shapes {name}', shapes, name)
    for name in SHORT:
        rows.add(
            f'get {name}',
            lambda name=name: [
                getattr(tf.keras.losses.get(name), '__name__', None),
                type(tf.keras.losses.get(name)).__name__,
            ],
        )
    rows.each('own', own_function)
    rows.add('serialize', lambda: tf.keras.losses.serialize(tf.keras.losses.Huber(delta=2.0)))
    rows.add('serialize function', lambda: tf.keras.losses.serialize(tf.keras.losses.mean_squared_error))
    rows.add(
        'deserialize',
        lambda: tf.keras.losses.deserialize({'class_name': 'Huber', 'config': {'delta': 2.0}}).get_config(),
    )
    rows.add('deserialize name', lambda: tf.keras.losses.deserialize('mse').__name__)
    rows.add(
        'Reduction', lambda: {key: value for key, value in vars(tf.keras.losses.Reduction).items() if key.isupper()}
    )
    rows.add('Reduction.all', lambda: tf.keras.losses.Reduction.all())
