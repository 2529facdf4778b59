"""Primitives that reduce or accumulate along axes."""

from ...basics import library
from ..nodes.base import known, ranked, unranked
from ..nodes.op import (
    OPS,
    AllPrimitives,
    GivenShape,
    Gradients,
    Inferred,
    Inputs,
    MaybeAxes,
    MaybeDims,
    Op,
    gradient,
    op,
)
from ..nodes.tensor import Attrs, Tensor
from .gradients import beside, count, shape_of, spread
from .shape import entries, fold_product, fold_sum, over_all


def _reduced(x: Tensor, axes: MaybeAxes, keepdims: bool) -> MaybeDims:
    if axes is None:
        return x.dims if keepdims else ()
    if not ranked(x):
        return x.dims
    if keepdims:
        return tuple([1 if i in axes else d for i, d in enumerate(x.dims)])
    return tuple([d for i, d in enumerate(x.dims) if i not in axes])


def _reduce(x: Tensor, axes: MaybeAxes, keepdims: bool) -> Inferred:
    return _reduced(x, axes, keepdims), x.dtype


def _decide(x: Tensor, axes: MaybeAxes, keepdims: bool) -> Inferred:
    return _reduced(x, axes, keepdims), 'bool'


def _where_is(x: Tensor, axis: int) -> Inferred:
    return x.dims[:axis] + x.dims[axis + 1 :], 'int64'


def _along(x: Tensor, axis: int) -> Inferred:
    return x.dims, x.dtype


@op(sizes=('shape',))
def sum_to(x: Tensor, shape: GivenShape) -> Inferred:
    """`x` summed over the axes along which `shape` is 1, and over those in front that it lacks."""
    target = entries(shape)
    if unranked(target) or not ranked(x):
        return target, x.dtype
    return tuple([1 if known(d) and d == 1 else e for d, e in zip(x.dims, target)]), x.dtype


@gradient
def gradient_of_sum_to(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (F.broadcast_to(g, shape_of(F, inputs[0])),) + (None,) * (len(inputs) - 1)


def _gradient_of_sum(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (spread(F, g, inputs[0], **attrs),)


OPS['sum'] = Op('sum', _reduce, gradient=_gradient_of_sum, fold=over_all(fold_sum))


def _gradient_of_mean(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x = inputs[0]
    return (spread(F, g / count(F, x, attrs['axes'], x.dtype), x, **attrs),)


OPS['mean'] = Op('mean', _reduce, gradient=_gradient_of_mean)


def _gradient_of_extreme(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, axes = inputs[0], attrs['axes']
    y, g = [beside(F, t, x, axes, attrs['keepdims']) for t in (output, g)]
    hits = F.cast(F.equal(x, y), dtype=x.dtype)
    return (hits * (g / F.sum(hits, axes=axes, keepdims=True)),)


for _name in ('max', 'min'):
    OPS[_name] = Op(_name, _reduce, gradient=_gradient_of_extreme)
for _name in ('any', 'all'):
    OPS[_name] = Op(_name, _decide)
for _name in ('argmax', 'argmin'):
    OPS[_name] = Op(_name, _where_is)


def _others(F: AllPrimitives, x: Tensor) -> Tensor:
    """For each element along the last axis, the product of the others; exact also where elements are 0."""
    before = F.cumprod(_shifted(F, x), axis=len(x.dims) - 1)
    last = (len(x.dims) - 1,)
    after = F.reverse(F.cumprod(_shifted(F, F.reverse(x, axes=last)), axis=last[0]), axes=last)
    others: Tensor = before * after
    return others


def _shifted(F: AllPrimitives, x: Tensor) -> library.Tensor:
    """`x` moved by one along the last axis, a 1 first."""
    lead = len(x.dims) - 1
    # padded first: of no entries, none are left
    return F.getitem(F.pad(x, widths=((0, 0),) * lead + ((1, 0),), value=1), spec=(Ellipsis, ('slice', None, -1, None)))


def _gradient_of_prod(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, axes = inputs[0], attrs['axes']
    if axes is None:
        return (F.reshape(_others(F, F.reshape(x, (-1,))), F.shape(x)) * g,)
    rest = [i for i in range(len(x.dims)) if i not in axes]
    perm = rest + list(axes)
    moved = F.transpose(x, perm=tuple(perm))
    sizes = F.items(F.shape(moved))
    together = 1
    for size in sizes[len(rest) :]:
        together = size * together
    others = F.reshape(_others(F, F.reshape(moved, sizes[: len(rest)] + [together])), shape_of(F, moved))
    others = F.transpose(others, perm=tuple(perm.index(i) for i in range(len(perm))))
    return (others * spread(F, g, **dict(attrs, x=x)),)


OPS['prod'] = Op('prod', _reduce, gradient=_gradient_of_prod, fold=over_all(fold_product))


def _gradient_of_cumsum(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    axis = attrs['axis']
    return (F.reverse(F.cumsum(F.reverse(g, axes=(axis,)), axis=axis), axes=(axis,)),)


OPS['cumsum'] = Op('cumsum', _along, gradient=_gradient_of_cumsum)


def _gradient_of_cumprod(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    # d y[k] / d x[i] is the product of x[j] for j <= k, j != i: with 1 in place of x[i] in row i, a cumprod of the row.
    x, axis = inputs[0], attrs['axis']
    last = len(x.dims) - 1
    perm = tuple([i for i in range(last + 1) if i != axis] + [axis])
    back = tuple(perm.index(i) for i in range(last + 1))
    x, g = F.transpose(x, perm=perm), F.transpose(g, perm=perm)
    n = F.getitem(F.shape(x), spec=(last,))
    steps = F.arange(F.constant(0, 'int32'), n, F.constant(1, 'int32'), dtype='int32')
    i, k = F.expand_dims(steps, axis=1), F.expand_dims(steps, axis=0)
    row = F.where(F.equal(i, k), F.constant(1, x.dtype), F.expand_dims(x, axis=last))
    late = F.cast(F.less_equal(i, k), dtype=x.dtype)
    terms = F.cumprod(row, axis=last + 1) * late * F.expand_dims(g, axis=last)
    return (F.transpose(F.sum(terms, axes=(last + 1,), keepdims=False), perm=back),)


OPS['cumprod'] = Op('cumprod', _along, gradient=_gradient_of_cumprod)


def _gradient_of_softmax(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    axes = (attrs['axis'],)
    return ((g - F.sum(g * output, axes=axes, keepdims=True)) * output,)


OPS['softmax'] = Op('softmax', _along, gradient=_gradient_of_softmax)


def _gradient_of_log_softmax(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    axis = attrs['axis']
    return (g - F.sum(g, axes=(axis,), keepdims=True) * F.softmax(inputs[0], axis=axis),)


OPS['log_softmax'] = Op('log_softmax', _along, gradient=_gradient_of_log_softmax)
