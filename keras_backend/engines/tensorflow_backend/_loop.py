"""Loops: one step function over the slices of tensors, for K.rnn, K.map_fn and the folds."""

from ...errors import ShapeError
from ...shapes import rnn_length
from . import _sparse
from ._convert import cast, is_tensor, operand, promote, static_shape
from ._graph import describe
from ._library import tf, tf2
from ._slices import Slices

# As many iterations at a time as TensorFlow's own layers use; fewer cost a fifth more time.
_PARALLEL = 32


def loop(step, sequences, states, samples, reverse=False, length=None, what='K.rnn', at_least_one=False):
    """Run `step` over axis 0 of `sequences`, from the end if `reverse`.

    `step(elements, states)` returns (outputs, new states). `samples` are tensors that look like the outputs. Returns
    what the outputs are over time, and the last states.
    """
    steps = static_shape(sequences[0])[0]
    steps = length if steps is None else steps
    count = tf.shape(sequences[0])[0] if steps is None else steps
    if steps is None and at_least_one:
        some = tf.debugging.Assert(count > 0, [f'{what} needs at least one time step.'])
        with tf.control_dependencies([some]):
            count = tf.identity(count)
    given = [
        tf.TensorArray(x.dtype, count, element_shape=x.shape[1:], clear_after_read=False).unstack(x) for x in sequences
    ]
    made = [tf.TensorArray(s.dtype, count, element_shape=s.shape) for s in samples]

    def body(i, arrays, old):
        place = count - 1 - i if reverse else i
        outputs, new = step([x.read(place) for x in given], list(old))
        new = [_as_state(n, s, j, what) for j, (n, s) in enumerate(zip(new, old))]
        return i + 1, [a.write(i, _as_output(o, s)) for a, o, s in zip(arrays, outputs, samples)], new

    _, arrays, states = tf2.while_loop(
        lambda i, arrays, old: i < count,
        body,
        [tf.constant(0), made, list(states)],
        parallel_iterations=_PARALLEL,
        maximum_iterations=count,
    )
    outputs = [a.stack() for a in arrays]
    for o, s in zip(outputs, samples):
        o.set_shape([steps] + s.shape.as_list())
    return outputs, list(states)


def _as_state(new, old, index, what):
    new = operand(new, old.dtype)
    if promote(new.dtype, old.dtype) != old.dtype:
        raise TypeError(
            f'State {index} of {what} is {old.dtype.name}, but the step returns {new.dtype.name} for it; start it as '
            f'{new.dtype.name}.'
        )
    new = cast(new, old.dtype)
    new.set_shape(old.shape)
    return new


def _check_states(states, new):
    """Refuse states that change in number or shape, and name them."""
    if len(new) != len(states):
        raise ShapeError(f'The step function of K.rnn was given {len(states)} states and returned {len(new)}.')
    for i, (s, n) in enumerate(zip(states, new)):
        if not n.shape.is_compatible_with(s.shape):
            raise ShapeError(
                f'State {i} changes its shape in K.rnn: it starts as {describe(s)} of shape {static_shape(s)} and the '
                f'step returns the shape {static_shape(n)}.'
            )


def _as_output(output, sample):
    return cast(operand(output), sample.dtype)


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
    named = [s if is_tensor(s) else t for s, t in zip(named, states)]
    constants = list(constants or [])
    mask = None if mask is None else operand(mask)
    length = rnn_length(
        static_shape(sequences[0]),
        None if mask is None else static_shape(mask),
        states,
        unroll,
        input_length,
        time_major,
    )
    if not time_major:
        sequences = [_swapped(x) for x in sequences]
    if mask is not None:
        mask = _mask_by_time(mask, time_major)

    slices = Slices()

    def step(elements, old):
        with slices.around_step():
            output, new = step_function(type(inputs)(elements) if several else elements[0], list(old) + constants)
        new = [operand(n, s.dtype) for n, s in zip(new, old)] if len(new) == len(states) else list(new)
        _check_states(named, new)
        return operand(output), new

    run = _unrolled if unroll else _looped
    last, outputs, states, phased = run(step, sequences, states, mask, go_backwards, zero_output_for_mask, length)
    if not time_major:
        outputs = _swapped(outputs)
    if phased:
        last._uses_learning_phase = outputs._uses_learning_phase = True
    return last, outputs, states


def _swapped(x):
    return tf.transpose(x, [1, 0] + list(range(2, len(static_shape(x)))))


def _mask_by_time(mask, time_major):
    mask = mask if mask.dtype == tf.bool else tf.not_equal(mask, tf.zeros((), mask.dtype))
    if len(static_shape(mask)) == 3:
        mask = tf.squeeze(mask, [2])
    return mask if time_major else tf.transpose(mask)


def _select(mask, new, old):
    """`new` for the samples where `mask` holds, else `old`."""
    rank = len(static_shape(new))
    if len(static_shape(mask)) != rank:
        mask = tf.reshape(mask, [-1] + [1] * (rank - 1))
    return tf.where_v2(mask, new, old)


