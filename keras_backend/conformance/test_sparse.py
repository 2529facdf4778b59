"""Sparse placeholders: what they are fed with, which functions take them, and the errors of the others."""

import numpy as np
import pytest

from ..errors import KerasBackendError
from ._check import all_close, close, covers, random

sparse = pytest.importorskip('scipy.sparse')
pytestmark = covers('placeholder')

DENSE = np.array([[0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [3.0, 0.0, -4.0, 0.0]])
W = random((4, 2), seed=1)


def disorderly():
    """A COO matrix with unsorted and duplicate entries that sum to DENSE."""
    return sparse.coo_matrix(([-4.0, 1.0, 1.0, 1.0, 3.0], ([2, 0, 0, 0, 2], [2, 3, 1, 1, 0])), shape=(3, 4))


FEEDS = {
    'csr': lambda: sparse.csr_matrix(DENSE),
    'csc': lambda: sparse.csc_matrix(DENSE),
    'coo': lambda: sparse.coo_matrix(DENSE),
    'unsorted coo with duplicates': disorderly,
    'lil': lambda: sparse.lil_matrix(DENSE),
    'dense array': lambda: DENSE,
    'list': lambda: DENSE.tolist(),
    'integers': lambda: sparse.csr_matrix(DENSE.astype('int64')),
}


@covers('is_sparse', 'to_dense', 'is_placeholder', 'is_tensor', 'int_shape', 'dtype', 'ndim')
def test_asking(K):
    """A sparse placeholder is a placeholder of known rank and dtype; its dense form is not sparse."""
    x = K.placeholder((None, 4), sparse=True, name='sparse_input')
    assert K.is_sparse(x)
    assert K.is_placeholder(x)
    assert K.is_tensor(x)
    assert K.int_shape(x) == (None, 4)
    assert K.ndim(x) == 2
    assert K.dtype(x) == 'float32'
    assert not K.is_sparse(K.to_dense(x))
    assert not K.is_placeholder(K.to_dense(x))
    assert K.int_shape(K.to_dense(x)) == (None, 4)
    assert 'sparse_input' in x.name
    assert not K.is_sparse(K.placeholder((2, 2)))


@pytest.mark.parametrize('kind', sorted(FEEDS))
@covers('to_dense', 'dot')
def test_feeding(K, check, kind):
    """scipy matrices of every kind and dense arrays can be fed. Functions return dense arrays."""
    x = K.placeholder((None, 4), sparse=True)
    function = K.function([x], [K.to_dense(x), K.dot(x, K.constant(W)), x])
    values = function([FEEDS[kind]()])
    for value, expected in zip(values, [DENSE, DENSE.dot(W), DENSE]):
        assert isinstance(value, np.ndarray)
        assert value.dtype.name == 'float32'
        close(value, expected)


@covers('dot')
def test_dot_of_any_size(K):
    """One function takes any number of rows, also rows without entries. The static shape is known."""
    x, w = K.placeholder((None, None), sparse=True), K.variable(W)
    y = K.dot(x, w)
    assert not K.is_sparse(y)
    assert K.int_shape(y) == (None, 2)
    function = K.function([x], [y])
    for matrix in (sparse.csr_matrix(DENSE), sparse.csr_matrix((5, 4)), sparse.random(7, 4, 0.5, random_state=1)):
        close(function([matrix])[0], matrix.dot(W))


@covers('concatenate', 'to_dense')
@pytest.mark.parametrize('axis', [0, 1, -1])
def test_concatenate(K, axis):
    """Concatenating sparse tensors gives a sparse tensor."""
    x, y = K.placeholder((None, 4), sparse=True), K.placeholder((None, 4), sparse=True)
    joined = K.concatenate([x, y], axis=axis)
    assert K.is_sparse(joined)
    function = K.function([x, y], [joined, K.to_dense(joined)])
    for value in function([sparse.csr_matrix(DENSE), sparse.csc_matrix(DENSE * 2)]):
        close(value, np.concatenate([DENSE, DENSE * 2], axis))


@covers('gradients', 'dot')
def test_gradients_of_the_dense_factor(K):
    """The dense factor of a sparse product can be trained."""
    x, w = K.placeholder((None, 4), sparse=True), K.variable(W)
    y = K.dot(x, w)
    gradient = K.gradients(K.sum(K.square(y)), [w])[0]
    values = K.function([x], [gradient], updates=[K.update_sub(w, gradient)])([sparse.csr_matrix(DENSE)])
    expected = 2 * DENSE.T.dot(DENSE.dot(W))
    close(values[0], expected, scale=10)
    close(K.get_value(w), W - expected, scale=10)


@covers('to_dense', 'gradients')
def test_dense_form_in_expressions(K):
    """All functions take the dense form."""
    x, v = K.placeholder((None, 4), sparse=True), K.variable(np.ones(4))
    y = K.sum(K.to_dense(x) * v, axis=1)
    values = K.function([x], [y, K.gradients(y, [v])[0]])([sparse.csr_matrix(DENSE)])
    close(values[0], DENSE.sum(1))
    close(values[1], DENSE.sum(0))


@pytest.mark.parametrize('dtype', ['float64', 'int32'])
@covers('to_dense')
def test_dtypes(K, check, dtype):
    """The value has the dtype of the placeholder."""
    x = K.placeholder((3, 4), sparse=True, dtype=dtype)
    value = K.function([x], [K.to_dense(x)])([sparse.csr_matrix(DENSE)])[0]
    assert value.dtype.name == dtype
    close(value, DENSE.astype(dtype))


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'int64'])
@covers('cast', 'is_sparse', 'to_dense', 'dot')
def test_cast(K, check, dtype):
    """A cast sparse tensor stays sparse. It may be a placeholder, a variable or a result."""
    fractions = DENSE * 1.75
    x, v = K.placeholder((None, 4), sparse=True), K.variable(sparse.csr_matrix(fractions), dtype='float64')
    tensors = [K.cast(x, dtype), K.cast(v, dtype), K.cast(K.concatenate([x, x], axis=0), dtype)]
    for tensor, rows in zip(tensors, (None, 3, None)):
        assert K.is_sparse(tensor)
        assert K.is_tensor(tensor)
        assert K.dtype(tensor) == dtype
        assert K.ndim(tensor) == 2
        assert K.int_shape(tensor) in ((rows, 4), (None, 4), (None, None))
        assert not K.is_variable(tensor) or tensor is v
    values = K.function([x], tensors + [K.to_dense(tensors[0])])([sparse.coo_matrix(fractions)])
    expected = fractions.astype('float32').astype(dtype)
    all_close(values, [expected, fractions.astype(dtype), np.concatenate([expected] * 2), expected], dtype)


