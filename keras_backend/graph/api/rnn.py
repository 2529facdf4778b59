"""`K.rnn`: one recorded step, run over time by a scan, or unrolled."""

from ... import shapes
from ..control import check_state, collect, final, scan
from ..dims import known, same
from ..ops._rules import zeros_like
from ..tensor import Inner

K = G = None


def rnn(
    step_function,
    inputs,
    initial_states,
    go_backwards=False,
    mask=None,
    constants=None,
    unroll=False,
    input_length=None,
    time_major=False,
    zero_output_for_mask=False,
):
    several = isinstance(inputs, (list, tuple))
    sequences = [G.operand(x) for x in (inputs if several else [inputs])]
    states = [G.operand(s) for s in (initial_states or [])]
    constants = list(constants or [])
    if mask is not None:
        mask = G.operand(mask)
    for x in sequences:
        length = shapes.rnn_length(
            x.dims, None if mask is None else mask.dims, states, unroll, input_length, time_major
        )
    if not time_major:
        sequences = [_swap(x) for x in sequences]
    if mask is not None:
        mask = _time_first_mask(mask, time_major)

    def step(elements, old):
        output, new = step_function(type(inputs)(elements) if several else elements[0], list(old) + constants)
        if len(new) != len(states):
            raise ValueError(f'The step function of K.rnn got {len(states)} states and returned {len(new)}.')
        return G.operand(output), [G.operand(n, s.dtype) for n, s in zip(new, states)]

    run = _unrolled if unroll else _looped
    last, outputs, new_states, uses_phase = run(
        step, sequences, states, mask, go_backwards, zero_output_for_mask, length
    )
    if not time_major:
        outputs = _swap(outputs)
    if uses_phase:
        last._uses_learning_phase = outputs._uses_learning_phase = True
    return last, outputs, new_states


def _swap(x):
    return G.F.transpose(x, perm=(1, 0) + tuple(range(2, len(x.dims))))


def _time_first_mask(mask, time_major):
    mask = G.cast(mask, 'bool')
    if len(mask.dims) == 3:
        mask = K.squeeze(mask, -1)
    return mask if time_major else _swap(mask)


def _select(mask, new, old):
    """`new` for the samples where `mask` holds, else `old`."""
    for axis in range(1, len(new.dims)):
        mask = G.F.expand_dims(mask, axis=axis)
    return G.F.where(mask, new, old)


def _unrolled(step, sequences, states, mask, go_backwards, zero_output, length):
    outputs, previous, initial = [], None, states
    for t in reversed(range(length)) if go_backwards else range(length):
        output, new = step([s[t] for s in sequences], states)
        for i, (n, s, first) in enumerate(zip(new, states, initial)):
            check_state(i, n, s, first, 'the step function of K.rnn')
        uses_phase = getattr(output, '_uses_learning_phase', False)
        if mask is not None:
            new = [_select(mask[t], n, s) for n, s in zip(new, states)]
            output = _select(mask[t], output, zeros_like(G.F, output) if previous is None or zero_output else previous)
        outputs.append(output)
        states = previous_states = new
        previous = output
    return previous, K.stack(outputs), previous_states, uses_phase


def _looped(step, sequences, states, mask, go_backwards, zero_output, length):
    repeat = mask is not None and not zero_output
    traced = {}

    def masked(elements, old):
        output, new = step(elements[: len(sequences)], old)
        traced['output'], traced['new'], traced['old'] = output, new, old
        if mask is None:
            return [output], new
        here = elements[-1]
        new = [_select(here, n, s) for n, s in zip(new, old)]
        if not repeat:
            return [_select(here, output, zeros_like(G.F, output))], new
        # the previous output is one more state; its shape is known only now
        previous = Inner(G.session, output.dims, output.dtype, 'inside_previous_output', G.session.region)
        chosen = _select(here, output, previous)
        traced['previous'] = previous
        return [chosen], new + [chosen]

    def late():
        return [(_zeros(traced, sequences, states, step), traced['previous'])] if repeat else []

    loop, (output,) = scan(
        G, masked, sequences + ([] if mask is None else [mask]), states, go_backwards, extra=late, least=1
    )
    outputs = collect(G, loop, output)
    new_states = [final(G, loop, i) for i in range(len(states))]
    if repeat:
        last = final(G, loop, len(states))
    else:
        at = [i for i, (_initial, _inner, new) in enumerate(loop.states) if new is output]
        last = new_states[at[0]] if at else outputs[0 if go_backwards else -1]
    if go_backwards:
        outputs = G.F.reverse(outputs, axes=(0,))
    return last, outputs, new_states, getattr(traced['output'], '_uses_learning_phase', False)


def _zeros(traced, sequences, states, step):
    """Zeros of the shape of the output of a step, made outside of the loop."""
    output = traced['output']
    for inner, outer in zip(traced['old'], states):
        if len(inner.dims) == len(output.dims) and all(map(same, inner.dims, output.dims)):
            return G.cast(zeros_like(G.F, outer), output.dtype)
    sizes = []
    for d in output.dims:
        size = d if known(d) else _find(d, sequences, states)
        if size is None:
            # nothing outside has this size: it takes a step to tell
            return zeros_like(G.F, step([s[0] for s in sequences], states)[0])
        sizes.append(size)
    return G.F.broadcast_to(G.constant(0, output.dtype), G.F.sizes(sizes))


def _find(dim, sequences, states):
    """The unknown size `dim` as read off an outside tensor, None if none has it."""
    for tensor in sequences + states:
        for axis, d in enumerate(tensor.dims):
            if d is dim:
                return G.F.getitem(G.F.shape(tensor), spec=(axis,))
    return None
