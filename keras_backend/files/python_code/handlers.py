"""What each operation does to the frame of a function: a table of handlers.

What is allowed, and how much of it, is decided in `values`, `operators` and `limits`.
"""

from typing import Any, Callable, Dict, List, Tuple

from . import operators
from .instructions import Step
from .limits import NotAllowed, in_words
from .machine import Cell, Frame, Function
from .marshal_data import Code
from .operations import REFUSED, Call
from .translation import MakeFunction
from .values import NULL, Iterator, Namespace, attribute, elements

Handler = Callable[[Frame, Step], Any]  # what it returns is not used
HANDLERS: Dict[str, Handler] = {}


def of(*kinds: str) -> Callable[[Handler], Handler]:
    """Enter a function for operations of these kinds."""

    def enter(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(kinds, handler))
        return handler

    return enter


def pushes(kind: str, make: Callable[[Frame, Any], Any]) -> None:
    """Enter an operation that takes nothing and pushes a value made of its argument."""
    HANDLERS[kind] = lambda frame, step: frame.push(make(frame, step.operation.value))


def replaces(kind: str, make: Callable[..., Any]) -> None:
    """Enter an operation that takes its values, the lowest first, and pushes one that is made of them."""

    def handle(frame: Frame, step: Step) -> None:
        frame.push(make(frame, step.operation.value, *frame.take(step.operation.takes)))

    HANDLERS[kind] = handle


# -- variables ---------------------------------------------------------------------------------------------------------
# The stack and the variables.


@of(REFUSED)
def _refuse(frame: Frame, step: Step) -> None:
    raise NotAllowed(f'its instruction {step.operation.value} is not allowed')


HANDLERS.update(
    {
        'nothing': lambda frame, step: None,
        'drop': lambda frame, step: frame.pop(),
        'copy': lambda frame, step: frame.push(frame.stack[len(frame.stack) - max(step.operation.value, 1)]),
        'delete local': lambda frame, step: frame.locals.pop(step.operation.value, None),
        'block': lambda frame, step: frame.blocks.append((step.target, len(frame.stack))),
        'end block': lambda frame, step: frame.blocks.pop(),
    }
)


@of('rotate')
def _rotate(frame: Frame, step: Step) -> None:
    taken = frame.take(step.operation.takes)
    frame.stack += taken[-1:] + taken[:-1]


@of('repeat')
def _repeat(frame: Frame, step: Step) -> None:
    frame.stack += frame.stack[len(frame.stack) - step.operation.value :]


@of('swap')
def _swap(frame: Frame, step: Step) -> None:
    index = len(frame.stack) - max(step.operation.value, 1)
    frame.stack[index], frame.stack[-1] = frame.stack[-1], frame.stack[index]


pushes('null', lambda frame, value: NULL)
pushes('constant', lambda frame, value: value)
pushes('global', lambda frame, name: frame.world.name(name))


def _local(frame: Frame, name: str) -> Any:
    # Since Python 3.13 a shared variable is loaded as its cell by the same instruction.
    value = frame.locals[name] if name in frame.locals else frame.cells.get(name, NULL)
    return _known(frame, name, value)


def _cell_value(frame: Frame, name: str) -> Any:
    return _known(frame, name, frame.cells[name].value if name in frame.cells else NULL)


def _known(frame: Frame, name: str, value: Any) -> Any:
    if value is NULL:
        raise UnboundLocalError(f'{frame.code.name}() uses {name} before it has a value.')
    return value


pushes('local', _local)
pushes('local or null', lambda frame, name: frame.locals.pop(name, frame.cells.pop(name, NULL)))
pushes('cell value', _cell_value)
pushes('cell', lambda frame, name: frame.cells.setdefault(name, Cell()))


@of('make cell')
def _make_cell(frame: Frame, step: Step) -> None:
    name = step.operation.value
    frame.cells[name] = Cell(frame.locals.pop(name, NULL))


@of('set local')
def _set_local(frame: Frame, step: Step) -> None:
    name, value = step.operation.value, frame.pop()
    if isinstance(value, Cell):
        frame.cells[name] = value
    elif value is NULL:
        frame.locals.pop(name, None)
    else:
        frame.locals[name] = value


@of('set cell')
def _set_cell(frame: Frame, step: Step) -> None:
    frame.cells.setdefault(step.operation.value, Cell()).value = frame.pop()


