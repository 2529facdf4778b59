"""A loop that is an LSTM is one function of PyTorch, with the numbers of the loop. What differs stays a loop."""

import multiprocessing
from functools import partial

import numpy as np
import pytest
import torch

import keras_backend.engines.numpy_backend as N
import keras_backend.engines.torch_backend as K
from keras_backend.errors import ShapeError

RNG = np.random.RandomState(7)
T, B, F, U = 5, 3, 4, 6


def draw(*shape):
    return RNG.uniform(-0.7, 0.7, shape).astype('float32')


VALUES = {
    'x': draw(B, T, F),
    'kernel': draw(F, 4 * U),
    'recurrent': draw(U, 4 * U),
    'bias': draw(4 * U),
    'h': draw(B, U),
    'c': draw(B, U),
}


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in sessions of its own."""
    for engine in (K, N):
        engine.clear_session()


def step_of(E, kernel, recurrent, bias):
    """The step as the layer of Keras has it."""

    def step(x, states):
        h, c = states
        z = E.dot(x, kernel) + E.dot(h, recurrent)
        z = z if bias is None else E.bias_add(z, bias)
        i, f = E.sigmoid(z[:, :U]), E.sigmoid(z[:, U : 2 * U])
        c = f * c + i * E.tanh(z[:, 2 * U : 3 * U])
        h = E.sigmoid(z[:, 3 * U :]) * E.tanh(c)
        return h, [h, c]

    return step


def is_whole(function):
    """Whether no loop is left in the function."""
    run = function._run or function._compile()
    return 'for ' not in run.source


def both(build, feeds, whole=True, rtol=2e-5, atol=2e-6):
    """`build(E, dtype)` gives inputs and outputs. The values on PyTorch are those of NumPy's loop in float64."""
    inputs, outputs = build(K, 'float32')
    ours = K.function(inputs, outputs)
    inputs, outputs = build(N, 'float64')
    theirs = N.function(inputs, outputs)
    results = ours(feeds), theirs([np.asarray(f, 'float64') for f in feeds])
    for i, (one, other) in enumerate(zip(*results)):
        assert np.shape(one) == np.shape(other), i
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol, err_msg=str(i))
    assert is_whole(ours) == whole
    return results[0]


def variables(E, dtype, names):
    return [E.variable(VALUES[name].astype(dtype), dtype=dtype) for name in names]


@pytest.mark.parametrize('go_backwards', [False, True])
@pytest.mark.parametrize('with_bias', [False, True])
@pytest.mark.parametrize('shape', [(B, T, F), (None, T, F), (None, None, F), (None, T, 1)])
def test_everything_of_a_layer(go_backwards, with_bias, shape):
    """Outputs, states and the gradients of everything; with one input, its product stays in the step."""
    weights, inputs = draw(B, T, U), shape[-1]

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        if inputs == 1:
            kernel = E.variable(VALUES['kernel'][:1].astype(dtype), dtype=dtype)
        x = E.placeholder(shape, dtype=dtype)
        # As a layer of Keras starts: what is unknown of the input is unknown of the states.
        start = E.tile(E.expand_dims(E.sum(x, axis=(1, 2))), [1, U])
        h, c = 0.1 * start, E.zeros_like(start)
        step = step_of(E, kernel, recurrent, bias if with_bias else None)
        last, outputs, states = E.rnn(step, x, [h, c], go_backwards=go_backwards)
        loss = E.sum(outputs * E.constant(weights, dtype=dtype)) + E.sum(E.square(states[1])) + E.mean(last)
        sources = [x, h, c, kernel, recurrent] + [bias] * with_bias
        return [x], [last, outputs, *states, loss, *E.gradients(loss, sources)]

    both(build, [VALUES['x'][..., :inputs]])


