"""Convolutions and their gradients as operators of ONNX. K has channels last, ONNX has them first."""

from itertools import product as combinations
from string import ascii_lowercase
from typing import Any, Callable, List, Optional, Sequence, Tuple, TypeVar

from ...basics import shapes
from ...basics.shapes import conv_output_length
from ...graph.nodes.base import known, ranked
from ...graph.nodes.tensor import Node
from .lowering import lowers, refuse, size_operand
from .writer import Name, Writer, filled, join

# -- channels first ----------------------------------------------------------------------------------------------------
# Convolutions of ONNX, channels first, with what they lack: pads that a run tells, and float64.
#
# onnxruntime convolves no float64. There a convolution is a sum over the places of the window, a product each.


_Lower = TypeVar('_Lower', bound=Callable[..., Name])

Ints = Sequence[int]


class Windows:
    """Where windows lie over the spatial axes of a tensor.

    sizes:   of the axes, as far as they are known
    window:  its sizes, known
    before, after: the pads of each axis; None where a run tells them, for one axis at least
    """

    def __init__(self, sizes: Sequence[Any], window: Ints, strides: Ints, padding: str, dilation: Ints) -> None:
        self.sizes, self.window, self.strides, self.padding = list(sizes), list(window), list(strides), padding
        self.dilation = list(dilation)
        self.rank = len(self.window)
        self.spans = [(k - 1) * d + 1 for k, d in zip(self.window, self.dilation)]
        axes = zip([n if known(n) else None for n in self.sizes], self.window, self.strides, self.dilation)
        pads = [shapes.pads(padding, n, k, s, d) for n, k, s, d in axes]
        self.before: Optional[List[int]] = None
        self.after: Optional[List[int]] = None
        if all([lo is not None for lo, _hi in pads]):
            self.before, self.after = [lo for lo, _hi in pads], [hi for _lo, hi in pads]

    def pads(self, w: Writer, sizes: Name) -> Tuple[Name, Name]:
        """The pads before and after as vectors, for sizes that a run tells."""
        if self.before is not None and self.after is not None:
            return w.ints(*self.before), w.ints(*self.after)
        one, two, strides = w.constant(1, 'int64'), w.constant(2, 'int64'), w.ints(*self.strides)
        # of one window less, for each axis: how far it reaches
        last = w.op('Mul', w.op('Div', w.op('Sub', sizes, one), strides), strides)
        total = w.op('Sub', w.op('Add', last, w.ints(*self.spans)), sizes)
        total = w.op('Max', total, w.constant(0, 'int64'))
        before = w.op('Div', total, two)
        return before, w.op('Sub', total, before)

    @property
    def needs_pads(self) -> bool:
        """Whether `within` adds pads."""
        return self.before is None and any([s > span for s, span in zip(self.strides, self.spans)])

    def within(self, w: Writer, x: Name, value: Name) -> Name:
        """`x`, channels first, with its pads where `attributes` cannot tell them: then there are none left to tell.

        onnxruntime computes negative ones where the strides are larger than the windows.
        """
        if self.needs_pads:
            x = padded(w, x, self, value)
            self.before = self.after = [0] * self.rank
        return x

    def attributes(self) -> Any:
        """The pads as attributes of an operator (see `within`)."""
        if self.before is None or self.after is None:
            return {'auto_pad': 'SAME_UPPER'}
        return {'pads': [*self.before, *self.after]}


def lowers_windows(name: str) -> Callable[[_Lower], _Lower]:
    """Declare the function of the table for a primitive over windows. It gets nothing that is surely empty.

    Checkers and runners refuse windows over nothing. What comes of them is empty as well, or a sum of no numbers.
    """

    def declare(function: _Lower) -> _Lower:
        @lowers(name)
        def lowered(w: Writer, node: Node, *xs: Name) -> Name:
            is_empty = any([known(d) and d == 0 for t in node.inputs if ranked(t) for d in t.dims])
            zeros = _zeros(w, node, xs[0]) if is_empty else None
            return function(w, node, *xs) if zeros is None else zeros

        return function

    return declare


