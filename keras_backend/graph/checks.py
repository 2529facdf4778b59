"""Checks that a written function makes as it runs, of what was not known while the graph was built."""

from typing import TYPE_CHECKING, Any, List, Sequence, Tuple

import numpy as np

from ..errors import ShapeError

if TYPE_CHECKING:
    from .tensor import Variable

Array = Any  # an array of the library that computes


def steps(what: str, least: int, lengths: Sequence[int]) -> None:
    """Refuse lengths of sequences that differ or are less than `least`."""
    if min(lengths) != max(lengths):
        raise ShapeError(
            'The sequences that {} goes over have different lengths: {}.'.format(
                what, ', '.join(['%d' % n for n in lengths])
            )
        )
    if lengths[0] < least:
        raise ShapeError(
            '%s needs at least %d time step%s, the sequence has %d.'
            % (what[0].upper() + what[1:], least, 's'[: least != 1], lengths[0])
        )


def keeps(what: str, index: int, first: Tuple[int, ...], last: Tuple[int, ...]) -> None:
    """Refuse a state that has changed its shape in a loop."""
    if first != last:
        raise ShapeError(
            'State %d changes its shape in %s: it starts as %s and ends as %s; start it in the shape that '
            'the step returns.' % (index, what, first, last)
        )


def whole(steps: List[Array]) -> List[Array]:
    """Values that a loop collected in one shape: where a branch did not run, sizes that only it knows are 1 so far."""
    shapes = {step.shape for step in steps}
    if len(shapes) < 2:
        return steps
    shape = [max(sizes) if 0 not in sizes else 0 for sizes in zip(*shapes)]
    return [np.broadcast_to(step, shape) for step in steps]


def fits(variable: 'Variable', value: Array) -> Array:
    """`value`, if it has the shape of `variable`."""
    if value.shape != variable.data.shape:
        raise ShapeError(f'The update of {variable.name} of shape {variable.data.shape} has the shape {value.shape}.')
    return value
