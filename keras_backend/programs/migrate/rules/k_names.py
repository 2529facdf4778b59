"""K itself: arguments of the first generation, `K.set_image_dim_ordering`, `K.tf`."""

import ast
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ....basics.tables import beside
from ....binding import Translator
from ....contract import CONTRACT
from ..code import Change, Code
from .arguments import of_k, ordering, renamed


def names_of_k(code: Code) -> Iterator[Change]:
    """Calls of K, and the TensorFlow that was a name of K."""
    for node in code.nodes((ast.Call, ast.Compare, ast.Attribute)):
        if isinstance(node, ast.Call):
            yield from _call(code, node)
        elif isinstance(node, ast.Compare):
            yield from _comparison(code, node)
        elif of_k(code, node) == 'tf':
            yield from _tensorflow(code, node)


def _call(code: Code, call: Any) -> Iterator[Change]:
    name = of_k(code, call.func)
    if name == 'set_image_dim_ordering':
        value = ordering(call.args[0]) if len(call.args) == 1 and not call.keywords else None
        reason = 'K.set_image_dim_ordering is K.set_image_data_format since Keras 2, with other values'
        spans: Tuple[Tuple[int, int, str], ...] = ()
        if value not in (None, 'None'):
            spans = ((*code.attribute(call.func), 'set_image_data_format'), code.replaced(call.args[0], str(value)))
        yield Change('dim-ordering', call.lineno, reason, spans, to_keras_2=True)
    elif name in CONTRACT and CONTRACT[name].is_legacy:
        yield from renamed(code, call, Translator(CONTRACT[name]).renamed, f'K.{name}')


def _comparison(code: Code, node: Any) -> Iterator[Change]:
    """`K.image_dim_ordering() == 'th'`."""
    sides = [node.left, *node.comparators]
    calls = [side for side in sides if isinstance(side, ast.Call) and of_k(code, side.func) == 'image_dim_ordering']
    if len(calls) == 1 and len(sides) == 2 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        other = sides[1 - sides.index(calls[0])]
        value = ordering(other)
        if value not in (None, 'None'):
            reason = 'K.image_dim_ordering is K.image_data_format since Keras 2, with other values'
            spans = ((*code.attribute(calls[0].func), 'image_data_format'), code.replaced(other, str(value)))
            yield Change('dim-ordering', node.lineno, reason, spans, to_keras_2=True)


def _tensorflow(code: Code, node: Any) -> Iterator[Change]:
    """`K.tf.reduce_sum(x)` is `K.sum(x)`; where K has no such function, it is `tf.` of TensorFlow."""
    whole: Any = node
    while isinstance(code.names.parents[id(whole)], ast.Attribute):
        whole = code.names.parents[id(whole)]
    name = code.source(whole)[len(code.source(node)) + 1 :]
    call = code.names.parents[id(whole)]
    k = code.source(node.value)
    if isinstance(call, ast.Call) and call.func is whole:
        spans = as_k(code, call, name, k)
        if spans is not None:
            reason = f'{code.source(whole)} is {spans[0][2]}; K has no tf since Keras 2.3'
            yield Change('k-tf', node.lineno, reason, tuple(spans))
            return
    reason = f'{code.source(node)} is tensorflow itself; K has no tf since Keras 2.3'
    replacements = _import(code, node)
    yield Change('k-tf', node.lineno, reason, () if replacements is None else replacements)


def _import(code: Code, node: Any) -> Optional[Tuple[Tuple[int, int, str], ...]]:
    """The changes that make `tf` of `K.tf`, with the import of TensorFlow if the program has none."""
    there = code.names.named('tensorflow', node)
    if there:
        return (code.replaced(node, there),)
    base = node
    while isinstance(base, ast.Attribute):
        base = base.value
    statements = [binding.node for binding in code.names.module.bindings.get(base.id, ()) if binding.kind == 'import']
    if code.names.scope(node).find('tf') or 'tf' in code.names.module.bindings or len(statements) != 1:
        return None
    statement = statements[0]
    if not code.is_alone(statement) or not isinstance(code.names.parents[id(statement)], ast.Module):
        return None
    start = code.span(statement)[0]
    return (start, start, f'import tensorflow as tf{code.newline}'), code.replaced(node, 'tf')


# -- TensorFlow --------------------------------------------------------------------------------------------------------
# Functions of TensorFlow in Lambda layers, where K has a function of one meaning.


