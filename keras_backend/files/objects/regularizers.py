"""Regularizers and constraints of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments."""

from typing import Dict

from .kinds import NUMBER, NUMBERS, WHOLE, choice, either
from .objects import Argument

_NUMBER = Argument(NUMBER)
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
