"""Statements as one Python function, for libraries that run operations as they are called.

Loops and choices are written inline. A value is deleted after its last use. All updates are assigned at the end, so
none of them sees another. Everything that can fail comes before them, so an error leaves all variables as they were.
Where rows are written into an array, nothing of this run may still hold the array then.

Python's compiler refuses more than 20 loops inside of each other. So what lies deeper is a function of its own:

    def part0(given):
        p0, t3 = given
        ...
        return t9,
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ..nodes.base import ranked
from ..nodes.tensor import Node
from .failures import Printed
from .interpreter import fits, keeps, steps, whole
from .kernels import kernel_for
from .lowering import Lowering, lowered
from .statements import Block, Call, Choice, Compute, Convert, Loop, Name, Sizes, Stack, Statement

if TYPE_CHECKING:
    from .kernels import HasKernels, Run
    from .lowering import Change
    from .program import Program
    from .statements import Entry

Lines = List[str]

# as many as Python 3.6 takes in a call
_MOST_ARGUMENTS = 255
# how many loops and choices lie inside of each other in one function
_DEEPEST = 12


def compile_program(program: 'Program', graph: 'HasKernels', change: Optional['Change'] = None) -> 'Run':
    """The function `run(*fed arrays) -> list of outputs`, with its source as `run.source`.

    change: what an engine does to the blocks of the program (see `lowered`).
    """
    printer = _Printer(lowered(program, graph.kernels, change), graph)
    source = printer.function()
    scope = printer.scope
    exec(compile(source, f'<K.function of {len(program.nodes)} nodes>', 'exec'), scope)
    run: Any = scope['run']
    run.source = source
    run.located = Printed(printer.lowering, scope, source)
    made: Run = run
    return made


class _Printer:
    """Writes the function of a lowering.

    scope: the global names of the function.
    """

    def __init__(self, lowering: Lowering, graph: 'HasKernels') -> None:
        self.lowering, self.kernels = lowering, graph.kernels
        self.scope: Dict[str, Any] = {
            'lock': graph.lock,
            'guard': self.kernels.guard,
            'private_copy': self.kernels.private_copy,
            'backwards': self.kernels.backwards,
            'fit': fits,
            'stack': self.kernels.stack_steps,
            'steps': steps,
            'keep': keeps,
            'whole': partial(whole, self.kernels.PRIMITIVES['broadcast_to']),
        }
        # Arrays of some libraries have neither `len` nor `iter`.
        forwards = getattr(self.kernels, 'forwards', None)
        self._own_steps = forwards is not None
        if self._own_steps:
            self.scope.update(forwards=forwards, len=_length)
        self.scope.update(lowering.constants)
        self._bound: Dict[int, str] = {}  # id of a function -> its global name
        self._parts: List[Lines] = []
        self._written: Dict[Statement, Tuple[Lines, int]] = {}  # of loops and choices: the lines, and how deep they are
        self._variables: Dict[int, str] = {}  # id of a variable -> its global name

    def bind(self, function: Callable[..., Any]) -> str:
        """The global name of `function` in the generated code."""
        name = self._bound.get(id(function))
        if name is None:
            name = self._bound[id(function)] = f'f{len(self._bound)}'
            self.scope[name] = function
        return name

    # -- the function --------------------------------------------------------------------------------------------
    def function(self) -> str:
        """The source of the function."""
        lowering, program = self.lowering, self.lowering.program
        for name, variable in lowering.variables.items():
            self._name_variable(variable, name)
        for assign in lowering.assigns:
            self._name_variable(assign.variable, lowering.name(assign.variable))
        for block in lowering.inside_out()[:-1]:
            for statement in block.statements:
                self._write_inside(statement)
        for statement in lowering.top.statements:
            self._write_inside(statement)
        body, _depth = self._block(lowering.top)
        body += self._end()
        if program.nodes and self.kernels.guard is not None:
            body = ['with guard():', *_indented(body)]
        reading = [f'{name} = V{name[1:]}.data' for name in lowering.variables]
        if program.updates:
            body = ['with lock:', *_indented(reading + body)]
        elif len(reading) > 1:
            # one moment's values, not half of another thread's update
            body = ['with lock:', *_indented(reading), *body]
        else:
            body = reading + body
        names = lowering.inputs
        if len(names) > _MOST_ARGUMENTS:
            body = [f'{", ".join(names)} = fed', *body]
        head = f'def run({", ".join(names) if len(names) <= _MOST_ARGUMENTS else "*fed"}):'
        lines = [line for source in self._parts for line in source] + [head, *_indented(body)]
        return '\n'.join(lines) + '\n'

    def _name_variable(self, variable: Any, name: Name) -> None:
        self._variables[variable.id] = key = 'V' + name[1:]
        self.scope[key] = variable

    # -- statements ----------------------------------------------------------------------------------------------
    def _block(self, block: Block) -> Tuple[Lines, int]:
        """The lines of a block, and how many loops and choices lie inside of each other there."""
        lines: Lines = []
        deepest = 0
        for statement in block.statements:
            if isinstance(statement, Compute):
                lines.append(self._compute(statement))
            elif isinstance(statement, (Loop, Choice)):
                written, depth = self._written.pop(statement)
                lines.extend(written)
                deepest = max(deepest, depth)
            elif isinstance(statement, Stack):
                lines.append(_stack(statement))
            elif isinstance(statement, Call):
                # a tuple: calls of Python 3.6 end at 255 arguments
                call = f'{self.bind(statement.function)}(({_tuple(statement.arguments)}))'
                lines.append(f'{_tuple(statement.makes)} = {call}')
            elif isinstance(statement, Convert):
                lines.append(f'{statement.makes[0]} = {_call(self.bind(statement.function), sorted(statement.reads))}')
            elif isinstance(statement, Sizes):
                sizes = _tuple([_size(entry) for entry in statement.entries])
                lines.append(f'{statement.makes[0]} = {self.bind(statement.function)}(({sizes}))')
            else:
                raise AssertionError(statement)
            if statement.ends:
                lines.append(f'del {", ".join(statement.ends)}')
        return lines, deepest

    def _compute(self, compute: Compute) -> str:
        node, name, arguments = compute.node, compute.makes[0], compute.arguments
        if not node.op.has_kernel:
            return f'{name} = {arguments[0]}[{node.attrs["index"]}]'
        kernel = self.kernels.CHANGES[node.op.name] if compute.by_rows else compute.kernel
        if kernel is None:
            kernel = kernel_for(self.kernels, node)
        return f'{name} = {_call(self.bind(kernel), arguments, compute.out)}'

    def _write_inside(self, statement: Statement) -> None:
        """Write a loop or choice, what is inside of it being written; what gets too deep becomes a function."""
        if isinstance(statement, Loop):
            lines, depth = self._loop(statement)
        elif isinstance(statement, Choice):
            lines, depth = self._choice(statement)
        else:
            return
        if depth > _DEEPEST:
            lines, depth = [self._part(statement, lines)], 0
        self._written[statement] = lines, depth

    def _part(self, statement: Statement, lines: Lines) -> str:
        """Make a function of a statement that is written already; returns its call."""
        inputs = sorted(name for name in statement.reads if name not in self.lowering.constants)
        name = f'part{len(self._parts)}'
        body = [f'{_tuple(inputs)} = given'] if inputs else []
        last_line = f'return {_tuple(statement.makes)}' if statement.makes else 'return ()'
        self._parts.append([f'def {name}(given):', *_indented([*body, *lines, last_line])])
        call = f'{name}(({_tuple(inputs)}))'
        return f'{_tuple(statement.makes)} = {call}' if statement.makes else call

    def _loop(self, loop: Loop) -> Tuple[Lines, int]:
        scan, lines = loop.scan, []
        for collected, _inner in loop.collected:
            lines += [f'{collected} = []', f'{_append(collected)} = {collected}.append']
        if loop.lengths:
            lengths = [f'len({name})' if isinstance(name, str) else str(name) for name in loop.lengths]
            lines.append(f'steps({scan.body.what!r}, {scan.least}, [{", ".join(lengths)}])')
        for size, (name, axis) in loop.sizes.items():
            lines.append(f'{size} = {name}.shape[{axis}]')
        for position, _index in loop.checked:
            first, inner, _new = loop.states[position]
            lines.append(f's{inner[1:]} = {first}.shape')
        for first, inner, _new in loop.states:
            lines.append(f'{inner} = {first}')
        lines.append(_over(loop, self._own_steps))
        inside, depth = self._block(loop.block)
        inside += [f'{_append(collected)}({inner})' for collected, inner in loop.collected]
        if loop.states:
            names, values = [inner for _f, inner, _n in loop.states], [new for _f, _inner, new in loop.states]
            inside.append(f'{", ".join(names)} = {", ".join(values)}')
        lines += _indented(inside or ['pass'])
        if scan.reverse:
            lines += [f'{collected}.reverse()' for collected, _inner in loop.collected]
        for position, index in loop.checked:
            inner = loop.states[position][1]
            lines.append(f'keep({scan.body.what!r}, {index}, s{inner[1:]}, {inner}.shape)')
        lines += [f'{final} = {inner}' for final, inner in loop.finals]
        spent = sorted(loop.block.made() & loop.block.kept)
        spent += [element for _s, _l, element in loop.elements] + [inner for _f, inner, _n in loop.states]
        spent += [_append(collected) for collected, _inner in loop.collected]
        if spent:
            lines.append(f'{" = ".join(spent)} = None')
        return lines, depth + 1

    def _choice(self, choice: Choice) -> Tuple[Lines, int]:
        lines: Lines = []
        deepest = 0
        for side, head in enumerate((f'if {choice.condition}:', 'else:')):
            block = choice.branches[side]
            inside, depth = self._block(block)
            inside += [f'{result} = {values[side]}' for result, values in choice.parts]
            left = sorted(block.made() & block.kept)
            if left:
                inside.append(f'del {", ".join(left)}')
            lines += [head, *_indented(inside or ['pass'])]
            deepest = max(deepest, depth)
        return lines, deepest + 1

    # -- the end -------------------------------------------------------------------------------------------------
    def _end(self) -> Lines:
        """New values of variables, results, assignments, all that a run computes being computed."""
        lines: Lines = []
        assigned: List[Tuple[str, str]] = []
        by_rows: List[str] = []
        for i, assign in enumerate(self.lowering.assigns):
            variable, value = self._variables[assign.variable.id], assign.value
            if assign.by_rows:
                by_rows.append(f'({variable}, {value})')
                continue
            if assign.copied:
                value = f'private_copy({value}, {assign.variable.dtype!r})'
            if assign.checked:
                value = f'fit({variable}, {value})'
            lines.append(f'u{i} = {value}')
            assigned.append((variable, f'u{i}'))
        results = f'[{", ".join(self._results())}]'
        if not self.lowering.assigns:
            return [f'return {results}']
        lines.append(f'results = {results}')
        if by_rows:
            by_rows += [f'({variable}, (None, {value}))' for variable, value in assigned]
            lines.append(f'{" = ".join(self._holding())} = None')
            from .row_updates import write_rows  # here, because only the gradient of a lookup needs it

            lines.append(f'{self.bind(partial(write_rows, self.kernels))}([{", ".join(by_rows)}])')
        else:
            lines += _assigned([f'{variable}.data = {value}' for variable, value in assigned])
        return [*lines, 'return results']

    def _results(self) -> List[str]:
        results = []
        for result in self.lowering.results:
            tensor = result.tensor
            function = self.kernels.hand_out(tensor.dtype, len(tensor.dims) if ranked(tensor) else None, result.copied)
            results.append(result.name if function is None else f'{self.bind(function)}({result.name})')
        return results

    def _holding(self) -> List[Name]:
        """Names that may hold the array of a variable, or a view of it."""
        rows = {assign.value for assign in self.lowering.assigns if assign.by_rows}
        names = set(self.lowering.variables)
        names.update([r.name for r in self.lowering.results if isinstance(self.lowering.resolved(r.tensor), Node)])
        names.update([assign.value for assign in self.lowering.assigns if isinstance(assign.new, Node)])
        # what is fed is not ours
        return sorted(name for name in names - rows if name[0] in 'vt')


def _indented(lines: Iterable[str]) -> Lines:
    return ['    ' + line for line in lines]


def _assigned(lines: Lines) -> Lines:
    """All assignments, also where Ctrl-C comes between two of them."""
    if len(lines) == 1:
        return lines
    return ['try:', *_indented(lines), 'except BaseException:', *_indented([*lines, 'raise'])]


def _append(collected: Name) -> Name:
    return 'a' + collected[1:]


def _length(sequence: Any) -> int:
    length: int = sequence.shape[0] if hasattr(sequence, 'shape') else len(sequence)
    return length


def _over(loop: Loop, own_steps: bool) -> str:
    """The head of a loop."""
    if not loop.elements:
        over_nothing = f'range(len({loop.over_nothing}))' if own_steps else loop.over_nothing
        return f'for _ in {over_nothing}:'
    over = []
    for sequence, is_list, _element in loop.elements:
        backwards = f'reversed({sequence})' if is_list else f'backwards({sequence})'
        forwards = f'forwards({sequence})' if own_steps and not is_list else sequence
        over.append(backwards if loop.scan.reverse else forwards)
    elements = ', '.join([element for _s, _l, element in loop.elements])
    return f'for {elements} in {over[0] if len(over) == 1 else _call("zip", over)}:'


def _stack(stack: Stack) -> str:
    steps = f'whole({stack.steps})' if stack.node.optional else stack.steps
    tail = _tuple([str(size) for size in stack.tail])
    return f'{stack.makes[0]} = stack({steps}, ({tail}), {stack.node.dtype!r})'


def _size(entry: 'Entry') -> str:
    return '{}.shape[{}]'.format(*entry) if isinstance(entry, tuple) else str(entry)


def _tuple(items: Sequence[str]) -> str:
    return ', '.join(items) + ',' * (len(items) == 1)


def _call(function: str, arguments: Sequence[str], out: Optional[Name] = None) -> str:
    """The text of a call."""
    listed = ', '.join(arguments)
    if len(arguments) > _MOST_ARGUMENTS:
        listed = f'*[{listed}]'
    return f'{function}({listed}{f", out={out}" if out else ""})'
