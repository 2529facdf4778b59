"""Tables of pandas: columns before copy-on-write, `.ix`, and the old arguments of `read_csv`."""

import weakref
from types import ModuleType
from typing import Any, Callable, Dict, List

from ..cures import around
from .giving import joined, wrap

# -- columns -----------------------------------------------------------------------------------------------------------
# A column of a table and the table change together, as before the copy-on-write of pandas 3.


LINK = '_table_of_launcher'
IN_PLACE = 'fillna', 'ffill', 'bfill', 'replace', 'clip', 'where', 'mask', 'interpolate', 'update'
OPERATORS = '__iadd__', '__isub__', '__imul__', '__itruediv__', '__ifloordiv__', '__ipow__'


def link(pandas: ModuleType) -> str:
    """Let what is written into a column that a program has taken from a table reach the table."""
    frame, series = pandas.DataFrame, pandas.Series
    if 'link.<locals>.linked' in getattr(frame.__getitem__, '_of_launcher', ()):
        return ''
    column, put = frame.__getitem__, frame.__setitem__

    def linked(original: Callable[..., Any]) -> Callable[..., Any]:
        def getitem(self: Any, key: Any) -> Any:
            selected = original(self, key)
            if type(selected) is series and selected.ndim == 1:
                object.__setattr__(selected, LINK, (weakref.ref(self), key))
            return selected

        return getitem

    def table_of(data: Any) -> Any:
        """(the table that a column still belongs to, its label) or None."""
        reference, key = getattr(data, '__dict__', {}).get(LINK, (None, None))
        table = reference() if reference is not None else None
        try:
            same = table is not None and _same(column(table, key), data)
        except (KeyError, TypeError):  # the table no longer has the column, or not as it was
            return None
        return (table, key) if same else None

    def writing(data: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
            def called(self: Any, *args: Any, **kwargs: Any) -> Any:
                target = data(self)
                owner = None
                if kwargs.get('inplace', function.__name__ in ('__setitem__', 'update', *OPERATORS)):
                    owner = table_of(target)
                if (
                    self is target
                    and args
                    and kwargs == {}
                    and function.__name__ == '__setitem__'
                    and _position(self, args[0])
                ):
                    result = self.iloc.__setitem__(*args)
                else:
                    result = function(self, *args, **kwargs)
                if owner is not None:
                    put(owner[0], owner[1], target)
                return result

            return called

        return wrapper

    done = [wrap(frame, '__getitem__', linked), wrap(series, '__setitem__', writing(lambda self: self))]
    done += [wrap(series, name, writing(lambda self: self)) for name in IN_PLACE + OPERATORS]
    for name in 'loc', 'iloc', 'at', 'iat':
        kind = type(getattr(series([0]), name))
        wrap(kind, '__setitem__', writing(lambda self: self.obj))
    done += [wrap(series, '__getitem__', _by_position), _writable(frame), _writable(series)]
    return joined(*done)


def _same(column: Any, data: Any) -> bool:
    """Whether a series still has the values of the column that it was taken from."""
    import numpy

    if len(column) != len(data) or column.dtype != data.dtype:
        return False
    if not len(data):
        return False
    first, second = column.array, data.array
    if column.dtype.kind in 'biufcOmM' and not hasattr(column.dtype, 'na_value'):
        return bool(numpy.shares_memory(numpy.asarray(first), numpy.asarray(second)))
    return bool(column.equals(data))


def _position(series: Any, key: Any) -> bool:
    """Whether a key is a position: an integer where labels are no numbers, or a list of such."""
    import numpy

    if series.index.dtype.kind in 'iuf' or series.index.nlevels > 1:
        return False
    if isinstance(key, (int, numpy.integer)) and not isinstance(key, bool):
        return key not in series.index
    if isinstance(key, (list, numpy.ndarray)) and len(key):
        return all(
            isinstance(k, (int, numpy.integer)) and not isinstance(k, bool) and k not in series.index for k in key
        )
    return False


@around
def _by_position(getitem: Any, self: Any, key: Any) -> Any:
    return self.iloc[key] if _position(self, key) else getitem(self, key)


def _table(data: Any) -> Any:
    """The table that a column was taken from, if it is still there."""
    reference, _ = data.__dict__.get(LINK, (None, None))
    return None if reference is None else reference()


def _writable(kind: Any) -> str:
    """Let `values` be an array that can be written to, where no other table shares it."""
    import numpy

    getter = kind.values.fget

    def values(self: Any) -> Any:
        array = getter(self)
        if isinstance(array, numpy.ndarray) and not array.flags.writeable:
            blocks: Any = getattr(getattr(self, '_mgr', None), 'blocks', ())
            known = getattr(blocks[0], 'refs', None) if len(blocks) == 1 else None
            others = [ref for ref in getattr(known, 'referenced_blocks', [None, None, None]) if ref is None or ref()]
            linked = self.ndim == 1 and _table(self) is not None
            if len(others) <= (2 if linked else 1):
                array = array.view()
                try:
                    array.flags.writeable = True
                except ValueError:  # a constant of NumPy, or a file that is read only
                    return array
        return array

    kind.values = property(values, doc=kind.values.__doc__)
    return f'{kind.__name__}.values'


# -- .ix ---------------------------------------------------------------------------------------------------------------
# `.ix` of pandas, which pandas 1.0 removed: labels first, positions where an integer cannot be a label.


class Ix:
    """`df.ix`: parts of a table, or of a series, by label or by position.

    An integer is a label where the labels are numbers. Otherwise it is a position, unless it is one of the labels.
    A slice of labels contains its end. A slice of positions does not.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def _keys(self, key: Any) -> Any:
        key = key if isinstance(key, tuple) and self._data.ndim == 2 else (key,)
        return key + (slice(None),) * (self._data.ndim - len(key))

    def _by_label(self, key: Any) -> bool:
        return any(axis.nlevels > 1 for axis in self._data.axes) or callable(key)

    def _positions(self, key: Any) -> Any:
        positions = tuple(_places(axis, subkey) for axis, subkey in zip(self._data.axes, self._keys(key)))
        return positions if self._data.ndim == 2 else positions[0]

    def __getitem__(self, key: Any) -> Any:
        if self._by_label(key):
            return self._data.loc[key]
        return self._data.iloc[self._positions(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._by_label(key):
            self._data.loc[key] = value
            return
        try:
            positions = self._positions(key)
        except KeyError:  # a new row or column
            labels = tuple(
                axis[subkey]
                if isinstance(subkey, int) and not _numbers(axis) and subkey not in axis and abs(subkey) < len(axis)
                else subkey
                for axis, subkey in zip(self._data.axes, self._keys(key))
            )
            self._data.loc[labels if self._data.ndim == 2 else labels[0]] = value
            return
        self._data.iloc[positions] = value


def _numbers(axis: Any) -> bool:
    return bool(axis.dtype.kind in 'iuf')


def _integer(value: Any) -> bool:
    import numpy

    return isinstance(value, (int, numpy.integer)) and not isinstance(value, (bool, numpy.bool_))


def _places(axis: Any, key: Any) -> Any:
    """The positions that a key means on an axis, for `iloc`."""
    import numpy

    if isinstance(key, slice):
        bounds = [bound for bound in (key.start, key.stop) if bound is not None]
        if bounds and (_numbers(axis) or not all(_integer(bound) for bound in bounds)):
            return axis.slice_indexer(key.start, key.stop, key.step)
        return key
    if _integer(key):
        # Labels of a date or of text are no integers, and a mixed index may have this one.
        if _numbers(axis) or (axis.dtype == object and key in axis):
            return axis.get_loc(key)
        return int(key)
    if hasattr(key, 'reindex') and getattr(key, 'dtype', None) == 'bool':
        return numpy.asarray(key.reindex(axis))
    if hasattr(key, '__len__') and not isinstance(key, (str, bytes, tuple)):
        values = numpy.asarray(key)
        if values.dtype == bool:
            return values
        labels = list(key)
        if labels and all(_integer(label) for label in labels) and not _numbers(axis):
            if not (axis.dtype == object and all(label in axis for label in labels)):
                return [int(label) for label in labels]
        positions = axis.get_indexer_for(labels)
        if (positions < 0).any():
            raise KeyError(f'.ix cannot find {[label for label in labels if label not in axis]!r} among the labels.')
        return positions
    return axis.get_loc(key)


# -- read_csv ----------------------------------------------------------------------------------------------------------
# The old arguments of `pd.read_csv` and `read_table`, which pandas 1.3 to 3.0 removed.


ORDER = 'path sep delimiter header names index_col usecols squeeze prefix mangle_dupe_cols dtype engine'.split()
IGNORED = 'infer_datetime_format mangle_dupe_cols tupleize_cols verbose buffer_lines compact_ints use_unsigned'.split()


def reading(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper of a function that reads a table of text."""

    def wrapper(read: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            if len(args) > len(ORDER):
                raise TypeError(
                    f'pd.{name} takes {len(ORDER)} arguments by position, got {len(args)}; name the others.'
                )
            kwargs.update(zip(ORDER[1:], args[1:]))
            args = args[:1]
            for ignored in IGNORED:
                kwargs.pop(ignored, None)
            warned = kwargs.pop('warn_bad_lines', True)
            if not kwargs.pop('error_bad_lines', True):
                kwargs['on_bad_lines'] = 'warn' if warned else 'skip'
            if kwargs.pop('delim_whitespace', False):
                kwargs['sep'] = r'\s+'
            squeeze, prefix = kwargs.pop('squeeze', False), kwargs.pop('prefix', None)
            keep, parser = kwargs.pop('keep_date_col', False), kwargs.pop('date_parser', None)
            dates = kwargs.get('parse_dates')
            several = isinstance(dates, dict) or (isinstance(dates, list) and any(isinstance(d, list) for d in dates))
            if several or (parser is not None and dates):
                table = _read_with_dates(read, args, kwargs, parser, keep)
            else:
                table = read(*args, **kwargs)
            if prefix is not None and kwargs.get('header', 'infer') is None and kwargs.get('names') is None:
                table.columns = [f'{prefix}{column}' for column in table.columns]
            return table.iloc[:, 0] if squeeze and table.shape[1] == 1 else table

        return called

    return wrapper


def _read_with_dates(read: Callable[..., Any], args: Any, kwargs: Dict[str, Any], parser: Any, keep: bool) -> Any:
    """A table whose dates stand in several columns, or are read by a function of the program."""
    if kwargs.get('chunksize') or kwargs.get('iterator'):
        raise TypeError(
            'pd.read_csv cannot read parts with dates of several columns or with date_parser since pandas 3.0; read '
            'the whole file, without chunksize.'
        )
    dates, index = kwargs.pop('parse_dates'), kwargs.pop('index_col', None)
    if dates is True:
        dates = [0 if index is None else index]
    groups = list(dates.items()) if isinstance(dates, dict) else [(None, date) for date in dates]
    groups = [(name, group if isinstance(group, (list, tuple)) else [group]) for name, group in groups]
    # A converter keeps the text as it stands in the file, with its leading zeros.
    converters = dict(kwargs.pop('converters', None) or {})
    converters.update({column: str for _, group in groups for column in group if column not in converters})
    table = read(*args, converters=converters, index_col=False if index is False else None, **kwargs)
    columns = list(table.columns)
    old: List[Any] = []
    new: List[Any] = []
    for name, group in groups:
        labels = [columns[column] if isinstance(column, int) and column not in columns else column for column in group]
        values = _dates([table[label].astype(str) for label in labels], parser)
        if len(labels) == 1 and name is None:
            table[labels[0]] = values
        else:
            new.append(('_'.join(str(label) for label in labels) if name is None else name, values))
            old += labels
    if not keep:
        table = table.drop(columns=old)
    for position, (name, values) in enumerate(new):
        table.insert(position, name, values)
    if index is None or index is False:
        return table
    columns = list(table.columns)
    keys = index if isinstance(index, list) else [index]
    labels = [columns[key] if isinstance(key, int) and key not in columns else key for key in keys]
    return table.set_index(labels if isinstance(index, list) else labels[0])


def _dates(texts: List[Any], parser: Any) -> Any:
    """The dates in some columns of text. A parser takes arrays, joined texts, or the texts of a row."""
    import pandas

    joined = texts[0]
    for text in texts[1:]:
        joined = joined + ' ' + text
    if parser is None:
        return pandas.to_datetime(joined)
    for attempt in (
        lambda: parser(*[text.values.astype(object) for text in texts]),
        lambda: parser(joined.values.astype(object)),
        lambda: [parser(text) for text in joined],
    ):
        try:
            return pandas.Series(pandas.to_datetime(attempt()), index=joined.index)
        except Exception:  # noqa: BLE001, S112 - of the parser of the program; the last way raises what it raises
            continue
    return pandas.Series(pandas.to_datetime([parser(*row) for row in zip(*texts)]), index=joined.index)


# -- plots and groups --------------------------------------------------------------------------------------------------
# Arguments of plots, and the names of columns that groups give.


def axes_of_plots(plotting: ModuleType) -> str:
    """Take `plot(axes=ax)` for `plot(ax=ax)`. Matplotlib 3.7 and later refuse it."""
    return wrap(plotting.PlotAccessor, '__call__', _in_these_axes)


def _in_these_axes(plot: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        axes = kwargs.pop('axes', None)
        if axes is not None:
            kwargs.setdefault('ax', axes)
        return plot(self, *args, **kwargs)

    return called


def new_names(pandas: ModuleType) -> str:
    """Let `groups['x'].agg({'name': function})` name its columns, as before pandas 1.0; of tables, in nested dicts."""
    from pandas.core.groupby import DataFrameGroupBy, SeriesGroupBy

    done = [wrap(SeriesGroupBy, name, _named_columns) for name in ('agg', 'aggregate')]
    return joined(*done, *[wrap(DataFrameGroupBy, name, _nested_columns) for name in ('agg', 'aggregate')])


def _named_columns(agg: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(func, dict) and not args and not kwargs:
            return agg(self, **{str(name): function for name, function in func.items()})
        return agg(self, func, *args, **kwargs)

    return called


def _nested_columns(agg: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(func, dict) or not any(isinstance(value, dict) for value in func.values()):
            return agg(self, func, *args, **kwargs)
        import pandas

        columns = {name: self[name].agg(value) for name, value in func.items()}
        return pandas.concat({name: pandas.DataFrame(column) for name, column in columns.items()}, axis=1)

    return called
