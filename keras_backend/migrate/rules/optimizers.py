"""`lr=` of optimizers, which Keras 3 calls `learning_rate=`."""

import ast
from typing import Iterator

from ..code import Change, Code
from .arguments import renamed

_NAMES = ('SGD', 'RMSprop', 'Adagrad', 'Adadelta', 'Adam', 'Adamax', 'Nadam', 'Ftrl')


def judge(code: Code) -> Iterator[Change]:
    """The rates of optimizers, on the way to Keras 3."""
    if code.route == 'keras2':
        return
    for call in code.nodes(ast.Call):
        full = code.names.full(call.func)
        if full.startswith('keras.optimizers.') and full.rpartition('.')[2] in _NAMES:
            for change in renamed(code, call, {'lr': 'learning_rate'}, full.rpartition('.')[2]):
                told = change.reason.replace('since Keras 2', 'in Keras 3')
                yield change._replace(rule='learning-rate', reason=told, to_keras_2=False)