@pytest.mark.parametrize('wanted', ['x', 'h', 'c', 'kernel', 'recurrent', 'bias'])
@pytest.mark.parametrize('of', ['last', 'outputs', 'h', 'c'])
def test_one_gradient_of_one_result(wanted, of):
    """Each gradient alone, of each result alone."""

    def build(E, dtype):
        parts = dict(zip(VALUES, variables(E, dtype, VALUES)))
        step = step_of(E, parts['kernel'], parts['recurrent'], parts['bias'])
        last, outputs, states = E.rnn(step, parts['x'], [parts['h'], parts['c']])
        result = {'last': last, 'outputs': outputs, 'h': states[0], 'c': states[1]}[of]
        return [], E.gradients(E.sum(E.square(result)), [parts[wanted]])

    both(build, [])


def test_predictions_and_states_alone():
    """A function without gradients, and one that asks for the last c only."""

    def build(E, dtype, which=slice(None)):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        x = E.placeholder((None, None, F), dtype=dtype)
        zeros = E.tile(E.expand_dims(E.sum(E.zeros_like(x), axis=(1, 2))), [1, U])
        last, outputs, states = E.rnn(step_of(E, kernel, recurrent, bias), x, [zeros, zeros])
        return [x], [last, outputs, *states][which]

    both(build, [VALUES['x']])
    both(lambda E, dtype: build(E, dtype, slice(3, 4)), [VALUES['x']])
    both(build, [draw(0, 4, F)])
    both(build, [draw(1, 1, F)])


def test_layers_on_each_other():
    """Three layers, one of which goes back, train as the loops do."""

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        wide = E.variable(np.tile(VALUES['kernel'], (3, 1))[: 2 * U].astype(dtype), dtype=dtype)
        x, zeros = E.placeholder((B, T, F), dtype=dtype), E.zeros((B, U), dtype=dtype)
        one = E.rnn(step_of(E, kernel, recurrent, bias), x, [zeros, zeros])[1]
        other = E.rnn(step_of(E, kernel, recurrent, bias), x, [zeros, zeros], go_backwards=True)[1]
        joined = E.concatenate([one, E.reverse(other, 1)])
        last = E.rnn(step_of(E, wide, recurrent, bias), joined, [zeros, zeros])[0]
        loss = E.mean(E.square(last))
        gradients = E.gradients(loss, [kernel, recurrent, bias, wide])
        return [x], [loss, *gradients]

    both(build, [VALUES['x']])


def test_two_losses():
    """Two gradients of one layer in one function."""

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        x, zeros = E.placeholder((B, T, F), dtype=dtype), E.zeros((B, U), dtype=dtype)
        last, outputs, _states = E.rnn(step_of(E, kernel, recurrent, bias), x, [zeros, zeros])
        first = E.gradients(E.mean(E.square(last)), [kernel, bias])
        second = E.gradients(E.mean(E.exp(outputs)), [kernel, recurrent])
        return [x], [*first, *second]

    both(build, [VALUES['x']])


def test_gradients_of_gradients():
    """What depends on a gradient once more is a loop, and right."""

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        x, zeros = E.placeholder((None, T, F), dtype=dtype), E.zeros((B, U), dtype=dtype)
        last = E.rnn(step_of(E, kernel, recurrent, bias), x, [zeros, zeros])[0]
        penalty = E.sum(E.square(E.gradients(E.mean(E.square(last)), [x])[0]))
        return [x], [penalty, *E.gradients(penalty, [kernel, recurrent, bias])]

    both(build, [VALUES['x']], whole=False)


def changed(E, what, kernel, recurrent, bias):
    """The step with something else in it."""
    gates = {
        'order': lambda z: (z[:, U : 2 * U], z[:, :U], z[:, 2 * U : 3 * U], z[:, 3 * U :]),
        'overlap': lambda z: (z[:, :U], z[:, 1 : U + 1], z[:, 2 * U : 3 * U], z[:, 3 * U :]),
    }.get(what, lambda z: (z[:, :U], z[:, U : 2 * U], z[:, 2 * U : 3 * U], z[:, 3 * U :]))
    inner = E.hard_sigmoid if what == 'hard_sigmoid' else E.sigmoid
    outer = E.relu if what == 'relu' else E.tanh

    def step(x, states):
        h, c = states
        x = x * 0.5 if what == 'input' else x
        z = E.dot(x, kernel) + E.dot(c if what == 'state' else h, recurrent) + bias
        z = z + bias if what == 'two biases' else z
        z = z + E.dot(h, recurrent) if what == 'two products' else z
        i, f, g, o = gates(z)
        i = i + c if what == 'peephole' else i
        new = inner(f) * c + inner(i) * outer(g)
        new = E.minimum(new, 0.2) if what == 'clipped' else new
        out = inner(o) * outer(c if what == 'old c' else new)
        if what == 'swapped':
            return out, [new, out]
        return (z if what == 'another output' else out), [out, new]

    return step


