"""The run of a program while PyTorch traces it (`torch.export`): statement by statement, without a look at values.

Sizes stay on the host, as arrays of NumPy; those without a number are arrays of objects. A choice whose condition is a
tensor computes both branches and takes one. A loop is unrolled, so its length is part of what is exported.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...errors import ExportError
from ...graph.nodes.tensor import Draws
from ...graph.run.failures import said
from ...graph.run.interpreter import Interpreter, Values
from ...graph.run.kernels import kernel_for
from ...graph.run.lowering import lowered
from ...graph.run.sizes import size_positions
from ...graph.run.statements import Choice, Compute, Loop
from ...graph.run.symbolic_sizes import SymbolicSizes, has_numbers, is_symbolic, shape_of
from ...kernels import PRIMITIVES as OF_NUMPY
from ..numpy_backend import library as of_numpy
from . import library
from .arrays import DTYPES, ON_HOST, Array
from .primitives import PRIMITIVES
from .traced_primitives import OF_INTEGERS, TRACED

if TYPE_CHECKING:
    from ...graph.nodes.tensor import Node
    from ...graph.run.lowering import Lowering
    from ...graph.run.program import Program

_OPEN_SIZES = SymbolicSizes(OF_NUMPY, torch.sym_max, torch.sym_min)
# Searches on the host, and what SciPy computes.
_REFUSED: FrozenSet[str] = frozenset('ctc_greedy ctc_beam ctc_sparse sparse_cast sparse_dot sparse_concatenate'.split())


class Traced(Interpreter):
    """A program of any engine as a function of tensors of PyTorch.

    constants: {name: tensor} of those that are no sizes; whoever holds the program may put others in their places
    """

    def __init__(self, program: 'Program', to_numpy: Optional[Callable[[Any], np.ndarray]] = None) -> None:
        """to_numpy: makes an array of NumPy of a constant of another engine that recorded the program."""
        kernels: Any = library
        super().__init__(lowered(program, kernels, partial(_with_sizes_as_numbers, to_numpy)), kernels)
        self.constants: Dict[str, Tensor] = {}
        self._sizes: Values = {}
        for name, value in self.lowering.constants.items():
            if isinstance(value, Tensor):
                self.constants[name] = value
            elif isinstance(value, np.ndarray) and not (value.ndim < 2 and value.dtype.kind in 'iub'):
                self.constants[name] = torch.from_numpy(np.array(value))
            else:
                self._sizes[name] = value

    def __call__(self, fed: Sequence[Any], variables: Sequence[Tensor] = ()) -> List[Tensor]:
        """The outputs. `variables`: values for `lowering.variables` that are not fed, in that order."""
        lowering = self.lowering
        values: Values = dict(self._sizes)
        values.update(self.constants)
        values.update(zip(lowering.inputs, fed))
        values.update(zip(lowering.variables, variables))
        self.block(lowering.top, values)
        return [as_tensor(values[r.name], r.tensor.dtype) for r in lowering.results]

    def compute(self, compute: Compute, arguments: List[Array], values: Values) -> Any:
        """The result of a primitive."""
        node, name = compute.node, compute.node.op.name
        if name == 'shape':
            return shape_of(arguments[0])
        dtypes = [x.dtype for x in node.inputs if not isinstance(x, Draws)]
        if name in _REFUSED or ON_HOST.intersection([node.dtype, *dtypes]):
            who, what = said(node)
            raise ExportError(f'{who}: torch.export cannot say {what}, which is computed on the host by NumPy.', who)
        if all([isinstance(x, np.ndarray) and x.dtype.kind in 'iubO' for x in arguments]):
            if not any(map(is_symbolic, arguments)):
                made = kernel_for(of_numpy, node)(*arguments)
                return made if node.results else np.asarray(made)
            size = _OPEN_SIZES.computed(name, arguments, node.attrs, node.dtype)
            if size is not None:
                return size
        return self._on_tensors(node, arguments)

    def _on_tensors(self, node: 'Node', arguments: List[Array]) -> Any:
        name, kept = node.op.name, size_positions(node)
        dtypes = [x.dtype for x in node.inputs]
        given = [
            x if i in kept or not isinstance(x, np.ndarray) else as_tensor(x, dtypes[i])
            for i, x in enumerate(arguments)
        ]
        kernel = TRACED.get(name, PRIMITIVES[name])
        if name in OF_INTEGERS and isinstance(given[0], Tensor) and not given[0].dtype.is_floating_point:
            kernel = OF_INTEGERS[name]
        return partial(kernel, **node.attrs)(*given)

    def loop(self, loop: Loop, values: Values, length: int) -> 'Tuple[List[Any], List[Array]]':
        """An unrolled loop."""
        if not has_numbers([length]):
            what = loop.scan.body.what
            raise ExportError(
                f'{what[0].upper() + what[1:]} goes over a sequence of free length, and torch.export unrolls loops; '
                'give the placeholder its length, or export as ONNX or StableHLO.'
            )
        return super().loop(loop, values, length)

    def choice(self, choice: Choice, values: Values) -> None:
        """Both branches, where the condition is a tensor."""
        condition = values[choice.condition]
        if not isinstance(condition, Tensor):
            super().choice(choice, values)
            return
        made: List[Values] = []
        for block in choice.branches:
            inside = dict(values)
            self.block(block, inside)
            made.append(inside)
        parts = [part for _key, part in sorted(self.lowering.program.chosen[choice.cond.id].items())]
        for part, (name, names) in zip(parts, choice.parts):
            first, second = [as_tensor(inside[each], part.dtype) for inside, each in zip(made, names)]
            if first.dim() != second.dim():
                raise ExportError(
                    f'K.switch: the branches of {part.name} have the shapes {tuple(first.shape)} and '
                    f'{tuple(second.shape)}; torch.export needs the same number of axes.',
                    'K.switch',
                )
            values[name] = torch.where(condition.to(torch.bool), first, second)


def as_tensor(x: Any, dtype: str) -> Tensor:
    """A value as a tensor; sizes without numbers become what they are in a run."""
    if isinstance(x, Tensor):
        return x
    if not is_symbolic(x):
        return torch.tensor(np.asarray(x).tolist(), dtype=DTYPES[dtype]).reshape(np.shape(x))
    entries = [torch.scalar_tensor(n, dtype=DTYPES[dtype]) for n in x.reshape(-1)]
    return torch.stack(entries).reshape(x.shape)


def _with_sizes_as_numbers(to_numpy: Optional[Callable[[Any], np.ndarray]], lowering: 'Lowering') -> None:
    """Constants that may be sizes become arrays of NumPy, without a look at a device."""
    streams = {lowering.name(t) for t in lowering.program.draws.values()}
    for name, data in lowering.constants.items():
        if to_numpy is not None and name not in streams:
            lowering.constants[name] = to_numpy(data)
    for constant in lowering.program.constants.values():
        if constant.value is not None:
            lowering.constants[lowering.name(constant)] = constant.value.astype(constant.dtype)
