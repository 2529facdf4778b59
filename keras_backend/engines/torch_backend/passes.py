"""Passes over the statements of a function: where its values lie, and which loops are an LSTM."""

from contextlib import contextmanager
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import numpy as np
import torch

from ...errors import ShapeError
from ...graph.nodes.base import ranked
from ...graph.run.interpreter import keeps, steps
from ...graph.run.kernels import HasKernels, Run, kernel_for
from ...graph.run.lowering import Change, Lowering
from ...graph.run.lstm import PARTS, Finder, Gradients, Lstm
from ...graph.run.program import Program
from ...graph.run.python import compile_program
from ...graph.run.sizes import SIZES
from ...graph.run.statements import Block, Call, Compute, Convert, Loop, Name, Statement
from ..numpy_backend import library as of_numpy
from .arrays import ON_HOST, device, numpy, tensor, through_numpy

# -- placement ---------------------------------------------------------------------------------------------------------
# A pass over the statements of a function: which values are arrays of NumPy, and where they become tensors.
#
# Sizes stay on the host, as arrays of NumPy: what `K.shape` gives, what is computed of it, and the learning phase. So
# no run waits for a GPU to learn a size. They become tensors where something else needs them. Dtypes that PyTorch lacks
# are left to the kernels of NumPy.


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


# -- LSTM --------------------------------------------------------------------------------------------------------------
# Loops that are an LSTM, computed by PyTorch's own function of the whole layer, its gradient included.
#
# On a CPU this function is oneDNN's. A step of training takes 0.2 to 1.0 of the time of the loop, a prediction 0.1 to
# 0.8: the smaller the layer, the less. This is the only gradient of the engine that PyTorch derives.


Tensors = List[torch.Tensor]
_Made = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # outputs, last h, last c


def replace_loops(lowering: Lowering) -> None:
    """Put calls in the place of loops that are an LSTM, and of their gradients."""
    if device().type != 'cpu' or not torch.backends.mkldnn.is_available():
        return
    for lstm, replaced in list(Finder(lowering).found()):
        calls = {lstm.loop: _forward_call(lstm)}
        calls.update({gradients.loop: _backward_call(lstm, gradients) for gradients in lstm.backward})
        statements: List[Statement] = []
        for statement in lowering.top.statements:
            if statement not in replaced:
                statements.append(statement)
            elif statement in calls:
                statements.append(calls[statement])
        lowering.top.statements = statements


def _saved(lstm: Lstm) -> str:
    """The name of what the gradient needs of the layer."""
    return f's_{lstm.new[0]}'


def _parts(lstm: Lstm) -> List[str]:
    return [name for name in PARTS if name in lstm.given]


def _forward_call(lstm: Lstm) -> Call:
    operands, indices = _parts(lstm), [i for i, name in enumerate(lstm.makes) if name]
    needed = {operand for gradients in lstm.backward for operand in gradients.makes}
    scan, lengths = lstm.loop.scan, lstm.loop.lengths

    def forward(values: Sequence[Any]) -> List[Any]:
        if lengths:
            steps(scan.body.what, scan.least, [values[0].shape[0] if isinstance(n, str) else n for n in lengths])
        _check(scan.body.what, values[0], values[1], values[-2])
        if needed:
            with _derivable():
                tensors = [_leaf(value, operand in needed) for operand, value in zip(operands, values)]
                outputs = _layer(tensors, 'bias' in operands, scan.reverse)
        else:
            with torch.no_grad(), _in_float32():
                tensors = [value.float() for value in values]
                outputs = _layer(tensors, 'bias' in operands, scan.reverse)
        for index, first in enumerate(tensors[-2:]):
            keeps(scan.body.what, _number(lstm, index), tuple(first.shape), tuple(outputs[1 + index].shape))
        # The last h may be a part of the outputs.
        results: List[Any] = [outputs[i].detach() if i == 0 else outputs[i].detach().clone() for i in indices]
        return [*results, (tensors, outputs)] if needed else results

    names = [name for name in lstm.makes if name]
    return Call(forward, [lstm.given[operand] for operand in operands], [*names, _saved(lstm)] if needed else names)


def _number(lstm: Lstm, index: int) -> int:
    """The number of the state h (index 0) or c (1) for users."""
    return [new for _first, _inner, new in lstm.loop.states].index(lstm.new[index])


