"""The function of Keras for a name of TensorFlow."""

from importlib import import_module
from typing import Any, Callable, Dict

from . import names

_made: Dict[str, Callable[..., Any]] = {}


def over_keras(name: str) -> Callable[..., Any]:
    """The function `tf.NAME` over keras.ops and K. NAME is one of `names.NAMES`."""
    if name not in _made:
        _made[name] = _make(name)
    return _made[name]


def _make(name: str) -> Callable[..., Any]:
    last = name.rpartition('.')[2]
    for module, listed in names.FUNCTIONS.items():
        if name in listed.split():
            found: Callable[..., Any] = getattr(import_module(f'{__package__}.{module}'), last)
            return found
    ops = import_module('keras.ops')
    arithmetic = import_module(f'{__package__}.arithmetic')
    kinds = (
        (arithmetic.reduction, (names.REDUCTIONS, names.REDUCTIONS_IN_MATH)),
        (arithmetic.of_two, (names.OF_TWO, names.OF_TWO_IN_MATH)),
        (arithmetic.of_one, (names.OF_ONE, names.OF_ONE_IN_MATH, names.OF_ONE_IN_NN)),
    )
    for make, tables in kinds:
        for table in tables:
            if last in table:
                made: Callable[..., Any] = make(last, getattr(ops, table[last]))
                return made
    raise KeyError(name)
