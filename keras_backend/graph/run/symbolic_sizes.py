"""Sizes without a number: what an axis has while a library traces a function for all sizes of a batch or a sequence.

Such a size is an object of the library that computes with `+`, `*`, `//` and `%`. A vector of sizes is an array of
objects then, and the functions here compute with it on the host. An array of objects that has become one of numbers
alone is an array of ints again.
"""

from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence

import numpy as np

Size = Any  # an int, or an object of the library
Kernel = Callable[..., Any]
Pair = Callable[[Size, Size], Size]


def is_symbolic(x: Any) -> bool:
    """Whether `x` is an array of sizes of which one has no number."""
    return isinstance(x, np.ndarray) and x.dtype == object


def has_numbers(sizes: Iterable[Size]) -> bool:
    """Whether all of some sizes are numbers."""
    return all([isinstance(n, (int, np.integer)) for n in sizes])


def as_array(sizes: Any, dtype: str = 'int32') -> np.ndarray:
    """An array of objects, or one size, as an array of `dtype` if it holds numbers alone, else of objects."""
    if not isinstance(sizes, np.ndarray):
        one = np.empty((), object)
        one[()] = sizes
        sizes = one
    if sizes.dtype == object and has_numbers(sizes.reshape(-1)):
        return sizes.astype(dtype)
    return sizes


def shape_of(x: Any) -> np.ndarray:
    """The shape of an array, as the primitive `shape` gives it."""
    dims = tuple(x.shape)
    if has_numbers(dims):
        return np.array(dims, np.int32)
    made = np.empty(len(dims), object)
    made[:] = dims
    return made


class SymbolicSizes:
    """The primitives that compute sizes, on arrays of objects.

    of_numpy:         the kernels of NumPy
    larger, smaller:  the maximum and the minimum of two sizes; `max` and `min` of Python would ask which is larger
    """

    def __init__(self, of_numpy: Mapping[str, Kernel], larger: Pair, smaller: Pair) -> None:
        highest, lowest = np.frompyfunc(larger, 2, 1), np.frompyfunc(smaller, 2, 1)
        self._kernels: Dict[str, Kernel] = dict(_KERNELS, maximum=highest, minimum=lowest)
        self._kernels.update({name: of_numpy[name] for name in _REARRANGING})
        self._kernels.update(max=_over(highest), min=_over(lowest))

    def computed(self, name: str, arguments: Sequence[np.ndarray], attrs: Dict[str, Any], dtype: str) -> Optional[Any]:
        """The result of a primitive of integers; None where it cannot be told without the numbers."""
        kernel = self._kernels.get(name)
        if kernel is None or np.dtype(dtype).kind not in 'iu':
            return None
        attrs = {key: value for key, value in attrs.items() if key != 'dtype'}
        made = kernel(*arguments, **attrs)
        return None if made is None else as_array(made, dtype)


def _over(function: Any) -> Kernel:
    """The reduction along axes by a function of two sizes."""

    def kernel(x: np.ndarray, axes: Any, keepdims: bool = False) -> Any:
        axes = range(x.ndim) if axes is None else axes
        for axis in sorted([axis % x.ndim for axis in axes], reverse=True):
            reduced = function.reduce(x, axis)
            x = as_array(reduced if not keepdims else np.expand_dims(np.asarray(reduced, object), axis))
        return x

    return kernel


def _joined(xs: Sequence[np.ndarray], axis: int, new_axis: bool) -> np.ndarray:
    objects = [np.asarray(x).astype(object) for x in xs]
    return np.stack(objects, axis) if new_axis else np.concatenate(objects, axis)


# Without an answer that depends on which size is larger, or whether two are equal.
_KERNELS: Dict[str, Kernel] = {
    'add': np.add,
    'sub': np.subtract,
    'mul': np.multiply,
    'floordiv': np.floor_divide,
    'mod': np.remainder,
    'neg': np.negative,
    'square': lambda x: np.multiply(x, x),
    'identity': lambda x: x,
    'cast': lambda x: x,
    'stop_gradient': lambda x: x,
    'sum': _over(np.frompyfunc(lambda a, b: a + b, 2, 1)),
    'prod': _over(np.frompyfunc(lambda a, b: a * b, 2, 1)),
    'concatenate': lambda *xs, axis: _joined(xs, axis, False),
    'stack': lambda *xs, axis: _joined(xs, axis, True),
    'broadcast_to': lambda x, shape: np.broadcast_to(x, tuple(shape)) if has_numbers(shape) else None,
}
# NumPy's kernels of these move objects as they move numbers.
_REARRANGING = 'getitem reshape expand_dims squeeze reverse transpose repeat slice_axis'.split()
