"""Cures for the removals of Matplotlib 2.2 to 3.11: names and settings. Axes are in `matplotlib_axes`."""

from types import ModuleType
from typing import Any, Callable, Dict

from ....basics.tables import beside
from .. import imports
from .giving import give, joined, of_functions, old_arguments, version, wrap

_TABLE = beside(__file__, 'names.json')
# Settings that have no effect any more.
GONE_SETTINGS = frozenset(_TABLE['gone_settings_of_matplotlib'])
# Colormaps that were renamed in 2.0 to 2.2.
COLORMAPS: Dict[str, str] = _TABLE['colormaps']


def settings(matplotlib: ModuleType) -> str:
    """Take `matplotlib.use(warn=False)`, gone names of `rcParams`, `axes.color_cycle` and `mpl_toolkits.axes_grid`."""
    if version(matplotlib) < (3, 3):
        return ''
    imports.moved('mpl_toolkits.axes_grid', 'mpl_toolkits.axes_grid1')

    def also_gone(setitem: Callable[..., Any]) -> Callable[..., Any]:
        def called(self: Any, key: Any, value: Any) -> None:
            if key == 'axes.color_cycle':
                from cycler import cycler

                key, value = 'axes.prop_cycle', cycler(color=value)
            try:
                setitem(self, key, value)
            except KeyError:
                if key not in GONE_SETTINGS:
                    raise

        return called

    done = [
        wrap(matplotlib, 'use', old_arguments(ignored=('warn',))),
        wrap(matplotlib.RcParams, '__setitem__', also_gone),
    ]
    if hasattr(matplotlib, 'colormaps'):
        for old, new in COLORMAPS.items():
            for end in '', '_r':
                if old + end not in matplotlib.colormaps:
                    matplotlib.colormaps.register(matplotlib.colormaps[new + end], name=old + end)
                    done.append(f'the colormap {old}{end}')
    return joined(*done)


def colormaps(cm: ModuleType) -> str:
    """Give back `matplotlib.cm.get_cmap`, `register_cmap`, `cmap_d` and `cm.spectral`."""
    import matplotlib

    there, given = vars(cm), ''
    if version(matplotlib) >= (3, 5):
        given = give(cm, dict(of_functions(get_cmap, register_cmap), cmap_d=_Colormaps()))
    else:  # `settings` has entered the names where there is a register of all colormaps
        for old, new in COLORMAPS.items():
            for end in '', '_r':
                if old not in there and new in there:
                    there['register_cmap'](old + end, there['get_cmap'](new + end))
    for old, new in COLORMAPS.items():
        if new in there:
            given = joined(given, give(cm, {old: there[new]}))
    return given


def get_cmap(name: Any = None, lut: Any = None) -> Any:
    """`cm.get_cmap`: a colormap by its name, the one of the settings by default, with `lut` colors if that is given."""
    import matplotlib

    if not isinstance(name, (str, type(None))):
        return name
    name = matplotlib.rcParams['image.cmap'] if name is None else name
    if name not in matplotlib.colormaps:
        raise ValueError(f'cm.get_cmap knows no colormap {name!r}; pass one of list(matplotlib.colormaps).')
    colors = matplotlib.colormaps[name]
    return colors if lut is None else colors.resampled(lut)


def register_cmap(name: Any = None, cmap: Any = None, data: Any = None, lut: Any = None, **kwargs: Any) -> None:
    """`cm.register_cmap`: enter a colormap under a name, by default its own."""
    import matplotlib

    if cmap is None:
        cmap = matplotlib.colors.LinearSegmentedColormap(name, data, lut or matplotlib.rcParams['image.lut'])
    name = cmap.name if name is None else name
    if name in matplotlib.colormaps:
        try:
            matplotlib.colormaps.register(cmap, name=name, force=True)
        except ValueError:  # a colormap of Matplotlib itself, which stays
            return
    else:
        matplotlib.colormaps.register(cmap, name=name)


class _Colormaps(Dict[str, Any]):
    """`cm.cmap_d`: the colormaps by name."""

    def __missing__(self, name: str) -> Any:
        import matplotlib

        return matplotlib.colormaps[name]

    def __contains__(self, name: object) -> bool:
        import matplotlib

        return name in matplotlib.colormaps

    def __iter__(self) -> Any:
        import matplotlib

        return iter(list(matplotlib.colormaps))

    def keys(self) -> Any:
        """The names."""
        return list(self)

    def items(self) -> Any:
        """(name, colormap)."""
        return [(name, self[name]) for name in self]


