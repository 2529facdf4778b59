"""Losses, metrics, optimizers, initializers and the like of Keras 1 to 3 and tf.keras: names and arguments."""

from typing import Dict, FrozenSet

from .objects import (
    COUNT,
    DTYPE,
    FLAG,
    NOTHING,
    NUMBER,
    NUMBERS,
    SEED,
    TEXT,
    WHOLE,
    Argument,
    choice,
    either,
    or_none,
    snake_case,
)

# -- initializers ------------------------------------------------------------------------------------------------------
# Initializers of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments.


_SEED = Argument(SEED)
_AXES = Argument(or_none(NUMBERS))
# Sizes of inputs are counted along these axes.
_OF_AXES = {'seed': _SEED, 'input_axes': _AXES, 'output_axes': _AXES}
_NUMBER = Argument(NUMBER)

INITIALIZERS: Dict[str, Dict[str, Argument]] = {
    'Zeros': {},
    'Ones': {},
    'Constant': {'value': Argument(either(NUMBER, NUMBERS))},
    'RandomNormal': {'mean': _NUMBER, 'stddev': _NUMBER, 'seed': _SEED},
    'TruncatedNormal': {'mean': _NUMBER, 'stddev': _NUMBER, 'seed': _SEED},
    'RandomUniform': {'minval': _NUMBER, 'maxval': _NUMBER, 'seed': _SEED},
    'VarianceScaling': {
        'scale': _NUMBER,
        'mode': Argument(choice('fan_in', 'fan_out', 'fan_avg')),
        'distribution': Argument(choice('normal', 'uniform', 'truncated_normal', 'untruncated_normal')),
        **_OF_AXES,
    },
    'Orthogonal': {'gain': _NUMBER, 'seed': _SEED},
    'Identity': {'gain': _NUMBER},
    **{f'{name}{kind}': _OF_AXES for name in ('Glorot', 'He', 'Lecun') for kind in ('Normal', 'Uniform')},
    'STFT': {
        'side': Argument(choice('real', 'imag')),
        'window': Argument(or_none(choice('hann', 'hamming'))),
        'scaling': Argument(or_none(choice('density', 'spectrum'))),
        'periodic': Argument(FLAG),
    },
}
# Names of Keras 1, of TensorFlow 1, and other names of Keras 3.
OTHER_NAMES: Dict[str, str] = {
    'normal': 'RandomNormal', 'uniform': 'RandomUniform', 'zero': 'Zeros', 'one': 'Ones',
    'IdentityInitializer': 'Identity', 'OrthogonalInitializer': 'Orthogonal', 'STFTInitializer': 'STFT', 'stft': 'STFT',
}  # fmt: skip
# Keras 2 has cut values off at two standard deviations under this name, as later ones do under their own.
DISTRIBUTIONS: Dict[str, str] = {'normal': 'truncated_normal'}


# -- regularizers and constraints --------------------------------------------------------------------------------------
# Regularizers and constraints of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments.


_AXIS = Argument(either(WHOLE, NUMBERS))

REGULARIZERS: Dict[str, Dict[str, Argument]] = {
    'L1': {'l1': _NUMBER},
    'L2': {'l2': _NUMBER},
    'L1L2': {'l1': _NUMBER, 'l2': _NUMBER},
    'OrthogonalRegularizer': {'factor': _NUMBER, 'mode': Argument(choice('rows', 'columns'))},
}
# Those of Keras 1: sums of absolute values and of squares.
OTHER_REGULARIZERS: Dict[str, str] = {
    'L1L2Regularizer': 'L1L2',
    'WeightRegularizer': 'L1L2',
    'ActivityRegularizer': 'L1L2',
    'l1l2': 'L1L2',
    'l1_l2': 'L1L2',
    'activity_l1': 'L1',
    'activity_l2': 'L2',
    'activity_l1l2': 'L1L2',
}

CONSTRAINTS: Dict[str, Dict[str, Argument]] = {
    'MaxNorm': {'max_value': _NUMBER, 'axis': _AXIS},
    'MinMaxNorm': {'min_value': _NUMBER, 'max_value': _NUMBER, 'rate': _NUMBER, 'axis': _AXIS},
    'NonNeg': {},
    'UnitNorm': {'axis': _AXIS},
    'RadialConstraint': {},
}
OTHER_CONSTRAINTS: Dict[str, str] = {'maxnorm': 'MaxNorm', 'nonneg': 'NonNeg', 'unitnorm': 'UnitNorm'}


# -- losses ------------------------------------------------------------------------------------------------------------
# Losses of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments.


