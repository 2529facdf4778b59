"""Jumps, calls, and the making of functions."""

from typing import Any, List

from ..python_code.instructions import Step
from ..python_code.marshal_data import Code
from ..python_code.operations import REFUSED, Call
from ..python_code.translation import MakeFunction
from .blocks import Edge
from .execution import Execution, of
from .nodes import Node, Unclear


# -- jumps ---------------------------------------------------------------------------------------------------------
@of('jump')
def _jump(run: Execution, step: Step) -> None:
    run.ends('jump', [step.target])


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
    place = 0 if step.operation.value else 1
    run.block.edges[place] = Edge(step.target, [*run.stack, node])


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


@of('return')
def _return(run: Execution, step: Step) -> None:
    run.ends('return', [], run.pop())


@of('return constant')
def _return_constant(run: Execution, step: Step) -> None:
    run.ends('return', [], Node('constant', step.operation.value))


@of(REFUSED)
def _refused(run: Execution, step: Step) -> None:
    if step.operation.value != 'RAISE_VARARGS':
        raise Unclear(f'it has the instruction {step.operation.value}')
    run.ends('raise', [], run.make('raise', None, run.take(step.operation.takes)))


# -- calls and functions -------------------------------------------------------------------------------------------
@of('method')
def _method(run: Execution, step: Step) -> None:
    name, null_first = step.operation.value
    found = run.make('attribute', name, [run.pop()])
    run.stack += [Node('null'), found] if null_first else [found, Node('null')]


@of('keywords')
def _keywords(run: Execution, step: Step) -> None:
    run.keywords = step.operation.value


@of('call')
def _call(run: Execution, step: Step) -> None:
    shape: Call = step.operation.value
    stars = run.pop() if shape.stars else None
    star = run.pop() if shape.star and not shape.star_first else None
    names = _names(run.pop()) if shape.names else run.keywords
    run.keywords = ()
    pairs = run.take(2 * shape.pairs)
    star = run.pop() if shape.star_first and shape.star else star
    args = run.take(shape.args)
    function = run.pop()
    if shape.two:
        first = run.pop()
        if function.kind == 'null':
            function = first
        elif first.kind != 'null':
            function, args = first, [function, *args]
    if type(names) is not tuple or len(names) > len(args) or not all([type(name) is str for name in names]):
        raise Unclear('it names arguments that it does not give')
    start = len(args) - len(names)
    given = args[:start] + (_spread(star) if star else [])
    named = list(zip(names, args[start:])) + [(key.value, value) for key, value in zip(pairs[::2], pairs[1::2])]
    given += [Node('keyword', name, [value]) for name, value in named]
    run.push('call', None, [function, *given, *(_spread_dict(stars) if stars else [])])


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
    found = []
    for part in node.parts:
        if part.kind == 'stars':
            found.append(part)
        elif part.parts[0].kind == 'constant' and type(part.parts[0].value) is str:
            found.append(Node('keyword', part.parts[0].value, part.parts[1:]))
        else:
            found.append(Node('stars', None, [Node('dict', None, [part])]))
    return found


@of('function')
def _function(run: Execution, step: Step) -> None:
    shape: MakeFunction = step.operation.value
    taken = run.take(shape.takes)
    if shape.has_name:
        taken.pop()
    code = taken.pop()
    if code.kind != 'constant' or not isinstance(code.value, Code):
        raise Unclear('it makes a function of something else')
    made = Node('function', code.value, [], run.line)
    if shape.closure:
        _check_cells(taken.pop(), code.value)
    if shape.flags & 4:
        made.parts.append(Node('annotations', None, [taken.pop()]))
    elif shape.annotations:
        names = _names(taken.pop())
        values = [taken.pop() for _ in range(shape.annotations - 1)][::-1]
        if type(names) is not tuple or len(names) != len(values):
            raise Unclear('it annotates in another way')
        pairs = [Node('pair', None, [Node('constant', name), value]) for name, value in zip(names, values)]
        made.parts.append(Node('annotations', None, [Node('dict', None, pairs)]))
    if shape.flags & 2:
        made.parts.insert(0, Node('keywords', None, [taken.pop()]))
    if shape.flags & 1:
        made.parts.insert(0, Node('defaults', None, [taken.pop()]))
    pairs, positional = taken[shape.defaults :], taken[: shape.defaults]
    if pairs:
        made_pairs = [Node('pair', None, list(pair)) for pair in zip(pairs[::2], pairs[1::2])]
        made.parts.insert(0, Node('keywords', None, [Node('dict', None, made_pairs)]))
    if positional:
        made.parts.insert(0, Node('defaults', None, [Node('tuple', None, positional)]))
    run.stack.append(made)


def _check_cells(closure: Node, code: Code) -> None:
    """A function shares variables with the one around it by their names."""
    if closure.kind != 'tuple' or [(one.kind, one.value) for one in closure.parts] != [
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
        part = Node(_ATTRIBUTES.get(step.operation.value, 'other'), None, [value])
        # The last one that is set was evaluated first.
        function.parts.insert(0, part)
    run.stack.append(function)
