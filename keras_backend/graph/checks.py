"""Checks that a written function makes as it runs, of what was not known while the graph was built."""

import numpy as np

from ..errors import ShapeError


def steps(what, least, lengths):
    """Refuse lengths of sequences that differ or are less than `least`."""
    if min(lengths) != max(lengths):
        raise ShapeError(
            'The sequences that {} goes over have different lengths: {}.'.format(
                what, ', '.join([str(n) for n in lengths])
            )
        )
    if lengths[0] < least:
        raise ShapeError(
            '{} needs at least {} time step{}, the sequence has {}.'.format(
                what[0].upper() + what[1:], least, 's'[: least != 1], lengths[0]
            )
        )


def keeps(what, index, first, last):
    """Refuse a state that has changed its shape in a loop."""
    if first != last:
        raise ShapeError(
            f'State {index} changes its shape in {what}: it starts as {first} and ends as {last}; start it '
            'in the shape that the step returns.'
        )


def whole(steps):
    """Values that a loop collected in one shape: where a branch did not run, sizes that only it knows are 1 so far."""
    shapes = {step.shape for step in steps}
    if len(shapes) < 2:
        return steps
    shape = [max(sizes) if 0 not in sizes else 0 for sizes in zip(*shapes)]
    return [np.broadcast_to(step, shape) for step in steps]


def fits(variable, value):
    """`value`, if it has the shape of `variable`."""
    if value.shape != variable.data.shape:
        raise ShapeError(f'The update of {variable.name} of shape {variable.data.shape} has the shape {value.shape}.')
    return value
