"""Values of interpreted code, arrays among them, and the attributes that they have.

A value is a constant of Python, a list, tuple, dict or set of values, a tensor or an array, a function of the code, or
one of the classes below, which stand for modules and for their functions. Everything else is refused. No attribute is
looked up by a name that the code gives, unless the name has an entry in a table.
"""

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np

from .limits import LONGEST_TEXT, Budget, NotAllowed, in_words, running

# -- arrays ------------------------------------------------------------------------------------------------------------
# Methods of NumPy's arrays that interpreted code may call.


ARRAY_ATTRIBUTES = ('T', 'size')
ARRAY_METHODS = (
    'astype reshape transpose flatten ravel copy tolist sum prod mean std var max min argmax argmin cumsum'.split()
)
DTYPES = 'float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool'.split()
KEYWORDS = 'axis ddof dtype keepdims order shape'.split()


def array_method(array: Any, name: str) -> Callable[..., Any]:
    """A method of an array. Each makes at most as many elements as the array has."""

    def run(*args: Any, **kwargs: Any) -> Any:
        budget = running()
        budget.ask(array.size)
        if name == 'tolist':  # an axis may be long where another is empty
            budget.make(int(np.prod([max(size, 1) for size in array.shape], dtype='float64')) * max(array.ndim, 1))
        for key in kwargs:
            if key not in KEYWORDS:
                raise NotAllowed(f'it calls the method {name} of an array with the argument {key}')
        values = [_given(name, value) for value in args]
        named = {key: _given(name, value) for key, value in kwargs.items()}
        if name == 'astype' and not all([value in (*DTYPES, 'float', 'int') for value in [*values, *named.values()]]):
            raise NotAllowed('it makes an array of other things than numbers')
        return getattr(array, name)(*values, **named)  # a name of METHODS

    return run


def _given(name: str, value: Any) -> Any:
    """An argument for a method: None, a number, the name of a dtype or an order, or sizes."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple)) and all([isinstance(size, int) for size in value]):
        return value
    word = value if isinstance(value, str) else getattr(value, 'name', None)  # `float` is a function of a table
    if isinstance(word, str) and word in (*DTYPES, 'float', 'int', 'C', 'F'):
        return word
    raise NotAllowed(f'it gives the method {name} of an array something else than numbers')


SEQUENCES = (str, bytes, list, tuple)
TEXTS = (str, bytes)
HASHED = (dict, set, frozenset)
SIZED = (*SEQUENCES, *HASHED, range)


class Allowed:
    """A function that interpreted code may call, by the name that messages show."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name, self.function = name, function

    def __repr__(self) -> str:
        return self.name


class Builtin(Allowed):
    """A function that is called with the frame of its caller before its arguments."""


class Namespace:
    """A module as interpreted code sees it: the names of a table."""

    def __init__(self, name: str, members: Mapping[str, Any]) -> None:
        self.name, self.members = name, members

    def member(self, name: str) -> Any:
        """The value of a name. NotAllowed, if the table has none."""
        if name not in self.members:
            raise NotAllowed(f'it uses {self.name}.{name}, which is not among the names that are allowed')
        return self.members[name]

    def __repr__(self) -> str:
        return self.name


class Shape(tuple):  # type: ignore[type-arg]
    """The sizes of a tensor, with the methods that shapes of TensorFlow have."""


class Null:
    """The place of a value that is not there, on the stack of Python 3.11 and later."""


NULL = Null()


class Iterator:
    """The elements of a container that are left."""

    def __init__(self, value: Any, budget: Budget) -> None:
        self._left = iter(value if isinstance(value, (list, range)) else elements(value, budget))

    def next(self) -> Any:
        """The next element, or NULL at the end."""
        return next(self._left, NULL)

    def rest(self, budget: Budget) -> List[Any]:
        """All that are left."""
        remaining = []
        for element in self._left:
            budget.make(1)
            remaining.append(element)
        return remaining


def elements(value: Any, budget: Budget) -> List[Any]:
    """The elements of a container, as a list of its own."""
    if isinstance(value, Iterator):
        return value.rest(budget)
    if not isinstance(value, SIZED):
        raise NotAllowed(f'it goes through the elements of {in_words(value)}')
    budget.make(len(value))
    return list(value)


OF_TENSORS = ('shape', '_keras_shape', 'get_shape', 'set_shape', 'dtype', 'ndim', 'T')
OF_SHAPES = ('as_list', 'ndims', 'rank')
OF_DIMENSIONS = 'value'


