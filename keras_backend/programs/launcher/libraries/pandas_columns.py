"""A column of a table and the table change together, as before the copy-on-write of pandas 3."""

import weakref
from types import ModuleType
from typing import Any, Callable

from .giving import joined, wrap

LINK = '_table_of_launcher'
IN_PLACE = 'fillna', 'ffill', 'bfill', 'replace', 'clip', 'where', 'mask', 'interpolate', 'update'


def link(pandas: ModuleType) -> str:
    """Let what is written into a column that a program has taken from a table reach the table."""
    frame, series = pandas.DataFrame, pandas.Series
    if hasattr(series.__setitem__, '_of_launcher'):
        return ''
    column, put = frame.__getitem__, frame.__setitem__

    def linked(original: Callable[..., Any]) -> Callable[..., Any]:
        def getitem(self: Any, key: Any) -> Any:
            found = original(self, key)
            if type(found) is series and found.ndim == 1:
                object.__setattr__(found, LINK, (weakref.ref(self), key))
            return found

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
                place = None
                if kwargs.get('inplace', function.__name__ in ('__setitem__', 'update')):
                    place = table_of(target)
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
                if place is not None:
                    put(place[0], place[1], target)
                return result

            return called

        return wrapper

    done = [wrap(frame, '__getitem__', linked), wrap(series, '__setitem__', writing(lambda self: self))]
    done += [wrap(series, name, writing(lambda self: self)) for name in IN_PLACE]
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


def _by_position(getitem: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, key: Any) -> Any:
        return self.iloc[key] if _position(self, key) else getitem(self, key)

    return called


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
