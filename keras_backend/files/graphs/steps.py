"""The values in a graph while it is composed, and one operation with its node, its inputs and what it may take."""

import functools
import operator
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from ...errors import LayerConfigError, UnreadableFileError
from ..reading.limits import Budget
from .definition import Node, shown

# Elements of one tensor, for one row of a batch: sizes are numbers of the file.
MOST_ELEMENTS = 2**28


class NotKnown(LayerConfigError):
    """A node needs a number that is known with an input alone."""


class Dead:
    """The value of what a condition has left out."""


class Failed(Dead):
    """The value of what cannot be computed. It is an error only where a result needs it."""

    def __init__(self, error: Exception) -> None:
        """Keep the error."""
        self.error = error


DEAD = Dead()


class Sizes:
    """A list of sizes of which some are known: numbers, and tensors of K without axes."""

    def __init__(self, entries: Sequence[Any]) -> None:
        """Keep the entries."""
        self.entries = list(entries)


class Elements:
    """A list of tensors, in the place of a TensorList or a TensorArray. None is one that nobody has set."""

    def __init__(self, entries: Sequence[Any]) -> None:
        """Keep the tensors."""
        self.entries = list(entries)


class Variable:
    """A variable of a SavedModel. name: that of it in the checkpoint."""

    def __init__(self, name: str, read: Optional[Callable[[], np.ndarray]]) -> None:
        """Keep what reads the value, None where nothing is known of it."""
        self.name, self._read = name, read
        self._array: Optional[np.ndarray] = None

    def array(self) -> np.ndarray:
        """The value, the same array at each call. Errors: UnreadableFileError, ExcessiveFileError."""
        if self._array is None:
            if self._read is None:
                raise UnreadableFileError(f'The variable {shown(self.name)} has no value in the checkpoint.')
            self._array = self._read()
        return self._array


def is_known(value: Any) -> bool:
    """Whether the numbers of a value are known now."""
    return isinstance(value, np.ndarray)


def sizes_of(entries: Sequence[Any]) -> Any:
    """A list of sizes: an array, if all of them are known."""
    if any([not isinstance(entry, (int, np.integer)) for entry in entries]):
        return Sizes(entries)
    return np.array([int(entry) for entry in entries], 'int64')


def entry_of(entry: Any) -> Any:
    """One size as a value."""
    return np.array(entry, 'int64') if isinstance(entry, (int, np.integer)) else entry


class Constants:
    """Tensors of the arrays of a graph. An array that is used again is the same tensor."""

    def __init__(self, K: Any) -> None:
        """Begin without any."""
        self.K = K
        self.variables: Dict[str, Any] = {}
        self._tensors: Dict[Tuple[int, str], Tuple[np.ndarray, Any]] = {}
        self._names: Dict[int, str] = {}

    def note(self, array: np.ndarray, name: str) -> None:
        """Note that an array is a weight of this name."""
        self._names[id(array)] = name

    def tensor(self, array: np.ndarray, dtype: str) -> Any:
        """The tensor of an array."""
        key = id(array), dtype
        if key not in self._tensors:
            if id(array) in self._names:
                tensor = self.variables[self._names[id(array)]] = self.K.variable(array, dtype=dtype)
            else:
                tensor = self.K.constant(array, dtype=dtype)
            self._tensors[key] = array, tensor
        return self._tensors[key][1]


