"""What SciPy 1.1 to 1.14 took away, other than images. The values are those of SciPy 1.2 and 1.1."""

# needs: scipy
import numpy as np
import scipy
from scipy import integrate, interpolate, linalg, misc, signal, spatial, special, stats
from scipy.misc import comb, derivative, factorial, logsumexp

np.random.seed(0)
numbers = scipy.randn(3)
np.random.seed(0)
assert (numbers == np.random.randn(3)).all() and scipy.zeros(2).tolist() == [0, 0] and scipy.pi == np.pi
assert scipy.sqrt(-4) == 2j and scipy.interp(1.5, [1, 2], [0, 1]) == 0.5 and scipy.array([1]).dtype.kind == 'i'
assert scipy.random.rand(2).shape == (2,) and scipy.mean([1, 2]) == 1.5
assert comb(5, 2) == 10 and isinstance(comb(5, 2, exact=True), int) and comb(5, [1, 2]).tolist() == [5, 10]
assert (
    comb(4, 2, exact=True, repetition=True) == 10
    and factorial(4) == 24
    and factorial(25, exact=True) == 15511210043330985984000000
)
assert (
    abs(logsumexp([1.0, 2.0], b=[1, 3]) - np.log(np.e + 3 * np.e**2)) < 1e-7 and misc.factorial2(7, exact=True) == 105
)
assert abs(derivative(lambda x: x**3 + x**2, 1.0, dx=1e-6) - 5) < 1e-6
assert np.allclose(derivative(np.exp, 0.5, dx=0.1, n=2, order=7), 1.64872116, atol=1e-7)
assert np.allclose(misc.central_diff_weights(5), [1 / 12.0, -2 / 3.0, 0, 2 / 3.0, -1 / 12.0])
assert np.allclose(misc.central_diff_weights(5, 2), [-1 / 12.0, 4 / 3.0, -5 / 2.0, 4 / 3.0, -1 / 12.0])
assert misc.pade([1.0, 1.0, 0.5, 1 / 6.0], 1)[0].order == 2

assert np.allclose(signal.gaussian(3, 1.0), [0.60653066, 1, 0.60653066]) and np.allclose(
    signal.hann(4), [0, 0.75, 0.75, 0]
)
assert np.allclose(signal.hanning(5, sym=False)[1], 0.3454915) and signal.boxcar(2).tolist() == [1, 1]
assert np.allclose(signal.ricker(5, 2.0), [0, 0.40592085, 0.61329144, 0.40592085, 0])
assert np.allclose(signal.ricker(4, 1.0)[:2], [-0.35197403, 0.57405877])
assert np.allclose(signal.morlet(4)[1:3], [-0.04189589 + 0.07256526j, -0.04189589 - 0.07256526j])
assert np.allclose(signal.morlet(3, 2.0, 0.5, False), [0.00540201, 0.75112554, 0.00540201])
waves = signal.cwt(np.sin(np.arange(12.0)), signal.ricker, [1, 2])
assert np.allclose(waves[:, :3], [[-0.4806, 0.151566, 1.127437], [0.226194, 1.053545, 1.381199]], atol=1e-6)
assert waves.shape == (2, 12) and np.allclose(waves[:, -1], [-1.24318, -0.96959], atol=1e-6)

x, y = np.array([0.0, 1, 2.5, 3, 4.2, 5]), np.array([0.0, 2.0, 1.0, 3.0, -1.0, 0.5])
found = [
    [integrate.simps(y, even=even), integrate.simps(y, x, even=even), integrate.simps(y, dx=2, even=even)]
    for even in ('avg', 'first', 'last')
]
assert np.allclose(
    found, [[5.29166667, 5.13833333, 10.58333333], [6.75, 7.36, 13.5], [3.83333333, 2.91666667, 7.66666667]]
)
assert np.isclose(integrate.simps(y), 5.29166667) and integrate.simps(y[:2]) == 1
assert integrate.simps(y[:5]) == 7 and np.isclose(integrate.simps(y[:5], x[:5]), 7.56)
assert np.allclose(integrate.simps(y.reshape(2, 3), axis=0), [1.5, 0.5, 0.75])
assert np.allclose(integrate.simps(y.reshape(3, 2), axis=0), [1, 4.83333333])
assert integrate.cumtrapz(y, initial=0).tolist() == [0, 1, 2.5, 4.5, 5.5, 5.25] and integrate.trapz(y, x) == 5.25
assert np.isclose(integrate.romberg(np.sin, 0, 1), 0.45969769413185)
assert integrate.romberg(lambda a, b: a * b, 0, 1, args=(3,)) == 1.5
assert np.isclose(integrate.romberg(np.sqrt, 0, 1, divmax=4), 0.6655928651294657)

