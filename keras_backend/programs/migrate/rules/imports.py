"""Imports and names: of K, older paths of Keras, names that NumPy, SciPy and Python removed."""

import ast
from typing import Any, Iterator, List, Optional, Set, Tuple

from ...launcher.check.python_rules import BUILTINS
from ...launcher.check.uses import keras_name
from ...launcher.libraries.numpy_cures import PYTHON_TYPES, RENAMED
from ...on_keras3.check.rules import GONE, OF_TF_KERAS
from ..code import Change, Code

# -- the import of K ---------------------------------------------------------------------------------------------------
# On the way 'import': `from keras import backend as K` is `import keras_backend as K`.


_HERE = 'keras', 'tensorflow'
_BACKEND = 'keras.backend'
# What Keras 3 has under the names that tf.keras had.
_MODULES = frozenset(
    'activations applications callbacks constraints datasets initializers layers losses metrics models optimizers '
    'preprocessing regularizers utils'.split()
)


def imports_of_k(code: Code) -> Iterator[Change]:
    """The statements that import K, and the names of K by their whole path."""
    if code.route != 'import':
        return
    k = 'keras_backend.keras3' if code.inside_keras else 'keras_backend'
    for node in code.nodes((ast.ImportFrom, ast.Import, ast.Assign)):
        if isinstance(node, ast.ImportFrom):
            yield from _from(code, node, k)
        elif isinstance(node, ast.Import):
            yield from _import(code, node, k)
        else:
            yield from _alias(code, node, k)
    yield from _paths(code, k)


def _change(code: Code, node: Any, new: str) -> Change:
    reason = f'{" ".join(code.source(node).split())} is {new.replace(code.newline, "; ")}'
    return Change('import', node.lineno, reason, (code.replaced(node, new),))


def _from(code: Code, node: Any, k: str) -> Iterator[Change]:
    module = keras_name(node.module or '')
    if node.level or (node.module or '').split('.')[0] not in _HERE:
        return
    if module == _BACKEND:
        start = code.text.index(node.module, code.span(node)[0])
        span = (start, start + len(node.module), k)
        yield Change('import', node.lineno, f'the names of {node.module} are in {k}', (span,))
    elif module.startswith(_BACKEND + '.'):
        yield Change('import', node.lineno, f'{node.module}: write the names of K by hand')
    elif module == 'keras' and any(alias.name == 'backend' for alias in node.names):
        backend = next(alias for alias in node.names if alias.name == 'backend')
        lines = [f'import {k} as {backend.asname or backend.name}']
        others = [one.name + (f' as {one.asname}' if one.asname else '') for one in node.names if one is not backend]
        if others:
            home = 'keras' if code.inside_keras else node.module
            lines.append(f'from {home} import {", ".join(others)}')
        if others and not code.is_alone(node):
            yield Change('import', node.lineno, f'import {k} for K by hand: the line has other statements')
        else:
            yield _change(code, node, (code.newline + code.indent(node)).join(lines))
    elif code.inside_keras and node.module != module:
        yield from _of_tf_keras(code, node, module)
    elif code.inside_keras and node.module == 'tensorflow' and [alias.name for alias in node.names] == ['keras']:
        name = node.names[0].asname
        yield _change(code, node, 'import keras' + (f' as {name}' if name else ''))


def _of_tf_keras(code: Code, node: Any, module: str) -> Iterator[Change]:
    """`from tensorflow.keras.layers import Dense` is `from keras.layers import Dense`, if Keras 3 has the name."""
    words = module.split('.')
    names = ['.'.join([*words[1:], alias.name]) for alias in node.names]
    gone = any(name == path or name.startswith(path + '.') for name in names for path in (*GONE, *OF_TF_KERAS))
    known = len(words) == 1 or (words[1] in _MODULES and (len(words) == 2 or words[1] in ('applications', 'datasets')))
    if known and not gone and node.module.startswith('tensorflow.keras') and '*' not in names[0]:
        start = code.text.index(node.module, code.span(node)[0])
        reason = f'{node.module} is {module}, which needs no TensorFlow'
        yield Change('import', node.lineno, reason, ((start, start + len(node.module), module),))


def _import(code: Code, node: Any, k: str) -> Iterator[Change]:
    if len(node.names) != 1:
        return
    (alias,) = node.names
    if keras_name(alias.name) == _BACKEND and alias.asname:
        yield _change(code, node, f'import {k} as {alias.asname}')
    elif code.inside_keras and alias.name == 'tensorflow.keras' and alias.asname:
        yield _change(code, node, 'import keras' + (f' as {alias.asname}' if alias.asname != 'keras' else ''))


def _alias(code: Code, node: Any, k: str) -> Iterator[Change]:
    """`K = tf.keras.backend`."""
    if code.names.full(node.value) == _BACKEND and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        if isinstance(node.value, ast.Attribute):
            yield _change(code, node, f'import {k} as {node.targets[0].id}')


