"""rnn compared with the NumPy implementation in the documents of Keras: all combinations of options, and errors."""

from itertools import product

import numpy as np
import pytest

from ._check import all_close, close, covers, random
from .truth import rnn

pytestmark = covers('rnn')

SAMPLES, TIME, IN, OUT = 3, 4, 2, 5
W, U, C = random((IN, OUT), seed=1), random((OUT, OUT), seed=2, low=-1.0, high=1.0), random((SAMPLES, OUT), seed=3)
X = random((SAMPLES, TIME, IN), seed=4)
H = random((SAMPLES, OUT), seed=5)
# A sample with a gap, one that is masked at both ends, one that is masked in all steps. None is a palindrome.
MASK = np.array([[1, 0, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0]], bool)
MASKS = {
    'no mask': None,
    'bool': MASK,
    'int32': MASK.astype('int32') * 3,
    'float32 (samples, time, 1)': MASK.astype('float32')[..., None],
    'bool (samples, time, 1)': MASK[..., None],
}
OPTIONS = [
    dict(zip(('go_backwards', 'time_major', 'zero_output_for_mask', 'constants'), values))
    for values in product((False, True), repeat=4)
]


def numpy_step(x, states):
    h = np.tanh(x.dot(W) + states[0].dot(U) + sum(states[1:]))
    return h * 2, [h]


def make_step(K, dtype):
    w, u = K.constant(W, dtype=dtype), K.constant(U, dtype=dtype)

    def step(x, states):
        assert isinstance(states, (list, tuple))
        total = K.dot(x, w) + K.dot(states[0], u)
        for constant in states[1:]:
            total = total + constant
        h = K.tanh(total)
        return h * 2, [h]

    return step


@pytest.mark.parametrize('length', ['known', 'unrolled', 'unknown'])
@pytest.mark.parametrize('mask', sorted(MASKS))
def test_all_options(K, check, mask, length):
    """Direction, mask, constants, layout and zeroed outputs combine as documented, with and without `unroll`."""
    mask_array = MASKS[mask]
    unknown = (0, 1) if length == 'unknown' else ()
    outputs, truths, labels, feeds = [], [], [], []
    placeholders = {}

    def feed(array, time_major):
        key = (id(array), time_major)
        if key not in placeholders:
            value = np.swapaxes(array, 0, 1) if time_major else array
            placeholders[key] = check.placeholder(value, unknown)
            feeds.append((placeholders[key], value))
        return placeholders[key]

    x64, h, c = X.astype('float32'), K.constant(H), K.constant(C)
    step = make_step(K, 'float32')
    for options in OPTIONS:
        if mask_array is None and options['zero_output_for_mask']:
            continue
        major = options['time_major']
        arguments = dict(
            options,
            constants=[c] if options['constants'] else None,
            unroll=length == 'unrolled',
            mask=None if mask_array is None else feed(mask_array, major),
        )
        last, sequence, states = K.rnn(step, feed(x64, major), [h], **arguments)
        assert isinstance(states, (list, tuple))
        assert len(states) == 1
        outputs += [last, sequence, states[0]]
        truth = rnn(
            numpy_step,
            np.swapaxes(X, 0, 1) if major else X,
            [H],
            mask=None if mask_array is None else np.swapaxes(mask_array, 0, 1) if major else mask_array,
            **{name: value for name, value in options.items() if name != 'mask' and name != 'constants'},
            constants=[C] if options['constants'] else [],
        )
        truths += [truth[0], truth[1], truth[2][0]]
        labels += [f'{kind} of {options}' for kind in ('last output', 'outputs', 'state')]
    for value, expected, label in zip(check.run(outputs, feeds), truths, labels):
        close(value, expected, what=label)


