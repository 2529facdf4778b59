"""What is known of shapes before a run: Theano keeps only the rank and which sizes are 1.

`dims_of` knows the sizes of any variable of Theano, of K's own and of what users made with `theano.tensor`: found once,
from the operation that computes it and what is known of its inputs. An unknown size is a `Dim`, equal only to itself.
"""

import numpy as np

from ...graph.dims import Dim
from ...shapes import known
from ._graph import check
from ._library import Constant, T, TensorConstant, TensorType, theano

RULES = {}

# The operators that Dim answers: sizes that are shifted by 0 or scaled by 1 stay what they are.
_ARITHMETIC = {'Add': '__add__', 'Sub': '__sub__', 'Mul': '__mul__', 'IntDiv': '__floordiv__'}


def set_dims(x, dims):
    """Say that `x` has the sizes `dims` (ints, Dims, or None for a size not known)."""
    flags = getattr(x.type, 'broadcastable', None) or (False,) * x.type.ndim
    x._keras_dims = tuple(
        [1 if flag else Dim() if d is None else int(d) if known(d) else d for d, flag in zip(dims, flags)]
    )
    return x


def dims_of(x):
    """The sizes of `x`: a tuple of ints and Dims."""
    try:
        return x._keras_dims
    except AttributeError:
        pass
    todo = [x]
    while todo:
        v = todo[-1]
        if hasattr(v, '_keras_dims'):
            todo.pop()
            continue
        # What one input is found from may be hidden behind another one; a stack spares the recursion.
        waiting = [i for i in v.owner.inputs if _has_shape(i) and not hasattr(i, '_keras_dims')] if v.owner else ()
        if waiting:
            todo.extend(waiting)
        else:
            _find(v)
    return x._keras_dims


def _has_shape(x):
    return getattr(x.type, 'ndim', None) is not None


def _find(x):
    """Find the sizes of `x`, and of the other results of its operation, those of its inputs being known."""
    node = x.owner
    if node is None:
        value = x.data if isinstance(x, Constant) else None
        set_dims(x, value.shape if value is not None else (None,) * x.type.ndim)
        return
    op = node.op
    for i in node.inputs:
        check(i)  # what users made of dead tensors with Theano's own functions is dead, too
    dims = [i._keras_dims if _has_shape(i) else None for i in node.inputs]
    rule = getattr(op, 'output_dims', None) or _rule(op)
    found = rule(node, dims)
    for v, sizes in zip(node.outputs, found):
        if _has_shape(v) and not hasattr(v, '_keras_dims'):
            set_dims(v, (None,) * v.type.ndim if sizes is None else sizes)


def _rule(op):
    for kind in type(op).__mro__:
        if kind in RULES:
            return RULES[kind]
    return _by_infer_shape


def rule(*kinds):
    """A function (node, sizes of the inputs) -> sizes of the outputs, for operations of these classes."""

    def register(function):
        RULES.update((kind, function) for kind in kinds)
        return function

    return register


# -- numbers that shapes are made of ----------------------------------------------------------------------------------
def value(x):
    """What is known of the integers in `x`: an int, a Dim, None; of a vector a list of them, or None."""
    if isinstance(x, Constant):
        return x.data.tolist() if hasattr(x.data, 'tolist') else x.data
    try:
        return x._keras_value
    except AttributeError:
        pass
    found = _value(x) if x.owner is not None and getattr(x.type, 'ndim', 0) < 2 else None
    x._keras_value = found
    return found


def _value(x):
    op, inputs = x.owner.op, x.owner.inputs
    if isinstance(op, T.Elemwise):
        return _elementwise(op.scalar_op, [value(i) for i in inputs])
    if isinstance(op, T.basic.Shape):
        return list(dims_of(inputs[0]))
    if isinstance(op, theano.compile.ops.Shape_i):
        return dims_of(inputs[0])[op.i]
    if isinstance(op, theano.tensor.opt.MakeVector):
        return [value(i) for i in inputs]
    if isinstance(op, T.subtensor.Subtensor):
        whole, index = value(inputs[0]), _indices(x.owner)
        if isinstance(whole, list) and len(index) == 1 and _plain(index[0]):
            return whole[index[0]]
        return None
    if isinstance(op, T.Join):
        parts = [value(i) for i in _joined(x.owner)[1]]
        return [n for part in parts for n in part] if all(isinstance(p, list) for p in parts) else None
    if isinstance(op, T.elemwise.DimShuffle):
        inner = value(inputs[0])
        if x.type.ndim == inputs[0].type.ndim:
            return inner
        return [inner] if x.type.ndim else inner[0] if isinstance(inner, list) else None
    if isinstance(op, T.elemwise.Prod):
        inner = value(inputs[0])
        return _folded(inner) if isinstance(inner, list) else None
    if isinstance(
        op,
        (
            T.basic.TensorFromScalar,
            T.basic.ScalarFromTensor,
            T.Rebroadcast,
            theano.compile.ops.ViewOp,
            theano.tensor.opt.Assert,
            theano.compile.ops.DeepCopyOp,
        ),
    ):
        return value(inputs[0])
    return None


