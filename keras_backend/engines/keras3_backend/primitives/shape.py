"""Rearranging, and what is made from sizes."""

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ....errors import ShapeError
from ..graph.functional_graph import IN_A_RUN
from ..tensors.dtypes import cast, keeping, name_of, storable_dtype
from ..tensors.indexing import item_of
from ..tensors.operations import registered
from ..tensors.sizes import RUN, ShapeOf, SizeTensor, concrete, items, outline, shape_of, sized, vector
from ..vendor import BACKEND, is_symbolic, keras, node_of
from .places import rows

if BACKEND == 'torch':
    from ...pytorch_on_gpu import check_places

ops = keras.ops
Tensor = Any


def _shape(x: Tensor) -> Any:
    return shape_of(x) if not is_symbolic(x) or None not in x.shape else ShapeOf()(x)


def _reshape(x: Tensor, shape: Any) -> Tensor:
    sizes = items(shape)
    static = tuple(x.shape)
    if all([isinstance(size, int) for size in sizes]) and (not is_symbolic(x) or None not in static):
        return ops.reshape(x, tuple(sizes))
    unknown = [i for i, size in enumerate(sizes) if not isinstance(size, int)]
    if len(unknown) == 1 and not any([isinstance(size, int) and size < 1 for size in sizes]):
        # The unknown size is the rest of the elements: -1, which needs no size of a run.
        sizes[unknown[0]], unknown = -1, []
    spec: List[Optional[int]] = [size if isinstance(size, int) and size != -1 else None for size in sizes]
    if not unknown and None not in static and spec.count(None) == 1 and 0 not in spec:
        known = math.prod([size for size in spec if size is not None])
        spec[spec.index(None)] = math.prod(static) // known
    return sized('reshape', [x], sizes, spec, name_of(x))


def _broadcast_to(x: Tensor, shape: Any) -> Tensor:
    sizes = items(shape)
    return sized('broadcast_to', [x], sizes, outline(sizes), name_of(x))


def _tile(x: Tensor, reps: Any) -> Tensor:
    times = items(reps)
    spec = [
        size * time if isinstance(size, int) and isinstance(time, int) else None for size, time in zip(x.shape, times)
    ]
    return sized('tile', [x], times, spec, name_of(x))


