"""CTC, batch normalisation, convolution and pooling by the kernels of TensorFlow."""

from typing import Any, Callable, List, Sequence, Tuple

from ....basics import shapes
from ....basics.shapes import check_channels, known, product
from ....basics.shapes import known as known_size
from ..tensors.graph import describe
from ..tensors.reachable import filled, may_be_empty
from ..tensors.tensors import converted, size_of, sizes, static_shape
from ..vendor import EagerTensor, set_gradient, tf, tf2

# -- CTC ---------------------------------------------------------------------------------------------------------------
# Connectionist temporal classification by TensorFlow's kernels, which take (time, samples, classes).


def ctc_sparse(labels: Any, lengths: Any) -> Any:
    inside = tf.range(size_of(labels, 1))[tf.newaxis, :] < lengths[:, tf.newaxis]
    indices = tf.where_v2(inside)
    return tf.SparseTensor(indices, tf.gather_nd(labels, indices), tf.shape(labels, out_type=tf.int64))


def by_time(scores: Any) -> Any:
    """Scores (samples, time, classes) as the kernels take them, in a dtype that they know."""
    scores = tf.transpose(scores, [1, 0, 2])
    return scores if scores.dtype in (tf.float32, tf.float64) else tf.cast(scores, tf.float32)


def within(lengths: Any, steps: Any) -> Any:
    """Lengths of which none is beyond the steps: the kernels refuse others, the other engines count all steps."""
    return tf.minimum(lengths, steps)


def decoded(paths: Any, costs: Any, dtype: Any) -> Tuple[List[Any], Any]:
    """The results of a decoder of TensorFlow, as tensors of K."""
    return [tf.sparse.to_dense(path, default_value=-1) for path in paths], converted(costs, dtype)


def fused_cost(labels: Any, scores: Any, times: Any, lengths: Any) -> Any:
    """The costs of `labels`, an int32 matrix, by the kernel; `scores` are (samples, time, classes) logarithms."""
    scores = by_time(scores)
    steps, samples, classes = [size_of(scores, i) for i in range(3)]
    times = within(times, steps)
    width = size_of(labels, 1)
    columns = tf.range(width)[tf.newaxis, :]
    inside = columns < lengths[:, tf.newaxis]
    # A blank ends the label; characters after it cannot be.
    character = labels < classes - 1
    torn = tf.logical_and(inside, character)
    inside = tf.logical_and(inside, tf.equal(tf.cumsum(1 - tf.cast(character, tf.int32), 1), 0))
    torn = tf.reduce_any(tf.not_equal(torn, inside), 1)
    lengths = tf.reduce_sum(tf.cast(inside, tf.int32), 1)

    # The kernel refuses labels that do not fit their input or have no character; these rows get a label that does,
    # and their true cost afterwards. A character needs a step, and a repeated one a blank before it.
    repeated = tf.logical_and(tf.equal(labels[:, 1:], labels[:, :-1]), inside[:, 1:])
    needed = lengths + tf.reduce_sum(tf.cast(repeated, tf.int32), 1)
    known = tf.reduce_all(tf.logical_or(labels >= 0, tf.logical_not(inside)), 1)
    possible = tf.logical_and(tf.logical_and(needed <= times, known), tf.logical_not(torn))
    regular = tf.logical_and(possible, lengths > 0)
    labels = tf.where_v2(tf.logical_and(inside, regular[:, tf.newaxis]), labels, tf.zeros_like(labels))
    counted = tf.where_v2(regular, lengths, tf.ones_like(lengths))
    padded = tf.concat([labels, tf.zeros_like(labels[:, :1])], 1) if static_shape(labels)[1] == 0 else labels
    sparse = ctc_sparse(padded, counted)
    log_blank = tf.nn.log_softmax(scores)[:, :, -1]
    # Of no classes the kernel would end the process, and their last one is an error before that.
    with tf.control_dependencies([] if known_size(classes) else [log_blank]):
        cost = tf.nn.ctc_loss(sparse, scores, tf.where_v2(regular, times, tf.fill([samples], steps)))
    blanks = tf.where_v2(tf.range(steps)[:, tf.newaxis] < times[tf.newaxis, :], -log_blank, tf.zeros_like(log_blank))
    cost = tf.where_v2(lengths > 0, cost, tf.reduce_sum(blanks, 0))
    return tf.where_v2(possible, cost, tf.fill([samples], tf.constant(float('inf'), cost.dtype)))[:, tf.newaxis]


