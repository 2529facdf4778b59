"""The gradient of max pooling where elements of a window are equal, wherever the pooling stands."""

import numpy as np
import pytest

from ._check import close, covers, integers

POOLS = {'pool2d': (2, (5, 4)), 'pool3d': (3, (4, 3, 5))}


def expected(x, window, strides, padding):
    """One for the first of the largest elements of each window: the gradient of the sum, in loops."""
    gradient = np.zeros(x.shape)
    places = x.shape[1:-1]
    counts, before = [], []
    for n, k, s in zip(places, window, strides):
        counts.append(-(-n // s) if padding == 'same' else (n - k) // s + 1)
        before.append(max((counts[-1] - 1) * s + k - n, 0) // 2 if padding == 'same' else 0)
    for sample in range(x.shape[0]):
        for channel in range(x.shape[-1]):
            for corner in np.ndindex(*counts):
                inside = []
                for offset in np.ndindex(*window):
                    place = tuple(c * s - b + o for c, s, b, o in zip(corner, strides, before, offset))
                    if all(0 <= p < n for p, n in zip(place, places)):
                        inside.append(place)
                largest = max(x[(sample, *place, channel)] for place in inside)
                first = next(place for place in inside if x[(sample, *place, channel)] == largest)
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
        x = K.variable(array, dtype=dtype)

        def pooled(t, options=(window, strides, padding)):
            return pool(t, *options, data_format='channels_last')

        forms = [
            pooled(x),
            K.map_fn(lambda e, pooled=pooled: pooled(K.expand_dims(e, 0))[0], x),
            K.switch(flag, lambda x=x, pooled=pooled: pooled(x), lambda x=x, pooled=pooled: pooled(x * 2.0)),
        ]
        values = K.function([flag], [K.gradients(K.sum(y), [x])[0] for y in forms])([True])
        truth = expected(array.astype('float64'), window, strides, padding)
        for value in values:
            close(value.astype('float64'), truth)