CHANGES = ['order', 'overlap', 'hard_sigmoid', 'relu', 'input', 'state', 'two biases', 'two products', 'peephole']
CHANGES += ['clipped', 'old c', 'swapped', 'another output']


@pytest.mark.parametrize('what', CHANGES)
def test_what_is_no_lstm_stays_a_loop(what):
    """A step that differs in one place has its own numbers, in gradients, too."""

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        x, zeros = E.placeholder((None, T, F), dtype=dtype), E.zeros((B, U), dtype=dtype)
        last, outputs, states = E.rnn(changed(E, what, kernel, recurrent, bias), x, [zeros, zeros])
        loss = E.mean(E.square(outputs)) + E.mean(states[1])
        return [x], [last, *states, *E.gradients(loss, [kernel, recurrent, bias])]

    both(build, [VALUES['x']], whole=False)


def test_operands_in_other_orders():
    """Sums and products may be written the other way round, and the states, too."""

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])

        def step(x, states):
            c, h = states
            z = E.dot(h, recurrent) + (bias + E.dot(x, kernel))
            c = E.tanh(z[:, 2 * U : 3 * U]) * E.sigmoid(z[:, 0:U]) + c * E.sigmoid(z[:, U : 2 * U])
            h = E.tanh(c) * E.sigmoid(z[:, 3 * U : 4 * U])
            return h, [c, h]

        x, zeros = E.placeholder((None, T, F), dtype=dtype), E.zeros((B, U), dtype=dtype)
        last, outputs, states = E.rnn(step, x, [zeros + 0.5, zeros])
        loss = E.mean(E.square(outputs)) + E.sum(states[0])
        return [x], [last, *states, *E.gradients(loss, [kernel, recurrent, bias, x])]

    both(build, [VALUES['x']])


