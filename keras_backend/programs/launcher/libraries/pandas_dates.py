"""Dates of pandas before 3.0: nanoseconds, texts in several forms, days as numbers, `resample(how=)`, rows by day."""

import re
from types import ModuleType
from typing import Any, Callable, Optional

from ..cures import around
from .giving import FILLS, give, give_class, joined, version, wrap

# -- nanoseconds -------------------------------------------------------------------------------------------------------


def nanoseconds(pandas: ModuleType) -> str:
    """Count dates in nanoseconds, as before pandas 3, and let whole days of a time be numbers, as before pandas 2."""
    if version(pandas) < (2, 0):
        return ''
    done = [wrap(kind, 'astype', _as_numbers) for kind in (pandas.Series, pandas.Index)]
    if version(pandas) >= (3, 0):
        made = 'to_datetime', 'to_timedelta', 'date_range', 'bdate_range', 'timedelta_range', 'read_csv', 'read_table'
        done += [wrap(pandas, name, _counted) for name in made]
        done += [wrap(kind, '__new__', _counted) for kind in (pandas.DatetimeIndex, pandas.TimedeltaIndex)]
    return joined(*done)


@around
def _counted(function: Any, *args: Any, **kwargs: Any) -> Any:
    return in_nanoseconds(function(*args, **kwargs))


def in_nanoseconds(data: Any) -> Any:
    """Dates, or a table with dates, in nanoseconds. Dates that have none, as of the year 1, stay as they are."""
    import pandas

    try:
        if isinstance(data, pandas.DataFrame):
            for position, dtype in enumerate(data.dtypes):
                if dtype.kind in 'mM' and _unit(dtype) != 'ns':
                    data.isetitem(position, in_nanoseconds(data.iloc[:, position]))
            if _is_time(data.index):
                data.index = in_nanoseconds(data.index)
        elif isinstance(data, pandas.Series) and _is_time(data):
            return data.dt.as_unit('ns')
        elif isinstance(data, (pandas.DatetimeIndex, pandas.TimedeltaIndex, pandas.Timestamp, pandas.Timedelta)):
            return data if data.unit == 'ns' or data is pandas.NaT else data.as_unit('ns')
    except pandas.errors.OutOfBoundsDatetime:
        pass
    return data


def _unit(dtype: Any) -> Optional[str]:
    match = re.search(r'\[(\w+)', str(dtype))
    return match.group(1) if match else None


def _is_time(data: Any) -> bool:
    return bool(data.dtype.kind in 'mM' and str(data.dtype).startswith(('datetime64', 'timedelta64')))