def _plain(index):
    parts = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
    return all(p is None or known(p) for p in parts)


def _folded(factors):
    total = 1
    for n in factors:
        if n is None:
            return None
        total = n * total
    return total


def _elementwise(scalar, values):
    if any(isinstance(v, list) for v in values):
        length = max(len(v) for v in values if isinstance(v, list))
        spread = [
            v * length if isinstance(v, list) and len(v) == 1 else v if isinstance(v, list) else [v] * length
            for v in values
        ]
        return [_elementwise(scalar, list(each)) for each in zip(*spread)]
    name = type(scalar).__name__
    if name in ('Cast', 'Identity', 'Second'):
        found = values[-1]
        return found if not known(found) else int(found)
    if name == 'Switch' and known(values[0]):
        return values[1] if values[0] else values[2]
    if all(known(v) for v in values):
        try:
            found = scalar.impl(*values)
        except Exception:  # an operation that has no answer for these numbers leaves them unknown
            return None
        return int(found) if found == int(found) else None
    if name in _ARITHMETIC and None not in values:
        total = values[0]
        for v in values[1:]:
            total = _combined(name, total, v)
        return total
    return None


def _combined(name, a, b):
    if name == 'IntDiv' and not isinstance(a, Dim):
        return None
    found = getattr(a, _ARITHMETIC[name])(b)
    if found is NotImplemented:
        # An int and a Dim: only what commutes can keep it.
        return getattr(b, _ARITHMETIC[name])(a) if name in ('Add', 'Mul') else None
    return found


# -- rules ------------------------------------------------------------------------------------------------------------
def agreed(sizes):
    """The size that axes have which are known to be equal."""
    for n in sizes:
        if known(n):
            return n
    return sizes[0] if sizes else None


@rule(T.Elemwise)
def _elemwise(node, dims):
    inputs = [(i.type.broadcastable, d) for i, d in zip(node.inputs, dims)]
    sizes = tuple(
        [agreed([d[axis] for flags, d in inputs if not flags[axis]]) for axis in range(node.outputs[0].type.ndim)]
    )
    return [sizes] * len(node.outputs)


@rule(T.elemwise.DimShuffle)
def _dimshuffle(node, dims):
    return [tuple([1 if axis == 'x' else dims[0][axis] for axis in node.op.new_order])]


@rule(T.elemwise.CAReduce)
def _reduce(node, dims):
    axes = node.op.axis
    if axes is None:
        return [()]
    axes = (axes,) if known(axes) else axes
    return [tuple([n for i, n in enumerate(dims[0]) if i not in axes])]


@rule(T.basic.MaxAndArgmax, T.basic.Argmax)
def _extreme(node, dims):
    sizes = tuple([n for i, n in enumerate(dims[0]) if i not in node.op.axis])
    return [sizes] * len(node.outputs)


@rule(T.Dot)
def _dot(node, dims):
    x, y = dims
    return [x[:-1] + y[1:] if len(y) > 1 else x[:-1]]


@rule(T.blas.BatchedDot)
def _batched_dot(node, dims):
    x, y = dims
    return [(agreed([x[0], y[0]]),) + x[1:-1] + y[2:]]


def _joined(node):
    """The axis and the tensors of a Join. The axis is an input for Theano, and part of the operation for PyTensor."""
    axis = getattr(node.op, 'axis', None)
    return (value(node.inputs[0]), node.inputs[1:]) if axis is None else (axis, node.inputs)


@rule(T.Join)
def _join(node, dims):
    axis, tensors = _joined(node)
    parts = dims[-len(tensors) :]
    if not known(axis):
        return [None]
    axis %= len(parts[0])
    total = 0
    for part in parts:
        total = part[axis] + total
    return [tuple([total if i == axis else agreed([p[i] for p in parts]) for i in range(len(parts[0]))])]


@rule(T.Alloc, T.basic.AllocEmpty)
def _alloc(node, dims):
    return [tuple([value(n) for n in node.inputs[1 if isinstance(node.op, T.Alloc) else 0 :]])]


@rule(theano.tensor.opt.MakeVector)
def _make_vector(node, dims):
    return [(len(node.inputs),)]


@rule(T.basic.ARange)
def _arange(node, dims):
    bounds = [value(i) for i in node.inputs]
    if all(known(b) for b in bounds) and bounds[2]:
        return [(len(range(*[int(b) for b in bounds])),)]
    return [(bounds[1],)] if bounds[0] == 0 and bounds[2] == 1 and isinstance(bounds[1], Dim) else [None]