def test_mask_and_inner_values():
    """A mask, and a gate that the caller asks for, leave a loop."""
    mask = np.arange(T) < np.array([[2], [5], [0]])

    def masked(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        x, zeros = E.placeholder((None, T, F), dtype=dtype), E.zeros((B, U), dtype=dtype)
        known = E.cast(E.constant(mask.astype('int32'), dtype='int32'), 'bool')
        last, outputs, states = E.rnn(
            step_of(E, kernel, recurrent, bias), x, [zeros, zeros], mask=E.cast(known, 'bool')
        )
        return [x], [last, outputs, *E.gradients(E.sum(outputs) + E.sum(states[1]), [kernel, recurrent])]

    both(masked, [VALUES['x']], whole=False)


def test_what_else_reads_the_products():
    """Other readers of the input's product, of the layer's outputs and of its gradients get what they read."""

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        x, zeros = E.placeholder((B, T, F), dtype=dtype), E.zeros((B, U), dtype=dtype)
        outputs = E.rnn(step_of(E, kernel, recurrent, bias), x, [zeros, zeros])[1]
        products = E.dot(E.permute_dimensions(x, (1, 0, 2)), kernel)
        loss = E.mean(outputs) + 0.1 * E.mean(E.square(products))
        gradients = E.gradients(loss, [kernel, recurrent, bias])
        norm = E.sqrt(sum([E.sum(E.square(g)) for g in gradients]))
        return [x], [loss, *[g / norm for g in gradients], outputs * 2]

    both(build, [VALUES['x']])


def test_values_that_are_not_finite():
    """NaN and infinities go where they go in the loop."""
    x = np.repeat(VALUES['x'][:1], 5, 0)
    x[:4, 2, 1] = [np.nan, np.inf, -np.inf, 1e30]
    kernel, recurrent, bias = [VALUES[name] for name in ('kernel', 'recurrent', 'bias')]
    results = []
    for E in (K, N):
        weights = [E.variable(v) for v in (kernel, recurrent, bias)]
        given, zeros = E.placeholder((5, T, F)), E.zeros((5, U))
        last = E.rnn(step_of(E, *weights), given, [zeros, zeros])[0]
        results.append(E.function([given], [last])([x])[0])
    assert np.isnan(results[1][0]).all()
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


def test_sizes_that_do_not_fit():
    """A state of one sample beside several is refused, as in a loop; one sample beside several states is computed."""

    def build(E, dtype):
        kernel, recurrent, bias = variables(E, dtype, ['kernel', 'recurrent', 'bias'])
        x, h = E.placeholder((None, None, None), dtype=dtype), E.placeholder((None, U), dtype=dtype)
        last = E.rnn(step_of(E, kernel, recurrent, bias), x, [h, h])[0]
        return [x, h], [last]

    inputs, outputs = build(K, 'float32')
    f = K.function(inputs, outputs)
    with pytest.raises(ShapeError, match='an input of 5 numbers by a kernel of 4 rows'):
        f([draw(B, T, 5), VALUES['h']])
    with pytest.raises(ShapeError, match='an input of 3 samples and a state of 2'):
        f([VALUES['x'], VALUES['h'][:2]])
    with pytest.raises(ShapeError, match='changes its shape'):
        f([VALUES['x'], VALUES['h'][:1]])
    with pytest.raises(ShapeError, match='at least 1 time step'):
        f([VALUES['x'][:, :0], VALUES['h']])
    assert is_whole(f)
    inputs, outputs = build(N, 'float64')
    given = [VALUES['x'][:1], VALUES['h']]
    for one, other in zip(f(given), N.function(inputs, outputs)(given)):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(('order', 'unread'), [((0, 1, 0), 2), ((0, 1, 1), 2), ((0, 0, 1), 0), ((1, 0, 1), 2)])
@pytest.mark.parametrize('of', [0, 1, 2])
def test_states_with_one_new_value(order, unread, of):
    """A further state that gets the new h or c, and is not read, has a gradient of its own."""

    def build(E, dtype):
        parts = dict(zip(VALUES, variables(E, dtype, VALUES)))
        cell = step_of(E, parts['kernel'], parts['recurrent'], parts['bias'])
        read = sorted([place for place in range(3) if place != unread], key=lambda place: order[place])

        def step(x, states):
            new = cell(x, [states[place] for place in read])[1]
            return new[0], [new[i] for i in order]

        zeros = E.zeros((B, U), dtype=dtype)
        starts = [zeros if place == unread else parts['hc'[i]] for place, i in enumerate(order)]
        states = E.rnn(step, parts['x'], starts)[2]
        return [], E.gradients(E.sum(states[of]), list(parts.values()))

    outputs, expected = build(K, 'float32')[1], build(N, 'float64')[1]
    for one, other in zip(K.function([], outputs)([]), N.function([], expected)([])):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def test_no_units():
    """A layer without units gives outputs without numbers."""
    results = []
    for E in (K, N):
        kernel, recurrent = E.variable(np.zeros((F, 0))), E.variable(np.zeros((0, 0)))

        def step(x, states, E=E, kernel=kernel, recurrent=recurrent):
            h, c = states
            z = E.dot(x, kernel) + E.dot(h, recurrent)
            c = E.sigmoid(z[:, 0:0]) * c + E.sigmoid(z[:, :0]) * E.tanh(z[:, 0:0])
            h = E.sigmoid(z[:, 0:]) * E.tanh(c)
            return h, [h, c]

        zeros = E.variable(np.zeros((B, 0)))
        results.append(E.eval(E.rnn(step, E.variable(VALUES['x']), [zeros, zeros])[1]))
    assert results[0].shape == results[1].shape == (B, T, 0)


def test_an_input_times_itself():
    """Where the matrix of a product is the input of the step, there is no kernel."""

    def build(E, dtype):
        recurrent = E.variable(np.ones((2, 8), dtype) / 4, dtype=dtype)

        def step(x, states):
            h, c = states
            z = E.dot(x, x) + E.dot(h, recurrent)
            c = E.sigmoid(z[:, 2:4]) * c + E.sigmoid(z[:, :2]) * E.tanh(z[:, 4:6])
            h = E.sigmoid(z[:, 6:]) * E.tanh(c)
            return h, [h, c]

        x, zeros = E.placeholder((8, T, 8), dtype=dtype), E.zeros((8, 2), dtype=dtype)
        return [x], [E.rnn(step, x, [zeros, zeros])[0]]

    both(build, [draw(8, T, 8)], whole=False)


def trained(steps):
    """The losses of a model that learns."""
    K.clear_session()
    kernel, recurrent, bias = variables(K, 'float32', ['kernel', 'recurrent', 'bias'])
    x, zeros = K.placeholder((None, T, F)), K.zeros((B, U))
    loss = K.mean(K.square(K.rnn(step_of(K, kernel, recurrent, bias), x, [zeros, zeros])[0] - 0.3))
    weights = [kernel, recurrent, bias]
    updates = [(w, w - 0.5 * g) for w, g in zip(weights, K.gradients(loss, weights))]
    step = K.function([x], [loss], updates)
    return [float(step([VALUES['x']])[0]) for _ in range(steps)]


def test_training():
    """Weights are updated by what PyTorch derives, and the loss goes down."""
    losses = trained(30)
    assert losses[-1] < 0.3 * losses[0]


@pytest.mark.parametrize('mode', [torch.no_grad, torch.inference_mode, partial(torch.autocast, 'cpu', torch.bfloat16)])
def test_modes_of_the_caller(mode):
    """A function that was made outside of a mode of PyTorch gives the same inside of it."""
    parts = dict(zip(VALUES, variables(K, 'float32', VALUES)))
    step = step_of(K, parts['kernel'], parts['recurrent'], parts['bias'])
    last, outputs, _states = K.rnn(step, parts['x'], [parts['h'], parts['c']])
    losses = [K.mean(K.square(last)), K.sum(K.square(outputs))]
    gradients = [g for loss in losses for g in K.gradients(loss, [parts['kernel'], parts['h']])]
    sums = K.function([], [K.sum(last), *[K.sum(g) for g in gradients]])
    known = sums([])
    with mode():
        assert sums([]) == pytest.approx(known, rel=1e-5)


@pytest.mark.parametrize('mode', [torch.no_grad, torch.inference_mode])
def test_training_without_autograd(mode):
    """A caller who has switched autograd off makes a function and trains all the same."""
    expected = trained(3)
    with mode():
        assert trained(3) == pytest.approx(expected)


def test_one_matrix_for_both_products():
    """Where kernel and recurrent kernel are one variable, its gradient is the sum of both."""

    def build(E, dtype):
        kernel, bias = variables(E, dtype, ['recurrent', 'bias'])
        x, zeros = E.placeholder((B, T, U), dtype=dtype), E.zeros((B, U), dtype=dtype)
        last = E.rnn(step_of(E, kernel, kernel, bias), x, [zeros, zeros])[0]
        return [x], [last, *E.gradients(E.sum(E.square(last)), [kernel, bias, x])]

    both(build, [draw(B, T, U)], whole=False)


def _child(queue):
    queue.put(trained(3))


@pytest.mark.skipif('fork' not in multiprocessing.get_all_start_methods(), reason='there is no fork')
def test_a_forked_child_trains():
    """A child that is forked after a training step trains, too."""
    expected = trained(3)
    context = multiprocessing.get_context('fork')
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == pytest.approx(expected)
    child.join()


def test_a_module_keeps_the_loop():
    """`as_module` hands its operations to autograd, which may derive them twice."""
    kernel, recurrent, bias = variables(K, 'float32', ['kernel', 'recurrent', 'bias'])
    x, zeros = K.placeholder((B, T, F)), K.zeros((B, U))
    last = K.rnn(step_of(K, kernel, recurrent, bias), x, [zeros, zeros])[0]
    f = K.function([x], [last])
    np.testing.assert_allclose(
        K.as_module(f)(VALUES['x'])[0].detach().numpy(), f([VALUES['x']])[0], rtol=1e-5, atol=1e-6
    )
