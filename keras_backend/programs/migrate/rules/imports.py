"""The import of K, on the way 'import': `from keras import backend as K` is `import keras_backend as K`."""

import ast
from typing import Any, Iterator, List, Optional, Tuple

from ...launcher.check.uses import keras_name
from ...on_keras3.check.rules import GONE, OF_TF_KERAS
from ..code import Change, Code

_HERE = 'keras', 'tensorflow'
_BACKEND = 'keras.backend'
# What Keras 3 has under the names that tf.keras had.
_MODULES = frozenset(
    'activations applications callbacks constraints datasets initializers layers losses metrics models optimizers '
    'preprocessing regularizers utils'.split()
)


def judge(code: Code) -> Iterator[Change]:
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
