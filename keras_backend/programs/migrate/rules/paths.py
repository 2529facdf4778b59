"""Older paths of modules of Keras: `keras.layers.core` is `keras.layers`, `keras.objectives` is `keras.losses`."""

import ast
from typing import Any, Iterator, Tuple

from ...launcher.check.uses import keras_name
from ..code import Change, Code

# Parts of `keras.layers` whose names `keras.layers` itself has in Keras 2 and 3.
_OF_LAYERS = {
    f'keras.layers.{name}'
    for name in (
        'core convolutional convolutional_recurrent recurrent pooling normalization embeddings noise wrappers '
        'advanced_activations'
    ).split()
}
# Names that Keras 1 had there, and that are gone.
_GONE = {'Merge', 'merge', 'Highway', 'MaxoutDense', 'TimeDistributedDense', 'SReLU', 'ParametricSoftplus', 'Recurrent'}
_GONE |= {'LambdaMerge', 'ActivityRegularization', 'ConvRecurrent2D', 'AtrousConvolution1D', 'AtrousConvolution2D'}
# Parts of `keras.engine` and what of them Keras 3 has elsewhere.
_OF_ENGINE = {f'keras.engine{name}': {'Layer', 'InputSpec', 'Input'} for name in ('', '.topology', '.base_layer')}
_OF_KERAS_3 = frozenset(
    'activations applications backend callbacks constraints datasets initializers layers losses metrics models ops '
    'optimizers preprocessing random regularizers saving utils'.split()
)
_BELOW: Tuple[str, ...] = ('keras.applications.', 'keras.datasets.', 'keras.backend.')
_BELOW += ('keras.preprocessing.image', 'keras.preprocessing.sequence', 'keras.optimizers.schedules')
_HERE = ('keras', 'tensorflow.keras')


def judge(code: Code) -> Iterator[Change]:
    """The paths of `from ... import`, on the way to Keras 3."""
    if code.route == 'keras2':
        return
    for node in code.nodes(ast.ImportFrom):
        module = node.module or ''
        full = keras_name(module)
        if node.level or not full.startswith('keras.') or not module.startswith(_HERE):
            continue
        names = {alias.name for alias in node.names}
        if full == 'keras.utils' and names == {'np_utils'} and len(node.names) == 1:
            yield from _np_utils(code, node, module)
        if full in _OF_LAYERS and not names & (_GONE | {'*'}):
            yield _moved(code, node, module, module.rpartition('.')[0])
        elif full == 'keras.utils.np_utils' and names <= {'to_categorical', 'normalize'}:
            yield _moved(code, node, module, module.rpartition('.')[0])
        elif full == 'keras.objectives' and '*' not in names:
            yield _moved(code, node, module, module.rpartition('.')[0] + '.losses')
        elif names <= _OF_ENGINE.get(full, set()):
            yield _moved(code, node, module, module[: -len(full)] + 'keras.layers')
        elif names == {'Model'} and full in ('keras.engine', 'keras.engine.training'):
            yield _moved(code, node, module, module[: -len(full)] + 'keras.models')
        elif code.route == 'import' and not _exists(full):
            reason = f'Keras 3 has no {module}; import {", ".join(sorted(names))} from where it has them, by hand'
            yield Change('path', node.lineno, reason)


def _exists(module: str) -> bool:
    """Whether Keras 3 has a module. The launcher brings many others back."""
    words = module.split('.')
    return words[1] in _OF_KERAS_3 and (len(words) == 2 or module.startswith(_BELOW))


def _np_utils(code: Code, node: Any, module: str) -> Iterator[Change]:
    """`from keras.utils import np_utils` is `from keras import utils as np_utils`, for what `keras.utils` has."""
    name = node.names[0].asname or 'np_utils'
    uses = [use for use in code.nodes(ast.Name) if use.id == name]
    above = [code.names.parents[id(use)] for use in uses]
    reason = f'{module}.np_utils is {module} in Keras 3'
    known = all(isinstance(outer, ast.Attribute) and outer.attr in ('to_categorical', 'normalize') for outer in above)
    spans = (code.replaced(node, f'from {module[: -len(".utils")]} import utils as {name}'),)
    yield Change('path', node.lineno, reason if known else reason + '; write its names by hand', spans if known else ())


def _moved(code: Code, node: Any, module: str, new: str) -> Change:
    start = code.text.index(module, code.span(node)[0])
    reason = f'the names of {module} are in {new} today'
    return Change('path', node.lineno, reason, ((start, start + len(module), new),))
