"""Phases, loops, maps and scopes, said in other K functions."""

from typing import Any

import numpy as np

from ...basics.library import Tensor
from ...basics.nested import leaves
from .api import Api


class ComposedControl(Api):
    def in_train_phase(self, x: Any, alt: Any, training: Any = None) -> Tensor:
        return _phase(self, x, alt, training)

    def in_test_phase(self, x: Any, alt: Any, training: Any = None) -> Tensor:
        return _phase(self, alt, x, training)


def _phase(K: Api, train: Any, test: Any, training: Any) -> Tensor:
    phase = K.learning_phase() if training is None else training
    if isinstance(phase, (bool, int, np.bool_, np.integer)):
        chosen = train if phase else test
        return chosen() if callable(chosen) else chosen
    if callable(train) or callable(test):
        # Lazy if one of them is: a switch between two callables runs only the one that is taken.
        chosen = K.switch(phase, train if callable(train) else lambda: train, test if callable(test) else lambda: test)
    else:
        chosen = K.switch(phase, train, test)
    if training is None or getattr(training, '_uses_learning_phase', False):
        for tensor in leaves(chosen):
            tensor._uses_learning_phase = True
    return chosen