def _zeros(w: Writer, node: Node, x: Name) -> Optional[Name]:
    """Zeros of the shape of a node. Its batch is that of `x` where it is not known; None where more is not known."""
    if not all(map(known, node.dims[1:])):
        return None
    batch = w.ints(node.dims[0]) if known(node.dims[0]) else w.slice(w.op('Shape', x), 0, 0, 1)
    return filled(w, join(w, [batch, *[d for d in node.dims[1:] if known(d)]]), 0, node.dtype)


def channels_first(w: Writer, x: Name, rank: int) -> Name:
    """`x` with its channels before the spatial axes, of which there are `rank`."""
    return w.transpose(x, [0, rank + 1, *range(1, rank + 1)])


def channels_last(w: Writer, x: Name, rank: int) -> Name:
    """The other way round."""
    return w.transpose(x, [0, *range(2, rank + 2), 1])


def spatial_sizes(w: Writer, x: Name, rank: int) -> Name:
    """The spatial sizes of `x`, channels first, as a vector."""
    return w.slice(w.op('Shape', x), 0, 2, rank + 2)


def padded(w: Writer, x: Name, at: Windows, value: Name, last: bool = False) -> Name:
    """`x`, channels first, or last, with its pads."""
    if at.before is not None and not any([*at.before, *(at.after or [])]):
        return x
    before, after = at.pads(w, w.slice(w.op('Shape', x), 0, 1, at.rank + 1) if last else spatial_sizes(w, x, at.rank))
    none = [w.ints(0)] if last else [w.ints(0, 0)]
    end = none if last else []
    return w.op('Pad', x, w.op('Concat', *none, before, *end, *none, after, *end, axis=0), value)


def met(w: Writer, x: Name, at: Windows, offset: Ints, last: bool = False) -> Name:
    """What the place of the windows at `offset` meets in `x`, which has its pads, and its spatial axes at the end.

    last: whether channels come after these
    """
    if at.spans == [1] * at.rank and at.strides == [1] * at.rank:
        return x
    starts = [o * d for o, d in zip(offset, at.dilation)]
    # counted from the end, so that the size need not be known
    ends = [start + 1 - span or 2**31 - 1 for start, span in zip(starts, at.spans)]
    axes = range(1, at.rank + 1) if last else range(-at.rank, 0)
    return w.op('Slice', x, w.ints(*starts), w.ints(*ends), w.ints(*axes), w.ints(*at.strides))


def offsets(at: Windows) -> List[Tuple[int, ...]]:
    """The places of a window, in the order of its memory."""
    return list(combinations(*[range(k) for k in at.window]))


def correlated(w: Writer, x: Name, weights: Name, at: Windows, dtype: str, groups: int = 1) -> Name:
    """The convolution of `x` (batch, channels, spatial...) with weights (results, channels of a group, spatial...)."""
    if dtype != 'float64':
        return w.op('Conv', x, weights, strides=at.strides, dilations=at.dilation, group=groups, **at.attributes())
    x = padded(w, x, at, w.constant(0, dtype))
    letters = ascii_lowercase[4 : 4 + at.rank]  # spatial axes; a is the batch, b the group, c the channel, d the result
    if groups == 1:
        return _sum_of_places(w, x, weights, at, f'ac{letters},cd->ad{letters}')
    weights = parted(w, weights, 0, groups)
    total = _sum_of_places(w, parted(w, x, 1, groups), weights, at, f'abc{letters},bcd->abd{letters}')
    return joined(w, total, 1)


def _sum_of_places(w: Writer, x: Name, weights: Name, at: Windows, equation: str) -> Name:
    """The sum over the places of the window, of products by an equation. The spatial axes come last.

    Of the weights the axis that is summed comes before that of results: onnxruntime dies of an empty second operand
    whose axes Einsum has to put in another order.
    """
    total = None
    first = 1 if equation.startswith('abc') else 0
    spatial = range(first + 2, first + 2 + at.rank)
    weights = w.transpose(weights, [*range(first), first + 1, first, *spatial])
    for offset in offsets(at):
        weight = weights
        for position in reversed(offset):
            weight = w.op('Gather', weight, w.constant(position, 'int64'), axis=-1)
        product = w.op('Einsum', met(w, x, at, offset), weight, equation=equation)
        total = product if total is None else w.op('Add', total, product)
    assert total is not None
    return total


