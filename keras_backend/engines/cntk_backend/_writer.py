"""The Python function of a program in which CNTK graphs stand for the operations that they do."""

import numpy as np

from ...graph import codegen
from ...graph.dims import ranked, same
from ...graph.tensor import Node, Update
from . import nodes
from ._plan import Plan, Segment
from ._segment import SegmentFunction


def compile_program(program, engine):
    """The function `run(*fed arrays) -> list of outputs`, with its source as `run.source`."""
    return codegen.compile_program(program, engine, Writer)


class Writer(codegen.Writer):
    def __init__(self, program, engine):
        super().__init__(program, engine)
        self.scope['array'] = np.array
        self.plan, self.by_cntk = Plan(self), set()
        self.plan.run()
        self.readers = self.counted()

    def _sizes_of(self, statement):
        """The entries of a shape that is read off what is fed, else None."""
        return self.plan.entries(statement) if isinstance(statement, Node) and statement.op.name == 'shape' else None

    def reads(self, statement):
        if isinstance(statement, Segment):
            return set(statement.inputs)
        entries = self._sizes_of(statement)
        return super().reads(statement) if entries is None else {e[0] for e in entries if isinstance(e, tuple)}

    def makes(self, statement):
        return set(statement.outputs) if isinstance(statement, Segment) else super().makes(statement)

    def node(self, statement, depth):
        if isinstance(statement, Segment):
            self.by_cntk.update(statement.outputs)
            # a tuple: calls of Python 3.6 end at 255 arguments
            self.write(
                depth,
                '%s = %s(%s)',
                _tuple(statement.outputs),
                self.bind(SegmentFunction(statement, self.kernels)),
                f'({_tuple(statement.inputs)})',
            )
            return
        entries = self._sizes_of(statement)
        spent = self._spent(statement)
        if spent is not None:
            arguments = [self.name(x) for x in statement.inputs] + [spent]
            self.write(
                depth, '%s = %s(%s)', self.name(statement), self.bind(self.lower(statement)), ', '.join(arguments)
            )
            return
        if entries is None:
            super().node(statement, depth)
            return
        sizes = [str(e) if isinstance(e, int) else '{}.shape[{}]'.format(*e) for e in entries]
        self.write(depth, "%s = array((%s), 'int32')", self.name(statement), _tuple(sizes))

    def _spent(self, statement):
        """The operand of `statement` that can hold its result, since nothing else ever sees it, else None."""
        if statement.op.name not in nodes.IN_PLACE or not statement.dims or not ranked(statement):
            return None
        for x in statement.inputs:
            if (
                x.dtype == statement.dtype
                and ranked(x)
                and len(x.dims) == len(statement.dims)
                and all(map(same, x.dims, statement.dims))
                and self.is_spent(x)
            ):
                return self.name(x)
        return None

    def fresh(self, tensor):
        while isinstance(tensor, Update):
            tensor = tensor.new
        return super().fresh(tensor) or (bool(tensor.dims) and self.name(tensor) in self.by_cntk)


def _tuple(items):
    return ', '.join(items) + ',' * (len(items) == 1)
