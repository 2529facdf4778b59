"""Building CNTK graphs whose shapes are all known. Axes are counted as NumPy counts them.

Everything is axis-less in the words of CNTK: the batch is an ordinary axis. Only inside of single operations
(convolution, pooling) is axis 0 made the batch axis that CNTK's kernels want, and back.
"""

from collections import OrderedDict
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ...basics import shapes
from ...errors import ShapeError
from ...graph.nodes.base import known
from ...graph.nodes.tensor import Node, Tensor
from ...kernels.common import Array, Ints
from .vendor import cntk, cntk_py, cpu

Variable = Any  # of CNTK: what its functions take
Function = Any  # of CNTK: what they return, or one of them

_Axis = cntk.Axis
_TYPES = {'float32': cntk_py.DataType_Float, 'float64': cntk_py.DataType_Double}

_LOOPS = 5
# the memory of a node besides its value, in bytes
_NODE = 12000


class Unfit(Exception):
    """This graph is not for CNTK; NumPy runs it."""


class Symbol:
    """A value of the graph.

    shape: its shape. stored: the shape of `variable`, which broadcasts to `shape`; repetition is put off as long as
    possible. data: its value (of the shape `stored`) where it is known while building; `variable` is then made when it
    is needed.
    """

    __slots__ = ('data', 'is_leaf', 'shape', 'stored', 'variable')
    data: Any

    def __init__(
        self,
        variable: Variable,
        shape: Ints,
        stored: Optional[Ints] = None,
        data: Optional[Array] = None,
        is_leaf: bool = True,
    ) -> None:
        self.variable, self.shape, self.stored, self.data = variable, shape, shape if stored is None else stored, data
        self.is_leaf = is_leaf


GivenShape = Union[Sequence[int], Symbol]
Builder = Callable[..., Symbol]  # (graph, *symbols, **attributes) -> symbol


