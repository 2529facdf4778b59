"""One step function over time, as a scan: what `K.rnn`, `K.map_fn` and the folds are made of."""

from .control import as_state as state_of
from .control import check_state, collect, final, scan
from .dims import known, same
from .ops._rules import zeros_like
from .tensor import Inner


def loop(engine, step, sequences, states, *, reverse=False, length=None, least=0, what='the step', in_order=False):
    """See `library.Library.loop`."""
    F, session = engine.F, engine.session
    before = []  # (output of a step, what it was in the step before), for the outputs that the step asks for

    def recorded(elements, old):
        def previous(output):
            # One more state. Its shape is known only now, and what it starts with is made outside of the loop.
            inner = Inner(session, output.dims, output.dtype, 'inside_previous_output', session.region)
            before.append((output, inner, list(old)))
            return inner

        outputs, new = step(elements, old, previous)
        return outputs, list(new) + outputs[: len(before)]

    def late():
        return [(_zeros(engine, output, old, sequences, states, step), inner) for output, inner, old in before]

    node, made = scan(engine, recorded, sequences, states, reverse, what, extra=late, least=least)
    collected = [collect(engine, node, m) for m in made]
    finals = [final(engine, node, i) for i in range(len(states))]
    last = [
        final(engine, node, len(states) + i) if i < len(before) else _last(node, m, c, finals, reverse)
        for i, (m, c) in enumerate(zip(made, collected))
        if least
    ]
    if reverse and in_order:
        collected = [F.reverse(c, axes=(0,)) for c in collected]
    return collected, last, finals


def as_state(engine, index, new, old, first, what):
    """See `library.Library.as_state`."""
    new = state_of(engine, index, new, old, what)
    check_state(index, new, old, first, what)
    return new


def _last(node, inner, collected, finals, reverse):
    for i, (_initial, _old, new) in enumerate(node.states):
        if new is inner and i < len(finals):
            return finals[i]
    return collected[0 if reverse else -1]


def _zeros(engine, output, old, sequences, states, step):
    """Zeros of the shape of the output of a step, made outside of the loop."""
    F = engine.F
    for inner, outer in zip(old, states):
        if len(inner.dims) == len(output.dims) and all(map(same, inner.dims, output.dims)):
            return engine.cast(zeros_like(F, outer), output.dtype)
    sizes = []
    for d in output.dims:
        size = d if known(d) else _found(F, d, list(sequences) + list(states))
        if size is None:
            # Nothing outside has this size: it takes a step to tell.
            first = step([s[0] for s in sequences], list(states), lambda x: zeros_like(F, x))
            return zeros_like(F, first[0][0])
        sizes.append(size)
    return F.broadcast_to(engine.constant(0, output.dtype), sizes)


def _found(F, dim, tensors):
    """The unknown size `dim` as read off an outside tensor, None if none has it."""
    for tensor in tensors:
        for axis, d in enumerate(tensor.dims):
            if d is dim:
                return F.getitem(F.shape(tensor), spec=(axis,))
    return None
