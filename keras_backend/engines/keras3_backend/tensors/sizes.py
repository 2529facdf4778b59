"""Sizes that are known only in a run, as tensors of the functional API.

`K.shape(x)` of a KerasTensor with unknown sizes is a `SizeTensor`, a KerasTensor whose nodes calculate with numbers of
Python where the backend knows the sizes (JAX, PyTorch), so that they may be shapes also under `jit`, and with scalar
tensors where it does not (TensorFlow).
"""

import operator
from contextlib import nullcontext
from typing import Any, Callable, ContextManager, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ....basics.shapes import entries_of, no_size, size_of
from ....errors import ArgumentTypeError
from ..vendor import BACKEND, COMPUTED, KerasVariable, is_symbolic, keras
from .operations import Tensor as OwnTensor
from .operations import registered

Tensor = Any
Size = Union[int, Tensor]
if BACKEND == 'tensorflow':
    import tensorflow as tf


class Symbols(tuple):  # type: ignore[type-arg]  # Python 3.6 knows no tuple[...]
    """Sizes of which JAX knows only names while it infers the shapes of a layer; one can calculate with them."""


class SizeTensor(OwnTensor):
    """A size, or a vector of sizes, that is known only in a run.

    `entries` of a vector are ints where sizes are known, and None or scalars where they are not.
    """

    def __init__(self, shape: Tuple[int, ...], entries: Optional[Sequence[Any]] = None, **named: Any) -> None:
        super().__init__(shape, dtype='int32', **named)
        self.entries = None if entries is None else list(entries)

    def at(self, place: int) -> Size:
        """One entry of a vector."""
        assert self.entries is not None
        entry = self.entries[place]
        if entry is None:
            entry = self.entries[place] = Entry(place)(self)
        return entry

    def __getitem__(self, key: Any) -> Any:
        if self.entries is None or not isinstance(key, (int, np.integer, slice)):
            return super().__getitem__(key)
        if isinstance(key, slice):
            return vector([self.at(i) for i in range(*key.indices(len(self.entries)))])
        if not -len(self.entries) <= key < len(self.entries):
            raise IndexError(f'there are {len(self.entries)} sizes, and none at {key}')
        return self.at(int(key) % len(self.entries))

    def __len__(self) -> int:
        if self.entries is None:
            raise TypeError('a size has no length')
        return len(self.entries)

    def __iter__(self) -> Any:
        return iter([self.at(i) for i in range(len(self))])


_OPERATORS: Dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ('add', 'sub', 'mul', 'floordiv', 'mod')
}


def _defined(name: str) -> None:
    def forward(self: SizeTensor, other: Any) -> Any:
        if _is_size(self) and _is_size(other):
            return Arithmetic(name)(self, other)
        return getattr(OwnTensor, f'__{name}__')(self, other)

    def backward(self: SizeTensor, other: Any) -> Any:
        if _is_size(self) and _is_size(other):
            return Arithmetic(name)(other, self)
        return getattr(OwnTensor, f'__r{name}__')(self, other)

    setattr(SizeTensor, f'__{name}__', forward)
    setattr(SizeTensor, f'__r{name}__', backward)


for _name in _OPERATORS:
    _defined(_name)


def _is_size(x: Any) -> bool:
    if isinstance(x, SizeTensor):
        return x.entries is None
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


@registered
class ShapeOf(keras.Operation):
    """The shape of a tensor, as a vector."""

    def call(self, x: Tensor) -> Any:
        return shape_of(x)

    def compute_output_spec(self, x: Tensor) -> SizeTensor:
        return SizeTensor((len(x.shape),), x.shape)