class Graph:
    """The nodes of one graph of `dtype`.

    Attribute: `size`, about as many bytes as it takes.
    """

    def __init__(self, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self._type = _TYPES[dtype]
        self._numbers: Dict[float, Symbol] = {}
        self.size = 0

    # -- leaves --------------------------------------------------------------------------------------------------
    def input(self, shape: Ints) -> Symbol:
        """The symbol of an array of `shape` that is fed."""
        self._note(shape)
        return Symbol(cntk_py.input_variable(shape, False, self._type, False, '', []), shape)

    def known(self, data: Array) -> Symbol:
        """A value known while building."""
        data = np.asarray(data)
        return Symbol(None, data.shape, data=data)

    def number(self, value: float) -> Symbol:
        """The scalar `value`."""
        symbol = self._numbers.get(value)
        if symbol is None:
            symbol = self._numbers[value] = Symbol(cntk_py.Constant((), self._type, float(value), cpu, ''), ())
        return symbol

    def variable(self, symbol: Symbol) -> Variable:
        """The variable that CNTK's functions take for `symbol`."""
        if symbol.variable is None:
            data = np.array(symbol.data, self.dtype, order='C')
            self._note(data.shape)
            symbol.variable = cntk_py.Constant(cntk_py.NDArrayView(data, cpu, True, False), '')
        return symbol.variable

    def outputs(self, symbols: Sequence[Symbol]) -> Tuple[Function, List[Variable], List[int]]:
        """The whole graph as a function; its output variables, equal ones once; and for each symbol its place there."""
        positions: List[int]
        numbers: OrderedDict[Variable, int]
        positions, numbers = [], OrderedDict()
        for symbol in symbols:
            variable = symbol.variable
            if symbol.is_leaf:
                # CNTK hands out a leaf itself, of which the memory is not its own
                variable = self._reshaped(self.variable(symbol), symbol.stored).output()
            positions.append(numbers.setdefault(variable, len(numbers)))
        return cntk_py.combine(list(numbers), ''), list(numbers), positions

    # -- nodes ---------------------------------------------------------------------------------------------------
    def _note(self, shape: Ints) -> None:
        if 0 in shape:
            raise Unfit('CNTK has no empty tensors')
        self.size += _NODE + self.dtype.itemsize * shapes.product(shape)

    def made(self, function: Function, shape: Ints, stored: Optional[Ints] = None) -> Symbol:
        """The result of a call of CNTK, which has the shape `stored` and stands for one of `shape`."""
        self._note(shape if stored is None else stored)
        return Symbol(function.output(), shape, stored, None, False)

    def elementwise(self, function: Function, *xs: Symbol) -> Symbol:
        """`function` of operands that broadcast against each other."""
        shape, stored = _broadcast([x.shape for x in xs]), _broadcast([x.stored for x in xs])
        self._check_loops(stored, [self._ranked(x, len(stored)) for x in xs])
        return self.made(function(*[self.variable(x) for x in xs] + ['']), shape, stored)

    def full(self, x: Symbol) -> Symbol:
        """`x` with all repetition carried out."""
        if x.stored == x.shape:
            return x
        if x.data is not None:
            return self.known(self.value(x))
        self._check_loops(x.shape, [self._ranked(x), x.shape])
        ones = np.ones([n if m != n else 1 for n, m in zip(x.shape, self._ranked(x))], self.dtype)
        return self.made(cntk_py.element_times(self.variable(x), self.variable(self.known(ones)), ''), x.shape)

    @staticmethod
    def value(x: Symbol) -> Array:
        """The value of `x`, which is known."""
        return np.broadcast_to(x.data, x.shape)

    @staticmethod
    def _ranked(x: Symbol, rank: Optional[int] = None) -> Ints:
        """The shape that `x` is stored in, with as many axes as `x` has, or `rank`."""
        return (1,) * ((len(x.shape) if rank is None else rank) - len(x.stored)) + tuple(x.stored)

    @staticmethod
    def _check_loops(shape: Ints, operands: Sequence[Ints]) -> None:
        """CNTK goes through the elements in nested loops, neighbouring axes that can be together in one of them."""
        if len(shape) <= _LOOPS:
            return
        loops = [tuple([operand[i] == 1 for operand in operands]) for i, n in enumerate(shape) if n != 1]
        if sum([i == 0 or loop != loops[i - 1] for i, loop in enumerate(loops)]) > _LOOPS:
            raise Unfit(f'CNTK has no operation of more than {_LOOPS} nested loops')

    def spread(self, x: Symbol, shape: Sequence[int]) -> Symbol:
        """`x` repeated to `shape`, later."""
        if shapes.broadcast(x.shape, shape) != tuple(shape):
            raise ValueError(f'shape {x.shape} cannot be broadcast to {shape}')
        return Symbol(x.variable, tuple(shape), x.stored, x.data, x.is_leaf)

    def stored_size(self, x: Symbol, axis: int) -> int:
        """The size in which `axis` of `x` is stored: 1, or its own."""
        return self._ranked(x)[axis]

    def once(self, x: Symbol, axes: Sequence[int]) -> Symbol:
        """`x`, which repeats itself along `axes`, without that."""
        return Symbol(
            x.variable, tuple([1 if i in axes else n for i, n in enumerate(x.shape)]), x.stored, None, x.is_leaf
        )

    @staticmethod
    def _reshaped(variable: Variable, shape: Ints) -> Function:
        return cntk_py.reshape(variable, tuple(shape), _Axis(0), _Axis.new_leading_axis(), '')

    def reshape(self, x: Symbol, shape: Sequence[int]) -> Symbol:
        """`x` in another shape of as many elements."""
        shape = tuple(shape)
        if shape == x.shape:
            return x
        if x.data is not None:
            return self.known(self.value(x).reshape(shape))
        if shapes.product(shape) != shapes.product(x.shape):
            raise ShapeError(f'{x.shape} cannot be reshaped to {shape}.')
        return self.made(self._reshaped(self.variable(self.full(x)), shape), shape)

    def insert(self, x: Symbol, axis: int) -> Symbol:
        """`x` with an axis of size 1 before `axis`."""
        shape = x.shape[:axis] + (1,) + x.shape[axis:]
        if x.data is not None:
            return self.known(self.value(x).reshape(shape))
        stored = self._ranked(x)
        stored = stored[:axis] + (1,) + stored[axis:]
        return self.made(self._reshaped(self.variable(x), stored), shape, stored)

    def drop(self, x: Symbol, axis: int) -> Symbol:
        """`x` without `axis`, which has the size 1."""
        if x.shape[axis] != 1:
            raise ShapeError(f'Axis {axis} of shape {x.shape} cannot be squeezed.')
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        if x.data is not None:
            return self.known(self.value(x).reshape(shape))
        stored = self._ranked(x)
        stored = stored[:axis] + stored[axis + 1 :]
        return self.made(self._reshaped(self.variable(x), stored), shape, stored)

    def transpose(self, x: Symbol, perm: Sequence[int]) -> Symbol:
        """The axes of `x` in the order of `perm`."""
        perm = tuple(perm)
        if perm == tuple(range(len(perm))):
            return x
        if x.data is not None:
            return self.known(self.value(x).transpose(perm))
        shape, stored = tuple([x.shape[i] for i in perm]), self._ranked(x)
        moved = [i for i in perm if stored[i] != 1]
        stored = tuple([stored[i] for i in perm])
        variable = self.variable(x)
        if moved == sorted(moved):
            # only axes of size 1 change places
            return self.made(self._reshaped(variable, stored), shape, stored)
        if sum([i == 0 or moved[i - 1] + 1 != axis for i, axis in enumerate(moved)]) > _LOOPS:
            raise Unfit(f'CNTK has no transposition of more than {_LOOPS} separate axes')
        if len(perm) > len(x.stored):
            variable = self._reshaped(variable, self._ranked(x)).output()
        return self.made(cntk_py.transpose(variable, [axis_of(i) for i in reversed(perm)], ''), shape, stored)

    def slice(self, x: Symbol, axis: int, start: int, stop: int, step: int = 1) -> Symbol:
        """x[start:stop:step] along `axis`, with 0 <= start < stop and step > 0, or all of it backwards with step -1."""
        count = len(range(start, stop, abs(step)))
        if step == 1 and count == x.shape[axis]:
            return x
        shape = x.shape[:axis] + (count,) + x.shape[axis + 1 :]
        if not count:
            raise Unfit('CNTK has no empty tensors')
        if count == 1:
            # a step beyond the end is an error
            stop, step = start + 1, 1
        x = self.full(x)
        return self.made(cntk_py.slice(self.variable(x), [axis_of(axis)], (start,), (stop,), [step], ''), shape)

    def join(self, xs: Sequence[Symbol], axis: int) -> Symbol:
        """`xs` one after another along `axis`."""
        shape = xs[0].shape[:axis] + (sum([x.shape[axis] for x in xs]),) + xs[0].shape[axis + 1 :]
        for x in xs:
            if x.shape[:axis] + x.shape[axis + 1 :] != shape[:axis] + shape[axis + 1 :]:
                raise ShapeError(f'{x.shape} does not fit beside {xs[0].shape}.')
        if len(xs) == 1:
            return xs[0]
        return self.made(cntk_py.splice([self.variable(self.full(x)) for x in xs], axis_of(axis), ''), shape)

    def pad(self, x: Symbol, widths: Sequence[Tuple[int, int]], value: float = 0) -> Symbol:
        """`value` before and after, widths[i] = (before, after) for axis i."""
        if not any([any(pair) for pair in widths]):
            return x
        if x.data is not None:
            return self.known(np.pad(self.value(x), widths, 'constant', constant_values=value))
        shape = tuple([n + lo + hi for n, (lo, hi) in zip(x.shape, widths)])
        before, after = [lo for lo, _hi in reversed(widths)], [hi for _lo, hi in reversed(widths)]
        return self.made(cntk_py.pad(self.variable(self.full(x)), 0, before, after, float(value), ''), shape)

    def reduce(self, function: Function, x: Symbol, axes: Iterable[int]) -> Symbol:
        """`function` (CNTK's reduce_...) over `axes`, which stay as axes of size 1."""
        axes = [axis for axis in axes if x.shape[axis] != 1]
        if not axes:
            return x
        x = self.full(x)
        shape = shapes.reduce(x.shape, axes, True)
        # CNTK reduces two groups of neighbouring axes at once, and no more
        groups = [[axes[0]]]
        for axis in axes[1:]:
            if any([n != 1 for n in x.shape[groups[-1][-1] + 1 : axis]]):
                groups.append([])
            groups[-1].append(axis)
        for i in range(0, len(groups), 2):
            now = [axis for group in groups[i : i + 2] for axis in group]
            x = self.made(
                function(self.variable(x), [axis_of(axis) for axis in now], True, ''), shapes.reduce(x.shape, now, True)
            )
        return self.reshape(x, shape)

    def product(self, x: Symbol, y: Symbol, transposed: bool = False) -> Symbol:
        """The product of two matrices, the second of which may be given transposed."""
        if x.shape[1] != y.shape[transposed]:
            raise ShapeError(f'{x.shape} and {y.shape} cannot be multiplied.')
        shape = x.shape[0], y.shape[1 - transposed]
        x, y = [self.variable(self.full(z)) for z in (x, y)]
        if transposed:
            return self.made(cntk_py.times_transpose(y, x, 1, ''), shape)
        return self.made(cntk_py.times(y, x, 1, -1, ''), shape)

    def on_batch(self, function: Callable[..., Function], shape: Ints, x: Symbol, *others: Symbol) -> Symbol:
        """`function` of CNTK applied to `x` with its axis 0 as the batch axis; `shape` is what comes of it.

        `others` are operands that go along the same way.
        """
        batch = [cntk_py.to_batch(self.variable(self.full(v)), '').output() for v in (x,) + others]
        result = cntk_py.unpack_batch(function(*batch).output(), '').output()
        return self.made(self._reshaped(result, shape), shape)


def _broadcast(given: Sequence[Ints]) -> Ints:
    return given[0] if all([shape == given[0] for shape in given]) else shapes.broadcast(*given)


def axis_of(axis: int) -> Any:
    """CNTK's name of `axis`."""
    return _Axis(-axis - 1)


def sizes(shape: GivenShape) -> Ints:
    """A shape, given as a tuple or as a symbol whose value is known, as a tuple."""
    return tuple([int(n) for n in shape.data.ravel()]) if isinstance(shape, Symbol) else tuple(shape)


# -- work --------------------------------------------------------------------------------------------------------------
# How much work a node is. A size that is not known counts as a usual one.


Known = Callable[[Tensor], bool]  # whether a value is known once all shapes are
Fits = Callable[[Node, Known], bool]

_USUAL = 32


def elements(tensor: Tensor, axes: Optional[Iterable[int]] = None) -> int:
    """About as many elements as `tensor` has, or places along some of its axes."""
    dims = tensor.dims if axes is None else [tensor.dims[axis] for axis in axes]
    count: int = shapes.product([d if known(d) else _USUAL for d in dims])
    return count


def multiplications(node: Node) -> int:
    """About as many as `node` does in a product or convolution; 0 for all others."""
    name, attrs = node.op.name, node.attrs
    if name == 'tensordot':
        return elements(node) * elements(node.inputs[0], attrs['axes_x'])
    if name == 'matmul':
        return elements(node) * elements(node.inputs[0], [-2 if attrs['transpose_x'] else -1])
    if name == 'depthwise_conv':
        return elements(node) * elements(node.inputs[1], range(len(node.dims) - 2))
    if name in ('conv', 'conv_input_grad'):
        rows = node if name == 'conv' else node.inputs[0]
        return elements(rows) * elements(node.inputs[1], range(len(node.dims) - 1))
    return 0
