"""Which nodes of a function go into CNTK graphs, and in which order these and the rest run.

CNTK knows float tensors only, and some of its operations are not those of K. So the float work that it does right is gathered
into as few graphs as can be (segments), and NumPy runs the rest between them: integers, bools, draws, choices, loops.

Within a block (the top of a function, the body of a loop, a branch) every statement gets a stage. A node of CNTK joins the
stage of the newest value that it reads; what NumPy does with a value of CNTK comes one stage later. All CNTK nodes of one
stage and dtype are one segment.
"""
from collections import OrderedDict

from ...graph.dims import known, product
from ...graph.tensor import Cond, Constant, Node, Scan
from . import nodes

DTYPES = ('float32', 'float64')

# values that follow from shapes are sizes and what is made of them
_LONGEST = 32
# constants up to this many elements become part of the graph, larger ones are fed
_SMALL = 4096


class Step(object):
    """One operation of a segment: values have the names that they have in the written function.

    entries: of the op 'shape', its result as ints and (name of what is fed, axis).
    """

    __slots__ = ('name', 'op', 'attrs', 'arguments', 'ranks', 'dtypes', 'entries')

    def __init__(self, name, node, arguments, entries):
        self.name, self.op, self.attrs, self.arguments, self.entries = name, node.op.name, node.attrs, arguments, entries
        self.ranks = tuple([len(x.dims) for x in node.inputs])
        self.dtypes = tuple([x.dtype for x in node.inputs])


class Segment(object):
    """Nodes that run as one CNTK graph: a statement of a block.

    inputs: {name: 'data' (elements count), 'value' (they are sizes) or 'shape' (only the shape counts)}, what it is called with.
    constants: {name: array}, what it knows. outputs: names of the values that others read. steps: what it does.
    """

    class op(object):
        name = 'segment'    # as the other statements have one

    def __init__(self, dtype, members):
        self.dtype, self.members = dtype, members
        self.inputs, self.constants, self.outputs, self.steps = OrderedDict(), {}, [], []