AXIS = Argument(either(WHOLE, NUMBERS), (-1,))
LOGITS = Argument(FLAG, (False,))
SMOOTHING = Argument(NUMBER, (0,))
IGNORED = Argument(or_none(WHOLE))

# The reductions of a loss for which nothing else is said: the mean.
USUAL_REDUCTIONS = ('auto', 'sum_over_batch_size')
_REDUCTIONS = choice('none', 'sum', 'mean', 'mean_with_sample_weight', *USUAL_REDUCTIONS)
_OF_LOSSES = {
    'name': Argument(or_none(TEXT)),
    # None is none: the loss of each row.
    'reduction': Argument(or_none(_REDUCTIONS), USUAL_REDUCTIONS),
    'dtype': Argument(DTYPE, (None, 'float32')),
}
_OF_CLASSES = {'from_logits': LOGITS, 'label_smoothing': SMOOTHING, 'axis': AXIS}
_FOCAL = {**_OF_CLASSES, 'alpha': _NUMBER, 'gamma': _NUMBER}
_OVER_AXES = {'axis': Argument(or_none(either(WHOLE, NUMBERS)))}

LOSSES: Dict[str, Dict[str, Argument]] = {
    name: {**_OF_LOSSES, **own}
    for name, own in {
        **{
            name: {}
            for name in (
                'MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError '
                'Hinge SquaredHinge CategoricalHinge LogCosh Poisson KLDivergence CTC'
            ).split()
        },
        'Huber': {'delta': Argument(NUMBER, (1,))},
        'CosineSimilarity': {'axis': AXIS},
        'BinaryCrossentropy': _OF_CLASSES,
        'CategoricalCrossentropy': _OF_CLASSES,
        'SparseCategoricalCrossentropy': {'from_logits': LOGITS, 'ignore_class': IGNORED, 'axis': AXIS},
        'BinaryFocalCrossentropy': {**_FOCAL, 'apply_class_balancing': Argument(FLAG, (False,))},
        'CategoricalFocalCrossentropy': _FOCAL,
        'CategoricalGeneralizedCrossEntropy': {'q': _NUMBER},
        'Circle': {'gamma': _NUMBER, 'margin': _NUMBER, 'remove_diagonal': Argument(FLAG, (True,))},
        'Dice': _OVER_AXES,
        'Tversky': {'alpha': _NUMBER, 'beta': _NUMBER, **_OVER_AXES},
    }.items()
}


def function_of(name: str) -> str:
    """The name of the function for that of a class."""
    return 'kl_divergence' if name == 'KLDivergence' else snake_case(name)


_SHORT = (
    'mse MSE mae MAE mape MAPE msle MSLE kld KLD bce BCE cosine cosine_proximity kullback_leibler_divergence logcosh'
)
# All that a file may have as the name of a loss.
NAMES_OF_LOSSES: FrozenSet[str] = frozenset([*LOSSES, *map(function_of, LOSSES), *_SHORT.split(), 'huber_loss'])


# -- metrics -----------------------------------------------------------------------------------------------------------
# Metrics of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments.


_WHOLE_OR_NONE = Argument(or_none(WHOLE))
_THRESHOLDS = Argument(or_none(either(NUMBER, NUMBERS)))
_OF_METRICS = {'name': Argument(or_none(TEXT)), 'dtype': Argument(DTYPE, (None, 'float32'))}
_CONFUSION = {'thresholds': _THRESHOLDS}
_TOP = {**_CONFUSION, 'top_k': _WHOLE_OR_NONE, 'class_id': _WHOLE_OR_NONE}
_AT = {'num_thresholds': Argument(COUNT), 'class_id': _WHOLE_OR_NONE}
_TRUE, _PREDICTED = {'sparse_y_true': Argument(FLAG, (True,))}, {'sparse_y_pred': Argument(FLAG, (True,))}
_UNION = {'num_classes': Argument(COUNT), 'ignore_class': IGNORED, 'axis': AXIS}
_IDS = {'target_class_ids': Argument(NUMBERS)}
_F = {'average': Argument(or_none(choice('micro', 'macro', 'weighted'))), 'threshold': Argument(or_none(NUMBER))}

