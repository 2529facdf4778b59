"""The values of metrics: several updates, sample weights, arguments, results, states, resets, configurations."""

import numpy as np
import tensorflow as tf
from grid_rows import positive, safely, spread

LABELS = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]], 'float32')
ONE_HOT = np.eye(4, dtype='float32')[[2, 0, 3]]
SPARSE = np.array([[2], [0], [3]])
CLASSES = np.array([0, 1, 2, 1, 0, 2])
OTHER_CLASSES = np.array([0, 2, 2, 1, 1, 2])
P = positive(3, 4)
REAL = spread(3, 4)
ROWS = np.array([1.0, 0.0, 3.0], 'float32')
# Name, targets, predictions, arguments to try beside none.
TABLE = [
    ('Accuracy', LABELS, np.round(P), [{}]),
    ('BinaryAccuracy', LABELS, P, [{}, {'threshold': 0.7}]),
    ('CategoricalAccuracy', ONE_HOT, P, [{}]),
    ('SparseCategoricalAccuracy', SPARSE, P, [{}]),
    ('TopKCategoricalAccuracy', ONE_HOT, P, [{}, {'k': 2}]),
    ('SparseTopKCategoricalAccuracy', SPARSE, P, [{}, {'k': 2}]),
    ('MeanSquaredError', REAL, P, [{}]),
    ('RootMeanSquaredError', REAL, P, [{}]),
    ('MeanAbsoluteError', REAL, P, [{}]),
    ('MeanAbsolutePercentageError', REAL, P, [{}]),
    ('MeanSquaredLogarithmicError', P, P**2, [{}]),
    ('CosineSimilarity', REAL, P, [{}, {'axis': 0}]),
    ('LogCoshError', REAL, P, [{}]),
    ('Poisson', P, P**2, [{}]),
    ('KLDivergence', ONE_HOT, P, [{}]),
    ('Hinge', LABELS, REAL, [{}]),
    ('SquaredHinge', 2 * LABELS - 1, REAL, [{}]),
    ('CategoricalHinge', ONE_HOT, REAL, [{}]),
    ('BinaryCrossentropy', LABELS, P, [{}, {'from_logits': True}, {'label_smoothing': 0.2}]),
    ('CategoricalCrossentropy', ONE_HOT, P, [{}, {'from_logits': True}, {'label_smoothing': 0.2}, {'axis': 1}]),
    ('SparseCategoricalCrossentropy', SPARSE, P, [{}, {'from_logits': True}, {'ignore_class': 0}]),
    (
        'Precision',
        LABELS,
        P,
        [
            {},
            {'thresholds': 0.7},
            {'thresholds': [0.3, 0.7]},
            {'top_k': 2},
            {'class_id': 1},
            {'top_k': 2, 'class_id': 1},
            {'thresholds': 2.0},
        ],
    ),
    ('Recall', LABELS, P, [{}, {'thresholds': 0.7}, {'thresholds': [0.3, 0.7]}, {'top_k': 2}, {'class_id': 1}]),
    ('TruePositives', LABELS, P, [{}, {'thresholds': [0.3, 0.7]}]),
    ('TrueNegatives', LABELS, P, [{}]),
    ('FalsePositives', LABELS, P, [{}]),
    ('FalseNegatives', LABELS, P, [{}, {'thresholds': 0.7}]),
    (
        'AUC',
        LABELS,
        P,
        [
            {},
            {'num_thresholds': 10},
            {'curve': 'PR'},
            {'summation_method': 'minoring'},
            {'summation_method': 'majoring'},
            {'multi_label': True},
            {'from_logits': True},
            {'thresholds': [0.2, 0.5, 0.9]},
            {'multi_label': True, 'num_labels': 4},
        ],
    ),
    (
        'PrecisionAtRecall',
        LABELS,
        P,
        [{'recall': 0.5}, {'recall': 0.5, 'num_thresholds': 10}, {'recall': 0.9, 'class_id': 1}],
    ),
    ('RecallAtPrecision', LABELS, P, [{'precision': 0.5}]),
    ('SensitivityAtSpecificity', LABELS, P, [{'specificity': 0.5}]),
    ('SpecificityAtSensitivity', LABELS, P, [{'sensitivity': 0.5}]),
    ('MeanIoU', CLASSES, OTHER_CLASSES, [{'num_classes': 3}, {'num_classes': 3, 'ignore_class': 0}]),
    ('IoU', CLASSES, OTHER_CLASSES, [{'num_classes': 3, 'target_class_ids': [0, 2]}]),
    ('BinaryIoU', LABELS, P, [{}, {'threshold': 0.7}, {'target_class_ids': [1]}]),
    ('OneHotIoU', ONE_HOT, P, [{'num_classes': 4, 'target_class_ids': [0, 2]}]),
    ('OneHotMeanIoU', ONE_HOT, P, [{'num_classes': 4}]),
    ('MeanRelativeError', REAL, P, [{'normalizer': np.ones(4, 'float32') * 2}]),
    ('F1Score', LABELS, P, [{}, {'average': 'macro'}, {'threshold': 0.5}]),
    ('FBetaScore', LABELS, P, [{}, {'beta': 2.0}]),
    ('R2Score', REAL, P, [{}]),
]
SHORT = (
    'accuracy',
    'acc',
    'mse',
    'MAE',
    'binary_accuracy',
    'categorical_accuracy',
    'sparse_categorical_accuracy',
    'top_k_categorical_accuracy',
    'AUC',
    'Precision',
    'cosine_similarity',
    'cosine_proximity',
    'MeanIoU',
    'nonsense',
)


