"""Losses, metrics, optimizers, initializers and the like of Keras 1 to 3 and tf.keras: names and arguments.

`classes.json` has their tables. A key is a class, or several with the same arguments. An argument is told by its kind
in words, or by a list of these words and of the values that change nothing (see `Argument`).
"""

from typing import Any, Dict, FrozenSet

from ...basics.tables import beside
from .objects import Argument, kind_of, snake_case

_TABLES: Dict[str, Dict[str, Any]] = beside(__file__, 'classes.json')


def _argument(row: Any) -> Argument:
    return Argument(kind_of(row[0]), tuple(row[1:])) if isinstance(row, list) else Argument(kind_of(row))


def _arguments(rows: Dict[str, Any]) -> Dict[str, Argument]:
    return {name: _argument(kind) for name, kind in rows.items()}


def _table(name: str) -> Dict[str, Dict[str, Argument]]:
    common = _arguments(_TABLES.get(f'arguments of all {name}', {}))
    return {cls: {**common, **_arguments(own)} for classes, own in _TABLES[name].items() for cls in classes.split()}


INITIALIZERS, REGULARIZERS, CONSTRAINTS = _table('initializers'), _table('regularizers'), _table('constraints')
# Names of Keras 1, of TensorFlow 1, and other names of Keras 3.
OTHER_NAMES: Dict[str, str] = _TABLES['other names of initializers']
OTHER_REGULARIZERS: Dict[str, str] = _TABLES['other names of regularizers']
OTHER_CONSTRAINTS: Dict[str, str] = _TABLES['other names of constraints']
# Keras 2 has cut values off at two standard deviations under this name, as later ones do under their own.
DISTRIBUTIONS: Dict[str, str] = {'normal': 'truncated_normal'}

# A reduction of None is none: the loss of each row.
LOSSES = _table('losses')
# The reductions of a loss for which nothing else is said: the mean.
USUAL_REDUCTIONS = ('auto', 'sum_over_batch_size')


def function_of(name: str) -> str:
    """The name of the function for that of a class."""
    return 'kl_divergence' if name == 'KLDivergence' else snake_case(name)


_SHORT = (
    'mse MSE mae MAE mape MAPE msle MSLE kld KLD bce BCE cosine cosine_proximity kullback_leibler_divergence logcosh'
)
# All that a file may have as the name of a loss.
NAMES_OF_LOSSES: FrozenSet[str] = frozenset([*LOSSES, *map(function_of, LOSSES), *_SHORT.split(), 'huber_loss'])

METRICS = _table('metrics')
# `accuracy` and `crossentropy` stand for the one that fits the loss.
_WORDS = 'accuracy acc crossentropy ce'
NAMES_OF_METRICS: FrozenSet[str] = frozenset([*METRICS, *map(snake_case, METRICS), *NAMES_OF_LOSSES, *_WORDS.split()])

SCHEDULES = _table('schedules')
# A schedule is made before its optimizer. 100 for `ema_overwrite_frequency` is what RMSprop of tf.keras writes, also
# where there is no average. The time of the expressions in `exclude_layers` of Muon nobody knows: they are refused.
OPTIMIZERS = _table('optimizers')
