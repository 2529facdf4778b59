"""Arguments of layers that Keras 2 called otherwise, where its release notes name them one to one."""

import ast
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ....basics.tables import beside
from ....config import DIM_ORDERINGS
from ..code import Change, Code

_INITIALIZERS = {'init', 'inner_init', 'beta_init', 'gamma_init'}
# The first bias of the forget gate, which Keras 2 says by a switch.
_FORGET = {'one': 'True', 'ones': 'True', 'zero': 'False', 'zeros': 'False'}

# The modules that are K.
K_HOMES = ('keras.backend.', 'keras_backend.keras3.', 'keras_backend.')

# A class of `keras.layers` -> the older name of an argument -> that of today.
_ROWS = {layer: row for row in beside(__file__, 'arguments.json')['layers'] for layer in row['layers']}
OF_LAYERS: Dict[str, Dict[str, str]] = {layer: row['renamed'] for layer, row in _ROWS.items()}


def older_arguments(code: Code) -> Iterator[Change]:
    """The arguments of layers and of `to_categorical`."""
    for call in code.nodes(ast.Call):
        full = code.names.full(call.func)
        name = full.rpartition('.')[2]
        if full.startswith('keras.layers.') and name in OF_LAYERS:
            yield from _layer(code, call, name)
        elif full in ('keras.utils.np_utils.to_categorical', 'keras.utils.to_categorical'):
            yield from renamed(code, call, {'nb_classes': 'num_classes'}, name)


def _layer(code: Code, call: Any, name: str) -> Iterator[Change]:
    arguments = {keyword.arg for keyword in call.keywords}
    gone = arguments & set(_ROWS[name].get('otherwise', ()))
    if gone:
        words = ', '.join(sorted(gone))
        yield Change('keras1-argument', call.lineno, f'{name}({words}=): Keras 2 has nothing like it; write it by hand')
        return
    yield from renamed(code, call, OF_LAYERS[name], name)
    sizes = _ROWS[name].get('sizes')
    if sizes:
        yield from _sizes(code, call, name, sizes)


def renamed(code: Code, call: Any, table: Dict[str, str], name: str) -> Iterator[Change]:
    """Arguments under other names. `dim_ordering` has other values, too."""
    arguments = {keyword.arg for keyword in call.keywords}
    for keyword in call.keywords:
        new = table.get(keyword.arg or '')
        if not new or new in arguments:
            continue
        span = code.keyword(keyword)
        spans: List[Tuple[int, int, str]] = [] if span is None else [(*span, new)]
        reason = f'{name}({keyword.arg}=) is {new}= since Keras 2'
        if keyword.arg in ('dim_ordering', 'forget_bias_init'):
            value = _ordering_of(code, keyword.value) if keyword.arg == 'dim_ordering' else _switch(code, keyword.value)
            spans = [*spans, value] if spans and value is not None else []
            reason += '' if spans else ', and takes other values; write it by hand'
        elif keyword.arg in _INITIALIZERS and not _is_named(code, keyword.value):
            spans = []
            reason += ', and a function there is called as f(shape, dtype=None); write it by hand'
        yield Change('keras1-argument', keyword.value.lineno, reason, tuple(spans), to_keras_2=True)


def ordering(node: Any) -> Optional[str]:
    """The text of a literal 'th', 'tf' or 'default' in the words of today; None for anything else."""
    value = getattr(node, 'value', None) if isinstance(node, ast.Constant) else None
    if value == 'default':
        return 'None'
    new = DIM_ORDERINGS.get(value) if isinstance(value, str) else None
    return None if new is None else repr(new)


def _ordering_of(code: Code, node: Any) -> Optional[Tuple[int, int, str]]:
    """The change of a value of `dim_ordering`: a literal, or `K.image_dim_ordering()`."""
    if isinstance(node, ast.Call) and of_k(code, node.func) == 'image_dim_ordering' and not node.args:
        return (*code.attribute(node.func), 'image_data_format')
    value = ordering(node)
    return None if value is None else code.replaced(node, value)


def _switch(code: Code, node: Any) -> Optional[Tuple[int, int, str]]:
    """The change of a literal value of `forget_bias_init`."""
    value = _FORGET.get(node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else '')
    return None if value is None else code.replaced(node, value)


def _is_named(code: Code, node: Any) -> bool:
    """Whether an initializer is given by its name: a text, or a variable that no function is known for."""
    if isinstance(node, ast.Name):
        bound = code.names.bindings(node)
        kinds = {binding.kind for binding in bound}
        if kinds and kinds <= {'assign', 'parameter', 'other'}:
            values = [binding.node.value for binding in bound if binding.kind == 'assign']
            return all(isinstance(value, ast.Constant) for value in values)
    return isinstance(node, ast.Constant)