def parted(w: Writer, x: Name, axis: int, groups: int) -> Name:
    """`x` with an axis as two: the groups, and what is in each."""
    sizes = w.op('Shape', x)
    inside = w.op('Div', w.slice(sizes, 0, axis, axis + 1), w.ints(groups))
    lengths = [w.slice(sizes, 0, 0, axis)] if axis else []
    lengths += [w.ints(groups), inside, w.slice(sizes, 0, axis + 1)]
    return w.op('Reshape', x, w.op('Concat', *lengths, axis=0), allowzero=1)


def joined(w: Writer, x: Name, axis: int) -> Name:
    """`x` with an axis and the next one as one."""
    sizes = w.op('Shape', x)
    together = w.op('Mul', w.slice(sizes, 0, axis, axis + 1), w.slice(sizes, 0, axis + 1, axis + 2))
    lengths = [w.slice(sizes, 0, 0, axis)] if axis else []
    lengths += [together, w.slice(sizes, 0, axis + 2)]
    return w.op('Reshape', x, w.op('Concat', *lengths, axis=0), allowzero=1)


def transposed(
    w: Writer, g: Name, weights: Name, at: Windows, sizes: Name, counts: Sequence[Any], dtype: str, groups: int = 1
) -> Name:
    """The adjoint of `correlated`: from `g` to a tensor with the spatial `sizes`.

    weights: (channels of g, channels of the result in a group, spatial...)
    sizes:   a vector, of which `at.sizes` is what is known
    counts:  of windows along each axis, as far as they are known
    """
    if dtype == 'float64':
        return _cut(w, _full(w, g, weights, at, dtype, groups), at, sizes)
    attributes = dict(strides=at.strides, dilations=at.dilation, group=groups)
    if at.before is not None and at.after is not None:
        if set(at.strides) == {1}:
            return w.op('ConvTranspose', g, weights, pads=[*at.before, *at.after], **attributes)
        if all(map(known, [*at.sizes, *counts])):
            axes = zip(at.sizes, counts, at.strides, at.spans, at.before, at.after)
            more = [n - ((m - 1) * s + span - lo - hi) for n, m, s, span, lo, hi in axes]
            pads = [*at.before, *at.after]
            return w.op('ConvTranspose', g, weights, pads=pads, output_padding=more, **attributes)
    return _cut(w, w.op('ConvTranspose', g, weights, **attributes), at, sizes)


def _cut(w: Writer, full: Name, at: Windows, sizes: Name) -> Name:
    """The part of a transposed convolution without pads that lies over the real entries."""
    after = [0, 0, *[s - 1 for s in at.strides]]
    if any(after):
        # entries at the end that no window reached
        full = w.op('Pad', full, w.ints(*[0] * len(after), *after))
    before, _after = at.pads(w, sizes)
    axes = w.ints(*range(2, at.rank + 2))
    return w.op('Slice', full, before, w.op('Add', before, sizes), axes)


def _full(w: Writer, g: Name, weights: Name, at: Windows, dtype: str, groups: int) -> Name:
    """A transposed convolution without pads as a convolution: zeros between the entries, and the window reversed."""
    rank = at.rank
    for axis, s in enumerate(at.strides, 2):
        if s > 1:
            g = _stuffed(w, g, axis, s, rank)
    edge = [0, 0, *[span - 1 for span in at.spans]]
    g = w.op('Pad', g, w.ints(*edge, *edge))
    axes = list(range(2, rank + 2))
    flipped = w.op(
        'Slice', weights, w.ints(*[-1] * rank), w.ints(*[-(2**31)] * rank), w.ints(*axes), w.ints(*[-1] * rank)
    )
    # from (group and channel of g, channel of the result, ...) to (group and channel of the result, channel of g, ...)
    if groups == 1:
        turned = w.transpose(flipped, [1, 0, *range(2, rank + 2)])
    else:
        swapped = w.transpose(parted(w, flipped, 0, groups), [0, 2, 1, *range(3, rank + 3)])
        turned = joined(w, swapped, 0)
    plain = Windows(at.sizes, at.window, [1] * rank, 'valid', at.dilation)
    return correlated(w, g, turned, plain, dtype, groups)