def test_step_is_called_with_states_and_constants(K, check):
    """The step gets the states and then the constants. Its output may have more or fewer axes than its input."""
    seen = []

    def step(x, states):
        seen.append([K.ndim(s) for s in states])
        return K.sum(x, axis=-1), [states[0] + states[2], K.maximum(states[1], x)]

    a, b, c = np.zeros(SAMPLES), np.full((SAMPLES, IN), -9.0), np.arange(3.0)
    x = X.astype('float32')

    def build(x, a, b, c):
        last, outputs, states = K.rnn(step, x, [a, b], constants=[c])
        return (last, outputs) + tuple(states)

    values = check.eval(build, x, a.astype('float32'), b.astype('float32'), c.astype('float32'))
    assert seen
    assert all(ndims == [1, 2, 1] for ndims in seen)
    all_close(values, [X[:, -1].sum(-1), X.sum(-1), c * TIME, X.max(1)])


@pytest.mark.parametrize('unroll', [False, True])
def test_states_of_any_rank_under_a_mask(K, check, unroll):
    """States of rank 1 and 3, and states of integers, keep their values where the mask is false."""

    def step(x, states):
        return x, [states[0] + K.sum(x, axis=1), states[1] * 0.5 + K.expand_dims(x, 1), states[2] + 1]

    def numpy_steps(x, states):
        return x, [states[0] + x.sum(1), states[1] * 0.5 + x[:, None], states[2] + 1]

    initial = [np.zeros(SAMPLES), random((SAMPLES, 2, IN), seed=8), np.zeros((SAMPLES,), 'int32')]
    tensors = [K.constant(initial[0]), K.constant(initial[1]), K.constant(initial[2], dtype='int32')]
    x = check.placeholder(X.astype('float32'))
    m = check.placeholder(MASK)
    last, outputs, states = K.rnn(step, x, tensors, mask=m, unroll=unroll)
    values = check.run([last, outputs] + list(states), [(x, X.astype('float32')), (m, MASK)])
    truth = rnn(numpy_steps, X, initial, mask=MASK)
    all_close(values, [truth[0], truth[1]] + truth[2])
    assert values[-1].dtype.name == 'int32'
    assert values[-1].tolist() == [3, 1, 0]


@pytest.mark.parametrize('unroll', [False, True])
def test_no_states(K, check, unroll):
    """A step without states is a map over time."""
    last, outputs, states = K.rnn(lambda x, states: (x * 2.0, []), K.constant(X), [], unroll=unroll, go_backwards=True)
    assert list(states) == []
    values = check.run([last, outputs])
    close(values[0], X[:, 0] * 2)
    close(values[1], X[:, ::-1] * 2)


@pytest.mark.parametrize('unroll', [False, True])
def test_several_states_read_old_values(K, check, unroll):
    """A step that swaps two states reads the old values of both."""

    def step(x, states):
        return states[0], [states[1], states[0]]

    _, outputs, states = K.rnn(
        step, K.constant(X), [K.constant(np.full((3, 1), 1.0)), K.constant(np.full((3, 1), 2.0))], unroll=unroll
    )
    values = check.run([outputs] + list(states))
    assert values[0][0].ravel().tolist() == [1, 2, 1, 2]
    assert [v[0, 0] for v in values[1:]] == [1, 2]


def test_unknown_length(K):
    """One rnn takes any number of samples and steps, also one step."""
    x, m = K.placeholder((None, None, IN)), K.placeholder((None, None))
    zero = K.zeros_like(x[:, 0, :1]) + K.zeros((1, OUT))
    last, outputs, states = K.rnn(make_step(K, 'float32'), x, [zero], mask=m)
    function = K.function([x, m], [last, outputs, states[0]])
    for samples, time in [(2, 3), (1, 1), (4, 7), (2, 3), (3, 1)]:
        array = random((samples, time, IN), seed=time, dtype='float32')
        mask = (random((samples, time), seed=samples) > -1).astype('float32')
        truth = rnn(numpy_step, array.astype('float64'), [np.zeros((samples, OUT))], mask=mask)
        all_close(function([array, mask]), [truth[0], truth[1], truth[2][0]])


