"""`keras.optimizers.legacy`: the optimizers of the time before Keras 2.11, which are those of today here."""

from importlib import import_module
from types import ModuleType
from typing import Any, Dict

from .classes_of_keras import HOMES

_NAMES = 'Adadelta Adagrad Adam Adamax Ftrl Nadam Optimizer RMSprop SGD'.split()
PLACES = [f'{home}.optimizers.legacy' for home in HOMES]


def legacy_optimizers(module: ModuleType) -> str:
    """Let `optimizers.legacy` have the optimizers of today, which take `lr` and `decay`. Keras 3 makes none of it."""
    optimizers = import_module('keras.optimizers')
    found: Dict[str, Any] = {name: vars(optimizers)[name] for name in _NAMES}
    vars(module).update(found)
    return ', '.join(found)
