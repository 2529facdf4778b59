"""Convolution and pooling, channels last, and CTC."""

from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ....basics import shapes
from ....basics.shapes import check_channels
from ....graph.primitives import OPS
from ....kernels.ctc import ctc_beam, ctc_greedy
from ..tensors.dtypes import keeping, name_of, storable_dtype
from ..tensors.indexing import described
from ..tensors.operations import registered
from ..tensors.sizes import RUN, items, outline, sized
from ..vendor import BACKEND, in_symbolic_scope, is_symbolic, keras

# -- computed tensors --------------------------------------------------------------------------------------------------
# Convolution and pooling of computed tensors, channels last, and what backends cannot do of it.


ops = keras.ops
Tensor = Any
_LAST = 'channels_last'
if BACKEND == 'tensorflow':
    import tensorflow as tf


def convolved(kind: str, x: Tensor, kernel: Tensor, strides: Any, padding: str, dilation: Any) -> Tensor:
    """The function `kind` of `keras.ops`, 'conv' or 'depthwise_conv'."""
    taps = kernel.shape[: len(strides)]
    if padding == 'causal':
        left = (taps[0] - 1) * dilation[0]
        x, padding = ops.pad(x, ((0, 0), (left, 0), (0, 0))), 'valid'
    # TensorFlow has no strides beside dilation, and no unequal strides for each channel alone.
    thin = BACKEND == 'tensorflow' and max(strides) > 1
    thin = thin and (max(dilation) > 1 or (kind == 'depthwise_conv' and len(set(strides)) > 1))
    steps = strides
    if thin:
        x, padding, steps = filled_up(x, taps, strides, padding, dilation, 0.0), 'valid', (1,) * len(strides)

    if BACKEND == 'torch' and name_of(x) == 'float64' and kind == 'conv':
        kernel = _as_pytorch_has_it(kernel)

    def convolve(x: Tensor) -> Tensor:
        return getattr(ops, kind)(x, kernel, strides=steps, padding=padding, data_format=_LAST, dilation_rate=dilation)

    if _sums_nothing(x, taps, padding, dilation):
        lengths = _lengths(x, taps, strides, padding, dilation)
        channels = kernel.shape[-1] * (kernel.shape[-2] if kind == 'depthwise_conv' else 1)
        return ops.zeros((ops.shape(x)[0], *lengths, channels), name_of(x)) + (ops.sum(x) + ops.sum(kernel)) * 0
    y = _of_rows(convolve, x)
    return y[(slice(None), *[slice(None, None, s) for s in strides])] if thin else y


def _as_pytorch_has_it(kernel: Tensor) -> Tensor:
    """`kernel` in memory as PyTorch has kernels, or it refuses second gradients in double precision."""
    rank = len(kernel.shape) - 2
    return kernel.permute((rank + 1, rank, *range(rank))).contiguous().permute((*range(2, rank + 2), 1, 0))


def pooled(kind: str, x: Tensor, window: Sequence[int], strides: Sequence[int], padding: str) -> Tensor:
    """The function `kind` of `keras.ops`, 'max_pool' or 'average_pool'."""
    dtype = name_of(x)
    if dtype == 'float16' and len(window) == 3 and BACKEND != 'jax':
        return ops.cast(pooled(kind, ops.cast(x, 'float32'), window, strides, padding), dtype)
    if _sums_nothing(x, window, padding, (1,) * len(window)):
        lengths = _lengths(x, window, strides, padding, (1,) * len(window))
        return ops.zeros((ops.shape(x)[0], *lengths, x.shape[-1]), dtype) + ops.sum(x) * 0
    if BACKEND == 'torch' and kind == 'average_pool' and padding == 'same':
        return _average_of_what_is_there(x, window, strides)

    def pool(x: Tensor) -> Tensor:
        # TensorFlow has no averages of volumes in double precision. Its largest elements of volumes have gradients of
        # their own: each of equal elements gets the whole.
        if BACKEND == 'tensorflow' and len(window) == 3 and (dtype == 'float64' or kind == 'max_pool'):
            return _axis_by_axis(kind, x, window, strides, padding)
        return _pool_of_images(kind)(x, tuple(window), tuple(strides), padding, data_format=_LAST)

    return _of_rows(pool, x)


