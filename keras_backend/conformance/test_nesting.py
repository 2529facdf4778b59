"""Loops in loops, branches in loops, gradients in steps, long chains: structures that layers and papers use."""

import gc
import weakref

import numpy as np
import pytest

from ._check import all_close, close, covers, integers, random


def running_sum(K, x, **options):
    """rnn that adds up its inputs."""
    return K.rnn(lambda e, s: (s[0] + e, [s[0] + e]), x, [K.zeros_like(x[:, 0])], **options)


@covers('rnn', 'map_fn', 'foldl', 'gradients')
def test_loops_in_loops(K, check):
    """An rnn inside a map, a fold inside an rnn, and their gradients with respect to outer tensors."""
    x, w = random((2, 3, 2, 2), seed=1), random((2,), seed=2)

    def build(x, w):
        mapped = K.map_fn(lambda sample: running_sum(K, sample * w)[1], x)

        def step(e, states):
            inner = K.foldl(lambda acc, row: K.tanh(acc * w + row), K.permute_dimensions(e, (1, 0, 2)))
            return inner * states[0], [states[0] + inner]

        looped = K.rnn(step, x, [K.ones_like(x[:, 0, 0])])
        return [mapped, looped[1], looped[2][0]]

    expected = np.cumsum(x * w, axis=2)
    close(check.eval(lambda x, w: build(x, w)[0], x, w), expected, scale=4)
    check.gradients(build, x[:, :2], w, second=False)


@covers('rnn', 'switch', 'gradients')
@pytest.mark.parametrize('unroll', [False, True])
def test_branches_in_loops(K, check, unroll):
    """A step may use switch with its state, lazily and element-wise."""
    x = random((2, 4, 3), seed=3)

    def build(x):
        def step(e, states):
            total = states[0] + e
            chosen = K.switch(K.sum(total) > 0, lambda: total * 2.0, lambda: K.sin(total))
            return K.switch(e > 0, chosen, total), [chosen]

        _, outputs, states = K.rnn(step, x, [K.zeros_like(x[:, 0])], unroll=unroll)
        return [outputs, states[0]]

    outputs, state = [], np.zeros((2, 3))
    for t in range(4):
        total = state + x[:, t]
        state = total * 2 if total.sum() > 0 else np.sin(total)
        outputs.append(np.where(x[:, t] > 0, state, total))
    values = check.eval(lambda x: tuple(build(x)), x)
    close(values[0], np.stack(outputs, 1))
    close(values[1], state)
    check.gradients(build, x, second=False)


@covers('switch', 'rnn', 'gradients')
def test_loops_in_branches(K):
    """A branch may have a loop. The loop runs if the branch is taken."""
    flag, x, v = K.placeholder((), dtype='bool'), K.placeholder((None, None, 2)), K.variable([1.0, 2.0])
    y = K.switch(flag, lambda: running_sum(K, x * v)[0], lambda: K.max(x, axis=1) * v)
    function = K.function([flag, x], [y, K.gradients(K.sum(y), [v])[0]])
    array = random((2, 3, 2), seed=1, dtype='float32')
    for taken, reduced in ((True, array.sum(1)), (False, array.max(1))):
        value, gradient = function([taken, array])
        close(value, reduced * [1.0, 2.0], scale=4)
        close(gradient, reduced.sum(0), scale=4)


@covers('rnn', 'gradients')
@pytest.mark.parametrize('unroll', [False, True])
def test_gradients_inside_a_step(K, check, unroll):
    """A step may call K.gradients: three steps of gradient descent on (state - input) ** 2."""
    x = random((2, 3, 1), seed=4)

    def step(e, states):
        slope = K.gradients(K.sum(K.square(states[0] - e)), [states[0]])[0]
        return slope, [states[0] - 0.25 * slope]

    _last, outputs, states = K.rnn(step, K.constant(x), [K.zeros((2, 1))], unroll=unroll)
    state, slopes = np.zeros((2, 1)), []
    for t in range(3):
        slopes.append(2 * (state - x[:, t]))
        state = state - 0.25 * slopes[-1]
    values = check.run([outputs, states[0]])
    close(values[0], np.stack(slopes, 1))
    close(values[1], state)


