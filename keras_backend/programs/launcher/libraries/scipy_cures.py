"""Cures for the removals of SciPy 1.1 to 1.14, other than images."""

import math
from types import ModuleType
from typing import Any, Callable, Optional, Tuple

from .giving import give, joined, of_functions, version, wrap


def names_of_numpy(scipy: ModuleType) -> str:
    """Give back the names of NumPy in `scipy` (`scipy.randn`, `scipy.sqrt`, `scipy.interp`)."""
    import numpy

    if version(scipy) < (1, 5):
        return ''
    modules = {'linalg', 'fft', 'test', 'special'}
    names = {name: value for name, value in vars(numpy).items() if name[0] != '_' and name not in modules}
    names = {name: value for name, value in names.items() if not isinstance(value, ModuleType)}
    # SciPy took these from numpy.lib.scimath, which gives complex numbers where NumPy gives nan.
    for name in 'sqrt', 'log', 'log2', 'log10', 'logn', 'power', 'arccos', 'arcsin', 'arctanh':
        names[name] = getattr(numpy.emath, name)
    names.update(random=numpy.random, rand=numpy.random.rand, randn=numpy.random.randn, ifft=numpy.fft.ifft)
    return 'scipy.randn, scipy.sqrt, scipy.zeros and the like' if give(scipy, names) else ''


def functions_of_misc(misc: ModuleType) -> str:
    """Give back `comb`, `factorial`, `logsumexp`, `derivative` and others of `scipy.misc`."""
    names = of_functions(derivative, central_diff_weights)
    for name in 'comb', 'factorial', 'factorial2', 'factorialk', 'logsumexp':
        names[name] = _of('scipy.special', name)
    names['pade'] = _of('scipy.interpolate', 'pade')
    for name in 'face', 'ascent', 'electrocardiogram':
        names[name] = _of('scipy.datasets', name)
    return give(misc, names)


def _of(module: str, name: str) -> Callable[..., Any]:
    """A function that imports its module when it is called."""

    def called(*args: Any, **kwargs: Any) -> Any:
        from importlib import import_module

        return getattr(import_module(module), name)(*args, **kwargs)

    called.__name__ = name
    called.__doc__ = f'`{module}.{name}`.'
    return called


def central_diff_weights(Np: int, ndiv: int = 1) -> Any:
    """`scipy.misc.central_diff_weights`: the weights of a central difference of Np points for the ndiv-th derivative.

    The Taylor polynomial of degree Np - 1 is differentiated without error. So the weights solve a linear system.
    """
    import numpy

    if Np < ndiv + 1 or Np % 2 == 0:
        raise ValueError(
            f'central_diff_weights takes an odd number of points, at least ndiv + 1 = {ndiv + 1}, got {Np}; pass an '
            'odd number.'
        )
    points = numpy.arange(Np) - Np // 2.0
    powers = numpy.vander(points, increasing=True)
    return math.factorial(ndiv) * numpy.linalg.inv(powers)[ndiv]


