"""Operations on the stack, on variables, with operators and containers; calls, jumps and imports."""

from typing import Any, List

from ..python_code.instructions import Step
from ..python_code.marshal_data import Code
from ..python_code.operations import REFUSED, Call
from ..python_code.translation import MakeFunction
from .blocks import Edge
from .execution import TABLE, Do, Execution, added, of
from .nodes import Node, Unclear, may_drop, resolved

# -- the stack and variables ---------------------------------------------------------------------------------------
TABLE.update(
    {
        **dict.fromkeys(['nothing', 'make cell', 'end block', 'block'], lambda run, step: None),
        'delete local': lambda run, step: run.block.statements.append(run.make('delete', step.operation.value)),
        'compare': lambda run, step: run.push('compare', (step.operation.value,), run.take(2)),
        'import from': lambda run, step: run.stack.append(
            Node('from', step.operation.value, [run.stack[-1]], run.line)
        ),
        'jump': lambda run, step: run.ends('jump', [step.target]),
        'return': lambda run, step: run.ends('return', [], run.pop()),
        'return constant': lambda run, step: run.ends('return', [], Node('constant', step.operation.value)),
    }
)


@of('drop')
def _drop(run: Execution, step: Step) -> None:
    node = resolved(run.pop())
    if step.instruction == 'PRINT_ITEM':
        run.block.statements.append(Node('print', None, [node], run.line))
    elif node.kind == 'yield' and run.code.name == '<genexpr>':
        run.block.log.remove(node)
        run.block.statements.append(Node('grow', ('generator', Node('nothing')), node.parts, run.line))
    elif node.kind == 'import':
        node.kind = 'imported' if node.targets else 'import'
        if node.targets:
            run.block.statements.append(node)
    elif node.kind in ('element', 'part', 'unpack'):
        raise Unclear('it drops a part of a value')
    elif not may_drop(node):
        run.block.statements.append(Node('expression', None, [node], run.line))


@of('rotate')
def _rotate(run: Execution, step: Step) -> None:
    taken = run.take(step.operation.takes)
    run.stack += taken[-1:] + taken[:-1]


@of('repeat')
def _repeat(run: Execution, step: Step) -> None:
    run.stack += run.repeated(run.stack[len(run.stack) - step.operation.value :])


@of('copy')
def _copy(run: Execution, step: Step) -> None:
    run.stack += run.repeated([run.stack[len(run.stack) - max(step.operation.value, 1)]])


@of('swap')
def _swap(run: Execution, step: Step) -> None:
    index = len(run.stack) - max(step.operation.value, 1)
    run.stack[index], run.stack[-1] = run.stack[-1], run.stack[index]


def _makes(kind: str) -> Do:
    """A node of what the operation takes, which may be nothing."""
    return lambda run, step: run.push(kind, step.operation.value, run.take(step.operation.takes))


TABLE.update(
    {
        kind: _makes(kind)
        for kind in (
            'null constant cell yield attribute unary binary change item tuple list set slice iterate join'
        ).split()
    }
)
TABLE.update({'global': _makes('name'), 'cell value': _makes('name'), 'local or null': _makes('saved')})
TABLE['text of'] = _makes('text')


@of('local')
def _local(run: Execution, step: Step) -> None:
    name = step.operation.value
    # Since Python 3.13 a shared variable is loaded as its cell by the same instruction.
    run.push('cell' if name in run.code.cellvars + run.code.freevars else 'name', name)
    run.stack[-1].is_local = True


@of('set local', 'set cell')
def _set_variable(run: Execution, step: Step) -> None:
    value = run.pop()
    if value.kind not in ('saved', 'cell'):
        run.store(Node('name', step.operation.value), value)


# -- operators and containers --------------------------------------------------------------------------------------
@of('slice item')
def _slice_item(run: Execution, step: Step) -> None:
    value, *ends = run.take(step.operation.takes)
    bounds = [ends.pop(0) if there else Node('constant') for there in step.operation.value]
    run.push('item', None, [value, Node('slice', None, bounds)])


@of('set item')
def _set_item(run: Execution, step: Step) -> None:
    new, value, key = run.take(3)
    old = new.parts[0] if new.kind == 'change' else new
    if old.kind == 'item' and old.parts[0] is value and old.parts[1] is key and old is not new:
        run.assign(Node('same', None, []), new)
    else:
        run.store(Node('item', None, [value, key]), new)


@of('tuple of')
def _tuple_of(run: Execution, step: Step) -> None:
    node = resolved(run.pop())
    run.stack.append(node if node.kind == 'tuple' else Node('tuple of', None, [node], run.line))


