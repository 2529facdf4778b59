"""Cures for the removals of pandas 0.18 to 3.0: names, arguments and defaults."""

import re
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List

from ....basics.tables import beside
from ..cures import around
from .giving import FILLS, give, joined, made_up, moved_modules, of_functions, old_arguments, version, wrap


def names(pandas: ModuleType) -> str:
    """Give back `pd.np`, `pd.datetime`, `pd.rolling_mean`, `pd.io.json.json_normalize` and the like."""
    import datetime

    import numpy

    given: Dict[str, Any] = {'np': numpy, 'datetime': datetime.datetime}
    for name in 'mean', 'std', 'sum', 'median', 'max', 'min', 'var':
        given[f'rolling_{name}'] = _rolling(name)
    given.update(of_functions(ewma, scatter_matrix))
    given.update(dict.fromkeys(('Int64Index', 'UInt64Index', 'Float64Index'), pandas.Index))
    done = give(pandas, given)
    if 'json_normalize' in vars(pandas):
        done = joined(done, give(pandas.io.json, {'json_normalize': pandas.json_normalize}))
    return done


def _rolling(name: str) -> Callable[..., Any]:
    def rolling(
        arg: Any, window: Any, min_periods: Any = None, freq: Any = None, center: bool = False, **kwargs: Any
    ) -> Any:
        if freq is not None:
            raise TypeError(
                f'pd.rolling_{name} cannot take freq={freq!r} since pandas 0.23; resample the values first.'
            )
        import pandas

        data = arg if hasattr(arg, 'rolling') else pandas.DataFrame(arg)
        statistic = getattr(data.rolling(window, min_periods=min_periods, center=center), name)(**kwargs)
        return statistic if data is arg else statistic.values.reshape(arg.shape)

    rolling.__name__ = f'rolling_{name}'
    return rolling


def ewma(
    arg: Any, com: Any = None, span: Any = None, halflife: Any = None, min_periods: int = 0, adjust: bool = True
) -> Any:
    """`pd.ewma`: the exponentially weighted mean."""
    return arg.ewm(com=com, span=span, halflife=halflife, min_periods=min_periods, adjust=adjust).mean()


def scatter_matrix(*args: Any, **kwargs: Any) -> Any:
    """`pd.scatter_matrix`: `pandas.plotting.scatter_matrix`."""
    from pandas.plotting import scatter_matrix as today

    return today(*args, **kwargs)


def moved(pandas: ModuleType) -> str:
    """Give modules of `pandas` their old names (`pandas.tools.plotting`, `pandas.util.testing`)."""
    if version(pandas) < (0, 20):
        return ''
    made_up('pandas.tools', lambda module: None)
    table = {
        'pandas.tools.plotting': 'pandas.plotting',
        'pandas.tools.merge': 'pandas',
        'pandas.util.testing': 'pandas.testing',
        'pandas.core.index': 'pandas',
    }
    return moved_modules(pandas, table)


def methods(pandas: ModuleType) -> str:
    """Give back `append`, `as_matrix`, `iteritems`, `mad`, `get_value`, `from_csv` and `.ix` of tables and series."""
    frame, series = pandas.DataFrame, pandas.Series
    both = of_functions(append, mad, get_value, set_value, clip_upper, clip_lower, reindex_axis)
    both.update(as_matrix=as_matrix, iteritems=_items)
    restored = [give(kind, both) for kind in (frame, series)]
    restored.append(give(frame, {'from_csv': classmethod(_frame_from_csv), 'lookup': _lookup, 'sort': _sort}))
    restored.append(give(series, {'from_csv': classmethod(_series_from_csv), 'get_values': lambda self: self.values}))
    if hasattr(frame, 'map'):
        restored.append(give(frame, {'applymap': frame.map}))
    dates = type(series([], dtype='datetime64[ns]').dt)
    weeks = property(_weeks, doc='The week of the year.')
    restored.append(
        give(dates, {'weekday_name': property(lambda self: self.day_name()), 'week': weeks, 'weekofyear': weeks})
    )
    from .pandas_tables import Ix

    ix = property(Ix, doc='Parts by label, or by position.')
    return joined(*restored, give(frame, {'ix': ix}), give(series, {'ix': ix}))


def _weeks(self: Any) -> Any:
    return self.isocalendar().week.astype('int64').rename(self._parent.name)


def as_matrix(self: Any, columns: Any = None) -> Any:
    """`as_matrix`: the values of these columns, or of all."""
    return (self if columns is None else self[columns]).values


def _items(self: Any) -> Iterator[Any]:
    return iter(self.items())


