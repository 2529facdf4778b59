"""Reading and updating variables, said in other K functions."""

from typing import Any, List

import numpy as np

from ...errors import ShapeError
from ...library import Tensor
from ..api import Api
from .sizes import label


class ComposedValues(Api):
    needs = {
        'eval': 'function',
        'get_value': 'eval',
        'batch_get_value': 'get_value',
        'set_value': 'dtype function int_shape placeholder update',
        'batch_set_value': 'int_shape set_value',
        'update_add': 'update',
        'update_sub': 'update',
        'moving_average_update': 'int_shape update',
    }

    def eval(self, x: Any) -> Tensor:
        return self.function([], [x])([])[0]

    def get_value(self, x: Any) -> Tensor:
        return self.eval(x)

    def batch_get_value(self, ops: Any) -> List[Any]:
        return [self.get_value(x) for x in ops]

    def set_value(self, x: Any, value: Any) -> None:
        _check(self, x, value)
        new = self.placeholder(shape=self.int_shape(x), dtype=self.dtype(x))
        self.function([new], [], updates=[self.update(x, new)])([value])

    def batch_set_value(self, tuples: Any) -> None:
        tuples = list(tuples)
        for x, value in tuples:
            _check(self, x, value)
        for x, value in tuples:
            self.set_value(x, value)

    def update_add(self, x: Any, increment: Any) -> Tensor:
        return _increment(self.update(x, x + increment), lambda value: value + increment)

    def update_sub(self, x: Any, decrement: Any) -> Tensor:
        return _increment(self.update(x, x - decrement), lambda value: value - decrement)

    def moving_average_update(self, x: Any, value: Any, momentum: Any) -> Tensor:
        if self.int_shape(x) != self.int_shape(value) and None not in self.int_shape(value):
            raise ShapeError(
                f'{label(x)}, a moving average of shape {self.int_shape(x)}, cannot take in a value of shape '
                f'{self.int_shape(value)}.'
            )
        step = (value - x) * (1.0 - momentum)
        return _increment(self.update(x, x + step), lambda other: other + step)


def _check(K: Api, x: Any, value: Any) -> None:
    if K.int_shape(x) != np.shape(value):
        raise ShapeError(
            f'{label(x)} has shape {K.int_shape(x)} and cannot be set to a value of shape {np.shape(value)}.'
        )


def _increment(update: Any, onto: Any) -> Tensor:
    # For an engine that applies it to what other updates of the same function make of the variable.
    if hasattr(update, '__dict__'):
        update.onto = onto
    return update
