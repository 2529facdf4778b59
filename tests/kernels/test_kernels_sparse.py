"""Kernels on scipy.sparse matrices against dense arithmetic."""

import sys

import numpy as np
import pytest
from scipy import sparse

from keras_backend.basics.dtypes import by_rows
from keras_backend.errors import ArgumentValueError
from keras_backend.kernels import PRIMITIVES

k = PRIMITIVES
DENSE = np.random.RandomState(0).randint(-2, 3, (4, 3)).astype('float32')


@pytest.mark.parametrize('transpose', [False, True])
@pytest.mark.parametrize('tail', [(), (2,), (2, 5), (0,)])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32'])
def test_sparse_dot_kernel(transpose, tail, dtype):
    """Times a vector, a matrix, or more axes: an array of the same dtype."""
    x = DENSE.astype(dtype)
    y = np.random.RandomState(1).randint(-2, 3, (x.shape[0 if transpose else 1],) + tail).astype(dtype)
    made = k['sparse_dot'](sparse.csr_matrix(x), y, transpose)
    expected = np.tensordot(x.T if transpose else x, y, 1)
    assert made.__class__ is np.ndarray
    assert made.dtype == dtype
    assert made.shape == expected.shape
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize('axis', [0, 1, -1])
def test_sparse_concatenate_kernel(axis):
    """Sparse matrices and arrays side by side stay sparse, of the same dtype, in memory of their own."""
    x = sparse.csr_matrix(DENSE)
    made = k['sparse_concatenate'](x, DENSE, x, axis=axis)
    assert sparse.issparse(made)
    assert made.format == 'csr'
    assert made.dtype == 'float32'
    np.testing.assert_array_equal(made.toarray(), np.concatenate((DENSE, DENSE, DENSE), axis))
    assert not np.shares_memory(k['sparse_concatenate'](x, axis=axis).data, x.data)


@pytest.mark.parametrize('dtype', ['float64', 'int32', 'bool'])
def test_sparse_cast_kernel(dtype):
    """Entry by entry as an array; the matrix that was cast keeps its own."""
    x = sparse.csr_matrix(DENSE * 1.5)
    made = k['sparse_cast'](x, dtype=dtype)
    assert sparse.issparse(made)
    assert made.dtype == dtype
    assert x.dtype == 'float32'
    np.testing.assert_array_equal(made.toarray(), (DENSE * 1.5).astype(dtype))


def test_to_dense():
    """As an array; an array passes."""
    np.testing.assert_array_equal(k['to_dense'](sparse.csr_matrix(DENSE)), DENSE)
    assert k['to_dense'](DENSE) is DENSE


def test_shape():
    """A sparse matrix has a shape as any tensor."""
    assert k['shape'](sparse.csr_matrix(DENSE)).tolist() == [4, 3]


@pytest.mark.parametrize('lengths', [[3, 0, 2], [0, 0, 0], [3, 3, 9]])
def test_ctc_sparse(lengths):
    """The labels within their lengths, a stored 0 included."""
    labels = np.array([[1, 0, 2], [4, 5, 6], [7, 8, 9]], 'int32')
    made = k['ctc_sparse'](labels, np.array(lengths))
    expected = [[v if i < n else 0 for i, v in enumerate(row)] for row, n in zip(labels.tolist(), lengths)]
    assert made.toarray().tolist() == expected
    assert made.dtype == 'int32'
    assert made.nnz == sum(min(n, 3) for n in lengths)


def changed(matrix, **attributes):
    """The matrix with other arrays in it, as a broken file has them."""
    for name, value in attributes.items():
        setattr(matrix, name, np.array(value, getattr(matrix, name).dtype))
    return matrix


@pytest.mark.parametrize(
    ('kind', 'attributes'),
    [
        ('coo_matrix', {'row': [0, 4], 'col': [0, 1]}),
        ('coo_matrix', {'row': [0, -1], 'col': [0, 1]}),
        ('coo_matrix', {'row': [0, 1], 'col': [0, 3]}),
        ('csr_matrix', {'indptr': [0, 1, 2, 2]}),
        ('csr_matrix', {'indptr': [1, 1, 2, 2, 2]}),
        ('csr_matrix', {'indptr': [0, 2, 1, 2, 2]}),
        ('csr_matrix', {'indptr': [0, 1, 2, 2, 3]}),
        ('csr_matrix', {'indptr': [0, 1, 2, 2, 3], 'indices': [0, 1, 2]}),
        ('csr_matrix', {'indptr': [0, 1, 2, 2, 3], 'data': [1, 2, 3]}),
        ('csr_matrix', {'indices': [0, 3]}),
        ('csr_matrix', {'indices': [-1, 1]}),
        ('csc_matrix', {'indptr': [0, 1, 2]}),
        ('csc_matrix', {'indices': [0, 4]}),
    ],
)
def test_places_outside_of_a_matrix(kind, attributes):
    """They are found before compiled code of SciPy follows them."""
    entries = ([5.0, 6.0], ([0, 1], [0, 1]))
    good = getattr(sparse, kind)(entries, (4, 3))
    assert by_rows(good).toarray().tolist() == [[5, 0, 0], [0, 6, 0], [0, 0, 0], [0, 0, 0]]
    with pytest.raises(ArgumentValueError, match=r'matrix of shape \(4, 3\) has entries at places outside'):
        by_rows(changed(getattr(sparse, kind)(entries, (4, 3)), **attributes))


def test_places_at_the_edge_of_a_matrix():
    """The last row and column are inside, and arrays may be longer than what is used of them."""
    entries = ([5.0, 6.0], ([0, 3], [2, 2]))
    for kind in ('coo_matrix', 'csr_matrix', 'csc_matrix', 'lil_matrix', 'dok_matrix'):
        matrix = getattr(sparse, kind)(sparse.coo_matrix(entries, (4, 3)))
        assert by_rows(matrix).toarray().tolist() == [[0, 0, 5], [0, 0, 0], [0, 0, 0], [0, 0, 6]]
    longer = changed(sparse.csr_matrix(entries, (4, 3)), indices=[2, 2, 9], data=[5, 6, 7])
    assert by_rows(longer) is longer


def test_without_scipy(monkeypatch):
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, 'scipy', None)
    monkeypatch.setitem(sys.modules, 'scipy.sparse', None)
    with pytest.raises(ImportError, match='pip install scipy'):
        k['ctc_sparse'](np.array([[1]]), np.array([1]))
