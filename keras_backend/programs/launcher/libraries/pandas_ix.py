"""`.ix` of pandas, which pandas 1.0 removed: labels first, positions where an integer cannot be a label."""

from typing import Any


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
        places = tuple(_places(axis, part) for axis, part in zip(self._data.axes, self._keys(key)))
        return places if self._data.ndim == 2 else places[0]

    def __getitem__(self, key: Any) -> Any:
        if self._by_label(key):
            return self._data.loc[key]
        return self._data.iloc[self._positions(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._by_label(key):
            self._data.loc[key] = value
            return
        try:
            places = self._positions(key)
        except KeyError:  # a new row or column
            labels = tuple(
                axis[part]
                if isinstance(part, int) and not _numbers(axis) and part not in axis and abs(part) < len(axis)
                else part
                for axis, part in zip(self._data.axes, self._keys(key))
            )
            self._data.loc[labels if self._data.ndim == 2 else labels[0]] = value
            return
        self._data.iloc[places] = value


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
        places = axis.get_indexer_for(labels)
        if (places < 0).any():
            raise KeyError(f'.ix cannot find {[label for label in labels if label not in axis]!r} among the labels.')
        return places
    return axis.get_loc(key)