def _backward_call(lstm: Lstm, gradients: Gradients) -> Call:
    operands = _parts(lstm)
    differentiated = [operand for operand in operands if operand in gradients.makes]
    there = [i for i, name in enumerate(gradients.given) if name]

    def backward(values: Sequence[Any]) -> List[Any]:
        tensors, outputs = values[0]
        with _derivable():
            # PyTorch imports 487 modules where it is given the gradients of results, and none for those of a number.
            loss = sum([torch.dot(outputs[i].reshape(-1), _kept(g).reshape(-1)) for i, g in zip(there, values[1:])])
            sources = [tensors[operands.index(operand)] for operand in differentiated]
            # The function may have the gradients of two losses.
            slopes = torch.autograd.grad(loss, sources, retain_graph=True, allow_unused=True)
        return [
            torch.zeros_like(tensors[operands.index(operand)]) if g is None else g.contiguous()
            for operand, g in zip(differentiated, slopes)
        ]

    arguments = [_saved(lstm), *[name for name in gradients.given if name]]
    # What PyTorch has kept for the gradient is not to be overwritten before.
    arguments += [*lstm.given.values(), *[name for name in lstm.makes if name]]
    return Call(backward, arguments, [gradients.makes[operand] for operand in differentiated])


@contextmanager
def _derivable() -> Iterator[None]:
    """What is computed inside can be derived, whatever mode the caller has chosen."""
    with torch.inference_mode(False), torch.enable_grad(), _in_float32():
        yield


def _in_float32() -> torch.autocast:
    """PyTorch's function takes float32, also where the caller lets products be rounded to bfloat16."""
    return torch.autocast('cpu', enabled=False)


def _kept(value: torch.Tensor) -> torch.Tensor:
    """`value` as something that autograd may keep."""
    return (value.clone() if value.is_inference() else value.detach()).float()


def _leaf(value: torch.Tensor, needed: bool) -> torch.Tensor:
    """`value` as something that gradients are asked for."""
    return _kept(value).requires_grad_(needed)


def _check(what: str, x: torch.Tensor, kernel: torch.Tensor, h: torch.Tensor) -> None:
    """Refuse sizes that do not meet; PyTorch's function looks at none of them."""
    what = what[0].upper() + what[1:]
    if x.shape[2] != kernel.shape[0]:
        raise ShapeError(f'{what} multiplies an input of {x.shape[2]} numbers by a kernel of {kernel.shape[0]} rows.')
    if x.shape[1] != h.shape[0] and 1 not in (x.shape[1], h.shape[0]):
        raise ShapeError(f'{what} gets an input of {x.shape[1]} samples and a state of {h.shape[0]}.')


def _is_usual(x: torch.Tensor, kernel: torch.Tensor, recurrent: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> bool:
    """Whether nothing is empty, and no size of 1 stands for another one."""
    _steps, samples, inputs = x.shape
    units = h.shape[1]
    sizes = [x.numel() > 0, kernel.shape == (inputs, 4 * units), recurrent.shape == (units, 4 * units)]
    return all(sizes) and h.shape == c.shape == (samples, units)


def _layer(given: Tensors, has_bias: bool, reverse: bool) -> _Made:
    """The outputs, the last h and the last c; PyTorch has the matrices the other way round."""
    x, kernel, recurrent = given[:3]
    bias: Optional[torch.Tensor] = given[3] if has_bias else None
    h, c = given[-2:]
    x = x.flip(0) if reverse else x
    if _is_usual(x, kernel, recurrent, h, c):
        weights = [kernel.t().contiguous(), recurrent.t().contiguous()]
        if bias is not None:
            weights += [bias, torch.zeros_like(bias)]
        outputs, last_h, last_c = _lstm(x, (h[None], c[None]), weights, bias is not None, 1, 0.0, True, False, False)
        results = outputs, last_h[0], last_c[0]
    else:
        results = _step_by_step(x, kernel, recurrent, bias, h, c)
    return (results[0].flip(0), *results[1:]) if reverse else results


# What `torch.nn.LSTM` calls.
_lstm: Callable[..., Tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = torch.lstm


def _step_by_step(
    x: torch.Tensor,
    kernel: torch.Tensor,
    recurrent: torch.Tensor,
    bias: Optional[torch.Tensor],
    h: torch.Tensor,
    c: torch.Tensor,
) -> _Made:
    """The same for all other sizes."""
    outputs = []
    for element in x @ kernel:
        z = element + h @ recurrent
        i, f, g, o = (z if bias is None else z + bias).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        outputs.append(h)
    return torch.stack(outputs) if outputs else x.new_zeros((0, *h.shape)), h, c
