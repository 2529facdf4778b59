"""Gradients, choices between two branches, and loops.

The step function of a loop is recorded once, on variables of its own. Values that it computes without them are computed
once, outside of the loop.
"""

from collections import OrderedDict
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ...basics.dtypes import promote
from ...basics.library import Plan, Step, Tensors
from ...basics.shapes import known
from ...errors import ArgumentTypeError, ShapeError
from ...graph.nodes.base import Dim, same
from ...graph.record.control import check_state
from .functions import default_mode
from .graph import check, describe, engine
from .graph.static import Outline, dims_of, set_dims, visible
from .graph.tensors import KVariable, cast, constant, scalars, size_of, sizes_of
from .graph.unranked import building
from .vendor import Constant, NullType, SparseType, T, TensorType, floatx_of, ifelse, io_toposort, is_loop, theano

Tensor = Any


def gradients(loss: Tensor, variables: Sequence[Tensor]) -> List[Any]:
    """See `library.Library.gradients`."""
    for x in variables:
        check(x)
    by = {id(x): x for x in variables if x.dtype.startswith('float')}
    loss = engine.front.operand(loss)
    if not by or not loss.dtype.startswith('float'):
        return [None] * len(variables)
    if loss.type.ndim:
        loss = T.sum(loss, dtype=loss.dtype)
    # Theano goes back from what is asked for, a few calls deep for each operation on the way; asked for all that lies
    # on the way, last things first, it is never more than one operation away from what it knows.
    nodes = io_toposort([], [loss])
    way = [
        x
        for node in reversed(nodes)
        for x in node.outputs
        if getattr(x.type, 'dtype', '').startswith('float') and id(x) not in by
    ]
    # The gradient of a state that nothing reads after its loop has the dtype floatX: float64 would be rounded.
    with floatx_of(_widest(nodes)):
        slopes = theano.grad(
            loss,
            way + list(by.values()),
            disconnected_inputs='ignore',
            return_disconnected='None',
            null_gradients='return',
        )
    by_id = {key: None if g is None else _gradient(g, by[key]) for key, g in zip(by, slopes[len(way) :])}
    return [by_id.get(id(x)) for x in variables]


def _widest(nodes: Sequence[Any]) -> Optional[str]:
    """The widest float dtype of the loops among `nodes`, None without loops."""
    dtypes = [getattr(x.type, 'dtype', '') for node in nodes if is_loop(node) for x in node.outputs]
    return max([d for d in dtypes if d.startswith('float')], key=lambda d: int(d[5:]), default=None)


def _gradient(g: Tensor, x: Tensor) -> Tensor:
    if isinstance(g.type, NullType):
        raise NotImplementedError(
            f'The gradient with respect to {describe(x)} passes an operation without one: {g.type.why_null}'
        )
    g = cast(g, x.dtype)
    # A result that is another tensor of K already has sizes of its own.
    return g if '_keras_dims' in g.__dict__ else set_dims(g, dims_of(x))


def choice(condition: Tensor, branches: Sequence[Callable[[], List[Any]]]) -> List[Tensor]:
    """See `library.Library.choice`."""
    then, other = [branch() for branch in branches]
    # Each on its own: Theano has no gradient of a choice between several tensors of which some do not matter.
    return [_chosen(condition, *engine.front.together(*pair)) for pair in zip(then, other)]


@building
def _chosen(condition: Tensor, then: Tensor, other: Tensor) -> Tensor:
    # A type of Theano has a rank: the lower one gets axes of size 1 in front.
    rank = max(then.type.ndim, other.type.ndim)
    pair = [T.shape_padleft(x, rank - x.type.ndim) if x.type.ndim < rank else x for x in (then, other)]
    flags = [a and b for a, b in zip(*[x.type.broadcastable for x in pair])]
    pair = [T.patternbroadcast(x, flags) for x in pair]
    sizes = zip(*[dims_of(x) for x in pair])
    return set_dims(ifelse(cast(condition, 'bool'), *pair), [m if same(m, n) else None for m, n in sizes])


