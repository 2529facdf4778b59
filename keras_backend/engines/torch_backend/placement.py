"""A pass over the statements of a function: which values are arrays of NumPy, and where they become tensors.

Sizes stay on the host, as arrays of NumPy: what `K.shape` gives, what is computed of it, and the learning phase. So no
run waits for a GPU to learn a size. They become tensors where something else needs them. Dtypes that PyTorch lacks are
left to the kernels of NumPy.
"""

from functools import partial
from typing import Dict, List, Optional, Sequence, Set

import numpy as np

from ...graph.nodes.dims import ranked
from ...graph.run.kernels import HasKernels, Run, kernel_for
from ...graph.run.lowering import Change, Lowering
from ...graph.run.program import Program
from ...graph.run.python import compile_program
from ...graph.run.sizes import SIZES
from ...graph.run.statements import Block, Compute, Convert, Loop, Name, Statement
from ..numpy_backend import library as of_numpy
from .arrays import ON_HOST, numpy, tensor, through_numpy

_OF_SIZES = frozenset(
    'identity cast neg abs square add sub mul floordiv mod maximum minimum equal not_equal greater greater_equal less '
    'less_equal logical_and logical_or logical_not where sum prod max min any all getitem reshape expand_dims squeeze '
    'reverse stack concatenate'.split()
)


def compile_with_sizes_on_the_host(program: Program, engine: HasKernels, first: Optional[Change] = None) -> Run:
    """The function `run(*fed arrays) -> list of outputs`, with its source as `run.source`.

    first: what changes the statements before their values get a place.
    """

    def change(lowering: Lowering) -> None:
        if first is not None:
            first(lowering)
        Placement(lowering).run()

    return compile_program(program, engine, change)


class Placement:
    """Chooses kernels of NumPy for sizes, and puts what makes tensors of them into the blocks.

    hosts: names of the values that are arrays of NumPy.
    """

    def __init__(self, lowering: Lowering) -> None:
        self.lowering, program = lowering, lowering.program
        self.hosts: Set[Name] = {lowering.name(t) for t in program.inputs if t.host}
        for placeholder in program.defaults.values():
            if placeholder.host:
                self.hosts.add(lowering.name(placeholder))
            else:
                lowering.constants[lowering.name(placeholder)] = tensor(placeholder.default)
        self._plain = {lowering.name(c): c for c in program.constants.values() if len(c.dims) < 2}
        self._tensors: Dict[Name, Name] = {}  # name of an array of NumPy -> name of it as a tensor

    def run(self) -> None:
        """Change all blocks. A block comes before those inside of it, which may read what it makes."""
        blocks, constants = list(self.lowering.blocks()), self.lowering.constants
        statements = [statement for block in blocks for statement in block.statements]
        # what loops, choices and variables take has to be tensors
        tied = {assign.value for assign in self.lowering.assigns}
        for statement in statements:
            tied |= statement.handed_on() | (statement.around() if isinstance(statement, Loop) else set())
        computed = [statement for statement in statements if isinstance(statement, Compute)]
        for statement in computed:
            if statement.makes[0] not in tied and self._is_size(statement):
                self.hosts.add(statement.makes[0])
        for statement in computed:
            self._place(statement)
        for block in blocks:
            self._convert(block)
        constants.update({new: tensor(constants[old]) for old, new in self._tensors.items() if old in constants})

    def _is_size(self, statement: Compute) -> bool:
        node = statement.node
        if node.op.name == 'shape':
            return True
        return (
            node.op.name in _OF_SIZES
            and ranked(node)
            and len(node.dims) < 2
            and any([name in self.hosts for name in statement.arguments])
            and all([name in self.hosts or name in self._plain for name in statement.arguments])
        )

    def _place(self, statement: Compute) -> None:
        """Choose the kernel of a statement, and name its operands as this one takes them."""
        node, on_host = statement.node, statement.makes[0] in self.hosts
        parameters = [p for p in node.op.parameters if p not in node.attrs]
        arguments: List[Name] = []
        for i, name in enumerate(statement.arguments):
            if on_host or (i < len(parameters) and parameters[i] in SIZES):
                arguments.append(self._on_host(name))
            else:
                arguments.append(self._tensors.setdefault(name, 'd' + name) if name in self.hosts else name)
        statement.arguments, statement.reads = arguments, set(arguments)
        if on_host:
            statement.kernel = kernel_for(of_numpy, node)
            if node.op.name in ('floordiv', 'mod'):
                statement.kernel = np.errstate(all='ignore')(statement.kernel)
        elif node.op.has_kernel and ON_HOST.intersection(
            [node.dtype, node.attrs.get('dtype'), *[x.dtype for x in node.inputs]]
        ):
            statement.kernel = partial(through_numpy(node.op.name), **node.attrs)

    def _on_host(self, name: Name) -> Name:
        """A constant that is read as a size is an array of NumPy, too."""
        constant = self._plain.get(name)
        if constant is None:
            return name
        data = numpy(constant.data) if constant.value is None else constant.value.astype(constant.dtype)
        self.lowering.constants['h' + name] = data
        return 'h' + name

    def _convert(self, block: Block) -> None:
        """Put a conversion behind what makes an array of NumPy that is needed as a tensor, too."""
        statements = self._conversions(self.lowering.inputs) if block is self.lowering.top else []
        for statement in block.statements:
            statements += [statement, *self._conversions(statement.makes)]
        block.statements = statements

    def _conversions(self, names: Sequence[Name]) -> List[Statement]:
        return [Convert(tensor, name, self._tensors[name]) for name in names if name in self._tensors]
