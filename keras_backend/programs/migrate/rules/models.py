"""Arguments and methods of models: `nb_epoch`, `Model(input=)`, `fit_generator`, `predict_classes`."""

import ast
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ..code import Change, Code
from .arguments import renamed

_EPOCHS = {'nb_epoch': 'epochs'}
_QUEUE = {'nb_worker': 'workers', 'max_q_size': 'max_queue_size', 'pickle_safe': 'use_multiprocessing'}
OF_METHODS: Dict[str, Dict[str, str]] = {
    'fit': _EPOCHS,
    'fit_generator': {**_EPOCHS, **_QUEUE},
    'evaluate_generator': _QUEUE,
    'predict_generator': _QUEUE,
}
_SAMPLES = ('samples_per_epoch', 'nb_val_samples', 'val_samples')
_MODELS = tuple(f'keras.{home}Model' for home in ('', 'models.', 'engine.', 'engine.training.'))
# The order of the arguments of the methods that Keras 3 has no more.
_ORDER = {
    'fit_generator': ('generator', 'steps_per_epoch', 'epochs', 'verbose', 'callbacks', 'validation_data'),
    'evaluate_generator': ('generator', 'steps'),
    'predict_generator': ('generator', 'steps'),
}
_OLD = set(OF_METHODS) | {'predict_classes', 'predict_proba'}


def methods_of_models(code: Code) -> Iterator[Change]:
    """What is done with models."""
    for call in code.nodes(ast.Call):
        if code.names.full(call.func) in _MODELS:
            yield from renamed(code, call, {'input': 'inputs', 'output': 'outputs'}, 'Model')
        elif isinstance(call.func, ast.Attribute) and call.func.attr in _OLD:
            yield from _method(code, call)


def _method(code: Code, call: Any) -> Iterator[Change]:
    name = call.func.attr
    arguments = {keyword.arg for keyword in call.keywords}
    old = sorted(arguments & set(OF_METHODS.get(name, {})))
    of_keras_3 = code.route != 'keras2' and name != 'fit'
    if not code.models.is_model(call.func.value):
        if old or of_keras_3:
            usage = f'{old[0]}= of {name}' if old else f'.{name}()'
            yield Change('model', call.lineno, f'{usage}: it is not certain that this is a model of Keras; look at it')
        return
    yield from renamed(code, call, OF_METHODS.get(name, {}), name)
    samples = [argument for argument in _SAMPLES if argument in arguments]
    if samples:
        reason = f'{name}({samples[0]}=) counts samples; Keras 2 counts batches; write it by hand'
        yield Change('samples-per-epoch', call.lineno, reason)
    elif of_keras_3 and name.endswith('_generator'):
        yield from _generator(code, call, name)
    elif of_keras_3:
        yield from _predictions(code, call, name)


def _generator(code: Code, call: Any, name: str) -> Iterator[Change]:
    """`fit_generator(g, 10)` is `fit(g, steps_per_epoch=10)`."""
    short, order = name.partition('_')[0], _ORDER[name]
    if any(isinstance(node, ast.Starred) for node in call.args) or len(call.args) > len(order):
        yield Change('generator', call.lineno, f'{name}: write {short}, with names for the arguments, by hand')
        return
    queue = {*_QUEUE, *_QUEUE.values()} & {keyword.arg for keyword in call.keywords}
    if queue and code.route == 'import':
        reason = (
            f'{name}({sorted(queue)[0]}=): fit of Keras 3 does not take it; give it to the data set, and write {short}'
        )
        yield Change('generator', call.lineno, reason)
        return
    spans = [(*code.attribute(call.func), short)]
    for node, argument in list(zip(call.args, order))[1:]:
        start = _outside(code, code.span(node)[0])
        spans.append((start, start, f'{argument}='))
    for keyword in call.keywords:
        span = code.keyword(keyword)
        if keyword.arg == 'generator' and span is not None:
            spans.append((*span, 'x'))
    if name != 'fit_generator':
        spans += _quiet(code, call)
    yield Change('generator', call.lineno, f'{name} is {short} in Keras 3', tuple(spans))


