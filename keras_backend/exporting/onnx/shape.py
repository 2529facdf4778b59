"""Primitives that rearrange elements, or make them from sizes, or read and write at places, as operators of ONNX."""

from typing import Any, List, NamedTuple, Sequence, Tuple, Union

from ...graph.nodes.base import Size, known
from ...graph.nodes.tensor import Node, Tensor
from .lowering import LOWERINGS, lowers, size_operand
from .writer import END, START, Name, Writer, filled, join, places, vector

_BEFORE = -(2**31)  # a place before the start of any axis


LOWERINGS.update(
    {
        'shape': lambda w, node, x: w.shape(x),
        'broadcast_to': lambda w, node, x, *shape: w.op('Expand', x, size_operand(w, node, (x, *shape), 'shape')),
        'transpose': lambda w, node, x: w.transpose(x, node.attrs['perm']),
        'expand_dims': lambda w, node, x: w.unsqueeze(x, node.attrs['axis']),
        'squeeze': lambda w, node, x: w.squeeze(x, node.attrs['axis']),
        'concatenate': lambda w, node, *xs: w.op('Concat', *xs, axis=node.attrs['axis']),
        'stack': lambda w, node, *xs: w.op(
            'Concat', *[w.unsqueeze(x, node.attrs['axis']) for x in xs], axis=node.attrs['axis']
        ),
        'tile': lambda w, node, x, *reps: w.op('Tile', x, size_operand(w, node, (x, *reps), 'reps')),
        'getitem': lambda w, node, x, *indices: _read(w, node, node.inputs[0], node.inputs[1:], x, indices),
        'gather': lambda w, node, x, indices: w.op('Gather', x, places(w, node.inputs[1], indices), axis=0),
        'nonzero': lambda w, node, x: w.squeeze(w.op('NonZero', x), 0),
    }
)


@lowers('reshape')
def reshape(w: Writer, node: Node, x: Name, *shape: Name) -> Name:
    if 'shape' in node.attrs:
        # The recorder writes -1 where a size is what is left. A size that the program gives is compared in the run.
        sizes = [d if known(d) else -1 for d in node.dims]
        if -1 not in sizes or (sizes.count(-1) == 1 and 0 not in sizes):
            return w.op('Reshape', x, w.ints(*sizes), allowzero=1 if 0 in sizes else None)
    return w.op('Reshape', x, size_operand(w, node, (x, *shape), 'shape'), allowzero=1)


@lowers('repeat')
def repeat(w: Writer, node: Node, x: Name) -> Name:
    rank, repeats = len(node.dims), node.attrs['repeats']
    axis = node.attrs['axis'] % rank
    times = [1] * (rank + 1)
    times[axis + 1] = repeats
    spread = w.op('Tile', w.unsqueeze(x, axis + 1), w.ints(*times))
    sizes = [d if known(d) else -1 for d in node.dims]
    if sizes.count(-1) < 2 and 0 not in sizes:
        return w.op('Reshape', spread, w.ints(*sizes))
    del times[axis]
    times[axis] = repeats
    return w.op('Reshape', spread, w.op('Mul', w.op('Shape', x), w.ints(*times)), allowzero=1)


@lowers('reverse')
def reverse(w: Writer, node: Node, x: Name) -> Name:
    axes = node.attrs['axes']
    count = len(axes)
    if not count:
        return w.op('Identity', x)
    return w.op('Slice', x, w.ints(*[-1] * count), w.ints(*[_BEFORE] * count), w.ints(*axes), w.ints(*[-1] * count))


@lowers('pad')
def pad(w: Writer, node: Node, x: Name) -> Name:
    widths = node.attrs['widths']
    pads = w.ints(*[lo for lo, _hi in widths], *[hi for _lo, hi in widths])
    return w.op('Pad', x, pads, w.constant(node.attrs['value'], node.dtype))


