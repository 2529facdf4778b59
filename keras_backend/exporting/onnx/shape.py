"""Primitives that rearrange elements, or make them from sizes, as operators of ONNX."""

from ...graph.nodes.dims import known
from ...graph.nodes.tensor import Node
from .lowering import lowers, size_operand
from .writer import Name, Writer

_BEFORE = -(2**31)  # a place before the start of any axis


@lowers('shape')
def shape(w: Writer, node: Node, x: Name) -> Name:
    return w.shape(x)


@lowers('reshape')
def reshape(w: Writer, node: Node, x: Name, *shape: Name) -> Name:
    if 'shape' in node.attrs:
        # The recorder writes -1 where a size is what is left. A size that the program gives is compared in the run.
        sizes = [d if known(d) else -1 for d in node.dims]
        if -1 not in sizes or (sizes.count(-1) == 1 and 0 not in sizes):
            return w.op('Reshape', x, w.ints(*sizes), allowzero=1 if 0 in sizes else None)
    return w.op('Reshape', x, size_operand(w, node, (x, *shape), 'shape'), allowzero=1)


@lowers('broadcast_to')
def broadcast_to(w: Writer, node: Node, x: Name, *shape: Name) -> Name:
    return w.op('Expand', x, size_operand(w, node, (x, *shape), 'shape'))


@lowers('transpose')
def transpose(w: Writer, node: Node, x: Name) -> Name:
    return w.transpose(x, node.attrs['perm'])


@lowers('expand_dims')
def expand_dims(w: Writer, node: Node, x: Name) -> Name:
    return w.unsqueeze(x, node.attrs['axis'])


@lowers('squeeze')
def squeeze(w: Writer, node: Node, x: Name) -> Name:
    return w.squeeze(x, node.attrs['axis'])


@lowers('concatenate')
def concatenate(w: Writer, node: Node, *xs: Name) -> Name:
    return w.op('Concat', *xs, axis=node.attrs['axis'])


@lowers('stack')
def stack(w: Writer, node: Node, *xs: Name) -> Name:
    axis = node.attrs['axis']
    return w.op('Concat', *[w.unsqueeze(x, axis) for x in xs], axis=axis)


@lowers('tile')
def tile(w: Writer, node: Node, x: Name, *reps: Name) -> Name:
    return w.op('Tile', x, size_operand(w, node, (x, *reps), 'reps'))


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
    made = w.op('Range', *scalars)
    return made if dtype == node.attrs['dtype'] else w.cast(made, node.attrs['dtype'])


@lowers('one_hot')
def one_hot(w: Writer, node: Node, indices: Name) -> Name:
    # OneHot of ONNX counts negative places from the end; K has zeros there.
    places = w.cast(indices, 'int64') if node.inputs[0].dtype != 'int64' else indices
    classes = w.ints(*range(node.attrs['num_classes']))
    return w.cast(w.op('Equal', w.unsqueeze(places, -1), classes), node.attrs['dtype'])