def append(self: Any, other: Any, ignore_index: bool = False, verify_integrity: bool = False, sort: Any = None) -> Any:
    """`append`: these rows and those of another table, of a list of tables, or one row as a Series or dict.

    Without `sort=False` columns are sorted if the tables have different ones, as in pandas 0.23 to 0.25.
    """
    import pandas

    if self.ndim == 1:
        series = [self] + (list(other) if isinstance(other, (list, tuple)) else [other])
        return pandas.concat(series, ignore_index=ignore_index, verify_integrity=verify_integrity)
    if isinstance(other, (dict, pandas.Series)):
        if not ignore_index and getattr(other, 'name', None) is None:
            raise TypeError('append takes a Series without a name, or a dict, only with ignore_index=True; pass that.')
        row = pandas.Series(other, dtype=object)
        others = [pandas.DataFrame([row], columns=row.index, index=[getattr(other, 'name', None)]).infer_objects()]
        sort = False
    elif isinstance(other, (list, tuple)):
        others = list(other)
        if others and not isinstance(others[0], pandas.DataFrame):
            others = [pandas.DataFrame(others)]
    else:
        others = [other]
    different = any(list(table.columns) != list(self.columns) for table in others)
    tables = [self] + others
    appended = pandas.concat(
        tables, ignore_index=ignore_index, verify_integrity=verify_integrity, sort=different and sort is not False
    )
    return appended.sort_index(axis=1) if sort is None and different else appended


def mad(self: Any, axis: Any = 0, skipna: bool = True) -> Any:
    """`mad`: the mean distance from the mean."""
    if self.ndim == 1:
        return (self - self.mean(skipna=skipna)).abs().mean(skipna=skipna)
    data = self.select_dtypes('number')
    axis = 1 if axis in (1, 'columns') else 0
    return data.sub(data.mean(axis=axis, skipna=skipna), axis=1 - axis).abs().mean(axis=axis, skipna=skipna)


def get_value(self: Any, *labels: Any, **kwargs: Any) -> Any:
    """`get_value`: the value at a row (and column); positions with `takeable=True`."""
    takeable = kwargs.pop('takeable', labels[self.ndim] if len(labels) > self.ndim else False)
    labels = labels[: self.ndim]
    return (self.iat if takeable else self.at)[labels if self.ndim == 2 else labels[0]]


def set_value(self: Any, *labels: Any, **kwargs: Any) -> Any:
    """`set_value`: put a value at a row (and column), and return the table."""
    value = kwargs.pop('value') if 'value' in kwargs else labels[self.ndim]
    takeable = kwargs.pop('takeable', labels[self.ndim + 1] if len(labels) > self.ndim + 1 else False)
    labels = labels[: self.ndim]
    (self.iat if takeable else self.at)[labels if self.ndim == 2 else labels[0]] = value
    return self


def clip_upper(self: Any, threshold: Any, axis: Any = None) -> Any:
    """`clip_upper`: no value above a threshold."""
    return self.clip(upper=threshold, axis=axis)


def clip_lower(self: Any, threshold: Any, axis: Any = None) -> Any:
    """`clip_lower`: no value below a threshold."""
    return self.clip(lower=threshold, axis=axis)


def reindex_axis(self: Any, labels: Any, axis: Any = 0, **kwargs: Any) -> Any:
    """`reindex_axis`: the rows or columns with these labels."""
    return self.reindex(labels, axis=axis, **kwargs)


def _sort(self: Any, columns: Any = None, axis: Any = 0, ascending: Any = True, inplace: bool = False) -> Any:
    if columns is None:
        return self.sort_index(axis=axis, ascending=ascending, inplace=inplace)
    return self.sort_values(by=columns, axis=axis, ascending=ascending, inplace=inplace)


def _lookup(self: Any, row_labels: Any, col_labels: Any) -> Any:
    import numpy

    return numpy.array([self.at[row, column] for row, column in zip(row_labels, col_labels)])


def _frame_from_csv(
    cls: Any,
    path: Any,
    header: Any = 0,
    sep: str = ',',
    index_col: Any = 0,
    parse_dates: bool = True,
    encoding: Any = None,
) -> Any:
    import pandas

    return pandas.read_csv(
        path, header=header, sep=sep, index_col=index_col, parse_dates=parse_dates, encoding=encoding
    )