# -- loops ------------------------------------------------------------------------------------------------------------
def _inner(kind: Any, name: str, dims: Sequence[Any], what: str) -> Tensor:
    variable = KVariable(kind, None, None, name)
    variable._keras_session, variable._keras_step = engine.session, what
    return set_dims(variable, dims)


def loop(
    step: Step,
    sequences: Any,  # a list: the front gives no other sequence
    states: Sequence[Tensor],
    plan: Plan,
) -> Tuple[Tensors, Tensors, Tensors]:
    """See `library.Library.loop`."""
    reverse, _, least, what, in_order = plan
    steps = dims_of(sequences[0])[0]
    if len({dims_of(x)[0] for x in sequences if known(dims_of(x)[0])}) > 1:
        shapes = ', '.join([f'{describe(x)} of shape {visible(dims_of(x))}' for x in sequences])
        raise ShapeError(f'the sequences that {what} goes over have different lengths: {shapes}.')
    # Theano has no loop of no steps: it goes over one element of ones, and what comes of it is not taken.
    taken = None
    if not least and not (known(steps) and steps):
        taken = size_of(sequences[0], 0)
        sequences, steps = [_one_at_least(x) for x in sequences], Dim()
    kinds = [TensorType(x.dtype, x.type.broadcastable[1:]) for x in sequences]
    slices = [_inner(kind, describe(x) + '[t]', dims_of(x)[1:], what) for kind, x in zip(kinds, sequences)]
    starts, count = states, len(states)
    # In the type of a state is what is known for certain, so that the new one has it too.
    states = [_typed(s, dims_of(s)) for s in states]
    before = [_inner(s.type, describe(s) + '[t-1]', dims_of(s), what) for s in states]
    kept: List[Tuple[Tensor, Tensor]]
    number, kept = _inner(TensorType('int64', ()), 't', (), what), []

    def previous(output: Tensor) -> Tensor:
        dims = dims_of(output)
        inner = _inner(TensorType(output.dtype, [known(n) and n == 1 for n in dims]), 'output[t-1]', dims, what)
        kept.append((output, inner))
        return inner

    with engine.session.inside((*(engine.session.region or ()), number)):
        results, after = step(list(slices), list(before), previous)
    results = list(results)
    after = [as_state(i, n, old, first, what) for i, (n, old, first) in enumerate(zip(after, before, starts))]
    outside = [_zeros_before(output, slices, sequences, before, states) for output, _ in kept]
    states, before = states + outside, before + [inner for _, inner in kept]
    after += [_typed(x, dims_of(inner)) for x, (_, inner) in zip(results, kept)]
    body = Body(slices + before + [number], after + results)
    if number in body.used:
        counted = T.arange(size_of(sequences[0], 0))
        # Counted in order of iteration, which turns all sequences around.
        sequences, slices = sequences + [counted[::-1] if reverse else counted], slices + [number]

    def run(*arguments: Tensor) -> Tensors:
        return body.outputs_of(dict(zip(slices + before + body.outside, arguments)))

    outputs, updates = theano.scan(
        run,
        sequences=sequences,
        outputs_info=[{'initial': s} for s in states] + [None] * len(results),
        non_sequences=body.outside,
        n_steps=int(steps) if known(steps) else None,
        go_backwards=reverse,
        return_list=True,
        mode=default_mode(),
        name=what.rpartition(' ')[2].replace('K.', ''),
    )
    for variable, new in updates.items():
        # A stream of random numbers of Theano's own, used in the step.
        variable.default_update = new
    # The last value of a state has its first sizes and those that the step gave it.
    final = [
        _shaped(m[-1], [n if known(n) else first for first, n in zip(dims_of(s), dims_of(new))])
        for m, s, new in zip(outputs[:count], states, after)
    ]
    # A size of the inside that nothing outside has is another one there.
    there = {id(n) for x in sequences + states for n in dims_of(x)}
    over_time = [
        _shaped(m, (steps, *[n if known(n) or id(n) in there else Dim() for n in dims_of(x)]))
        for m, x in zip(outputs[len(states) :], results)
    ]
    if taken is not None:
        over_time = [set_dims(x[:taken], (None,) + dims_of(x)[1:]) for x in over_time]
        final = [set_dims(T.switch(T.gt(taken, 0), f, s), dims_of(f)) for f, s in zip(final, states)]
    last = [x[-1] for x in over_time] if least else []
    for x in last:
        x._keras_last_of = what, least
    if reverse and not in_order:
        over_time = [x[::-1] for x in over_time]
    return over_time, last, final