def _paths(code: Code, k: str) -> Iterator[Change]:
    """`keras.backend.dot` and `tf.keras.backend.dot` are names of K."""
    for node in code.nodes(ast.Attribute):
        above = code.names.parents[id(node)]
        if code.names.full(node) != _BACKEND or not isinstance(above, ast.Attribute):
            continue
        name = next(filter(None, (code.names.named(path, node) for path in (_BACKEND, k))), '')
        reason = f'{code.source(above)} is a name of K'
        if name and name != code.source(node):
            yield Change('import', node.lineno, reason, (code.replaced(node, name),))
            continue
        spans = _with_import(code, node, k)
        yield Change('import', node.lineno, reason, spans or ())


def _with_import(code: Code, node: Any, k: str) -> Optional[Tuple[Tuple[int, int, str], ...]]:
    base = node
    while isinstance(base, ast.Attribute):
        base = base.value
    statements = [binding.node for binding in code.names.module.bindings.get(base.id, ()) if binding.kind == 'import']
    if 'K' in code.names.module.bindings or code.names.scope(node).find('K') or len(statements) != 1:
        return None
    statement = statements[0]
    if not code.is_alone(statement) or not isinstance(code.names.parents[id(statement)], ast.Module):
        return None
    alias = statement.names[0]
    if not code.inside_keras and keras_name(getattr(alias, 'name', '')) in ('keras', _BACKEND) and not alias.asname:
        # Nothing else of Keras is used.
        return code.replaced(statement, f'import {k} as K'), code.replaced(node, 'K')
    start = code.span(statement)[0]
    spans: List[Tuple[int, int, str]] = [(start, start, f'import {k} as K{code.newline}'), code.replaced(node, 'K')]
    return tuple(spans)


# -- older paths -------------------------------------------------------------------------------------------------------
# Older paths of modules of Keras: `keras.layers.core` is `keras.layers`, `keras.objectives` is `keras.losses`.


# Parts of `keras.layers` whose names `keras.layers` itself has in Keras 2 and 3.
_OF_LAYERS = {
    f'keras.layers.{name}'
    for name in (
        'core convolutional convolutional_recurrent recurrent pooling normalization embeddings noise wrappers '
        'advanced_activations'
    ).split()
}
# Names that Keras 1 had there, and that are gone.
_GONE_LAYERS = set(
    'Merge merge Highway MaxoutDense TimeDistributedDense SReLU ParametricSoftplus Recurrent LambdaMerge '
    'ActivityRegularization ConvRecurrent2D AtrousConvolution1D AtrousConvolution2D'.split()
)
# Parts of `keras.engine` and what of them Keras 3 has elsewhere.
_OF_ENGINE = {f'keras.engine{name}': {'Layer', 'InputSpec', 'Input'} for name in ('', '.topology', '.base_layer')}
_OF_KERAS_3 = frozenset(
    'activations applications backend callbacks constraints datasets initializers layers losses metrics models ops '
    'optimizers preprocessing random regularizers saving utils'.split()
)
_BELOW: Tuple[str, ...] = ('keras.applications.', 'keras.datasets.', 'keras.backend.')
_BELOW += ('keras.preprocessing.image', 'keras.preprocessing.sequence', 'keras.optimizers.schedules')
_PACKAGES = ('keras', 'tensorflow.keras')


def older_paths(code: Code) -> Iterator[Change]:
    """The paths of `from ... import`, on the way to Keras 3."""
    if code.route == 'keras2':
        return
    for node in code.nodes(ast.ImportFrom):
        module = node.module or ''
        full = keras_name(module)
        if node.level or not full.startswith('keras.') or not module.startswith(_PACKAGES):
            continue
        names = {alias.name for alias in node.names}
        if full == 'keras.utils' and names == {'np_utils'} and len(node.names) == 1:
            yield from _np_utils(code, node, module)
        if full in _OF_LAYERS and not names & (_GONE_LAYERS | {'*'}):
            yield _moved_module(code, node, module, module.rpartition('.')[0])
        elif full == 'keras.utils.np_utils' and names <= {'to_categorical', 'normalize'}:
            yield _moved_module(code, node, module, module.rpartition('.')[0])
        elif full == 'keras.objectives' and '*' not in names:
            yield _moved_module(code, node, module, module.rpartition('.')[0] + '.losses')
        elif names <= _OF_ENGINE.get(full, set()):
            yield _moved_module(code, node, module, module[: -len(full)] + 'keras.layers')
        elif names == {'Model'} and full in ('keras.engine', 'keras.engine.training'):
            yield _moved_module(code, node, module, module[: -len(full)] + 'keras.models')
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


def _moved_module(code: Code, node: Any, module: str, new: str) -> Change:
    start = code.text.index(module, code.span(node)[0])
    reason = f'the names of {module} are in {new} today'
    return Change('path', node.lineno, reason, ((start, start + len(module), new),))


