"""Cures for the removals of Matplotlib 2.0 to 3.11 in axes, figures and `pyplot`."""

import operator
import sys
from types import ModuleType
from typing import Any, Callable, Dict

from ..cures import around
from .giving import give, joined, normed_as_density, of_functions, old_arguments, version, wrap

PARTS = 'lines', 'patches', 'texts', 'collections', 'images', 'artists', 'tables'


def _today(*least: int) -> bool:
    """Whether this is Matplotlib 3.1 or later, or the version given or later."""
    import matplotlib

    return version(matplotlib) >= (least or (3, 1))


# Arguments of logarithmic scales, which Matplotlib 3.3 to 3.5 took for each axis alone.
_OF_SCALES = {
    f'{old}{axis}': new
    for old, new in (('nonpos', 'nonpositive'), ('base', 'base'), ('subs', 'subs'), ('linthresh', 'linthresh'))
    for axis in 'xy'
}


def axes(axes: ModuleType) -> str:
    """Give back `hist(normed=)`, `grid(b=)`, `tick_params(left='off')`, `set_color_cycle` and `ax.lines.pop`."""
    if not _today():
        return ''
    kind: Any = axes.Axes
    names = of_functions(set_color_cycle, set_axis_bgcolor, get_axis_bgcolor, hold, ishold, plot_date)
    for name in 'is_first_col', 'is_last_col', 'is_first_row', 'is_last_row':
        names[name] = _of_place(name)
    done = [give(kind, {name: value for name, value in names.items() if not hasattr(kind, name)})]
    done += [wrap(kind, name, normed_as_density) for name in ('hist', 'hist2d')]
    done += [wrap(kind, 'grid', _grid), wrap(kind, 'tick_params', _switches), wrap(kind, 'boxplot', _labels)]
    done.append(wrap(kind, 'stem', old_arguments(ignored=('use_line_collection',))))
    if _today(3, 3):
        scales = 'set_xscale', 'set_yscale', 'semilogx', 'semilogy', 'loglog'
        done += [wrap(kind, name, old_arguments(renamed=_OF_SCALES)) for name in scales]
    from matplotlib import axis, legend, patches

    shape = ('self', 'xy', 'width', 'height', 'angle')
    done += [
        wrap(getattr(patches, name), '__init__', old_arguments(shape, kept=4)) for name in ('Rectangle', 'Ellipse')
    ]
    if _today(3, 7):
        done.append(give(legend.Legend, {'legendHandles': property(lambda self: self.legend_handles)}))
    if not hasattr(axis.Tick, 'label'):
        done.append(give(axis.Tick, {'label': property(lambda self: self.label1)}))
    return joined(*done, _lists(kind))


def _of_place(name: str) -> Callable[[Any], Any]:
    return lambda self: getattr(self.get_subplotspec(), name)()


def set_color_cycle(self: Any, clist: Any) -> None:
    """`Axes.set_color_cycle`: the colors of the next lines."""
    if clist is None:
        self.set_prop_cycle(None)
    else:
        self.set_prop_cycle('color', list(clist))


def set_axis_bgcolor(self: Any, color: Any) -> None:
    """`Axes.set_axis_bgcolor`: the color of the background."""
    self.set_facecolor(color)


def get_axis_bgcolor(self: Any) -> Any:
    """`Axes.get_axis_bgcolor`: the color of the background."""
    return self.get_facecolor()


def hold(self: Any, b: Any = None) -> None:
    """`Axes.hold`: nothing, because plots are always added; an error for False."""
    if b is not None and not b:
        raise NotImplementedError(
            'Axes.hold(False) is gone since Matplotlib 3.0; call ax.clear() before each plot that has to replace the '
            'last one.'
        )


def ishold(self: Any) -> bool:
    """`Axes.ishold`: True, because plots are always added."""
    return True


def plot_date(
    self: Any, x: Any, y: Any, fmt: str = 'o', tz: Any = None, xdate: bool = True, ydate: bool = False, **kwargs: Any
) -> Any:
    """`Axes.plot_date`: a plot over dates."""
    if xdate:
        self.xaxis_date(tz)
    if ydate:
        self.yaxis_date(tz)
    return self.plot(x, y, fmt, **kwargs)


def _switch(value: Any) -> Any:
    """'on' and 'off' as Matplotlib before 2.2 took them."""
    return {'on': True, 'off': False}.get(value, value) if isinstance(value, str) else value