def _outside(code: Code, position: int) -> int:
    """A place before the brackets around an expression: after the comma before it."""
    while code.text[position - 1] != ',' and (code.text[position - 1] == '(' or code.text[position - 1].isspace()):
        position -= 1
    while code.text[position].isspace():
        position += 1
    return position


def _predictions(code: Code, call: Any, name: str) -> Iterator[Change]:
    """`predict_proba` is `predict`; `predict_classes` is the largest, or what is over a half."""
    spans = [(*code.attribute(call.func), 'predict')]
    if len(call.args) < 3:
        spans += _quiet(code, call)
    start, end = code.span(call)
    if name == 'predict_classes':
        kind = _last_activation(code, call.func.value)
        if kind == 'softmax':
            spans.append((end, end, '.argmax(axis=-1)'))
        elif kind == 'sigmoid':
            spans += [(start, start, '('), (end, end, " > 0.5).astype('int32')")]
        else:
            reason = 'predict_classes: write model.predict(x).argmax(axis=-1), or model.predict(x) > 0.5 for one output'
            yield Change('predictions', call.lineno, reason)
            return
    yield Change('predictions', call.lineno, f'models of Keras 3 have no {name}', tuple(spans))


def _quiet(code: Code, call: Any) -> List[Tuple[int, int, str]]:
    """`verbose=0`, which was the default of the older method and is not that of the new one."""
    if {'verbose', None} & {keyword.arg for keyword in call.keywords}:
        return []
    last = [*call.args, *[keyword.value for keyword in call.keywords]]
    end = _after(code, code.span(last[-1])[1], code.span(call)[1]) if last else code.span(call)[1] - 1
    return [(end, end, ', verbose=0' if last else 'verbose=0')]


def _after(code: Code, position: int, end: int) -> int:
    """The place after the brackets around the last argument of a call that ends at `end`."""
    while position < end - 1 and (code.text[position].isspace() or code.text[position] == ')'):
        position += 1
    while code.text[position - 1].isspace():
        position -= 1
    return position


def _last_activation(code: Code, model: Any) -> str:
    """'softmax', or 'sigmoid' of one number, if the last layer that is added to a model says so."""
    if not isinstance(model, ast.Name):
        return ''
    bound = code.names.bindings(model)
    added: List[Any] = []
    for call in code.nodes(ast.Call):
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr == 'add' and isinstance(function.value, ast.Name):
            if function.value.id == model.id and code.names.bindings(function.value) is bound and call.args:
                added.append(call.args[0])
    calls = [one.node.value for one in bound if one.kind == 'assign' and isinstance(one.node.value, ast.Call)]
    if not added and len(calls) == 1 and calls[0].args and isinstance(calls[0].args[0], ast.List):
        added = list(calls[0].args[0].elts)
    return _activation(code, added) if len(calls) == 1 else ''


def _activation(code: Code, layers: List[Any]) -> str:
    if not layers or not isinstance(layers[-1], ast.Call):
        return ''
    last = layers[-1]
    name = code.names.full(last.func).rpartition('.')[2]
    value = _constant(last.args[0]) if name == 'Activation' and last.args else None
    value = next((_constant(keyword.value) for keyword in last.keywords if keyword.arg == 'activation'), value)
    dense = layers[-2] if name == 'Activation' and len(layers) > 1 else last
    if value == 'softmax':
        return 'softmax'
    return 'sigmoid' if value == 'sigmoid' and _units(code, dense) == 1 else ''


def _units(code: Code, dense: Any) -> Optional[Any]:
    if not isinstance(dense, ast.Call) or code.names.full(dense.func).rpartition('.')[2] != 'Dense':
        return None
    units: Tuple[Any, ...] = (
        *dense.args[:1],
        *[keyword.value for keyword in dense.keywords if keyword.arg in ('units', 'output_dim')],
    )
    return _constant(units[0]) if units else None


def _constant(node: Any) -> Any:
    return node.value if isinstance(node, ast.Constant) else None