class _Function(NamedTuple):
    """A K function: how many arguments by position are the same, and the names of the others."""

    name: str
    positions: int
    keywords: Dict[str, str]
    needed: int


# A name below `tf` -> what K has. sqrt is missing: K gives 0 for negative numbers. So are matmul and argmax of one
# argument, which differ for more than two axes and in the default of the axis.
FUNCTIONS: Dict[str, _Function] = {
    name: _Function(function, group['positions'], group['keywords'], group['needed'])
    for group in beside(__file__, 'k_names.json')
    for name, function in group['functions'].items()
}
_DTYPES = 'float16 float32 float64 int8 int16 int32 int64 uint8 bool'.split()


def names_of_tensorflow(code: Code) -> Iterator[Change]:
    """The functions of Lambda layers."""
    for call in code.nodes(ast.Call):
        if code.names.full(call.func) == 'keras.layers.Lambda':
            function = _function(code, call)
            for inner in ast.walk(function) if function is not None else ():
                if isinstance(inner, ast.Call):
                    yield from _inside(code, inner)


def _function(code: Code, call: Any) -> Optional[Any]:
    """The function of a Lambda layer, if it is written here."""
    values = [*call.args[:1], *[keyword.value for keyword in call.keywords if keyword.arg == 'function']]
    if len(values) == 1 and isinstance(values[0], ast.Name):
        bound = code.names.bindings(values[0])
        return bound[0].node if len(bound) == 1 and bound[0].kind == 'function' else None
    return values[0] if len(values) == 1 and isinstance(values[0], ast.Lambda) else None


def _inside(code: Code, call: Any) -> Iterator[Change]:
    full = code.names.written(call.func)
    if not full.startswith('tensorflow.') or not isinstance(call.func, ast.Attribute):
        return
    homes = ('keras.backend', 'keras_backend', 'keras_backend.keras3')
    k = next(filter(None, (code.names.named(home, call) for home in homes)), '')
    spans = as_k(code, call, full[len('tensorflow.') :], k) if k else None
    if spans is not None:
        reason = f'{code.source(call.func)} is {spans[0][2]}, which every engine has'
        yield Change('tf-in-lambda', call.lineno, reason, tuple(spans))


def as_k(code: Code, call: Any, name: str, k: str) -> Optional[List[Tuple[int, int, str]]]:
    """The changes that make a K function of a call of TensorFlow, the name first. None if it is not one to one.

    name: the name below `tf`. k: how the program calls K.
    """
    function = FUNCTIONS.get(name)
    if function is None or any(isinstance(argument, ast.Starred) for argument in call.args) or not call.args:
        return None
    keywords = [keyword.arg for keyword in call.keywords if keyword.arg != 'name']
    if len(call.args) > function.positions or len(call.args) + len(keywords) < function.needed:
        return None
    if any(keyword.arg not in function.keywords for keyword in call.keywords):
        return None
    spans = [code.replaced(call.func, f'{k}.{function.name}')]
    for keyword in call.keywords:
        span = code.keyword(keyword)
        if span is None:
            return None
        if keyword.arg != function.keywords[keyword.arg]:
            spans.append((*span, function.keywords[keyword.arg]))
    more = _values(code, call, name)
    return None if more is None else spans + more


def _values(code: Code, call: Any, name: str) -> Optional[List[Tuple[int, int, str]]]:
    """The changes of the second argument; None if K takes another kind of value there."""
    second = call.args[1] if len(call.args) > 1 else call.keywords[0].value if call.keywords else None
    if name == 'cast':
        full = code.names.written(second)
        dtype = full.rpartition('.')[2]
        known = isinstance(second, ast.Attribute) and dtype in _DTYPES
        if known and (full == f'tensorflow.{dtype}' or code.source(second).endswith(f'.tf.{dtype}')):
            return [code.replaced(second, repr(dtype))]
        return [] if isinstance(getattr(second, 'value', None), str) and isinstance(second, ast.Constant) else None
    if name == 'concat' and isinstance(call.args[0], ast.Constant):  # the order of before TensorFlow 1
        return None
    if name in ('squeeze', 'expand_dims', 'argmax', 'argmin', 'concat') and not _is_number(second):
        return None
    return []


def _is_number(node: Any) -> bool:
    plain = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(plain, ast.Constant) and type(plain.value) is int