def _series_from_csv(
    cls: Any,
    path: Any,
    sep: str = ',',
    parse_dates: bool = True,
    header: Any = None,
    index_col: Any = 0,
    encoding: Any = None,
) -> Any:
    table = _frame_from_csv(cls, path, header, sep, index_col, parse_dates, encoding)
    series = table.iloc[:, 0]
    if header is None:
        series.name = series.index.name = None
    return series


_TABLE = beside(__file__, 'names.json')
# The arguments in their old order. Today all but the first are taken by keyword.
ORDERS: Dict[str, List[str]] = _TABLE['orders_of_pandas']


def arguments(pandas: ModuleType) -> str:
    """Take arguments by position (`df.drop('x', 1)`), `fillna(method=)`, `read_csv(squeeze=)`, frequencies like 'H'."""
    if version(pandas) < (2, 0):
        return ''
    done: List[str] = []
    renamed = {'line_terminator': 'lineterminator'}
    for kind in pandas.DataFrame, pandas.Series:
        for name, order in ORDERS.items():
            kept = 1 if name in ('pivot', 'dropna', 'any', 'all', 'sort_index') else 2
            if hasattr(kind, name):
                done.append(wrap(kind, name, old_arguments(order, renamed, kept=kept)))
        done.append(wrap(kind, 'fillna', _filling))
    order = 'objs axis join join_axes ignore_index keys levels names verify_integrity sort copy'.split()
    done.append(wrap(pandas, 'concat', old_arguments(order)))
    if version(pandas) >= (2, 2):
        done += [
            wrap(kind, name, _frequency(1))
            for kind in (pandas.DataFrame, pandas.Series)
            for name in ('resample', 'asfreq')
        ]
        done += [wrap(pandas, 'date_range', _frequency(3)), wrap(pandas.Grouper, '__new__', _frequency(4))]
    from .pandas_tables import reading

    return joined(*done, *[wrap(pandas, name, reading(name)) for name in ('read_csv', 'read_table')])


def _filling(fillna: Callable[..., Any]) -> Callable[..., Any]:
    def called(
        self: Any,
        value: Any = None,
        method: Any = None,
        axis: Any = None,
        inplace: bool = False,
        limit: Any = None,
        **kwargs: Any,
    ) -> Any:
        kwargs.pop('downcast', None)
        if method is None:
            return fillna(self, value, axis=axis, inplace=inplace, limit=limit)
        if method not in FILLS:
            raise ValueError(f"fillna takes method='ffill' or 'bfill', got {method!r}; pass one of these.")
        return getattr(self, FILLS[method])(axis=axis, inplace=inplace, limit=limit)

    return called


# The letters of frequencies before pandas 2.2 -> those of today.
FREQUENCIES: Dict[str, str] = _TABLE['frequencies_of_pandas']


def _frequency(place: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper for a function whose argument at this place is `rule` or `freq`, like '5T' or 'A-DEC'."""

    def translated(value: Any) -> Any:
        match = re.match(r'^([-+]?\d*\.?\d*)([A-Z]+)(-.*)?$', value) if isinstance(value, str) else None
        if match is None or match.group(2) not in FREQUENCIES:
            return value
        return match.group(1) + FREQUENCIES[match.group(2)] + (match.group(3) or '')

    def wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            args = args[:place] + tuple(translated(arg) for arg in args[place : place + 1]) + args[place + 1 :]
            kwargs.update({name: translated(kwargs[name]) for name in ('rule', 'freq') if name in kwargs})
            return function(*args, **kwargs)

        return called

    return wrapper


def defaults(pandas: ModuleType) -> str:
    """Give `get_dummies` bytes, strings the dtype object, and `value_counts` its name."""
    if version(pandas) < (2, 0):
        return ''
    done = [wrap(pandas, 'get_dummies', _in_bytes), wrap(pandas.Series, 'value_counts', _with_old_names)]
    if version(pandas) >= (3, 0):
        pandas.set_option('future.infer_string', False)
        done.append('columns of strings have the dtype object')
    return joined(*done)


@around
def _in_bytes(get_dummies: Any, *args: Any, **kwargs: Any) -> Any:
    if len(args) < 8 and kwargs.get('dtype') is None:
        kwargs['dtype'] = 'uint8'
    return get_dummies(*args, **kwargs)


@around
def _with_old_names(value_counts: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    counts = value_counts(self, *args, **kwargs)
    counts.name, counts.index.name = self.name, None
    return counts


def columns(pandas: ModuleType) -> str:
    """Let `df['a'][mask] = 0` and `df['a'].fillna(0, inplace=True)` change the table, as before pandas 3."""
    if version(pandas) < (3, 0):
        return ''
    from .pandas_tables import link

    return link(pandas)
