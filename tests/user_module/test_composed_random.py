"""Draws, composed, on an eager K: all sizes known, and most of them hidden."""

import numpy as np
import scipy.stats

from .eager_k import N, close, draw


def test_random_distributions(K):
    """Composed draws pass tests of their distribution, and a shape may be known only in a run."""
    normal = np.asarray(K.random_normal((4000,), 1.0, 2.0, seed=3)).ravel()
    assert scipy.stats.kstest((normal - 1.0) / 2.0, 'norm').pvalue > 0.01
    assert abs(np.mean(np.asarray(K.random_binomial((4000,), 0.3, seed=1))) - 0.3) < 0.03
    for p in (0.0, 1.0):
        close(np.full(50, p), K.random_binomial((50,), p))
    x = draw(N, 2)
    assert (N, 3) == K.random_normal([K.shape(x)[0], 3]).shape
    assert (N, 2) == K.random_normal(K.shape(x)).shape
    assert 'int32' == K.dtype(K.random_binomial((2,), 0.5, dtype='int32'))
    whole = np.asarray(K.random_normal((200,), 0.0, 3.0, dtype='int32', seed=3))
    assert 'int32' == whole.dtype
    np.testing.assert_array_equal(np.floor(np.asarray(K.random_normal((200,), 0.0, 3.0, seed=3))), whole)