@lowers('arange')
def arange(w: Writer, node: Node, *bounds: Name) -> Name:
    inputs = node.inputs
    dtype = inputs[0].dtype
    if dtype not in ('int64', 'float64'):
        # A half has no operator, small integers might not hold the end, and for int32 the inference of shapes of ONNX
        # mixes up the sizes that it knows, which are int64.
        dtype = 'float32' if dtype.startswith('float') else 'int64'
    scalars = [w.cast(x, dtype) if t.dtype != dtype else x for x, t in zip(bounds, inputs)]
    numbers = w.op('Range', *scalars)
    return numbers if dtype == node.attrs['dtype'] else w.cast(numbers, node.attrs['dtype'])


@lowers('one_hot')
def one_hot(w: Writer, node: Node, indices: Name) -> Name:
    # OneHot of ONNX counts negative places from the end; K has zeros there.
    labels = w.cast(indices, 'int64') if node.inputs[0].dtype != 'int64' else indices
    classes = w.ints(*range(node.attrs['num_classes']))
    return w.cast(w.op('Equal', w.unsqueeze(labels, -1), classes), node.attrs['dtype'])


# -- places ------------------------------------------------------------------------------------------------------------
# Primitives that read and write at places, as operators of ONNX.


_Bound = Union[int, Name]  # a number, or a vector with one


# -- reading -----------------------------------------------------------------------------------------------------------
class _Index(NamedTuple):
    """An index, an entry for each axis of what is read.

    entries:  of each axis an int, ('slice', start, stop, step) or ('tensor', number)
    new:      places of the new axes among those of the result, without what arrays put there
    arrays:   axes that arrays index, and ints beside them
    place:    where the axes of the arrays go among those of the result; `place_of_old` does not count new axes
    """

    entries: Sequence[Any]
    new: Sequence[int]
    arrays: Sequence[int]
    place: int
    place_of_old: int


def _index(spec: Sequence[Any], rank: int) -> _Index:
    """`spec` (see `library.Primitives`) for a tensor of this rank."""
    whole = ('slice', None, None, None)
    at = spec.index(Ellipsis) if Ellipsis in spec else len(spec)
    lacking = rank - sum(1 for s in spec if s is not None and s is not Ellipsis)
    listed = [*spec[:at], *[whole] * lacking, *spec[at + 1 :]]
    has_arrays = any([isinstance(s, tuple) and s[0] == 'tensor' for s in listed])
    entries: List[Any] = []
    new: List[int] = []
    arrays: List[int] = []
    positions: List[Tuple[int, int]] = []
    kept = old = 0
    for s in listed:
        if s is None:
            new.append(kept)
            kept += 1
            continue
        if isinstance(s, tuple) and s[0] == 'slice':
            kept += 1
            old += 1
        elif has_arrays:
            arrays.append(len(entries))
            positions.append((kept, old))
        entries.append(s)
    # as NumPy has it: arrays with something between them put their axes first
    position, position_of_old = positions[0] if positions and all([f == positions[0] for f in positions]) else (0, 0)
    return _Index(entries, new, arrays, position, position_of_old)


def _read(w: Writer, node: Node, t: Tensor, tensors: Sequence[Tensor], x: Name, indices: Sequence[Name]) -> Name:
    index = _index(node.attrs['spec'], len(t.dims))
    x = _sliced(w, index, x)
    if not index.arrays:
        for axis in reversed([axis for axis, s in enumerate(index.entries) if isinstance(s, int)]):
            x = w.op('Gather', x, w.constant(index.entries[axis], 'int64'), axis=axis)
        return w.unsqueeze(x, *index.new) if index.new else x
    count = max([len(i.dims) for i in tensors])
    if len(index.arrays) == 1:
        x = w.op('Gather', x, w.cast(indices[index.entries[index.arrays[0]][1]], 'int64'), axis=index.arrays[0])
    else:
        x = _read_together(w, index, count, x, indices)
    new = [axis + count if axis >= index.place else axis for axis in index.new]
    return w.unsqueeze(x, *new) if new else x


