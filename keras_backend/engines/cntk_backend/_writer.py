"""The Python function of a program in which CNTK graphs stand for the operations that they do."""
import numpy as np

from ...graph import codegen
from ...graph.tensor import Node, Update
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
            self.write(depth, '%s = %s(%s)', _tuple(statement.outputs), self.bind(
                SegmentFunction(statement, self.kernels)), '(%s)' % _tuple(statement.inputs))
            return
        entries = self._sizes_of(statement)
        if entries is None:
            super().node(statement, depth)
            return
        sizes = ['%d' % e if isinstance(e, int) else '%s.shape[%d]' % e for e in entries]
        self.write(depth, "%s = array((%s), 'int32')", self.name(statement), _tuple(sizes))

    def fresh(self, tensor):
        while isinstance(tensor, Update):
            tensor = tensor.new
        return super().fresh(tensor) or (bool(tensor.dims) and self.name(tensor) in self.by_cntk)


def _tuple(items):
    return ', '.join(items) + ',' * (len(items) == 1)
