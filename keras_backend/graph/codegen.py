"""A program as one straight-line Python function, for libraries that run operations as they are called.

Loops and branches are written inline. A value is deleted after its last use. All updates are assigned at the end, so
none of them sees another.
"""

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Type

import numpy as np

from .checks import fits, keeps, steps, whole
from .dims import Size, known, ranked, same
from .ending import changed_rows, end
from .ops.control import PARTS
from .tensor import Absent, Cond, Inner, Node, Scan, Tensor, Update, Variable

if TYPE_CHECKING:
    from .kernels import Kernel, Run
    from .library import GraphLibrary
    from .program import Program
    from .region import Region

# A Node, Scan or Cond, or what an engine puts into the blocks of a program in their place.
Statement = Any
Sequences = List[Tuple[Tensor, Inner]]


def compile_program(program: 'Program', engine: 'GraphLibrary', writer: Optional[Type['Writer']] = None) -> 'Run':
    """The function `run(*fed arrays) -> list of outputs`, with its source as `run.source`.

    writer: the class that writes it, where an engine has one of its own; else Writer.
    """
    chosen = (writer or Writer)(program, engine)
    source = chosen.function()
    scope = chosen.scope
    exec(compile(source, f'<K.function of {len(program.nodes)} nodes>', 'exec'), scope)
    run: Any = scope['run']
    run.source = source
    made: Run = run
    return made