@covers('rnn', 'gather', 'gradients')
def test_lookups_inside_a_step(K):
    """A step may gather rows of a variable by integer inputs. The gradient of the table is the sum over all steps."""
    table = K.variable(random((5, 2), seed=1))
    indices = integers((2, 4, 1), low=0, high=5)
    i = K.placeholder((None, None, 1), dtype='int32')

    def step(e, states):
        row = K.gather(table, e[:, 0])
        return row * 2.0, [states[0] + row]

    _, outputs, states = K.rnn(step, i, [K.zeros_like(K.gather(table, i[:, 0, 0]))])
    values = K.function([i], [outputs, states[0], K.gradients(K.sum(states[0]), [table])[0]])([indices])
    rows = K.get_value(table)[indices[..., 0]]
    close(values[0], rows * 2)
    close(values[1], rows.sum(1), scale=4)
    close(values[2], np.bincount(indices.ravel(), minlength=5)[:, None] * np.ones((5, 2)))


@covers('rnn', 'argmax')
def test_integer_outputs_of_a_loop(K, check):
    """Outputs of a step may have another dtype and rank than its inputs, also with a mask."""
    x, mask = random((2, 3, 4), seed=5, dtype='float32'), np.array([[1, 0, 1], [0, 1, 1]], 'int32')

    def build(x, m):
        return K.rnn(lambda e, s: (K.argmax(e), [s[0] + 1.0]), x, [K.zeros((2, 1))], mask=m)[1]

    value = check.eval(build, x, mask)
    best = x.argmax(-1)
    assert value.dtype.name == 'int64'
    assert value.tolist() == [[best[0, 0], best[0, 0], best[0, 2]], [0, best[1, 1], best[1, 2]]]


@covers('rnn')
def test_loops_share_variables_and_each_other(K):
    """A loop reads the outputs of another loop backwards, with shared weights and a trained first state."""
    x, w, first = K.placeholder((None, None, 2)), K.variable(random((2, 2), 1)), K.variable(np.ones((1, 2)))

    def step(e, states):
        h = K.tanh(K.dot(e, w) + states[0])
        return h, [h]

    start = K.zeros_like(x[:, 0]) + first
    forward = K.rnn(step, x, [start])[1]
    backward = K.rnn(step, forward, [start], go_backwards=True)[1]
    both = K.concatenate([forward, K.reverse(backward, 1)])
    grads = K.gradients(K.sum(both), [w, first])
    function = K.function([x], [both] + grads)
    array, weights = random((3, 4, 2), 2), K.get_value(w).astype('float64')

    def numpy_pass(seq, order):
        h, out = np.ones((3, 2)), [None] * 4
        for t in order:
            h = out[t] = np.tanh(seq[:, t].dot(weights) + h)
        return np.stack(out, 1)

    once = numpy_pass(array, range(4))
    value = function([array])
    close(value[0], np.concatenate([once, numpy_pass(once, reversed(range(4)))], -1))
    assert all((g != 0).all() for g in value[1:])


@covers('rnn', 'gradients')
def test_second_order_after_a_run(K):
    """A loop can be differentiated again after its first gradient has run."""
    v = K.variable([[[0.5], [2.0], [1.5]]])
    product = K.rnn(lambda e, s: (s[0] * e, [s[0] * e]), v, [K.ones((1, 1))])[0]
    first = K.gradients(K.sum(product), [v])[0]
    close(K.eval(first).ravel(), [3.0, 0.75, 1.0])
    close(
        K.eval(K.gradients(K.sum(K.square(first)), [v])[0]).ravel(),
        [2 * (0.75 * 1.5 + 1.0 * 2.0), 2 * (3.0 * 1.5 + 1.0 * 0.5), 2 * (3.0 * 2.0 + 0.75 * 0.5)],
    )