@around
def _as_numbers(astype: Any, self: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    import numpy

    if not _is_time(self) or isinstance(dtype, dict):
        return astype(self, dtype, *args, **kwargs)
    unit = _unit(dtype) if isinstance(dtype, (str, numpy.dtype)) else None
    if self.dtype.kind == 'm' and str(dtype).startswith(('timedelta64', 'm8', '<m8')) and unit not in (None, 'ns'):
        whole = numpy.asarray(self).astype('m8[ns]').astype(f'm8[{unit}]')
        numbers = numpy.where(numpy.isnat(whole), numpy.nan, whole.astype('float64'))
        import pandas

        return (
            self._constructor(numbers, index=self.index, name=self.name)
            if self.ndim and hasattr(self, 'index')
            else pandas.Index(numbers, name=self.name)
        )
    if dtype in (int, 'int', 'int64', 'i8') or getattr(dtype, '__name__', '') in ('int64', 'int_', 'int'):
        return astype(in_nanoseconds(self), dtype, *args, **kwargs)
    return astype(self, dtype, *args, **kwargs)


# -- dates as text -----------------------------------------------------------------------------------------------------


def texts(pandas: ModuleType) -> str:
    """Let each text of `to_datetime` have a form of its own; take `infer_datetime_format`, `box`, `errors='ignore'`."""
    if version(pandas) < (2, 0):
        return ''
    done = [wrap(pandas, 'to_datetime', _each_form), wrap(pandas, 'to_numeric', _or_as_it_is)]
    return joined(*done, *[wrap(pandas, name, _closed) for name in ('date_range', 'bdate_range')])


@around
def _each_form(to_datetime: Any, arg: Any, *args: Any, **kwargs: Any) -> Any:
    kwargs.pop('infer_datetime_format', None)
    box = kwargs.pop('box', True)
    if not args and kwargs.get('format') is None and kwargs.get('unit') is None and _has_texts(arg):
        kwargs['format'] = 'mixed'
    dates = _or_as_it_is(to_datetime)(arg, *args, **kwargs)
    return dates if box or not hasattr(dates, 'to_numpy') else dates.to_numpy()


def _has_texts(arg: Any) -> bool:
    if isinstance(arg, (str, bytes, dict)) or not hasattr(arg, '__len__') or getattr(arg, 'ndim', 1) != 1:
        return False
    return any(isinstance(value, str) for value in arg)


@around
def _or_as_it_is(convert: Any, arg: Any, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get('errors') != 'ignore':
        return convert(arg, *args, **kwargs)
    del kwargs['errors']
    try:
        return convert(arg, *args, **kwargs)
    except (ValueError, TypeError):  # both are said of texts that are no numbers or dates
        return arg


@around
def _closed(date_range: Any, *args: Any, **kwargs: Any) -> Any:
    if 'closed' in kwargs:
        kwargs['inclusive'] = kwargs.pop('closed') or 'both'
    return date_range(*args, **kwargs)


# -- names -------------------------------------------------------------------------------------------------------------


def names_of_dates(pandas: ModuleType) -> str:
    """Give back `TimeGrouper`, `resample(how=)`, `index.week`, `df['2016-01-02']` and `df.last('3D')`."""
    if version(pandas) < (1, 0):
        return ''
    weeks = property(_week, doc='The week of the year.')
    day = property(lambda self: self.day_name(), doc='The name of the day.')
    done = [give_class(pandas.DatetimeIndex, {'week': weeks, 'weekofyear': weeks, 'weekday_name': day})]
    done += [give(pandas, {'TimeGrouper': _grouper}), wrap(pandas.DatetimeIndex, '__new__', _range)]
    done.append(give_class(pandas.Timestamp, {'weekday_name': day}))
    for kind in pandas.DataFrame, pandas.Series:
        done += [
            give_class(kind, {'first': _first, 'last': _last, 'tshift': _shifted}),
            wrap(kind, 'resample', _resampled),
        ]
    return joined(*done, wrap(pandas.DataFrame, '__getitem__', _rows_of_a_day))


def _week(self: Any) -> Any:
    import pandas

    return pandas.Index(self.isocalendar().week.values.astype('int64'))


def _grouper(freq: Any = None, **kwargs: Any) -> Any:
    import pandas

    return pandas.Grouper(freq=freq, **kwargs)


@around
def _range(new: Any, cls: Any, *args: Any, **kwargs: Any) -> Any:
    if args or 'data' in kwargs or not {'start', 'end', 'periods'} & set(kwargs):
        return new(cls, *args, **kwargs)
    import pandas

    return pandas.date_range(**kwargs)


def _first(self: Any, offset: Any) -> Any:
    import pandas

    step = pandas.tseries.frequencies.to_offset(offset)
    end = self.index[0] + step
    whole = isinstance(step, (pandas.offsets.Tick, pandas.offsets.Day))
    return self[self.index < end] if whole else self[self.index <= end]


def _last(self: Any, offset: Any) -> Any:
    import pandas

    return self[self.index > self.index[-1] - pandas.tseries.frequencies.to_offset(offset)]


def _shifted(self: Any, periods: int = 1, freq: Any = None, axis: Any = 0) -> Any:
    import pandas

    return self.shift(periods, freq=freq or self.index.freq or pandas.infer_freq(self.index), axis=axis)


@around
def _resampled(resample: Any, self: Any, rule: Any, how: Any = None, **kwargs: Any) -> Any:
    fill, limit = kwargs.pop('fill_method', None), kwargs.pop('limit', None)
    if kwargs.get('axis', 0) == 0:
        kwargs.pop('axis', None)
    parts = resample(self, rule, **kwargs)
    if how is None and fill is None:
        return parts
    if how is None:
        return getattr(parts, FILLS[fill])(limit=limit)
    applied: Callable[..., Any] = parts.agg
    whole = getattr(parts, how)() if isinstance(how, str) else applied(how)
    return whole if fill is None else getattr(whole, FILLS[fill])(limit=limit)


@around
def _rows_of_a_day(getitem: Any, self: Any, key: Any) -> Any:
    try:
        return getitem(self, key)
    except KeyError:
        if not isinstance(key, str) or not hasattr(self.index, 'day'):
            raise
        return self.loc[key]
