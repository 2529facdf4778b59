"""`spline` and `interp2d` of `scipy.interpolate`, which SciPy 1.3 and 1.14 removed."""

from typing import Any, Optional


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
        found = numpy.atleast_2d(bisplev(x, y, self.tck, dx, dy)).reshape(len(x), len(y)).T.copy()
        if self.fill_value is not None:
            found[outside_y, :] = self.fill_value
            found[:, outside_x] = self.fill_value
        return found[0] if len(found) == 1 else found