def derivative(
    func: Callable[..., Any], x0: float, dx: float = 1.0, n: int = 1, args: Tuple[Any, ...] = (), order: int = 3
) -> Any:
    """`scipy.misc.derivative`: the n-th derivative of a function at a point, by a difference of `order` points."""
    weights = central_diff_weights(order, n)
    total = sum(w * func(x0 + (k - order // 2) * dx, *args) for k, w in enumerate(weights))
    return total / dx**n


def windows(signal: ModuleType) -> str:
    """Give back the windows and wavelets of `scipy.signal` (`signal.gaussian`, `signal.hann`, `signal.ricker`)."""
    names = (
        'barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian '
        'general_gaussian hamming hann kaiser nuttall parzen triang tukey'
    )
    there = vars(signal.windows)
    given = {name: there[name] for name in names.split() if name in there}
    given['hanning'] = there['hann']
    return joined(give(signal, given), give(signal, of_functions(ricker, morlet, cwt)))


def ricker(points: int, a: float) -> Any:
    """`scipy.signal.ricker`: the Mexican hat, 2 / (sqrt(3 a) pi^(1/4)) (1 - (x / a)^2) exp(-(x / a)^2 / 2)."""
    import numpy

    x = (numpy.arange(points) - (points - 1.0) / 2) / a
    return 2 / (math.sqrt(3 * a) * math.pi**0.25) * (1 - x**2) * numpy.exp(-(x**2) / 2)


def morlet(M: int, w: float = 5.0, s: float = 1.0, complete: bool = True) -> Any:
    """`scipy.signal.morlet`: pi^(-1/4) (exp(i w x) - exp(-w^2 / 2)) exp(-x^2 / 2), x from -2 pi s to 2 pi s."""
    import numpy

    x = numpy.linspace(-s * 2 * math.pi, s * 2 * math.pi, M)
    wave = numpy.exp(1j * w * x)
    if complete:
        wave -= math.exp(-0.5 * w**2)
    return wave * numpy.exp(-0.5 * x**2) * math.pi**-0.25


def cwt(data: Any, wavelet: Callable[..., Any], widths: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """`scipy.signal.cwt`: the convolutions of data with a wavelet of several widths, a row for each."""
    import numpy

    rows = []
    for width in widths:
        points = int(min(10 * width, len(data)))
        wave = numpy.conj(wavelet(points, width, **kwargs)[::-1])
        rows.append(numpy.convolve(data, wave, mode='same'))
    rows_of_all = numpy.array(rows)
    return rows_of_all if dtype is None else rows_of_all.astype(dtype)


def integrals(integrate: ModuleType) -> str:
    """Give back `simps`, `trapz`, `cumtrapz` and `romberg` of `scipy.integrate`."""
    names = {
        'trapz': getattr(integrate, 'trapezoid', None),
        'cumtrapz': getattr(integrate, 'cumulative_trapezoid', None),
    }
    restored = give(integrate, {name: value for name, value in names.items() if value is not None})
    return joined(restored, give(integrate, of_functions(simps, romberg)))


def simps(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1, even: str = 'avg') -> Any:
    """`scipy.integrate.simps`: the integral by the rule of Simpson.

    An even number of points has an odd interval. `even` says whether the last one ('first'), the first one ('last') or
    each of both in turn ('avg', the mean) is integrated by the rule of trapezoids.
    """
    import numpy
    from scipy.integrate import simpson, trapezoid

    if even not in ('avg', 'first', 'last'):
        raise ValueError(f"simps takes even='avg', 'first' or 'last', got {even!r}; pass one of these.")
    y = numpy.moveaxis(numpy.asarray(y), axis, -1)
    if x is not None:
        x = numpy.asarray(x)
        x = numpy.moveaxis(x, axis, -1) if x.ndim == y.ndim else x

    def rule(function: Callable[..., Any], part: slice) -> Any:
        return function(y[..., part], x=None if x is None else x[..., part], dx=dx, axis=-1)

    if y.shape[-1] % 2:
        return rule(simpson, slice(None))
    sums = []
    if even != 'last':
        sums.append(rule(simpson, slice(None, -1)) + rule(trapezoid, slice(-2, None)))
    if even != 'first':
        sums.append(rule(simpson, slice(1, None)) + rule(trapezoid, slice(None, 2)))
    return sum(sums) / len(sums)


def romberg(
    function: Callable[..., Any],
    a: float,
    b: float,
    args: Tuple[Any, ...] = (),
    tol: float = 1.48e-8,
    rtol: float = 1.48e-8,
    show: bool = False,
    divmax: int = 10,
    vec_func: bool = False,
) -> Any:
    """`scipy.integrate.romberg`: the integral of a function from a to b, by Romberg's extrapolation of trapezoids."""
    width = b - a
    row = [width * (function(a, *args) + function(b, *args)) / 2]
    for level in range(1, divmax + 1):
        step = width / 2**level
        middle = sum(function(a + (2 * k + 1) * step, *args) for k in range(2 ** (level - 1)))
        new = [row[0] / 2 + step * middle]
        for k, value in enumerate(row):
            new.append(new[k] + (new[k] - value) / (4 ** (k + 1) - 1))
        error, row = abs(new[-1] - row[-1]), new
        if error < tol or error < rtol * abs(row[-1]):
            break
    return row[-1]


def statistics(stats: ModuleType) -> str:
    """Give back `stats.itemfreq`, `binom_test`, `chisqprob`, `nanmean`, `threshold` and the like."""
    import numpy

    renamed = {'gilbrat': 'gibrat', 'frechet_r': 'weibull_min', 'frechet_l': 'weibull_max'}
    there = vars(stats)
    names = {old: there[new] for old, new in renamed.items() if new in there}
    names.update(of_functions(itemfreq, binom_test, chisqprob, threshold, median_absolute_deviation))
    names.update(nanmean=numpy.nanmean, nanmedian=numpy.nanmedian, nanstd=_nanstd)
    return give(stats, names)


def _nanstd(x: Any, axis: Optional[int] = 0, bias: bool = False) -> Any:
    import numpy

    return numpy.nanstd(x, axis, ddof=0 if bias else 1)


def itemfreq(a: Any) -> Any:
    """`scipy.stats.itemfreq`: (value, number of times) for each value, sorted."""
    import numpy

    values, counts = numpy.unique(a, return_counts=True)
    return numpy.array([values, counts]).T


def binom_test(x: Any, n: Optional[int] = None, p: float = 0.5, alternative: str = 'two-sided') -> Any:
    """`scipy.stats.binom_test`: the p-value of x successes in n trials, or of x = (successes, failures)."""
    import numpy
    from scipy.stats import binomtest

    if numpy.ndim(x) == 1 and len(x) == 2:
        x, n = x[0], x[0] + x[1]
    return binomtest(int(x), int(n or 0), p, alternative).pvalue


def chisqprob(chisq: Any, df: Any) -> Any:
    """`scipy.stats.chisqprob`: the probability that chi-square with df degrees of freedom is larger."""
    from scipy.stats import chi2

    return chi2.sf(chisq, df)


def threshold(a: Any, threshmin: Any = None, threshmax: Any = None, newval: Any = 0) -> Any:
    """`scipy.stats.threshold`: a copy in which the values below threshmin or above threshmax are newval."""
    import numpy

    a = numpy.array(a)
    outside = numpy.zeros(a.shape, bool)
    if threshmin is not None:
        outside |= a < threshmin
    if threshmax is not None:
        outside |= a > threshmax
    a[outside] = newval
    return a


def median_absolute_deviation(
    x: Any, axis: Any = 0, center: Any = None, scale: float = 1.4826, nan_policy: str = 'propagate'
) -> Any:
    """`scipy.stats.median_absolute_deviation`: the median distance from the median, times `scale`."""
    import numpy
    from scipy.stats import median_abs_deviation

    return scale * median_abs_deviation(x, axis, center or numpy.median, nan_policy=nan_policy)


def mode_with_axis(stats: ModuleType) -> str:
    """Let `scipy.stats.mode` keep the axis of its result, as before SciPy 1.11: `mode(x)[0][0]` is the first mode."""
    import scipy

    if version(scipy) < (1, 11):
        return ''

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        def mode(*args: Any, **kwargs: Any) -> Any:
            kwargs.setdefault('keepdims', True)
            return function(*args, **kwargs)

        return mode

    return wrap(stats, 'mode', kept)


def linear_algebra(linalg: ModuleType) -> str:
    """Give back `pinv2`, `tri`, `tril`, `triu` and `kron` of `scipy.linalg`."""

    import numpy

    def tri(N: int, M: Optional[int] = None, k: int = 0, dtype: Any = None) -> Any:
        """`scipy.linalg.tri`: True on and below a diagonal, or 1 in the dtype given."""
        return numpy.tri(N, M, k, bool if dtype is None else dtype)

    names = {name: getattr(numpy, name) for name in ('tril', 'triu', 'kron')}
    return give(linalg, dict(names, tri=tri, pinv2=linalg.pinv))


def vertices(spatial: ModuleType) -> str:
    """Give back `Delaunay.vertices`, the corners of the simplices. SciPy 1.11 removed it."""
    import scipy

    if version(scipy) < (1, 11):
        return ''
    return give(spatial.Delaunay, {'vertices': property(lambda self: self.simplices, doc='The same as simplices.')})


def distances(distance: ModuleType) -> str:
    """Give back `matching`, `wminkowski` and `kulsinski` of `scipy.spatial.distance`."""
    names = {'matching': distance.hamming, 'wminkowski': _wminkowski, 'kulsinski': _kulsinski}
    return give(distance, names)


def _wminkowski(u: Any, v: Any, p: float, w: Any) -> Any:
    import numpy

    return numpy.linalg.norm(numpy.asarray(w) * (numpy.asarray(u) - numpy.asarray(v)), ord=p)


def _kulsinski(u: Any, v: Any, w: Any = None) -> Any:
    import numpy

    u, v = numpy.asarray(u, bool), numpy.asarray(v, bool)
    weights = numpy.ones(len(u)) if w is None else numpy.asarray(w)
    differing, both = (weights * (u != v)).sum(), (weights * (u & v)).sum()
    return (differing - both + weights.sum()) / (differing + weights.sum())


def special_functions(special: ModuleType) -> str:
    """Give back `sph_harm` of `scipy.special`, with the azimuth before the polar angle."""
    if not hasattr(special, 'sph_harm_y'):
        return ''

    def sph_harm(m: Any, n: Any, theta: Any, phi: Any) -> Any:
        """`scipy.special.sph_harm`: spherical harmonics; theta is the azimuth, phi the polar angle."""
        return special.sph_harm_y(n, m, phi, theta)

    return give(special, of_functions(sph_harm))


def splines(interpolate: ModuleType) -> str:
    """Give back `spline` and `interp2d` of `scipy.interpolate`; `interp2d` for values on a grid alone."""
    import scipy

    given = give(interpolate, of_functions(spline))
    # SciPy 1.14 keeps the name interp2d for its own error.
    if version(scipy) >= (1, 14) and vars(interpolate).get('interp2d') is not interp2d:
        interpolate.interp2d = interp2d  # type: ignore[attr-defined]
        given = joined(given, f'{interpolate.__name__}.interp2d')
    return given


# -- spline and interp2d -----------------------------------------------------------------------------------------------
# `spline` and `interp2d` of `scipy.interpolate`, which SciPy 1.3 and 1.14 removed.


def spline(xk: Any, yk: Any, xnew: Any, order: int = 3, kind: str = 'smoothest', conds: Any = None) -> Any:
    """`scipy.interpolate.spline`: the values of a spline through given points, 0 outside of them.

    Of all splines of this order through the points, the smoothest has the least sum of squares of the jumps of its
    derivative of this order.
    """
    import numpy
    from scipy.interpolate import BSpline

    if kind != 'smoothest' or conds is not None:
        raise ValueError(f"spline takes kind='smoothest' and no conds, got {kind!r} and {conds!r}; leave both out.")
    xk, yk = numpy.asarray(xk, float), numpy.asarray(yk, float)
    xnew = numpy.asarray(xnew, float)
    knots = numpy.concatenate([xk[:1].repeat(order), xk, xk[-1:].repeat(order)])
    basis = BSpline(knots, numpy.eye(len(knots) - order - 1), order)
    at_points = basis(xk)
    jumps = numpy.diff(basis.derivative(order)((xk[1:] + xk[:-1]) / 2), axis=0)
    particular = numpy.linalg.pinv(at_points) @ yk
    free = numpy.linalg.svd(at_points)[2][len(xk) :].T
    best = numpy.linalg.lstsq(jumps @ free, -jumps @ particular, rcond=None)[0]
    values = BSpline(knots, particular + free @ best, order)(xnew)
    inside = (xnew >= xk[0]) & (xnew <= xk[-1])
    return numpy.where(inside.reshape(inside.shape + (1,) * (yk.ndim - 1)), values, 0.0)


class interp2d:
    """`scipy.interpolate.interp2d`: a spline through values on a grid, or through single points.

    Parameters
    ----------
    x, y : array_like
        The columns and the rows of the grid. Or the places of the points, as many as values.
    z : array_like
        The values, (rows, columns) or flat.
    kind : {'linear', 'cubic', 'quintic'}
        The degree of the spline: 1, 3 or 5.
    copy : bool
        Without effect.
    bounds_error : bool
        Whether places outside of the grid are an error.
    fill_value : number, optional
        The value outside of the grid. The nearest value by default.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        kind: str = 'linear',
        copy: bool = True,
        bounds_error: bool = False,
        fill_value: Optional[float] = None,
    ) -> None:
        import numpy
        from scipy import interpolate

        degrees = {'linear': 1, 'cubic': 3, 'quintic': 5}
        if kind not in degrees:
            raise ValueError(f"interp2d takes kind='linear', 'cubic' or 'quintic', got {kind!r}; pass one of these.")
        degree = degrees[kind]
        x, y, z = [numpy.asarray(values, float) for values in (x, y, z)]
        x, y = x.ravel(), y.ravel()
        if z.size == len(x) * len(y):
            columns, rows = numpy.argsort(x), numpy.argsort(y)
            grid = z.reshape(len(y), len(x))[rows][:, columns].T
            self.tck = (
                interpolate.RectBivariateSpline(x[columns], y[rows], grid, kx=degree, ky=degree).tck + (degree,) * 2
            )
        elif z.size == len(x) == len(y):
            self.tck = interpolate.bisplrep(x, y, z.ravel(), kx=degree, ky=degree, s=0.0)
        else:
            raise ValueError(
                f'interp2d takes a value for each place, got {len(x)} x, {len(y)} y and {z.size} values; pass the rows '
                'and columns of a grid, or as many places as values.'
            )
        self.bounds_error, self.fill_value = bounds_error, fill_value
        self.x, self.y, self.z = x, y, z
        self.x_min, self.x_max = x.min(), x.max()
        self.y_min, self.y_max = y.min(), y.max()

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, assume_sorted: bool = False) -> Any:
        """The values (rows, columns) at these columns and rows, sorted. One row has one axis."""
        import numpy
        from scipy.interpolate import bisplev

        x, y = [numpy.atleast_1d(values) for values in (x, y)]
        if x.ndim != 1 or y.ndim != 1:
            raise ValueError(f'interp2d takes x and y of one axis, got {x.ndim} and {y.ndim}; pass rows and columns.')
        if not assume_sorted:
            x, y = numpy.sort(x), numpy.sort(y)
        outside_x, outside_y = (x < self.x_min) | (x > self.x_max), (y < self.y_min) | (y > self.y_max)
        if self.bounds_error and (outside_x.any() or outside_y.any()):
            raise ValueError(
                f'interp2d with bounds_error=True takes x in {self.x_min} to {self.x_max} and y in {self.y_min} to '
                f'{self.y_max}, got others; pass places inside.'
            )
        grid = numpy.atleast_2d(bisplev(x, y, self.tck, dx, dy)).reshape(len(x), len(y)).T.copy()
        if self.fill_value is not None:
            grid[outside_y, :] = self.fill_value
            grid[:, outside_x] = self.fill_value
        return grid[0] if len(grid) == 1 else grid