@covers('cast', 'dot', 'gradients')
def test_product_of_what_was_cast(K):
    """A product takes a cast sparse tensor, and its dense factor has a gradient."""
    x, w = K.placeholder((None, 4), sparse=True), K.variable(W, dtype='float64')
    y = K.dot(K.cast(x, 'float64'), w)
    assert K.dtype(y) == 'float64'
    assert K.int_shape(y) == (None, 2)
    values = K.function([x], [y] + K.gradients(K.sum(y * y), [w]))([sparse.csr_matrix(DENSE)])
    close(values[0], DENSE.dot(W))
    close(values[1], 2 * DENSE.T.dot(DENSE.dot(W)), scale=10)


@pytest.mark.parametrize(
    'name',
    [
        pytest.param(name, marks=covers(name))
        for name in ('exp', 'sum', 'relu', 'transpose', 'reshape', 'softmax', 'expand_dims', 'gather', 'max')
    ],
)
def test_other_functions_name_to_dense(K, name):
    """Functions that take no sparse tensors raise an error that says so and names `K.to_dense`."""
    x = K.placeholder((3, 4), sparse=True)
    arguments = {'reshape': ((4, 3),), 'gather': (K.constant([0], dtype='int32'),)}.get(name, ())
    with pytest.raises((KerasBackendError, TypeError, ValueError)) as caught:
        getattr(K, name)(x, *arguments)
    assert 'K.to_dense' in str(caught.value)


def test_operators_refuse(K):
    """Operators raise the same error."""
    x = K.placeholder((3, 4), sparse=True)
    for apply in (lambda: x + 1.0, lambda: x * x, lambda: -x, lambda: x[0]):
        with pytest.raises((KerasBackendError, TypeError, ValueError)):
            apply()


def test_wrong_feeds(K, check):
    """A matrix of another shape is an error that names the placeholder. A dense placeholder takes no sparse matrix."""
    x, y = K.placeholder((None, 4), sparse=True, name='sparse_input'), K.placeholder((None, 4), name='dense_input')
    function = K.function([x], [K.to_dense(x)])
    for columns in 3, 5:
        with check.rejects('sparse_input'):
            function([sparse.csr_matrix((3, columns))])
    with pytest.raises((ValueError, TypeError)) as caught:
        K.function([y], [y * 2.0])([sparse.csr_matrix(DENSE)])
    assert isinstance(caught.value, KerasBackendError)
    assert 'dense_input' in str(caught.value)


@covers('variable', 'is_sparse', 'dot', 'eval')
def test_sparse_variable(K, check):
    """A variable may be made of a scipy matrix; its value is dense."""
    v = K.variable(sparse.csr_matrix(DENSE))
    assert K.is_sparse(v)
    assert K.is_variable(v)
    assert K.int_shape(v) == (3, 4)
    assert K.dtype(v) == 'float32'
    all_close(check.run([v, K.dot(v, K.constant(W))]), [DENSE, DENSE.dot(W)])
    close(K.eval(v), DENSE)


@covers('ctc_label_dense_to_sparse', 'eval')
def test_eval_gives_a_dense_array(K):
    """`eval` of a sparse tensor returns a dense array."""
    labels = K.ctc_label_dense_to_sparse(K.constant([[1, 2]], dtype='int32'), K.constant([1], dtype='int32'))
    assert K.eval(labels).tolist() == [[1, 0]]


def test_rank(K):
    """Sparse placeholders are of rank 2."""
    with pytest.raises((ValueError, TypeError)):
        K.placeholder((2, 3, 4), sparse=True)