@around
def _grid(grid: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    if 'b' in kwargs:
        kwargs['visible'] = kwargs.pop('b')
    if 'visible' in kwargs:
        kwargs['visible'] = _switch(kwargs['visible'])
    return grid(self, *[_switch(arg) for arg in args[:1]], *args[1:], **kwargs)


@around
def _switches(tick_params: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    return tick_params(self, *args, **{name: _switch(value) for name, value in kwargs.items()})


def _labels(boxplot: Callable[..., Any]) -> Callable[..., Any]:
    import matplotlib

    name = 'tick_labels' if version(matplotlib) >= (3, 9) else 'labels'

    def called(*args: Any, **kwargs: Any) -> Any:
        if 'labels' in kwargs:
            kwargs[name] = kwargs.pop('labels')
        return boxplot(*args, **kwargs)

    return called


def _lists(kind: Any) -> str:
    """Let the lists of an axes' parts be changed, as lists could be before Matplotlib 3.7."""
    artist_list = getattr(kind, 'ArtistList', None)
    if artist_list is None:
        return ''
    for name in PARTS:
        setattr(kind, name, _settable(name, getattr(kind, name)))
    if hasattr(artist_list, 'pop'):
        return 'ax.lines = []'

    def pop(self: Any, index: int = -1) -> Any:
        artist = self[index]
        artist.remove()
        return artist

    def remove(self: Any, artist: Any) -> None:
        self[list(self).index(artist)].remove()

    def append(self: Any, artist: Any) -> None:
        self._axes.add_artist(artist)

    def extend(self: Any, artists: Any) -> None:
        for artist in artists:
            append(self, artist)

    def clear(self: Any) -> None:
        for artist in list(self):
            artist.remove()

    def delete(self: Any, index: Any) -> None:
        selected = self[index]
        for artist in selected if isinstance(index, slice) else [selected]:
            artist.remove()

    give(artist_list, dict(of_functions(pop, remove, append, extend, clear), __delitem__=delete))
    return 'ax.lines.pop, ax.lines.remove, ax.lines = []'


def _settable(name: str, part: Any) -> Any:
    def put(self: Any, artists: Any) -> None:
        new_artists = list(artists)
        for artist in list(part.fget(self)):
            if artist not in new_artists:
                artist.remove()
        for artist in new_artists:
            if artist not in list(part.fget(self)):
                self.add_artist(artist)

    return property(part.fget, put, doc=part.__doc__)


def figures(figure: ModuleType) -> str:
    """Take `fig.gca(projection='3d')`, `axisbg=`, and `savefig(frameon=, papertype=, quality=)` in figures."""
    if not _today():
        return ''
    kind = getattr(figure, 'FigureBase', figure.Figure)
    done = [wrap(kind, name, old_arguments(renamed={'axisbg': 'facecolor'})) for name in ('add_subplot', 'add_axes')]
    return joined(*done, wrap(kind, 'gca', _projection), wrap(figure.Figure, 'savefig', _saving))


@around
def _projection(gca: Any, self: Any, **kwargs: Any) -> Any:
    if not kwargs:
        return gca(self)
    if self.axes and set(kwargs) == {'projection'}:
        current = gca(self)
        if current.name == kwargs['projection']:
            return current
    return self.add_subplot(1, 1, 1, **kwargs)


@around
def _saving(savefig: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    kwargs.pop('papertype', None)
    options: Dict[str, Any] = {
        name: kwargs.pop(name) for name in ('quality', 'optimize', 'progressive') if name in kwargs
    }
    if options:
        kwargs['pil_kwargs'] = dict(options, **(kwargs.get('pil_kwargs') or {}))
    frame = kwargs.pop('frameon', None)
    if frame is None:
        return savefig(self, *args, **kwargs)
    before = self.get_frameon()
    self.set_frameon(frame)
    try:
        return savefig(self, *args, **kwargs)
    finally:
        self.set_frameon(before)


def pyplot(pyplot: ModuleType) -> str:
    """Give back `plt.hold`, `register_cmap`, `plot_date` and `spectral`, and arguments of `plt.gca` and `boxplot`."""
    from . import matplotlib_cures

    if not _today():
        return ''

    def on_axes(name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: getattr(pyplot.gca(), name)(*args, **kwargs)

    def of_figure(gca: Callable[..., Any]) -> Callable[..., Any]:
        return lambda **kwargs: pyplot.gcf().gca(**kwargs)

    names: Dict[str, Any] = {name: on_axes(name) for name in ('hold', 'ishold', 'plot_date')}
    names.update(register_cmap=matplotlib_cures.register_cmap, spectral=lambda: pyplot.set_cmap('nipy_spectral'))
    done = [give(pyplot, names), wrap(pyplot, 'gca', of_figure), wrap(pyplot, 'boxplot', _labels)]
    done.append(wrap(pyplot, 'stem', old_arguments(ignored=('use_line_collection',))))
    return joined(*done)


def window_titles(backends: ModuleType) -> str:
    """Give back `fig.canvas.set_window_title`."""

    def set_window_title(self: Any, title: str) -> None:
        """`FigureCanvasBase.set_window_title`: the title of the window, if there is one."""
        if self.manager is not None:
            self.manager.set_window_title(title)

    return give(backends.FigureCanvasBase, of_functions(set_window_title))


def space(axes3d: ModuleType) -> str:
    """Let `Axes3D(fig)` add itself to its figure, as before Matplotlib 3.6, and give back `ax.w_xaxis`."""
    if not _today(3, 6):
        return ''

    def added(init: Callable[..., Any]) -> Callable[..., Any]:
        def called(self: Any, fig: Any, *args: Any, **kwargs: Any) -> None:
            auto_add = kwargs.pop('auto_add_to_figure', True)
            # A figure that makes the axes adds them itself.
            by_figure = sys._getframe(1).f_globals.get('__name__') == 'matplotlib.figure'
            init(self, fig, *args, **kwargs)
            if auto_add and not by_figure and self not in fig.axes:
                fig.add_axes(self)

        return called

    names = {f'w_{name}': property(operator.attrgetter(name)) for name in ('xaxis', 'yaxis', 'zaxis')}
    missing = {name: value for name, value in names.items() if not hasattr(axes3d.Axes3D, name)}
    import matplotlib

    wrapped = '' if version(matplotlib) < (3, 4) else wrap(axes3d.Axes3D, '__init__', added)
    return joined(wrapped, give(axes3d.Axes3D, missing))
