"""K tensors on the Theano engine are Theano's own: mixing, static shapes, broadcasting, dtypes, sparse matrices."""

import numpy as np
import pytest

import keras_backend.engines.theano_backend as K  # before Theano, which newer Pythons import by way of it alone

theano = pytest.importorskip('theano')
import keras_backend.engines.numpy_backend as N  # noqa: E402
from keras_backend.engines.theano_backend.functions import modes  # noqa: E402
from keras_backend.engines.theano_backend.graph.static import dims_of  # noqa: E402
from keras_backend.errors import ArgumentValueError  # noqa: E402

T = theano.tensor
VALUE = np.random.RandomState(0).uniform(-1, 1, (4, 3)).astype('float32')


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()
    K.reset_uids()


# -- mixing ------------------------------------------------------------------------------------------------------------
def test_tensors_are_those_of_theano():
    """Placeholders, variables, constants and results of K are Theano's, and theano.function compiles them."""
    x, v = K.placeholder((None, 3)), K.variable(np.ones((3, 2)))
    y = K.dot(x, v) + K.constant([1.0, 2.0])
    for tensor in (x, v, y, K.constant(1.0)):
        assert isinstance(tensor, theano.gof.Variable)
        assert K.is_tensor(tensor)
    f = theano.function([x], y, updates=[(v, v * 2.0)])
    np.testing.assert_allclose(VALUE.sum(1, keepdims=True) + [1.0, 2.0], f(VALUE), rtol=1e-5)
    np.testing.assert_array_equal(np.full((3, 2), 2.0), K.get_value(v))


