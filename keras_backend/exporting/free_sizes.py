"""Names for the sizes that a file leaves free, for formats that have to know which of them are the same."""

from typing import Any, Dict, Iterator, Tuple

from ..graph.nodes.dims import known
from .request import Exported

Sizes = Dict[Any, str]  # of each size that is not known, its name


def names_of_sizes(exported: Exported) -> Iterator[Tuple[Sizes, str]]:
    """Names for the sizes that are not known: each its own, and where a format cannot say that, fewer and fewer."""
    places = [
        (d, name, axis)
        for name, t in zip(exported.input_names, exported.inputs)
        for axis, d in enumerate(t.dims)
        if not known(d)
    ]
    free: Sizes = {}
    for d, name, axis in places:
        free.setdefault(d, f'{name}_{axis}')
    yield free, ''
    if len(free) > 1:
        batch = {d: 'batch' if axis == 0 else free[d] for d, _name, axis in reversed(places)}
        yield batch, 'All inputs have the same size along their first axis, if it is free.'
        every = {d: 'batch' if axis == 0 else f'size_{axis}' for d, _name, axis in reversed(places)}
        yield every, 'All inputs have the same size along an axis of the same number, if it is free.'
