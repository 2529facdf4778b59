"""What pandas before 3.0 computed: means of tables and groups, `apply` of groups, patterns in text, sets of labels.

No name is missing here. The numbers are others, so a program would go on with them.
"""

from types import ModuleType
from typing import Any, Callable, Dict

from ..cures import around
from .giving import FILLS, joined, version, wrap

# -- columns without numbers, axis=None --------------------------------------------------------------------------------


REDUCTIONS = 'mean median std var sem skew kurt kurtosis sum prod product min max quantile corr cov corrwith'.split()
# Of groups, these left out columns of text, although text has a sum.
TEXT_HAS = 'sum', 'prod'


def reductions(pandas: ModuleType) -> str:
    """Leave text out of means and of sums of groups; let `np.mean(table)` be a mean for each column."""
    if version(pandas) < (2, 0):
        return ''
    from pandas.core.groupby import DataFrameGroupBy
    from pandas.core.resample import Resampler

    done = []
    for kind, wrappers in (
        (DataFrameGroupBy, (_numbers_of_groups, _numbers_alone)),
        (Resampler, (_numbers_of_groups, _numbers_alone)),
        (pandas.DataFrame, (_numbers_alone, _each_column)),
    ):
        for name in REDUCTIONS:
            if hasattr(kind, name):
                chosen = [wrapper for wrapper in wrappers if wrapper is not _numbers_of_groups or name in TEXT_HAS]
                done += [wrap(kind, name, wrapper) for wrapper in chosen]
    return joined(*done)