class Step:
    """One operation that is computed."""

    def __init__(self, constants: Constants, budget: Budget, node: Node) -> None:
        """Keep the parts. constants: of the whole graph."""
        self.K, self.constants, self.budget, self.node = constants.K, constants, budget, node
        self.error: Callable[[str], LayerConfigError] = node.error

    # -- what the inputs are ---------------------------------------------------------------------------------------
    def tensor(self, value: Any, dtype: str = '') -> Any:
        """A value as a tensor of K. dtype: '' for its own."""
        K = self.K
        if isinstance(value, Sizes):
            whole = [self.tensor(entry_of(entry), dtype or 'int32') for entry in value.entries]
            return K.stack(whole)
        if is_known(value):
            return self.constants.tensor(value, dtype or value.dtype.name)
        if not K.is_tensor(value):
            raise self.error('gets something that is no tensor, which has no meaning here')
        return K.cast(value, dtype) if dtype and K.dtype(value) != dtype else value

    def tensors(self, values: Iterable[Any], attribute: str = 'T') -> List[Any]:
        """Values as tensors of the dtype that an attribute says."""
        dtype = self.node.dtype(attribute)
        return [self.tensor(value, dtype) for value in values]

    def known(self, value: Any, what: str) -> Any:
        """The numbers of a value. what: its name, for errors. Error: NotKnown."""
        if not is_known(value):
            raise self.unknown(what)
        return value

    def numbers(self, value: Any, what: str) -> List[int]:
        """The whole numbers of a value. Error: NotKnown."""
        return [int(number) for number in self.known(value, what).ravel().tolist()]

    def number(self, value: Any, what: str) -> int:
        """The whole number that a value is. Error: NotKnown."""
        numbers = self.numbers(value, what)
        if len(numbers) != 1:
            raise self.error(f'has {len(numbers)} numbers as {what}, in the place of one')
        return numbers[0]

    def unknown(self, what: str) -> NotKnown:
        """The error where something is not known."""
        node = self.node
        return NotKnown(
            f'The node {shown(node.name)} ({shown(node.op)}) needs {what} that is a number before anything is '
            'computed, and it depends on what the graph computes.',
            node.name,
        )

    # -- sizes -----------------------------------------------------------------------------------------------------
    def shape(self, value: Any) -> List[Any]:
        """The sizes of a value: numbers, and tensors where they are not known."""
        if is_known(value):
            return list(value.shape)
        if isinstance(value, Sizes):
            return [len(value.entries)]
        static = self.K.int_shape(value)
        if None not in static:
            return list(static)
        dynamic = self.K.shape(value)
        return [dynamic[axis] if size is None else size for axis, size in enumerate(static)]

    def static(self, value: Any) -> Tuple[Any, ...]:
        """The sizes of a value; None where they are not known."""
        return value.shape if is_known(value) else tuple(self.K.int_shape(self.tensor(value)))

    def rank(self, value: Any) -> int:
        """How many axes a value has."""
        return len(self.static(value))

    def axis(self, number: int, rank: int) -> int:
        """An axis counted from the first one."""
        if not -rank <= number < rank:
            raise self.error(f'names the axis {number} of {rank}')
        return number % rank

    def spend(self, sizes: Iterable[Any], itemsize: int = 4) -> None:
        """Count an array before it is made. Error: ExcessiveFileError."""
        self.budget.spend('bytes', itemsize * product(sizes), shown(self.node.name))

    def check_result(self, value: Any) -> None:
        """Refuse a tensor that is larger than any layer makes. Error: LayerConfigError."""
        if is_known(value):
            self.spend(value.shape, value.itemsize)
        elif self.K.is_tensor(value):
            count = product([size or 1 for size in self.K.int_shape(value)])
            if count > MOST_ELEMENTS:
                raise self.error(f'makes a tensor of {count:,} elements for each row, more than {MOST_ELEMENTS:,}')

    # -- where a table has one function of NumPy and one of K ------------------------------------------------------
    def spread(self, value: Any, like: Any) -> Any:
        """A tensor in the shape of another one that is as large or larger."""
        K = self.K
        if K.int_shape(value) == K.int_shape(like):
            return value
        if K.dtype(value) == 'bool':
            return K.not_equal(K.cast(value, 'int32') + K.cast(K.zeros_like(like), 'int32'), 0)
        return value + K.cast(K.zeros_like(like), K.dtype(value))


def product(sizes: Iterable[Any]) -> int:
    """The product of sizes. Those that are not known count as one."""
    numbers = [int(size) for size in sizes if isinstance(size, (int, np.integer))]
    return functools.reduce(operator.mul, numbers, 1)


Operation = Callable[[Step, List[Any]], Any]
