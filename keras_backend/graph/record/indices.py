"""`x[item]`, as users write it: what the primitive `getitem` takes."""

from typing import Any, Callable, List, Tuple

import numpy as np

from ...basics.dtypes import is_integer
from ...errors import ArgumentTypeError
from ..nodes.op import Spec


def index_of(front: Any, label: str, item: Any, number: Callable[[Any], Any]) -> Tuple[Spec, List[Any]]:
    """The spec of an item, and the tensors in it. A slice may have tensors as its bounds.

    Parameters
    ----------
    label : str
        How an error calls what is indexed.
    number : callable
        From a tensor to the number in it, if that is known; anything else comes back as it is.
    """
    spec: List[Any] = []
    indices: List[Any] = []
    # As in TensorFlow 1, a list is a tuple.
    for i in item if isinstance(item, (tuple, list)) else [item]:
        i = number(i)
        if isinstance(i, slice):
            bounds = [number(b) for b in (i.start, i.stop, i.step)]
            spec.append(('slice', *[int(b) if isinstance(b, np.integer) else b for b in bounds]))
        elif i is None or i is Ellipsis:
            spec.append(i)
        elif isinstance(i, (int, np.integer)) and not isinstance(i, bool):
            spec.append(int(i))
        else:
            index = front.operand(i)
            if not is_integer(front.library.dtype(index)):
                raise ArgumentTypeError(
                    f'{label} cannot be indexed with {front.library.describe(index)} and dtype '
                    f'{front.library.dtype(index)}; use integers, slices, None or Ellipsis (K.switch selects by a '
                    'condition).'
                )
            spec.append(('tensor', len(indices)))
            indices.append(index)
    return tuple(spec), indices
