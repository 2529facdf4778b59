"""A K function as a module of PyTorch, differentiable by PyTorch's autograd."""

from types import SimpleNamespace
from typing import Any, Callable, Dict, List

import numpy as np
import torch
from torch import nn

from ...errors import ArgumentTypeError, ArgumentValueError
from ...graph.nodes.tensor import Tensor, Variable
from ...graph.run.function import Function
from ...graph.run.program import Program
from . import library
from .arrays import DTYPES, Array, device, tensor
from .passes import compile_with_sizes_on_the_host
from .traced import Traced


def as_module(function: Any) -> nn.Module:
    """The outputs of a K function as an `nn.Module`.

    Parameters
    ----------
    function : what `K.function(inputs, outputs)` returned
        Without updates. Inputs are placeholders or other tensors.

    Returns
    -------
    module : torch.nn.Module
        `module(*inputs)` takes a tensor of PyTorch, or an array, for each of `inputs` but the learning phase, which is
        `module.training`. It returns a tensor, or a list of tensors, as the function does. Autograd computes gradients
        with respect to inputs and parameters.

    Notes
    -----
    Each variable of floats that the outputs need is a parameter under its own name, with other characters than letters
    and digits as `_`. Variable and parameter share their memory: an optimizer of PyTorch changes the variable, and
    `K.set_value` or an update changes the parameter, from the next call of the module on. Where a K gradient and that
    of PyTorch differ (of `K.max` between equals, say), this is PyTorch's; those of `K.gradients` inside are K's.

    Raises
    ------
    ArgumentTypeError
        If `function` is no function of this engine.
    ArgumentValueError
        If it has updates, or a sparse output.
    """
    if not isinstance(function, Function) or function._graph.kernels is not library:
        raise ArgumentTypeError(f'function has to be what K.function of the PyTorch engine returned, got {function!r}.')
    if function.updates or Program(list(function.inputs), list(function.outputs), []).updates:
        raise ArgumentValueError('function has updates, which a module cannot have; leave them out of K.function.')
    if any([t.sparse for t in function.outputs]):
        raise ArgumentValueError('function has a sparse output; use K.to_dense in it.')
    return _Module(function)


# The kernels of a program that autograd sees: no operand is overwritten, and results stay tensors.
_KERNELS = SimpleNamespace(**dict(vars(library), IN_PLACE=frozenset(), hand_out=lambda dtype, rank, copy: None))


# Whether PyTorch traces, and whether it reads the byte code for that. Names that PyTorch 2.2 lacks.
_tracing: Callable[[], bool] = getattr(torch.compiler, 'is_compiling', lambda: False)
_reading: Callable[[], bool] = getattr(torch.compiler, 'is_dynamo_compiling', lambda: False)


class _Module(nn.Module):
    """The outputs of a K function (see `as_module`)."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        engine: Any = function._graph
        self._engine, self._what, self._single = engine, function.name, function._single
        program = Program(list(function.inputs), list(function.outputs), [])
        phase = engine.session.learning_phase
        read = isinstance(phase, Tensor) and phase.id in program.used | set(program.defaults)
        self._phases: List[Tensor] = [phase] if read else []
        self._feeds = [(t, feed) for t, feed in zip(function.inputs, function._feeds) if t is not phase]
        variables = [v for v in program.variables.values() if v.dtype.startswith('float') and not v.sparse]
        self._variables = {self._free_name(v): v for v in sorted(variables, key=lambda v: v.id)}
        inputs = [t for t, _feed in self._feeds] + self._phases + list(self._variables.values())
        stand_in: Any = SimpleNamespace(kernels=_KERNELS, lock=engine.lock)
        self._traced = Traced(Program(inputs, list(function.outputs), []))
        self._run = compile_with_sizes_on_the_host(Program(inputs, list(function.outputs), []), stand_in)

    def _free_name(self, variable: Variable) -> str:
        """The name of the new parameter for a variable."""
        name = ''.join([c if c.isalnum() else '_' for c in variable.name])
        while hasattr(self, name):
            name += '_'
        self.register_parameter(name, nn.Parameter(variable.data))
        return name

    def _fed(self, t: Tensor, feed: Any, value: Any) -> Array:
        """An input, checked as `K.function` does, and still linked to what it was computed from."""
        array = feed(value)
        if isinstance(value, torch.Tensor) and value.requires_grad and isinstance(array, torch.Tensor):
            return value.to(device(), DTYPES[t.dtype])
        return array

    def _shared(self) -> List[Array]:
        """The parameters, with the values that their variables have by now."""
        parameters: Dict[str, Any] = self._parameters
        with self._engine.lock:
            for name, variable in self._variables.items():
                if parameters[name].data_ptr() != variable.data.data_ptr():
                    parameters[name].data = variable.data
        return [parameters[name] for name in self._variables]

    def forward(self, *inputs: Any) -> Any:
        """The outputs of the function."""
        if len(inputs) != len(self._feeds):
            names = ', '.join([t.name for t, _feed in self._feeds])
            raise ArgumentValueError(f'{self._what} takes {len(self._feeds)} inputs ({names}), got {len(inputs)}.')
        if _tracing() and not _reading():
            # torch.export; torch.compile goes on below and runs for itself what it cannot read
            return self._forward_traced(inputs)
        fed = [self._fed(t, feed, value) for (t, feed), value in zip(self._feeds, inputs)]
        fed += [np.array(self.training) for _phase in self._phases] + self._shared()
        results = [tensor(y) if isinstance(y, (np.ndarray, np.generic)) else y for y in self._run(*fed)]
        return results[0] if self._single else results

    def _forward_traced(self, inputs: Any) -> Any:
        """The outputs while PyTorch traces, as in `torch.export`: its parameters have no memory meanwhile."""
        fed = [torch.as_tensor(value).to(DTYPES[t.dtype]) for (t, _feed), value in zip(self._feeds, inputs)]
        parameters: Dict[str, Any] = self._parameters
        fed += [np.array(self.training) for _phase in self._phases] + [parameters[name] for name in self._variables]
        results = self._traced(fed)
        return results[0] if self._single else results

    def _apply(self, fn: Any, recurse: bool = True) -> nn.Module:
        """`to`, `double` and their like change nothing here, or are refused."""
        for parameter in self.parameters():
            converted = fn(parameter.data)
            if converted.dtype != parameter.dtype or converted.device != parameter.device:
                raise ArgumentValueError(
                    f'A K module cannot be {converted.dtype} on {converted.device}: its parameters are variables of K.'
                )
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f'{self._what} has variables of K and cannot be copied or pickled. Save its state_dict().')

    def extra_repr(self) -> str:
        """Which function it is."""
        return self._what