class Tensors:
    """Which values are tensors, and the attributes that these have. K: the module of K functions."""

    def __init__(self, K: Any) -> None:
        self._K = K

    def are(self, value: Any) -> bool:
        """Whether a value is a tensor or an array."""
        return isinstance(value, (np.ndarray, np.generic)) or self._is_symbolic(value)

    def _is_symbolic(self, value: Any) -> bool:
        """Whether a value is a tensor of K. JAX takes sizes that it traces for arrays, and they have no shape."""
        return bool(self._K.is_tensor(value)) and hasattr(value, 'shape')

    def shape(self, value: Any) -> Optional[Tuple[Optional[int], ...]]:
        """The shape of a tensor or an array, None for other values and where nothing is known of it."""
        if isinstance(value, (np.ndarray, np.generic)):
            return tuple(value.shape)
        sizes = self._K.int_shape(value) if self._is_symbolic(value) else None
        if sizes is None:
            return None
        # While JAX traces a layer of Keras 3, a size that is not known is a tensor.
        return tuple([size if isinstance(size, (int, np.integer)) else None for size in sizes])

    def attribute(self, value: Any, name: str) -> Any:
        """An attribute of a tensor. NotAllowed for all but shape, dtype, ndim, T and their like."""
        K = self._K
        if name not in OF_TENSORS:
            raise NotAllowed(f'it uses the attribute {name} of a tensor; shape, dtype, ndim and T are allowed')
        if name in ('shape', '_keras_shape'):
            return Shape(K.int_shape(value))
        if name == 'get_shape':
            return Allowed(name, lambda: Shape(K.int_shape(value)))
        if name == 'set_shape':
            return Allowed(name, lambda shape: _check_shape(K.int_shape(value), shape))
        if name == 'dtype':
            return K.dtype(value)
        if name == 'ndim':
            return K.ndim(value)
        return K.transpose(value)


def _check_shape(known: Any, told: Any) -> None:
    """What `set_shape` tells about a tensor is checked. K knows the sizes that it can know."""
    if not isinstance(told, (list, tuple)) or not all([size is None or isinstance(size, int) for size in told]):
        raise NotAllowed('it gives set_shape something else than sizes')
    if len(known) != len(told) or not all([a is None or b is None or a == b for a, b in zip(known, told)]):
        shown = str(tuple(told[: len(known) + 1]))[:100]
        raise ValueError(f'set_shape: a tensor of the shape {known} cannot have the shape {shown}.')


# The methods of containers and strings.
METHODS: Dict[type, Tuple[str, ...]] = {
    list: ('append', 'extend', 'insert', 'index', 'count', 'pop', 'reverse', 'copy'),
    tuple: ('index', 'count'),
    Shape: ('index', 'count'),
    dict: ('get', 'keys', 'values', 'items', 'update', 'copy', 'setdefault', '__contains__'),
    set: ('add', 'discard', 'update', 'copy'),
    str: ('lower', 'upper', 'startswith', 'endswith', 'strip', 'split', 'index', 'find', 'count', 'isdigit'),
}


# Methods of Python 2.
OLD = {'iteritems': 'items', 'iterkeys': 'keys', 'itervalues': 'values', 'has_key': '__contains__'}


# Those that make a container as large as the one that has them.
COPIES = ('copy', 'keys', 'values', 'items', 'lower', 'upper', 'strip', 'split')
# Those that take over the elements of a container.
TAKES = ('extend', 'update')


def method(value: Any, name: str) -> Allowed:
    """A method of a container or a string."""
    bound = getattr(value, name)  # a name of METHODS

    def run(*args: Any, **kwargs: Any) -> Any:
        budget = running()
        if name in TAKES:
            args = tuple([dict(arg) if isinstance(arg, dict) else elements(arg, budget) for arg in args])
            budget.make(sum([len(arg) for arg in args]))
        cost = budget.walk(*args, *kwargs.values()) if name not in ('append', 'extend', 'insert') else 1
        budget.make(len(value) if name in COPIES else 1)
        if isinstance(value, HASHED):
            budget.hash_into(value, cost)
        elif isinstance(value, str):
            budget.step(len(value) * sum([len(arg) for arg in args if isinstance(arg, SIZED)]) // 1000)
        elif name in ('index', 'count'):
            budget.step(budget.compare(value, *args) * cost // 100)
        budget.step(len(value) // 1000)
        result = bound(*args, **kwargs)
        if isinstance(result, str) and len(result) > LONGEST_TEXT:  # a capital letter may be two
            raise NotAllowed(f'it makes a text of more than {LONGEST_TEXT} characters')
        return list(result) if name in ('keys', 'values', 'items') else result

    return Allowed(name, run)


def attribute(value: Any, name: Any, tensors: Tensors) -> Any:
    """The attribute of a value. NotAllowed, if no table has it."""
    if type(name) is not str:
        raise NotAllowed(f'it asks for an attribute by {in_words(name)}')
    if isinstance(value, Namespace):
        return value.member(name)
    if isinstance(value, Shape) and name in OF_SHAPES:
        return Allowed(name, lambda: list(value)) if name == 'as_list' else len(value)
    if name == OF_DIMENSIONS and (value is None or type(value) is int):
        return value  # of a Dimension
    if type(value) is dict:
        name = OLD.get(name, name)
    if isinstance(value, np.ndarray) and name in ARRAY_ATTRIBUTES:
        return getattr(value, name)
    if isinstance(value, np.ndarray) and name in ARRAY_METHODS:
        return Allowed(name, array_method(value, name))
    if name in METHODS.get(type(value), ()):
        return method(value, name)
    if tensors.are(value):
        if name == 'T':
            running().spread(value)
        return tensors.attribute(value, name)
    raise NotAllowed(f'it uses the attribute {name} of {in_words(value)}')


# All attributes that a value of any kind has, but for modules.
ATTRIBUTES = frozenset(
    [
        *OF_TENSORS, *OF_SHAPES, OF_DIMENSIONS, *OLD, *ARRAY_ATTRIBUTES, *ARRAY_METHODS,
        *[name for names in METHODS.values() for name in names],
    ]
)  # fmt: skip