def test_long_sequence(K):
    """Hundreds of steps work, because the loop is not unrolled."""
    x = K.placeholder((None, None, 1))
    _, outputs, states = K.rnn(lambda x, s: (s[0] + x, [s[0] + x]), x, [K.zeros_like(x[:, 0])])
    total, sequence = K.function([x], [states[0], outputs])([np.ones((2, 600, 1))])
    assert total.tolist() == [[600], [600]]
    assert sequence[1, :, 0].tolist() == list(range(1, 601))


def test_static_shapes(K):
    """The shapes of the results are known as far as the shapes of the inputs are."""
    w = K.zeros((IN, OUT))

    def step(x, s):
        h = K.dot(x, w) + s[0]
        return h, [h]

    x = K.placeholder((SAMPLES, TIME, IN))
    last, outputs, states = K.rnn(step, x, [K.zeros((SAMPLES, OUT))])
    assert [K.int_shape(t) for t in (last, outputs, states[0])] == [
        (SAMPLES, OUT),
        (SAMPLES, TIME, OUT),
        (SAMPLES, OUT),
    ]
    x = K.placeholder((None, None, IN))
    last, outputs, _ = K.rnn(step, x, [K.zeros_like(x[:, 0, :1]) + K.zeros((1, OUT))])
    assert K.int_shape(last)[-1] == OUT
    assert K.int_shape(outputs)[-1] == OUT
    assert K.ndim(outputs) == 3


@pytest.mark.parametrize('unroll', [False, True])
def test_inputs_of_higher_rank(K, check, unroll):
    """Inputs of rank 5 with a mask, as convolutional steps need them."""
    x = random((2, 3, 2, 2, 1), dtype='float32')
    mask = np.array([[1, 0, 1], [0, 1, 0]], bool)

    def step(x, states):
        return states[0] + x, [states[0] + x]

    zero = np.zeros((2, 2, 2, 1))
    value = check.eval(lambda x, m: K.rnn(step, x, [K.constant(zero)], mask=m, unroll=unroll)[1], x, mask)
    close(value, rnn(step, x.astype('float64'), [zero], mask=mask)[1])


@pytest.mark.parametrize('dtype', ['float16', 'float64', 'int32'])
def test_dtypes(K, check, dtype):
    """Outputs and states keep the dtype of the step."""
    x = np.ones((2, 3, 1)).astype(dtype)
    state = np.zeros((2, 1)).astype(dtype)

    def build(x, s):
        last, outputs, states = K.rnn(lambda e, s: (s[0] + e, [s[0] + e]), x, [s])
        return last, outputs, states[0]

    values = check.eval(build, x, state)
    assert [v.dtype.name for v in values] == [dtype] * 3
    assert values[1][0].ravel().tolist() == [1, 2, 3]


def test_input_length_supplies_the_length(K, check):
    """`unroll` with an unknown length needs `input_length`, and works with it."""
    x = K.placeholder((None, None, IN))
    state = K.zeros_like(x[:, 0, :1]) + K.zeros((1, OUT))
    with check.rejects():
        K.rnn(make_step(K, 'float32'), x, [state], unroll=True)
    last, outputs, _ = K.rnn(make_step(K, 'float32'), x, [state], unroll=True, input_length=TIME)
    values = check.run([last, outputs], [(x, X.astype('float32'))])
    truth = rnn(numpy_step, X, [np.zeros((SAMPLES, OUT))])
    close(values[0], truth[0])
    close(values[1], truth[1])


def test_refusals(K, check):
    """Inputs below rank 3, a mask without states, and states that change their shape are errors in the call."""
    step = make_step(K, 'float32')
    for unroll in (False, True):
        with check.rejects():
            K.rnn(step, K.placeholder((SAMPLES, IN)), [K.zeros((SAMPLES, OUT))], unroll=unroll)
        with check.rejects():
            K.rnn(
                lambda x, s: (x, []),
                K.placeholder((SAMPLES, TIME, IN)),
                [],
                mask=K.placeholder((SAMPLES, TIME)),
                unroll=unroll,
            )
        state = K.zeros((SAMPLES, 2), name='growing_state')
        with check.rejects('growing_state'):
            K.rnn(
                lambda x, s: (x, [K.concatenate([s[0], s[0]])]),
                K.placeholder((SAMPLES, TIME, IN)),
                [state],
                unroll=unroll,
            )


