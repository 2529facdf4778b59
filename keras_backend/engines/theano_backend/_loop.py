"""Loops: one step function over the slices of tensors, for K.rnn, K.map_fn and the folds."""

from ... import dtypes
from ...errors import ShapeError
from ...shapes import known, rnn_length
from . import _sparse
from ._broadcast import aligned
from ._convert import cast, constant, is_tensor, operand
from ._graph import describe
from ._library import T
from ._operators import getitem
from ._scan import loop, select
from ._static import dims_of, visible
from .shape import stack as _stack


def _shape(x):
    return visible(dims_of(x))


def _check_states(states, new):
    """Refuse states that change in number or shape, and name them."""
    if len(new) != len(states):
        raise ShapeError(f'The step function of K.rnn was given {len(states)} states and returned {len(new)}.')
    for i, (s, n) in enumerate(zip(states, new)):
        before, after = _shape(s), _shape(n)
        if len(before) != len(after) or any([known(a) and known(b) and a != b for a, b in zip(before, after)]):
            raise ShapeError(
                f'State {i} changes its shape in K.rnn: it starts as {describe(s)} of shape {before} and the step '
                f'returns the shape {after}.'
            )


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
    sequences = [operand(x) for x in (inputs if several else [inputs])]
    named = [initial_states] if is_tensor(initial_states) else list(initial_states or [])
    states = [operand(s) for s in named]
    constants = list(constants or [])
    mask = None if mask is None else operand(mask)
    length = rnn_length(
        _shape(sequences[0]), None if mask is None else _shape(mask), states, unroll, input_length, time_major
    )
    if not time_major:
        sequences = [_swapped(x) for x in sequences]
    if mask is not None:
        mask = _mask_by_time(mask, time_major)

    def step(elements, old):
        output, new = step_function(type(inputs)(elements) if several else elements[0], list(old) + constants)
        new = [operand(n, s.dtype) for n, s in zip(new, old)] if len(new) == len(states) else list(new)
        _check_states(states, new)
        return operand(output), new

    run = _unrolled if unroll else _looped
    last, outputs, states, phased = run(step, sequences, states, mask, go_backwards, zero_output_for_mask, length)
    if not time_major:
        outputs = _swapped(outputs)
    if phased:
        last._uses_learning_phase = outputs._uses_learning_phase = True
    return last, outputs, states


def _swapped(x):
    return x.dimshuffle([1, 0] + list(range(2, x.type.ndim)))


def _mask_by_time(mask, time_major):
    mask = cast(mask, 'bool')
    if mask.type.ndim == 3:
        mask = T.addbroadcast(mask, 2).dimshuffle(0, 1)
    return mask if time_major else mask.dimshuffle(1, 0)


def _unrolled(step, sequences, states, mask, go_backwards, zero_output, length):
    outputs, phased = [], False
    for t in reversed(range(length)) if go_backwards else range(length):
        output, new = step([getitem(x, t) for x in sequences], states)
        phased = phased or getattr(output, '_uses_learning_phase', False)
        new = [cast(n, s.dtype) for n, s in zip(new, states)]
        if mask is not None:
            idle = outputs[-1] if outputs and not zero_output else T.zeros_like(output)
            output = select(mask[t], output, idle)
            new = [select(mask[t], n, s) for n, s in zip(new, states)]
        outputs.append(output)
        states = new
    return outputs[-1], _stack(outputs), states, phased


def _looped(step, sequences, states, mask, go_backwards, zero_output, length):
    def one_output(elements, old):
        output, new = step(elements, old)
        return [output], new

    outputs, final, samples = loop(one_output, sequences, states, go_backwards, mask=mask, repeat=not zero_output)
    return getitem(outputs[0], -1), outputs[0], final, getattr(samples[0], '_uses_learning_phase', False)


def map_fn(fn, elems, name=None, dtype=None):
    several = isinstance(elems, (list, tuple))
    sequences = [_sequence(e, 'K.map_fn') for e in (elems if several else [elems])]
    results = []

    def step(elements, _states):
        result = fn(type(elems)(elements) if several else elements[0])
        results.append(result)
        parts = list(result) if isinstance(result, (list, tuple)) else [result]
        wanted = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(parts)
        return [operand(p) if d is None else cast(operand(p), dtypes.name_of(d)) for p, d in zip(parts, wanted)], []

    outputs, _, _ = loop(step, sequences, [], what='K.map_fn')
    return type(results[0])(outputs) if isinstance(results[0], (list, tuple)) else outputs[0]


def _sequence(x, what):
    if _sparse.is_sparse(x):
        raise TypeError(f'{describe(x)} is sparse and {what} cannot go over its rows; use K.to_dense(x).')
    x = operand(x)
    if not x.type.ndim:
        raise ShapeError(f'{what} goes over axis 0, but {describe(x)} is a scalar.')
    return x


def foldl(fn, elems, initializer=None, name=None):
    return _fold(fn, elems, initializer, False, 'K.foldl')


def foldr(fn, elems, initializer=None, name=None):
    return _fold(fn, elems, initializer, True, 'K.foldr')


def _fold(fn, elems, initializer, reverse, what):
    """`fn(accumulator, element)` over axis 0."""
    several = isinstance(elems, (list, tuple))
    sequences = [_sequence(e, what) for e in (elems if several else [elems])]
    if initializer is None:
        initializer = [getitem(x, -1 if reverse else 0) for x in sequences]
        initializer = type(elems)(initializer) if several else initializer[0]
        steps = _shape(sequences[0])[0]
        if steps is None:
            return _fold_from_first(fn, elems, initializer, sequences, several, reverse, what)
        if steps == 1:
            return initializer
        rest = slice(None, -1) if reverse else slice(1, None)
        sequences = [getitem(x, rest) for x in sequences]
    many = isinstance(initializer, (list, tuple))
    step = _fold_step(fn, elems, initializer, several, many)
    _, states, _ = loop(step, sequences, [operand(s) for s in (initializer if many else [initializer])], reverse, what)
    return type(initializer)(states) if many else states[0]


def _fold_step(fn, elems, initializer, several, many):
    def step(elements, old):
        result = fn(type(initializer)(old) if many else old[0], type(elems)(elements) if several else elements[0])
        return [], list(result) if many else [result]

    return step


def _fold_from_first(fn, elems, initializer, sequences, several, reverse, what):
    # Theano has no loop of no steps, which one element would leave: the step of the first element changes nothing.
    places = T.arange(sequences[0].shape[0])
    fresh = T.eq(places, sequences[0].shape[0] - 1 if reverse else constant(0, 'int64'))
    taken = _fold_step(fn, elems, initializer, several, several)

    def step(elements, old):
        _, new = taken(elements[:-1], old)
        return [], [T.switch(*aligned(elements[-1], s, operand(n))) for s, n in zip(old, new)]

    _, states, _ = loop(step, sequences + [fresh], list(initializer) if several else [initializer], reverse, what)
    return type(elems)(states) if several else states[0]
