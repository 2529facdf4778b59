"""From a program to blocks of statements: what runs, what it reads and makes, and when a value is not needed any more.

Three steps: `Lowering` makes a statement of every node. An engine may change the blocks (`change` of `lowered`): it
puts calls of its own in the place of nodes, or chooses kernels. `settle` then works out what depends on the order.

An example: K.function([x], [K.exp(x * 2) + 1]) has three statements. The name of a placeholder begins with p, of a
constant with c, of a node with t:

    t2 = mul(p0, c1)
    t3 = exp(t2)        ends t2; its array can hold the result
    t5 = add(t3, c4)    ends t3; its array can hold the result
"""

from collections import Counter
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Union

import numpy as np

from ..nodes.base import Size, known, ranked, same
from ..nodes.tensor import Absent, Cond, Draws, Inner, Node, Scan, Tensor, Update, Variable
from .statements import Assign, Block, Call, Choice, Compute, Loop, Name, Place, Result, Sizes, Stack, Statement

if TYPE_CHECKING:
    from ..nodes.base import Region
    from .kernels import Array, Kernels
    from .program import Program

Change = Callable[['Lowering'], None]

_LETTERS: Dict[type, str] = {Node: 't', Inner: 'i', Variable: 'v', Absent: 'n', Draws: 'r'}


def lowered(program: 'Program', kernels: 'Kernels', change: Optional[Change] = None) -> 'Lowering':
    """The statements of a program, settled.

    change: what an engine does to the blocks before that.
    """
    lowering = Lowering(program, kernels)
    if change is not None:
        change(lowering)
    lowering.settle()
    return lowering


