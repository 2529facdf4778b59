"""`merge(..., mode='concat')` of Keras 1, which is a function for each mode since Keras 2. A function is a Lambda."""

import ast
from typing import Any, Dict, Iterator, List, Tuple

from ..code import Change, Code

_MODES = {'sum': 'add', 'mul': 'multiply', 'concat': 'concatenate', 'ave': 'average', 'max': 'maximum'}
_HOMES = ('keras.layers.merge', 'keras.layers.core.merge', 'keras.engine.merge', 'keras.engine.topology.merge')


def judge(code: Code) -> Iterator[Change]:
    """All calls of `merge` together with its import, if each of them says its mode."""
    for name, bound in list(code.names.module.bindings.items()):
        if len(bound) == 1 and bound[0].kind == 'import' and bound[0].path in _HOMES:
            yield from _of_import(code, name, bound[0].node)


def _of_import(code: Code, name: str, statement: Any) -> Iterator[Change]:
    uses = [node for node in code.nodes(ast.Name) if node.id == name and code.names.full(node) in _HOMES]
    spans: List[Tuple[int, int, str]] = []
    functions: Dict[str, None] = {}
    for node in uses:
        call = code.names.parents[id(node)]
        replacement = _call(code, call) if isinstance(call, ast.Call) and call.func is node else None
        if replacement is None:
            reason = (
                f'{name}() is gone since Keras 2; write the function of its mode, such as concatenate or dot, by hand'
            )
            yield Change('merge', node.lineno, reason)
            return
        function, more = replacement
        functions[function] = None
        spans += [code.replaced(node, function), *more]
    alias = [imported for imported in statement.names if (imported.asname or imported.name) == name]
    taken = [function for function in functions if function in code.names.module.bindings]
    if not uses or len(alias) != 1 or alias[0].asname or statement.module not in ('keras.layers', 'keras.layers.merge'):
        return
    new = [function for function in functions if function not in taken] or taken[:1]
    if any(not _is_function(code, function) for function in taken):
        return
    if 'Lambda' in new and statement.module != 'keras.layers':
        return
    start, end = code.span(statement)
    position = _word(code.text, name, code.text.index('import', start) + 6, end)
    spans.append((position, position + len(name), ', '.join(new)))
    reason = f'{name}(mode=) is {", ".join(functions)} since Keras 2'
    yield Change('merge', uses[0].lineno, reason, tuple(spans), to_keras_2=True)


def _word(text: str, word: str, start: int, end: int) -> int:
    while True:
        index = text.index(word, start, end)
        around = text[index - 1] + (text[index + len(word)] if index + len(word) < len(text) else ' ')
        if not any(letter.isalnum() or letter == '_' for letter in around):
            return index
        start = index + 1


def _is_function(code: Code, name: str) -> bool:
    return all(binding.path.startswith('keras.layers') for binding in code.names.module.bindings[name])


def _is_function_of_tensors(code: Code, node: Any) -> bool:
    bound = code.names.bindings(node) if isinstance(node, ast.Name) else []
    return isinstance(node, ast.Lambda) or (len(bound) == 1 and bound[0].kind == 'function')


def _lambda(code: Code, call: Any, mode: Any) -> Any:
    """`merge(x, mode=f, output_shape=g)` is `Lambda(f, output_shape=g)(x)`."""
    tensors = code.span(call.args[0])
    span = code.keyword(mode)
    if span is None or code.text[tensors[1] : span[0]].strip() != ',':
        return None
    value, last = code.text.index('=', span[1]) + 1, code.span(call)[1]
    return 'Lambda', [(tensors[0], value, ''), (last, last, f'({code.source(call.args[0])})')]


def _call(code: Code, call: Any) -> Any:
    """The function of a call and the changes of its arguments; None if it is not certain."""
    if len(call.args) != 1:
        return None
    arguments = {keyword.arg: keyword for keyword in call.keywords}
    mode = arguments.get('mode')
    if (
        mode is not None
        and set(arguments) <= {'mode', 'output_shape', 'name'}
        and _is_function_of_tensors(code, mode.value)
    ):
        return _lambda(code, call, mode)
    function = 'add' if mode is None else _MODES.get(getattr(mode.value, 'value', ''))
    if function is None or not set(arguments) <= {'mode', 'concat_axis', 'name'}:
        return None
    if 'concat_axis' in arguments and function != 'concatenate':
        return None
    spans = []
    if 'concat_axis' in arguments:
        span = code.keyword(arguments['concat_axis'])
        if span is None:
            return None
        spans.append((*span, 'axis'))
    if mode is not None:
        span = code.keyword(mode)
        if span is None:
            return None
        start = span[0]
        while code.text[start - 1].isspace():
            start -= 1
        if code.text[start - 1] != ',':
            return None
        spans.append((start - 1, code.span(mode.value)[1], ''))
    return function, spans
