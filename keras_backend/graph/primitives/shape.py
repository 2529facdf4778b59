"""Primitives that rearrange elements or make them from sizes."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ...errors import ArgumentValueError, ShapeError
from ..nodes.base import Dim, Dims, MaybeSize, Size, known, merge, product, ranked, unranked
from ..nodes.op import AllPrimitives, Attrs, Fold, GivenShape, Gradient, Gradients, Inferred, Inputs, Ints, gradient, op
from ..nodes.tensor import Node, Tensor
from .gradients import shape_of, unbroadcast

# -- size folding ------------------------------------------------------------------------------------------------------
# The values of sizes on the host, as far as they are known while recording: object arrays of ints and Dims.

Values = List[np.ndarray]
_Found = Optional[np.ndarray]  # None: nothing is known of the result


def as_vector(entries: Sequence[Size]) -> np.ndarray:
    """The vector of `entries` as an object array."""
    value = np.empty(len(entries), object)
    value[:] = entries
    return value


def _scalar(entry: Size) -> np.ndarray:
    """`entry` as an object array without axes."""
    value = np.empty((), object)
    value[()] = entry
    return value


def elementwise(function: Callable[[Any, Any], Size]) -> Fold:
    """The fold of an element-wise function of two sizes."""

    def fold(values: Values, attrs: Attrs) -> np.ndarray:
        a, b = np.broadcast_arrays(*values)
        out = np.empty(a.shape, object)
        for i in np.ndindex(*a.shape):
            out[i] = function(a[i], b[i])
        return out

    return fold


def of_numbers(function: Callable[[int, int], int]) -> Fold:
    """The same of a function that is known of numbers alone."""
    return elementwise(lambda p, q: function(p, q) if known(p) and known(q) else p if p is q else Dim())


def fold_product(values: Values, attrs: Attrs) -> Size:
    """The product of all."""
    result: Size = 1
    for entry in values[0].ravel():
        result = result * entry
    return result


def fold_sum(values: Values, attrs: Attrs) -> Size:
    """The sum of all."""
    result: Size = 0
    for entry in values[0].ravel():
        result = result + entry
    return result


def over_all(function: Callable[[Values, Attrs], Size]) -> Fold:
    """The fold of a function of a whole vector."""

    def fold(values: Values, attrs: Attrs) -> _Found:
        if values[0].ndim != 1 or attrs['keepdims'] or not attrs['axes']:
            return None
        return _scalar(function(values, attrs))

    return fold


def fold_item(values: Values, attrs: Attrs) -> _Found:
    """The fold of `getitem`."""
    if len(values) > 1:
        return None
    spec = tuple(slice(*s[1:]) if isinstance(s, tuple) else s for s in attrs['spec'])
    out = values[0][spec]
    return out if isinstance(out, np.ndarray) else _scalar(out)


def fold_reshape(values: Values, attrs: Attrs) -> _Found:
    """The fold of `reshape`."""
    shape = attrs.get('shape')
    return values[0].reshape(shape) if shape is not None and all(known(d) for d in shape) else None


def folded(function: Fold, inputs: Sequence[Tensor], attrs: Attrs) -> Tuple[bool, _Found]:
    """Whether the value of a primitive is known on the host once shapes are, and what is known of it already.

    function: the fold of the primitive (see `nodes/op.py`)
    """
    values = [x.value for x in inputs if x.value is not None]
    if len(values) != len(inputs):
        return False, None
    return any([x.host for x in inputs]), function(values, attrs)


# -- primitives --------------------------------------------------------------------------------------------------------


def entries(shape: GivenShape) -> Dims:
    """The known entries of a shape, a tuple or a vector tensor: ints and Dims, or `Unranked` of an unknown rank."""
    if not isinstance(shape, Tensor):
        return tuple(shape)
    if shape.value is not None:
        return tuple(shape.value.tolist())
    if not ranked_by(shape):
        return shape.inputs[0].dims
    if not shape.dims or not known(shape.dims[0]):
        raise ShapeError(f'The length of the shape {shape.name} is not known while the graph is built; give a tuple.')
    return tuple(Dim() for _ in range(shape.dims[0]))


def ranked_by(shape: Tensor) -> bool:
    """Whether a vector can tell the rank of what has this shape: it is not the shape of a tensor of unknown rank."""
    return not isinstance(shape, Node) or shape.op.name != 'shape' or ranked(shape.inputs[0])


@op()
def shape(x: Tensor) -> Inferred:
    return (len(x.dims) if ranked(x) else None,), 'int32'


@op(fold=fold_reshape, sizes=('shape',), same_numbers=True)
def reshape(x: Tensor, shape: GivenShape) -> Inferred:
    """Work out the size of `shape` that is -1, or the only one that is not known.

    Both sides have the same number of elements, and sizes that stand on both sides cancel, unknown ones too. With n for
    an unknown size:

        (n, 4, 6) to (n, -1)     n cancels; 24 elements are left for the -1
        (n, 4, 6) to (-1, 6)     the -1 is 4 times n: a new unknown size
        (n, 4, 6) to (-1, 8, 3)  the known sizes are 24 on both sides: the -1 is n
        (n, 1) to (m,)           only one size of the target is unknown: m is n
        (n, 4) to (n, 5)         n cancels; 4 elements are not 5: an error
    """
    dims = entries(shape)
    if unranked(dims):
        return dims, x.dtype
    target: List[MaybeSize] = list(dims)
    free = [i for i, d in enumerate(target) if known(d) and d < 0]
    if len(free) > 1 or (free and target[free[0]] != -1):
        raise ShapeError(
            f'{x.name} cannot be reshaped to {tuple(target)}: sizes are 0 or more, and one may be -1, what is left.'
        )
    if not ranked(x):
        return tuple([None if i in free else d for i, d in enumerate(target)]), x.dtype
    source = [d for d in x.dims if not (known(d) and d == 1)]
    if not free:
        unknown = [i for i, d in enumerate(target) if not known(d)]
        free = unknown if len(unknown) == 1 and target[unknown[0]] not in source else []
    rest = [d for i, d in enumerate(target) if i not in free]
    # sizes that stand on both sides cancel
    for d in list(rest):
        if not known(d) and d in source:
            source.remove(d)
            rest.remove(d)
    have, want = product(source), product(rest)
    if free:
        target[free[0]] = None
        if have is not None and want is not None:
            if want == 0 or have % want:
                if want or have:
                    raise ShapeError(
                        f'{x.name} of shape {x.shape} cannot be reshaped to '
                        f'{tuple((-1 if i in free else d for i, d in enumerate(target)))}: {have} elements are no '
                        f'multiple of {want}.'
                    )
            else:
                target[free[0]] = have // want
        else:
            left = [d for d in source if not known(d)]
            if len(left) == 1 and want and product([d for d in source if known(d)]) == want:
                target[free[0]] = left[0]
    elif have is not None and want is not None and have != want:
        raise ShapeError(
            f'{x.name} of shape {x.shape} cannot be reshaped to {tuple(target)}: {product(x.dims) or have} elements '
            f'are not {product(target) or want}.'
        )
    return tuple(target), x.dtype


@gradient
def gradient_of_reshape(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return _rest(inputs, F.reshape(g, shape_of(F, inputs[0])))


@op(sizes=('shape',))
def broadcast_to(x: Tensor, shape: GivenShape) -> Inferred:
    target = entries(shape)
    if unranked(target) or not ranked(x):
        return target, x.dtype
    lead = len(target) - len(x.dims)
    for d, e in zip(x.dims, target[lead:]):
        if known(d) and known(e) and d != e and d != 1:
            raise ShapeError(f'{x.name} of shape {x.shape} cannot be broadcast to {target}.')
    return target, x.dtype


@gradient
def gradient_of_broadcast_to(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return _rest(inputs, unbroadcast(F, g, inputs[0]))


@op(same_numbers=True)
def transpose(x: Tensor, perm: Ints) -> Inferred:
    return tuple([x.dims[i] for i in perm]), x.dtype


@gradient
def gradient_of_transpose(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    perm = attrs['perm']
    return (F.transpose(g, perm=tuple(perm.index(i) for i in range(len(perm)))),)


@op(fold=lambda v, attrs: np.expand_dims(v[0], attrs['axis']), same_numbers=True)
def expand_dims(x: Tensor, axis: int) -> Inferred:
    return x.dims[:axis] + (1,) + x.dims[axis:], x.dtype


@gradient
def gradient_of_expand_dims(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (F.squeeze(g, axis=attrs['axis']),)


@op(fold=lambda v, attrs: np.squeeze(v[0], attrs['axis']), same_numbers=True)
def squeeze(x: Tensor, axis: int) -> Inferred:
    if known(x.dims[axis]) and x.dims[axis] != 1:
        raise ShapeError(f'Axis {axis} of {x.name} (shape {x.shape}) cannot be squeezed: its size is not 1.')
    return x.dims[:axis] + x.dims[axis + 1 :], x.dtype


@gradient
def gradient_of_squeeze(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (F.expand_dims(g, axis=attrs['axis']),)


def agree(tensors: Sequence[Tensor], axis: Optional[int], what: str) -> List[MaybeSize]:
    """The common dims of `tensors` apart from `axis`."""
    dims: List[MaybeSize] = list(tensors[0].dims)
    for t in tensors[1:]:
        if len(t.dims) != len(dims):
            raise ShapeError(
                f'{what} needs tensors of one rank, got {", ".join(f"{t.name} {t.shape}" for t in tensors)}.'
            )
        for i, d in enumerate(t.dims):
            if i != axis:
                dims[i] = merge(dims[i], d)
                if dims[i] is None:
                    raise ShapeError(
                        f'{what} needs tensors that agree on all other axes, got '
                        f'{", ".join(f"{t.name} {t.shape}" for t in tensors)}.'
                    )
    return dims


@op(fold=lambda v, attrs: np.concatenate(v, attrs['axis']))
def concatenate(*xs: Tensor, axis: int) -> Inferred:
    dims = agree(xs, axis, f'concatenate along axis {axis}')
    sizes = [x.dims[axis] for x in xs]
    dims[axis] = sum(sizes) if all(known(s) for s in sizes) else sizes[0] if len(xs) == 1 else None
    return tuple(dims), xs[0].dtype


@gradient
def gradient_of_concatenate(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    axis: int = attrs['axis']
    start: Any = 0
    pieces: List[Gradient] = []
    for x in inputs:
        size = x.dims[axis] if known(x.dims[axis]) else F.getitem(F.shape(x), spec=(axis,))
        pieces.append(F.slice_axis(g, start, start + size, axis))
        start = start + size
    return tuple(pieces)


@op(fold=lambda v, attrs: np.stack(v, attrs['axis']))
def stack(*xs: Tensor, axis: int) -> Inferred:
    dims = agree(xs, None, 'stack')
    return tuple(dims[:axis] + [len(xs)] + dims[axis:]), xs[0].dtype


@gradient
def gradient_of_stack(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    lead = (('slice', None, None, None),) * attrs['axis']
    return tuple([F.getitem(g, spec=lead + (i,)) for i in range(len(inputs))])


def _times(size: MaybeSize, count: MaybeSize) -> MaybeSize:
    if known(count) and count in (0, 1):
        return size if count else 0
    return size * count if known(size) and known(count) else None


@op(sizes=('reps',))
def tile(x: Tensor, reps: GivenShape) -> Inferred:
    return tuple([_times(d, r) for d, r in zip(x.dims, entries(reps))]), x.dtype


@gradient
def gradient_of_tile(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x = inputs[0]
    reps = attrs['reps'] if 'reps' in attrs else list(F.items(inputs[1]))
    shape = F.items(F.shape(x))
    split = [s for pair in zip(reps, shape) for s in pair]
    g = F.reshape(g, F.sizes(split))
    return _rest(inputs, F.sum(g, axes=tuple(range(0, 2 * len(shape), 2)), keepdims=False))


@op()
def repeat(x: Tensor, repeats: int, axis: int) -> Inferred:
    return x.dims[:axis] + (_times(x.dims[axis], repeats),) + x.dims[axis + 1 :], x.dtype


@gradient
def gradient_of_repeat(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, axis = inputs[0], attrs['axis']
    shape = list(F.items(F.shape(x)))
    g = F.reshape(g, F.sizes(shape[: axis + 1] + [attrs['repeats']] + shape[axis + 1 :]))
    return (F.sum(g, axes=(axis + 1,), keepdims=False),)


@op(fold=lambda v, attrs: np.flip(v[0], attrs['axes']), same_numbers=True)
def reverse(x: Tensor, axes: Ints) -> Inferred:
    return x.dims, x.dtype


@gradient
def gradient_of_reverse(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (F.reverse(g, axes=attrs['axes']),)


@op()
def pad(x: Tensor, widths: Tuple[Tuple[int, int], ...], value: float) -> Inferred:
    return tuple(
        [d if lo == hi == 0 else d + lo + hi if known(d) else None for d, (lo, hi) in zip(x.dims, widths)]
    ), x.dtype


@gradient
def gradient_of_pad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    spec = tuple([('slice', lo, -hi if hi else None, None) for lo, hi in attrs['widths']])
    return (F.getitem(g, spec=spec),)


def _number(size: Any) -> MaybeSize:
    """A size that may be a scalar tensor, as a number or Dim; None where nothing is known of it."""
    if isinstance(size, Tensor):
        return None if size.value is None else size.value.item()
    result: MaybeSize = size
    return result


@op()
def arange(start: Tensor, stop: Tensor, step: Tensor, dtype: str) -> Inferred:
    first, end, stride = _number(start), _number(stop), _number(step)
    if known(stride) and stride == 0:
        raise ArgumentValueError('step has to differ from 0.')
    if known(first) and known(end) and known(stride):
        return (int(max(0, -((first - end) // stride))),), dtype
    return (end if first == 0 and stride == 1 else None,), dtype


def _rest(inputs: Inputs, *gradients: Gradient) -> Gradients:
    """`gradients`, and None for inputs that are sizes."""
    return gradients + (None,) * (len(inputs) - len(gradients))
