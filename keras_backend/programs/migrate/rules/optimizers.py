"""`lr` of optimizers, which Keras 3 calls `learning_rate`."""

import ast
from typing import Any, Iterator

from ..code import Change, Code
from .arguments import renamed

_NAMES = ('SGD', 'RMSprop', 'Adagrad', 'Adadelta', 'Adam', 'Adamax', 'Nadam', 'Ftrl')

_DECAY = 'learning_rate=keras.optimizers.schedules.InverseTimeDecay(RATE, 1, DECAY)'
_CALLBACK = 'keras.callbacks.Callback'


def judge(code: Code) -> Iterator[Change]:
    """The rates of optimizers, on the way to Keras 3."""
    if code.route == 'keras2':
        return
    for node in code.nodes(ast.Attribute):
        if node.attr == 'lr' and isinstance(node.value, ast.Attribute) and node.value.attr == 'optimizer':
            model = node.value.value
            if code.models.is_model(model) or _is_of_callback(code, model):
                reason = f'{code.source(node)} is learning_rate in Keras 3'
                yield Change('learning-rate', node.lineno, reason, ((*code.attribute(node), 'learning_rate'),))
    for call in code.nodes(ast.Call):
        full = code.names.full(call.func)
        if full.startswith('keras.optimizers.') and full.rpartition('.')[2] in _NAMES:
            if code.route == 'import' and 'decay' in {keyword.arg for keyword in call.keywords}:
                reason = f'{full.rpartition(".")[2]}(decay=): Keras 3 has schedules for it; write {_DECAY} by hand'
                yield Change('learning-rate', call.lineno, reason)
            for change in renamed(code, call, {'lr': 'learning_rate'}, full.rpartition('.')[2]):
                reason = change.reason.replace('since Keras 2', 'in Keras 3')
                yield change._replace(rule='learning-rate', reason=reason, to_keras_2=False)


def _is_of_callback(code: Code, node: Any) -> bool:
    """Whether an expression is `self.model` in a callback, which Keras sets."""
    if not (isinstance(node, ast.Attribute) and node.attr == 'model' and getattr(node.value, 'id', '') == 'self'):
        return False
    above: Any = node
    while above is not None and not isinstance(above, ast.ClassDef):
        above = code.names.parents.get(id(above))
    return above is not None and any(code.names.full(base) == _CALLBACK for base in above.bases)
