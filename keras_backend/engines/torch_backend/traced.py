"""The run of a program while PyTorch traces it (`torch.export`): statement by statement, without a look at values.

Sizes stay on the host, as arrays of NumPy; those without a number are arrays of objects. A choice whose condition is a
tensor computes both branches and takes one. A loop is unrolled, so its length is part of what is exported.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ...errors import ExportError
from ...graph.nodes.tensor import Draws
from ...graph.run.failures import said
from ...graph.run.interpreter import Interpreter, Values
from ...graph.run.kernels import Kernel, kernel_for
from ...graph.run.lowering import lowered
from ...graph.run.sizes import SymbolicSizes, has_numbers, is_symbolic, shape_of, size_positions
from ...graph.run.statements import Choice, Compute, Loop
from ...kernels import PRIMITIVES as OF_NUMPY
from ..numpy_backend import library as of_numpy
from . import library
from .arrays import DTYPES, ON_HOST, Array, Ints, Sizes, floats_only, sizes
from .primitives import PRIMITIVES, windows
from .primitives.shape import _index

if TYPE_CHECKING:
    from ...graph.nodes.tensor import Node
    from ...graph.run.lowering import Lowering
    from ...graph.run.program import Program


# -- primitives --------------------------------------------------------------------------------------------------------
# Primitives while PyTorch traces a program: as in `primitives`, without a look at values or a way through NumPy.


Spec = Tuple[Any, ...]


def one_size(n: Any) -> Any:
    """A size as an int, or as the object that stands for one without a number."""
    return n.item() if hasattr(n, 'item') else n


# -- places --------------------------------------------------------------------------------------------------------
def getitem(x: Tensor, *indices: Tensor, spec: Spec) -> Tensor:
    """x[spec], basic and with integer tensors as NumPy has it."""
    arrays = any([type(s) is tuple and s[0] == 'tensor' for s in spec])
    index = list(_index(spec, indices))
    axis, flipped = 0, []
    taken = len([s for s in spec if s is not None and s is not Ellipsis])
    for i, s in enumerate(index):
        if s is Ellipsis:
            axis += x.dim() - taken
        elif s is not None:
            if isinstance(s, slice) and (s.step or 1) < 0:
                index[i] = _forwards(s, x.shape[axis])
                flipped.append(axis)
            elif isinstance(s, int) and arrays:
                # beside arrays NumPy takes a number as one more array
                index[i] = torch.tensor(s, device=x.device)
            axis += 1
    return (x.flip(flipped) if flipped else x)[tuple(index)]


def _forwards(s: slice, size: Any) -> slice:
    """The slice that reads an axis of `size`, reversed, as `s` reads the axis backwards."""
    start, stop = [None if n is None else -n - 1 if n < 0 else size - 1 - n for n in (s.start, s.stop)]
    if start is not None and s.start >= 0:
        start = torch.sym_max(start, 0)
    if stop is not None and s.stop >= 0:
        stop = torch.sym_max(stop, 0)
    return slice(start, stop, -s.step)


def getitem_grad(g: Tensor, *indices: Any, spec: Spec, shape: Sizes = None) -> Tensor:
    """Zeros of `shape`, which may come before the indices, with `g` added at the places that `spec` reads."""
    if shape is None:
        shape, indices = sizes(indices[0]), indices[1:]
    zeros = g.new_zeros(shape)
    positions = getitem(torch.arange(zeros.numel(), device=g.device).reshape(shape), *indices, spec=spec)
    return scatter_add(positions.reshape(-1), g.reshape(-1), zeros.numel()).reshape(shape)


def slice_axis(x: Tensor, start: Any, stop: Any, axis: int) -> Tensor:
    """x[start:stop] along `axis`."""
    start, stop = one_size(start), one_size(stop)
    return x[(slice(None),) * axis + (slice(start, stop),)]


def slice_axis_grad(g: Tensor, shape: Sizes, start: Any, axis: int) -> Tensor:
    """Zeros of `shape` with `g` at `start` along `axis`."""
    shape, start = sizes(shape), one_size(start)
    before, after = list(shape), list(shape)
    before[axis], after[axis] = start, shape[axis] - start - g.shape[axis]
    return torch.cat([g.new_zeros(before), g, g.new_zeros(after)], axis)


def gather(x: Tensor, indices: Tensor) -> Tensor:
    """The entries of `x` along its first axis at `indices`."""
    return x.index_select(0, indices.reshape(-1).long()).reshape(tuple(indices.shape) + tuple(x.shape[1:]))


def scatter_add(indices: Tensor, updates: Tensor, size: Any) -> Tensor:
    """Zeros of (size,) + tail with `updates` added at `indices`."""
    positions, tail = indices.reshape(-1).long(), tuple(updates.shape[indices.dim() :])
    wide = torch.float32 if updates.dtype == torch.float16 else updates.dtype
    zeros = updates.new_zeros((one_size(size), *tail), dtype=wide)
    return zeros.index_add(0, positions, updates.reshape((-1, *tail)).to(wide)).to(updates.dtype)


def rows(size: Any, *given: Tensor) -> Tuple[None, Tensor]:
    """The sum of what `scatter_add` makes of indices, updates, indices, updates ...; all rows of it."""
    tail = tuple(given[1].shape[given[0].dim() :])
    positions = torch.cat([indices.reshape(-1) for indices in given[::2]])
    updates = torch.cat([update.reshape((-1, *tail)) for update in given[1::2]])
    return None, scatter_add(positions, updates, size)


def arange(start: Any, stop: Any, step: Any, dtype: str) -> Tensor:
    """start, start + step, ... before `stop`."""
    return torch.arange(one_size(start), one_size(stop), one_size(step), dtype=DTYPES[dtype])


def sum_to(x: Tensor, shape: Sizes) -> Tensor:
    """`x` summed over the axes along which `shape` is 1, and over those in front that it lacks."""
    shape = sizes(shape)
    lead = x.dim() - len(shape)
    pairs = enumerate(zip(x.shape[lead:], shape))
    kept = [i for i, (n, m) in pairs if has_numbers([m]) and m == 1 and not (has_numbers([n]) and n == 1)]
    x = x.sum(tuple(range(lead)), dtype=x.dtype) if lead else x
    return x.sum(kept, True, dtype=x.dtype) if kept else x


# -- pooling -------------------------------------------------------------------------------------------------------
def _first_maxima(x: Tensor, window: Ints, strides: Ints, padding: str) -> Tuple[Any, Tensor, Tensor, Tensor]:
    """The geometry, `x` (batch, channels, spatial...) as it is pooled, the maxima, and where the first of each is."""
    x = x.movedim(-1, 1)
    geometry = windows.place_of(x.shape[2:], window, strides, padding)
    # an infinite one is no larger than padding, and of equals PyTorch may take that
    around = [n for pair in reversed(geometry.pads) for n in pair]
    x = F.pad(x.clamp(min=torch.finfo(x.dtype).min), around, value=float('-inf'))
    top, at = windows.MAX[len(window)](x, window, strides, return_indices=True)
    return geometry, x, top, at.flatten(2)


def _cropped(x: Tensor, place: Any) -> Tensor:
    return F.pad(x, [-n for pair in reversed(place.pads) for n in pair]).movedim(1, -1)


@floats_only
def max_pool_grad(x: Tensor, g: Tensor, window: Ints, strides: Ints, padding: str) -> Tensor:
    """`g`, of the shape of the result, sent to the first maximum of each window of `x`."""
    geometry, padded, top, at = _first_maxima(x, window, strides, padding)
    sent = torch.where(top == top, g.movedim(-1, 1), 0).flatten(2)
    return _cropped(torch.zeros_like(padded).flatten(2).scatter_add(2, at, sent).reshape(padded.shape), geometry)


@floats_only
def max_pool_select(x: Tensor, v: Tensor, window: Ints, strides: Ints, padding: str) -> Tensor:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`."""
    geometry, _given, top, at = _first_maxima(x, window, strides, padding)
    around = [n for pair in reversed(geometry.pads) for n in pair]
    read = F.pad(v.movedim(-1, 1), around).flatten(2).gather(2, at).reshape(top.shape)
    return torch.where(top == top, read, 0).movedim(1, -1)


