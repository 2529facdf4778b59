"""The table of the digits read beside the digits written, as text."""

from typing import Iterator

from .training import Outcome


def table(outcome: Outcome) -> Iterator[str]:
    """The table, line by line. A digit that was read right is on the diagonal."""
    counts = outcome.counts
    yield ' ' * 12 + 'read as'
    yield ' ' * 9 + ''.join(f'{digit:4}' for digit in range(10))
    for digit, row in enumerate(counts):
        yield f'{"written" if digit == 0 else "":7}{digit:2}' + ''.join(f'{n or ".":>4}' for n in row)
    yield f'{counts.trace()} of {counts.sum()} digits are read right.'