def _sliced(w: Writer, index: _Index, x: Name) -> Name:
    """`x` after all slices of an index."""
    cuts = [(axis, s[1:]) for axis, s in enumerate(index.entries) if isinstance(s, tuple) and s[0] == 'slice']
    cuts = [(axis, bounds) for axis, bounds in cuts if bounds not in ((None, None, None), (None, None, 1))]
    if not cuts:
        return x
    starts, stops, steps = [], [], []
    for _axis, (start, stop, step) in cuts:
        step = 1 if step is None else step
        starts.append(start if start is not None else 0 if step > 0 else END)
        stops.append(stop if stop is not None else END if step > 0 else START)
        steps.append(step)
    axes = [axis for axis, _bounds in cuts]
    return w.op('Slice', x, w.ints(*starts), w.ints(*stops), w.ints(*axes), w.ints(*steps))


def _read_together(w: Writer, index: _Index, count: int, x: Name, indices: Sequence[Name]) -> Name:
    """`x` at places that several arrays tell, `count` being the number of axes of these together."""
    arrays = []
    for axis in index.arrays:
        s = index.entries[axis]
        arrays.append(w.constant(s, 'int64') if isinstance(s, int) else w.cast(indices[s[1]], 'int64'))
    together = arrays[0]
    for array in arrays[1:]:
        together = w.op('Add', together, array)
    nothing = w.op('Mul', together, w.constant(0, 'int64'))
    columns = [w.unsqueeze(w.op('Add', array, nothing), -1) for array in arrays]
    rank = len(index.entries)
    rest = [axis for axis in range(rank) if axis not in index.arrays]
    x = w.op('GatherND', w.transpose(x, [*index.arrays, *rest]), w.op('Concat', *columns, axis=-1))
    old = list(range(count, count + len(rest)))
    return w.transpose(x, [*old[: index.place_of_old], *range(count), *old[index.place_of_old :]])


@lowers('slice_axis')
def slice_axis(w: Writer, node: Node, x: Name, start: Name, stop: Name) -> Name:
    axis, rank = node.attrs['axis'], len(node.dims)
    start, stop = w.cast(start, 'int64'), w.cast(stop, 'int64')
    # A piece that sticks out is an error: Slice would cut it off, and Reshape then finds too few elements.
    inside = w.op('Where', w.op('Less', start, w.constant(0, 'int64')), w.constant(END, 'int64'), start)
    piece = w.op('Slice', x, vector(w, inside), vector(w, stop), w.ints(axis))
    sizes = w.op('Shape', x)
    lengths = [vector(w, w.op('Sub', stop, start))]
    if axis:
        lengths.insert(0, w.slice(sizes, 0, 0, axis))
    if axis + 1 < rank:
        lengths.append(w.slice(sizes, 0, axis + 1))
    target = w.op('Concat', *lengths, axis=0) if len(lengths) > 1 else lengths[0]
    return w.op('Reshape', piece, target, allowzero=1)


# -- writing -----------------------------------------------------------------------------------------------------------
@lowers('getitem_grad')
def getitem_grad(w: Writer, node: Node, g: Name, shape: Name, *indices: Name) -> Name:
    index = _index(node.attrs['spec'], len(node.dims))
    if not index.arrays and all([isinstance(s, int) or s[3] in (None, 1) for s in index.entries]):
        return _padded(w, node, index, g, w.cast(shape, 'int64'))
    # The numbers of the places that are read, counted through. So any index becomes one axis of places.
    shape = w.cast(shape, 'int64')
    size = w.op('ReduceProd', shape, keepdims=0)
    counted = w.op('Range', w.constant(0, 'int64'), size, w.constant(1, 'int64'))
    numbers = w.op('Reshape', counted, shape, allowzero=1)
    read = _read(w, node, node, node.inputs[2:], numbers, indices)
    flat = added(w, w.op('Reshape', size, w.ints(1)), _flat(w, read), _flat(w, g), node.dtype)
    return w.op('Reshape', flat, shape, allowzero=1)


def _flat(w: Writer, x: Name) -> Name:
    return w.op('Reshape', x, w.op('Reshape', w.op('Size', x), w.ints(1)), allowzero=1)


