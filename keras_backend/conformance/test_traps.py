"""Known errors of libraries, and possible errors of an optimiser of graphs: sizes, sharing, laziness."""

import numpy as np
import pytest
from hypothesis import strategies as st

from ._check import all_close, close, covers, given, random

# -- numbers ---------------------------------------------------------------------------------------------------------


@covers('mean', 'sum', 'var', 'std')
def test_float16_sums_do_not_overflow_on_the_way(K, check):
    """The mean of many float16 numbers is right if their sum is too large for float16."""
    array = np.tile(np.array([1.0, 3.0], 'float16'), 40000).reshape(2, -1)
    values = check.eval(lambda x: (K.mean(x), K.mean(x, axis=1), K.var(x, axis=1), K.std(x)), array)
    all_close(values, [2.0, [2.0, 2.0], [1.0, 1.0], 1.0])


@covers('mean', 'var')
def test_means_of_large_integers(K, check):
    """Means are computed in floats, so sums beyond int32 do not wrap around."""
    array = np.full((4,), 2**31 - 1, 'int32')
    values = check.eval(lambda x: (K.mean(x), K.var(x)), array)
    close(values[0], 2.0**31)
    close(values[1], 0.0)


@covers('sum', 'mean')
def test_long_sums_keep_their_digits(K, check):
    """The sum of a million small numbers is right in float32."""
    values = check.eval(lambda x: (K.sum(x), K.mean(x)), np.full((1000, 1000), 0.1, 'float32'))
    close(values[0], 1e5, tolerance=1e-4)
    close(values[1], 0.1, tolerance=1e-4)


@covers('greater', 'equal', 'maximum', 'less', 'greater_equal')
def test_integers_beside_fractions(K, check):
    """A Python float beside an integer tensor is not cut to an integer."""
    array = np.array([0, 1, 2], 'int32')
    values = check.eval(
        lambda n: (K.greater(n, 0.5), K.equal(n, 1.5), K.less(n, 1.5), K.greater_equal(n, 0.5), K.maximum(n, 0.5)),
        array,
    )
    assert [v.tolist() for v in values] == [
        [False, True, True],
        [False] * 3,
        [True, True, False],
        [False, True, True],
        [0.5, 1.0, 2.0],
    ]
    assert values[-1].dtype.name == 'float32'


@covers('cast', 'mean', 'max', 'concatenate')
def test_images_of_bytes(K, check):
    """uint8 images can be cast, averaged and moved without wrapping around."""
    array = np.array([[0, 100, 255]], 'uint8')
    values = check.eval(
        lambda x: (K.cast(x, 'float32') - 127.5, K.mean(x), K.cast(x, 'int32') * 2, K.max(x), K.concatenate([x, x])),
        array,
    )
    for value, expected in zip(
        values, [array - 127.5, 355 / 3.0, array.astype('int32') * 2, array.max(), np.tile(array, 2)]
    ):
        close(value, np.asarray(expected))
    assert [v.dtype.name for v in values] == ['float32', 'float32', 'int32', 'uint8', 'uint8']


@covers('stack', 'switch', 'concatenate')
def test_mixed_dtypes_meet(K, check):
    """A tensor that is made of tensors of two dtypes has the dtype of arithmetic between them."""
    ints, floats = np.array([1, 2], 'int32'), np.array([0.5, 1.5], 'float32')
    values = check.eval(lambda i, f: (K.stack([i, f]), K.concatenate([f, i]), K.switch(f > 1.0, i, f)), ints, floats)
    assert [v.dtype.name for v in values] == ['float32'] * 3
    assert [v.tolist() for v in values] == [[[1, 2], [0.5, 1.5]], [0.5, 1.5, 1, 2], [0.5, 2.0]]


@covers('gradients')
def test_higher_order(K):
    """The fourth derivative is right."""
    v = K.variable([0.5, 1.0], dtype='float64')
    y, truths = K.sin(v * 2.0) + v**4, []
    outputs = []
    for _ in range(4):
        y = K.gradients(K.sum(y), [v])[0]
        outputs.append(y)
    x = np.array([0.5, 1.0])
    truths = [
        2 * np.cos(2 * x) + 4 * x**3,
        -4 * np.sin(2 * x) + 12 * x**2,
        -8 * np.cos(2 * x) + 24 * x,
        16 * np.sin(2 * x) + 24,
    ]
    all_close(K.function([], outputs)([]), truths)


