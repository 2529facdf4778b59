"""The table of the digits read beside the digits written, as text."""

from typing import Iterator

import numpy as np


def counts(labels: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """How often each digit (a row) was read as each digit (a column)."""
    matrix = np.zeros((10, 10), int)
    np.add.at(matrix, (labels, predicted), 1)
    return matrix


def table(labels: np.ndarray, predicted: np.ndarray) -> Iterator[str]:
    """The table, line by line. A digit that was read right is on the diagonal."""
    yield ' ' * 12 + 'read as'
    yield ' ' * 9 + ''.join(f'{digit:4}' for digit in range(10))
    for digit, row in enumerate(counts(labels, predicted)):
        yield f'{"written" if digit == 0 else "":7}{digit:2}' + ''.join(f'{n or ".":>4}' for n in row)
    right = int(np.sum(labels == predicted))
    yield f'{right} of {len(labels)} digits are read right.'
