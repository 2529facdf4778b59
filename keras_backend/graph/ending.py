"""The end of a written function: new values of variables, results, assignments."""

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Dict, List, Tuple

from .dims import known, ranked
from .in_place import write_rows
from .tensor import Node, Tensor, Update, Variable

if TYPE_CHECKING:
    from .codegen import Writer


def end(writer: 'Writer', depth: int) -> None:
    """Write the end of a function, all that a run computes being computed.

    Where rows are written into an array, everything that can fail or that reads old values comes before it. And nothing
    of this run may still hold the array then.
    """
    whole, by_rows = _new_values(writer)
    for i, (_variable, value) in enumerate(whole):
        writer.write(depth, 'u%d = %s', i, value)
    results = f'[{", ".join(_results(writer))}]'
    if by_rows:
        writer.write(depth, 'results = %s', results)
        results = 'results'
        writer.write(depth, '%s = None', ' = '.join(_holding(writer)))
        pairs = [f'(V{writer.number(variable.id)}, {name})' for variable, name in by_rows]
        writer.write(depth, '%s([%s])', writer.bind(partial(write_rows, writer.kernels)), ', '.join(pairs))
    for i, (variable, _value) in enumerate(whole):
        writer.write(depth, 'V%d.data = u%d', writer.number(variable.id), i)
    writer.write(depth, 'return %s', results)


def changed_rows(writer: 'Writer') -> Dict[str, Variable]:
    """The updates that change rows of their variable, where nothing else needs the new value: {its name: variable}."""
    program = writer.program
    needed = Counter([writer.name(root) for root in writer.roots()])
    found: Dict[str, Variable] = {}
    for update in program.updates:
        new = _value_of(update)
        node, name = program.nodes.get(program.same.get(new.id, new).id), writer.name(new)
        if (
            isinstance(node, Node)
            and node.op.name in writer.kernels.CHANGES
            and node.inputs[0] is update.variable
            and needed[name] == 1
            and not writer.readers[name]
        ):
            found[name] = update.variable
    return found


def _value_of(tensor: Tensor) -> Tensor:
    while isinstance(tensor, Update):
        tensor = tensor.new
    return tensor


def _new_values(writer: 'Writer') -> Tuple[List[Tuple[Variable, str]], List[Tuple[Variable, str]]]:
    """Of each update the variable and its new array, and those whose value is rows only."""
    whole: List[Tuple[Variable, str]] = []
    by_rows: List[Tuple[Variable, str]] = []
    for update in writer.program.updates:
        variable, new = update.variable, update.new
        value = writer.name(new)
        if value in writer.changed:
            by_rows.append((variable, value))
            continue
        if value in writer.taken or not writer.fresh(new):
            value = f'own({value}, {variable.dtype!r})'
        writer.taken.add(writer.name(new))
        if not (ranked(new) and all(known(d) for d in new.dims + variable.dims)):
            value = f'fit(V{writer.number(variable.id)}, {value})'
        whole.append((variable, value))
    return whole, by_rows


def _results(writer: 'Writer') -> List[str]:
    seen = set(writer.taken)
    results = []
    for tensor in writer.program.outputs:
        name = writer.name(tensor)
        if not ranked(tensor):
            results.append(f'{writer.bind(writer.kernels.to_numpy)}({name})')
            continue
        if not tensor.dims:
            results.append(f'{writer.bind(writer.kernels.scalar(tensor.dtype))}({name})')
            continue
        results.append(name if writer.fresh(tensor) and name not in seen else f'own({name}, {tensor.dtype!r})')
        seen.add(name)
    return results


def _holding(writer: 'Writer') -> List[str]:
    """Names that may hold the array of a variable, or a view of it."""
    names = {writer.name(variable) for variable in writer.program.variables.values()}
    names.update([writer.name(root) for root in writer.roots() if isinstance(_value_of(root), Node)])
    # what is fed is not ours
    return sorted(name for name in names - set(writer.changed) if name[0] in 'vt')
