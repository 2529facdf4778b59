"""Running the statements of a program one by one, with whatever arrays an engine has: also while it traces them.

An engine that compiles loops and choices as a whole derives from `Interpreter`. A program that is printed
as Python (see `python`) is faster where statements run as they are.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Sequence, Tuple

from ...errors import ShapeError
from .kernels import kernel_for
from .statements import Block, Call, Choice, Compute, Convert, Loop, Sizes, Stack

if TYPE_CHECKING:
    from ..nodes.tensor import Variable
    from .kernels import Array, Kernels
    from .lowering import Lowering

Values = Dict[str, Any]  # of each name its array, or the list that a loop collected


class Interpreter:
    """Runs the blocks of a lowering. It does not use `out`, nor rows, of what `settle` worked out."""

    def __init__(self, lowering: 'Lowering', kernels: 'Kernels') -> None:
        self.lowering, self.kernels = lowering, kernels

    def block(self, block: Block, values: Values) -> None:
        """Run the statements of a block; `values` gets the results. A primitive whose value is there is not run."""
        for statement in block.statements:
            if isinstance(statement, Compute):
                name, node = statement.makes[0], statement.node
                if name not in values:
                    arguments = [values[argument] for argument in statement.arguments]
                    if not node.op.has_kernel:
                        values[name] = arguments[0][node.attrs['index']]
                    else:
                        values[name] = self.compute(statement, arguments, values)
            elif isinstance(statement, Loop):
                self._loop(statement, values)
            elif isinstance(statement, Choice):
                self.choice(statement, values)
            elif isinstance(statement, Stack):
                values[statement.makes[0]] = self._stack(statement, values)
            elif isinstance(statement, Sizes):
                entries = [e if isinstance(e, int) else values[e[0]].shape[e[1]] for e in statement.entries]
                values[statement.makes[0]] = statement.function(tuple(entries))
            elif isinstance(statement, Call):
                results = statement.function([values[name] for name in statement.arguments])
                values.update(zip(statement.makes, results))
            elif isinstance(statement, Convert):
                values[statement.makes[0]] = statement.function(values[next(iter(statement.reads))])
            for name in statement.ends:
                values.pop(name, None)

    def compute(self, compute: Compute, arguments: 'List[Array]', values: Values) -> Any:
        """The result of a primitive."""
        return (compute.kernel or kernel_for(self.kernels, compute.node))(*arguments)

    def loop(self, loop: Loop, values: Values, length: int) -> 'Tuple[List[Any], List[Array]]':
        """The values that a loop of `length` steps collects, as lists or as arrays over time, and its last states."""
        lists: List[List[Array]] = [[] for _ in loop.collected]
        states = [values[first] for first, _inner, _new in loop.states]
        shapes = [tuple(state.shape) for state in states]
        sequences = [_entries(values[name]) for name, _is_list, _element in loop.elements]
        for t in reversed(range(length)) if loop.scan.reverse else range(length):
            inside = dict(values)
            inside.update((element, s[t]) for s, (_n, _l, element) in zip(sequences, loop.elements))
            inside.update((inner, state) for state, (_f, inner, _n) in zip(states, loop.states))
            self.block(loop.block, inside)
            for collected, (_name, inner) in zip(lists, loop.collected):
                collected.append(inside[inner])
            states = [inside[new] for _first, _inner, new in loop.states]
        for position, index in loop.checked:
            keeps(loop.scan.body.what, index, shapes[position], tuple(states[position].shape))
        return [c[::-1] for c in lists] if loop.scan.reverse else list(lists), states

    def choice(self, choice: Choice, values: Values) -> None:
        """Run the branch that the condition chooses, whose value is known."""
        side = 0 if values[choice.condition] else 1
        self.block(choice.branches[side], values)
        for result, names in choice.parts:
            values[result] = values[names[side]]

    def _loop(self, loop: Loop, values: Values) -> None:
        if loop.lengths:
            lengths = [_length(values[name]) if isinstance(name, str) else name for name in loop.lengths]
            steps(loop.scan.body.what, loop.scan.least, lengths)
        for size, (name, axis) in loop.sizes.items():
            values[size] = values[name].shape[axis]
        length = _length(values[loop.elements[0][0] if loop.elements else loop.over_nothing])
        collected, last = self.loop(loop, values, length)
        values.update(zip([output for output, _inner in loop.collected], collected))
        state_of = {inner: value for (_first, inner, _new), value in zip(loop.states, last)}
        for final, inner in loop.finals:
            values[final] = state_of[inner]

    def _stack(self, stack: Stack, values: Values) -> 'Array':
        collected = values[stack.steps]
        if not isinstance(collected, list):
            return collected
        if stack.node.optional:
            collected = whole(self.kernels.PRIMITIVES['broadcast_to'], collected)
        tail = [values[size] if isinstance(size, str) else size for size in stack.tail]
        return self.kernels.stack_steps(collected, tuple(tail), stack.node.dtype)


def _length(x: Any) -> int:
    # a size without a number, while a library traces, stays what it is
    length: int = len(x) if isinstance(x, list) else x.shape[0]
    return length


def _entries(x: Any) -> 'Sequence[Array]':
    # one by one, entries of an array of a compiling library would each be a call of it
    return list(x)


# -- checks ------------------------------------------------------------------------------------------------------------
# Checks that a written function makes as it runs, of what was not known while the graph was built.


def steps(what: str, least: int, lengths: Sequence[int]) -> None:
    """Refuse lengths of sequences that differ or are less than `least`. Those without a number are left to who runs."""
    lengths = [n for n in lengths if isinstance(n, int)]
    if not lengths:
        return
    if min(lengths) != max(lengths):
        raise ShapeError(
            f'The sequences that {what} goes over have different lengths: {", ".join([str(n) for n in lengths])}.'
        )
    if lengths[0] < least:
        raise ShapeError(
            f'{what[0].upper() + what[1:]} needs at least {least} time step{"s"[: least != 1]}, the sequence has '
            f'{lengths[0]}.'
        )


def keeps(what: str, index: int, first: Tuple[int, ...], last: Tuple[int, ...]) -> None:
    """Refuse a state that has changed its shape in a loop."""
    if first != last:
        raise ShapeError(
            f'State {index} changes its shape in {what}: it starts as {tuple(first)} and ends as {tuple(last)}; '
            'start it in the shape that the step returns.'
        )


def whole(broadcast: Callable[[Any, Tuple[int, ...]], Any], steps: List[Any]) -> List[Any]:
    """Values that a loop collected, brought to one shape by the kernel `broadcast`.

    In a step where a branch did not run, the sizes that only that branch knows are 1.
    """
    shapes = {tuple(step.shape) for step in steps}
    if len(shapes) < 2:
        return steps
    shape = tuple([max(sizes) if 0 not in sizes else 0 for sizes in zip(*shapes)])
    return [broadcast(step, shape) for step in steps]


def fits(variable: 'Variable', value: Any) -> Any:
    """`value`, if it has the shape of `variable`."""
    if tuple(value.shape) != variable.dims:
        raise ShapeError(f'The update of {variable.name} of shape {variable.dims} has the shape {tuple(value.shape)}.')
    return value