def of_k(code: Code, node: Any) -> str:
    """The name below K of an expression, '' for anything else."""
    full = code.names.full(node)
    return next((full[len(home) :] for home in K_HOMES if full.startswith(home)), '')


def _sizes(code: Code, call: Any, name: str, names: Tuple[str, ...]) -> Iterator[Change]:
    """`Convolution2D(32, 3, 3)` is `Convolution2D(32, (3, 3))`."""
    count = len(names)
    arguments = [keyword.arg for keyword in call.keywords]
    nodes: List[Any] = []
    spans: List[Tuple[int, int, str]] = []
    if any(isinstance(node, ast.Starred) for node in call.args) or None in arguments:
        return
    if len(call.args) == count + 1 and 'kernel_size' not in arguments:
        if isinstance(call.args[1], (ast.Tuple, ast.List)) or (count == 2 and _is_stride(code, call)):
            return
        nodes = call.args[1:]
    elif len(call.args) < 2 and set(names) <= set(arguments):
        first = arguments.index(names[0])
        if arguments[first : first + count] == list(names):
            keywords = call.keywords[first : first + count]
            positions = [code.keyword(keyword) for keyword in keywords]
            if None not in positions:
                nodes = [keyword.value for keyword in keywords]
                spans = [_cut(code, position, node) for position, node in zip(positions, nodes)]
                spans[0] = (spans[0][0], spans[0][1], 'kernel_size=')
    if nodes:
        start, end = code.span(nodes[0])[0], code.span(nodes[-1])[1]
        spans += [(start, start, '('), (end, end, ')')]
        reason = f'{name} takes the sizes of its kernel in one since Keras 2'
        yield Change('keras1-argument', call.lineno, reason, tuple(spans), to_keras_2=True)
    elif set(names) & set(arguments):
        yield Change('keras1-argument', call.lineno, f'{name}({names[0]}=): write kernel_size=(...) by hand')


def _cut(code: Code, place: Any, node: Any) -> Tuple[int, int, str]:
    """The removal of `name=`, up to the sign."""
    sign = code.text.index('=', place[1])
    return place[0], sign + 1, ''


def _is_stride(code: Code, call: Any) -> bool:
    """Whether the third argument of a convolution is its stride, as in Keras 2."""
    return isinstance(call.args[2], (ast.Tuple, ast.List, ast.Dict)) or 'strides' in {arg.arg for arg in call.keywords}


# -- calls of merge ----------------------------------------------------------------------------------------------------
# `merge(..., mode='concat')` of Keras 1, which is a function for each mode since Keras 2. A function is a Lambda.


_MODES = {'sum': 'add', 'mul': 'multiply', 'concat': 'concatenate', 'ave': 'average', 'max': 'maximum'}
_HOMES = ('keras.layers.merge', 'keras.layers.core.merge', 'keras.engine.merge', 'keras.engine.topology.merge')


def calls_of_merge(code: Code) -> Iterator[Change]:
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
        replacement = _function_of_mode(code, call) if isinstance(call, ast.Call) and call.func is node else None
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
    if not uses or len(alias) != 1 or alias[0].asname or statement.module != 'keras.layers':
        return
    new = [function for function in functions if function not in taken] or taken[:1]
    if any(not _is_function(code, function) for function in taken):
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


def _as_lambda(code: Code, call: Any, mode: Any) -> Any:
    """`merge(x, mode=f, output_shape=g)` is `Lambda(f, output_shape=g)(x)`."""
    tensors = code.span(call.args[0])
    span = code.keyword(mode)
    if span is None or code.text[tensors[1] : span[0]].strip() != ',':
        return None
    value, last = code.text.index('=', span[1]) + 1, code.span(call)[1]
    return 'Lambda', [(tensors[0], value, ''), (last, last, f'({code.source(call.args[0])})')]


def _function_of_mode(code: Code, call: Any) -> Any:
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
        return _as_lambda(code, call, mode)
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


# -- optimizers --------------------------------------------------------------------------------------------------------
# `lr` of optimizers, which Keras 3 calls `learning_rate`.


_OPTIMIZERS = ('SGD', 'RMSprop', 'Adagrad', 'Adadelta', 'Adam', 'Adamax', 'Nadam', 'Ftrl')

_DECAY = 'learning_rate=keras.optimizers.schedules.InverseTimeDecay(RATE, 1, DECAY)'
_CALLBACK = 'keras.callbacks.Callback'


def rates_of_optimizers(code: Code) -> Iterator[Change]:
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
        if full.startswith('keras.optimizers.') and full.rpartition('.')[2] in _OPTIMIZERS:
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
