"""The format of `torch.export`: a file .pt2, which `torch.export.load(path).module()` makes a module of PyTorch of.

The module takes its inputs by name and returns a dict of its outputs.
"""

from itertools import product
from keyword import iskeyword
from typing import Any, Dict, List

import numpy as np
import torch
from torch import nn

from ..engines.torch_backend.arrays import DTYPES
from ..engines.torch_backend.traced import Traced
from ..errors import ExportError
from ..graph.nodes.base import known, ranked
from .request import Exported, Options, Run, Sizes, names_of_sizes

# While PyTorch traces, every free size has a number, and no two have the same. Windows may need larger ones.
_FIRST_SIZES = (61, 7)


def write(exported: Exported, path: str, options: Options) -> List[str]:
    """Write the file; returns what its reader has to know."""
    if not hasattr(torch.export, 'Dim') or not hasattr(torch.export.Dim, 'DYNAMIC'):
        raise ExportError(
            f"keras_backend.export: format='torch_export' needs PyTorch 2.6 or newer, this is {torch.__version__}; "
            'type: pip install --upgrade torch'
        )
    for t in [*exported.inputs, *exported.variables]:
        if t.sparse or not ranked(t) or t.dtype not in DTYPES:
            what = 'is sparse' if t.sparse else f'is {t.dtype}' if ranked(t) else 'has no shape'
            raise ExportError(f'K.function: {t.name} {what}, and torch.export needs tensors of a known number of axes.')
    module, errors = _named(_Module(exported)), []
    for (sizes, note), first in product(names_of_sizes(exported), _FIRST_SIZES):
        try:
            program = _exported(module, sizes, first)
        except Exception as error:  # noqa: BLE001
            # ours, or one of PyTorch, which has many classes for this
            errors.append(error)
        else:
            torch.export.save(program, path)
            notes = [note] if note else []
            if exported.prints:
                notes.append('K.print_tensor prints nothing in the file; the tensor passes through.')
            if exported.draws:
                notes.append('It draws from the generator of PyTorch: torch.manual_seed gives the same draws again.')
            return notes
    ours = [error for error in errors if isinstance(error, ExportError)]
    if ours:
        raise ours[0]
    reason = str(errors[0]).strip().splitlines() or [type(errors[0]).__name__]
    raise ExportError(
        f'K.function: {exported.name} cannot become a file of torch.export with free sizes: {reason[0]} Give '
        'placeholders the sizes that are known, or export as ONNX.'
    ) from errors[0]


def load(path: str) -> Run:
    """The function that runs a file many times."""
    program = torch.export.load(path)
    module = program.module()
    input_names = set(program.call_spec.in_spec.unflatten(range(program.call_spec.in_spec.num_leaves))[1])

    def run_once(values: Dict[str, np.ndarray]) -> List[np.ndarray]:
        fed = {name: torch.from_numpy(np.array(value)) for name, value in values.items() if name in input_names}
        return [y.detach().numpy() for y in module(**fed).values()]

    return run_once


class _Module(nn.Module):
    """The program, with variables as buffers under their names where they are not fed."""

    def __init__(self, exported: Exported) -> None:
        super().__init__()
        self._traced = Traced(exported.program, exported.array)
        self._names = list(exported.input_names)
        self._results = list(exported.output_names)
        self.fed = [*zip(self._names, exported.inputs), *zip(exported.fed_names, exported.fed)]
        names = {variable.id: name for variable, name in zip(exported.variables, exported.variable_names)}
        self._variables = [names[variable.id] for variable in self._traced.lowering.variables.values()]
        for name, value in zip(exported.variable_names, exported.values):
            if name not in exported.fed_names:
                # a prefix, since a module has attributes of its own
                self.register_buffer('variable_' + name, torch.from_numpy(np.array(value)))

    def outputs(self, given: Dict[str, Any]) -> Dict[str, Any]:
        """The outputs by name."""
        variables = [given[n] if n in given else getattr(self, 'variable_' + n) for n in self._variables]
        tensors = self._traced([given[name] for name in self._names], variables)
        # PyTorch hands no input out as an output
        return dict(zip(self._results, [y.clone() for y in tensors]))


def _named(module: _Module) -> _Module:
    """The module with a `forward` whose parameters have the names of the inputs."""
    names = [name for name, _t in module.fed]
    for name in names:
        if not name.isidentifier() or iskeyword(name) or name == 'self':
            raise ExportError(
                f'keras_backend.export: the name {name!r} of an input cannot be that of a parameter of Python, which '
                'torch.export needs; give another one with input_names.'
            )
    pairs = ', '.join([f'{name!r}: {name}' for name in names])
    scope: Dict[str, Any] = {}
    exec(f'def forward(self, {", ".join(names)}):\n    return self.outputs({{{pairs}}})\n', scope)
    module.__class__ = type('KFunction', (_Module,), {'forward': scope['forward']})
    return module


def _exported(module: _Module, sizes: Sizes, first: int) -> Any:
    numbers: Dict[str, int] = {}
    for name in sizes.values():
        numbers.setdefault(name, first + 2 * len(numbers))
    values, free = {}, {}
    for name, t in module.fed:
        shape = [d if known(d) else numbers[sizes[d]] for d in t.dims]
        values[name] = torch.zeros(shape, dtype=DTYPES[t.dtype])
        free[name] = {axis: torch.export.Dim.DYNAMIC for axis, d in enumerate(t.dims) if not known(d)}
    # A program that takes nothing has no sizes to say anything of.
    dynamic = free if values else None
    return torch.export.export(module, (), values, strict=False, dynamic_shapes=dynamic)
