"""What is known of host values (sizes) while recording: object arrays of ints and Dims."""

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..nodes.dims import Dim, Size, known

if TYPE_CHECKING:
    from ..nodes.tensor import Tensor

Values = List[np.ndarray]
Attrs = Dict[str, Any]
_Found = Optional[np.ndarray]  # None: nothing is known of the result
Fold = Callable[[Values, Attrs], _Found]


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


def _elementwise(function: Callable[[Any, Any], Size]) -> Fold:
    def fold(values: Values, attrs: Attrs) -> np.ndarray:
        a, b = np.broadcast_arrays(*values)
        out = np.empty(a.shape, object)
        for i in np.ndindex(*a.shape):
            out[i] = function(a[i], b[i])
        return out

    return fold


def _whole(function: Callable[[int, int], int]) -> Callable[[Size, Size], Size]:
    """`function` of numbers as one of sizes."""
    return lambda p, q: function(p, q) if known(p) and known(q) else p if p is q else Dim()


def _product(values: Values, attrs: Attrs) -> Size:
    total: Size = 1
    for entry in values[0].ravel():
        total = total * entry
    return total


def _total(values: Values, attrs: Attrs) -> Size:
    total: Size = 0
    for entry in values[0].ravel():
        total = total + entry
    return total


def _over_all(function: Callable[[Values, Attrs], Size]) -> Fold:
    def fold(values: Values, attrs: Attrs) -> _Found:
        if values[0].ndim != 1 or attrs['keepdims'] or not attrs['axes']:
            return None
        return scalar(function(values, attrs))

    return fold


def _getitem(values: Values, attrs: Attrs) -> _Found:
    if len(values) > 1:
        return None
    spec = tuple(slice(*s[1:]) if isinstance(s, tuple) else s for s in attrs['spec'])
    out = values[0][spec]
    return out if isinstance(out, np.ndarray) else scalar(out)


def _reshape(values: Values, attrs: Attrs) -> _Found:
    shape = attrs.get('shape')
    return values[0].reshape(shape) if shape is not None and all(known(d) for d in shape) else None


FOLDS: Dict[str, Fold] = {
    'identity': lambda v, a: v[0],
    'cast': lambda v, a: v[0] if a['dtype'].startswith(('int', 'uint')) else None,
    'neg': lambda v, a: np.array(-v[0], object),
    'add': _elementwise(lambda p, q: p + q),
    'sub': _elementwise(lambda p, q: p - q),
    'mul': _elementwise(lambda p, q: p * q),
    'floordiv': _elementwise(lambda p, q: p // q if not (known(q) and q == 0) else Dim()),
    'mod': _elementwise(lambda p, q: p % q if not (known(q) and q == 0) else Dim()),
    'maximum': _elementwise(_whole(max)),
    'minimum': _elementwise(_whole(min)),
    'prod': _over_all(_product),
    'sum': _over_all(_total),
    'getitem': _getitem,
    'reshape': _reshape,
    'expand_dims': lambda v, a: np.expand_dims(v[0], a['axis']),
    'squeeze': lambda v, a: np.squeeze(v[0], a['axis']),
    'reverse': lambda v, a: np.flip(v[0], a['axes']),
    'stack': lambda v, a: np.stack(v, a['axis']),
    'concatenate': lambda v, a: np.concatenate(v, a['axis']),
}


def fold(name: str, inputs: 'Sequence[Tensor]', attrs: Attrs) -> Tuple[bool, _Found]:
    """Whether the value of primitive `name` is known on the host once shapes are, and what is known of it already."""
    values = [x.value for x in inputs if x.value is not None]
    if len(values) != len(inputs):
        return False, None
    function = FOLDS.get(name)
    return any([x.host for x in inputs]), None if function is None else function(values, attrs)
