"""Metrics of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments."""

from typing import Dict, FrozenSet

from . import losses
from .entry import snake_case
from .kinds import COUNT, DTYPE, FLAG, NUMBER, NUMBERS, TEXT, WHOLE, choice, either, or_none
from .losses import AXIS, IGNORED, LOGITS, SMOOTHING
from .objects import Argument

_NUMBER = Argument(NUMBER)
_WHOLE_OR_NONE = Argument(or_none(WHOLE))
_THRESHOLDS = Argument(or_none(either(NUMBER, NUMBERS)))
_COMMON = {'name': Argument(or_none(TEXT)), 'dtype': Argument(DTYPE, (None, 'float32'))}
_CONFUSION = {'thresholds': _THRESHOLDS}
_TOP = {**_CONFUSION, 'top_k': _WHOLE_OR_NONE, 'class_id': _WHOLE_OR_NONE}
_AT = {'num_thresholds': Argument(COUNT), 'class_id': _WHOLE_OR_NONE}
_TRUE, _PREDICTED = {'sparse_y_true': Argument(FLAG, (True,))}, {'sparse_y_pred': Argument(FLAG, (True,))}
_UNION = {'num_classes': Argument(COUNT), 'ignore_class': IGNORED, 'axis': AXIS}
_IDS = {'target_class_ids': Argument(NUMBERS)}
_F = {'average': Argument(or_none(choice('micro', 'macro', 'weighted'))), 'threshold': Argument(or_none(NUMBER))}

TABLE: Dict[str, Dict[str, Argument]] = {
    name: {**_COMMON, **own}
    for name, own in {
        **{
            name: {}
            for name in (
                'Accuracy CategoricalAccuracy SparseCategoricalAccuracy Hinge SquaredHinge CategoricalHinge '
                'KLDivergence LogCoshError MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError '
                'MeanSquaredLogarithmicError RootMeanSquaredError Poisson Mean Sum'
            ).split()
        },
        **{name: {'axis': AXIS} for name in ('CosineSimilarity', 'ConcordanceCorrelation', 'PearsonCorrelation')},
        **{
            f'{right}{kind}': _CONFUSION for right in ('True', 'False') for kind in ('Positives', 'Negatives')
        },
        'BinaryAccuracy': {'threshold': _NUMBER},
        'BinaryCrossentropy': {'from_logits': LOGITS, 'label_smoothing': SMOOTHING},
        'CategoricalCrossentropy': {'from_logits': LOGITS, 'label_smoothing': SMOOTHING, 'axis': AXIS},
        'SparseCategoricalCrossentropy': {'from_logits': LOGITS, 'ignore_class': IGNORED, 'axis': AXIS},
        'TopKCategoricalAccuracy': {'k': Argument(WHOLE)},
        'SparseTopKCategoricalAccuracy': {'k': Argument(WHOLE), 'from_sorted_ids': Argument(FLAG, (False,))},
        'Precision': _TOP,
        'Recall': _TOP,
        'PrecisionAtRecall': {**_AT, 'recall': _NUMBER},
        'RecallAtPrecision': {**_AT, 'precision': _NUMBER},
        'SensitivityAtSpecificity': {**_AT, 'specificity': _NUMBER},
        'SpecificityAtSensitivity': {**_AT, 'sensitivity': _NUMBER},
        'AUC': {
            'num_thresholds': Argument(COUNT),
            'curve': Argument(choice('ROC', 'PR')),
            'summation_method': Argument(choice('interpolation', 'minoring', 'majoring')),
            'thresholds': Argument(or_none(NUMBERS)),
            'multi_label': LOGITS,
            'num_labels': Argument(or_none(COUNT)),
            'label_weights': Argument(or_none(NUMBERS)),
            'from_logits': LOGITS,
        },
        'IoU': {**_UNION, **_IDS, **_TRUE, **_PREDICTED},
        'BinaryIoU': {**_IDS, 'threshold': _NUMBER},
        'MeanIoU': {**_UNION, **_TRUE, **_PREDICTED},
        'OneHotIoU': {**_UNION, **_IDS, 'sparse_y_pred': LOGITS},
        'OneHotMeanIoU': {**_UNION, 'sparse_y_pred': LOGITS},
        'F1Score': _F,
        'FBetaScore': {**_F, 'beta': _NUMBER},
        'R2Score': {
            'class_aggregation': Argument(or_none(choice('uniform_average', 'variance_weighted_average'))),
            'num_regressors': Argument(COUNT),
        },
    }.items()
}  # fmt: skip

# `accuracy` and `crossentropy` stand for the one that fits the loss.
_WORDS = 'accuracy acc crossentropy ce'
NAMES: FrozenSet[str] = frozenset([*TABLE, *map(snake_case, TABLE), *losses.NAMES, *_WORDS.split()])
