"""Writing a few rows into the array of a variable.

The array of a variable is replaced by updates, so whoever reads it keeps the value of one moment. Writing into it is
the same to all others if nobody else holds it, as itself or as a view. Python counts who does: a view holds the array
that it looks at. An array that somebody holds is copied, and the copy takes its place.

The variable is without an array meanwhile, so nobody gets at it after the count. A thread that asks for it waits for
the lock of the engine (`Variable.__getattr__`), which the run that writes holds.
"""

import operator
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ..nodes.tensor import Variable
    from .kernels import Array, Kernel, Kernels

# of a variable: the places of the rows and the rows; without places all of the new array
Change = Tuple['Variable', Tuple[Optional['Array'], 'Array']]

_count: Optional[Callable[[Any], int]] = getattr(sys, 'getrefcount', None)


def write_rows(kernels: 'Kernels', changes: Sequence[Change]) -> None:
    """Give variables their new rows. The caller holds the lock of the engine.

    Nothing is written before all arrays are there. So an error, of memory say, leaves all variables as they were. What
    has begun to be written is written to its end, also where Ctrl-C comes meanwhile: to write it twice is the same.
    """
    taken: List[List[Any]] = []
    arrays: Optional[Dict[Any, Any]] = None
    put = getattr(kernels, 'put_rows', operator.setitem)
    try:
        for variable, (indices, _rows) in changes:
            if indices is not None and not (take(variable, taken) == ALONE and kernels.is_whole(taken[-1][1])):
                taken[-1][1] = kernels.private_copy(taken[-1][1], variable.dtype)
        arrays = dict(taken)
        _write(changes, arrays, put)
    except BaseException:
        if arrays is not None:
            _write(changes, arrays, put)
        else:
            for variable, array in taken:
                variable.data = array
        raise


def _write(changes: Sequence[Change], arrays: Dict['Variable', 'Array'], put: 'Kernel') -> None:
    for variable, (indices, rows) in changes:
        if indices is not None:
            put(arrays[variable], indices, rows)
    for variable, (indices, rows) in changes:
        variable.data = rows if indices is None else arrays[variable]


def take(holder: Any, taken: List[List[Any]]) -> int:
    """Take the array of `holder` away; returns how many hold it, counted as in `ALONE`."""
    array = holder.data
    # first of all, so that the caller puts it back whatever happens
    taken.append([holder, array])
    del holder.data
    return -1 if _count is None else _count(array)


class _Holder:
    data: Any = None


def _alone() -> int:
    """The result of `take` where nobody else holds the array. Versions of Python count references differently."""
    if _count is None:
        return 0
    holder = _Holder()
    holder.data = object()
    return take(holder, [])


ALONE = _alone()