def _same(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function` with a result of the dtype of its first argument, which Keras may call another one."""

    def rearranged(x: Tensor, *others: Any, **named: Any) -> Tensor:
        return cast(function(x, *others, **named), name_of(x))

    return rearranged


def _squeeze(x: Tensor, axis: int) -> Tensor:
    if x.shape[axis] is None:
        # ops.squeeze wants to know that it is one.
        return _reshape(x, [*items(_shape(x))[:axis], *items(_shape(x))[axis + 1 :]])
    if x.shape[axis] != 1:
        raise ShapeError(f'axis {axis} of shape {tuple(x.shape)} is not of size 1.')
    return ops.squeeze(x, axis)


def _stack(*xs: Tensor, axis: int) -> Tensor:
    if any([isinstance(x, SizeTensor) and x.entries is None for x in xs]):
        sizes = [concrete(x) for x in xs]
        if all([isinstance(size, (int, SizeTensor)) for size in sizes]):
            return vector(sizes)
    return ops.stack(list(xs), axis=axis)


def _getitem(x: Tensor, *indices: Tensor, spec: Tuple[Any, ...]) -> Tensor:
    words = ['new' if entry is None else 'rest' if entry is Ellipsis else entry for entry in spec]
    return item_of(x, words, indices)


def _slice_axis(x: Tensor, start: Any, stop: Any, axis: int) -> Tensor:
    first, last = items([start])[0], items([stop])[0]
    spec = list(x.shape)
    spec[axis] = None
    return sized('slice_axis', [x], [first, last], spec, name_of(x), axis=axis)


def _arange(start: Tensor, stop: Tensor, step: Tensor, dtype: str) -> Tensor:
    bounds = [start, stop, step]
    if all(['int' in name_of(bound) for bound in bounds]):
        sizes = items(bounds)
        return sized('arange', [], sizes, [None], storable_dtype(dtype), dtype=dtype)
    known = [concrete_number(bound) for bound in bounds]
    if None not in known:
        return ops.cast(ops.convert_to_tensor(np.arange(*known)), storable_dtype(dtype))
    if any([is_symbolic(bound) for bound in bounds]):
        return Range(storable_dtype(dtype))(*bounds)
    return ops.arange(*bounds, dtype=storable_dtype(dtype))


@registered
class Range(keras.Operation):
    """A range between fractions that a run tells."""

    def __init__(self, kind: str, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.kind = kind

    def call(self, *bounds: Tensor) -> Tensor:
        start, stop, step = bounds
        return _arange(start, stop, step, self.kind)

    def compute_output_spec(self, *bounds: Tensor) -> Tensor:
        return keras.KerasTensor((None,), self.kind)


def concrete_number(x: Tensor) -> Any:
    """The value of a scalar if it is there, else None. Keras would calculate a range in single precision."""
    try:
        return None if is_symbolic(x) else np.asarray(ops.convert_to_numpy(x)).item()
    except Exception:  # noqa: BLE001 - of a tracer
        return None


def _one_hot(indices: Tensor, num_classes: int, dtype: str) -> Tensor:
    # A row of zeros where the index is out of range, which PyTorch refuses.
    expanded = ops.expand_dims(indices, -1)
    return cast(ops.equal(expanded, ops.cast(ops.arange(num_classes), name_of(indices))), dtype)


def _gather(x: Tensor, indices: Tensor) -> Tensor:
    if BACKEND == 'torch' and not (is_symbolic(x) or is_symbolic(indices) or x.is_cpu):
        check_places(indices, x.shape[0])
    # TensorFlow has no kernel for all kinds of integers.
    indices = indices if name_of(indices) in ('int32', 'int64') else cast(indices, 'int64')
    if not is_symbolic(x) and not is_symbolic(indices):
        return rows(x, indices)
    # Keras counts from the end where a number is negative. K.function does not; a file has an operation of Keras.
    taken = ops.take(x, indices, axis=0)
    node: Any = node_of(taken)
    setattr(node.operation, IN_A_RUN, rows)
    return taken


@registered
class NonZero(keras.Operation):
    """The places of a vector of bools."""

    def call(self, x: Tensor) -> Tensor:
        indices = ops.nonzero(x)
        # One vector for each axis; a matrix on PyTorch.
        indices = indices[0] if isinstance(indices, (list, tuple)) else ops.reshape(indices, (-1,))
        return cast(ops.reshape(indices, (-1,)), 'int64')

    def compute_output_spec(self, x: Tensor) -> Tensor:
        return keras.KerasTensor((None,), storable_dtype('int64'))


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {
    'shape': _shape,
    'reshape': _reshape,
    'broadcast_to': _broadcast_to,
    'transpose': _same(lambda x, perm: ops.transpose(x, perm)),
    'expand_dims': _same(ops.expand_dims),
    'squeeze': _same(_squeeze),
    'concatenate': keeping(lambda *xs, axis: ops.concatenate(list(xs), axis=axis)),
    'stack': keeping(_stack),
    'tile': _tile,
    'repeat': _same(lambda x, repeats, axis: ops.repeat(x, repeats, axis=axis)),
    'reverse': _same(lambda x, axes: ops.flip(x, axes)),
    'pad': keeping(lambda x, widths, value: ops.pad(x, widths, constant_values=value)),
    'getitem': _same(_getitem),
    'slice_axis': _slice_axis,
    'arange': _arange,
    'one_hot': _one_hot,
    'gather': _same(_gather),
    'nonzero': lambda x: NonZero()(x),
}


# -- what runs where sizes are known -----------------------------------------------------------------------------------


def _run_arange(sizes: Sequence[Any], dtype: str) -> Tensor:
    if all([isinstance(size, int) for size in sizes]):
        # An older Keras would keep the int64 of NumPy.
        return ops.cast(ops.convert_to_tensor(np.arange(*sizes)), storable_dtype(dtype))
    if BACKEND == 'tensorflow' and isinstance(sizes[2], int):
        # A range that ends before it starts is empty. TensorFlow refuses it.
        first, last, step = sizes
        sizes = [first, ops.maximum(first, last) if step > 0 else ops.minimum(first, last), step]
    return ops.arange(*sizes, dtype=storable_dtype(dtype))


RUN.update(
    reshape=lambda x, sizes: ops.reshape(x, tuple(sizes)),
    broadcast_to=lambda x, sizes: ops.broadcast_to(x, tuple(sizes)),
    tile=lambda x, sizes: ops.tile(x, tuple(sizes)),
    slice_axis=lambda x, sizes, axis: ops.get_item(x, (slice(None),) * axis + (slice(*sizes),)),
    arange=_run_arange,
)
