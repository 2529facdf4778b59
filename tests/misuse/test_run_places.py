"""Sizes, lengths, labels and places that a run is told: too small, too large, NaN. And matrices with places outside."""

import numpy as np
import pytest
from processes import ENGINE

import keras_backend as K
from keras_backend.errors import KerasBackendError

sparse = pytest.importorskip('scipy.sparse')


def ones(*shape):
    return K.constant(np.ones(shape))


def table(rows=3, columns=4):
    return K.variable(np.ones((rows, columns)))


def probabilities():
    return K.softmax(ones(1, 5, 4))


def gradient(build, variable):
    return K.gradients(K.sum(build(variable)), [variable])[0]


def cost(labels=((0, 1),), y_pred=None, times=((5,),), lengths=((2,),)):
    given = [K.constant(x) if isinstance(x, tuple) else x for x in (labels, times, lengths)]
    return K.ctc_batch_cost(given[0], probabilities() if y_pred is None else y_pred, *given[1:])


# What reads a number of the run: a whole one.
WHOLE = {
    'random_normal': lambda n: K.random_normal((n, 2)),
    'truncated_normal': lambda n: K.truncated_normal((2, n)),
    'zeros': lambda n: K.zeros((n, 2)),
    'arange': lambda n: K.arange(0, 10, n),
    'tile': lambda n: K.tile(ones(3, 4), (n, 1)),
    'repeat': lambda n: K.repeat(ones(3, 4), n),
    'reshape': lambda n: K.reshape(ones(3, 4), (n, -1)),
    'slice': lambda n: K.slice(ones(3, 4), (n, 0), (1, 2)),
    'slice size': lambda n: K.slice(ones(3, 4), (0, 0), (n, 2)),
    'index': lambda n: ones(3, 4)[n],
    'slice from': lambda n: ones(3, 4)[n:],
    'slice to': lambda n: ones(3, 4)[:n],
    'gather': lambda n: K.gather(ones(3, 4), K.stack([n, n])),
    'gradient of gather': lambda n: gradient(lambda v: K.gather(v, K.stack([n, n])), table()),
    'gradient of gather of many rows': lambda n: gradient(lambda v: K.gather(v, K.stack([n, n])), table(3000, 40)),
    'gradient of index': lambda n: gradient(lambda v: v[n], table()),
    'sparse crossentropy': lambda n: K.sparse_categorical_crossentropy(K.stack([n, n, n]), K.softmax(ones(3, 4))),
    'in_top_k': lambda n: K.in_top_k(ones(3, 4), K.stack([n, n, n]), 2),
    'one_hot': lambda n: K.one_hot(K.stack([n, n]), 5),
    'output_shape': lambda n: K.conv2d_transpose(ones(2, 1, 5, 3), ones(2, 2, 4, 3), (2, n, 6, 4)),
    'steps': lambda n: K.map_fn(lambda row: row * 2.0, K.random_normal((n, 3))),
    'pool': lambda n: gradient(lambda v: K.pool2d(v, (2, 2)), K.random_normal((1, n, 2, 1))),
    'division': lambda n: K.constant([7, 8], dtype='int32') // n,
}
# The same of a float.
FLOAT = {
    'cost of labels': lambda n: cost(labels=K.reshape(K.stack([n, n]), (1, 2))),
    'cost of times': lambda n: cost(times=K.reshape(n, (1, 1))),
    'cost of lengths': lambda n: cost(lengths=K.reshape(n, (1, 1))),
    'gradient of cost': lambda n: gradient(lambda v: cost(y_pred=K.softmax(v), times=K.reshape(n, (1, 1))), table5()),
    'decode': lambda n: K.ctc_decode(probabilities(), K.reshape(n, (1,)))[0][0],
    'decode by a beam': lambda n: K.ctc_decode(probabilities(), K.reshape(n, (1,)), greedy=False)[0][0],
}
NUMBERS = [-1, -7, 0, 3, 99, -(2**31)]


def table5():
    return K.variable(np.ones((1, 5, 4)))


@pytest.mark.parametrize('what', sorted(WHOLE) + sorted(FLOAT))
def test_numbers_of_the_run(what):
    """Each run ends in a result or an error of ours; the function goes on to work."""
    whole = what in WHOLE
    n = K.placeholder((), dtype='int32' if whole else 'float32', name='n')
    function = K.function([n], [(WHOLE if whole else FLOAT)[what](n)])
    before = function([2])[0]
    for number in NUMBERS if whole else [*NUMBERS, 0.5, float('nan'), float('inf'), -float('inf')]:
        try:
            function([number])
        except KerasBackendError:
            pass
    after = function([2])[0]
    assert before.shape == after.shape
    if what not in ('random_normal', 'truncated_normal', 'steps', 'pool'):
        np.testing.assert_array_equal(before, after)


def test_no_classes():
    """A cost of no classes is a result or an error, and no end of the process."""
    y = K.placeholder((None, None, None))
    function = K.function([y], [cost(y_pred=y)])
    try:
        function([np.ones((1, 5, 0))])
    except KerasBackendError:
        pass
    assert np.isfinite(function([np.full((1, 5, 4), 0.25)])[0]).all()


def corrupt(kind, place):
    """A matrix that was correct when SciPy looked at it."""
    matrix = sparse.csr_matrix(np.eye(3, dtype='float32')).asformat(kind)
    (matrix.row if kind == 'coo' else matrix.indices)[1] = place
    return matrix


@pytest.mark.parametrize('kind', ['csr', 'csc', 'coo'])
@pytest.mark.parametrize('place', [3, -1, 10**8])
def test_places_of_a_matrix(kind, place):
    """Compiled code would read foreign memory there."""
    if not K.supports('to_dense') or ENGINE == 'cntk':
        pytest.skip('no sparse matrices')
    x = K.placeholder((None, 3), sparse=True)
    function = K.function([x], [K.dot(x, ones(3, 2))])
    with pytest.raises(ValueError, match='places outside'):
        function([corrupt(kind, place)])
    with pytest.raises(ValueError, match='places outside'):
        K.variable(corrupt(kind, place))
    assert (function([sparse.csr_matrix(np.eye(3))])[0] == 1.0).all()


def test_starts_of_a_matrix():
    """Rows whose starts do not ascend."""
    matrix = sparse.csr_matrix(np.eye(3, dtype='float32'))
    matrix.indptr[1] = 10**6
    with pytest.raises(ValueError, match='starts of rows'):
        K.variable(matrix)


def test_too_little_memory():
    """A run that asks for more memory than there is: a MemoryError, and an error of ours."""
    n = K.placeholder((), dtype='int32')
    function = K.function([n], [K.random_normal((n, n))])
    with pytest.raises(MemoryError, match=r'^K\.') as caught:
        function([2**28])
    assert isinstance(caught.value, KerasBackendError)
    assert function([2])[0].shape == (2, 2)