def test_no_steps_at_all(K, check):
    """A sequence of no steps is an error in the run."""
    x = K.placeholder((2, None, IN))
    last, outputs, states = K.rnn(lambda e, s: (e, [s[0] + 1.0]), x, [K.zeros((2, 1))])
    function = K.function([x], [last, outputs, states[0]])
    with check.fails():
        function([np.zeros((2, 0, IN))])


def test_learning_phase_inside(K):
    """A step that depends on the learning phase marks the outputs, and follows the phase."""
    x = K.placeholder((2, 3, 1))
    last, outputs, _ = K.rnn(lambda e, s: (K.in_train_phase(e * 2.0, e), [s[0]]), x, [K.zeros((2, 1))])
    assert getattr(last, '_uses_learning_phase', False)
    assert getattr(outputs, '_uses_learning_phase', False)
    function = K.function([x, K.learning_phase()], [outputs])
    array = random((2, 3, 1), dtype='float32')
    close(function([array, 1])[0], array * 2)
    close(function([array, 0])[0], array)


@covers('gradients')
@pytest.mark.parametrize('unroll', [False, True])
@pytest.mark.parametrize('mask', ['no mask', 'bool', 'zeroed'])
def test_gradients(K, check, mask, unroll):
    """Inputs, states, weights and constants have gradients of outputs and states, in both directions of time."""
    m = None if mask == 'no mask' else K.constant(MASK[:2, :3], dtype='bool')
    zero = mask == 'zeroed'

    def build(x, h, w, c):
        def step(e, states):
            new = K.tanh(K.dot(e, w) + states[0] * states[1])
            return new * e, [new]

        results = []
        for backwards in (False, True):
            last, outputs, states = K.rnn(
                step, x, [h], mask=m, constants=[c], unroll=unroll, go_backwards=backwards, zero_output_for_mask=zero
            )
            results += [last, outputs, states[0]]
        return results

    check.gradients(build, X[:2, :3], H[:2, :2], W[:, :2], C[:2, :2], second=mask == 'bool')


@covers('gradients')
def test_gradients_over_unknown_lengths(K, check):
    """The gradients are right with all axes unknown."""

    def build(x, h):
        _, outputs, states = K.rnn(lambda e, s: (K.tanh(e + s[0]), [K.sin(s[0] * e)]), x, [h])
        return [outputs, states[0]]

    check.gradients(build, X[:2, :3], H[:2, :2], unknown=True)


@covers('gradients')
def test_gradients_have_the_precision_of_the_loop(K, check):
    """Gradients in float64 are not rounded to floatx on the way, also where nothing reads the state after the loop."""
    x, h = check.placeholder(X[:2, :3]), check.placeholder(H[:2, :2])

    def gradients(unroll):
        def step(e, states):
            return K.tanh(e + states[0]), [K.tanh(e * states[0])]

        _last, outputs, _states = K.rnn(step, x[..., :2], [h], unroll=unroll)
        return K.gradients(K.sum(K.square(outputs)), [x, h])

    values = check.run(gradients(False) + gradients(True), [(x, X[:2, :3]), (h, H[:2, :2])])
    for rolled, unrolled in zip(values[:2], values[2:]):
        check.close(rolled, unrolled, tolerance=1e-12)


@covers('gradients')
def test_second_derivatives_where_a_step_hands_on_its_state(K, check):
    """The output of each step is the state that it was given."""

    def build(x, h):
        last, outputs, states = K.rnn(lambda e, s: (s[0], [K.tanh(s[0] * 1.5 + e)]), x, [h])
        return [last, outputs, states[0]]

    check.gradients(build, X[:2, :3, :2], H[:2, :2])
