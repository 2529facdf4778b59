"""Losses of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments."""

from typing import Dict, FrozenSet

from .entry import snake_case
from .kinds import DTYPE, FLAG, NUMBER, NUMBERS, TEXT, WHOLE, choice, either, or_none
from .objects import Argument

_NUMBER = Argument(NUMBER)
AXIS = Argument(either(WHOLE, NUMBERS), (-1,))
LOGITS = Argument(FLAG, (False,))
SMOOTHING = Argument(NUMBER, (0,))
IGNORED = Argument(or_none(WHOLE))

# The reductions of a loss for which nothing else is said: the mean.
USUAL_REDUCTIONS = ('auto', 'sum_over_batch_size')
_REDUCTIONS = choice('none', 'sum', 'mean', 'mean_with_sample_weight', *USUAL_REDUCTIONS)
_COMMON = {
    'name': Argument(or_none(TEXT)),
    # None is none: the loss of each row.
    'reduction': Argument(or_none(_REDUCTIONS), USUAL_REDUCTIONS),
    'dtype': Argument(DTYPE, (None, 'float32')),
}
_OF_CLASSES = {'from_logits': LOGITS, 'label_smoothing': SMOOTHING, 'axis': AXIS}
_FOCAL = {**_OF_CLASSES, 'alpha': _NUMBER, 'gamma': _NUMBER}
_OVER_AXES = {'axis': Argument(or_none(either(WHOLE, NUMBERS)))}

TABLE: Dict[str, Dict[str, Argument]] = {
    name: {**_COMMON, **own}
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
NAMES: FrozenSet[str] = frozenset([*TABLE, *map(function_of, TABLE), *_SHORT.split(), 'huber_loss'])