def _one_at_least(x: Tensor) -> Tensor:
    """`x`, or an entry of ones where there is none along axis 0."""
    size, *rest = sizes_of(x)
    ones = T.alloc(constant(1, x.dtype), *scalars([T.maximum(constant(1, 'int64') - size, 0), *rest]))
    return T.join(0, T.unbroadcast(x, 0), ones)


def _typed(x: Tensor, dims: Sequence[Any]) -> Tensor:
    return T.patternbroadcast(x, [known(n) and n == 1 for n in dims])


def _shaped(x: Tensor, dims: Sequence[Any]) -> Tensor:
    """`x` with the sizes `dims`, also in its type."""
    x = _typed(x, dims)
    return x if '_keras_dims' in x.__dict__ else set_dims(x, dims)


def as_state(index: int, new: Any, old: Tensor, first: Tensor, what: str) -> Tensor:
    """See `library.Library.as_state`."""
    front = engine.front
    new = front.operand(new, old.dtype)
    if promote(new.dtype, old.dtype) != old.dtype:
        raise ArgumentTypeError(
            f'state {index} is {old.dtype}, but {what} returns {new.dtype} for it; start it as {new.dtype}.'
        )
    new = cast(new, old.dtype)
    outlines: Tuple[Any, Any, Any] = (Outline(new), Outline(old), Outline(first))
    check_state(index, *outlines, what)
    return _typed(new, dims_of(old))


def _zeros_before(sample: Tensor, slices: Tensors, sequences: Tensors, before: Tensors, states: Tensors) -> Tensor:
    """Zeros of the sizes of an output of the step, made outside of the loop."""
    there = {id(n): (x, axis) for x in sequences + states for axis, n in enumerate(dims_of(x))}
    if all([known(n) or id(n) in there for n in dims_of(sample)]):
        sizes = [n if known(n) else size_of(*there[id(n)]) for n in dims_of(sample)]
        zeros = T.alloc(constant(0, sample.dtype), *scalars(sizes))
    else:
        # Nothing outside has this size: what the first step gives has it.
        first = dict(zip(slices + before, [x[0] for x in sequences] + states))
        zeros = T.zeros_like(Body(slices + before, [sample]).outputs_of(first)[0])
    return _typed(zeros, dims_of(sample))


class Body:
    """The part of a graph between the variables `own` of a step and `outputs`.

    `outside`: what it reads that does not depend on `own`, constants apart. `used`: those of `own` that are needed.
    """

    def __init__(self, own: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        self.outputs = outputs
        order, inside = io_toposort(own, outputs), set(own)
        for node in order:
            if any([i in inside for i in node.inputs]):
                inside.update(node.outputs)
        self.nodes: List[Any] = []
        for node in reversed(order):
            if any([x in inside for x in node.outputs]):
                self.nodes.append(node)
                # A loop of Theano is handed tensors only; what is none is made inside.
                inside.update([i for i in node.inputs if i.owner and not isinstance(i.type, (TensorType, SparseType))])
        self.nodes.reverse()
        read = OrderedDict.fromkeys([i for node in self.nodes for i in node.inputs] + list(outputs))
        self.used = [x for x in own if x in read]
        self.outside = [x for x in read if x not in inside and not isinstance(x, Constant)]

    def outputs_of(self, given: Dict[Tensor, Tensor]) -> Tensors:
        """The outputs, computed anew from what `given` maps the variables of the step and `outside` to."""
        twins = dict(given)
        for node in self.nodes:
            twin = node.clone_with_new_inputs([twins.get(i, i) for i in node.inputs])
            twins.update(zip(node.outputs, twin.outputs))
        return [twins.get(x, x) for x in self.outputs]