# -- batch normalisation -----------------------------------------------------------------------------------------------
# Batch normalisation by the kernels of TensorFlow that do it as a whole.
#
# In single operations it is seven passes over the batch, and two dozen with the gradient. The kernels take 0.5 to 0.7
# of that time for a large batch. They divide a small one among threads at more cost than it takes to compute.
# `kernel_fits` says where they are used.
#
# The sums of the kernels have two to three times the rounding error: of 100,000 numbers of mean 100 and deviation 1,
# the mean is wrong by 8e-4 instead of 4e-4.
#
# The gradient of TensorFlow's kernel is that of the normalised batch alone. It leaves out what comes by way of the
# mean and the variance that the kernel hands out. So an operation that takes the batch, too, hands both on. Its
# gradient goes to the batch directly.


# The numbers of a sample. Batches of 32 on one and two threads, with the gradient: with 1,568 the kernels take 0.56 and
# 1.13 of the time of single operations, with 3,136 0.60 and 0.66. Batches of 8 with 3,136 take 0.75 and 1.9.
_LEAST_SIZE = 4096
# cuDNN takes no smaller one.
_LEAST_EPSILON = 1.001e-5


def kernel_fits(x: Any, epsilon: Any) -> bool:
    """Whether the kernels are to normalise a batch (samples, height, width, channels) along its last axis."""
    # An eager tensor has no operation that could have a gradient of ours.
    if isinstance(x, EagerTensor) or x.shape.rank != 4 or x.dtype != tf.float32:
        return False
    if not isinstance(epsilon, float) or epsilon < _LEAST_EPSILON:
        return False
    *image, channels = x.shape.as_list()[1:]
    # Images of an unknown size are large.
    return bool(channels) and (not all(map(known, image)) or product(image) * channels >= _LEAST_SIZE)


def normalized_by_kernel(x: Any, gamma: Any, beta: Any, epsilon: float) -> Tuple[Any, Any, Any]:
    """The normalised batch, its mean and its variance (channels,)."""
    y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
        x=x, scale=gamma, offset=beta, mean=[], variance=[], epsilon=epsilon, is_training=True
    )
    count = _count(x)
    mean = _of_batch(mean, x, mean, 'KerasBackendBatchMean')
    # TensorFlow divides by count - 1.
    return y, mean, _of_batch(variance * ((count - 1.0) / count), x, mean, 'KerasBackendBatchVariance')


def _count(x: Any) -> Any:
    """How many numbers a channel has."""
    return tf.cast(tf.reduce_prod(tf.shape(x)[:-1]), x.dtype)


def _of_batch(statistic: Any, x: Any, mean: Any, gradient: str) -> Any:
    handed_on, *_ = tf.raw_ops.IdentityN(input=[statistic, x, mean])
    set_gradient(handed_on.op, gradient)
    return handed_on


@tf.RegisterGradient('KerasBackendBatchMean')
def _gradient_of_mean(op: Any, gradient: Any, *_others: Any) -> List[Any]:
    _, x, _ = op.inputs
    return [None, tf.broadcast_to(gradient / _count(x), tf.shape(x)), None]


@tf.RegisterGradient('KerasBackendBatchVariance')
def _gradient_of_variance(op: Any, gradient: Any, *_others: Any) -> List[Any]:
    _, x, mean = op.inputs
    return [None, (x - mean) * (gradient * (2.0 / _count(x))), None]


# -- convolution and pooling -------------------------------------------------------------------------------------------
# Convolution and pooling, channels last.
#
# TensorFlow's own channels-first kernels exist on the CPU for some dtypes only and are slower there than the
# transpositions that the front makes; on a GPU its graph optimiser removes these.