# -- large arrays, for which libraries choose other algorithms ---------------------------------------------------------
def shifted(x, kernel, strides, padding):
    """A 2-D convolution in float64, as a sum over the places of the kernel."""
    kh, kw = kernel.shape[:2]
    pads = []
    for n, k, s in zip(x.shape[1:3], (kh, kw), strides):
        total = max((-(-n // s) - 1) * s + k - n, 0) if padding == 'same' else 0
        pads.append((total // 2, total - total // 2))
    x = np.pad(x, [(0, 0)] + pads + [(0, 0)], 'constant')
    rows, cols = ((n - k) // s + 1 for n, k, s in zip(x.shape[1:3], (kh, kw), strides))
    return sum(
        x[:, i : i + (rows - 1) * strides[0] + 1 : strides[0], j : j + (cols - 1) * strides[1] + 1 : strides[1]].dot(
            kernel[i, j]
        )
        for i in range(kh)
        for j in range(kw)
    )


@pytest.mark.parametrize(
    ('shape', 'window', 'strides', 'padding'),
    [
        ((8, 28, 28, 16), (3, 3, 16, 32), (1, 1), 'same'),
        ((2, 33, 30, 3), (7, 7, 3, 24), (2, 2), 'same'),
        ((4, 14, 14, 64), (1, 1, 64, 64), (1, 1), 'valid'),
        ((1, 64, 64, 4), (5, 5, 4, 8), (1, 1), 'valid'),
        ((16, 9, 9, 8), (3, 3, 8, 8), (3, 1), 'valid'),
    ],
    ids=str,
)
@covers('conv2d', 'gradients')
def test_large_convolutions(K, check, shape, window, strides, padding):
    """Sizes of real networks: values compared with a sum of products, gradients checked by linearity."""
    x, kernel = random(shape, 1), random(window, 2)
    y = shifted(x, kernel, strides, padding)
    seed = random(y.shape, 3)
    p, w = check.placeholder(x, (0,)), check.placeholder(kernel)
    out = K.conv2d(p, w, strides=strides, padding=padding)
    values = check.run(
        [out] + K.gradients(K.sum(out * K.constant(seed, dtype='float64')), [p, w]), [(p, x), (w, kernel)]
    )
    close(values[0], y, scale=100)
    for variable, gradient in zip((x, kernel), values[1:]):
        np.testing.assert_allclose((variable * gradient).sum(), (y * seed).sum(), rtol=1e-9, atol=1e-6)
        other = random(variable.shape, 4)
        moved = shifted(other, kernel, strides, padding) if variable is x else shifted(x, other, strides, padding)
        np.testing.assert_allclose((other * gradient).sum(), (moved * seed).sum(), rtol=1e-9, atol=1e-6)


@covers('dot', 'batch_dot', 'sum', 'max', 'argmax', 'softmax', 'cumsum', 'gather', 'concatenate', 'permute_dimensions')
def test_large_arrays(K, check):
    """Common functions on arrays of a million numbers."""
    a, b = random((1000, 500), 1), random((500, 300), 2)
    cube, rows = random((50, 100, 20), 3), np.random.RandomState(4).randint(0, 1000, 5000)
    values = check.eval(
        lambda a, b, c, r: (
            K.dot(a, b),
            K.batch_dot(c, c, axes=(2, 2)),
            K.sum(a, axis=0),
            K.max(a, axis=1),
            K.argmax(a, axis=0),
            K.softmax(a),
            K.cumsum(a, axis=0),
            K.gather(a, r),
            K.concatenate([a, a]),
            K.permute_dimensions(c, (2, 0, 1)),
        ),
        a,
        b,
        cube,
        rows,
    )
    e = np.exp(a - a.max(1, keepdims=True))
    truths = [
        a.dot(b),
        np.einsum('bij,bkj->bik', cube, cube),
        a.sum(0),
        a.max(1),
        a.argmax(0),
        e / e.sum(1, keepdims=True),
        a.cumsum(0),
        a[rows],
        np.concatenate([a, a], 1),
        cube.transpose(2, 0, 1),
    ]
    all_close(values, truths, scale=100)


# -- sharing and laziness --------------------------------------------------------------------------------------------
@covers('print_tensor')
def test_equal_prints_are_two_prints(K, capfd):
    """Two equal calls of print_tensor print twice."""
    x = K.placeholder((1,))
    function = K.function([x], [K.print_tensor(x, 'same words ') + K.print_tensor(x, 'same words ')])
    capfd.readouterr()
    function([[1.0]])
    assert capfd.readouterr().err.count('same words ') == 2


@covers('switch', 'gather')
def test_a_branch_that_is_not_taken_does_nothing(K):
    """An operation that would fail in the other branch does not run, even if it only needs outer tensors."""
    table, i, n = K.placeholder((3, 2)), K.placeholder((None,), dtype='int32'), K.placeholder((), dtype='int32')
    y = K.switch(n < 3, lambda: K.sum(K.gather(table, i)), lambda: K.constant(-1.0))
    function = K.function([table, i, n], [y])
    assert function([np.ones((3, 2)), [0, 2], 2]) == [4.0]
    assert function([np.ones((3, 2)), [99], 99]) == [-1.0]


@covers('rnn', 'dropout', 'random_uniform', 'shape')
def test_draws_in_a_step_are_not_moved_out(K):
    """Random numbers in a step are new in each step, even if their shape only needs outer tensors."""
    x, outer = K.placeholder((None, None, 3)), K.placeholder((None, 3))

    def step(e, states):
        noise = K.random_uniform(K.shape(outer))
        return K.concatenate([noise, K.dropout(outer, 0.5)]) + K.sum(e) * 0.0, [states[0]]

    outputs = K.rnn(step, x, [K.zeros_like(outer)])[1]
    value = K.function([x, outer], [outputs])([np.ones((4, 6, 3)), np.ones((4, 3))])[0]
    for draws in (value[..., :3], value[..., 3:]):
        assert all((draws[:, 0] != draws[:, t]).any() for t in range(1, 6))


@covers('function')
def test_results_can_be_written_to(K):
    """Results are ordinary arrays. They can be written to, and share no memory with other arrays."""
    x, v = K.placeholder((None, 4)), K.variable(np.ones((4,)))
    tensors = [
        K.repeat_elements(x, 1, 1),
        K.tile(x, [1, 1]),
        x + v,
        K.zeros_like(x),
        K.ones_like(x),
        K.expand_dims(x),
        K.permute_dimensions(x, (1, 0)),
        x[:, ::-1],
        x[:1],
        K.gradients(K.sum(x), [x])[0],
        K.stack([x]),
        K.gradients(K.sum(x * v), [v])[0],
        K.reshape(x, (-1,)),
        K.arange(3),
        K.shape(x),
        K.cast(x, 'float32'),
        K.switch(K.sum(v) > 0, lambda: x, lambda: x),
        K.stop_gradient(x),
        K.to_dense(x),
        K.repeat(x, 2),
    ]
    function = K.function([x], tensors)
    array = np.ones((64, 4), 'float32')
    results = function([array])
    for i, value in enumerate(results):
        assert value.flags.writeable, f'output {i}'
        value[...] = i + 10
    for i, value in enumerate(results):
        assert (value == i + 10).all(), f'output {i} shares memory with another'
    assert (array == 1).all()
    assert (K.get_value(v) == 1).all()


@covers('function')
def test_a_function_does_not_write_into_what_it_is_fed(K):
    """A function never changes the array that is fed. Read-only arrays can be fed."""
    x = K.placeholder((None, 64))
    y = K.exp(x)
    for _ in range(5):
        y = y * 2.0 - x
    _, outputs, _ = K.rnn(lambda e, s: (s[0] + e, [s[0] + e]), K.expand_dims(x, -1), [K.zeros_like(x[:, :1])])
    function = K.function([x], [y, K.cumsum(x, 1), K.relu(x), K.softmax(x), outputs, -x, K.clip(x, -0.1, 0.1), x + x])
    array = random((256, 64), dtype='float32')
    kept = array.copy()
    first = function([array])
    np.testing.assert_array_equal(array, kept)
    array.flags.writeable = False
    for a, b in zip(first, function([array])):
        np.testing.assert_array_equal(a, b)


@covers('function', 'set_value')
def test_nothing_is_remembered_of_variables(K):
    """A value that depends on variables alone is computed in each run."""
    v, flag = K.variable(np.ones((2, 2))), K.variable(True, dtype='bool')
    y = K.switch(flag, lambda: K.dot(v, v), lambda: v) + K.mean(v)
    size = K.arange(K.cast(K.sum(v), 'int32'))
    function = K.function([], [y, size])
    assert [r.shape for r in function([])] == [(2, 2), (4,)]
    K.set_value(v, np.full((2, 2), 2.0))
    K.set_value(flag, False)
    values = function([])
    assert (values[0] == 4).all()
    assert values[1].shape == (8,)


# -- anything at all -------------------------------------------------------------------------------------------------
UNARY = {
    'tanh': np.tanh,
    'sin': np.sin,
    'sigmoid': lambda x: 1 / (1 + np.exp(-x)),
    'square': np.square,
    'softsign': lambda x: x / (1 + np.abs(x)),
    'negative': np.negative,
}
BINARY = {'add': np.add, 'subtract': np.subtract, 'multiply': np.multiply}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(sorted(UNARY) + sorted(BINARY) + ['sum', 'transpose', 'stack', 'row', 'mean']),
        st.integers(0, 100),
        st.integers(0, 100),
    ),
    min_size=3,
    max_size=12,
)


def grow(steps, leaves, K):
    """The same random expressions in K and in NumPy: (tensors, arrays)."""
    tensors, arrays = [t for t, _ in leaves], [a for _, a in leaves]
    for name, i, j in steps:
        a, b = i % len(arrays), j % len(arrays)
        x, y, p, q = arrays[a], arrays[b], tensors[a], tensors[b]
        if name in UNARY:
            new = UNARY[name](x), (-p if name == 'negative' else getattr(K, name)(p))
        elif name in BINARY:
            new = BINARY[name](x, y), {'add': p + q, 'subtract': p - q, 'multiply': p * q}[name]
        elif name in ('sum', 'mean'):
            keep = bool(j % 2)
            new = (
                getattr(np, name)(x, axis=j % x.ndim, keepdims=True),
                getattr(K, name)(p, axis=j % x.ndim, keepdims=True),
            )
            if not keep and x.shape[0] == 3:
                new = new[0] + x, new[1] + p
        elif name == 'transpose':
            new = np.tanh(x.T).T * y, K.transpose(K.tanh(K.transpose(p))) * q
        elif name == 'stack':
            new = np.stack([x * y, x - y], 0).sum(0), K.sum(K.stack([p * q, p - q]), axis=0)
        else:
            new = x[:1] * y, p[:1] * q
        arrays.append(new[0])
        tensors.append(new[1])
    return tensors, arrays


@given(steps=STEPS, unknown=st.booleans())
@covers('gradients', 'function')
def test_any_expression(K, check, steps, unknown):
    """Random expressions have the values of NumPy. Gradients along a random direction equal differences."""
    shapes = [(3, 2), (3, 1), (1, 2)]
    values = [random(shape, seed=i, low=-0.9, high=0.9) for i, shape in enumerate(shapes)]
    feeds = [check.placeholder(v, (0, 1) if unknown else ()) for v in values]
    tensors, arrays = grow(steps, list(zip(feeds, values)), K)
    loss = K.sum(tensors[-1]) + K.sum(tensors[len(tensors) // 2] * 0.5)
    grads = [K.zeros_like(f) if g is None else g for f, g in zip(feeds, K.gradients(loss, feeds))]
    function = K.function(feeds, [loss] + grads + tensors[3:])
    results = function(values)
    for value, expected in zip(results[4:], arrays[3:]):
        close(value, expected, scale=1 + np.abs(expected).max())
    directions = [random(shape, seed=9 + i) for i, shape in enumerate(shapes)]
    ahead, behind = (float(function([v + step * d for v, d in zip(values, directions)])[0]) for step in (1e-5, -1e-5))
    slope = sum((g * d).sum() for g, d in zip(results[1:4], directions))
    size = 1 + abs(slope) + max(np.abs(a).max() for a in arrays)
    np.testing.assert_allclose(slope, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-6 * size)
