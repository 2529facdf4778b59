"""Names of pandas that 0.25 to 3.0 took away, and values that a column of another type no longer takes."""

from types import ModuleType
from typing import Any, Callable, Dict, List

from ..cures import around
from .giving import FILLS, give, give_class, joined, of_functions, version, wrap

# -- functions and methods ---------------------------------------------------------------------------------------------


def gone(pandas: ModuleType) -> str:
    """Give back `pd.value_counts`, `nonzero`, `ravel`, `get_values`, `is_monotonic`, `between(inclusive=True)`."""
    if version(pandas) < (1, 0):
        return ''
    frame, series, index = pandas.DataFrame, pandas.Series, pandas.Index
    done = [give(pandas, of_functions(value_counts)), wrap(pandas, 'unique', _of_lists)]
    done.append(give_class(series, _methods_of_series()))
    monotonic = property(lambda self: self.is_monotonic_increasing, doc='Whether no value is below the one before.')
    get_values = {'get_values': lambda self: self.values}
    done += [give_class(kind, {'is_monotonic': monotonic}) for kind in (series, index)]
    done += [give_class(kind, get_values) for kind in (frame, index)]
    done.append(give_class(index, {'contains': lambda self, key: key in self, 'get_duplicates': _duplicates}))
    done.append(give_class(frame, {'get_dtype_counts': lambda self: self.dtypes.value_counts(), **_of_items()}))
    done += [give_class(kind, {'convert_objects': _converted, 'select': _selected}) for kind in (frame, series)]
    done.append(give_class(pandas.MultiIndex, {'labels': property(lambda self: self.codes, doc='The codes.')}))
    done += [wrap(series, 'between', _whether_inclusive), wrap(frame, 'to_dict', _short_orient)]
    done.append(wrap(pandas, 'set_option', _old_options))
    warning = type('SettingWithCopyWarning', (Warning,), {})
    done.append(give(pandas.core.common, {'SettingWithCopyWarning': warning}))
    return joined(*done, *_methods_of_groups(), *_levels(pandas))


@around
def _old_options(set_option: Any, *args: Any, **kwargs: Any) -> Any:
    settings = list(args)
    for position in range(0, len(settings) - 1, 2):
        name, value = settings[position : position + 2]
        if name == 'precision':
            settings[position] = 'display.precision'
        if str(name).endswith('max_colwidth') and value == -1:
            settings[position + 1] = None
    return set_option(*settings, **kwargs)


def value_counts(
    values: Any,
    sort: bool = True,
    ascending: bool = False,
    normalize: bool = False,
    bins: Any = None,
    dropna: bool = True,
) -> Any:
    """`pd.value_counts`: how often each value occurs."""
    import pandas

    return pandas.Series(values).value_counts(normalize, sort, ascending, bins, dropna)


@around
def _of_lists(unique: Any, values: Any) -> Any:
    import pandas

    return unique(pandas.Series(values).values if isinstance(values, (list, tuple)) else values)


def _methods_of_series() -> Dict[str, Any]:
    import numpy

    return {
        'nonzero': lambda self: numpy.asarray(self).nonzero(),
        'ravel': lambda self, order='C': numpy.asarray(self).ravel(order),
        'ptp': lambda self: numpy.ptp(numpy.asarray(self)),
        'compress': lambda self, condition: self[numpy.asarray(condition, bool)],
        'valid': lambda self: self.dropna(),
        'asobject': property(lambda self: numpy.asarray(self, object), doc='The values as objects.'),
        'itemsize': property(lambda self: self.dtype.itemsize, doc='The bytes of a value.'),
        'strides': property(lambda self: numpy.asarray(self).strides, doc='The steps of the array.'),
        'real': property(lambda self: numpy.real(numpy.asarray(self)), doc='The real parts.'),
        'view': lambda self, dtype=None: _viewed(self, dtype),
    }


def _viewed(self: Any, dtype: Any) -> Any:
    from .pandas_dates import in_nanoseconds

    return self._constructor(in_nanoseconds(self).values.view(dtype), index=self.index, name=self.name)


def _duplicates(self: Any) -> List[Any]:
    return sorted(set(self[self.duplicated()]))


def _of_items() -> Dict[str, Any]:
    def from_items(cls: Any, items: Any, columns: Any = None, orient: str = 'columns') -> Any:
        items = list(items)
        if orient == 'columns':
            return cls(dict(items), columns=[name for name, _ in items] if columns is None else columns)
        return cls.from_dict(dict(items), orient='index', columns=columns)

    return {'from_items': classmethod(from_items)}


def _converted(self: Any, convert_dates: Any = True, convert_numeric: bool = False, **kwargs: Any) -> Any:
    import pandas

    if self.ndim == 2:
        return self.apply(_converted, convert_numeric=convert_numeric)
    if convert_numeric and self.dtype == object:
        numbers = pandas.to_numeric(self, errors='coerce')
        return self if numbers.isnull().all() else numbers
    return self.infer_objects()


def _selected(self: Any, crit: Callable[[Any], Any], axis: Any = 0) -> Any:
    chosen = [label for label in (self.columns if axis in (1, 'columns') else self.index) if crit(label)]
    return self[chosen] if axis in (1, 'columns') else self.loc[chosen]


