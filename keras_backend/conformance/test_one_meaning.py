"""What one call means on every engine, where engines once had an answer each."""

import numpy as np

from ._check import close, covers, random

X, Y = random((3, 2), 1), random((3,), 2)


@covers('foldl', 'foldr')
def test_fold_over_several_tensors(K):
    """A fold goes over a list or tuple of tensors, and its accumulator may be one of those, too."""
    x, y = K.constant(X), K.constant(Y)
    start = np.zeros(2)
    weighted = K.foldl(lambda total, e: total + e[0] * e[1], (x, y), initializer=K.constant(start))
    close(K.eval(weighted), (X * Y[:, np.newaxis]).sum(axis=0))
    backwards = K.foldr(lambda total, e: total * 2.0 + e[0] * e[1], [x, y], initializer=K.constant(start))
    expected = start
    for row, factor in zip(X[::-1], Y[::-1]):
        expected = expected * 2 + row * factor
    close(K.eval(backwards), expected)
    total, product = K.foldl(lambda pair, e: [pair[0] + e[0], pair[1] * e[1]], [x, y])
    close(K.eval(total), X.sum(axis=0))
    close(K.eval(product), Y.prod())
    total, product = K.foldr(
        lambda pair, e: (pair[0] + e, pair[1] * e), y, initializer=(K.constant(0.0), K.constant(1.0))
    )
    close(K.eval(total), Y.sum())
    close(K.eval(product), Y.prod())


@covers('foldl', 'foldr')
def test_fold_from_a_number(K, check):
    """The initializer may be a number of Python."""
    array = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 'float32')
    values = check.eval(
        lambda x: (
            K.foldl(lambda total, row: 0.5 * total + K.sum(row), x, 0.0),
            K.foldr(lambda total, row: 0.5 * total + K.sum(row), x, initializer=1.0),
            K.foldl(lambda count, row: count + 1, x, 0),
        ),
        array,
    )
    assert [float(value) for value in values] == [15.25, 9.375, 3.0]


@covers('map_fn')
def test_map_to_two_dtypes(K):
    """`dtype` of `map_fn` may name a dtype for each result."""
    doubled, whole = K.map_fn(lambda e: (e * 2.0, e), K.constant(Y), dtype=('float64', 'int32'))
    assert ['float64', 'int32'] == [K.dtype(doubled), K.dtype(whole)]
    close(K.eval(doubled), Y * 2.0, tolerance=1e-6)
    close(K.eval(whole), Y.astype('int32'))


@covers('dot', 'batch_dot', 'switch')
def test_arrays_beside_tensors(K):
    """An array takes the float dtype of the tensor beside it; arrays alone keep theirs."""
    x = K.constant(X)
    assert 'float32' == K.dtype(K.dot(x, np.ones((2, 4)))) == K.dtype(K.dot(np.ones((4, 3)), x))
    assert 'float32' == K.dtype(K.batch_dot(K.expand_dims(x, 1), np.ones((3, 2, 1))))
    assert 'float64' == K.dtype(K.dot(X, np.ones((2, 4))))
    image, kernel = np.ones((1, 3, 3, 1)), K.ones((2, 2, 1, 1))
    assert 'float32' == K.dtype(K.conv2d(image, kernel)) == K.dtype(K.conv2d(K.constant(image), np.ones((2, 2, 1, 1))))
    assert 'float64' == K.dtype(K.conv2d(image, np.ones((2, 2, 1, 1))))
    chosen = K.switch(K.greater(x, 0), x, np.zeros((3, 2)))
    assert 'float32' == K.dtype(chosen)
    close(K.eval(chosen), np.maximum(X, 0))


@covers('tile')
def test_tile_beyond_the_rank(K):
    """More repetitions than axes add axes in front."""
    close(K.eval(K.tile(K.constant(Y), [2, 1])), np.tile(Y, (2, 1)))


@covers('rnn', 'learning_phase')
def test_learning_phase_of_unrolled_steps(K):
    """The outputs of K.rnn use the learning phase if any step does, whether it is unrolled or not."""

    def step(x, states):
        y = K.in_train_phase(x, x * 2.0)
        return y, [y]

    def step_that_goes_on(x, states):
        y = K.in_train_phase(x, x * 2.0) + states[0]
        return y * 2.0, [y]

    def step_without(x, states):
        return x + states[0], [x]

    for function, expected in (step, True), (step_that_goes_on, True), (step_without, False):
        for unroll in False, True:
            inputs = K.placeholder((2, 3, 1))
            last, outputs, _ = K.rnn(function, inputs, [K.zeros((2, 1))], unroll=unroll)
            assert expected == getattr(last, '_uses_learning_phase', False)
            assert expected == getattr(outputs, '_uses_learning_phase', False)