@floats_only
def avg_pool_grad(g: Tensor, shape: Sizes, window: Ints, strides: Ints, padding: str) -> Tensor:
    """The adjoint of the average pooling of an array of `shape`: that of a convolution with ones, over their number."""
    shape, how = sizes(shape), {'strides': strides, 'padding': padding, 'dilation': (1,) * len(window)}
    ones = g.new_ones((*window, 1, 1))
    counts = windows.PRIMITIVES['conv'](g.new_ones((1, *shape[1:-1], 1)), ones, **how)
    kernel = ones.expand((*window, shape[-1], 1))
    return windows.PRIMITIVES['depthwise_conv_input_grad'](g / counts, kernel, shape, **how)


# -- draws ---------------------------------------------------------------------------------------------------------
def _drawn(draw: Callable[..., Tensor]) -> Kernel:
    def kernel(_stream: Any, shape_: Any = None, shape: Any = None, dtype: str = '') -> Tensor:
        dims = sizes(shape if shape_ is None else shape_)
        wide = torch.float64 if dtype == 'float64' else torch.float32
        return draw(dims, wide).to(DTYPES[dtype])

    return kernel


def _cut_off(shape: Ints, dtype: torch.dtype) -> Tensor:
    # the inverse of the distribution between two standard deviations
    lowest = 0.022750131948179195
    u = torch.rand(shape, dtype=dtype) * (1 - 2 * lowest) + lowest
    return torch.special.ndtri(u).clamp(-2, 2)