@registered
class Entry(keras.Operation):
    """An entry of a vector of sizes."""

    def __init__(self, place: int, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.place = place

    def call(self, sizes: Any) -> Any:
        return sizes[self.place]

    def compute_output_spec(self, sizes: Any) -> SizeTensor:
        return SizeTensor(())


@registered
class Arithmetic(keras.Operation):
    """A sum, difference, product, quotient or remainder of two sizes."""

    def __init__(self, function: str, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.function = function

    def call(self, a: Any, b: Any) -> Any:
        return _OPERATORS[self.function](a, b)

    def compute_output_spec(self, a: Any, b: Any) -> SizeTensor:
        return SizeTensor(())


@registered
class Joined(keras.Operation):
    """Sizes as a vector: those of `template` that are known, and in the others' places what the call gets."""

    def __init__(self, template: Sequence[Optional[int]], name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.template = list(template)

    def call(self, *sizes: Any) -> Any:
        return _as_vector(filled(self.template, sizes))

    def compute_output_spec(self, *sizes: Any) -> SizeTensor:
        return SizeTensor((len(self.template),), filled(self.template, sizes))


@registered
class Sized(keras.Operation):
    """A primitive of which some sizes are known only in a run.

    The call gets `count` tensors, then the sizes for the places of `template` that hold None. The result has the shape
    `spec` and the dtype `kind`.
    """

    def __init__(
        self,
        primitive: str,
        template: Sequence[Optional[int]],
        count: int,
        spec: Sequence[Optional[int]],
        kind: str,
        options: Optional[Dict[str, Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(name=name)
        self.primitive, self.template, self.count = primitive, list(template), count
        self.spec, self.kind, self.options = tuple(spec), kind, dict(options or {})

    def call(self, *values: Any) -> Tensor:
        sizes = filled(self.template, [concrete(size) for size in values[self.count :]])
        return RUN[self.primitive](*values[: self.count], sizes, **self.options)

    def compute_output_spec(self, *values: Any) -> Tensor:
        return keras.KerasTensor(self.spec, self.kind)


# The functions that `Sized` runs, of tensors and a list of sizes, ints or scalars of TensorFlow.
RUN: Dict[str, Callable[..., Tensor]] = {}


def sized(
    primitive: str, tensors: Sequence[Tensor], sizes: Sequence[Size], spec: Sequence[Any], kind: str, **options: Any
) -> Tensor:
    """The result of a primitive with these sizes, which are ints or scalars."""
    unknown = [size for size in sizes if not isinstance(size, int)]
    if not any([is_symbolic(x) for x in [*tensors, *unknown]]):
        return RUN[primitive](*tensors, list(sizes), **options)
    template = [size if isinstance(size, int) else None for size in sizes]
    return Sized(primitive, template, len(tensors), spec, kind, options)(*tensors, *unknown)


def filled(template: Sequence[Any], sizes: Sequence[Any]) -> List[Any]:
    """`template` with `sizes`, in order, in place of None."""
    rest = iter(sizes)
    return [next(rest) if size is None else size for size in template]


def shape_of(x: Any) -> Any:
    """The shape of a computed tensor: an array of integers if all sizes are known, else a tensor of TensorFlow."""
    if BACKEND == 'torch' and x.__class__ in COMPUTED:
        sizes: Tuple[int, ...] = getattr(x, 'shape')  # noqa: B009
        return np.array(sizes, 'int32')
    return _as_vector(list(keras.ops.shape(x)))


def _as_vector(sizes: Sequence[Any]) -> Any:
    sizes = [concrete(size) for size in sizes]
    if all([isinstance(size, int) for size in sizes]):
        return np.array(sizes, 'int32')
    if BACKEND == 'tensorflow':
        return tf.stack([tf.cast(size, 'int32') for size in sizes])
    return Symbols(sizes)


def vector(sizes: Sequence[Size]) -> Any:
    """Sizes as a tuple of ints if all are known, else as an integer vector."""
    if all([isinstance(size, int) for size in sizes]):
        return tuple(sizes)
    scalars = [size for size in sizes if not isinstance(size, int)]
    if any([is_symbolic(size) for size in scalars]):
        return Joined([size if isinstance(size, int) else None for size in sizes])(*scalars)
    return _as_vector(sizes)


def concrete(size: Any) -> Size:
    """A size as an int if its value is known here and now."""
    if isinstance(size, int):
        return size
    if is_symbol(size):
        return size
    if isinstance(size, np.generic) or (isinstance(size, np.ndarray) and size.size == 1):
        return int(size.item())
    if is_symbolic(size):
        return size
    if BACKEND == 'tensorflow' and isinstance(size, tf.Tensor):
        static = tf.get_static_value(size)
        return size if static is None else int(np.reshape(static, ()))
    if keras.ops.is_tensor(size):
        try:
            return int(keras.ops.convert_to_numpy(size).item())
        except Exception:  # noqa: BLE001 - of a tracer
            return size
    return size


def at_once() -> ContextManager[Any]:
    """A context in which JAX computes with what it knows, also while it traces. Other backends do so anyway."""
    if BACKEND != 'jax':
        return nullcontext()
    import jax

    known: ContextManager[Any] = jax.ensure_compile_time_eval()
    return known


def is_symbol(size: Any) -> bool:
    """Whether a size is a name, or calculated from one."""
    return BACKEND == 'jax' and type(size).__name__ == '_DimExpr'


def named_sizes(vectors: Optional[Sequence[Any]]) -> Optional[Symbols]:
    """The sizes of several vectors, if one of them is a name and the others are names or integers; else None."""
    if BACKEND != 'jax' or vectors is None:
        return None
    vectors = [entries.tolist() if isinstance(entries, np.ndarray) else entries for entries in vectors]
    if not all([isinstance(entries, (list, tuple)) for entries in vectors]):
        return None
    sizes = [size for entries in vectors for size in entries]
    if not any([is_symbol(size) for size in sizes]):
        return None
    return Symbols(sizes) if all([is_symbol(size) or _is_size(size) for size in sizes]) else None


def size_given(size: Any) -> Size:
    """One size as a user wrote it: an int if it is known, else a scalar; None becomes -1."""
    if size is None:
        return -1
    if is_symbol(size):
        return size
    if isinstance(size, KerasVariable):
        size = size.value
    if not (is_symbolic(size) or keras.ops.is_tensor(size)):
        return size_of(size)
    dtype = str(keras.backend.standardize_dtype(size.dtype))
    if not dtype.startswith(('int', 'uint')) or tuple(size.shape) not in ((), (1,)):
        raise no_size('a tensor', tuple(size.shape), dtype)
    if len(size.shape):
        size = keras.ops.reshape(size, ())
    return concrete(size)


def items(shape: Any) -> List[Size]:
    """A collection of sizes, or a vector, as a list: ints where they are known, else scalars."""
    if (shape.__class__ is tuple or shape.__class__ is list) and all([size.__class__ is int for size in shape]):
        return list(shape)
    if shape.__class__ is np.ndarray and shape.ndim == 1 and shape.dtype.kind == 'i':
        sizes: List[Size] = shape.tolist()
        return sizes
    if isinstance(shape, SizeTensor) and shape.entries is not None:
        return list(shape)
    if isinstance(shape, Symbols):
        return list(shape)
    if isinstance(shape, KerasVariable):
        shape = shape.value
    if is_symbolic(shape) or keras.ops.is_tensor(shape):
        dtype = str(keras.backend.standardize_dtype(shape.dtype))
        if len(shape.shape) != 1 or not dtype.startswith(('int', 'uint')) or shape.shape[0] is None:
            raise ArgumentTypeError(f'a tensor of shape {tuple(shape.shape)} and dtype {dtype} is no vector of sizes.')
        if BACKEND == 'jax' and shape.__class__ in COMPUTED:  # an entry of it would be a tracer where JAX traces
            return [int(size) for size in keras.ops.convert_to_numpy(shape)]
        known = tf.get_static_value(shape, partial=True) if BACKEND == 'tensorflow' and tf.is_tensor(shape) else None
        return [
            concrete(shape[i]) if known is None or known[i] is None else int(known[i]) for i in range(shape.shape[0])
        ]
    return [size_given(size) for size in entries_of(shape)]


def outline(sizes: Sequence[Size]) -> Tuple[Optional[int], ...]:
    """Sizes as a static shape: None where they are not known."""
    return tuple([size if isinstance(size, int) else None for size in sizes])