@covers('gradients')
def test_long_chains(K):
    """Hundreds of operations in a row can be built, run and differentiated."""
    v = K.variable([1.0, 2.0], dtype='float64')
    y = v
    for i in range(300):
        y = K.sin(y) * 0.5 + y if i % 3 else y + 0.01 * v
    value, gradient = K.function([], [y, K.gradients(y, [v])[0]])([])
    x, slope = np.array([1.0, 2.0]), np.ones(2)
    base = x
    for i in range(300):
        x, slope = (np.sin(x) * 0.5 + x, slope * (0.5 * np.cos(x) + 1)) if i % 3 else (x + 0.01 * base, slope + 0.01)
    close(value, x)
    close(gradient, slope, tolerance=1e-8)


@covers('map_fn', 'switch', 'gradients')
@pytest.mark.parametrize('depth', [1, 2, 3])
def test_variables_in_branches_in_loops(K, depth):
    """A branch inside of loops reads a variable, and the gradient goes to it and to the one in the other branch."""
    y, v, c = K.placeholder((None, 2, 2)), K.variable([1.0, 2.0]), K.variable(1.5)

    def looped(x, depth):
        if not depth:
            return K.switch(c > 5.0, lambda: x * c, lambda: x * K.sum(v * v) * c)
        return K.map_fn(lambda e: K.sum(looped(e, depth - 1)), x)

    total = K.sum(looped(y, depth))
    results = K.function([y], [total, *K.gradients(total, [v, c])])([np.ones((3, 2, 2))])
    all_close(results, (12 * 7.5, [36.0, 72.0], 60.0), scale=4)


@covers('foldl', 'foldr', 'switch', 'gradients')
@pytest.mark.parametrize('name', ['foldl', 'foldr'])
def test_folds_over_nothing_in_branches(K, name):
    """With an initializer a fold over no elements gives it, and the gradient passes it."""
    z, h = K.placeholder((None, 2)), K.variable([0.5, 0.25])
    fold = getattr(K, name)
    chosen = K.switch(K.sum(h) > 0.1, lambda: fold(lambda a, r: K.tanh(a + r), z, initializer=h), h)
    total = K.sum(chosen * chosen)
    value, gradient = K.function([z], [total, K.gradients(total, [h])[0]])([np.zeros((0, 2))])
    close(value, 0.3125)
    close(gradient, [1.0, 0.5])


@covers('gradients', 'function')
def test_many_uses_of_one_tensor(K):
    """A tensor that is used a hundred times gets a hundred gradients, and is computed once in a run."""
    v = K.variable([1.0, 2.0])
    noise = v * K.random_uniform((2,))
    total = K.sum(K.stack([noise * float(i) for i in range(100)]))
    value, single, gradient = K.function([], [total, K.sum(noise), K.gradients(total, [noise])[0]])([])
    close(value, single * 4950.0)
    close(gradient, [4950.0, 4950.0])


def watched_graph(K):
    """Weak references to the parts of a graph that ran."""
    x, v = K.placeholder((None, 2)), K.variable(np.ones((2, 2)))
    y = K.rnn(lambda e, s: (K.dot(e, v), [s[0]]), K.expand_dims(x, 1), [K.zeros((1, 1))])[0]
    function = K.function([x], [y, K.gradients(K.sum(y), [v])[0]], updates=[(v, v * 0.5)])
    function([np.ones((1, 2))])
    K.eval(K.sum(v))
    return [weakref.ref(watched) for watched in (x, v, y, function)]


@covers('clear_session')
def test_clear_session_frees(K):
    """After clear_session nothing holds tensors, variables and functions in memory."""
    watched = watched_graph(K)
    K.clear_session()
    gc.collect()
    assert [ref() for ref in watched] == [None] * 4