def test_functions_of_theano_take_and_give_tensors():
    """Theano's functions go in the middle of an expression of K, with gradients through them."""
    x = K.placeholder((None, 3))
    y = K.sum(T.arctan(K.square(x)) * 2.0 + T.nnet.softplus(x), axis=1)
    (grad,) = K.gradients(y, [x])
    value, slope = K.function([x], [y, grad])([VALUE])
    np.testing.assert_allclose((np.arctan(VALUE**2) * 2 + np.log1p(np.exp(VALUE))).sum(1), value, rtol=1e-5)
    np.testing.assert_allclose(4 * VALUE / (1 + VALUE**4) + 1 / (1 + np.exp(-VALUE)), slope, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(slope, theano.function([x], theano.grad(K.sum(y), x))(VALUE), rtol=1e-5)


def test_tensors_of_theano_go_into_k():
    """Variables that were made with Theano alone, shared ones too, are fed, read, set and updated by K."""
    x, v = T.fmatrix('x'), theano.shared(np.ones(3, 'float32'), name='v')
    f = K.function([x], [K.softmax(x * v)], updates=[K.update_add(v, np.ones(3))])
    raised = np.exp(VALUE)
    np.testing.assert_allclose(raised / raised.sum(1, keepdims=True), f([VALUE])[0], rtol=1e-5)
    np.testing.assert_array_equal([2.0, 2.0, 2.0], K.get_value(v))
    K.set_value(v, np.zeros(3))
    np.testing.assert_array_equal(np.zeros(3), v.get_value())
    assert (None, None) == K.int_shape(x)
    assert K.is_variable(v)
    assert not K.is_keras_tensor(x)


def test_random_streams_of_theano():
    """A stream of Theano's own draws anew in each run of a K function, in loops too."""
    draw = T.shared_randomstreams.RandomStreams(3).uniform((2,))
    f = K.function([], K.map_fn(lambda row: row + K.cast(draw, 'float32'), K.constant(np.zeros((2, 2)))))
    first, second = f([]), f([])
    assert (first != second).all()
    assert (0 <= first).all()


def test_scan_of_theano():
    """A loop of Theano's own takes K tensors and functions, and K goes on with the result."""
    x, w = K.placeholder((None, 3)), K.variable(2.0)
    sums, _ = theano.scan(lambda row, total: total + K.sum(row) * w, sequences=x, outputs_info=K.constant(0.0))
    np.testing.assert_allclose(np.cumsum(VALUE.sum(1) * 2) * 3.0, K.function([x], sums * 3.0)([VALUE]), rtol=1e-4)


def test_truth_values():
    """A tensor of K has no truth value, and Theano's own `if updates` is not disturbed."""
    x = K.placeholder((2,))
    with pytest.raises(TypeError, match='K.switch'):
        bool(x > 1.0)
    assert x in [x]
    assert x not in [K.placeholder((2,))]
    assert {x: 1}[x] == 1


def test_repr_and_shape_of_tensors():
    """`repr` says shape, dtype and engine; `.shape` is static for users and symbolic for Theano, as T.shape is."""
    x, v, c = K.placeholder((None, 3)), K.variable(np.ones((3, 2)), name='w'), K.constant(2, dtype='int32')
    assert "<K.Variable 'w' shape=(3, 2) dtype=float32 (theano engine)>" == repr(v)
    for tensor, said in (
        (x, 'shape=(None, 3) dtype=float32'),
        (K.exp(x), 'shape=(None, 3)'),
        (c, 'shape=() dtype=int32'),
    ):
        assert said in repr(tensor)
    assert (None, 3) == x.shape == x.get_shape()
    assert [None, 3] == x.get_shape().as_list()
    assert (None, 2) == (x @ v).shape
    np.testing.assert_allclose(VALUE.dot(np.ones((3, 2))), K.function([x], x @ v)([VALUE]), rtol=1e-6)
    np.testing.assert_array_equal([4, 3], K.function([x], T.shape(x))([VALUE]))
    assert None is K.placeholder().shape


# -- static shapes -----------------------------------------------------------------------------------------------------
SHAPES = {
    'elementwise': lambda x: T.exp(x) + 1.0,
    'sum': lambda x: T.sum(x, axis=1),
    'transpose': lambda x: x.T,
    'dimshuffle': lambda x: x.dimshuffle(0, 'x', 1),
    'concatenate': lambda x: T.concatenate([x, x], axis=1),
    'stack': lambda x: T.stack([x, x]),
    'reshape': lambda x: x.reshape((T.shape(x)[0], 3, 1)),
    'flatten': lambda x: x.flatten(),
    'rows': lambda x: x[1:3],
    'columns': lambda x: x[:, :2],
    'step': lambda x: x[:, ::-2],
    'row': lambda x: x[-1],
    'dot': lambda x: T.dot(x, T.ones((3, 5), 'float32')),
    'tile': lambda x: T.tile(x, (1, 2)),
    'alloc': lambda x: T.zeros_like(x),
    'max': lambda x: T.max(x, axis=0),
    'argmax': lambda x: T.argmax(x, axis=1),
    'softmax': lambda x: T.nnet.softmax(x),
    'set': lambda x: T.set_subtensor(x[0], 0.0),
    'cumsum': lambda x: T.cumsum(x, axis=0),
    'sort': lambda x: T.sort(x, axis=1),
    'take': lambda x: x[T.constant([0, 2, 1])],
    'switch': lambda x: T.switch(x > 0, x, 0.0),
    'eye': lambda x: T.eye(3),
    'arange': lambda x: T.arange(5),
    'repeat': lambda x: T.repeat(x, 2, axis=1),
    'clip': lambda x: T.clip(x, 0, 1),
    'tensordot': lambda x: T.tensordot(x, T.ones((3, 2, 2), 'float32'), 1),
    'norm': lambda x: x.norm(2, axis=1),
    'scan': lambda x: theano.scan(lambda row: row * 2.0, sequences=x)[0],
    'grad': lambda x: theano.grad(T.sum(x**2), x),
}


@pytest.mark.parametrize('name', sorted(SHAPES))
@pytest.mark.parametrize('rows', [4, None])
def test_static_shapes_of_theano(name, rows):
    """What is known of the shape of Theano's own results agrees with the run; with known inputs most is known."""
    x = K.placeholder((rows, 3))
    y = SHAPES[name](x)
    said, seen = K.int_shape(y), K.function([x], y, mode=modes.python_mode())([VALUE]).shape
    assert len(said) == len(seen)
    assert all(n is None or n == m for n, m in zip(said, seen)), (said, seen)
    if rows and name not in ('scan', 'take', 'sort', 'repeat', 'norm'):
        assert said == seen


def test_unknown_sizes_that_are_the_same():
    """Two axes of one unknown size are known to be the same, through K, Theano and reshapes."""
    x = K.placeholder((None, None, 3))
    y = T.tanh(K.exp(x)).dimshuffle(1, 0, 2)
    assert dims_of(y)[0] is dims_of(x)[1]
    assert dims_of(y)[1] is dims_of(x)[0]
    assert (None, 12) == K.int_shape(K.reshape(K.placeholder((None, 3, 4)), (-1, 12)))
    rows = K.shape(x)[0]
    assert dims_of(K.reshape(x, (rows, -1)))[0] is dims_of(x)[0]


# -- broadcasting ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('shapes', [((1, 3), (4, 3)), ((4, 1), (1, 3)), ((1,), (4, 3)), ((4, 3), (4, 3))])
@pytest.mark.parametrize('declared', [True, False])
def test_sizes_of_one_broadcast(shapes, declared):
    """NumPy's rule holds whether the placeholder says that a size is 1 or not, and for gradients."""
    arrays = [np.random.RandomState(i).rand(*shape).astype('float32') + 0.5 for i, shape in enumerate(shapes)]
    x, y = [K.placeholder(s if declared else (None,) * len(s)) for s in shapes]
    grads = K.gradients(K.sum(x * y + x / y), [x, y])
    got = K.function([x, y], [x * y, K.maximum(x, y), K.switch(x > y, x * 1.0, y * 1.0)] + grads)(arrays)
    a, b = arrays
    np.testing.assert_allclose(a * b, got[0], rtol=1e-5)
    np.testing.assert_allclose(np.maximum(a, b), got[1], rtol=1e-5)
    np.testing.assert_allclose(np.where(a > b, a, b), got[2], rtol=1e-5)
    for array, grad, slope in ((a, got[3], b + 1 / b), (b, got[4], a - a / b**2)):
        full = np.broadcast_to(slope, np.broadcast(a, b).shape)
        axes = tuple(range(full.ndim - array.ndim)) + tuple(
            i + full.ndim - array.ndim for i, n in enumerate(array.shape) if n == 1
        )
        np.testing.assert_allclose(full.sum(axes).reshape(array.shape), grad, rtol=1e-4, atol=1e-5)


def test_sizes_that_do_not_fit_are_refused():
    """Sizes that cannot meet are an error while building where they are known, else in the run."""
    with pytest.raises(ValueError):
        K.placeholder((2, 3)) + K.placeholder((2, 4))
    x, y = K.placeholder((None,)), K.placeholder((None,))
    with pytest.raises(ValueError):
        K.function([x, y], x + y)([np.ones(2), np.ones(3)])


@pytest.mark.parametrize('n', [1, 2])
def test_a_batch_of_one(n):
    """A network that was built for any batch runs with a batch of one, trained weights keep their shape."""
    x, w, b = K.placeholder((None, 3)), K.variable(np.ones((3, 1))), K.variable(np.zeros(1))
    loss = K.mean(K.square(K.bias_add(K.dot(x, w), b)))
    f = K.function([x], [loss], updates=[(v, v - 0.1 * g) for v, g in zip([w, b], K.gradients(loss, [w, b]))])
    first = f([VALUE[:n]])[0]
    assert f([VALUE[:n]])[0] < first
    assert [(3, 1), (1,)] == [v.shape for v in K.batch_get_value([w, b])]


# -- dtypes ------------------------------------------------------------------------------------------------------------
EXPRESSIONS = {
    'arithmetic': lambda x: (x * 2 + 1.5) / 3 - 0.1,
    'reversed': lambda x: 1 / (2.0 - x * 0.5),
    'power': lambda x: x**2 + x**0.5,
    'mean': lambda x: K.mean(x, axis=0),
    'std': lambda x: K.std(x),
    'var': lambda x: K.var(x, axis=1),
    'sum': lambda x: K.sum(x),
    'softmax': lambda x: K.softmax(x),
    'sigmoid': lambda x: K.hard_sigmoid(K.sigmoid(x)),
    'elu': lambda x: K.elu(x, 0.3),
    'clip': lambda x: K.clip(x, 0.1, 0.9),
    'dropout': lambda x: K.dropout(x, 0.4),
    'normal': lambda x: x + K.random_normal((3,)),
    'one_hot': lambda x: K.one_hot(K.argmax(x), 3) * x,
    'normalise': lambda x: K.l2_normalize(x, axis=1),
    'crossentropy': lambda x: K.categorical_crossentropy(x, K.softmax(x)),
    'binary': lambda x: K.binary_crossentropy(x, x),
    'logits': lambda x: K.binary_crossentropy(x, x, from_logits=True),
    'theano': lambda x: T.exp(x) * 2 + 0.5,
    'rows': lambda x: x / K.cast(K.shape(x)[0], K.floatx()),
    'switch': lambda x: K.switch(x > 0, x, 0.0),
    'resize': lambda x: K.resize_images(K.reshape(x, (1, 4, 3, 1)), 2, 2, 'channels_last', 'bilinear'),
    'loop': lambda x: K.rnn(lambda e, s: (e + s[0], [e + s[0] * 0.5]), K.expand_dims(x, 0), [K.zeros((1, 3))])[0],
}


@pytest.mark.parametrize('floatx', ['float32', 'float64', 'float16'])
@pytest.mark.parametrize('name', sorted(EXPRESSIONS))
def test_no_other_float(floatx, name):
    """An expression in floatx with numbers, and its gradient, has no float of another dtype."""
    K.set_floatx(floatx)
    x = K.placeholder((4, 3))
    y = EXPRESSIONS[name](x)
    assert floatx == K.dtype(y) == K.function([x], y, mode=modes.python_mode())([np.abs(VALUE)]).dtype
    (grad,) = K.gradients(K.sum(y), [x])
    assert grad is None or floatx == grad.dtype


def test_numbers_keep_their_precision():
    """After set_floatx('float64') a number beside a result of Theano itself is not rounded to float32."""
    K.set_floatx('float64')
    x = K.placeholder((1,))
    assert 0.1 == K.function([x], T.exp(x) * 0.1)([np.zeros(1)])[0]
    K.set_floatx('float32')
    assert 'float32' == (T.exp(K.placeholder((1,))) * 0.1).dtype


def test_theano_bools():
    """Comparisons are bool, are fed and returned as such, and count as numbers where they meet them."""
    x, flags = K.placeholder((3,)), K.placeholder((3,), dtype='bool')
    both = K.all(K.stack([K.greater(x, 0.0), flags]), axis=0)
    got = K.function([x, flags], [both, both + both, both * x, K.sum(both), K.cast(x, 'bool')])(
        [np.array([1.0, -1.0, 2.0]), [True, True, False]]
    )
    assert ['bool', 'int32', 'float32', 'int32', 'bool'] == [r.dtype.name for r in got]
    assert [[True, False, False], [2, 0, 0], [1.0, 0.0, 0.0], 1, [True, True, True]] == [r.tolist() for r in got]


# -- loops -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('length', [1, 5])
@pytest.mark.parametrize('masked', [False, True])
@pytest.mark.parametrize('backwards', [False, True])
def test_rolled_and_unrolled(length, masked, backwards):
    """A loop gives what the unrolled steps give, on Theano and on NumPy, with gradients of gradients."""
    rng = np.random.RandomState(length)
    values, weights, mask = rng.randn(2, length, 3), rng.randn(3, 3) * 0.5, rng.rand(2, length) > 0.4

    def results(M, unroll):
        M.set_floatx('float64')
        x, w, m = M.placeholder((2, length, 3)), M.variable(weights), M.placeholder((2, length), dtype='bool')
        last, outputs, states = M.rnn(
            lambda e, s: (lambda h: (h, [h, s[1] + 1.0]))(M.tanh(M.dot(s[0], w) + e)),
            x,
            [M.zeros((2, 3)), M.zeros((2, 1))],
            go_backwards=backwards,
            mask=m if masked else None,
            unroll=unroll,
        )
        (grad,) = M.gradients(M.sum(outputs * outputs) + M.sum(last), [w])
        (second,) = M.gradients(M.sum(grad * grad), [w])
        return M.function([x, m], [last, outputs] + states + [grad, second])([values, mask])

    rolled = results(K, False)
    for other in results(K, True), results(N, True):
        for a, b in zip(rolled, other):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize('rows', [0, 3])
def test_loops_of_no_steps(rows):
    """A map of no rows is empty and a fold of none is what it started with; Theano has neither."""
    x, start = K.placeholder((None, 3)), K.variable([2.0, 3.0, 4.0])
    mapped, folded = K.map_fn(K.square, x), K.foldl(lambda total, row: total * row, x, start)
    grads = K.gradients(K.sum(mapped) + K.sum(folded), [x, start])
    got = K.function([x], [mapped, folded] + grads)([VALUE[:rows]])
    product = VALUE[:rows].prod(axis=0)
    truths = VALUE[:rows] ** 2, product * [2, 3, 4], 2 * VALUE[:rows] + product * [2, 3, 4] / VALUE[:rows], product
    for result, truth in zip(got, truths):
        np.testing.assert_allclose(truth, result, rtol=1e-4)


@pytest.mark.parametrize('major', [False, True])
def test_second_gradients_through_loops_of_unknown_sizes(major):
    """Gradients of gradients through a loop in which no size is known, whose outputs go to the user as they are."""
    x, h = K.placeholder((None, None, None)), K.placeholder((None, None))
    _, outputs, _ = K.rnn(lambda e, s: (e * s[0], [e * s[0]]), x, [h], time_major=major)
    (first,) = K.gradients(K.sum(outputs * outputs), [h])
    (second,) = K.gradients(K.sum(first * first), [h])
    value, steps = np.full((2, 2, 3), 2.0), np.ones((2, 3))
    # Of h the outputs are 2 h and 4 h: the sum of squares is 20 h h, its slope 40 h, and that of the square 3200 h.
    got = K.function([x, h], [first, second])([value, steps])
    np.testing.assert_allclose(np.full((2, 3), 40.0), got[0])
    np.testing.assert_allclose(np.full((2, 3), 3200.0), got[1])


# -- sparse ------------------------------------------------------------------------------------------------------------
def test_sparse_matrices():
    """Sparse matrices are fed, multiplied, joined and made dense, with the gradient of the dense factor."""
    scipy_sparse = pytest.importorskip('scipy.sparse')
    dense = np.where(VALUE > 0, VALUE, 0)
    x, w = K.placeholder((None, 3), sparse=True), K.variable(np.arange(6.0).reshape(3, 2))
    assert K.is_sparse(x)
    assert isinstance(x.type, theano.sparse.SparseType)
    y = K.dot(x, w)
    f = K.function([x], [y, K.to_dense(x), K.concatenate([x, x], axis=0), K.gradients(K.sum(y * y), [w])[0]])
    product = dense.dot(K.get_value(w))
    for fed in (scipy_sparse.csr_matrix(dense), scipy_sparse.coo_matrix(dense), scipy_sparse.csc_matrix(dense), dense):
        for got, truth in zip(f([fed]), (product, dense, np.concatenate([dense, dense]), 2 * dense.T.dot(product))):
            np.testing.assert_allclose(truth, got, rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError, match='to_dense'):
        K.exp(x)
    with pytest.raises(TypeError, match='to_dense'):
        x + 1.0


@pytest.mark.skipif(not theano.config.cxx, reason='without a compiler the quotient is 0')
def test_integers_divided_by_zero():
    """Compiled, it is an error where the divisor is fed, as docs/semantics.md says."""
    x, y = K.placeholder((2,), dtype='int32'), K.placeholder((2,), dtype='int32')
    for quotient in (x // y, x % y):
        with pytest.raises(ArgumentValueError, match='by zero'):
            K.function([x, y], [quotient])([[7, 8], [0, 3]])
        assert 2 == K.function([x, y], [quotient])([[7, 8], [7, 3]])[0][1]