# -- jumps -------------------------------------------------------------------------------------------------------------
# Jumps, loops and results.

JUMPS: Dict[str, Callable[[Any], bool]] = {
    'true': bool,
    'false': lambda value: not value,
    'none': lambda value: value is None,
    'not none': lambda value: value is not None,
}


@of('jump')
def _jump(frame: Frame, step: Step) -> None:
    frame.place = step.target


@of('jump if')
def _jump_if(frame: Frame, step: Step) -> None:
    if JUMPS[step.operation.value](frame.pop()):
        frame.place = step.target


@of('jump or drop')
def _jump_or_drop(frame: Frame, step: Step) -> None:
    if bool(frame.stack[-1]) is step.operation.value:
        frame.place = step.target
    else:
        frame.pop()


@of('next')
def _next(frame: Frame, step: Step) -> None:
    iterator = frame.stack[-1]
    if not isinstance(iterator, Iterator):
        raise NotAllowed(f'it goes through the elements of {in_words(iterator)}')
    value = iterator.next()
    if value is not NULL:
        frame.push(value)
        return
    if step.operation.value:
        frame.push(NULL)
    else:
        frame.pop()
    frame.place = step.target


@of('break')
def _break(frame: Frame, step: Step) -> None:
    frame.place, depth = frame.blocks.pop()
    del frame.stack[depth:]


@of('return')
def _return(frame: Frame, step: Step) -> None:
    frame.result = frame.pop()
    if frame.result is NULL:
        raise NotAllowed('it returns nothing')


@of('return constant')
def _return_constant(frame: Frame, step: Step) -> None:
    frame.result = step.operation.value


@of('yield')
def _yield(frame: Frame, step: Step) -> None:
    frame.budget.make(1)
    frame.yielded.append(frame.pop())
    frame.push(None)


# -- containers --------------------------------------------------------------------------------------------------------
# Attributes, operators and containers.

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


# -- functions ---------------------------------------------------------------------------------------------------------
# Calls and the making of functions.


@of('keywords')
def _keywords(frame: Frame, step: Step) -> None:
    frame.keywords = step.operation.value


@of('call')
def _call(frame: Frame, step: Step) -> None:
    shape: Call = step.operation.value
    function, args, names, pairs, star, stars = shape.taken(frame, lambda value: value is NULL, (), {})
    if type(names) is not tuple or len(names) > len(args):
        raise NotAllowed('it names arguments that it does not give')
    start = len(args) - len(names)
    named = [*zip(names, args[start:]), *zip(pairs[::2], pairs[1::2]), *merge(frame, None, stars).items()]
    if not all([type(name) is str for name, value in named]):
        raise NotAllowed('it names an argument by something else than a string')
    kwargs = dict(named)
    frame.push(frame.call(function, [*args[:start], *elements(star, frame.budget)], kwargs))


@of('function')
def _function(frame: Frame, step: Step) -> None:
    shape: MakeFunction = step.operation.value
    taken = frame.take(shape.takes)
    if shape.has_name:
        taken.pop()
    code = taken.pop()
    if not isinstance(code, Code):
        raise NotAllowed(f'it makes a function of {in_words(code)}')
    closure = taken.pop() if shape.closure else ()
    if shape.flags & 4 or shape.annotations:
        del taken[len(taken) - (1 if shape.flags & 4 else shape.annotations + 1) :]
    keywords = merge(frame, None, taken.pop()) if shape.flags & 2 else {}
    defaults = elements(taken.pop(), frame.budget) if shape.flags & 1 else taken[: shape.defaults]
    pairs = taken[shape.defaults :] if shape.pairs else []
    frame.budget.make_keys([*keywords, *pairs[::2]])
    keywords.update(zip(pairs[::2], pairs[1::2]))
    frame.push(Function(frame.world, code, tuple(defaults), keywords, closure))


@of('set of function')
def _set_of_function(frame: Frame, step: Step) -> None:
    value, function = frame.take(2)
    if not isinstance(function, Function):
        raise NotAllowed(f'it makes a function of {in_words(function)}')
    bit = step.operation.value
    frame.budget.step(len(function.keywords))
    defaults = tuple(elements(value, frame.budget)) if bit == 1 else function.defaults
    keywords = merge(frame, None, value) if bit == 2 else function.keywords
    frame.push(Function(function.world, function.code, defaults, keywords, value if bit == 8 else function.closure))
