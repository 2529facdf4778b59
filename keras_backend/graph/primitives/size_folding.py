"""The values of sizes on the host, as far as they are known while recording: object arrays of ints and Dims."""

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ..nodes.dims import Dim, Size, known
from ..nodes.op import Attrs, Fold

if TYPE_CHECKING:
    from ..nodes.tensor import Tensor

Values = List[np.ndarray]
_Found = Optional[np.ndarray]  # None: nothing is known of the result


def array(entries: Sequence[Size]) -> np.ndarray:
    """The vector of `entries` as an object array."""
    value = np.empty(len(entries), object)
    value[:] = entries
    return value


def scalar(entry: Size) -> np.ndarray:
    """`entry` as an object array without axes."""
    value = np.empty((), object)
    value[()] = entry
    return value


def elementwise(function: Callable[[Any, Any], Size]) -> Fold:
    """The fold of an element-wise function of two sizes."""

    def fold(values: Values, attrs: Attrs) -> np.ndarray:
        a, b = np.broadcast_arrays(*values)
        out = np.empty(a.shape, object)
        for i in np.ndindex(*a.shape):
            out[i] = function(a[i], b[i])
        return out

    return fold


def of_numbers(function: Callable[[int, int], int]) -> Fold:
    """The same of a function that is known of numbers alone."""
    return elementwise(lambda p, q: function(p, q) if known(p) and known(q) else p if p is q else Dim())


def product(values: Values, attrs: Attrs) -> Size:
    """The product of all."""
    result: Size = 1
    for entry in values[0].ravel():
        result = result * entry
    return result


def total(values: Values, attrs: Attrs) -> Size:
    """The sum of all."""
    result: Size = 0
    for entry in values[0].ravel():
        result = result + entry
    return result


def over_all(function: Callable[[Values, Attrs], Size]) -> Fold:
    """The fold of a function of a whole vector."""

    def fold(values: Values, attrs: Attrs) -> _Found:
        if values[0].ndim != 1 or attrs['keepdims'] or not attrs['axes']:
            return None
        return scalar(function(values, attrs))

    return fold


def item(values: Values, attrs: Attrs) -> _Found:
    """The fold of `getitem`."""
    if len(values) > 1:
        return None
    spec = tuple(slice(*s[1:]) if isinstance(s, tuple) else s for s in attrs['spec'])
    out = values[0][spec]
    return out if isinstance(out, np.ndarray) else scalar(out)


def reshaped(values: Values, attrs: Attrs) -> _Found:
    """The fold of `reshape`."""
    shape = attrs.get('shape')
    return values[0].reshape(shape) if shape is not None and all(known(d) for d in shape) else None


def fold(function: Fold, inputs: 'Sequence[Tensor]', attrs: Attrs) -> Tuple[bool, _Found]:
    """Whether the value of a primitive is known on the host once shapes are, and what is known of it already.

    function: the fold of the primitive (see `nodes/op.py`)
    """
    values = [x.value for x in inputs if x.value is not None]
    if len(values) != len(inputs):
        return False, None
    return any([x.host for x in inputs]), function(values, attrs)