@rule(T.subtensor.IncSubtensor, T.subtensor.AdvancedIncSubtensor1, T.subtensor.AdvancedIncSubtensor)
def _changed(node, dims):
    return [dims[0]]


@rule(T.subtensor.AdvancedSubtensor1)
def _taken(node, dims):
    return [dims[1] + dims[0][1:]]


def _indices(node):
    """The index of a Subtensor, with ints wherever they are known and None for other integers."""

    def number(entry):
        return value(entry) if hasattr(entry, 'type') else entry

    entries = []
    for entry in T.subtensor.get_idx_list(node.inputs, node.op.idx_list):
        if isinstance(entry, slice):
            parts = [None if p is None else _or_unknown(number(p)) for p in (entry.start, entry.stop, entry.step)]
            entries.append(slice(*parts))
        else:
            entries.append(_or_unknown(number(entry)))
    return entries


class _Unknown:
    """A bound that is there but not known."""


_UNKNOWN = _Unknown()


def _or_unknown(number):
    return _UNKNOWN if number is None else number


@rule(T.subtensor.Subtensor)
def _subtensor(node, dims):
    index = _indices(node)
    cut = [_sliced(n, entry) for n, entry in zip(dims[0], index) if isinstance(entry, slice)]
    return [tuple(cut) + dims[0][len(index) :]]


def _sliced(n, entry):
    start, stop, step = entry.start, entry.stop, entry.step
    if step in (None, 1) and start in (None, 0) and (stop is None or stop is n):
        return n
    if step == -1 and start is None and stop is None:
        return n
    if known(n) and _plain(entry):
        return len(range(*entry.indices(int(n))))
    return None


@rule(T.Reshape)
def _reshape(node, dims):
    target = value(node.inputs[1])
    if not isinstance(target, list):
        return [None]
    return [reshaped(dims[0], target)]


def reshaped(sizes, target):
    """The sizes of a tensor of `sizes` reshaped to `target`: ints (at most one -1), Dims, and None for others."""
    open_ones = [i for i, n in enumerate(target) if n is None or (known(n) and n == -1)]
    if not open_ones:
        # A single size that nobody knows may follow from all others.
        open_ones = [i for i, n in enumerate(target) if not known(n)] if all(map(known, sizes)) else []
    if len(open_ones) != 1:
        return tuple(target)
    rest = [n for i, n in enumerate(target) if i != open_ones[0]]
    left = _quotient(list(sizes), rest)
    return tuple([left if i == open_ones[0] else n for i, n in enumerate(target)])


def _quotient(sizes, divisors):
    """The product of `sizes` by that of `divisors`; None where it is not known."""
    for d in [d for d in divisors if not known(d)]:
        if not any(d is n for n in sizes):
            return None
        sizes.pop([n is d for n in sizes].index(True))
    number, divisor = 1, 1
    for d in divisors:
        divisor *= d if known(d) else 1
    unknown = [n for n in sizes if not known(n)]
    for n in sizes:
        number *= n if known(n) else 1
    if not divisor or number % divisor or (unknown and number != divisor):
        return None
    return number // divisor if not unknown else unknown[0] if len(unknown) == 1 else None


@rule(theano.compile.ops.SpecifyShape)
def _specified(node, dims):
    said = value(node.inputs[1])
    return [tuple([agreed([a, b]) for a, b in zip(dims[0], said)]) if isinstance(said, list) else dims[0]]


@rule(theano.ifelse.IfElse)
def _if_else(node, dims):
    count = node.op.n_outs
    pairs = zip(dims[1 : 1 + count], dims[1 + count :])
    return [
        tuple([m if m is n or (known(m) and known(n) and m == n) else None for m, n in zip(a, b)]) for a, b in pairs
    ]


def _by_infer_shape(node, dims):
    """What the operation itself says of the shapes of its results, in Theano's own terms."""
    if not hasattr(node.op, 'infer_shape'):
        return [None] * len(node.outputs)
    try:
        found = node.op.infer_shape(node, [None if d is None else tuple([_symbol(n) for n in d]) for d in dims])
    except Exception:  # it may want more than it is given here
        return [None] * len(node.outputs)
    return [None if sizes is None else tuple([n if known(n) else value(n) for n in sizes]) for sizes in found]


_SIZE = TensorType('int64', ())


def _symbol(size):
    if known(size):
        return TensorConstant(_SIZE, np.array(size, 'int64'))
    symbol = _SIZE()
    symbol._keras_value = size
    return symbol


def visible(dims):
    """`dims` as users see them: None for what is not known."""
    return tuple([d if known(d) else None for d in dims])
