"""A pass over the statements of a function: which go into CNTK graphs, and in which order these and the rest run.

CNTK knows float tensors only, and some of its operations are not those of K. So the float work that it does right is
gathered into as few graphs as can be (segments), and NumPy runs the rest between them: integers, bools, draws, choices,
loops. NumPy runs a segment, too, that has no large products or convolutions: see LEAST.

Within a block (the top of a function, the body of a loop, a branch) every statement gets a stage. A node of CNTK joins
the stage of the newest value that it reads; what NumPy does with a value of CNTK comes one stage later. All CNTK nodes
of one stage and dtype are one segment.
"""

import os
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

import numpy as np

from ...graph.nodes.base import known, product, ranked
from ...graph.nodes.tensor import Constant, Node, Tensor
from ...graph.run.python import compile_program
from ...graph.run.statements import Call, Compute, Entry, Name, Place, Sizes, Statement
from . import primitives as nodes
from .segment import SegmentFunction

if TYPE_CHECKING:
    from ...graph.nodes.base import Dim
    from ...graph.run.kernels import Array, HasKernels, Run
    from ...graph.run.lowering import Lowering
    from ...graph.run.program import Program

Stage = Tuple[int, Optional[str]]  # its number; the dtype of the graph, None where NumPy computes
Names = Iterable[Name]

DTYPES = ('float32', 'float64')

# As many multiplications a node must come to in a segment that is worth a graph. A node of CNTK takes some microseconds
# before it computes anything; NumPy takes one. KERAS_BACKEND_CNTK_GRAPHS=all makes graphs of all segments.
LEAST = 0 if os.environ.get('KERAS_BACKEND_CNTK_GRAPHS', '').strip().lower() == 'all' else 200000
# values that follow from shapes are sizes and what is made of them
_LONGEST = 32
# Building a graph takes time by the square of its size, so what is larger is cut into graphs of this many nodes.
LONGEST = 400
# constants up to this many elements become part of the graph, larger ones are fed
_SMALL = 4096


class Step:
    """One operation of a segment: values have the names that they have in the written function.

    entries: of the op 'shape', its result as ints and (name of what is fed, axis).
    """

    __slots__ = ('arguments', 'attrs', 'dtypes', 'entries', 'name', 'op', 'ranks')

    def __init__(self, name: Name, node: Node, arguments: List[Name], entries: Optional[List[Entry]]) -> None:
        self.name, self.op, self.attrs = name, node.op.name, node.attrs
        self.arguments, self.entries = arguments, entries
        self.ranks = tuple([len(x.dims) for x in node.inputs])
        self.dtypes = tuple([x.dtype for x in node.inputs])


class Segment(Statement):
    """Statements that run as one CNTK graph.

    inputs: what it is called with, {name: 'data' (its elements count), 'value' (they are sizes) or 'shape' (only the
    shape counts)}. constants: what it knows, {name: array}. members: {name: statement}. outputs: names of the values
    that others read. steps: what it does.
    """

    members: 'OrderedDict[Name, Compute]'
    inputs: 'OrderedDict[Name, str]'
    constants: Dict[Name, 'Array']
    outputs: List[Name]
    steps: List[Step]

    def __init__(self, dtype: str, members: Iterable[Compute]) -> None:
        super().__init__(set(), ())
        self.dtype, self.members = dtype, OrderedDict((m.makes[0], m) for m in members)
        self.inputs, self.constants, self.outputs, self.steps = OrderedDict(), {}, [], []


Reader = Optional[Segment]  # None: all else


def compile_with_graphs(program: 'Program', engine: 'HasKernels') -> 'Run':
    """The function `run(*fed arrays) -> list of outputs`, in which CNTK graphs stand for the operations they do."""
    return compile_program(program, engine, lambda lowering: Plan(lowering).run())