_Function = Callable[[Any, str], Any]
# For each axis: the number of taps, the stride, the padding and the dilation.
_Geometry = List[Tuple[Any, int, str, int]]
_POOLS = {(2, 'max'): tf.nn.max_pool2d, (2, 'avg'): tf.nn.avg_pool2d, (3, 'avg'): tf.nn.avg_pool3d}


def _lengths(x: Any, taps: Any, strides: Any, padding: str, dilation: Any, what: str) -> List[Any]:
    """The spatial sizes of the result, None where unknown; a window that is too large for the input is refused."""
    return [
        shapes.conv_output_length(n, k, s, padding, d, f'{what} of {describe(x)}') if known(k) else None
        for n, k, s, d in zip(static_shape(x)[1:], taps, strides, dilation)
    ]


def _geometry(taps: Any, strides: Any, padding: str, dilation: Any) -> _Geometry:
    return [(k, s, padding, d) for k, s, d in zip(taps, strides, dilation)]


def _sized(y: Any, lengths: List[Any]) -> Any:
    """`y` with the sizes that TensorFlow loses where another one is unknown."""
    y.set_shape([None, *lengths, None])
    return y


def _nothing(x: Any, geometry: _Geometry, lengths: List[Any], channels: Any, *others: Any) -> Any:
    """The result for an input of no elements, of which TensorFlow's kernels give a wrong shape, or end the process."""
    extents = [_length_in_run(x, i, *axis) if n is None else n for i, (n, axis) in enumerate(zip(lengths, geometry), 1)]
    zeros = tf.zeros(tf.stack([size_of(x, 0), *extents, channels]), x.dtype)
    for source in (x, *others):
        zeros += tf.reduce_sum(source) * 0  # so that it has a gradient
    zeros.set_shape([static_shape(x)[0], *lengths, channels if known(channels) else None])
    return zeros