@of('dict')
def _dict(run: Execution, step: Step) -> None:
    nodes = run.take(step.operation.takes)
    run.push('dict', None, [Node('pair', None, list(pair)) for pair in zip(nodes[::2], nodes[1::2])])


@of('dict of names')
def _dict_of_names(run: Execution, step: Step) -> None:
    *values, names = run.take(step.operation.takes)
    if names.kind != 'constant' or type(names.value) is not tuple or len(names.value) != len(values):
        raise Unclear('it makes a dict of keys that are not there')
    pairs = [Node('pair', None, [Node('constant', key), value]) for key, value in zip(names.value, values)]
    run.push('dict', None, pairs)


@of('chain')
def _chain(run: Execution, step: Step) -> None:
    elements: List[Node] = []
    for container in run.take(step.operation.takes):
        elements += added('extend', [container])
    run.push(step.operation.value, None, elements)


@of('merge')
def _merge(run: Execution, step: Step) -> None:
    entries: List[Node] = []
    for mapping in run.take(step.operation.takes):
        entries += mapping.parts if mapping.kind == 'dict' and not mapping.shared else [Node('stars', None, [mapping])]
    run.push('dict', None, entries)


@of('append', 'add', 'extend', 'set update', 'dict update')
def _grow(run: Execution, step: Step) -> None:
    value = run.pop()
    run.grow(step.operation.kind, step.operation.value, [value])


@of('map add')
def _map_add(run: Execution, step: Step) -> None:
    count, key_last = step.operation.value
    first, second = run.take(2)
    run.grow('map add', count, [second, first] if key_last else [first, second])


@of('unpack')
def _unpack(run: Execution, step: Step) -> None:
    if step.operation.value > 100 or not step.operation.value:
        raise Unclear('it unpacks very many values, or none')
    run.unpack(step.operation.value)


@of('unpack rest')
def _unpack_rest(run: Execution, step: Step) -> None:
    before, after = step.operation.value
    if before + after > 100:
        raise Unclear('it unpacks very many values')
    run.unpack(before + 1 + after, before)


# -- imports -------------------------------------------------------------------------------------------------------
@of('import')
def _import(run: Execution, step: Step) -> None:
    level, names = run.take(2)
    if level.kind != 'constant' or names.kind != 'constant' or not isinstance(level.value, int) or level.value > 20:
        raise Unclear('it imports in another way')
    if names.value is not None and type(names.value) is not tuple:
        raise Unclear('it imports in another way')
    run.push('import', ('.' * level.value + step.operation.value, names.value), [])


# -- calls -------------------------------------------------------------------------------------------------------------
# Jumps, calls, and the making of functions.


# -- jumps ---------------------------------------------------------------------------------------------------------
@of('break')
def _break(run: Execution, step: Step) -> None:
    target, depth = run.flow.breaks[run.place]
    del run.stack[depth:]
    run.ends('jump', [target])


@of('jump if')
def _jump_if(run: Execution, step: Step) -> None:
    when, node = step.operation.value, run.pop()
    if 'none' in when:
        node = run.make('compare', ('is not' if when == 'none' else 'is',), [node, Node('constant')])
        when = 'false'
    targets = [run.place + 1, step.target] if when == 'false' else [step.target, run.place + 1]
    run.ends('if', targets, node)


@of('jump or drop')
def _jump_or_drop(run: Execution, step: Step) -> None:
    (node,) = run.repeated([run.pop()])
    run.ends('if', [run.place + 1, run.place + 1], node)
    index = 0 if step.operation.value else 1
    run.block.edges[index] = Edge(step.target, [*run.stack, node])


@of('next')
def _next(run: Execution, step: Step) -> None:
    iterator = run.stack[-1]
    run.ends('next', [run.place + 1, step.target], iterator)
    item, end = run.block.edges
    item.stack.append(Node('element', run.block.start, [], run.line))
    if step.operation.value:
        end.stack.append(Node('null'))
    else:
        end.stack.pop()


@of(REFUSED)
def _refused(run: Execution, step: Step) -> None:
    if step.operation.value != 'RAISE_VARARGS':
        raise Unclear(f'it has the instruction {step.operation.value}')
    run.ends('raise', [], run.make('raise', None, run.take(step.operation.takes)))


# -- calls and functions -------------------------------------------------------------------------------------------
@of('method')
def _method(run: Execution, step: Step) -> None:
    name, null_first = step.operation.value
    method = run.make('attribute', name, [run.pop()])
    run.stack += [Node('null'), method] if null_first else [method, Node('null')]


