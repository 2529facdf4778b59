"""Operations on the stack, on variables, with operators and containers, and imports."""

from typing import List

from ..python_code.instructions import Step
from .execution import TABLE, Execution, added, of
from .nodes import Node, Unclear, may_drop, resolved


# -- the stack and variables ---------------------------------------------------------------------------------------
@of('nothing', 'make cell', 'end block', 'block')
def _nothing(run: Execution, step: Step) -> None:
    pass


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
    place = len(run.stack) - max(step.operation.value, 1)
    run.stack[place], run.stack[-1] = run.stack[-1], run.stack[place]


def _pushes(operation: str, kind: str) -> None:
    TABLE[operation] = lambda run, step: run.push(kind, step.operation.value)


def _makes(operation: str, kind: str) -> None:
    def make(run: Execution, step: Step) -> None:
        run.push(kind, step.operation.value, run.take(step.operation.takes))

    TABLE[operation] = make


for _operation, _kind in (
    ('null', 'null'), ('constant', 'constant'), ('global', 'name'), ('cell value', 'name'), ('cell', 'cell'),
    ('local or null', 'saved'),
):  # fmt: skip
    _pushes(_operation, _kind)
for _operation in (
    'attribute',
    'unary',
    'binary',
    'change',
    'item',
    'tuple',
    'list',
    'set',
    'slice',
    'iterate',
    'join',
):
    _makes(_operation, _operation)
_makes('text of', 'text')
_makes('yield', 'yield')


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


@of('delete local')
def _delete(run: Execution, step: Step) -> None:
    run.block.statements.append(run.make('delete', step.operation.value))


# -- operators and containers --------------------------------------------------------------------------------------
@of('compare')
def _compare(run: Execution, step: Step) -> None:
    run.push('compare', (step.operation.value,), run.take(2))


@of('slice item')
def _slice_item(run: Execution, step: Step) -> None:
    value, *ends = run.take(step.operation.takes)
    given = [ends.pop(0) if there else Node('constant') for there in step.operation.value]
    run.push('item', None, [value, Node('slice', None, given)])


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
    parts = run.take(step.operation.takes)
    run.push('dict', None, [Node('pair', None, list(pair)) for pair in zip(parts[::2], parts[1::2])])


@of('dict of names')
def _dict_of_names(run: Execution, step: Step) -> None:
    *values, names = run.take(step.operation.takes)
    if names.kind != 'constant' or type(names.value) is not tuple or len(names.value) != len(values):
        raise Unclear('it makes a dict of keys that are not there')
    pairs = [Node('pair', None, [Node('constant', key), value]) for key, value in zip(names.value, values)]
    run.push('dict', None, pairs)


@of('chain')
def _chain(run: Execution, step: Step) -> None:
    parts: List[Node] = []
    for one in run.take(step.operation.takes):
        parts += added('extend', [one])
    run.push(step.operation.value, None, parts)


@of('merge')
def _merge(run: Execution, step: Step) -> None:
    parts: List[Node] = []
    for one in run.take(step.operation.takes):
        parts += one.parts if one.kind == 'dict' and not one.shared else [Node('stars', None, [one])]
    run.push('dict', None, parts)


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


@of('import from')
def _import_from(run: Execution, step: Step) -> None:
    run.stack.append(Node('from', step.operation.value, [run.stack[-1]], run.line))