class Writer:
    """Writes the function of a program, statement by statement.

    An engine may derive from it: `node` writes a statement that is no loop and no choice, `reads` and `makes` say which
    names it uses and leaves, `fresh` whether a result is an array of its own.
    """

    def __init__(self, program: 'Program', engine: 'GraphLibrary') -> None:
        self.program, self.kernels = program, engine.kernels
        self.fed = {t.id for t in program.inputs}
        self.scope: Dict[str, Any] = {
            'lock': engine.lock,
            'guard': self.kernels.guard,
            'own': self.kernels.own,
            'fit': fits,
            'stack': self.kernels.stack_steps,
            'steps': steps,
            'keep': keeps,
            'whole': whole,
        }
        self.numbers: Dict[int, int] = {}  # id of a tensor -> its number here
        self.names: Dict[int, str] = {}  # id of a tensor -> its Python variable
        self.tails: Dict[int, str] = {}  # id of a collected value -> the shape of a step, written out
        self.lines: List[str] = []
        self.dead: List[str] = []  # names that the statement being written is the last to read
        self.bound: Dict[int, str] = {}  # id of a function -> its global name
        self.taken: Set[str] = set()  # names that updates assign
        self.arrays = self._read_as_arrays()
        self.readers: Counter[str] = Counter()  # how many statements read a name, where that is asked
        self.changed: Dict[str, Variable] = {}  # values that are rows of a variable only

    # -- names ---------------------------------------------------------------------------------------------------
    def number(self, key: int) -> int:
        """The number of a tensor here. Small numbers come again, so Python's table of names does not grow."""
        return self.numbers.setdefault(key, len(self.numbers))

    def name(self, tensor: Tensor) -> str:
        """The Python variable that holds `tensor`."""
        name = self.names.get(tensor.id)
        if name is None:
            name = self.names[tensor.id] = self._new_name(tensor)
        return name

    def _new_name(self, tensor: Tensor) -> str:
        tensor = self.program.same.get(tensor.id, tensor)
        if tensor.id in self.fed:
            return f'p{self.number(tensor.id)}'
        if isinstance(tensor, Update):
            return self.name(tensor.new)
        if isinstance(tensor, Absent):
            name = f'n{self.number(tensor.id)}'
            if name not in self.scope:
                zeros = np.zeros([d if known(d) else 1 for d in tensor.dims])
                self.scope[name] = self.kernels.asarray(zeros, tensor.dtype)
            return name
        letter = (
            't'
            if isinstance(tensor, Node)
            else 'i'
            if isinstance(tensor, Inner)
            else 'v'
            if isinstance(tensor, Variable)
            else 'c'
        )
        return f'{letter}{self.number(tensor.id)}'

    def sequence(self, outer: Tensor) -> str:
        """What a loop iterates over: the bare list of another loop where there is one."""
        if isinstance(outer, Node) and outer.op.name == 'collect' and outer.id not in self.fed:
            return f'l{self.number(outer.id)}'
        return self.name(outer)

    # -- liveness ------------------------------------------------------------------------------------------------
    def roots(self) -> List[Tensor]:
        """What the function returns or assigns."""
        return list(self.program.outputs) + [update.new for update in self.program.updates]

    def _read_as_arrays(self) -> Set[str]:
        """Names of the collected values that are needed as arrays, not only as lists."""
        names = {self.name(t) for t in self.roots()}
        for node in self.program.nodes.values():
            if isinstance(node, Node) and node.op.name not in PARTS:
                names.update(self.name(x) for x in node.inputs)
            elif isinstance(node, Scan):
                for i in self.program.states[node.id]:
                    names.update((self.name(node.states[i][0]), self.name(node.states[i][2])))
                names.update(self.name(part.attrs['inner']) for part in self.program.collected[node.id].values())
            elif isinstance(node, Cond):
                names.add(self.name(node.condition))
                for part in self.program.chosen[node.id].values():
                    names.update(self.name(value) for value in node.pairs[part.attrs['index']])
        return names

    def reads(self, node: Statement) -> Set[str]:
        """Names that a statement reads and that come from outside of it."""
        if isinstance(node, Node):
            if node.op.name == 'collect':
                return {f'l{self.number(node.id)}'} if self.name(node) in self.arrays else set()
            if node.op.name in ('final', 'chosen'):
                return set()
            return {self.name(x) for x in node.inputs}
        read: Set[str] = set()
        made: Set[str] = set()
        if isinstance(node, Scan):
            regions = [node.body]
            read.update(self.sequence(node.sequences[i][0]) for i in self._elements(node) or [0])
            for i in self.program.states[node.id]:
                initial, inner, new = node.states[i]
                read.update((self.name(initial), self.name(new)))
                made.add(self.name(inner))
            made.update(self.name(element) for _outer, element in node.sequences)
            read.update(self.name(part.attrs['inner']) for part in self.program.collected[node.id].values())
        else:
            regions = node.branches
            read.add(self.name(node.condition))
            for part in self.program.chosen[node.id].values():
                read.update(self.name(value) for value in node.pairs[part.attrs['index']])
        for region in regions:
            for inner in self.program.blocks.get(region, ()):
                read |= self.reads(inner)
                made |= self.makes(inner)
        return read - made

    def makes(self, node: Statement) -> Set[str]:
        """Names that a statement leaves behind."""
        if isinstance(node, Scan):
            return {f'l{self.number(key)}' for key in self.program.collected[node.id]} | {
                f't{self.number(key)}' for key in self.program.finals[node.id]
            }
        if isinstance(node, Cond):
            return {f't{self.number(key)}' for key in self.program.chosen[node.id]}
        if node.op.name in ('final', 'chosen') or (node.op.name == 'collect' and self.name(node) not in self.arrays):
            return set()
        return {self.name(node)}

    def counted(self) -> 'Counter[str]':
        """{name: how many statements read it}, 0 for names that none reads."""
        return Counter([name for block in self.program.blocks.values() for s in block for name in self.reads(s)])

    def _elements(self, scan: Scan) -> List[int]:
        return sorted(self.program.elements[scan.id])

    # -- statements ----------------------------------------------------------------------------------------------
    def write(self, depth: int, line: str, *values: Any) -> None:
        self.lines.append('    ' * depth + (line % values if values else line))

    def block(self, region: Optional['Region'], depth: int, kept: Set[str]) -> Set[str]:
        """The statements of a region; names in `kept` outlive it. Returns those of them that were made here."""
        statements = [(node, self.reads(node), self.makes(node)) for node in self.program.blocks.get(region, ())]
        last: Dict[str, int] = {}
        made: Set[str] = set()
        for i, (_node, read, makes) in enumerate(statements):
            made |= makes
            for name in read | makes:
                last[name] = i
        done: List[List[str]] = [[] for _ in statements]
        for name in sorted(made - kept):
            done[last[name]].append(name)
        for (node, _read, _makes), dead in zip(statements, done):
            self.dead = dead
            if isinstance(node, Scan):
                self.scan(node, depth)
            elif isinstance(node, Cond):
                self.cond(node, depth)
            elif node.op.name == 'collect':
                if self.name(node) in self.arrays:
                    number = self.number(node.id)
                    steps = ('whole(l%d)' if node.optional else 'l%d') % number
                    self.write(depth, 't%d = stack(%s, %s, %r)', number, steps, self.tails[node.id], node.dtype)
            elif node.op.name not in ('final', 'chosen'):
                self.node(node, depth)
            if dead:
                self.write(depth, 'del %s', ', '.join(dead))
        return made & kept

    def node(self, node: Statement, depth: int) -> None:
        arguments = [self.name(x) for x in node.inputs]
        if node.op.name == 'item':
            self.write(depth, '%s = %s[%d]', self.name(node), arguments[0], node.attrs['index'])
            return
        function = self.lower(node)
        if self.name(node) in self.changed:
            function = self.kernels.CHANGES[node.op.name]
        elif node.op.name in self.kernels.CHANGES and self.is_spent(node.inputs[0]):
            # the array becomes the result
            arguments.append(arguments[0])
        self.write(depth, '%s = %s', self.name(node), _call(self.bind(function), arguments))

    def is_spent(self, x: Tensor) -> bool:
        """Whether the array of `x` can hold the result of the statement being written: nothing else ever sees it."""
        return self.name(x) in self.dead and self.readers[self.name(x)] == 1 and self.fresh(x)

    def lower(self, node: Node) -> 'Kernel':
        """The function of arrays that runs `node`."""
        kernels, name = self.kernels, node.op.name
        if all([ranked(x) for x in node.inputs]):
            ranks = tuple([len(x.dims) for x in node.inputs])
            dtypes = tuple([x.dtype for x in node.inputs])
            special = kernels.specialize(name, ranks, node.attrs, dtypes)
            if special is not None:
                return special
        function = kernels.IMPLEMENTATIONS[name]
        return partial(function, **node.attrs) if node.attrs else function

    def bind(self, function: Callable[..., Any]) -> str:
        """The global name of `function` in the generated code."""
        name = self.bound.get(id(function))
        if name is None:
            name = self.bound[id(function)] = f'f{len(self.bound)}'
            self.scope[name] = function
        return name

    def scan(self, scan: Scan, depth: int) -> None:
        program, name = self.program, self.name
        collected = [(self.number(key), part) for key, part in sorted(program.collected[scan.id].items())]
        states = [scan.states[i] for i in sorted(program.states[scan.id])]
        for key, _part in collected:
            self.write(depth, 'l%d = []', key)
            self.write(depth, 'a%d = l%d.append', key, key)
        elements = [scan.sequences[i] for i in self._elements(scan)]
        self._lengths(scan, elements or scan.sequences[:1], depth)
        for key, part in program.collected[scan.id].items():
            if name(part) in self.arrays:
                self.tails[key] = self._tail(scan, part, depth)
        # a state whose size the step seems to change keeps it all the same, or the loop is refused
        doubtful = [
            i
            for i, (_initial, inner, new) in enumerate(scan.states)
            if i in program.states[scan.id] and not all(map(same, inner.dims, new.dims))
        ]
        for i in doubtful:
            self.write(depth, 's%d = %s.shape', self.number(scan.states[i][1].id), name(scan.states[i][0]))
        for initial, inner, _new in states:
            self.write(depth, '%s = %s', name(inner), name(initial))
        backward = 'reversed(%s)' if scan.reverse else '%s'
        flip = '%s[::-1]' if scan.reverse else '%s'
        over = [(backward if self.sequence(o)[0] == 'l' else flip) % self.sequence(o) for o, _e in elements]
        if not elements:
            self.write(depth, 'for _ in %s:', self.sequence(scan.sequences[0][0]))
        elif len(elements) == 1:
            self.write(depth, 'for %s in %s:', name(elements[0][1]), over[0])
        else:
            self.write(depth, 'for %s in %s:', ', '.join([name(e) for _o, e in elements]), _call('zip', over))
        kept = {name(new) for _initial, _inner, new in states} | {name(p.attrs['inner']) for _key, p in collected}
        left = self.block(scan.body, depth + 1, kept)
        for key, part in collected:
            self.write(depth + 1, 'a%d(%s)', key, name(part.attrs['inner']))
        if states:
            self.write(
                depth + 1,
                '%s = %s',
                ', '.join([name(inner) for _i, inner, _n in states]),
                ', '.join([name(new) for _i, _inner, new in states]),
            )
        elif not collected:
            self.write(depth + 1, 'pass')
        if scan.reverse:
            for key, _part in collected:
                self.write(depth, 'l%d.reverse()', key)
        for i in doubtful:
            inner = scan.states[i][1]
            self.write(depth, 'keep(%r, %d, s%d, %s.shape)', scan.body.what, i, self.number(inner.id), name(inner))
        for _key, part in sorted(program.finals[scan.id].items()):
            self.write(depth, '%s = %s', name(part), name(scan.states[part.attrs['index']][1]))
        spent = sorted(left) + [name(e) for _o, e in elements] + [name(inner) for _i, inner, _n in states]
        spent += [f'a{key}' for key, _part in collected]
        if spent:
            self.write(depth, '%s = None', ' = '.join(spent))

    def _lengths(self, scan: Scan, elements: Sequences, depth: int) -> None:
        """Refuse sequences that do not end together, and too few steps, as far as this is not known already."""
        sizes = [outer.dims[0] for outer, _inner in elements]
        enough = not scan.least or (known(sizes[0]) and sizes[0] >= scan.least)
        if enough and all(same(size, scan.length) for size in sizes):
            return
        lengths = [f'len({self.sequence(outer)})' for outer, _inner in elements]
        if known(scan.length):
            lengths.append(f'{scan.length}')
        self.write(depth, 'steps(%r, %d, [%s])', scan.body.what, scan.least, ', '.join(lengths))

    def _tail(self, scan: Scan, part: Node, depth: int) -> str:
        """The shape of one step of what a loop collects, should there be no step to show it."""
        sizes: List[str] = []
        length = scan.length
        for axis, dim in enumerate(part.dims[1:]):
            if not known(dim) and not (known(length) and length):
                place = self._place_of(dim, scan)
                if place is not None:
                    self.write(depth, 'z%d_%d = %s.shape[%d]', self.number(part.id), axis, *place)
                    sizes.append(f'z{self.number(part.id)}_{axis}')
                    continue
            sizes.append(f'{dim if known(dim) else 0}')
        return f'({"".join([size + ", " for size in sizes])})'

    def _place_of(self, dim: Size, scan: Scan) -> Optional[Tuple[str, int]]:
        """(name, axis) of a value at hand that has the unknown size `dim`."""
        read = [scan.sequences[i][0] for i in self._elements(scan)]
        read = [t for t in read if self.sequence(t) == self.name(t)]
        read += [scan.states[i][0] for i in sorted(self.program.states[scan.id])]
        fed = [t for t in self.program.inputs if t.id in self.program.used]
        for tensor in fed + read:
            for axis, d in enumerate(tensor.dims if ranked(tensor) else ()):
                if d is dim:
                    return self.name(tensor), axis
        return None

    def cond(self, cond: Cond, depth: int) -> None:
        parts = sorted(self.program.chosen[cond.id].items())
        for side, head in enumerate((f'if {self.name(cond.condition)}:', 'else:')):
            self.write(depth, head)
            values = [self.name(cond.pairs[part.attrs['index']][side]) for _key, part in parts]
            left = self.block(cond.branches[side], depth + 1, set(values))
            for (_key, part), value in zip(parts, values):
                self.write(depth + 1, '%s = %s', self.name(part), value)
            if left:
                self.write(depth + 1, 'del %s', ', '.join(sorted(left)))
            if not parts:
                self.write(depth + 1, 'pass')

    # -- the function --------------------------------------------------------------------------------------------
    def function(self) -> str:
        """The source of the function."""
        program = self.program
        for constant in program.constants.values():
            self.scope[self.name(constant)] = constant.data
        for placeholder in program.defaults.values():
            self.scope[self.name(placeholder)] = placeholder.default
        names = [self.name(t) for t in program.inputs]
        self.write(0, 'def run(%s):', ', '.join(names) if len(names) <= _MOST_ARGUMENTS else '*fed')
        if len(names) > _MOST_ARGUMENTS:
            self.write(1, '%s = fed', ', '.join(names))
        if program.by_rows:
            self.readers = self.counted()
            self.changed = changed_rows(self)
        depth, variables = 1, sorted(program.variables.values(), key=lambda v: v.id)
        for variable in variables + [update.variable for update in program.updates]:
            self.scope[f'V{self.number(variable.id)}'] = variable
        if program.updates:
            self.write(depth, 'with lock:')
            depth += 1
        elif len(variables) > 1:
            # one moment's values, not half of another thread's update
            self.write(depth, 'with lock:')
            depth += 1
        for variable in variables:
            self.write(depth, 'v%d = V%d.data', self.number(variable.id), self.number(variable.id))
        if not program.updates:
            depth = 1
        if program.nodes:
            self.write(depth, 'with guard():')
            depth += 1
        self.block(None, depth, {self.name(t) for t in self.roots()})
        end(self, depth)
        return '\n'.join(self.lines) + '\n'

    def fresh(self, tensor: Tensor) -> bool:
        """Whether the value of `tensor` is an array of its own, shared with nothing."""
        while isinstance(tensor, Update):
            tensor = tensor.new
        return (
            isinstance(tensor, Node)
            and tensor.id not in self.fed
            and bool(tensor.dims)
            and ranked(tensor)
            and (
                tensor.op.name == 'collect'
                or (tensor.op.name not in ('final', 'chosen', 'item') and tensor.op.name not in self.kernels.VIEWS)
            )
        )


# as many as Python 3.6 takes in a call
_MOST_ARGUMENTS = 255


def _call(function: str, arguments: Sequence[str]) -> str:
    """The text of a call."""
    listed = ', '.join(arguments)
    return f'{function}({(listed if len(arguments) <= _MOST_ARGUMENTS else f"*[{listed}]")})'