# -- NumPy and SciPy ---------------------------------------------------------------------------------------------------
# Names that NumPy and SciPy removed, where the cures of the launchers know the name of today.


# These do not mean the same for every argument, or are not in every NumPy that programs run with.
_NOT_THE_SAME = ('trapz', 'in1d', 'typeDict')
# A name of SciPy -> the module that has it today, as the cures of SciPy say.
_OF_SCIPY = {f'scipy.misc.{name}': 'scipy.special' for name in ('comb', 'factorial', 'factorial2', 'logsumexp')}
_OF_SCIPY['scipy.misc.pade'] = 'scipy.interpolate'
_OF_SCIPY.update(
    (f'scipy.signal.{name}', 'scipy.signal.windows') for name in ('gaussian', 'hann', 'hamming', 'blackman')
)

# What the launchers bring back, and no other library has in the same words.
_OF_LAUNCHERS = {
    f'scipy.misc.{name}' for name in ('imresize', 'imread', 'imsave', 'imrotate', 'imfilter', 'toimage', 'bytescale')
}


def names_of_libraries(code: Code) -> Iterator[Change]:
    """`np.float`, `np.Inf`, `np.asscalar`, `from scipy.misc import comb`."""
    for node in code.nodes(ast.Attribute):
        full = code.names.written(node)
        if full.startswith('numpy.') and isinstance(node.ctx, ast.Load):
            yield from _of_numpy(code, node, full[6:])
    for node in code.nodes(ast.ImportFrom):
        yield from _moved_function(code, node)
    if code.route == 'import':
        yield from _gone(code)


def _of_numpy(code: Code, node: Any, name: str) -> Iterator[Change]:
    written = code.source(node)
    if name in PYTHON_TYPES:
        new = PYTHON_TYPES[name].__name__
        if not code.names.scope(node).find(new):
            yield Change(
                'numpy', node.lineno, f'{written} is {new}; NumPy 1.24 removed it', (code.replaced(node, new),)
            )
    elif name in RENAMED and name not in _NOT_THE_SAME:
        new = RENAMED[name]
        reason = f'{written} is {new} of NumPy; NumPy 2 removed the other name'
        yield Change('numpy', node.lineno, reason, ((*code.attribute(node), new),))
    elif name == 'asscalar':
        call = code.names.parents[id(node)]
        if isinstance(call, ast.Call) and call.func is node and len(call.args) == 1 and not call.keywords:
            end = code.span(call)[1]
            reason = f'NumPy 1.23 removed {written}'
            yield Change('numpy', node.lineno, reason, ((*code.attribute(node), 'asarray'), (end, end, '.item()')))


def _gone(code: Code) -> Iterator[Change]:
    """`scipy.misc.imresize`, which only the launchers have."""
    for call in code.nodes(ast.Call):
        full = code.names.written(call.func)
        if full in _OF_LAUNCHERS:
            reason = f'{full} is gone since SciPy 1.3, and the launchers have it; write it with Pillow by hand'
            yield Change('scipy', call.lineno, reason)


def _moved_function(code: Code, node: Any) -> Iterator[Change]:
    """`from scipy.misc import comb` is `from scipy.special import comb`."""
    modules = {_OF_SCIPY.get(f'{node.module}.{alias.name}', '') for alias in node.names}
    if node.level or modules == {''} or len(modules) != 1:
        return
    start = code.text.index(node.module, code.span(node)[0])
    new = modules.pop()
    names = ', '.join(alias.name for alias in node.names)
    span = (start, start + len(node.module), new)
    yield Change('scipy', node.lineno, f'{names} of {node.module} is in {new} since SciPy 1.3', (span,))


# -- Python 2 ----------------------------------------------------------------------------------------------------------
# Names of Python 2 that are another builtin of Python 3.


_GUARDS = {'NameError', 'Exception', 'BaseException'}


def names_of_python2(code: Code) -> Iterator[Change]:
    """`xrange`, `raw_input`, `unicode`, where nothing binds the name."""
    for node in code.nodes(ast.Name):
        new = BUILTINS.get(node.id, '')
        if not new.isidentifier() or node.id == 'file' or not isinstance(node.ctx, ast.Load):
            continue
        names = code.names
        if names.is_builtin(node.id, node) and names.is_builtin(new, node) and not _guarded(code, node):
            reason = f'{node.id} is {new} in Python 3'
            yield Change('python2-name', node.lineno, reason, (code.replaced(node, new),))


def _guarded(code: Code, node: ast.AST) -> bool:
    """Whether a `try` catches that the name is missing."""
    above = code.names.parents.get(id(node))
    while above is not None:
        if isinstance(above, ast.Try):
            caught: Set[str] = {getattr(one.type, 'id', '') if one.type else 'Exception' for one in above.handlers}
            if caught & _GUARDS:
                return True
        above = code.names.parents.get(id(above))
    return False
