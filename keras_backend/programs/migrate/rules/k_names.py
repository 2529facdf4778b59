"""K itself: arguments of the first generation, `K.set_image_dim_ordering`, `K.tf`."""

import ast
from typing import Any, Iterator, Optional, Tuple

from ....contract import CONTRACT, legacy
from ..code import Change, Code
from . import tensorflow_names
from .arguments import of_k, ordering, renamed


def judge(code: Code) -> Iterator[Change]:
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
        yield from renamed(code, call, legacy.Translator(CONTRACT[name]).renamed, f'K.{name}')


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
        spans = tensorflow_names.as_k(code, call, name, k)
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