def of_metric(name, targets, predictions, options):
    """A metric over updates, with and without weights."""
    metric = getattr(tf.keras.metrics, name)(**options)
    result = {'first name': metric.name, 'dtype': metric.dtype, 'empty': safely(metric.result)}
    result['called'] = safely(metric, targets, predictions)
    metric.update_state(targets[::-1], predictions)
    result['two'] = metric.result()
    result['state'] = [[weight.name.split('/')[-1], list(weight.shape), weight.dtype.name] for weight in metric.weights]
    getattr(metric, 'reset_state', metric.reset_states)()  # which came with 2.5
    result['reset'] = safely(metric.result)
    result['weighted'] = safely(metric, targets, predictions, sample_weight=np.resize(ROWS, len(targets)))
    result['columns'] = safely(metric, targets, predictions, sample_weight=np.abs(spread(*np.shape(targets))))
    result['scalar'] = safely(metric, targets, predictions, sample_weight=2.0)
    result['values'] = metric.get_weights()
    result['config'] = metric.get_config()
    result['again'] = safely(lambda: type(metric).from_config(metric.get_config()).get_config() == metric.get_config())
    metric.reset_states()
    result['reset_states'] = safely(metric.result)
    return result


def of_values(name, options=None):
    """A metric of numbers alone."""
    metric = getattr(tf.keras.metrics, name)(**(options or {}))
    result = {'empty': metric.result(), 'scalar': metric(2.0), 'list': metric([1.0, 3.0, 5.0])}
    result['weighted'] = metric([1.0, 3.0], sample_weight=[1.0, 0.0])
    result['config'] = metric.get_config()
    result['state'] = [[weight.name, list(weight.shape)] for weight in metric.weights]
    result['type'] = type(metric.result().numpy()).__name__
    getattr(metric, 'reset_state', metric.reset_states)()  # which came with 2.5
    result['reset'] = metric.result()
    return result


def over_functions(name):
    """MeanMetricWrapper, MeanTensor, SumOverBatch and their like."""
    if name == 'MeanTensor':
        metric = tf.keras.metrics.MeanTensor()
        metric.update_state([0.0, 1.0, 2.0])
        metric.update_state([3.0, 1.0, 1.0], sample_weight=[1.0, 0.0, 0.5])
        return {'result': metric.result(), 'total': metric.total, 'count': metric.count}
    metric = tf.keras.metrics.MeanMetricWrapper(lambda y_true, y_pred: tf.abs(y_true - y_pred), name='distance')
    metric.update_state(REAL, P)
    return {'result': metric.result(), 'name': metric.name, 'config': sorted(metric.get_config())}


class Ones(tf.keras.metrics.Metric):
    """A metric as programs write one."""

    def __init__(self, name='ones', **options):
        super().__init__(name=name, **options)
        self.ones = self.add_weight(name='tp', initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Counts."""
        values = tf.cast(y_true, 'bool') & tf.cast(tf.round(y_pred), 'bool')
        values = tf.cast(values, self.dtype)
        if sample_weight is not None:
            values = tf.multiply(values, tf.broadcast_to(tf.cast(sample_weight, self.dtype), values.shape))
        self.ones.assign_add(tf.reduce_sum(values))

    def result(self):
        """The count."""
        return self.ones


def own():
    """A metric of one's own."""
    metric = Ones()
    result = {
        'first': metric(LABELS, P),
        'second': metric(LABELS, P),
        'weights': [weight.name for weight in metric.weights],
    }
    metric.reset_states()
    result['reset'] = metric.result()
    result['graph'] = tf.function(lambda: metric(LABELS, P))()
    result['config'] = metric.get_config()
    return result


def rows(rows, record):
    """Writes the rows of metrics."""
    for name, targets, predictions, several in TABLE:
        for options in several:
            rows.each(
                f'{name}({sorted(options.items(), key=str) if "normalizer" not in options else "normalizer"})',
                of_metric,
                name,
                targets,
                predictions,
                options,
            )
    for name in ('Mean', 'Sum'):
        rows.each(f'{name}()', of_values, name)
        rows.each(f'{name} of float64', of_values, name, {'dtype': 'float64'})
    for name in ('MeanTensor', 'MeanMetricWrapper'):
        rows.each(f'{name}()', over_functions, name)
    rows.each('own', own)
    for name in SHORT:
        rows.add(
            f'get {name}',
            lambda name=name: [
                getattr(tf.keras.metrics.get(name), '__name__', None),
                type(tf.keras.metrics.get(name)).__name__,
            ],
        )
    rows.add('serialize', lambda: tf.keras.metrics.serialize(tf.keras.metrics.AUC(num_thresholds=3)))
    rows.add(
        'deserialize',
        lambda: tf.keras.metrics.deserialize({'class_name': 'Precision', 'config': {'top_k': 2}}).get_config(),
    )
    rows.add(
        'functions',
        lambda: {
            name: getattr(tf.keras.metrics, name)(*pair)
            for name, pair in {
                'binary_accuracy': (LABELS, P),
                'categorical_accuracy': (ONE_HOT, P),
                'sparse_categorical_accuracy': (SPARSE, P),
                'top_k_categorical_accuracy': (ONE_HOT, P),
                'sparse_top_k_categorical_accuracy': (SPARSE, P),
            }.items()
        },
    )