METRICS: Dict[str, Dict[str, Argument]] = {
    name: {**_OF_METRICS, **own}
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
NAMES_OF_METRICS: FrozenSet[str] = frozenset([*METRICS, *map(snake_case, METRICS), *NAMES_OF_LOSSES, *_WORDS.split()])


# -- schedules ---------------------------------------------------------------------------------------------------------
# Schedules of the learning rate of tf.keras and Keras 3: their names, and the kinds of their arguments.


_DECAY = {'initial_learning_rate': _NUMBER, 'decay_steps': _NUMBER}
_BY_RATE = {**_DECAY, 'decay_rate': _NUMBER, 'staircase': Argument(FLAG)}
_NAME = {'name': Argument(or_none(TEXT))}

SCHEDULES: Dict[str, Dict[str, Argument]] = {
    'ExponentialDecay': {**_BY_RATE, **_NAME},
    'InverseTimeDecay': {**_BY_RATE, **_NAME},
    'PolynomialDecay': {
        **_DECAY, 'end_learning_rate': _NUMBER, 'power': _NUMBER, 'cycle': Argument(FLAG), **_NAME,
    },
    'PiecewiseConstantDecay': {'boundaries': Argument(NUMBERS), 'values': Argument(NUMBERS), **_NAME},
    'CosineDecay': {
        **_DECAY, 'alpha': _NUMBER, 'warmup_target': Argument(or_none(NUMBER)), 'warmup_steps': Argument(NUMBER, (0,)),
        **_NAME,
    },
    'CosineDecayRestarts': {
        'initial_learning_rate': _NUMBER, 'first_decay_steps': _NUMBER, 't_mul': _NUMBER, 'm_mul': _NUMBER,
        'alpha': _NUMBER, **_NAME,
    },
}  # fmt: skip


# -- optimizers --------------------------------------------------------------------------------------------------------
# Optimizers of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments.


_OPTIONAL = Argument(either(NUMBER, NOTHING))
_STEPS = Argument(or_none(WHOLE))
_OFF = Argument(FLAG, (False,))
_NOTHING = Argument(NOTHING)

COMMON: Dict[str, Argument] = {
    # A schedule is made before.
    'learning_rate': _NUMBER,
    'clipnorm': _OPTIONAL,
    'clipvalue': _OPTIONAL,
    'global_clipnorm': _OPTIONAL,
    'weight_decay': Argument(either(NUMBER, NOTHING), (None, 0)),
    'use_ema': _OFF,
    'ema_momentum': Argument(NUMBER, (0.99,)),
    # 100 is what RMSprop of tf.keras writes, also where there is no average.
    'ema_overwrite_frequency': Argument(or_none(WHOLE), (None, 100)),
    'loss_scale_factor': _OPTIONAL,
    'gradient_accumulation_steps': _STEPS,
    'decay': Argument(either(NUMBER, NOTHING), (None, 0)),
    'epsilon': _OPTIONAL,
}
_BETAS = {'beta_1': _NUMBER, 'beta_2': _NUMBER}
_MUON = (
    'adam_beta_1 adam_beta_2 adam_weight_decay muon_a muon_b muon_c adam_lr_ratio momentum ns_steps rms_rate'.split()
)
_FTRL = (
    'learning_rate_power l1_regularization_strength l2_regularization_strength l2_shrinkage_regularization_strength '
    'beta initial_accumulator_value'.split()
)

OPTIMIZERS: Dict[str, Dict[str, Argument]] = {
    name: {**COMMON, **own}
    for name, own in {
        'SGD': {'momentum': Argument(NUMBER, (0,)), 'nesterov': _OFF},
        'RMSprop': {'rho': _NUMBER, 'momentum': Argument(NUMBER, (0,)), 'centered': _OFF},
        'Adagrad': {'initial_accumulator_value': Argument(NUMBER, (0.1,))},
        'Adadelta': {'rho': _NUMBER},
        'Adam': {**_BETAS, 'amsgrad': _OFF},
        'AdamW': {**_BETAS, 'amsgrad': _OFF},
        'Adamax': _BETAS,
        'Nadam': _BETAS,
        'Lion': _BETAS,
        'Lamb': _BETAS,
        'Ftrl': dict.fromkeys(_FTRL, _NUMBER),
        'Adafactor': {
            'beta_2_decay': _NUMBER,
            'epsilon_1': _NUMBER,
            'epsilon_2': _NUMBER,
            'clip_threshold': _NUMBER,
            'relative_step': Argument(FLAG, (True,)),
        },
        'Muon': {
            **dict.fromkeys(_MUON, _NUMBER),
            'nesterov': Argument(FLAG, (True,)),
            'exclude_embeddings': Argument(FLAG, (True,)),
            # A list of regular expressions, whose time nobody knows.
            'exclude_layers': _NOTHING,
        },
        'ScheduleFreeAdamW': {**_BETAS, 'warmup_steps': _NUMBER},
    }.items()
}