def _unrolled(step, sequences, states, mask, go_backwards, zero_output, length):
    # Taken apart in one operation, so that the gradient puts them together in one.
    sequences = [tf.unstack(x, length) for x in sequences]
    mask = None if mask is None else tf.unstack(mask, length)
    outputs, phased = [], False
    for t in reversed(range(length)) if go_backwards else range(length):
        output, new = step([x[t] for x in sequences], states)
        phased = phased or getattr(output, '_uses_learning_phase', False)
        new = [_as_state(n, s, j, 'K.rnn') for j, (n, s) in enumerate(zip(new, states))]
        if mask is not None:
            idle = outputs[-1] if outputs and not zero_output else tf.zeros_like(output)
            output = _select(mask[t], output, idle)
            new = [_select(mask[t], n, s) for n, s in zip(new, states)]
        outputs.append(output)
        states = new
    return outputs[-1], tf.stack(outputs), states, phased


def _looped(step, sequences, states, mask, go_backwards, zero_output, length):
    # Once outside of the loop, for the dtype and shape of the output; and what a layer makes at its first step and
    # keeps, such as a dropout mask, is then made outside and holds for all steps.
    first = [x[-1 if go_backwards else 0] for x in sequences]
    sample, new_sample = step(first, states)
    phased = getattr(sample, '_uses_learning_phase', False)
    if mask is None:
        final = [j for j, n in enumerate(new_sample) if n is sample]
        outputs, states = loop(
            lambda elements, old: _listed(*step(elements, old)),
            sequences,
            states,
            [sample],
            go_backwards,
            length,
            at_least_one=True,
        )
        # The gradient of a state is cheaper than that of the last of all outputs.
        return states[final[0]] if final else outputs[0][-1], outputs[0], states, phased

    rank = len(static_shape(sample))
    mask = tf.reshape(mask, [tf.shape(mask)[0], tf.shape(mask)[1]] + [1] * (rank - 1)) if rank > 1 else mask
    repeat = not zero_output

    def masked(elements, old):
        here = elements[-1]
        output, new = step(elements[:-1], old[: len(states)])
        output = _select(here, output, old[-1] if repeat else tf.zeros_like(output))
        new = [_select(here, n, s) for n, s in zip(new, old)]
        return [output], new + [output] if repeat else new

    carried = states + ([tf.zeros_like(sample)] if repeat else [])
    outputs, carried = loop(masked, sequences + [mask], carried, [sample], go_backwards, length, at_least_one=True)
    last = carried[-1] if repeat else outputs[0][-1]
    return last, outputs[0], carried[: len(states)], phased


def _listed(output, new):
    return [output], new


def map_fn(fn, elems, name=None, dtype=None):
    several = isinstance(elems, (list, tuple))
    sequences = [_sequence(e, 'K.map_fn') for e in (elems if several else [elems])]
    one = static_shape(sequences[0])[0]
    results = []

    def step(elements, _states):
        result = fn(type(elems)(elements) if several else elements[0])
        results.append(result)
        parts = list(result) if isinstance(result, (list, tuple)) else [result]
        wanted = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(parts)
        return [operand(p) if d is None else cast(operand(p), tf.as_dtype(d)) for p, d in zip(parts, wanted)], []

    # Once outside, for the dtypes and shapes; a placeholder of no value stands for a slice of an empty tensor.
    first = [x[0] if one != 0 else tf.zeros(static_shape(x)[1:], x.dtype) for x in sequences]
    samples, _ = step(first, [])
    outputs, _ = loop(step, sequences, [], samples, what='K.map_fn')
    return type(results[0])(outputs) if isinstance(results[0], (list, tuple)) else outputs[0]


def _sequence(x, what):
    if _sparse.is_sparse(x):
        raise TypeError(f'{describe(x)} is sparse and {what} cannot go over its rows; use K.to_dense(x).')
    x = operand(x)
    if not static_shape(x):
        raise ShapeError(f'{what} goes over axis 0, but {describe(x)} is a scalar.')
    return x


def fold(fn, elems, initializer, reverse, what):
    """`fn(accumulator, element)` over axis 0."""
    several = isinstance(elems, (list, tuple))
    sequences = [_sequence(e, what) for e in (elems if several else [elems])]
    if initializer is None:
        initializer = [x[-1] if reverse else x[0] for x in sequences]
        initializer = type(elems)(initializer) if several else initializer[0]
        sequences = [x[:-1] if reverse else x[1:] for x in sequences]
    many = isinstance(initializer, (list, tuple))

    def step(elements, old):
        result = fn(type(initializer)(old) if many else old[0], type(elems)(elements) if several else elements[0])
        return [], list(result) if many else [result]

    start = [operand(s) for s in (initializer if many else [initializer])]
    _, states = loop(step, sequences, start, [], reverse, what=what)
    return type(initializer)(states) if many else states[0]