assert stats.itemfreq([1, 1, 3]).tolist() == [[1, 2], [3, 1]]
assert stats.itemfreq(['a', 'b', 'a']).tolist() == [['a', '2'], ['b', '1']]
assert np.allclose([stats.binom_test(3, 10), stats.binom_test([3, 7], p=0.2)], [0.34375, 0.429574656])
assert np.isclose(stats.binom_test(3, 10, 0.6, alternative='less'), 0.0547618816)
assert np.asarray(stats.mode([[1, 2], [1, 3], [4, 3]])).tolist() == [[[1, 3]], [[2, 2]]]
assert stats.mode([1, 1, 2])[0][0] == 1 and stats.mode([[1, 2], [3, 3]], axis=1)[0].tolist() == [[1], [3]]
assert stats.mode([[1, 2], [2, 3]], axis=None)[0].shape in ((1,), (1, 1))
assert np.isclose(stats.frechet_r(1.5).cdf(0.7), 0.44326283) and np.isclose(stats.frechet_l(1.5).cdf(-0.7), 0.55673717)
assert np.isclose(stats.gilbrat.cdf(1.3), 0.60347969)
matrix = np.array([[1.0, 2], [3, 4], [5, 6]])
assert np.allclose(linalg.pinv2(matrix)[0], [-1.33333333, -0.33333333, 0.66666667]) and linalg.tri(2).dtype == bool
assert linalg.kron(np.array([[1, 2]]), np.array([[1], [3]])).tolist() == [[1, 2], [3, 6]] and linalg.triu(matrix)[
    1
].tolist() == [0, 4]
distance = spatial.distance
assert np.isclose(distance.matching([1, 0, 1], [1, 1, 1]), 1 / 3.0) and distance.kulsinski([1, 0, 0], [0, 1, 0]) == 1
assert np.isclose(distance.wminkowski([1, 2], [3, 5], 3, [0.5, 2]), 6.009245)
assert np.isclose(distance.kulsinski([1, 0, 1, 0], [1, 1, 0, 0]), 0.83333333)
assert np.isclose(special.sph_harm(1, 2, 0.3, 0.7), -0.3636524725884647 - 0.11249089203178199j)
assert np.sort(spatial.Delaunay([[0, 0], [1, 0], [0, 1], [1, 1.1]]).vertices).tolist() == [[0, 1, 2], [1, 2, 3]]

found = [interpolate.spline(x, y, np.linspace(0, 5, 4), order=order)[1:3] for order in (1, 2, 3, 5)]
assert np.allclose(
    found, [[1.55555556, 1.88888889], [-0.7885971, 3.25407855], [0.31715571, 2.90340591], [-1.08066237, 3.32473935]]
)
assert interpolate.spline(x, y, [-0.5, 5.5]).tolist() == [0, 0]
assert np.allclose(interpolate.spline(x, np.c_[y, 2 * y], [5 / 6.0]), [[2.49133077, 4.98266155]])
columns, rows = np.arange(5.0), np.arange(4.0) * 2
z = np.sin(columns)[None] * np.cos(rows)[:, None]
linear, cubic = [interpolate.interp2d(columns, rows, z, kind=kind) for kind in ('linear', 'cubic')]
assert np.allclose(linear([3.3, 0.5, -1], [5.0, 1.0]), [[0, 0.12282387, -0.03744155], [0, 0.06448332, -0.01965706]])
assert (
    linear(1.5, 2.5).shape == (1,)
    and np.isclose(linear(1.5, 2.5)[0], -0.4162636)
    and np.isclose(linear(9, 9), -0.72665927)
)
assert np.allclose(cubic([3.3, 1], [5.0, 1]), [[0.1570493, -0.02902411], [-0.10113791, 0.01869118]])
assert np.isclose(cubic(1.5, 2.5), -0.60494583) and np.isclose(cubic(1.5, 2.5, dx=1), -0.04802304)
assert np.isclose(interpolate.interp2d(columns[::-1], rows, z[:, ::-1])(1.5, 2.5), -0.4162636)
assert np.allclose(interpolate.interp2d(columns, rows, z, fill_value=-7)([1.0, 9], [1.0]), [0.24564775, -7])
random = np.random.RandomState(0)
a, b = random.rand(30), random.rand(30)
assert np.isclose(interpolate.interp2d(a, b, a + 2 * b)(0.4, 0.6), 1.6)
assert np.allclose(
    interpolate.interp2d(a, b, a * b, kind='cubic')([0.3, 0.5], [0.5, 0.6]),
    [[0.14933961, 0.24999022], [0.17984468, 0.3]],
    atol=1e-6,
)
for wrong in (
    lambda: interpolate.interp2d(columns, rows, z, bounds_error=True)(9, 0),
    lambda: interpolate.interp2d(a, rows, z),
):
    try:
        wrong()
    except ValueError:
        pass
    else:
        raise AssertionError('these are errors')
print('cured')
