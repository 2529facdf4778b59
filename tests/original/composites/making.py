"""What a random program is made of: the nodes so far, and choices among them."""

from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

# How far an element has to be from where a function is not smooth.
MARGIN = 0.02


class Node(NamedTuple):
    value: Any
    unknown: bool


class Step(NamedTuple):
    name: str
    sources: Tuple[int, ...]
    call: Callable[..., Any]


# What a maker returns: the sources, the call in K, the value in NumPy, and whether the batch size is unknown.
Made = Tuple[Tuple[int, ...], Callable[..., Any], Any, bool]


class Unfit(Exception):
    """A maker found no node that its function can take."""


class Maker:
    """The nodes so far, and choices among them."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.RandomState(seed)
        self.dtype = 'float64' if seed % 3 == 0 else 'float32'
        self.nodes: List[Node] = []
        self.steps: List[Step] = []

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return int(self.random.randint(low, high + 1))

    def chance(self) -> bool:
        return self.number(0, 1) == 1

    def real(self, low: float, high: float) -> float:
        """A number with three digits, which has one meaning in every precision that a program has."""
        return round(float(self.random.uniform(low, high)), 3)

    def of(self, values: Sequence[Any]) -> Any:
        return values[self.number(0, len(values) - 1)]

    def node(self, fits: Callable[[Any], bool] = lambda value: True, known: bool = False) -> int:
        """The number of a node that fits, later ones more often."""
        found = [n for n, node in enumerate(self.nodes) if fits(node.value) and not (known and node.unknown)]
        if not found:
            raise Unfit
        return max(self.of(found), self.of(found))

    def axis(self, value: Any) -> int:
        return self.number(-value.ndim, value.ndim - 1)

    def weights(self, shape: Sequence[int]) -> Any:
        """Numbers for a constant, with three digits."""
        return np.round(self.random.uniform(-1, 1, size=tuple(shape)), 3)


def away(value: Any, *kinks: float) -> bool:
    """Whether no element is near a kink."""
    return all(np.abs(value - kink).min() > MARGIN for kink in kinks)


def apart(value: Any, axis: Optional[int]) -> bool:
    """Whether the elements along an axis differ, so that the largest is one."""
    if axis is None:
        value, axis = value.ravel(), 0
    value = np.sort(value, axis=axis)
    return value.shape[axis] < 2 or bool(np.diff(value, axis=axis).min() > MARGIN)


def constant(K: Any, make: Maker, value: Any) -> Any:
    return K.constant(value, dtype=make.dtype)
