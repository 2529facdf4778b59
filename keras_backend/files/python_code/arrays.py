"""Methods of NumPy's arrays that interpreted code may call."""

from typing import Any, Callable

import numpy as np

from .limits import NotAllowed, running

ATTRIBUTES = ('T', 'size')
METHODS = (
    'astype reshape transpose flatten ravel copy tolist sum prod mean std var max min argmax argmin cumsum'.split()
)
DTYPES = 'float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool'.split()
KEYWORDS = 'axis ddof dtype keepdims order shape'.split()


def method(array: Any, name: str) -> Callable[..., Any]:
    """A method of an array. Each makes at most as many elements as the array has."""

    def run(*args: Any, **kwargs: Any) -> Any:
        budget = running()
        budget.ask(array.size)
        if name == 'tolist':  # an axis may be long where another is empty
            budget.make(int(np.prod([max(size, 1) for size in array.shape], dtype='float64')) * max(array.ndim, 1))
        for key in kwargs:
            if key not in KEYWORDS:
                raise NotAllowed(f'it calls the method {name} of an array with the argument {key}')
        given = [_given(name, one) for one in args]
        named = {key: _given(name, one) for key, one in kwargs.items()}
        if name == 'astype' and not all([one in (*DTYPES, 'float', 'int') for one in [*given, *named.values()]]):
            raise NotAllowed('it makes an array of other things than numbers')
        return getattr(array, name)(*given, **named)  # a name of METHODS

    return run


def _given(name: str, value: Any) -> Any:
    """An argument for a method: None, a number, the name of a dtype or an order, or sizes."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple)) and all([isinstance(one, int) for one in value]):
        return value
    word = value if isinstance(value, str) else getattr(value, 'name', None)  # `float` is a function of a table
    if isinstance(word, str) and word in (*DTYPES, 'float', 'int', 'C', 'F'):
        return word
    raise NotAllowed(f'it gives the method {name} of an array something else than numbers')
