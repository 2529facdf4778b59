"""The gradient of max pooling where elements of a window are equal, wherever the pooling stands."""

import numpy as np
import pytest

from ._check import close, covers, distinct, integers

POOLS = {'pool2d': (2, (5, 4)), 'pool3d': (3, (4, 3, 5))}


def expected(x, window, strides, padding):
    """One for the first of the largest elements of each window: the gradient of the sum, in loops."""
    gradient = np.zeros(x.shape)
    sizes = x.shape[1:-1]
    counts, before = [], []
    for n, k, s in zip(sizes, window, strides):
        counts.append(-(-n // s) if padding == 'same' else (n - k) // s + 1)
        before.append(max((counts[-1] - 1) * s + k - n, 0) // 2 if padding == 'same' else 0)
    for sample in range(x.shape[0]):
        for channel in range(x.shape[-1]):
            for corner in np.ndindex(*counts):
                inside = []
                for offset in np.ndindex(*window):
                    position = tuple(c * s - b + o for c, s, b, o in zip(corner, strides, before, offset))
                    if all(0 <= p < n for p, n in zip(position, sizes)):
                        inside.append(position)
                largest = max(x[(sample, *position, channel)] for position in inside)
                first = next(position for position in inside if x[(sample, *position, channel)] == largest)
                gradient[(sample, *first, channel)] += 1
    return gradient


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name, 'gradients')) for name in POOLS])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_first_of_equal_elements(K, name, dtype):
    """It alone gets the gradient: outside, in a function of elements, and in a branch."""
    rank, sizes = POOLS[name]
    array = integers((2, *sizes, 2), low=0, high=2).astype(dtype)
    pool = getattr(K, name)
    flag = K.placeholder((), dtype='bool')
    for window, strides, padding in [((2,) * rank, (1,) * rank, 'valid'), ((2, 3, 2)[:rank], (2, 1, 2)[:rank], 'same')]:
        x = K.placeholder(array.shape, dtype=dtype)

        def pooled(t, options=(window, strides, padding)):
            return pool(t, *options, data_format='channels_last')

        forms = [
            pooled(x),
            K.map_fn(lambda e, pooled=pooled: pooled(K.expand_dims(e, 0))[0], x),
            K.switch(flag, lambda x=x, pooled=pooled: pooled(x), lambda x=x, pooled=pooled: pooled(x * 2.0)),
        ]
        values = K.function([x, flag], [K.gradients(K.sum(y), [x])[0] for y in forms])([array, True])
        truth = expected(array.astype('float64'), window, strides, padding)
        for value in values:
            close(value.astype('float64'), truth)


@covers('pool2d', 'gradients')
@pytest.mark.parametrize(
    ('window', 'strides', 'padding'), [((2, 1), (1, 1), 'same'), ((3, 2), (2, 1), 'same'), ((1, 1), (1, 1), 'valid')]
)
@pytest.mark.parametrize('unknown', [False, True])
def test_second_gradient_of_poolings_in_a_row(K, check, window, strides, padding, unknown):
    """The result of each may be as large as its input. Of distinct elements the chosen one alone has a gradient."""
    array = distinct((2, 3, 2, 1))
    x = check.placeholder(array, range(4) if unknown else ())
    y = x
    for _ in range(2):
        y = K.pool2d(y, window, strides, padding, data_format='channels_last')
    first = K.gradients(K.sum(y**3), [x])[0]
    second = K.gradients(K.sum(K.square(first)), [x])[0]
    value, once, twice = K.function([x], [y, first, second])([array])
    count = np.array([(value == e).sum() for e in array.reshape(-1)]).reshape(array.shape)
    close(once, 3 * count * array**2)
    close(twice, 2 * once * 6 * count * array)
