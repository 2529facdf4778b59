"""Convolution and pooling, channels last."""

from typing import Any, Callable, Dict, Sequence

from ....basics.shapes import check_channels
from ....graph.primitives import OPS
from ..tensors.dtypes import keeping, name_of
from ..tensors.indexing import described
from ..tensors.operations import registered
from ..tensors.sizes import RUN, items, outline, sized
from ..vendor import is_symbolic, keras
from .windows import convolved, pooled

ops = keras.ops
Tensor = Any


@registered
class Windows(keras.Operation):
    """A convolution ('conv', 'depthwise_conv') or a pooling ('max_pool', 'avg_pool').

    Those of Keras refuse some arguments, and pooling fails after loading, when tuples have become lists.
    """

    def __init__(self, kind: str, options: Dict[str, Any], name: Any = None) -> None:
        super().__init__(name=name)
        self.kind, self.options = kind, {n: v if isinstance(v, str) else tuple(v) for n, v in options.items()}

    def call(self, *tensors: Tensor) -> Tensor:
        return _COMPUTED[self.kind](*tensors, **self.options)

    def compute_output_spec(self, *tensors: Tensor) -> Tensor:
        dims, dtype = OPS[self.kind].infer(*[described(t) for t in tensors], **self.options)
        return keras.KerasTensor(tuple([n if isinstance(n, int) else None for n in dims]), dtype)


def _computed_conv(x: Tensor, kernel: Tensor, **options: Any) -> Tensor:
    return convolved('conv', x, kernel, **options)


def _computed_depthwise_conv(x: Tensor, kernel: Tensor, **options: Any) -> Tensor:
    return convolved('depthwise_conv', x, kernel, **options)


def _computed_max_pool(x: Tensor, **options: Any) -> Tensor:
    return pooled('max_pool', x, **options)


def _computed_avg_pool(x: Tensor, **options: Any) -> Tensor:
    return pooled('average_pool', x, **options)


_COMPUTED: Dict[str, Callable[..., Tensor]] = {
    'conv': _computed_conv,
    'depthwise_conv': _computed_depthwise_conv,
    'max_pool': _computed_max_pool,
    'avg_pool': _computed_avg_pool,
}


def _of_windows(kind: str) -> Callable[..., Tensor]:
    computed = _COMPUTED[kind]

    def of_any(*tensors: Tensor, **options: Any) -> Tensor:
        if len(tensors) == 2:
            x, kernel = tensors
            check_channels(x.shape[-1], kernel.shape[-2], tuple(kernel.shape), tuple(x.shape))
        if any([is_symbolic(t) for t in tensors]):
            return Windows(kind, options)(*tensors)
        return computed(*tensors, **options)

    return of_any


def _conv_input_grad(g: Tensor, kernel: Tensor, shape: Any, strides: Any, padding: str, dilation: Any) -> Tensor:
    sizes = items(shape)
    options = {'strides': tuple(strides), 'padding': padding, 'dilation': tuple(dilation)}
    return sized('conv_input_grad', [g, kernel], sizes, outline(sizes), name_of(g), **options)


def _run_conv_input_grad(
    g: Tensor, kernel: Tensor, sizes: Sequence[Any], strides: Any, padding: str, dilation: Any
) -> Tensor:
    # Zeros between the entries and around them, then a convolution with the kernel turned round.
    rank = len(strides)
    taps = [int(n) for n in kernel.shape[:rank]]
    for axis in range(1, rank + 1):
        g = _spread(g, axis, strides[axis - 1])
    widths = [(0, 0)]
    for axis in range(rank):
        wide = (taps[axis] - 1) * dilation[axis] + 1
        entries, target = ops.shape(g)[axis + 1], sizes[axis + 1]
        before = wide - 1
        if padding == 'same':
            steps = (entries + strides[axis] - 1) // strides[axis]
            total = (steps - 1) * strides[axis] + wide - target
            total = max(total, 0) if isinstance(total, int) else ops.maximum(total, 0)
            before = wide - 1 - total // 2
        after = target + wide - 1 - before - entries
        widths.append((before, after))
    widths.append((0, 0))
    g = _padded(g, widths)
    kernel = ops.flip(kernel, tuple(range(rank)))
    kernel = ops.transpose(kernel, (*range(rank), rank + 1, rank))
    return convolved('conv', g, kernel, (1,) * rank, 'valid', tuple(dilation))


def _spread(x: Tensor, axis: int, stride: int) -> Tensor:
    """`x` with zeros between its entries along one axis."""
    if stride == 1:
        return x
    shape = list(ops.shape(x))
    parts = ops.stack([x] + [ops.zeros_like(x)] * (stride - 1), axis=axis + 1)
    whole = ops.reshape(parts, (*shape[:axis], shape[axis] * stride, *shape[axis + 1 :]))
    return whole[(slice(None),) * axis + (slice(None, 1 - stride),)]


def _padded(x: Tensor, widths: Sequence[Any]) -> Tensor:
    """`x` with zeros around it; negative widths cut off."""
    if not all([isinstance(n, int) for pair in widths for n in pair]):
        return ops.pad(x, [(ops.maximum(a, 0), ops.maximum(b, 0)) for a, b in widths])
    x = ops.pad(x, [(max(a, 0), max(b, 0)) for a, b in widths])
    return x[tuple([slice(max(-a, 0), -max(-b, 0) or None) for a, b in widths])]


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {name: keeping(_of_windows(name)) for name in _COMPUTED}
PRIMITIVES['conv_input_grad'] = _conv_input_grad
RUN['conv_input_grad'] = _run_conv_input_grad
