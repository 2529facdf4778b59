"""Limits of what interpreted code may use: steps, depth, elements, the size of numbers, texts and arrays.

Everything that takes time or memory is counted before it is done. A step of the interpreter is one step. What Python or
NumPy do in one go counts as many steps as it takes time.
"""

import threading
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

MOST_STEPS = 300_000  # of one call from outside
MOST_ELEMENTS = 2_000_000  # of all containers and strings that one call makes
MOST_OF_ARRAYS = 1 << 25  # elements of all arrays of known shape that one call makes
PRODUCTS_OF_ELEMENT = 250  # so many multiplications of a matrix product take as long as an element
FOR_EACH_GIVEN = 1000  # so many more for each element of an array that the call is given
LONGEST_TEXT = 10_000
MOST_DIGITS = 400  # of a number that is rounded, or made of a text
DEEPEST_CALL = 40
DEEPEST_VALUE = 50
LARGEST_INTEGER = 4096  # bits
# What one operation on a tensor takes, and one call of a function of K, TensorFlow or NumPy, beside the elements.
STEPS_OF_CALL = 30

Shape = Tuple[Optional[int], ...]
ShapeOf = Callable[[Any], Optional[Shape]]
_state = threading.local()


class NotAllowed(Exception):
    """Something that code may not do. The text is the end of a sentence that names the function."""


