"""Limits of what interpreted code may use: steps, depth, elements, the size of numbers."""

from typing import Any, Iterable

MOST_STEPS = 300_000  # of one call from outside
MOST_ELEMENTS = 2_000_000  # of all containers and strings that one call makes
MOST_OF_ARRAYS = 1 << 27  # elements that one call asks K for
DEEPEST_CALL = 40
DEEPEST_VALUE = 50
LARGEST_INTEGER = 4096  # bits


class NotAllowed(Exception):
    """Something that code may not do. The text is the end of a sentence that names the function."""


class Budget:
    """What is left to one call from outside."""

    def __init__(self) -> None:
        self.steps, self.elements, self.depth = MOST_STEPS, MOST_ELEMENTS, 0
        self.arrays = float(MOST_OF_ARRAYS)

    def step(self, count: int = 1) -> None:
        """Count steps before they are done."""
        self.steps -= count
        if self.steps < 0:
            raise NotAllowed(f'it takes more than {MOST_STEPS} steps')

    def make(self, count: int) -> None:
        """Count elements before they are made."""
        self.elements -= count
        if self.elements < 0:
            raise NotAllowed(f'it makes lists or strings of more than {MOST_ELEMENTS} elements')

    def walk(self, *values: Any) -> None:
        """Count the elements of values as often as there is a way to them, which is how often a comparison meets them.

        The list `[a, a]` of a list `a = [b, b]` and so on has few elements and very many ways.
        """
        self._walk(values, 0)

    def _walk(self, values: Iterable[Any], depth: int) -> None:
        if depth > DEEPEST_VALUE:
            raise NotAllowed('it uses a value that is nested too deep')
        for value in values:
            self.step()
            if isinstance(value, (tuple, list, set, frozenset)):
                self._walk(value, depth + 1)
            elif isinstance(value, dict):
                self._walk(value.keys(), depth + 1)
                self._walk(value.values(), depth + 1)

    def ask(self, sizes: Iterable[Any]) -> None:
        """Count the elements of the array that a function makes of these sizes."""
        product = 1.0
        for size in sizes:
            for one in size if isinstance(size, (tuple, list)) else [size]:
                if isinstance(one, (int, float)):
                    product *= max(abs(one), 1)
        self.arrays -= product
        if not self.arrays >= 0:
            raise NotAllowed(f'it asks for arrays of more than {MOST_OF_ARRAYS} elements')


def check_bits(bits: int) -> None:
    """Refuse an integer of so many bits."""
    if bits > LARGEST_INTEGER:
        raise NotAllowed(f'it makes an integer of {bits} bits, more than {LARGEST_INTEGER}')