def filled_up(x: Tensor, taps: Any, strides: Any, padding: str, dilation: Any, value: float) -> Tensor:
    """`x` with the padding made explicit, so that padding 'valid' is what remains to be done."""
    if padding == 'valid':
        return x
    widths: List[Tuple[Any, Any]] = [(0, 0)]
    for n, k, s, d in zip(ops.shape(x)[1:], taps, strides, dilation):
        if isinstance(n, int):
            widths.append(shapes.pads(padding, n, k, s, d))
        else:
            total = ops.maximum(((n + s - 1) // s - 1) * s + shapes.window(k, d) - n, 0)
            widths.append((total // 2, total - total // 2))
    return ops.pad(x, [*widths, (0, 0)], constant_values=value)


def _average_of_what_is_there(x: Tensor, window: Sequence[int], strides: Sequence[int]) -> Tensor:
    """The average with padding 'same'; PyTorch would count the padding."""
    ones = ops.ones((1, *x.shape[1:-1], 1), name_of(x))
    sums, counts = [
        ops.average_pool(
            filled_up(t, window, strides, 'same', (1,) * len(window), 0.0),
            tuple(window),
            tuple(strides),
            'valid',
            _LAST,
        )
        for t in (x, ones)
    ]
    return sums / counts


def _pool_of_images(kind: str) -> Callable[..., Tensor]:
    if BACKEND == 'tensorflow' and kind == 'max_pool':
        return _max_pool_on_tensorflow
    pool: Callable[..., Tensor] = getattr(ops, kind)
    return pool


def _max_pool_on_tensorflow(x: Tensor, window: Any, strides: Any, padding: str, data_format: str) -> Tensor:
    """The largest element of each window of images, with a second gradient that is right.

    The kernel of the second gradient writes its result into the memory of its input where both have one size, before it
    has read it, and gives zeros.
    """
    options = {'ksize': [1, *window, 1], 'strides': [1, *strides, 1]}

    @tf.custom_gradient
    def pool(x: Tensor) -> Any:
        y = tf.nn.max_pool2d(x, list(window), list(strides), padding.upper())
        return y, lambda g: backward(x, y, g)

    @tf.custom_gradient
    def backward(x: Tensor, y: Tensor, g: Tensor) -> Any:
        def slope(g: Tensor) -> Any:
            nothing = tf.zeros_like(x), tf.zeros_like(y)
            if set(window) == {1}:
                return (*nothing, g[:, :: strides[0], :: strides[1]])
            # Padding that is made before makes `g` larger than the result.
            wide = filled_up(x, window, strides, padding, (1, 1), x.dtype.min)
            g = filled_up(g, window, strides, padding, (1, 1), 0.0)
            of_g = tf.raw_ops.MaxPoolGradGrad(orig_input=wide, orig_output=y, grad=g, padding='VALID', **options)
            return (*nothing, of_g)

        whole = tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=y, grad=g, padding=padding.upper(), **options)
        return whole, slope

    return pool(x)


def _axis_by_axis(kind: str, x: Tensor, window: Any, strides: Any, padding: str) -> Tensor:
    """Pooling over three axes as two poolings over two, for which TensorFlow has double precision."""
    pool = _pool_of_images(kind)
    batch, depth, height, width, channels = ops.shape(x)
    y = ops.reshape(x, (batch * depth, height, width, channels))
    y = pool(y, tuple(window[1:]), tuple(strides[1:]), padding, data_format=_LAST)
    high, wide = ops.shape(y)[1:3]
    y = ops.reshape(y, (batch, depth, high * wide, channels))
    y = pool(y, (window[0], 1), (strides[0], 1), padding, data_format=_LAST)
    return ops.reshape(y, (batch, ops.shape(y)[1], high, wide, channels))


def _sums_nothing(x: Tensor, taps: Any, padding: str, dilation: Any) -> bool:
    """Whether no window fits, or an axis but the first is known to be empty. Kernels end the process then, or raise."""
    if 0 in tuple(x.shape)[1:]:
        return True
    return padding == 'valid' and any(
        [
            isinstance(n, int) and isinstance(k, int) and n < shapes.window(k, d)
            for n, k, d in zip(tuple(x.shape)[1:-1], taps, dilation)
        ]
    )


def _lengths(x: Tensor, taps: Any, strides: Any, padding: str, dilation: Any) -> List[Any]:
    """The spatial sizes of the result, tensors where only the run knows them: none where windows do not fit."""
    lengths: List[Any] = []
    for n, k, s, d in zip(ops.shape(x)[1:-1], taps, strides, dilation):
        if padding != 'valid':
            lengths.append(-(-n // s))
        else:
            length = (n - shapes.window(k, d)) // s + 1
            lengths.append(max(length, 0) if isinstance(length, int) else ops.maximum(length, 0))
    return lengths


def _of_rows(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, where `x` may turn out to have no rows.

    Kernels of TensorFlow end the process then, or give a wrong shape. So they are given a row of zeros, and the result
    is cut to nothing. Where there are rows, neither copies.
    """
    if BACKEND != 'tensorflow' or x.shape[0]:
        return function(x)
    rank = len(x.shape)
    rows = tf.shape(x)[0]
    lacking = tf.cast(tf.equal(rows, 0), 'int32')
    widths = tf.stack([tf.stack([0, lacking]), *[tf.constant([0, 0])] * (rank - 1)])
    # Not tf.pad: oneDNN makes it one with a convolution, and then it fills up height and width only.
    whole = tf.raw_ops.PadV2(input=x, paddings=widths, constant_values=tf.zeros((), x.dtype))
    whole.set_shape([None, *x.shape[1:]])
    y = function(whole)
    result = tf.slice(y, [0] * rank, tf.stack([rows, *[-1] * (rank - 1)]))
    result.set_shape([x.shape[0], *y.shape[1:]])
    return result


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


_COMPUTED: Dict[str, Callable[..., Tensor]] = {
    'conv': partial(convolved, 'conv'),
    'depthwise_conv': partial(convolved, 'depthwise_conv'),
    'max_pool': partial(pooled, 'max_pool'),
    'avg_pool': partial(pooled, 'average_pool'),
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
    stacked = ops.stack([x] + [ops.zeros_like(x)] * (stride - 1), axis=axis + 1)
    whole = ops.reshape(stacked, (*shape[:axis], shape[axis] * stride, *shape[axis + 1 :]))
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


# -- CTC ---------------------------------------------------------------------------------------------------------------
# Decoding of connectionist temporal classification, by the kernels of NumPy on every backend.


Decoded = Tuple[List[Tensor], Tensor]


@registered
class Decode(keras.Operation):
    """Paths of labels and their scores. `width` is that of the beam, None for the greedy decoder."""

    def __init__(self, paths: int, width: Optional[int], merged: bool, name: Any = None) -> None:
        super().__init__(name=name)
        self.paths, self.width, self.merged = paths, width, merged

    def call(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        if BACKEND == 'tensorflow':
            return self._with_tensorflow(scores, lengths)
        if BACKEND == 'jax':
            import jax

            if isinstance(scores, jax.core.Tracer) or isinstance(lengths, jax.core.Tracer):
                return self._with_jax(scores, lengths)
        if in_symbolic_scope():  # PyTorch asks for shapes alone
            samples, steps = scores.shape[:2]
            return [keras.ops.zeros(spec, dtype) for spec, dtype in self._specs(samples, steps, name_of(scores))]
        arrays = self._decoded(*[keras.ops.convert_to_numpy(x) for x in (scores, lengths)])
        return [keras.ops.convert_to_tensor(x, storable_dtype(x.dtype.name)) for x in arrays]

    def _decoded(self, scores: Any, lengths: Any) -> Sequence[Any]:
        scores, lengths = np.asarray(scores), np.asarray(lengths)
        if self.width is None:
            return ctc_greedy(scores, lengths)
        return ctc_beam(scores, lengths, self.width, self.paths, self.merged)

    def _specs(self, samples: Any, steps: Any, dtype: str) -> List[Tuple[Tuple[Any, Any], str]]:
        paths = [((samples, steps), storable_dtype('int64'))] * self.paths
        return [*paths, ((samples, 1 if self.width is None else self.paths), dtype)]

    def _with_tensorflow(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        import tensorflow as tf

        dtypes = [tf.int64] * self.paths + [scores.dtype]
        tensors = tf.numpy_function(self._decoded, [scores, lengths], dtypes)
        samples = scores.shape[0]
        for x in tensors[:-1]:
            x.set_shape((samples, None))
        tensors[-1].set_shape((samples, 1 if self.width is None else self.paths))
        return list(tensors)

    def _with_jax(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        import jax

        samples, steps = scores.shape[:2]
        specs = self._specs(samples, steps, name_of(scores))

        def full(scores: Any, lengths: Any) -> List[Any]:
            # XLA knows shapes beforehand: as many columns as there are times.
            arrays = list(self._decoded(scores, lengths))
            paths = [np.pad(x, ((0, 0), (0, steps - x.shape[1])), constant_values=-1) for x in arrays[:-1]]
            return [x.astype(dtype) for x, (_spec, dtype) in zip([*paths, arrays[-1]], specs)]

        return list(
            jax.pure_callback(full, [jax.ShapeDtypeStruct(spec, dtype) for spec, dtype in specs], scores, lengths)
        )

    def compute_output_spec(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        return [keras.KerasTensor(spec, dtype) for spec, dtype in self._specs(scores.shape[0], None, name_of(scores))]


def decoded(scores: Tensor, lengths: Tensor, paths: int, width: Optional[int], merged: bool) -> Decoded:
    """The `paths` best label sequences, int64 and filled up with -1, and their scores."""
    tensors = Decode(paths, width, merged)(keras.ops.stop_gradient(scores), lengths)
    return list(tensors[:-1]), tensors[-1]