class Plan:
    """Rewrites the blocks of a program; statements that belong together become calls of CNTK graphs."""

    _static: Dict[int, bool]
    _home: Dict[Name, Segment]
    _effects: Set[Statement]

    def __init__(self, lowering: 'Lowering') -> None:
        self.lowering, self.name, self.resolved = lowering, lowering.name, lowering.resolved
        self._static, self._home, self._effects = {}, {}, set()
        self._places = self._sizes_of_inputs()

    def run(self) -> None:
        """Rewrite all blocks."""
        lowering = self.lowering
        lowering.settle_reads()
        self._note_effects()
        blocks = list(lowering.blocks())
        staged = [self._staged(block.statements) for block in blocks]
        if not self._home:
            return
        for block, statements in zip(blocks, staged):
            block.statements = statements
        segments = [s for block in blocks for s in block.statements if isinstance(s, Segment)]
        for segment in segments:
            self._close(segment)
        readers = self._readers([s for block in blocks for s in block.statements])
        for segment in segments:
            segment.outputs = [m for m in segment.members if readers.get(m, set()) - {segment}]
        for block in blocks:
            block.statements = [self._final(s) for s in block.statements if self._is_needed(s, readers)]

    def _is_needed(self, statement: Statement, readers: Dict[Name, Set[Reader]]) -> bool:
        """Of some tensors only the shape is asked for, and nothing has to be computed."""
        if isinstance(statement, Segment):
            return bool(statement.outputs)
        return not self.is_static(statement) or statement.makes[0] in readers

    def _final(self, statement: Statement) -> Statement:
        """The statement that runs in the place of `statement`."""
        if isinstance(statement, Segment):
            return Call(SegmentFunction(statement, self.lowering.kernels), list(statement.inputs), statement.outputs)
        entries = self._entries_of(statement)
        return statement if entries is None else Sizes(partial(np.array, dtype='int32'), entries, statement.makes[0])

    def _entries_of(self, statement: Statement) -> Optional[List[Entry]]:
        """The entries of a shape that is read off what is fed, else None."""
        if isinstance(statement, Compute) and statement.node.op.name == 'shape':
            return self.entries(statement.node)
        return None

    # -- what is known once shapes are ---------------------------------------------------------------------------
    def _sizes_of_inputs(self) -> Dict['Dim', Place]:
        """Where an unknown size can be read off: {Dim: (name of what is fed, axis)}."""
        origins: Dict[Dim, Place] = {}
        for tensor in self.lowering.program.inputs:
            if not tensor.sparse and tensor.id in self.lowering.program.used and ranked(tensor):
                for axis, d in enumerate(tensor.dims):
                    if not known(d):
                        origins.setdefault(d, (self.name(tensor), axis))
        return origins

    def entries(self, node: Node) -> Optional[List[Entry]]:
        """The shape that a node of the op 'shape' tells, as ints and (name of what is fed, axis), if that tells it."""
        x = node.inputs[0]
        if not ranked(x):
            return None
        # where another branch runs, an optional tensor is smaller than its dims say
        entries: List[Any] = [d if known(d) else None if x.optional else self._places.get(d) for d in x.dims]
        return None if None in entries else entries

    def static(self, tensor: Tensor) -> bool:
        """Whether the value of `tensor` is known once all shapes are."""
        todo = [tensor]
        while todo:
            t = todo[-1]
            if t.id not in self._static:
                answer = self._static_leaf(t)
                if answer is None:
                    sources = [self.resolved(x) for x in t.inputs]
                    unknown = [x for x in sources if x.id not in self._static]
                    if unknown:
                        todo.extend(unknown)
                        continue
                    answer = all([self._static[x.id] for x in sources])
                self._static[t.id] = answer
            todo.pop()
        return self._static[tensor.id]

    def _static_leaf(self, t: Tensor) -> Optional[bool]:
        if self.lowering.is_fed(t):
            return False
        if isinstance(t, Constant):
            short: bool = t.data.size <= _LONGEST
            return short
        if not isinstance(t, Node) or not t.op.has_kernel or t.deps:
            return False
        if t.op.name == 'shape':
            return ranked(t.inputs[0])
        if not ranked(t):
            return False
        size = product(t.dims)
        return None if t.op.pure and t.inputs and size is not None and size <= _LONGEST else False

    def is_static(self, statement: Statement) -> bool:
        """Whether what `statement` makes is known once all shapes are."""
        return isinstance(statement, Compute) and self.static(statement.node)

    def known(self, tensor: Tensor) -> bool:
        """Whether a graph that reads `tensor` can know its value."""
        tensor = self.resolved(tensor)
        return self._small(tensor) or self.static(tensor)

    @staticmethod
    def _small(tensor: Tensor) -> bool:
        return isinstance(tensor, Constant) and tensor.data.size <= _SMALL

    # -- stages --------------------------------------------------------------------------------------------------
    def _dtype(self, statement: Statement) -> Optional[str]:
        """The dtype of the CNTK graph that `statement` can be part of, None if NumPy runs it.

        Each run reads another number of rows, so a graph would be built for every run.
        """
        if not isinstance(statement, Compute) or statement.node.id in self.lowering.program.by_rows:
            return None
        node = statement.node
        if not all([ranked(x) for x in (node, *node.inputs)]):
            return None
        if node.dtype not in DTYPES or not nodes.fits(node, self.known):
            return None
        return node.dtype if all([x.dtype == node.dtype or x.dtype.startswith('int') for x in node.inputs]) else None

    def _staged(self, statements: Iterable[Statement]) -> List[Statement]:
        """The statements in the order in which they run, gathered in segments."""
        stages: Dict[Name, Stage]
        groups: Dict[Tuple[int, str], List[Any]]  # of a dtype: Compute
        stages, groups, last_effect = {}, {}, 0
        for statement in statements:
            read = [stages[name] for name in self.reads(statement) if name in stages]
            if self.is_static(statement):
                stage, dtype = _beside(read)
            else:
                dtype = self._dtype(statement)
                stage = max([before + (of is not None and of != dtype) for before, of in read] or [0])
            if statement in self._effects:
                stage = last_effect = max(stage, last_effect)
            for name in statement.makes:
                stages[name] = stage, dtype
            groups.setdefault((stage, dtype or ''), []).append(statement)
        order: List[Any] = []
        for (_stage, dtype), together in sorted(groups.items(), key=lambda item: item[0]):
            early, members, late = self._peeled(together) if dtype else (together, [], [])
            if sum([nodes.multiplications(m.node) for m in members]) < LEAST * len(members):
                early, members, late = together, [], []
            order.extend(early)
            for start in range(0, len(members), LONGEST):
                order.append(Segment(dtype, members[start : start + LONGEST]))
                self._home.update(dict.fromkeys(order[-1].members, order[-1]))
            order.extend(late)
        return order

    def _peeled(self, statements: List[Compute]) -> Tuple[List[Compute], List[Compute], List[Compute]]:
        """The views of what is fed that NumPy makes at no cost before the graph runs; the graph; and its tail."""
        inside = {s.makes[0] for s in statements}
        early: List[Compute]
        members: List[Compute]
        early, members = [], []
        for s in statements:
            # repetition costs CNTK nothing where it is put off
            op, inputs = s.node.op.name, s.node.inputs
            if (
                op in nodes.VIEWS
                and op != 'broadcast_to'
                and not any([self.name(x) in inside or self.static(self.resolved(x)) for x in inputs[:1]])
            ):
                inside.discard(s.makes[0])
                early.append(s)
            else:
                members.append(s)
        if all([self.static(m.node) for m in members]):
            return statements, [], []
        return (early,) + self._without_tail(members)

    def _without_tail(self, members: List[Compute]) -> Tuple[List[Compute], List[Compute]]:
        """`members` without large sums, multiples and products at their end, updates of weights above all; and these.

        NumPy does the former in a fifth of the time, and the latter without a copy of what is transposed; and no more
        arrays go from one to the other than before.
        """
        names = {m.makes[0] for m in members}
        inside = set(names)
        for m in members:
            read = set(m.arguments)
            if nodes.is_tail(m.node, len(read & names), len(read & inside)):
                inside.discard(m.makes[0])
        graph, late = [], []
        for m in reversed(members):
            if m.makes[0] in inside:
                graph.append(m)
                # what the graph reads is made there
                inside |= self.reads(m)
            else:
                late.append(m)
        return graph[::-1], late[::-1]

    def reads(self, statement: Statement) -> Set[Name]:
        """Names that a statement waits for."""
        entries = self._entries_of(statement)
        read = statement.reads if entries is None else {e[0] for e in entries if isinstance(e, tuple)}
        if isinstance(statement, Compute) and statement.node.deps:
            read = read | {self.name(t) for t in statement.node.deps}
        return read

    def _note_effects(self) -> None:
        """Find the statements that print, or hold one that does."""
        for block in self.lowering.inside_out():
            for s in block.statements:
                inside = [t for inner in s.blocks for t in inner.statements]
                if any([t in self._effects for t in inside]) or (isinstance(s, Compute) and s.node.op.name == 'print'):
                    self._effects.add(s)

    # -- what a segment is called with ---------------------------------------------------------------------------
    def _close(self, segment: Segment) -> None:
        """Find the inputs of a segment, and its steps."""
        todo: List[Any]  # nodes
        nodes_of: Dict[int, Node]
        todo, nodes_of = [member.node for member in segment.members.values()], {}
        while todo:
            node = todo.pop()
            if node.id in nodes_of:
                continue
            nodes_of[node.id] = node
            if node.op.name == 'shape':
                entries = self.entries(node)
                read = [self.name(node.inputs[0])] if entries is None else [e[0] for e in entries if type(e) is tuple]
                for name in read:
                    if name not in segment.members:
                        segment.inputs.setdefault(name, 'shape')
                continue
            for x in node.inputs:
                x = self.resolved(x)
                name = self.name(x)
                if name in segment.members:
                    continue
                if self._small(x):
                    segment.constants[name] = x.data
                elif self.static(x) and name not in self._home:
                    todo.append(x)
                elif segment.inputs.get(name, 'shape') == 'shape':
                    segment.inputs[name] = 'value' if self.static(x) or x.dtype.startswith('int') else 'data'
        for key in sorted(nodes_of):
            node = nodes_of[key]
            entries = self.entries(node) if node.op.name == 'shape' else None
            arguments = [self.name(x) for x in node.inputs] if entries is None else []
            segment.steps.append(Step(self.name(node), node, arguments, entries))

    def _readers(self, statements: Iterable[Statement]) -> Dict[Name, Set[Reader]]:
        """{name: set of the segments that read it, None standing for all else}."""
        readers: Dict[Name, Set[Reader]]
        statics: List[Any]  # Compute
        readers, statics = {}, []

        def read(names: Names, reader: Reader) -> None:
            for name in names:
                readers.setdefault(name, set()).add(reader)

        read(self.lowering.roots(), None)
        for s in statements:
            if isinstance(s, Segment):
                read(s.inputs, s)
            elif self.is_static(s):
                statics.append(s)
            else:
                read(self.reads(s) | s.handed_on(), None)
        for s in sorted(statics, key=lambda s: s.node.id, reverse=True):
            if s.makes[0] in readers:
                read(self.reads(s), None)
        return readers


def _beside(read: Sequence[Stage]) -> Stage:
    """Stage and dtype of what is known beside values made at the stages and for the dtypes `read`."""
    stage = max([before for before, _of in read] or [0])
    dtypes = {of for before, of in read if before == stage and of is not None}
    return (stage, dtypes.pop() if dtypes else None) if len(dtypes) < 2 else (stage + 1, None)