# -- integers ------------------------------------------------------------------------------------------------------
def _divided(function: Callable[..., Tensor]) -> Kernel:
    """A division; 0 where the divisor is 0."""
    return lambda x, y: torch.where(y == 0, 0, function(x, torch.where(y == 0, 1, y))).to(x.dtype)


def _counted(function: Callable[..., Tensor]) -> Kernel:
    return lambda x, axis: function(x.to(torch.int8) if x.dtype == torch.bool else x, axis)


def _sum(x: Tensor, axes: Optional[Ints], keepdims: bool = False) -> Tensor:
    axes = tuple(range(x.dim())) if axes is None else axes
    return x.sum(axes, keepdims, dtype=x.dtype) if axes else x


OF_INTEGERS: Dict[str, Kernel] = {
    'abs': torch.abs,
    'sign': torch.sign,
    'square': lambda x: x * x,
    'round': lambda x: x,
    'floor': lambda x: x,
    'pow': torch.pow,
    'floordiv': _divided(torch.floor_divide),
    'mod': _divided(torch.remainder),
    'sum': _sum,
    'argmax': _counted(torch.argmax),
    'argmin': _counted(torch.argmin),
    'cumsum': lambda x, axis: torch.cumsum(x, axis, dtype=x.dtype),
    'cumprod': lambda x, axis: torch.cumprod(x, axis, dtype=x.dtype),
    'tensordot': PRIMITIVES['tensordot'].of_floats,  # type: ignore[attr-defined]
    'matmul': PRIMITIVES['matmul'].of_floats,  # type: ignore[attr-defined]
}
TRACED: Dict[str, Kernel] = {
    f.__name__: f
    for f in (getitem, getitem_grad, slice_axis, slice_axis_grad, gather, scatter_add, rows, arange, sum_to)
    + (max_pool_grad, max_pool_select, avg_pool_grad)
}
TRACED['relu_grad'] = lambda y, g: torch.where(y > 0, g, 0)
TRACED['print'] = lambda x, message: x
TRACED['random_uniform'] = _drawn(lambda shape, dtype: torch.rand(shape, dtype=dtype))
TRACED['random_normal'] = _drawn(lambda shape, dtype: torch.randn(shape, dtype=dtype))
TRACED['truncated_normal'] = _drawn(_cut_off)


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
                result = kernel_for(of_numpy, node)(*arguments)
                return result if node.results else np.asarray(result)
            size = _OPEN_SIZES.computed(name, arguments, node.attrs, node.dtype)
            if size is not None:
                return size
        return self._on_tensors(node, arguments)

    def _on_tensors(self, node: 'Node', arguments: List[Array]) -> Any:
        name, kept = node.op.name, size_positions(node)
        dtypes = [x.dtype for x in node.inputs]
        tensors = [
            x if i in kept or not isinstance(x, np.ndarray) else as_tensor(x, dtypes[i])
            for i, x in enumerate(arguments)
        ]
        kernel = TRACED.get(name, PRIMITIVES[name])
        if name in OF_INTEGERS and isinstance(tensors[0], Tensor) and not tensors[0].dtype.is_floating_point:
            kernel = OF_INTEGERS[name]
        return partial(kernel, **node.attrs)(*tensors)

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
        branches: List[Values] = []
        for block in choice.branches:
            inside = dict(values)
            self.block(block, inside)
            branches.append(inside)
        tensors = [tensor for _key, tensor in sorted(self.lowering.program.chosen[choice.cond.id].items())]
        for tensor, (name, names) in zip(tensors, choice.parts):
            first, second = [as_tensor(inside[key], tensor.dtype) for inside, key in zip(branches, names)]
            if first.dim() != second.dim():
                raise ExportError(
                    f'K.switch: the branches of {tensor.name} have the shapes {tuple(first.shape)} and '
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