@around
def _whether_inclusive(between: Any, self: Any, left: Any, right: Any, inclusive: Any = True) -> Any:
    return between(self, left, right, {True: 'both', False: 'neither'}.get(inclusive, inclusive))


@around
def _short_orient(to_dict: Any, self: Any, orient: str = 'dict', *args: Any, **kwargs: Any) -> Any:
    names = 'dict', 'list', 'series', 'split', 'records', 'index', 'tight'
    full = next((name for name in names if orient and name.startswith(orient)), orient)
    return to_dict(self, 'records' if orient == 'row' else full, *args, **kwargs)


def _methods_of_groups() -> List[str]:
    from pandas.core.groupby import DataFrameGroupBy, SeriesGroupBy

    def fillna(self: Any, value: Any = None, method: Any = None, limit: Any = None, **kwargs: Any) -> Any:
        if method is not None:
            return getattr(self, FILLS[method])(limit=limit)
        return self.transform(lambda part: part.fillna(value))

    names = {'fillna': fillna, 'mad': lambda self: self.agg(lambda part: (part - part.mean()).abs().mean())}
    return [give_class(kind, names) for kind in (DataFrameGroupBy, SeriesGroupBy)]


def _levels(pandas: ModuleType) -> List[str]:
    """`sum(level=0)` of tables and series, which pandas 2.0 took away."""
    if version(pandas) < (2, 0):
        return []
    names = 'sum', 'mean', 'std', 'var', 'median', 'min', 'max', 'prod', 'count'
    return [wrap(kind, name, _of_level) for kind in (pandas.DataFrame, pandas.Series) for name in names]


@around
def _of_level(function: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    level = kwargs.pop('level', None)
    if level is None:
        return function(self, *args, **kwargs)
    kwargs = {name: value for name, value in kwargs.items() if name != 'axis'}
    return getattr(self.groupby(level=level), function.__name__)(**kwargs)


# -- labels that are missing, values of another type -------------------------------------------------------------------


def assignments(pandas: ModuleType) -> str:
    """Let a column of numbers take text or a fraction, and `loc` take labels some of which are missing."""
    if version(pandas) < (1, 0):
        return ''
    series = pandas.Series([0])
    done = [wrap(type(series.loc), '__getitem__', _missing_labels), wrap(pandas.Series, '__getitem__', _new_axis)]
    if version(pandas) < (3, 0):
        return joined(*done)
    done += [
        wrap(type(getattr(series, name)), '__setitem__', _of_another_type) for name in ('loc', 'iloc', 'at', 'iat')
    ]
    return joined(*done, wrap(pandas.Series, '__setitem__', _of_another_type))


@around
def _missing_labels(getitem: Any, self: Any, key: Any) -> Any:
    try:
        return getitem(self, key)
    except KeyError:
        keys = key if isinstance(key, tuple) else (key,)
        axes = self.obj.axes[: len(keys)]
        lists = [isinstance(labels, list) or getattr(labels, 'ndim', 0) == 1 for labels in keys]
        if any(axis.nlevels > 1 or not axis.is_unique for axis in axes) or len(keys) > self.obj.ndim:
            raise
        data = self.obj
        for number, (axis, labels, several) in enumerate(zip(axes, keys, lists)):
            # Nothing but labels can be missing. One of them has to be there.
            if several and not axis.isin(labels).any():
                raise
            if several:
                data = data.reindex(labels) if number == 0 else data.reindex(columns=labels)
            else:
                data = data.loc[labels] if number == 0 else data.loc[..., labels]
        return data


@around
def _new_axis(getitem: Any, self: Any, key: Any) -> Any:
    if isinstance(key, tuple) and len(key) == 2 and key[1] is None and key[0] == slice(None):
        import numpy

        return numpy.asarray(self)[:, None]
    return getitem(self, key)


@around
def _of_another_type(setitem: Any, self: Any, key: Any, value: Any) -> Any:
    try:
        return setitem(self, key, value)
    except TypeError as error:
        if not str(error).startswith('Invalid value'):
            raise
    data = getattr(self, 'obj', self)
    if data.ndim == 1:
        data._update_inplace(data.astype(object))
        setitem(self, key, value)
        data._update_inplace(data.infer_objects())
        return None
    columns = key[1] if isinstance(key, tuple) and len(key) == 2 else slice(None)
    if type(self).__name__.lower().lstrip('_') in ('ilocindexer', 'iatindexer'):
        chosen = data.columns[columns]
    else:
        chosen = (
            data.columns[data.columns.get_indexer_for([columns])]
            if _is_label(columns)
            else data.columns[data.columns.get_indexer_for(data.loc[:, columns].columns)]
        )
    for name in [chosen] if _is_label(chosen) else chosen:
        data[name] = data[name].astype(object)
    setitem(self, key, value)
    for name in [chosen] if _is_label(chosen) else chosen:
        data[name] = data[name].infer_objects()
    return None


def _is_label(key: Any) -> bool:
    return isinstance(key, (str, bytes)) or not (isinstance(key, slice) or hasattr(key, '__len__'))