class Budget:
    """What is left to one call from outside. shape_of: the shape of a tensor or an array, None for other values."""

    def __init__(self, shape_of: ShapeOf = lambda value: None) -> None:
        self.steps, self.elements, self.depth = MOST_STEPS, MOST_ELEMENTS, 0
        self.arrays = float(MOST_OF_ARRAYS)
        self._shape_of = shape_of

    def step(self, count: int = 1) -> None:
        """Count steps before they are done."""
        self.steps -= max(count, 0)
        if not self.steps >= 0:
            raise NotAllowed(f'it takes more than {MOST_STEPS} steps')

    def make(self, count: int) -> None:
        """Count elements before they are made."""
        self.elements -= max(count, 0)
        if not self.elements >= 0:
            raise NotAllowed(f'it makes lists or strings of more than {MOST_ELEMENTS} elements')

    def text(self, length: int) -> None:
        """Count a text before it is made."""
        if length > LONGEST_TEXT:
            raise NotAllowed(f'it makes a text of more than {LONGEST_TEXT} characters')
        self.make(length)

    def hash_into(self, container: Any, cost: int = 1) -> None:
        """Count the search for a key in a dict or a set. All keys may have one hash. cost: that of a comparison."""
        self.step(cost * len(container) // 50)

    def make_keys(self, keys: Sequence[Any]) -> None:
        """Count the making of a dict or a set with these keys, which may all have one hash."""
        cost = self.walk(*keys)
        self.make(len(keys))
        self.step(cost * len(keys) // 200)

    def walk(self, *values: Any) -> int:
        """Count the elements of values as often as there is a way to them, which is how often a comparison meets them.

        The list `[a, a]` of a list `a = [b, b]` and so on has few elements and very many ways. Result: the count.
        """
        before = self.steps
        self._walk(values, 0)
        return before - self.steps

    def _walk(self, values: Iterable[Any], depth: int) -> None:
        if depth > DEEPEST_VALUE:
            raise NotAllowed('it uses a value that is nested too deep')
        for value in values:
            self.step()
            if isinstance(value, (str, bytes)):
                self.step(len(value) // 100)
            elif isinstance(value, range):
                self.step(len(value))
            elif isinstance(value, (tuple, list)):
                self._walk(value, depth + 1)
            elif isinstance(value, (set, frozenset, dict)):
                self.step(len(value) ** 2 // 200)
                self._walk(value, depth + 1)
                if isinstance(value, dict):
                    self._walk(value.values(), depth + 1)

    def compare(self, *values: Any) -> int:
        """Count a comparison of values. Two arrays in them are spread over each other before one has a truth value."""
        count = self.walk(*values)
        shapes: List[Shape] = []
        self._shapes(values, shapes)
        if shapes:
            self.step(STEPS_OF_CALL)
            self.ask(count_of(spread(shapes)))
        return count

    def _shapes(self, values: Iterable[Any], found: List[Shape]) -> None:
        for value in values:
            if isinstance(value, (list, tuple)):
                self._shapes(value, found)
            elif isinstance(value, dict):
                self._shapes(value.values(), found)
            elif not isinstance(value, (str, bytes, int, float, range, set, frozenset, type(None))):
                shape = self._shape_of(value)
                if shape is not None:
                    found.append(shape)

    # -- arrays ----------------------------------------------------------------------------------------------------
    def ask(self, count: float) -> None:
        """Count elements of arrays before they are made."""
        self.arrays -= max(count, 0)
        if not self.arrays >= 0:
            raise NotAllowed(f'it makes arrays of more than {MOST_OF_ARRAYS} elements')

    def give(self, values: Iterable[Any]) -> None:
        """Count what a call is given from outside, which may be large itself."""
        self.arrays += FOR_EACH_GIVEN * sum([count_of(self.shape(value)) for value in values])

    def shape(self, value: Any) -> Optional[Shape]:
        """The shape of the array that a value is or becomes, None for a value that becomes none."""
        if isinstance(value, (bool, int, float, complex)):
            return ()
        if isinstance(value, (list, tuple)):
            return (len(value), *(self.together(value) or ()))
        return self._shape_of(value)

    def together(self, values: Iterable[Any]) -> Optional[Shape]:
        """The shape of an array with an element for each element of values, spread over each other."""
        shapes = [shape for shape in [self.shape(value) for value in values] if shape is not None]
        return spread(shapes) if shapes else None

    def spread(self, *values: Any) -> None:
        """Count the result of a function that makes an element of each element of its arguments."""
        self.ask(count_of(self.together(values)))

    def multiply(self, a: Any, b: Any, batches: bool) -> None:
        """Count a matrix product: what it makes, and a part of the multiplications, which take longer than that.

        batches: the axes before the last two belong together, as in `@`. All pairs of rows and columns meet otherwise.
        """
        left, right = self.shape(a) or (), self.shape(b) or ()
        if batches and len(left) > 2 and len(right) > 2:
            count = max(count_of(left[:-2]), count_of(right[:-2])) * count_of(left[-2:-1]) * count_of(right[-1:])
        else:
            count = count_of(left[:-1]) * count_of(right[:-2] + right[-1:])
        self.ask(count * max(1, count_of(left[-1:]) / PRODUCTS_OF_ELEMENT))

    def pick(self, value: Any, key: Any) -> None:
        """Count what an index picks: a list or an array in it may pick the same part again and again."""
        picked, shape = 1.0, self.shape(value) or ()
        for index in key if isinstance(key, tuple) else (key,):
            picked *= max(count_of(self.shape(index)), 1)
        sizes = shape if isinstance(key, tuple) or picked == 1 else shape[1:]
        self.ask(picked * count_of(sizes))


def spread(shapes: Sequence[Shape]) -> Shape:
    """The shape of arrays of these shapes, spread over each other."""
    rank = max([len(shape) for shape in shapes])
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple([_largest(sizes) for sizes in zip(*padded)])


def _largest(sizes: Iterable[Optional[int]]) -> Optional[int]:
    known: List[int] = []
    for size in sizes:
        if size is None:
            return None
        known.append(size)
    return max(known)


def count_of(shape: Optional[Shape]) -> float:
    """The number of elements of an array. None is made yet where a size is unknown."""
    count = 1.0
    for size in [None] if shape is None else shape:
        if size is None:
            return 0.0
        count *= size
    return count


class Running:
    """The budget of the call that runs in this thread: that of the call around it, or a new one."""

    def __init__(self, shape_of: ShapeOf) -> None:
        self._shape_of = shape_of

    def __enter__(self) -> Tuple[Budget, bool]:
        self.is_outermost = getattr(_state, 'budget', None) is None
        if self.is_outermost:
            _state.budget = Budget(self._shape_of)
        return _state.budget, self.is_outermost

    def __exit__(self, *error: Any) -> None:
        if self.is_outermost:
            _state.budget = None


def running() -> Budget:
    """The budget of the call that runs in this thread."""
    budget: Optional[Budget] = getattr(_state, 'budget', None)
    return Budget() if budget is None else budget


# The classes of the interpreter as the author of a function knows them.
_KINDS = {
    'Allowed': 'function', 'Builtin': 'function', 'Function': 'function', 'Namespace': 'module', 'Iterator': 'iterator',
    'Cell': 'variable', 'Code': 'code', 'Null': 'value that is not there', 'NoneType': 'value that is None',
    'Shape': 'shape',
}  # fmt: skip


def in_words(value: Any) -> str:
    """The kind of a value in words, as messages have it."""
    kind = type(value).__name__
    name = _KINDS.get(kind, kind)
    return f'{"an" if name[0] in "aeiou" else "a"} {name}'


def word_or_number(value: Any) -> str:
    """A word or a number as messages have it, and the kind of any other value."""
    return repr(value)[:60] if isinstance(value, (str, bool, int, float, type(None))) else in_words(value)


def check_bits(bits: int) -> None:
    """Refuse an integer of so many bits."""
    if bits > LARGEST_INTEGER:
        raise NotAllowed(f'it makes an integer of more than {LARGEST_INTEGER} bits')