def _stuffed(w: Writer, x: Name, axis: int, step: int, rank: int) -> Name:
    """`x` with step - 1 zeros between the entries of an axis."""
    zeros = [0] * (rank + 3)
    wide = w.op('Pad', w.unsqueeze(x, axis + 1), w.ints(*zeros, *zeros[: axis + 1], step - 1, *zeros[axis + 2 :]))
    times = [1] * (rank + 2)
    times[axis] = step
    long = w.op('Reshape', wide, w.op('Mul', w.op('Shape', x), w.ints(*times)), allowzero=1)
    return w.slice(long, axis, 0, 1 - step)


def _windows(node: Node, sizes: Sequence[Any], window: Sequence[Any]) -> Windows:
    if not all(map(known, window)):
        raise refuse(node, 'the sizes of the kernel are not known', 'Give the kernel a shape without None.')
    if 0 in window:
        raise refuse(node, 'the kernel has no entries', 'Give it a window of 1 or more along each axis.')
    attrs = node.attrs
    return Windows(sizes, list(window), attrs['strides'], attrs['padding'], attrs['dilation'])


def _channels(node: Node, count: Any) -> int:
    if not known(count):
        raise refuse(node, 'the number of channels is not known', 'Give the placeholder that number.')
    return int(count)


def _multiplied(w: Writer, kernel: Name, rank: int) -> Name:
    """The kernel of a depthwise convolution, (spatial..., channel, m), as (channel and m, 1, spatial...)."""
    turned = w.transpose(kernel, [rank, rank + 1, *range(rank)])
    sizes = w.slice(w.op('Shape', kernel), 0, 0, rank)
    return w.op('Reshape', turned, w.op('Concat', w.ints(-1, 1), sizes, axis=0))


@lowers_windows('conv')
def conv(w: Writer, node: Node, x: Name, kernel: Name) -> Name:
    of_x, of_kernel = node.inputs
    at = _windows(node, of_x.dims[1:-1], of_kernel.dims[:-2])
    rank = at.rank
    weights = w.transpose(kernel, [rank + 1, rank, *range(rank)])
    return channels_last(w, correlated(w, channels_first(w, x, rank), weights, at, node.dtype), rank)


@lowers_windows('depthwise_conv')
def depthwise_conv(w: Writer, node: Node, x: Name, kernel: Name) -> Name:
    of_x, of_kernel = node.inputs
    at = _windows(node, of_x.dims[1:-1], of_kernel.dims[:-2])
    groups = _channels(node, of_kernel.dims[-2] if known(of_kernel.dims[-2]) else of_x.dims[-1])
    first = channels_first(w, x, at.rank)
    output = correlated(w, first, _multiplied(w, kernel, at.rank), at, node.dtype, groups)
    return channels_last(w, output, at.rank)


def of_input(w: Writer, node: Node, xs: Tuple[Name, ...], at: Windows) -> Tuple[Name, List[Any]]:
    """Of the gradient for an input: the spatial sizes of that input, and the numbers of windows along each axis."""
    sizes: Name = w.ints(*at.sizes) if all(map(known, at.sizes)) else ''
    axes = zip(at.sizes, at.window, at.strides, at.dilation, node.inputs[0].dims[1:-1])
    counts = [
        conv_output_length(n, k, s, at.padding, d) if known(n) else m if known(m) else None for n, k, s, d, m in axes
    ]
    return sizes or w.slice(size_operand(w, node, xs, 'shape'), 0, 1, at.rank + 1), counts


def _to_input(w: Writer, node: Node, xs: Tuple[Name, ...]) -> Tuple[Windows, Name, List[Any]]:
    """Of the gradient for an input: the windows, the spatial sizes of that input, and the numbers of windows."""
    at = _windows(node, node.dims[1:-1], node.inputs[1].dims[:-2])
    return (at, *of_input(w, node, xs, at))


@lowers_windows('conv_input_grad')
def conv_input_grad(w: Writer, node: Node, *xs: Name) -> Name:
    at, sizes, counts = _to_input(w, node, xs)
    rank = at.rank
    weights = w.transpose(xs[1], [rank + 1, rank, *range(rank)])
    gradient = transposed(w, channels_first(w, xs[0], rank), weights, at, sizes, counts, node.dtype)
    return channels_last(w, gradient, rank)


