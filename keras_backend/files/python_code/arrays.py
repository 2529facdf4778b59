"""Methods of NumPy's arrays that interpreted code may call."""

from typing import Any, Callable

import numpy as np

from .limits import Budget, NotAllowed

ATTRIBUTES = ('T', 'size')
METHODS = (
    'astype reshape transpose flatten ravel copy tolist sum prod mean std var max min argmax argmin cumsum'.split()
)
DTYPES = (
    'float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool float int'
).split()  # fmt: skip


def method(array: np.ndarray, name: str, budget: Budget) -> Callable[..., Any]:
    """A method of an array. Each makes at most as many elements as the array has."""

    def run(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        budget.walk(*given)
        budget.ask([array.size])
        if name == 'tolist':
            budget.make(array.size)
        named = [one if isinstance(one, str) else getattr(one, 'name', one) for one in given]
        if name == 'astype':
            if len(named) != 1 or named[0] not in DTYPES:
                raise NotAllowed('it makes an array of other things than numbers')
            return array.astype(named[0])
        if not all([_plain(one) for one in given]) or 'out' in kwargs:
            raise NotAllowed(f'it gives the method {name} of an array something else than numbers')
        return getattr(array, name)(*args, **kwargs)  # a name of METHODS

    return run


def _plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all([_plain(one) for one in value])
    return value is None or isinstance(value, (bool, int, float)) or value in ('C', 'F') or value in DTYPES