def _padded(w: Writer, node: Node, index: _Index, g: Name, shape: Name) -> Name:
    """`g`, the gradient of a piece that ints and slices cut out of one place, with zeros around it."""
    if index.new:
        g = w.squeeze(g, *index.new)
    ints = [axis for axis, s in enumerate(index.entries) if isinstance(s, int)]
    if ints:
        g = w.unsqueeze(g, *ints)
    sizes = _Sizes(w, node.dims, shape, g)
    before: List[_Bound] = []
    after: List[_Bound] = []
    for axis, s in enumerate(index.entries):
        if isinstance(s, tuple) and s[1:3] == (None, None):
            before.append(0)
            after.append(0)
            continue
        first = sizes.place(axis, s if isinstance(s, int) else s[1] or 0)
        before.append(first)
        after.append(sizes.left(axis, first, 1 if isinstance(s, int) else None, s))
    return w.op('Pad', g, join(w, before + after), w.constant(0, node.dtype))


class _Sizes:
    """Places along the axes of what a gradient fills: numbers where the sizes are known, else values of the file."""

    def __init__(self, w: Writer, dims: Sequence[Size], shape: Name, g: Name) -> None:
        self.w, self.dims, self.shape, self.g = w, dims, shape, g

    def place(self, axis: int, start: int) -> _Bound:
        """The place at which a piece starts."""
        w, size = self.w, self.dims[axis]
        if known(size):
            return slice(start, None).indices(size)[0]
        whole = w.op('Gather', self.shape, w.ints(axis))
        if start >= 0:
            return w.op('Min', w.ints(start), whole) if start else 0
        return w.op('Max', w.op('Add', whole, w.ints(start)), w.ints(0))

    def left(self, axis: int, first: _Bound, length: Any, s: Any) -> _Bound:
        """How much of an axis comes after a piece. length: of the piece, None where it is that of `g`."""
        w, size = self.w, self.dims[axis]
        if known(size):
            # then the place is a number, too
            assert isinstance(first, int)
            return size - (first + 1 if length else max(slice(*s[1:3]).indices(size)[1], first))
        whole = w.op('Gather', self.shape, w.ints(axis))
        piece = w.ints(length) if length else w.op('Shape', self.g, start=axis, end=axis + 1)
        return w.op('Sub', w.op('Sub', whole, join(w, [first])), piece)


@lowers('slice_axis_grad')
def slice_axis_grad(w: Writer, node: Node, g: Name, shape: Name, start: Name) -> Name:
    axis, rank = node.attrs['axis'], len(node.dims)
    first = vector(w, start)
    whole = w.op('Gather', w.cast(shape, 'int64'), w.ints(axis))
    last = w.op('Sub', w.op('Sub', whole, first), w.op('Shape', g, start=axis, end=axis + 1))
    widths: List[_Bound] = [0] * (2 * rank)
    widths[axis], widths[rank + axis] = first, last
    return w.op('Pad', g, join(w, widths), w.constant(0, node.dtype))


@lowers('scatter_add')
def scatter_add(w: Writer, node: Node, indices: Name, updates: Name, size: Name) -> Name:
    t = node.inputs[0]
    shape = vector(w, size)
    if len(node.dims) > 1:
        shape = w.op('Concat', shape, w.op('Shape', updates, start=len(t.dims)), axis=0)
    return added(w, shape, places(w, t, indices), updates, node.dtype)


def added(w: Writer, shape: Name, at: Name, updates: Name, dtype: str) -> Name:
    """Zeros of `shape` with `updates` added at places along the first axis."""
    at = w.unsqueeze(at, -1)
    if dtype == 'float16':
        # onnxruntime adds no halves here, and sums of them are more exact this way
        sums = w.op('ScatterND', filled(w, shape, 0, 'float32'), at, w.cast(updates, 'float32'), reduction='add')
        return w.cast(sums, dtype)
    return w.op('ScatterND', filled(w, shape, 0, dtype), at, updates, reduction='add')
