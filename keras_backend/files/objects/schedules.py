"""Schedules of the learning rate of tf.keras and Keras 3: their names, and the kinds of their arguments."""

from typing import Dict

from .kinds import FLAG, NUMBER, NUMBERS, TEXT, or_none
from .objects import Argument

_NUMBER = Argument(NUMBER)
_DECAY = {'initial_learning_rate': _NUMBER, 'decay_steps': _NUMBER}
_BY_RATE = {**_DECAY, 'decay_rate': _NUMBER, 'staircase': Argument(FLAG)}
_NAME = {'name': Argument(or_none(TEXT))}

TABLE: Dict[str, Dict[str, Argument]] = {
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