def styles(style: ModuleType) -> str:
    """Give back the styles `seaborn`, `seaborn-whitegrid` and the like. Today they are `seaborn-v0_8-...`."""
    new = [name for name in style.library if name.startswith('seaborn-v0_8')]
    names = {name.replace('seaborn-v0_8', 'seaborn'): name for name in new}
    missing = [old for old in names if old not in style.library]
    for old in missing:
        style.library[old] = style.library[names[old]]
    style.available[:] = sorted(set(style.available) | set(missing))
    return ', '.join(missing)


def numerics(mlab: ModuleType) -> str:
    """Give back `mlab.normpdf`, `bivariate_normal`, `griddata`, `find`, `frange`, `movavg` and the like."""
    return give(mlab, of_functions(normpdf, bivariate_normal, griddata, find, frange, movavg, prctile, rms_flat))


def normpdf(x: Any, mu: float, sigma: float) -> Any:
    """`mlab.normpdf`: the density of the normal distribution, exp(-((x - mu) / sigma)^2 / 2) / (sigma sqrt(2 pi))."""
    import numpy

    return numpy.exp(-0.5 * ((numpy.asarray(x) - mu) / sigma) ** 2) / (numpy.sqrt(2 * numpy.pi) * sigma)


def bivariate_normal(
    X: Any, Y: Any, sigmax: float = 1.0, sigmay: float = 1.0, mux: float = 0.0, muy: float = 0.0, sigmaxy: float = 0.0
) -> Any:
    """`mlab.bivariate_normal`: the density of the normal distribution of two variables; sigmaxy is the covariance."""
    import numpy

    x, y = numpy.asarray(X) - mux, numpy.asarray(Y) - muy
    rho = sigmaxy / (sigmax * sigmay)
    z = x**2 / sigmax**2 + y**2 / sigmay**2 - 2 * rho * x * y / (sigmax * sigmay)
    return numpy.exp(-z / (2 * (1 - rho**2))) / (2 * numpy.pi * sigmax * sigmay * numpy.sqrt(1 - rho**2))


def griddata(x: Any, y: Any, z: Any, xi: Any, yi: Any, interp: str = 'linear') -> Any:
    """`mlab.griddata`: linear interpolation of scattered values on a grid; masked outside of them."""
    import numpy
    from scipy.interpolate import griddata as today

    if interp != 'linear':
        raise ValueError(f"mlab.griddata takes interp='linear' since Matplotlib 3.1, got {interp!r}; pass 'linear'.")
    xi, yi = numpy.asarray(xi), numpy.asarray(yi)
    if xi.ndim == 1:
        xi, yi = numpy.meshgrid(xi, yi)
    return numpy.ma.masked_invalid(today((numpy.ravel(x), numpy.ravel(y)), numpy.ravel(z), (xi, yi)))


def find(condition: Any) -> Any:
    """`mlab.find`: the flat positions where a condition holds."""
    import numpy

    return numpy.nonzero(numpy.ravel(condition))[0]


def frange(xini: float, xfin: Any = None, delta: float = 1.0, npts: Any = None, closed: bool = True) -> Any:
    """`mlab.frange`: numbers at equal distances, the end included."""
    import numpy

    if xfin is None:
        xini, xfin = 0.0, xini + 0.0
    if npts is None:
        npts = round((xfin - xini) / delta) + (1 if closed else 0)
    else:
        delta = (xfin - xini) / (npts - (1 if closed else 0))
    return xini + numpy.arange(npts) * delta


def movavg(x: Any, n: int) -> Any:
    """`mlab.movavg`: the means of n neighbours."""
    import numpy

    return numpy.convolve(x, numpy.ones(n) / n, mode='valid')


def prctile(x: Any, p: Any = (0.0, 25.0, 50.0, 75.0, 100.0)) -> Any:
    """`mlab.prctile`: the percentiles."""
    import numpy

    return numpy.percentile(x, p)


def rms_flat(a: Any) -> Any:
    """`mlab.rms_flat`: the root of the mean square of all entries."""
    import numpy

    return numpy.sqrt(numpy.mean(numpy.abs(a) ** 2))


def kinds(cbook: ModuleType) -> str:
    """Give back `cbook.iterable`, `is_string_like` and `is_numlike`."""
    return give(cbook, of_functions(iterable, is_string_like, is_numlike))


def iterable(obj: Any) -> bool:
    """`cbook.iterable`: whether one can iterate over an object."""
    try:
        iter(obj)
    except TypeError:
        return False
    return True


def is_string_like(obj: Any) -> bool:
    """`cbook.is_string_like`: whether an object is a string."""
    return isinstance(obj, str)


def is_numlike(obj: Any) -> bool:
    """`cbook.is_numlike`: whether an object is a number."""
    import numbers

    import numpy

    return isinstance(obj, (numbers.Number, numpy.number))