class Lowering:
    """The statements of a program.

    inputs:     names of what is fed
    variables:  {name: variable} of those that are read
    constants:  {name: value that is the same in all runs}
    top:        the block that holds all others
    results:    what the function returns
    assigns:    what it gives to variables at its end
    """

    def __init__(self, program: 'Program', kernels: 'Kernels') -> None:
        self.program, self.kernels = program, kernels
        self._fed = {t.id for t in program.inputs}
        self._numbers: Dict[int, int] = {}  # id of a tensor -> its number here
        self._names: Dict[int, Name] = {}
        self.constants: Dict[Name, Array] = {}
        self._arrays: Dict[Tuple[Tuple[int, ...], str], Name] = {}
        self.inputs: List[Name] = [self.name(t) for t in program.inputs]
        self.variables = {self.name(v): v for v in sorted(program.variables.values(), key=lambda v: v.id)}
        for constant in program.constants.values():
            self.constants[self.name(constant)] = constant.data
        for placeholder in program.defaults.values():
            self.constants[self.name(placeholder)] = placeholder.default
        for draws in program.draws.values():
            self.constants[self.name(draws)] = draws.stream
        self._tails: Dict[int, List[Union[int, Name]]] = {}
        self._blocks: Dict[Optional[Region], Block] = {None: Block()}
        self.top = self._blocks[None]
        self._lower()
        self.results = [Result(t, self.name(t)) for t in program.outputs]
        self.assigns = [self._assign(update) for update in program.updates]
        self._drop_unread_stacks()

    # -- names ---------------------------------------------------------------------------------------------------
    def number(self, key: int) -> int:
        """The number of a tensor here. Small numbers come again, so Python's table of names does not grow."""
        return self._numbers.setdefault(key, len(self._numbers))

    def key(self, node: int) -> int:
        """The key of the node with an id, from 1 on. It is the same in all programs of one structure."""
        return self.number(node) + 1

    def name(self, tensor: Tensor) -> Name:
        """The name of the value of `tensor`."""
        name = self._names.get(tensor.id)
        if name is None:
            name = self._names[tensor.id] = self._new_name(tensor)
        return name

    def _new_name(self, tensor: Tensor) -> Name:
        tensor = self.resolved(tensor)
        if tensor.id in self._fed:
            return f'p{self.number(tensor.id)}'
        name = f'{_LETTERS.get(type(tensor), "c")}{self.number(tensor.id)}'
        if isinstance(tensor, Absent):
            zeros = np.zeros([d if known(d) else 1 for d in tensor.dims])
            self.constants[name] = self.kernels.asarray(zeros, tensor.dtype)
        return name

    def resolved(self, tensor: Tensor) -> Tensor:
        """The tensor whose value stands for that of `tensor`."""
        while isinstance(tensor, Update):
            tensor = tensor.new
        return self.program.same.get(tensor.id, tensor)

    def is_fed(self, tensor: Tensor) -> bool:
        """Whether the value of `tensor` comes from the caller."""
        return tensor.id in self._fed

    def _sequence(self, outer: Tensor) -> Tuple[Name, bool]:
        """The name of the value that a loop goes over, and whether it is the bare list of another loop."""
        if isinstance(outer, Node) and outer.op.name == 'collect' and outer.id not in self._fed:
            return f'l{self.number(outer.id)}', True
        return self.name(outer), False

    # -- from nodes to statements --------------------------------------------------------------------------------
    def _lower(self) -> None:
        """Make the statements of all blocks. A loop comes before what is inside of it, whichever is older."""
        todo: List[Optional[Region]] = [None]
        while todo:
            region = todo.pop()
            block = self._blocks[region]
            for node in self.program.blocks.get(region, ()):
                statement = self._statement(node)
                if statement is None:
                    continue
                block.statements.append(statement)
                if isinstance(node, Scan):
                    todo.append(node.body)
                elif isinstance(node, Cond):
                    todo.extend(node.branches)

    def _statement(self, node: Any) -> Optional[Statement]:
        if isinstance(node, Scan):
            return self._loop(node)
        if isinstance(node, Cond):
            return self._choice(node)
        if node.op.name == 'collect':
            return Stack(node, self.name(node), self._sequence(node)[0], self._tails[node.id])
        if node.op.part:
            return None  # the loop or the choice makes it
        return Compute(node, self.name(node), [self.name(x) for x in node.inputs])

    def _loop(self, scan: Scan) -> Loop:
        program, name, loop = self.program, self.name, Loop(scan)
        self._blocks[scan.body] = loop.block
        sequences = [scan.sequences[i] for i in sorted(program.elements[scan.id])]
        loop.elements = [(*self._sequence(outer), name(element)) for outer, element in sequences]
        if not sequences:
            loop.over_nothing = self._sequence(scan.sequences[0][0])[0]
        self._lengths(loop, [outer for outer, _element in sequences or scan.sequences[:1]])
        for i in sorted(program.states[scan.id]):
            initial, inner, new = scan.states[i]
            if not all(map(same, inner.dims, new.dims)):
                # A state whose size the step seems to change keeps it all the same, or the loop is refused.
                loop.checked.append((len(loop.states), i))
            loop.states.append((name(initial), name(inner), name(new)))
        for _key, node in sorted(program.collected[scan.id].items()):
            loop.collected.append((self._sequence(node)[0], name(node.attrs['inner'])))
            self._tails[node.id] = self._tail(loop, node)
        for _key, node in sorted(program.finals[scan.id].items()):
            loop.finals.append((name(node), name(scan.states[node.attrs['index']][1])))
        results = [result for result, _inner in loop.collected] + [final for final, _inner in loop.finals]
        loop.makes = results + list(loop.sizes)
        loop.block.kept = loop.handed_on()
        return loop

    def _lengths(self, loop: Loop, outers: List[Tensor]) -> None:
        """Note sequences that may not end together or may have too few steps, as far as this is not known already."""
        scan, sizes = loop.scan, [outer.dims[0] for outer in outers]
        enough = not scan.least or (known(sizes[0]) and sizes[0] >= scan.least)
        if enough and all(same(size, scan.length) for size in sizes):
            return
        loop.lengths.extend([self._sequence(outer)[0] for outer in outers])
        if known(scan.length):
            loop.lengths.append(scan.length)

    def _tail(self, loop: Loop, part: Node) -> List[Union[int, Name]]:
        """The shape of one step of what a loop collects, should there be no step to show it."""
        sizes: List[Union[int, Name]] = []
        length = loop.scan.length
        for axis, dim in enumerate(part.dims[1:]):
            if not known(dim) and not (known(length) and length):
                origin = self._place_of(dim, loop.scan)
                if origin is not None:
                    size = f'z{self.number(part.id)}_{axis}'
                    loop.sizes[size] = origin
                    sizes.append(size)
                    continue
            sizes.append(dim if known(dim) else 0)
        return sizes

    def _place_of(self, dim: Size, scan: Scan) -> Optional[Place]:
        """A value at hand that has the unknown size `dim`, and its axis."""
        read = [scan.sequences[i][0] for i in sorted(self.program.elements[scan.id])]
        read = [t for t in read if not self._sequence(t)[1]]
        read += [scan.states[i][0] for i in sorted(self.program.states[scan.id])]
        fed = [t for t in self.program.inputs if t.id in self.program.used]
        for tensor in fed + read:
            for axis, d in enumerate(tensor.dims if ranked(tensor) else ()):
                if d is dim:
                    return self.name(tensor), axis
        return None

    def _choice(self, cond: Cond) -> Choice:
        choice = Choice(cond, self.name(cond.condition))
        for _key, result in sorted(self.program.chosen[cond.id].items()):
            first, second = cond.pairs[result.attrs['index']]
            choice.parts.append((self.name(result), (self.name(first), self.name(second))))
        choice.makes = [result for result, _values in choice.parts]
        for side, branch in enumerate(cond.branches):
            self._blocks[branch] = choice.branches[side]
            choice.branches[side].kept = {values[side] for _part, values in choice.parts}
        return choice

    def _assign(self, update: Update) -> Assign:
        variable, new = update.variable, update.new
        checked = not (ranked(new) and all(known(d) for d in new.dims + variable.dims))
        return Assign(variable, self.resolved(new), self.name(new), checked)

    def roots(self) -> List[Name]:
        """Names of what the function returns or assigns."""
        return [result.name for result in self.results] + [assign.value for assign in self.assigns]

    def _drop_unread_stacks(self) -> None:
        """Of some collected values only the list is read, by another loop."""
        read = set(self.roots())
        for block in self.blocks():
            read |= block.kept
            for statement in block.statements:
                read |= statement.around() if isinstance(statement, Loop) else statement.reads
                if isinstance(statement, Choice):
                    read.add(statement.condition)
        for block in self.blocks():
            if any([isinstance(s, Stack) for s in block.statements]):
                block.statements = [s for s in block.statements if not isinstance(s, Stack) or s.makes[0] in read]

    # -- what depends on the order -------------------------------------------------------------------------------
    def blocks(self) -> Iterator[Block]:
        """All blocks, each before those inside of it."""
        todo = [self.top]
        while todo:
            block = todo.pop()
            yield block
            for statement in block.statements:
                todo.extend(statement.blocks)

    def inside_out(self) -> List[Block]:
        """All blocks, each after those inside of it."""
        return list(self.blocks())[::-1]

    def settle_reads(self) -> None:
        """Work out what loops and choices read, from what is inside of them."""
        for block in self.inside_out():
            for statement in block.statements:
                if isinstance(statement, Loop):
                    inside = _read_in(statement.block) | statement.handed_on()
                    statement.reads = statement.around() | (inside - statement.handed_in() - statement.block.made())
                elif isinstance(statement, Choice):
                    local_names = statement.branches[0].made() | statement.branches[1].made()
                    inside = _read_in(statement.branches[0]) | _read_in(statement.branches[1]) | statement.handed_on()
                    statement.reads = {statement.condition} | (inside - local_names)

    def settle(self) -> None:
        """Work out which values end where, whose arrays nobody shares, and which of these can hold a result."""
        self.settle_reads()
        self.top.kept = set(self.roots())
        statements = [statement for block in self.blocks() for statement in block.statements]
        if self.program.by_rows:
            self._settle_rows(statements)
        whole, shared = self._whole(statements), self._shared(statements)
        for block in self.blocks():
            _settle_ends(block)
        for statement in statements:
            if isinstance(statement, Compute) and statement.node.op.name in self.kernels.IN_PLACE:
                statement.out = _room(statement, whole, shared)
        taken: Set[Name] = set()
        for assign in self.assigns:
            assign.copied = assign.value in taken or assign.value not in whole or not assign.new.dims
            taken.add(assign.value)
        for result in self.results:
            result.copied = result.name in taken or result.name not in whole
            taken.add(result.name)

    def _settle_rows(self, statements: List[Statement]) -> None:
        """Find the updates that change rows of their variable, where nothing else needs the new value."""
        edits = {s.makes[0]: s for s in statements if isinstance(s, Compute) and s.node.op.name in self.kernels.CHANGES}
        read = {name for statement in statements for name in statement.reads}
        needed = Counter(self.roots())
        for assign in self.assigns:
            compute = edits.get(assign.value)
            if (
                compute is not None
                and compute.node.inputs[0] is assign.variable
                and needed[assign.value] == 1
                and assign.value not in read
            ):
                assign.by_rows = compute.by_rows = True

    def _whole(self, statements: List[Statement]) -> Set[Name]:
        """Names of the values that are arrays of their own when they are made."""
        whole: Set[Name] = set()
        for statement in statements:
            if isinstance(statement, Compute):
                node = statement.node
                if (
                    statement.kernel is None
                    and node.dims
                    and ranked(node)
                    and node.op.has_kernel
                    and node.op.name not in self.kernels.VIEWS
                ):
                    whole.update(statement.makes)
            elif isinstance(statement, (Call, Stack)):
                whole.update(statement.makes)
        return whole

    def _shared(self, statements: List[Statement]) -> Set[Name]:
        """Names of the values whose arrays may be part of something else after they have been read."""
        shared: Set[Name] = set()
        for statement in statements:
            if isinstance(statement, Compute):
                if statement.node.results or statement.node.op.name in self.kernels.VIEWS:
                    shared |= statement.reads
            elif not isinstance(statement, (Call, Sizes)):
                shared |= statement.reads
        return shared


def _read_in(block: Block) -> Set[Name]:
    return {name for statement in block.statements for name in statement.reads}


def _settle_ends(block: Block) -> None:
    """Note at each statement of a block what is neither read after it nor kept."""
    last: Dict[Name, Statement] = {}
    for statement in block.statements:
        statement.ends = []
        for name in statement.makes:
            last[name] = statement
        for name in statement.reads:
            if name in last:
                last[name] = statement
    for name in sorted(last):
        if name not in block.kept:
            last[name].ends.append(name)


def _room(compute: Compute, whole: Set[Name], shared: Set[Name]) -> Optional[Name]:
    """The operand whose array can hold the result: it has that shape and dtype, and nothing else ever sees it."""
    node = compute.node
    if compute.kernel is not None or node.optional or compute.by_rows or not (ranked(node) and node.dims):
        return None
    for name, x in zip(compute.arguments, node.inputs):
        if (
            name in compute.ends
            and name in whole
            and name not in shared
            and x.dtype == node.dtype
            and not x.optional
            and ranked(x)
            and len(x.dims) == len(node.dims)
            and all(map(same, x.dims, node.dims))
        ):
            return name
    return None
