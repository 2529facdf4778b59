"""Attributes, operators and containers."""

from typing import Any, List, Tuple

from .. import operators
from ..instructions import Step
from ..limits import NotAllowed, in_words
from ..machine import Frame
from ..values import NULL, Iterator, Namespace, attribute, elements
from .table import of, replaces

replaces('attribute', lambda frame, name, value: attribute(value, name, frame.world.tensors))
replaces('unary', lambda frame, sign, value: operators.unary(sign, value, frame.budget))
replaces('binary', lambda frame, sign, a, b: operators.binary(sign, a, b, frame.budget))
replaces('change', lambda frame, sign, a, b: operators.change(sign, a, b, frame.budget))
replaces('compare', lambda frame, sign, a, b: operators.compare(sign, a, b, frame.budget))
replaces('item', lambda frame, _, value, key: operators.item(value, key, frame.world.tensors, frame.budget))
replaces('tuple', lambda frame, _, *values: values)
replaces('list', lambda frame, _, *values: list(values))
replaces('slice', lambda frame, _, *values: operators.ends_of_slice(*values))
replaces('tuple of', lambda frame, _, value: tuple(elements(value, frame.budget)))
replaces('join', lambda frame, _, *texts: frame.join(texts))
replaces('text of', lambda frame, _, value: operators.text_of(value))
replaces('iterate', lambda frame, _, value: value if isinstance(value, Iterator) else Iterator(value, frame.budget))
replaces('import', lambda frame, name, level, names: frame.world.module(name, names))


def _slice_item(frame: Frame, given: Tuple[bool, bool], value: Any, *ends: Any) -> Any:
    left = list(ends)
    start = left.pop(0) if given[0] else None
    key = operators.ends_of_slice(start, left.pop(0) if given[1] else None)
    return operators.item(value, key, frame.world.tensors, frame.budget)


def _set(frame: Frame, _: Any, *values: Any) -> Any:
    frame.budget.make_keys(values)
    return set(values)


def _dict(frame: Frame, pairs: int, *values: Any) -> Any:
    frame.budget.make_keys(values[::2])
    return dict(zip(values[::2], values[1::2]))


def _dict_of_names(frame: Frame, _: Any, *values: Any) -> Any:
    names = elements(values[-1], frame.budget)
    frame.budget.make_keys(names)
    return dict(zip(names, values[:-1]))


def _chain(frame: Frame, kind: str, *values: Any) -> Any:
    chained = [element for value in values for element in elements(value, frame.budget)]
    if kind == 'set':
        return _set(frame, None, *chained)
    return tuple(chained) if kind == 'tuple' else chained


def merge(frame: Frame, _: Any, *dicts: Any) -> Any:
    """One dict of several."""
    keys: List[Any] = []
    values: List[Any] = []
    for mapping in dicts:
        if type(mapping) is not dict:
            raise NotAllowed(f'it takes {in_words(mapping)} for a dict')
        keys += elements(mapping, frame.budget)
        values += mapping.values()
    frame.budget.make_keys(keys)
    return dict(zip(keys, values))


replaces('slice item', _slice_item)
replaces('set', _set)
replaces('dict', _dict)
replaces('dict of names', _dict_of_names)
replaces('chain', _chain)
replaces('merge', merge)


@of('method')
def _method(frame: Frame, step: Step) -> None:
    name, null_first = step.operation.value
    method = attribute(frame.pop(), name, frame.world.tensors)
    frame.stack += [NULL, method] if null_first else [method, NULL]


@of('import from')
def _import_from(frame: Frame, step: Step) -> None:
    module = frame.stack[-1]
    if not isinstance(module, Namespace):
        raise NotAllowed(f'it imports from {in_words(module)}')
    frame.push(module.member(step.operation.value))


@of('set item')
def _set_item(frame: Frame, step: Step) -> None:
    new, value, key = frame.take(3)
    operators.set_item(value, key, new, frame.budget)


@of('append')
def _append(frame: Frame, step: Step) -> None:
    value = frame.pop()
    frame.budget.make(1)
    frame.below(step.operation.value, list).append(value)


@of('add')
def _add(frame: Frame, step: Step) -> None:
    value = frame.pop()
    container = frame.below(step.operation.value, set)
    frame.budget.hash_into(container, frame.budget.walk(value))
    container.add(value)


@of('map add')
def _map_add(frame: Frame, step: Step) -> None:
    count, key_last = step.operation.value
    first, second = frame.take(2)
    key, value = (second, first) if key_last else (first, second)
    operators.set_item(frame.below(count, dict), key, value, frame.budget)


@of('extend')
def _extend(frame: Frame, step: Step) -> None:
    more = elements(frame.pop(), frame.budget)
    frame.below(step.operation.value, list).extend(more)


@of('set update')
def _set_update(frame: Frame, step: Step) -> None:
    more = elements(frame.pop(), frame.budget)
    container = frame.below(step.operation.value, set)
    frame.budget.make_keys([*container, *more])
    container.update(more)


@of('dict update')
def _dict_update(frame: Frame, step: Step) -> None:
    more = merge(frame, None, frame.pop())
    container = frame.below(step.operation.value, dict)
    frame.budget.make_keys([*container, *more])
    container.update(more)


@of('unpack')
def _unpack(frame: Frame, step: Step) -> None:
    values = elements(frame.pop(), frame.budget)
    if len(values) != step.operation.value:
        raise ValueError(f'{frame.code.name}() unpacks {len(values)} values into {step.operation.value} names.')
    frame.stack += values[::-1]


@of('unpack rest')
def _unpack_rest(frame: Frame, step: Step) -> None:
    (before, after), values = step.operation.value, elements(frame.pop(), frame.budget)
    if len(values) < before + after:
        raise ValueError(f'{frame.code.name}() unpacks {len(values)} values into {before + after} names or more.')
    end = len(values) - after
    frame.stack += [*values[end:][::-1], values[before:end], *values[:before][::-1]]
