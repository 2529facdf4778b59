"""Draws, composed, on an eager K: all sizes known, and most of them hidden."""
import numpy as np
import scipy.stats

from .eager_k import N, close, draw


def test_random_distributions(K):
    """Composed draws pass tests of their distribution, and a shape may be known only in a run."""
    normal = np.asarray(K.random_normal((4000,), 1., 2., seed=3)).ravel()
    assert scipy.stats.kstest((normal - 1.) / 2., 'norm').pvalue > .01
    assert abs(np.mean(np.asarray(K.random_binomial((4000,), .3, seed=1))) - .3) < .03
    for p in (0., 1.):
        close(np.full(50, p), K.random_binomial((50,), p))
    x = draw(N, 2)
    assert (N, 3) == K.random_normal([K.shape(x)[0], 3]).shape
    assert (N, 2) == K.random_normal(K.shape(x)).shape
    assert 'int32' == K.dtype(K.random_binomial((2,), .5, dtype='int32'))
