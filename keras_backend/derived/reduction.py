"""Reductions, running sums and products of matrices in other primitives."""

from typing import Any, Callable, List, Sequence, Tuple

from ..basics import dtypes
from ..basics.library import Axes, Plan, Tensor
from ..basics.shapes import known, product, spread
from .common import along, beside, converted, filled, opposite, sizes, times


def min(F: Any, x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    dtype = F.library.dtype(x)
    if dtype == 'bool':
        return F.all(x, axes=axes, keepdims=keepdims)
    return opposite(F, F.max(opposite(F, x, dtype), axes=axes, keepdims=keepdims), dtype)


def mean(F: Any, x: Tensor, *, axes: Sequence[int], keepdims: bool) -> Tensor:
    # Not summed in half precision: many small numbers would overflow.
    dtype = F.library.dtype(x)
    wide = converted(F, x, 'float32') if dtype in ('float16', 'bfloat16') else x
    total = F.sum(wide, axes=axes, keepdims=keepdims)
    here = F.library.dims(x)
    count = product([here[i] for i in axes])
    if count is not None:
        return converted(F, beside(F, F.div, total, count), dtype)
    run_time = sizes(F, x)
    count = F.cast(times([run_time[i] for i in axes]), dtype=F.library.dtype(wide))
    return converted(F, F.div(total, count), dtype)


def any(F: Any, x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    right = F.cast(converted(F, x, 'bool'), dtype='int32')
    return beside(F, F.greater, F.sum(right, axes=axes, keepdims=keepdims), 0)


def all(F: Any, x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    wrong = beside(F, F.sub, 1, F.cast(converted(F, x, 'bool'), dtype='int32'))
    return beside(F, F.less, F.sum(wrong, axes=axes, keepdims=keepdims), 1)


def argmax(F: Any, x: Tensor, *, axis: int) -> Tensor:
    shape = F.library.dims(x)
    count = sizes(F, x)[axis]
    zeros = F.library.filled_like(x, 0, 'int32')
    line = F.arange(0, count, 1, dtype='int32')
    indices = F.add(F.reshape(line, spread(len(shape), {axis: -1})), zeros)
    # A place behind the last stands for none.
    highest = F.equal(x, F.max(x, axes=(axis,), keepdims=True))
    candidates = F.where(highest, indices, beside(F, F.add, zeros, count) if known(count) else F.add(zeros, count))
    if dtypes.is_float(F.library.dtype(x)):
        # The first NaN, which is equal to nothing.
        candidates = F.where(F.not_equal(x, x), indices, candidates)
    return F.cast(F.min(candidates, axes=(axis,), keepdims=False), dtype='int64')


def argmin(F: Any, x: Tensor, *, axis: int) -> Tensor:
    dtype = F.library.dtype(x)
    if dtype == 'bool':
        x, dtype = F.cast(x, dtype='int32'), 'int32'
    return F.argmax(opposite(F, x, dtype), axis=axis)


def cumsum(F: Any, x: Tensor, *, axis: int) -> Tensor:
    return _running(F, x, axis, 0, F.add)


def cumprod(F: Any, x: Tensor, *, axis: int) -> Tensor:
    return _running(F, x, axis, 1, F.mul)


def softmax(F: Any, x: Tensor, *, axis: int) -> Tensor:
    if F.library.dims(x)[axis] == 0:
        # Of nothing a library may have no maximum.
        return F.exp(x)
    raised = F.exp(_shifted(F, x, axis))
    return F.div(raised, F.sum(raised, axes=(axis,), keepdims=True))


def log_softmax(F: Any, x: Tensor, *, axis: int) -> Tensor:
    shifted = _shifted(F, x, axis)
    return F.sub(shifted, F.log(F.sum(F.exp(shifted), axes=(axis,), keepdims=True)))


def _shifted(F: Any, x: Tensor, axis: int) -> Tensor:
    # The shift keeps exp in range; it cancels, so no gradient has to pass through it.
    return F.sub(x, F.stop_gradient(F.max(x, axes=(axis,), keepdims=True)))


def _running(F: Any, x: Tensor, axis: int, neutral: int, combine: Callable[..., Tensor]) -> Tensor:
    length = F.library.dims(x)[axis]
    if not known(length):
        return _looped(F, x, axis, neutral, combine)
    # Doubling the reach of every element takes as many rounds as the length has binary digits.
    reach = 1
    while reach < length:
        before = filled(F, F.getitem(x, spec=along(axis, None, reach)), neutral)
        x = combine(x, F.concatenate(before, F.getitem(x, spec=along(axis, None, -reach)), axis=axis))
        reach *= 2
    return x


def _looped(F: Any, x: Tensor, axis: int, neutral: int, combine: Callable[..., Tensor]) -> Tensor:
    rank = len(F.library.dims(x))
    order = [axis] + [i for i in range(rank) if i != axis]
    steps = F.transpose(x, perm=tuple(order))
    # A loop of K goes over at least three axes.
    more = range(rank, 3)
    for i in more:
        steps = F.expand_dims(steps, axis=i)

    def step(elements: List[Tensor], states: List[Tensor], previous: Any) -> Tuple[List[Tensor], List[Tensor]]:
        total = combine(states[0], elements[0])
        return [total], [total]

    start = filled(F, F.getitem(steps, spec=(0,)), neutral)
    (totals,), _, _ = F.library.loop(step, [steps], [start], Plan(what='the step'))
    for i in reversed(more):
        totals = F.squeeze(totals, axis=i)
    return F.transpose(totals, perm=tuple([order.index(i) for i in range(rank)]))


def matmul(F: Any, x: Tensor, y: Tensor, *, transpose_x: bool, transpose_y: bool) -> Tensor:
    # As (batch, left, summed, right): every library can multiply and sum.
    x = F.transpose(x, perm=(0, 2, 1)) if transpose_x else x
    y = F.transpose(y, perm=(0, 2, 1)) if transpose_y else y
    return F.sum(F.mul(F.expand_dims(x, axis=3), F.expand_dims(y, axis=1)), axes=(2,), keepdims=False)


PRIMITIVES = {
    f.__name__: f for f in (min, mean, any, all, argmax, argmin, cumsum, cumprod, softmax, log_softmax, matmul)
}