class Plan(object):
    """Rewrites the blocks of a program; statements that belong together become Segments."""

    def __init__(self, writer):
        self.writer, self.program = writer, writer.program
        self._static = {}
        self._places = self._sizes_of_inputs()

    # -- sizes ---------------------------------------------------------------------------------------------------
    def _sizes_of_inputs(self):
        """Where an unknown size can be read off: {Dim: (fed tensor, axis)}."""
        places = {}
        for tensor in self.program.inputs:
            if not tensor.sparse:
                for axis, d in enumerate(tensor.dims):
                    if not known(d):
                        places.setdefault(d, (tensor, axis))
        return places

    def entries(self, node):
        """The shape that a node of the op 'shape' tells, as ints and (fed tensor, axis); None if a run has to tell."""
        entries = [d if known(d) else self._places.get(d) for d in node.inputs[0].dims]
        return None if None in entries else entries

    def static(self, tensor):
        """Whether the value of `tensor` follows from the shapes of what is fed."""
        todo = [tensor]
        while todo:
            t = todo[-1]
            if t.id in self._static:
                todo.pop()
                continue
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

    def _static_leaf(self, t):
        if t.id in self.writer.fed:
            return False
        if isinstance(t, Constant):
            return t.data.size <= _LONGEST
        if not isinstance(t, Node) or t.op.name in ('collect', 'final', 'chosen', 'item') or t.deps:
            return False
        if t.op.name == 'shape':
            return self.entries(t) is not None
        size = product(t.dims)
        return None if t.op.pure and t.inputs and size is not None and size <= _LONGEST else False

    def resolved(self, tensor):
        """The tensor whose value stands for that of `tensor`."""
        return self.program.same.get(tensor.id, tensor)

    # -- which nodes ---------------------------------------------------------------------------------------------
    def dtype(self, statement):
        """The dtype of the CNTK graph that `statement` can be part of, None if NumPy runs it."""
        if not isinstance(statement, Node) or statement.dtype not in DTYPES or self.static(statement):
            return None
        if not nodes.fits(statement, lambda x: self.known(self.resolved(x))):
            return None
        for parameter, x in self.arguments(statement):
            if parameter != 'value' and x.dtype != statement.dtype:
                return None
        return statement.dtype

    def known(self, tensor):
        return isinstance(tensor, Constant) or self.static(tensor)

    @staticmethod
    def arguments(node):
        """('data' or 'value', tensor) for every input: the elements of tensors of integers are sizes here."""
        return [('value' if x.dtype.startswith('int') else 'data', x) for x in node.inputs]

    # -- stages --------------------------------------------------------------------------------------------------
    def run(self):
        """Rewrite all blocks."""
        blocks = self.program.blocks
        staged = {region: self._staged(statements) for region, statements in blocks.items()}
        readers = self._readers([order for order, _home in staged.values()])
        for region, (order, _home) in staged.items():
            blocks[region] = [s for s in order if isinstance(s, Segment) or not self._is_static(s)
                              or self.writer.name(s) in readers]
        for order, home in staged.values():
            for segment in order:
                if isinstance(segment, Segment):
                    self._close(segment, home, readers)

    def _is_static(self, statement):
        return isinstance(statement, Node) and self.static(statement)

    def _staged(self, statements):
        """The statements in the order in which they run, with segments; and {name: the segment that makes it}."""
        made, rows, last_effect = {}, [], 0
        for statement in statements:
            dtype = self.dtype(statement)
            stage = 0
            for name in () if self._is_static(statement) else self.reads(statement):
                if name in made:
                    before, of = made[name]
                    stage = max(stage, before + (of is not None and of != dtype))
            if self._has_effect(statement):
                stage = last_effect = max(stage, last_effect)
            for name in self.writer.makes(statement):
                made[name] = stage, dtype
            rows.append((stage, dtype, statement))
        groups, order, home = {}, [], {}
        for stage, dtype, statement in rows:
            groups.setdefault((stage, dtype or ''), []).append(statement)
        for (_stage, dtype), together in sorted(groups.items(), key=lambda item: item[0]):
            early, members = self._peeled(together) if dtype else (together, [])
            order.extend(early)
            if members:
                order.append(Segment(dtype, members))
                home.update((self.writer.name(m), order[-1]) for m in members)
        return order, home

    def _peeled(self, statements):
        """What NumPy does for nothing before the graph runs, as views of what is fed to it; and the rest."""
        name = self.writer.name
        inside = {name(s) for s in statements}
        early, members = [], []
        for s in statements:
            # repetition costs CNTK nothing where it is put off
            if s.op.name in nodes.VIEWS and s.op.name != 'broadcast_to' and not any([
                    name(x) in inside or self.static(self.resolved(x)) for x in s.inputs[:1]]):
                inside.discard(name(s))
                early.append(s)
            else:
                members.append(s)
        return early, members

    def reads(self, statement):
        """Names that a statement waits for."""
        read = self.writer.reads(statement)
        if isinstance(statement, Node) and statement.deps:
            read = read | {self.writer.name(t) for t in statement.deps}
        return read

    def _has_effect(self, statement):
        if isinstance(statement, Node):
            return statement.op.name == 'print'
        regions = [statement.body] if isinstance(statement, Scan) else statement.branches
        return any([self._has_effect(s) for region in regions for s in self.program.blocks.get(region, ())])

    # -- who reads what ------------------------------------------------------------------------------------------
    def _readers(self, orders):
        """{name: set of the segments that read it, None standing for all else}."""
        name, readers, statics = self.writer.name, {}, []

        def read(names, reader):
            for n in names:
                readers.setdefault(n, set()).add(reader)
        read([name(t) for t in self.writer.roots()], None)
        for order in orders:
            for s in order:
                if isinstance(s, Segment):
                    for m in s.members:
                        read([name(x) for x in m.inputs if not self.static(self.resolved(x))], s)
                elif self._is_static(s):
                    statics.append(s)
                else:
                    read(self.reads(s) | self._results_inside(s), None)
        for s in sorted(statics, key=lambda s: s.id, reverse=True):
            if name(s) in readers:
                read(self.reads(s), None)
        return readers

    def _results_inside(self, statement):
        """Names made inside of a loop or choice that it takes up at the end."""
        name, program = self.writer.name, self.program
        if isinstance(statement, Scan):
            return ({name(statement.states[i][2]) for i in program.states[statement.id]}
                    | {name(part.attrs['inner']) for part in program.collected[statement.id].values()})
        if isinstance(statement, Cond):
            return {name(value) for part in program.chosen[statement.id].values()
                    for value in statement.pairs[part.attrs['index']]}
        return set()

    # -- segments ------------------------------------------------------------------------------------------------
    def _close(self, segment, home, readers):
        """Find out what a segment is called with and what it returns."""
        name, sizes = self.writer.name, {}
        for m in segment.members:
            if readers.get(name(m), set()) - {segment}:
                segment.outputs.append(name(m))
            for kind, x in self.arguments(m):
                x = self.resolved(x)
                if home.get(name(x)) is segment:
                    continue
                if isinstance(x, Constant) and x.data.size <= _SMALL:
                    segment.constants[name(x)] = x.data
                elif self.static(x):
                    self._sizes(segment, x, sizes)
                elif segment.inputs.get(name(x)) != 'data':
                    segment.inputs[name(x)] = kind
        steps = sorted(list(sizes.values()) + segment.members, key=lambda node: node.id)
        segment.steps = [self._step(node) for node in steps]
        segment.members = None

    def _sizes(self, segment, tensor, sizes):
        """Add the nodes that a static value is made of, and the fed tensors whose shapes it comes from."""
        todo = [tensor]
        while todo:
            t = self.resolved(todo.pop())
            if t.id in sizes:
                continue
            if isinstance(t, Constant):
                segment.constants[self.writer.name(t)] = t.data
                continue
            sizes[t.id] = t
            if t.op.name != 'shape':
                todo.extend(t.inputs)
                continue
            for entry in self.entries(t):
                if isinstance(entry, tuple):
                    segment.inputs.setdefault(self.writer.name(entry[0]), 'shape')

    def _step(self, node):
        entries = self.entries_by_name(node) if node.op.name == 'shape' else None
        arguments = () if entries else tuple([self.writer.name(x) for x in node.inputs])
        return Step(self.writer.name(node), node, arguments, entries)

    def entries_by_name(self, node):
        """As `entries`, with names in place of tensors."""
        return [(self.writer.name(e[0]), e[1]) if isinstance(e, tuple) else e for e in self.entries(node)]