def _length_in_run(x: Any, axis: int, taps: Any, stride: int, padding: str, dilation: int) -> Any:
    """The size of an axis of the result as a tensor: none where the window does not fit."""
    n = size_of(x, axis)
    if padding != 'valid':
        return -(-n // stride)
    return tf.maximum((n - shapes.window(taps, dilation)) // stride + 1, 0)


def _taps(x: Any, kernel: Any) -> List[Any]:
    """The sizes of the window of a kernel that takes the channels of `x`."""
    # TensorFlow would take a kernel for fewer channels to mean groups of them.
    check_channels(static_shape(kernel)[-2], static_shape(x)[-1], static_shape(kernel), static_shape(x))
    return [size_of(kernel, axis) for axis in range(len(static_shape(kernel)) - 2)]


def _padded(x: Any, taps: Any, strides: Any, padding: str, dilation: Any, value: Any = 0) -> Any:
    """The input with the padding made explicit, so that padding 'valid' is what remains to be done."""
    pairs: List[Any] = [(0, 0)]
    for i, (k, s, d) in enumerate(zip(taps, strides, dilation), 1):
        before = after = None
        if known(k) or padding != 'same':
            before, after = shapes.pads(padding, static_shape(x)[i], k, s, d)
        if before is None:
            n = tf.shape(x)[i]
            total = tf.maximum((-(-n // s) - 1) * s + shapes.window(k, d) - n, 0)
            before, after = total // 2, total - total // 2
        pairs.append((before, after))
    return tf.pad(x, [*pairs, (0, 0)], constant_values=value)


def _apply(function: _Function, x: Any, taps: Any, strides: Any, padding: str, dilation: Any) -> Any:
    """`function(x, padding)`, with a result of no size where the window is larger than the input.

    TensorFlow's kernels for a CPU give a wrong shape there, or end the process. So the input is filled up to a
    size that the window fits in, and the result cut to what belongs to the input; nothing is done to an input
    that is large enough.
    """
    here = [size_of(x, i + 1) for i in range(len(taps))]
    spans = [shapes.window(k, d) for k, d in zip(taps, dilation)]
    if padding != 'valid' or all([known(n) and known(span) and n >= span for n, span in zip(here, spans)]):
        return function(x, padding.upper())
    pairs, lengths = [(0, 0)], []
    for n, span, s in zip(here, spans, strides):
        most = max if known(n) and known(span) else tf.maximum
        pairs.append((0, most(span - n, 0)))
        lengths.append(slice(None, most((n - span) // s + 1, 0)))
    return function(tf.pad(x, [*pairs, (0, 0)]), 'VALID')[(slice(None), *lengths)]


def _filled(function: _Function) -> _Function:
    """`function(x, padding)`, which then never gets an `x` that an operation of the graph has left empty."""

    def of_any(x: Any, padding: str) -> Any:
        if not may_be_empty(x):
            return function(x, padding)
        return filled(lambda full: function(full, padding), x, range(len(static_shape(x)) - 1))

    return of_any


def _thinned(y: Any, strides: Sequence[int]) -> Any:
    """The entries that the strides leave of a result made with strides of 1."""
    return y[(slice(None), *[slice(None, None, s) for s in strides])]


def conv(x: Any, kernel: Any, *, strides: Any, padding: str, dilation: Any) -> Any:
    taps = _taps(x, kernel)
    lengths = _lengths(x, taps, strides, padding, dilation, 'a convolution')
    if 0 in static_shape(x):
        return _nothing(x, _geometry(taps, strides, padding, dilation), lengths, static_shape(kernel)[-1], kernel)
    # Not both in one on the CPU.
    both = max(strides) > 1 and max(dilation) > 1
    # Dilation beside padding needs a kernel of known size there.
    if both or padding == 'causal' or (padding == 'same' and max(dilation) > 1 and not all(map(known, taps))):
        x, padding = _padded(x, taps, strides, padding, dilation), 'valid'
    steps = (1,) * len(taps) if both else strides

    @_filled
    def convolve(x: Any, padding: str) -> Any:
        return tf2.nn.convolution(x, kernel, list(steps), padding, dilations=list(dilation))

    y = _apply(convolve, x, taps, steps, padding, dilation)
    return _sized(_thinned(y, strides) if both else y, lengths)


def _at_least(least: int, size: Any) -> Any:
    """A size that only the run knows; a smaller one is an error, where it would end the process."""
    with tf.control_dependencies([tf.fill([tf.clip_by_value(size, -1, 1) - least], True)]):
        return tf.identity(size)


def conv_input_grad(g: Any, kernel: Any, shape: Any, *, strides: Any, padding: str, dilation: Any) -> Any:
    known_sizes = [n if known(n) else None for n in shape]
    least = int(padding == 'valid')
    shape = [shape[0], *[n if known(n) else _at_least(least, n) for n in shape[1:-1]], shape[-1]]
    if may_be_empty(g):
        # The kernel of the gradient of this one is that of a convolution.
        def of_rows(g: Any) -> Any:
            full = [tf.shape(g)[0], *shape[1:]]
            return conv_input_grad(g, kernel, full, strides=strides, padding=padding, dilation=dilation)

        y = filled(of_rows, g, [0])
    elif max(dilation) == 1:
        adjoint = tf.nn.conv2d_transpose if len(shape) == 4 else tf.nn.conv3d_transpose
        y = adjoint(g, kernel, sizes(shape), (1, *strides, 1), padding.upper())
    else:
        # TensorFlow has no such function with strides or unequal rates, but it has the gradient, which is the same.
        # Of the convolution itself nothing is computed.
        source = tf.zeros(sizes(shape), g.dtype)
        source.set_shape(known_sizes)
        y = tf.gradients(conv(source, kernel, strides=strides, padding=padding, dilation=dilation), [source], [g])[0]
    y.set_shape(known_sizes)
    return y


def depthwise_conv(x: Any, kernel: Any, *, strides: Any, padding: str, dilation: Any) -> Any:
    taps = _taps(x, kernel)
    lengths = _lengths(x, taps, strides, padding, dilation, 'a convolution')
    if 0 in static_shape(x):
        filters = [size_of(kernel, axis) for axis in (-2, -1)]
        return _nothing(x, _geometry(taps, strides, padding, dilation), lengths, filters[0] * filters[1], kernel)
    # The kernels know neither unequal strides nor strides beside dilation.
    thin = strides[0] != strides[1] or (max(strides) > 1 and max(dilation) > 1)
    steps = strides
    if thin:
        x, padding, steps = _padded(x, taps, strides, padding, dilation), 'valid', (1, 1)

    @_filled
    def convolve(x: Any, padding: str) -> Any:
        return tf.nn.depthwise_conv2d(x, kernel, (1, *steps, 1), padding, rate=dilation)

    y = _apply(convolve, x, taps, steps, padding, dilation)
    return _sized(_thinned(y, strides) if thin else y, lengths)


def max_pool(x: Any, *, window: Any, strides: Any, padding: str) -> Any:
    if len(window) == 2 or 0 in static_shape(x):
        return _pooled('max', x, window, strides, padding)
    # The kernel in 3-D sends the gradient to each of equal elements, save where oneDNN takes its place. So the images
    # are pooled, and then along the depth. The first of equal elements is then the first in the volume.
    lengths = _lengths(x, window, strides, padding, (1,) * 3, 'a pooling')
    samples, depth, height, width, channels = [size_of(x, axis) for axis in range(5)]
    images = tf.reshape(x, sizes([samples * depth, height, width, channels]))
    images = _pooled('max', images, window[1:], strides[1:], padding)
    height, width = size_of(images, 1), size_of(images, 2)
    columns = tf.reshape(images, sizes([samples, depth, height * width, channels]))
    columns = _pooled('max', columns, (window[0], 1), (strides[0], 1), padding)
    y = tf.reshape(columns, sizes([samples, size_of(columns, 1), height, width, channels]))
    y.set_shape([static_shape(x)[0], *lengths, static_shape(x)[-1]])
    return y


@tf.RegisterGradient('KerasBackendMaxPoolGrad')
def _gradient_of_max_pool_grad(op: Any, g: Any) -> List[Any]:
    """`g` at the largest element of each window.

    The kernel writes its result into the memory of `g` where both have one size, before it has read `g`, and gives
    zeros. Padding that is made before makes `g` larger than the result.
    """
    x, y = op.inputs[:2]
    window, strides = op.get_attr('ksize'), op.get_attr('strides')
    geometry = window[1:3], strides[1:3], 'same', (1, 1)
    nothing = [tf.zeros_like(x), tf.zeros_like(y)]
    if set(window) == {1}:
        return [*nothing, _thinned(g, strides[1:3])]
    if op.get_attr('padding') == b'SAME':
        x, g = _padded(x, *geometry, x.dtype.min), _padded(g, *geometry)
    return [
        *nothing,
        tf.raw_ops.MaxPoolGradGrad(orig_input=x, orig_output=y, grad=g, ksize=window, strides=strides, padding='VALID'),
    ]


def avg_pool(x: Any, *, window: Any, strides: Any, padding: str) -> Any:
    return _pooled('avg', x, window, strides, padding)


def _pooled(mode: str, x: Any, window: Any, strides: Any, padding: str) -> Any:
    rank, dtype = len(window), x.dtype
    lengths = _lengths(x, window, strides, padding, (1,) * rank, 'a pooling')
    if 0 in static_shape(x):
        return _nothing(x, _geometry(window, strides, padding, (1,) * rank), lengths, static_shape(x)[-1])
    if rank == 3 and dtype == tf.float16:
        # In 3-D there is no kernel in half precision; single precision holds all of its numbers.
        x = tf.cast(x, tf.float32)

    def pool(x: Any, padding: str) -> Any:
        return _POOLS[rank, mode](x, list(window), list(strides), padding)

    # Those of an average can take no rows.
    y = _sized(_apply(_filled(pool) if mode == 'max' else pool, x, window, strides, padding, (1,) * rank), lengths)
    return y if y.dtype == dtype else tf.cast(y, dtype)