@of('keywords')
def _keywords(run: Execution, step: Step) -> None:
    run.keywords = step.operation.value


@of('call')
def _call(run: Execution, step: Step) -> None:
    shape: Call = step.operation.value
    function, args, names, pairs, star, stars = shape.taken(run, lambda node: node.kind == 'null', None, None)
    names = _names(names) if shape.names else names
    if type(names) is not tuple or len(names) > len(args) or not all([type(name) is str for name in names]):
        raise Unclear('it names arguments that it does not give')
    start = len(args) - len(names)
    arguments = args[:start] + (_spread(star) if star else [])
    named = list(zip(names, args[start:])) + [(key.value, value) for key, value in zip(pairs[::2], pairs[1::2])]
    arguments += [Node('keyword', name, [value]) for name, value in named]
    run.push('call', None, [function, *arguments, *(_spread_dict(stars) if stars else [])])


def _names(node: Node) -> Any:
    return node.value if node.kind == 'constant' else None


def _spread(node: Node) -> List[Node]:
    """The arguments that `*node` gives."""
    if node.kind == 'tuple of' and node.parts[0].kind == 'list':
        node = node.parts[0]
    if node.kind in ('tuple', 'list') and not node.shared:
        node.value = 'done'
        return node.parts
    if node.kind == 'constant' and type(node.value) is tuple:
        return [Node('constant', value) for value in node.value]
    return [Node('star', None, [node])]


def _spread_dict(node: Node) -> List[Node]:
    """The arguments that `**node` gives."""
    if node.kind != 'dict' or node.shared:
        return [Node('stars', None, [node])]
    node.value = 'done'
    arguments = []
    for entry in node.parts:
        if entry.kind == 'stars':
            arguments.append(entry)
        elif entry.parts[0].kind == 'constant' and type(entry.parts[0].value) is str:
            arguments.append(Node('keyword', entry.parts[0].value, entry.parts[1:]))
        else:
            arguments.append(Node('stars', None, [Node('dict', None, [entry])]))
    return arguments


@of('function')
def _function(run: Execution, step: Step) -> None:
    shape: MakeFunction = step.operation.value
    taken = run.take(shape.takes)
    if shape.has_name:
        taken.pop()
    code = taken.pop()
    if code.kind != 'constant' or not isinstance(code.value, Code):
        raise Unclear('it makes a function of something else')
    function = Node('function', code.value, [], run.line)
    if shape.closure:
        _check_cells(taken.pop(), code.value)
    if shape.flags & 4:
        function.parts.append(Node('annotations', None, [taken.pop()]))
    elif shape.annotations:
        names = _names(taken.pop())
        values = [taken.pop() for _ in range(shape.annotations - 1)][::-1]
        if type(names) is not tuple or len(names) != len(values):
            raise Unclear('it annotates in another way')
        pairs = [Node('pair', None, [Node('constant', name), value]) for name, value in zip(names, values)]
        function.parts.append(Node('annotations', None, [Node('dict', None, pairs)]))
    if shape.flags & 2:
        function.parts.insert(0, Node('keywords', None, [taken.pop()]))
    if shape.flags & 1:
        function.parts.insert(0, Node('defaults', None, [taken.pop()]))
    pairs, positional = taken[shape.defaults :], taken[: shape.defaults]
    if pairs:
        made_pairs = [Node('pair', None, list(pair)) for pair in zip(pairs[::2], pairs[1::2])]
        function.parts.insert(0, Node('keywords', None, [Node('dict', None, made_pairs)]))
    if positional:
        function.parts.insert(0, Node('defaults', None, [Node('tuple', None, positional)]))
    run.stack.append(function)


def _check_cells(closure: Node, code: Code) -> None:
    """A function shares variables with the one around it by their names."""
    if closure.kind != 'tuple' or [(cell.kind, cell.value) for cell in closure.parts] != [
        ('cell', word) for word in code.freevars
    ]:
        raise Unclear('a function in it shares other variables than it has')


_ATTRIBUTES = {1: 'defaults', 2: 'keywords', 4: 'annotations'}


@of('set of function')
def _set_of_function(run: Execution, step: Step) -> None:
    value, function = run.take(2)
    if function.kind != 'function':
        raise Unclear('it changes a function that is not there')
    if step.operation.value == 8:
        _check_cells(value, function.value)
    else:
        attribute = Node(_ATTRIBUTES.get(step.operation.value, 'other'), None, [value])
        # The last one that is set was evaluated first.
        function.parts.insert(0, attribute)
    run.stack.append(function)
