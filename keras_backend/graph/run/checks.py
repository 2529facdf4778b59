"""Checks that a written function makes as it runs, of what was not known while the graph was built."""

from typing import TYPE_CHECKING, Any, Callable, List, Sequence, Tuple

from ...errors import ShapeError

if TYPE_CHECKING:
    from ..nodes.tensor import Variable

Array = Any  # an array of the library that computes


def steps(what: str, least: int, lengths: Sequence[int]) -> None:
    """Refuse lengths of sequences that differ or are less than `least`. Those without a number are left to who runs."""
    lengths = [n for n in lengths if isinstance(n, int)]
    if not lengths:
        return
    if min(lengths) != max(lengths):
        raise ShapeError(
            f'The sequences that {what} goes over have different lengths: {", ".join([str(n) for n in lengths])}.'
        )
    if lengths[0] < least:
        raise ShapeError(
            f'{what[0].upper() + what[1:]} needs at least {least} time step{"s"[: least != 1]}, the sequence has '
            f'{lengths[0]}.'
        )


def keeps(what: str, index: int, first: Tuple[int, ...], last: Tuple[int, ...]) -> None:
    """Refuse a state that has changed its shape in a loop."""
    if first != last:
        raise ShapeError(
            f'State {index} changes its shape in {what}: it starts as {tuple(first)} and ends as {tuple(last)}; '
            'start it in the shape that the step returns.'
        )


def whole(broadcast: Callable[[Array, Tuple[int, ...]], Array], steps: List[Array]) -> List[Array]:
    """Values that a loop collected, brought to one shape by the kernel `broadcast`.

    In a step where a branch did not run, the sizes that only that branch knows are 1.
    """
    shapes = {tuple(step.shape) for step in steps}
    if len(shapes) < 2:
        return steps
    shape = tuple([max(sizes) if 0 not in sizes else 0 for sizes in zip(*shapes)])
    return [broadcast(step, shape) for step in steps]


def fits(variable: 'Variable', value: Array) -> Array:
    """`value`, if it has the shape of `variable`."""
    if tuple(value.shape) != variable.dims:
        raise ShapeError(f'The update of {variable.name} of shape {variable.dims} has the shape {tuple(value.shape)}.')
    return value