@lowers_windows('depthwise_conv_input_grad')
def depthwise_conv_input_grad(w: Writer, node: Node, *xs: Name) -> Name:
    at, sizes, counts = _to_input(w, node, xs)
    kernel = node.inputs[1]
    groups = _channels(node, kernel.dims[-2] if known(kernel.dims[-2]) else node.dims[-1])
    weights = _multiplied(w, xs[1], at.rank)
    first = channels_first(w, xs[0], at.rank)
    gradient = transposed(w, first, weights, at, sizes, counts, node.dtype, groups)
    return channels_last(w, gradient, at.rank)


@lowers_windows('conv_kernel_grad')
def conv_kernel_grad(w: Writer, node: Node, *xs: Name) -> Name:
    """A product of matrices for each place of the window: a convolution with a window as large as `g` is slower."""
    at = _to_kernel(node)
    x, g = xs[:2]
    of_x, of_g = node.inputs[:2]
    channels, filters = _channels(node, of_x.dims[-1]), _channels(node, of_g.dims[-1])
    x = padded(w, x, at, w.constant(0, node.dtype), last=True)
    rows = w.op('Reshape', g, w.ints(-1, filters))
    products = []
    for offset in offsets(at):
        seen = w.op('Reshape', met(w, x, at, offset, last=True), w.ints(-1, channels))
        if node.dtype == 'float64':
            products.append(w.op('Einsum', seen, rows, equation='ab,ac->bc'))
        else:
            products.append(w.op('MatMul', w.transpose(seen, [1, 0]), rows))
    whole = w.op('Concat', *[w.unsqueeze(product, 0) for product in products], axis=0)
    return w.op('Reshape', whole, w.ints(*at.window, channels, filters))


@lowers_windows('depthwise_conv_kernel_grad')
def depthwise_conv_kernel_grad(w: Writer, node: Node, *xs: Name) -> Name:
    at = _to_kernel(node)
    rank = at.rank
    channels = _channels(node, node.inputs[0].dims[-1])
    x, g = [w.transpose(tensor, [rank + 1, 0, *range(1, rank + 1)]) for tensor in xs[:2]]
    x = padded(w, x, at, w.constant(0, node.dtype))
    if node.dtype == 'float64':
        return _place_by_place(w, at, x, parted(w, g, 0, channels))
    # a group for each channel, with the images as its channels
    x = w.unsqueeze(joined(w, x, 0), 0)
    gradient = w.op('Conv', x, g, strides=at.dilation, dilations=at.strides, group=channels)
    gradient = w.op('Reshape', _only_window(w, gradient, at), w.ints(channels, -1, *at.window))
    return w.transpose(gradient, [*range(2, rank + 2), 0, 1])


def _to_kernel(node: Node) -> Windows:
    return _windows(node, node.inputs[0].dims[1:-1], node.dims[:-2])


def _only_window(w: Writer, made: Name, at: Windows) -> Name:
    """Without entries beyond the window, which come of a rest that no window of the convolution met."""
    return w.op('Slice', made, w.ints(*[0] * at.rank), w.ints(*at.window), w.ints(*range(2, at.rank + 2)))


def _place_by_place(w: Writer, at: Windows, x: Name, g: Name) -> Name:
    """The gradient for a depthwise kernel of `x` (channel, batch, spatial...) and `g` (channel, m, batch, "
    "spatial...)."""
    letters = 'defghij'[: at.rank]
    equation = f'ab{letters},ab{letters}c->ac'
    # so that an empty batch needs no other order (see `windows`)
    g = w.transpose(g, [0, 2, *range(3, 3 + at.rank), 1])
    products = [w.unsqueeze(w.op('Einsum', met(w, x, at, o), g, equation=equation), 0) for o in offsets(at)]
    whole = w.op('Concat', *products, axis=0)
    sizes = w.slice(w.op('Shape', whole), 0, 1)
    return w.op('Reshape', whole, w.op('Concat', w.ints(*at.window), sizes, axis=0))