@around
def _numbers_alone(function: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get('numeric_only') is None:
        kwargs.pop('numeric_only', None)
        try:
            return function(self, *args, **kwargs)
        except (TypeError, ValueError):  # both are said of columns that are no numbers; it is tried without them
            kwargs['numeric_only'] = True
    return function(self, *args, **kwargs)


@around
def _numbers_of_groups(function: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    """A sum of groups without text. Where no column has numbers, text is added up, as pandas 1 did."""
    if not args and kwargs.get('numeric_only') is None:
        kwargs.pop('numeric_only', None)
        data = getattr(self, '_obj_with_exclusions', self.obj)
        if data.ndim == 2 and 0 < data.select_dtypes(['number', 'bool']).shape[1] < data.shape[1]:
            kwargs['numeric_only'] = True
    return function(self, *args, **kwargs)


@around
def _each_column(function: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    """`axis=None`, which NumPy's functions pass, meant the columns before pandas 2."""
    if args and args[0] is None:
        args = (0, *args[1:])
    elif 'axis' in kwargs and kwargs['axis'] is None:
        del kwargs['axis']
    return function(self, *args, **kwargs)


# -- functions of NumPy in agg -----------------------------------------------------------------------------------------


def aggregations(pandas: ModuleType) -> str:
    """Let `agg(np.std)` be the method of pandas, which divides by n - 1, as before pandas 3."""
    if version(pandas) < (3, 0):
        return ''
    from pandas.core.groupby import DataFrameGroupBy, SeriesGroupBy
    from pandas.core.resample import Resampler
    from pandas.core.window.rolling import Rolling

    kinds = pandas.DataFrame, pandas.Series, DataFrameGroupBy, SeriesGroupBy, Resampler, Rolling
    done = [wrap(kind, name, _named_functions) for kind in kinds for name in ('agg', 'aggregate')]
    return joined(*done, *[wrap(kind, 'transform', _named_functions) for kind in (DataFrameGroupBy, SeriesGroupBy)])


def _methods() -> Dict[Any, str]:
    """The functions that were known -> the methods of pandas."""
    import numpy

    names = 'sum mean std var median prod min max cumsum cumprod'.split()
    methods = {getattr(numpy, name): name for name in names}
    methods.update({getattr(numpy, 'nan' + name): name for name in names})
    methods.update({sum: 'sum', max: 'max', min: 'min'})
    return methods


@around
def _named_functions(aggregate: Any, self: Any, func: Any = None, *args: Any, **kwargs: Any) -> Any:
    methods = _methods()

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: named(entry) for key, entry in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(named(entry) for entry in value) if type(value) in (list, tuple) else value
        return methods.get(value, value) if callable(value) else value

    kwargs = {name: named(value) if func is None else value for name, value in kwargs.items()}
    return aggregate(self, named(func), *args, **kwargs)


# -- apply of groups ---------------------------------------------------------------------------------------------------


def groups(pandas: ModuleType) -> str:
    """Give functions of `groupby().apply` the columns of the keys, and keep the rows in order where all are kept."""
    if version(pandas) < (2, 0):
        return ''
    from pandas.core.groupby import DataFrameGroupBy, SeriesGroupBy

    done = [wrap(DataFrameGroupBy, 'apply', _whole_groups)] if version(pandas) >= (3, 0) else []
    done += [wrap(kind, 'apply', _rows_in_order) for kind in (DataFrameGroupBy, SeriesGroupBy)]
    return joined(*done, *[wrap(kind, 'groupby', _single_key) for kind in (pandas.DataFrame, pandas.Series)])


@around
def _whole_groups(apply: Any, self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
    import copy

    if self._selection is not None or not self.exclusions:
        return apply(self, func, *args, **kwargs)
    whole = copy.copy(self)
    whole.exclusions, whole._cache = frozenset(), {}
    return apply(whole, func, *args, **kwargs)


@around
def _rows_in_order(apply: Any, self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
    """A result with the rows of the groups has their labels and order: the keys are no labels of it."""
    if not callable(func) or not self.group_keys or not self.as_index:
        return apply(self, func, *args, **kwargs)
    kept = []

    def noting(group: Any, *more: Any, **named: Any) -> Any:
        before = group.index
        result = func(group, *more, **named)
        labels = getattr(result, 'index', None)
        kept.append(getattr(result, 'ndim', 0) >= group.ndim and labels is not None and bool(before.equals(labels)))
        return result

    applied = apply(self, noting, *args, **kwargs)
    if not kept or not all(kept):
        return applied
    numbers = self.ngroup().values
    rows = (numbers >= 0).nonzero()[0]
    order = rows[numbers[rows].argsort(kind='stable')]
    if len(order) != len(applied):
        return applied
    in_order = applied.iloc[order.argsort(kind='stable')]
    in_order.index = self.obj.index[rows]
    # Rows without a key are lost in groups. They came back without values.
    return in_order if len(rows) == len(numbers) or not self.obj.index.is_unique else in_order.reindex(self.obj.index)


@around
def _single_key(groupby: Any, self: Any, by: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The name of a group by a list of one key is that key, not a tuple."""
    if isinstance(by, list) and len(by) == 1 and not isinstance(by[0], (list, tuple)):
        by = by[0]
    return groupby(self, by, *args, **kwargs)


# -- pct_change, patterns, types, sets ---------------------------------------------------------------------------------


def values(pandas: ModuleType) -> str:
    """Give back gaps that `pct_change` fills, patterns of `str.replace`, numbers that `replace` makes of text."""
    if version(pandas) < (2, 0):
        return ''
    from pandas.core.groupby import DataFrameGroupBy, SeriesGroupBy
    from pandas.core.strings.accessor import StringMethods

    from .giving import old_arguments

    tables = pandas.DataFrame, pandas.Series
    done = [wrap(StringMethods, 'replace', _pattern)]
    for name in 'split', 'rsplit':
        done.append(wrap(StringMethods, name, old_arguments(['self', 'pat', 'n', 'expand'], kept=2)))
    for operator, name in ('__and__', 'intersection'), ('__or__', 'union'), ('__xor__', 'symmetric_difference'):
        done.append(wrap(pandas.Index, operator, _sets(name)))
    if version(pandas) >= (3, 0):
        done += [wrap(kind, 'pct_change', _filled_changes) for kind in tables]
        done += [wrap(kind, 'pct_change', _filled_changes_of_groups) for kind in (DataFrameGroupBy, SeriesGroupBy)]
        done += [wrap(kind, name, _kind_of_values) for kind in tables for name in ('replace', 'fillna')]
        done += [
            wrap(pandas.DataFrame, 'stack', _without_gaps),
            wrap(pandas.DataFrame, 'interpolate', _columns_of_numbers),
        ]
    return joined(*done)


@around
def _pattern(
    replace: Any, self: Any, pat: Any, repl: Any = None, n: int = -1, case: Any = None, flags: int = 0, **kwargs: Any
) -> Any:
    if kwargs.get('regex') is None:
        kwargs['regex'] = callable(repl) or not (isinstance(pat, str) and len(pat) == 1)
    if kwargs['regex'] and isinstance(pat, str) and case is False:
        import re

        case, flags = None, flags | re.IGNORECASE
    return replace(self, pat, repl, n=n, case=case, flags=flags, **kwargs)


def _sets(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    @around
    def operation(operator: Any, self: Any, other: Any) -> Any:
        import pandas

        if not isinstance(other, pandas.Index) or 'bool' in (str(self.dtype), str(other.dtype)):
            return operator(self, other)
        return getattr(self, name)(other)

    return operation


@around
def _filled_changes(
    pct_change: Any, self: Any, periods: int = 1, fill_method: Any = 'pad', limit: Any = None, **kwargs: Any
) -> Any:
    if fill_method is not None:
        self = getattr(self, FILLS[fill_method])(limit=limit)
    return pct_change(self, periods, **kwargs)


@around
def _filled_changes_of_groups(
    pct_change: Any, self: Any, periods: int = 1, fill_method: Any = 'pad', limit: Any = None, **kwargs: Any
) -> Any:
    if fill_method is None:
        return pct_change(self, periods, **kwargs)
    filled = getattr(self, FILLS[fill_method])(limit=limit)
    return filled / filled.groupby(self.ngroup()).shift(periods) - 1


@around
def _without_gaps(stack: Any, self: Any, level: Any = -1, dropna: bool = True, **kwargs: Any) -> Any:
    stacked = stack(self, level, **kwargs)
    return stacked.dropna(how='all') if dropna else stacked


@around
def _columns_of_numbers(interpolate: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    numbers = self.select_dtypes(['number', 'datetime'])
    if numbers.shape[1] in (0, self.shape[1]) or kwargs.get('inplace'):
        return interpolate(self, *args, **kwargs)
    whole = self.copy()
    whole[numbers.columns] = interpolate(numbers, *args, **kwargs)
    return whole


@around
def _kind_of_values(change: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Columns of objects that hold numbers or truth values afterwards have their types."""
    before = _objects(self)
    changed = change(self, *args, **kwargs)
    if kwargs.get('inplace'):
        if before and self.infer_objects() is not None:
            inferred = self.infer_objects()
            if _objects(inferred) != before:
                self._update_inplace(inferred)
        return changed
    return changed.infer_objects() if before and hasattr(changed, 'infer_objects') else changed


def _objects(data: Any) -> int:
    """The number of columns of objects."""
    return sum(str(dtype) == 'object' for dtype in (data.dtypes if data.ndim == 2 else [data.dtype]))


# -- before pandas 1.0 -------------------------------------------------------------------------------------------------


def before_pandas_1(pandas: ModuleType) -> str:
    """Let `argmax` of a series be a label, give functions of rolling windows arrays, sort the columns that differ."""
    if version(pandas) < (1, 0):
        return ''
    from pandas.core.window.rolling import Window

    done = [wrap(pandas, 'concat', _sorted_columns)]
    for name in 'max', 'min':
        done.append(wrap(pandas.Series, f'arg{name}', _label))
        # It would take the label for a position.
        if done[-1]:
            setattr(pandas.Series, f'idx{name}', getattr(pandas.Series, f'arg{name}'))
    kinds = {base for kind in _windows(pandas) for base in kind.__mro__ if 'apply' in vars(base)} - {Window}
    return joined(*done, *[wrap(kind, 'apply', _arrays) for kind in kinds])


def _windows(pandas: ModuleType) -> Any:
    series = pandas.Series([0.0])
    return type(series.rolling(1)), type(series.expanding())


@around
def _label(position: Any, self: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    import numpy

    row = position(self, skipna=kwargs.get('skipna', True))
    return self.index[row] if row >= 0 else numpy.nan


@around
def _arrays(apply: Any, self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
    if not args and kwargs.get('raw') is None:
        kwargs['raw'] = True
    return apply(self, func, *args, **kwargs)


@around
def _sorted_columns(concat: Any, objs: Any, *args: Any, **kwargs: Any) -> Any:
    """Rows of tables whose columns differ, or stand in another order, have sorted columns."""
    if args or kwargs.get('sort') is not None or kwargs.get('axis', 0) not in (0, 'index') or isinstance(objs, dict):
        return concat(objs, *args, **kwargs)
    kwargs.pop('sort', None)
    objs = list(objs)
    columns = [list(table.columns) for table in objs if getattr(table, 'ndim', 0) == 2]
    rows = concat(objs, **kwargs)
    if len(columns) < len(objs) or all(names == columns[0] for names in columns):
        return rows
    try:
        return rows.sort_index(axis=1)
    except TypeError:  # names of several types have no order
        return rows
